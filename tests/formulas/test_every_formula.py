"""What holds for every public formula: documented, unit-true, elementwise, traceable, quiet, and nan where nothing is
known."""

import inspect
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explainer.page.trace import evaluate, name
from tests.formulas.inventory import BY_NAME, FORMULAS, NOT_ELEMENTWISE, public_functions

each = pytest.mark.parametrize("formula", FORMULAS, ids=repr)
factors = st.floats(0.8, 1.25)


def test_every_public_formula_is_in_the_inventory():
    assert public_functions() == set(BY_NAME) | NOT_ELEMENTWISE


@each
def test_docstring_is_complete(formula):
    text = inspect.getdoc(formula.function)
    first, _, rest = text.partition("\n")
    assert first.endswith(".") and len(first) <= 116, "one sentence, on one line"
    assert "Source:" in text
    assert "Returns" in text or "Arguments as in" in text
    assert re.search(r"\bnan\b", text), "what it gives outside its domain"
    mentioned = text + (
        inspect.getdoc(BY_NAME["decode.decode_step_time"].function) if "Arguments as in" in text else ""
    )
    if "Arguments as in" not in text:
        assert not [argument for argument in formula.values if argument not in mentioned]


@each
@settings(max_examples=25, deadline=None)
@given(byte=st.floats(0.1, 10), flop=st.floats(0.1, 10), second=st.floats(0.1, 10))
def test_dimensions(formula, byte, flop, second):
    """Measuring bytes, FLOP and time in other units changes each result by its own unit, and pure numbers not at
    all."""
    scale = {"byte": byte, "flop": flop, "s": second}

    def factor(unit):
        above, _, below = unit.partition("/")
        return scale.get(above, 1) / scale.get(below, 1)

    changed = {key: value * factor(formula.units[key]) for key, value in formula.values.items()}
    expected = np.array(formula.results()) * factor(formula.result_unit)
    assert np.array(formula.results(**changed)) == pytest.approx(expected, rel=1e-9)


@each
def test_arrays_broadcast_and_give_what_scalars_give(formula):
    keys = [key for key in formula.values if key not in formula.scalar_only]
    if not keys:
        return
    near = np.array([0.97, 1.0, 1.01])
    rows = {key: formula.values[key] * (near[:, None] if i % 2 else near) for i, key in enumerate(keys)}
    shape = np.broadcast_shapes(*(array.shape for array in rows.values()))
    for result_index, result in enumerate(formula.results(**rows)):
        assert result.shape == shape
        for index in np.ndindex(shape):
            one = {key: float(np.broadcast_to(array, shape)[index]) for key, array in rows.items()}
            assert result[index] == pytest.approx(formula.results(**one)[result_index], rel=1e-12, nan_ok=True)


@each
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_the_trace_says_what_numpy_says(formula, data):
    """Only sequential_percentile, which searches, is left to the kernel: its trace would be as long as the search."""
    keys = [key for key in formula.values if key not in formula.scalar_only]
    if not keys or formula.name == "agents.sequential_percentile":
        return
    values = {key: formula.values[key] * data.draw(factors) for key in keys}
    traced = formula.results(**{key: name(key) for key in keys})
    for symbol, number in zip(traced, formula.results(**values), strict=True):
        with np.errstate(all="ignore"):  # the trace's own evaluation takes every branch
            assert evaluate(symbol, values) == pytest.approx(number, rel=1e-9, nan_ok=True)


SPECIAL = st.sampled_from([0, 1, 2, -1, 0.0, 0.5, -0.5, 3.7, 1e12, float("nan")])


@each
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_input_raises_or_warns(formula, data):
    """Plain Python zeros included. Only what must be one whole number may be refused, and that is tested beside it."""
    values = {key: data.draw(SPECIAL, label=key) for key in formula.values if key not in formula.scalar_only}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = formula.results(**values)
        arrays = formula.results(**{key: np.array([value, value]) for key, value in values.items()})
    for one, both in zip(results, arrays, strict=True):
        if values:
            assert both[0] == pytest.approx(float(one), nan_ok=True, rel=1e-12)


@each
def test_what_is_unknown_stays_unknown(formula):
    """nan in any argument gives nan, never a number."""
    for key in formula.values:
        if key not in formula.scalar_only or key == "confidence":
            assert np.isnan(formula.results(**{key: float("nan")})).all(), key


SIGNED = {
    "timing.completion_time",
    "timing.tpot",
    "timing.crossover_tokens",
    "timing.tokens_within",  # times on a clock
    "timing.tpot_for_deadline",
    "speedup.accelerated_time",
    "speedup.overall_speedup",
    "agents.step_time",
    "concurrency.output_rate",
}


@each
def test_a_negative_quantity_gives_nan(formula):
    """Counts, sizes, rates and shares below 0 mean nothing; only instants on a clock may lie before its zero."""
    if formula.name in SIGNED:
        return
    for key, value in formula.values.items():
        if key not in formula.scalar_only or key == "confidence":
            assert np.isnan(formula.results(**{key: -value})).all(), key


def test_formulas_import_numpy_and_nothing_else():
    """A fresh process: no package but NumPy, and no room of ours but formulas."""
    probe = (
        "import importlib, pkgutil, sys; before = set(sys.modules); import explainer.formulas as formulas;"
        "[importlib.import_module('explainer.formulas.' + m.name) for m in pkgutil.iter_modules(formulas.__path__)];"
        "new = set(sys.modules) - before; roots = {name.split('.')[0] for name in new} - set(sys.stdlib_module_names);"
        "assert roots == {'explainer', 'numpy'}, roots;"
        "assert all(name.startswith('explainer.formulas') for name in new if name.startswith('explainer.')), new"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)
