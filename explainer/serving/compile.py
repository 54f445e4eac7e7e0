"""The loop as machine code where numba is installed, and as it stands where it is not: one source.

numba takes half a second to import, so that happens when the first simulation runs and never before. It keeps compiled
code beside the source, but notices only changes to the file of the outermost function; so each state of the sources
gets a folder of its own.
"""

import hashlib
import os
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from explainer.serving import loop, passes, server, state

_HERE = Path(__file__).parent
_CACHES = _HERE / "__pycache__"
_HELPERS = [
    passes.pass_time,
    passes.line_sum,
    passes.stretch_time,
    passes.passes_until,
    passes.gap_bin,
    passes.count_gaps,
    server.reservation,
    server.fits,
    server.first_fits,
    server.enqueue,
    server.dequeue,
    server.admit,
    server.leave,
    server.boundary,
    server.end_after,
    server.duration,
    server.stop_after,
    server.wake,
    server.open_stretch,
    server.start_decoding,
    server.slowest_since,
    server.close_stretch,
    server.pop_finished,
    loop.least_loaded,
    loop.release,
    loop.let_in,
    loop.hand_over,
    loop.join,
    loop.next_event,
]


def can_compile() -> bool:
    """Whether numba is there and not switched off (EXPLAINER_NO_NUMBA=1)."""
    return not os.environ.get("EXPLAINER_NO_NUMBA") and find_spec("numba") is not None


def _cache_folder() -> Path:
    """Where this state of the sources keeps its machine code: beside the source, or else in the user's cache."""
    digest = hashlib.sha256(
        b"".join(Path(module.__file__).read_bytes() for module in (loop, passes, server, state))
    ).hexdigest()[:12]
    home = _CACHES if os.access(_HERE, os.W_OK) else Path.home() / ".cache" / "explainer"
    return home / f"loop-{digest}"


@cache
def compiled_loop():
    """The loop through numba, read from its cache if this state of the sources was compiled before on this machine."""
    import numba
    from numba.extending import register_jitable

    for helper in _HELPERS:
        register_jitable(helper)
    before = numba.config.CACHE_DIR
    folder = _cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(folder)  # read when the function is wrapped, below
    try:
        return numba.njit(cache=True, nogil=True)(loop.run)
    finally:
        numba.config.CACHE_DIR = before


def drop_stale_caches() -> None:
    """Remove the machine code of earlier states of the sources."""
    for folder in _CACHES.glob("loop-*"):
        if folder != _cache_folder():
            shutil.rmtree(folder, ignore_errors=True)
