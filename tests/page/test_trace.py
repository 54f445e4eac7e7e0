"""The trace in Python: formulas stay ordinary, and what cannot be traced says what to write instead."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.formulas import speedup, timing
from explainer.page.mathml import equation
from explainer.page.trace import TraceError, evaluate, name
from explainer.page.vega import expression

X, Y = name("x"), name("y")


def test_a_branch_on_a_traced_value_says_to_use_where():
    with pytest.raises(TraceError, match="np.where"):
        1 if X > Y else 2
    with pytest.raises(TraceError, match="np.maximum instead of max"):
        max(X, Y)
    with pytest.raises(TraceError, match="& and | instead"):
        (X > 1) and (Y > 1)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: float(X),
        lambda: math.sqrt(X),
        lambda: int(X),
        lambda: list(X),
        lambda: np.asarray(X),
        lambda: np.array([1, 2]) * X,
        lambda: np.sum(X),
        lambda: np.add.reduce(X),
        lambda: np.clip(X, 0, 1),
        lambda: np.arctan2(X, Y),
        lambda: np.where(X > 1),
        lambda: X[0],
    ],
)
def test_what_cannot_be_traced_is_refused_in_a_sentence(attempt):
    with pytest.raises(TraceError, match=r"trace"):
        attempt()


@given(st.lists(st.floats(0.01, 100), min_size=4, max_size=4))
def test_a_trace_evaluates_to_what_its_formula_gives(values):
    for module in (timing, speedup):
        for formula in (each for _, each in inspect.getmembers(module, inspect.isfunction)):
            arguments = list(inspect.signature(formula).parameters)
            shown = dict(zip(arguments, values))
            np.testing.assert_equal(evaluate(formula(*map(name, arguments)), shown), formula(**shown))


def test_units_are_part_of_the_symbol():
    assert expression(name("tpot", over=1000)) == "(tpot / 1000)"
    assert expression(name("size", times=10**9)) == "(size * 1000000000)"
    assert evaluate(name("tpot", over=1000), {"tpot": 40}) == 0.04


def test_constants_that_json_cannot_hold_are_printed_for_javascript():
    assert expression(np.where(X > 0, np.inf, np.nan)) == "((x > 0) ? (1 / 0) : NaN)"
    assert expression(X - 2) == "(x - 2)"
    assert expression(X * -2.5) == "(x * (-2.5))"


def test_mathematics_keeps_brackets_and_hides_guards():
    printed = equation(timing.completion_time, "T")
    plain = (
        printed.replace("<mi>", "")
        .replace("</mi>", "")
        .replace("<mo>", "")
        .replace("</mo>", "")
        .replace("<mn>", "")
        .replace("</mn>", "")
    )
    assert "T=TTFT+(N−1)×TPOT" in plain
    assert "nan" not in plain and "where" not in plain
    assert "<mfrac" in equation(speedup.overall_speedup, "S")


def test_mathematics_subtracts_a_difference_in_brackets():
    def nested(a, b, c):
        return a - (b - c)

    assert "<mo>−</mo><mo>(</mo>" in equation(nested, "r")
