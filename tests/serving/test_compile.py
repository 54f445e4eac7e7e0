"""One source: what numba compiles is what plain Python runs, numba comes in late, and old machine code is never used
for new source."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explainer.serving import compile as machine_code

ROOT = Path(__file__).parents[2]
needs_numba = pytest.mark.skipif(not machine_code.can_compile(), reason="numba is an optional extra (explainer[speed])")

RUN = """
from explainer.serving.examples import small_engine
from explainer.serving.layout import OnePhase
from explainer.serving.lengths import Lognormal
from explainer.serving.simulate import simulate
from explainer.serving.workload import Poisson, Traffic
run = simulate(Traffic(Poisson(20.0), Lognormal(512, 256), 200), OnePhase(small_engine()))
import sys
print("numba" in sys.modules, round(float(run.requests.finish.sum()), 6))
"""


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_importing_the_room_imports_neither_numba_nor_a_page_library():
    code = (
        "import sys, explainer.serving.feeds, explainer.serving.measured, explainer.serving.traces; "
        "import explainer.serving.warm; "
        "print(sorted({'numba', 'pandas', 'altair', 'matplotlib', 'ipywidgets', 'scipy', 'distributed', "
        "'explainer.results', 'explainer.slo', 'explainer.page'} & set(sys.modules)))"
    )
    assert python(code).strip() == "[]"


@needs_numba
def test_without_numba_the_same_functions_give_the_same():
    hidden = (
        "import sys; sys.modules['numba'] = None\nimport importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'numba' else find(name, *rest)\n"
    )
    with_numba, without, switched_off = (
        python(RUN),
        python(hidden + RUN.replace('"numba" in', "bool").replace("bool sys.modules", "bool(sys.modules['numba'])")),
        python(RUN, EXPLAINER_NO_NUMBA="1"),
    )
    assert with_numba.split()[0] == "True" and without.split()[0] == switched_off.split()[0] == "False"
    assert with_numba.split()[1] == without.split()[1] == switched_off.split()[1]


@needs_numba
def test_machine_code_is_kept_per_state_of_the_sources(monkeypatch, tmp_path):
    now = machine_code._cache_folder()
    changed = tmp_path / "passes.py"
    changed.write_text(Path(machine_code.passes.__file__).read_text() + "\n# changed\n")
    monkeypatch.setattr(machine_code.passes, "__file__", str(changed))
    assert machine_code._cache_folder() != now
    monkeypatch.undo()
    assert machine_code._cache_folder() == now


@needs_numba
def test_warming_compiles_into_the_cache_and_drops_old_states():
    from explainer.serving.warm import warm

    stale = machine_code._CACHES / "loop-0123456789ab"
    stale.mkdir(parents=True, exist_ok=True)
    warm()
    assert not stale.exists() and list(machine_code._cache_folder().rglob("*.nbc"))


@needs_numba
def test_every_helper_the_loop_calls_is_handed_to_numba():
    modules = (machine_code.passes, machine_code.server, machine_code.loop)
    own = {
        value
        for module in modules
        for value in vars(module).values()
        if callable(value) and getattr(value, "__module__", "") in {m.__name__ for m in modules}
    }
    assert own - {machine_code.loop.run} == set(machine_code._HELPERS)
