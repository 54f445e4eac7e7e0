"""Where the founders' shared material lies, if it is here at all: tests that need it skip elsewhere."""

from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared"
SHARED = _BESIDE if _BESIDE.is_dir() else None
needs_shared = pytest.mark.skipif(SHARED is None, reason="the founders' shared folder is not beside this checkout")
