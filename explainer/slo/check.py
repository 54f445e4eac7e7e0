"""python -m explainer check FILE... : a load test's own files against limits."""

import json
import os
import sys

import numpy as np

from explainer.results.load import load
from explainer.results.source import Unreadable
from explainer.results.summary import Summary
from explainer.results.text import clean, counted
from explainer.slo.answer import Answer
from explainer.slo.arguments import Options, UsageError, parse
from explainer.slo.as_json import as_object
from explainer.slo.as_text import as_text
from explainer.slo.comparison import compare
from explainer.slo.consistency import request_notes
from explainer.slo.explain import explain
from explainer.slo.load_shape import load_notes
from explainer.slo.progress import bar
from explainer.slo.rules import MET, NOT_DECIDABLE, NOT_MET
from explainer.slo.traffic import measure
from explainer.slo.verdict import judge

_CODES = {MET: 0, NOT_MET: 1, NOT_DECIDABLE: 2}
_UNUSABLE = 3


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code, 0 to 3."""
    arguments = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in arguments
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows another
    try:
        with np.errstate(all="ignore"):  # what is not finite is shown as not defined
            return _run(parse(arguments))
    except UsageError as problem:
        return _refuse(clean(str(problem), 1000), as_json)
    except KeyboardInterrupt:
        return _refuse("stopped before the end; nothing was decided.", as_json)
    except SystemExit as ended:  # --help
        return int(ended.code or 0)


def _refuse(sentence: str, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"error": sentence}, allow_nan=False))
    print(f"check: {sentence}", file=sys.stderr)
    return _UNUSABLE


def _run(options: Options) -> int:
    loaded = load(options.files, options.columns, options.decimal, progress=bar if sys.stderr.isatty() else None)
    between = compare(loaded.runs, options.limits)
    answers, problems = [], list(loaded.problems)
    for place, run in enumerate(loaded.runs):
        try:
            answers.append(_answer(run, options, [*between, *_skipped(loaded.skipped)] if not place else []))
        except Unreadable as problem:
            problems.append(str(problem))
    if options.as_json:
        objects = [answer for answer, _, _ in answers] + [{"error": problem} for problem in problems]
        _tell(json.dumps(objects[0] if len(objects) == 1 else objects, allow_nan=False, indent=2))
    elif answers:
        _tell("\n\n".join(text for _, text, _ in answers))
    for problem in problems:
        print(f"check: {problem}", file=sys.stderr)
    codes = [code for _, _, code in answers]
    return _UNUSABLE if problems or not codes else 1 if 1 in codes else max(codes)


def _tell(text: str) -> None:
    """Prints to whoever reads; a reader that has seen enough (head, less) changes no verdict."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # Python's own last flush would complain


def _skipped(names: list[str]) -> list[str]:
    if not names:
        return []
    listed = ", ".join(clean(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
    return [f"Skipped {counted(len(names), 'other file')}, with 0 requests in them: {listed}."]


def _chosen(run, options: Options):
    """The rows that are judged, and sentences on those left out."""
    if isinstance(run, Summary):
        if options.group is not None or options.drop_first:
            raise Unreadable(
                f"{run.facts.source}: --class and --drop-first need the requests, and the file has totals only."
            )
        return run, []
    notes = []
    if options.drop_first:
        whole = judge(run, options.limits, options.rules, options.attainment)
        order = np.argsort(run.start, kind="stable") if not np.isnan(run.start).any() else np.arange(len(run))
        run = run.take(np.sort(order[options.drop_first :]))
        notes.append(
            f"The first {counted(options.drop_first)} left out as warm-up; with them it is {whole.good:,.0f} of"
            f" {whole.attempted:,.0f} good."
        )
    if options.group is not None:
        if options.group not in run.groups:
            known = ", ".join(filter(None, run.groups)) or "none"
            raise Unreadable(
                f"{run.facts.source}: no request is of class {clean(options.group)}; the file's classes: {known}."
            )
        rows = run.group == run.groups.index(options.group)
        others = ", ".join(name or "without a class" for name in run.groups if name != options.group)
        if not rows.all():
            notes.append(
                f"{counted(int((~rows).sum()))} of other classes ({others}) have no target set: they are in no count."
            )
        run = run.take(rows)
    return run, notes


def _answer(run, options: Options, more: list[str]) -> tuple[dict, str, int]:
    run, chosen = _chosen(run, options)
    verdict = judge(run, options.limits, options.rules, options.attainment)
    traffic = measure(run, verdict.good)
    notes = [
        *run.facts.notes,
        *chosen,
        *verdict.notes,
        *([] if chosen else explain(run, options.limits, options.rules, verdict)),
        *request_notes(run, verdict, options.attainment),
        *load_notes(run, traffic),
        *more,
    ]
    answer = Answer(run, verdict, options.limits, options.rules, options.attainment, traffic, notes)
    return as_object(answer), as_text(answer), _CODES[verdict.verdict]
