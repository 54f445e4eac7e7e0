"""The words of `check`: its arguments, each refused with one sentence where it makes no sense."""

import argparse
import math
from dataclasses import dataclass

from explainer.slo.durations import seconds
from explainer.slo.rules import Limits, Rules

_EPILOG = """exit code: 0 met, 1 not met, 2 not decidable, 3 unreadable input or bad usage. Of several runs: 3 if a
file is unreadable, else 1 if one is not met, else 2 if one is not decidable."""


class UsageError(Exception):
    """One sentence on what was typed and what was expected."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(f"{message}; see python -m explainer check --help")


@dataclass(frozen=True)
class Options:
    """What one run of `check` was asked."""

    files: list[str]
    limits: Limits
    rules: Rules
    attainment: float
    as_json: bool
    columns: dict[str, str]
    decimal: str | None
    group: str | None
    drop_first: int


def parse(arguments: list[str]) -> Options:
    """The options; raises UsageError, or SystemExit after --help."""
    parser = _Parser(
        prog="python -m explainer check",
        description="Says whether a load test met its limits: met, not met, or not decidable.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a result file, a run's folder, or a glob")
    for name, meaning in (
        ("ttft", "wait for the first token"),
        ("tpot", "time for each further token, on the mean over the answer,"),
        ("e2e", "wait for the whole answer"),
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
        raise UsageError("no limit is set; add at least one of --ttft, --tpot and --e2e, such as --ttft 200ms")
    return Options(
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
