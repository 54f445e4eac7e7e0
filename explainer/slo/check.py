"""python -m explainer check FILE... : a load test's own files against limits."""

import argparse
import json
import math
import os
import sys
from dataclasses import dataclass

import numpy as np

from explainer.results.load import load
from explainer.results.source import Unreadable
from explainer.results.summary import Summary
from explainer.results.text import clean, counted
from explainer.slo import report
from explainer.slo.comparison import compare
from explainer.slo.consistency import request_notes
from explainer.slo.durations import seconds
from explainer.slo.explain import explain
from explainer.slo.load_shape import load_notes
from explainer.slo.progress import bar
from explainer.slo.traffic import measure
from explainer.slo.rules import MET, NOT_DECIDABLE, NOT_MET, Limits, Rules
from explainer.slo.verdict import judge

_CODES = {MET: 0, NOT_MET: 1, NOT_DECIDABLE: 2}
_UNUSABLE = 3
_EPILOG = """exit code: 0 met, 1 not met, 2 not decidable, 3 unreadable input or bad usage. Of several runs: 3 if a
file is unreadable, else 1 if one is not met, else 2 if one is not decidable."""


class _Usage(Exception):
    pass


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise _Usage(f"{message}; see python -m explainer check --help")


@dataclass(frozen=True)
class _Options:
    files: list[str]
    limits: Limits
    rules: Rules
    attainment: float
    as_json: bool
    columns: dict[str, str]
    decimal: str | None
    group: str | None
    drop_first: int


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code, 0 to 3."""
    arguments = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in arguments
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows another
    try:
        with np.errstate(all="ignore"):  # what is not finite is shown as not defined
            return _run(_parse(arguments))
    except _Usage as problem:
        return _refuse(clean(str(problem), 1000), as_json)
    except BrokenPipeError:  # whoever read our output has gone: nobody is left to tell
        sys.stdout = open(os.devnull, "w")
        return _UNUSABLE
    except KeyboardInterrupt:
        return _refuse("stopped before the end; nothing was decided.", as_json)
    except SystemExit as ended:  # --help
        return int(ended.code or 0)


def _refuse(sentence: str, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"error": sentence}, allow_nan=False))
    print(f"check: {sentence}", file=sys.stderr)
    return _UNUSABLE


def _parse(arguments: list[str]) -> _Options:
    parser = _Parser(
        prog="python -m explainer check",
        description="Says whether a load test met its limits: met, not met, or not decidable.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a result file, a run's folder, or a glob")
    for name, meaning in (
        ("ttft", "first token"),
        ("tpot", "each further token, on the mean over the answer"),
        ("e2e", "whole answer"),
    ):
        parser.add_argument(
            f"--{name}", metavar="TIME", type=_duration, help=f"the most that the {meaning} may take, such as 200ms"
        )
    parser.add_argument(
        "--attainment", type=_share, default=0.95, metavar="SHARE", help="share of requests that must be good (0.95)"
    )
    parser.add_argument(
        "--one-token",
        choices=("pass", "fail", "exclude"),
        default="pass",
        help="an answer of one token under --tpot (pass)",
    )
    parser.add_argument(
        "--cancelled",
        choices=("exclude", "fail"),
        default="exclude",
        help="requests that the tester cancelled (exclude)",
    )
    parser.add_argument(
        "--from", dest="clock", choices=("send", "scheduled"), default="send", help="where TTFT and E2E begin (send)"
    )
    parser.add_argument(
        "--class", dest="group", metavar="NAME", help="judge this class of requests only; the others have no target"
    )
    parser.add_argument(
        "--drop-first", type=_count, default=0, metavar="N", help="leave out the first N requests as warm-up (0)"
    )
    parser.add_argument(
        "--columns",
        metavar="OURS=THEIRS,...",
        type=_mapping,
        default={},
        help="a plain table's columns, as ttft_ms=latency",
    )
    parser.add_argument(
        "--decimal", choices=("point", "comma"), help="how a plain table writes decimals, where it does not tell"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a run, an array for several runs")
    found = parser.parse_args(arguments)
    limits = Limits(found.ttft, found.tpot, found.e2e)
    if not limits.items():
        raise _Usage("no limit is set; add at least one of --ttft, --tpot and --e2e, such as --ttft 200ms")
    return _Options(
        found.files,
        limits,
        Rules(one_token=found.one_token, cancelled=found.cancelled, clock=found.clock),
        found.attainment,
        found.json,
        found.columns,
        {"point": ".", "comma": ","}.get(found.decimal),
        found.group,
        found.drop_first,
    )


def _duration(text: str) -> float:
    try:
        return seconds(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _share(text: str) -> float:
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share: write a number above 0 and up to 1, such as 0.95")
    return value


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is no count: write a whole number, 0 or more")
    return int(text)


def _mapping(text: str) -> dict[str, str]:
    pairs = [pair.split("=", 1) for pair in text.split(",") if pair]
    if not pairs or any(len(pair) != 2 or not all(map(str.strip, pair)) for pair in pairs):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no mapping: write ours=theirs,..., such as ttft_ms=latency,out_tok=tokens"
        )
    return {ours.strip(): theirs.strip() for ours, theirs in pairs}


def _run(options: _Options) -> int:
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
        print(json.dumps(objects[0] if len(objects) == 1 else objects, allow_nan=False, indent=2))
    elif answers:
        print("\n\n".join(text for _, text, _ in answers))
    for problem in problems:
        print(f"check: {problem}", file=sys.stderr)
    codes = [code for _, _, code in answers]
    return _UNUSABLE if problems or not codes else 1 if 1 in codes else max(codes)


def _skipped(names: list[str]) -> list[str]:
    if not names:
        return []
    listed = ", ".join(clean(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
    return [f"Skipped {counted(len(names), 'other file')}, with 0 requests in them: {listed}."]


def _chosen(run, options: _Options):
    """The rows that are judged, and sentences on those left out."""
    if isinstance(run, Summary):
        if options.group is not None or options.drop_first:
            raise Unreadable(f"{run.facts.source}: --class and --drop-first need the requests, and the file has totals only.")
        return run, []
    notes = []
    if options.drop_first:
        whole = judge(run, options.limits, options.rules, options.attainment)
        order = np.argsort(run.start, kind="stable") if not np.isnan(run.start).any() else np.arange(len(run))
        run = run.take(np.sort(order[options.drop_first :]))
        notes.append(
            f"The first {counted(options.drop_first)} left out as warm-up; with them it is {whole.good:,.0f} of {whole.attempted:,.0f} good."
        )
    if options.group is not None:
        if options.group not in run.groups:
            known = ", ".join(filter(None, run.groups)) or "none"
            raise Unreadable(f"{run.facts.source}: no request is of class {clean(options.group)}; the file's classes: {known}.")
        rows = run.group == run.groups.index(options.group)
        others = ", ".join(name or "without a class" for name in run.groups if name != options.group)
        if not rows.all():
            notes.append(f"{counted(int((~rows).sum()))} of other classes ({others}) have no target set: they are in no count.")
        run = run.take(rows)
    return run, notes


def _answer(run, options: _Options, more: list[str]) -> tuple[dict, str, int]:
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
    parts = (run, verdict, options.limits, options.rules, options.attainment, traffic, notes)
    return report.as_object(*parts), report.as_text(*parts), _CODES[verdict.verdict]
