"""The trace, evaluated by the real Vega in the real browser, against NumPy: random inputs and the corners of each domain."""

import inspect
import json

import numpy as np
import pytest

from explainer.formulas import speedup, timing
from explainer.page.scripts import joined
from explainer.page.trace import name
from explainer.page.units import UNITS
from explainer.page.vega import expression
from explainer.page.widget import STATIC

POINTS = 4000
BOUND = 1e-12


def traced(formula) -> str:
    return expression(formula(*(name(f"datum.{each}") for each in inspect.signature(formula).parameters)))


@pytest.fixture(scope="module")
def evaluate(browser):
    """Rows of arguments through one formula transform of a Vega data flow; nan and the infinities come back as words."""
    page = browser.new_page()
    page.add_script_tag(content=(STATIC / "vega.min.js").read_text(encoding="utf-8"))

    def run(printed: str, columns: dict[str, np.ndarray]) -> np.ndarray:
        rows = [dict(zip(columns, map(float, row))) for row in zip(*columns.values())]
        values = page.evaluate(
            """async ([expr, text]) => {
              const values = JSON.parse(text, (key, value) => value === "nan" ? NaN : value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
              const view = new vega.View(vega.parse({data: [{name: "d", values, transform: [{type: "formula", as: "result", expr}]}]}));
              await view.runAsync();
              return view.data("d").map(each => Number.isFinite(Number(each.result)) ? Number(each.result) : String(each.result));
            }""",
            [
                printed,
                json.dumps(
                    [{key: value if np.isfinite(value) else str(value) for key, value in row.items()} for row in rows]
                ),
            ],
        )
        return np.array([float(str(each).replace("Infinity", "inf")) for each in values])

    yield run
    page.close()


def assert_same(browser_values, numpy_values):
    numpy_values = np.broadcast_to(np.asarray(numpy_values, float), browser_values.shape)
    assert np.array_equal(np.isnan(browser_values), np.isnan(numpy_values))
    finite = np.isfinite(numpy_values)
    assert np.array_equal(
        browser_values[~finite & ~np.isnan(numpy_values)], numpy_values[~finite & ~np.isnan(numpy_values)]
    )
    scale = np.maximum(np.abs(numpy_values[finite]), np.finfo(float).tiny)
    assert np.max(np.abs(browser_values[finite] - numpy_values[finite]) / scale, initial=0) < BOUND


FORMULAS = [
    function
    for module in (timing, speedup)
    for _, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
]


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda each: each.__name__)
def test_formula_is_the_same_in_the_browser(evaluate, formula):
    generator = np.random.default_rng(20261130)
    arguments = list(inspect.signature(formula).parameters)
    columns = {each: np.exp(generator.uniform(-8, 8, POINTS)) for each in arguments}
    for each in arguments:  # and the corners: nothing, one, equal, negative, not a number, without end
        columns[each][generator.random(POINTS) < 0.15] = generator.choice([0, 1, 2, -1, np.nan, np.inf])
    with np.errstate(all="ignore"):
        expected = formula(**columns)
    assert_same(evaluate(traced(formula), columns), expected)


OPERATIONS = {
    "arithmetic": lambda x, y: (x + y) * (x - y) / (1 + y * y) - -x,
    "powers": lambda x, y: np.abs(x) ** 0.3 + x**2 + np.square(y) + 2.0**y + np.exp2(y) + np.reciprocal(3 + np.abs(x)),
    "logarithms": lambda x, y: np.log(np.abs(x)) * np.log2(np.abs(y)) + np.log10(np.abs(x)),
    "log1p": lambda x, y: np.log1p(np.abs(x) * 1e-9) + 0 * y,
    "expm1": lambda x, y: np.expm1(x * 1e-3) + 0 * y,
    "expm1 at all sizes": lambda x, y: np.expm1(np.minimum(x, 20) * np.minimum(np.abs(y), 1)),
    "exponentials": lambda x, y: np.exp(-np.abs(x)) + np.sqrt(np.abs(y)),
    "extremes": lambda x, y: np.maximum(x, y) - np.minimum(x, 2 * y) + np.abs(np.maximum(x, 0)),
    "steps": lambda x, y: np.floor(x) + np.ceil(y) + np.sign(x - y) + np.remainder(x, 3.5),
    "choices": lambda x, y: np.where((x > y) & (x != 0) | ~(y <= 1), x, np.where(np.isfinite(y), -y, 7)),
    "comparisons": lambda x, y: (
        np.where(x >= y, 1, 0) + np.where(x < y, 2, 0) + np.where(x == y, 4, 0) + np.where(np.isnan(x), 8, 0)
    ),
    "logic": lambda x, y: np.where(np.logical_and(x > 1, np.logical_not(np.logical_or(y > 1, y < -1))), x, y),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_is_the_same_in_the_browser(evaluate, operation):
    generator = np.random.default_rng(7)
    x, y = (generator.choice([-1, 1], POINTS) * np.exp(generator.uniform(-6, 6, POINTS)) for _ in range(2))
    y[:100] = x[:100]
    formula = OPERATIONS[operation]
    with np.errstate(all="ignore"):
        expected = formula(x, y)
    assert_same(evaluate(expression(formula(name("datum.x"), name("datum.y"))), {"x": x, "y": y}), expected)


def test_a_shown_value_becomes_its_si_value_exactly(evaluate):
    shown = np.arange(1, 1001)
    si = evaluate(expression(name("datum.x", over=UNITS["ms"].over) + 0), {"x": shown})
    assert np.array_equal(si, shown / 1000)


@pytest.mark.parametrize("unit", UNITS)
def test_numbers_become_the_same_words_in_python_and_in_the_browser(browser, unit):
    generator = np.random.default_rng(3)
    values = [
        *(generator.choice([-1, 1], 2000) * 10 ** generator.uniform(-7, 9, 2000)),
        0.0,
        -0.0,
        0.5,
        1.5,
        2.5,
        0.125,
        0.25,
        1,
        -1,
        999.5,
        1e6,
        np.nan,
        np.inf,
        -np.inf,
    ]
    page = browser.new_page()
    source = joined("words").replace("export ", "")
    words = page.evaluate(
        "([source, unit, values]) => { const show = new Function(source + '; return show;')(); return values.map(each => show(each === null ? NaN : each, unit)); }",
        [source, UNITS[unit].as_json(), [float(each) for each in values]],
    )
    page.close()
    assert words == [UNITS[unit].text_of_shown(float(each)) for each in values]
