"""A progress bar on a terminal, silent everywhere else."""

import sys
from collections.abc import Callable

from explainer.results.text import clean

_WIDTH = 30


def bar(name: str) -> Callable[[int, int], None]:
    """Draws how much of a file was read, on standard error; erases itself at the end. The caller asks whether that is
    a terminal."""
    drawn = -1
    label = clean(name, 40)

    def progress(done: int, total: int) -> None:
        nonlocal drawn
        percent = 100 * done // total if total else 100
        if percent == drawn:
            return
        drawn = percent
        filled = _WIDTH * percent // 100
        line = f"\r{label} [{'#' * filled}{'.' * (_WIDTH - filled)}] {percent:3} %"
        sys.stderr.write(line if done < total else "\r" + " " * (len(line) - 1) + "\r")
        sys.stderr.flush()

    return progress
