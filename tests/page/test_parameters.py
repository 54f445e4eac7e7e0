"""The table of parameters: every row usable, every name in one form."""

import math
import re

import pytest

from explainer.page.documents import figure_names, load_figure
from explainer.page.parameters import PARAMETERS, symbols
from explainer.page.theme import MEANINGS, colour
from explainer.page.trace import evaluate
from explainer.page.units import UNITS


@pytest.mark.parametrize("row", PARAMETERS.values(), ids=lambda row: row.name)
def test_a_row_is_complete_and_within_its_bounds(row):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", row.name)
    assert row.low <= row.default <= row.high and row.step > 0
    assert row.meaning in MEANINGS
    assert row.label and row.help.endswith(".")
    if row.options:
        assert len(set(row.options)) == len(row.options) == row.high + 1
        return
    assert row.unit.spoken
    if row.rungs:
        assert row.rungs[0] == row.low > 0 and row.rungs[-1] == row.high and row.rungs == sorted(set(row.rungs))
        assert row.default in row.rungs
    else:
        steps = (row.default - row.low) / row.step
        assert math.isclose(steps, round(steps), abs_tol=1e-6), "the slider can stand at its default"


@pytest.mark.parametrize("name", figure_names())
def test_the_controls_of_a_figure_differ_in_speech(name):
    spoken = [row.accessible_name for row in load_figure(name).parameters]
    assert len(set(spoken)) == len(spoken)


def test_a_symbol_carries_its_unit():
    (tpot_a,) = symbols("tpot_a")
    assert evaluate(tpot_a, {"tpot_a": 40}) == 0.04


def test_units_round_as_a_reader_would():
    assert UNITS["s"].text(4.4) == "4.40 s"
    assert UNITS["tokens"].text(1) == "1 token"
    assert UNITS["tokens"].text(1001) == "1,001 tokens"
    assert UNITS["ms"].text(0.04) == "40.0 ms"
    assert UNITS["s"].text(float("nan")) == "undefined"
    assert UNITS["s"].text(-0.6) == "−0.60 s"


def test_an_unknown_colour_names_those_that_exist():
    with pytest.raises(ValueError, match="streaming"):
        colour("purple")


def _luminance(hexadecimal: str) -> float:
    channels = [int(hexadecimal[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear))


@pytest.mark.parametrize("meaning", [each for each in MEANINGS if each not in ("paper", "tint", "rule")])
@pytest.mark.parametrize("ground", ["paper", "tint"])
@pytest.mark.parametrize("shade", [0, 1])
def test_every_meaning_is_legible_as_text(meaning, ground, shade):
    """WCAG 2.2, success criterion 1.4.3: at least 4.5 to 1."""
    light, dark = sorted((_luminance(MEANINGS[meaning][shade]), _luminance(MEANINGS[ground][shade])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
