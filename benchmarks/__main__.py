"""Every benchmark, one table: python -m benchmarks [PART ...] [--quick].

A part is a module of this folder with rows(), which gives (label, value, unit, target) one after the other. value: a
number, or words where there is none. target: None, or a number the value must not exceed, or words such as "≥ 50 or not
finished".
"""

import argparse
import importlib
import inspect
import os
import platform
import re
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from importlib.util import find_spec

PARTS = ("interaction", "computing", "page_weight", "formulas", "results", "serving")
_HOLDS = {
    "≤": lambda value, bound: value <= bound,
    "≥": lambda value, bound: value >= bound,
    "=": lambda value, bound: value == bound,
}


def met(value, target) -> str:
    """Whether a value meets its target: "yes", "no", or nothing where there is no target."""
    if target is None:
        return ""
    if isinstance(value, str):
        return "yes" if "or not finished" in str(target) and value.startswith("not finished") else "no"
    sign, bound = re.match(r"(?:([≤≥=])\s*)?([\d.]+)", str(target)).groups()
    return "yes" if _HOLDS[sign or "≤"](value, float(bound)) else "no"


def line(label: str, value, unit: str, target) -> str:
    """One row of the table; words take the room of value and unit."""
    wanted = "" if target is None else target if isinstance(target, str) else f"≤ {target:g}"
    if isinstance(value, str):
        return f"{label:62} {value:>20} {wanted:24} {met(value, target)}".rstrip()
    places = 0 if value == value // 1 or abs(value) >= 1000 else 2 if abs(value) < 100 else 1
    shown = f"{value:,.{places}f}"
    return f"{label:62} {shown:>11} {unit:8} {wanted:24} {met(value, target)}".rstrip()


def rows_of(part: str, quick: bool) -> Iterator[tuple]:
    """A part's rows; a part that fails gives a row that says so, so that the others are still measured."""
    try:
        rows = importlib.import_module(f"benchmarks.{part}").rows
        yield from rows(quick=True) if quick and "quick" in inspect.signature(rows).parameters else rows()
    except Exception as error:  # noqa: BLE001 - whatever it was, the other parts are still worth measuring
        traceback.print_exc()
        yield f"{part}: stopped", f"{type(error).__name__}: {error}".split("\n")[0], "", "a result"


def machine() -> str:
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, load average {load:.2f}"


def main(arguments: list[str]) -> int:
    """Runs the named parts, or all there are, and prints their rows as they come; 1 where a target was missed."""
    there = [part for part in PARTS if find_spec(f"benchmarks.{part}")]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Every benchmark, one table.")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"any of: {', '.join(there)}; without a name, all of them"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer repetitions: to try the benchmarks, not to quote them"
    )
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in there]
    if unknown:
        parser.error(f"There is no part {', '.join(unknown)}; there are: {', '.join(there)}.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that each part ends its processes
    print(f"{time.strftime('%Y-%m-%d %H:%M')}, {machine()}{', quick' if options.quick else ''}\n", flush=True)
    print(f"{'what':62} {'value':>11} {'unit':8} {'target':24} met\n{'-' * 112}", flush=True)
    missed = 0
    for part in options.parts or there:
        for row in rows_of(part, options.quick):
            print(line(*row), flush=True)
            missed += met(row[1], row[3]) == "no"
    print(f"\n{missed or 'No'} target{'' if missed == 1 else 's'} missed. At the end: {machine()}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
