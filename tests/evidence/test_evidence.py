"""Every status is what the comparison at printed digits gives; every formula has values, or is named as having none."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import explainer.evidence
from explainer.evidence import (
    GROUPS,
    NOT_REPRODUCED,
    PUBLISHED_WRONG,
    REPRODUCED,
    STATUSES,
    WITHOUT,
    comparisons,
    evidence,
    group,
    published,
    relative_error,
)
from explainer.evidence.row import BY_HAND, MEASURED, PRINTED, UNITS, Evidence
from explainer.page.parameters import EVIDENCE_GROUPS
from tests.formulas.inventory import public_functions

each = pytest.mark.parametrize("row", evidence(), ids=lambda row: row.name)


@each
def test_a_status_is_what_the_comparison_gives(row):
    """Reproduced: the formula meets the printed digits. Else it does not. The source is in the message."""
    assert row.agrees == (row.status == REPRODUCED), (
        f"{row.source}: printed {row.printed} {row.unit}, computed {row.computed_text}"
    )
    assert row.status in STATUSES and row.kind in (PRINTED, MEASURED, BY_HAND)


@each
def test_a_row_says_where_it_comes_from_and_why_it_fails(row):
    assert row.source and row.scope and row.inputs and row.says and row.unit in UNITS
    assert bool(row.mistake) == (row.status != REPRODUCED)
    assert row.note.endswith((".", ")")) or row.status == REPRODUCED and not row.note
    assert row.status != PUBLISHED_WRONG or row.kind == PRINTED, "only what somebody printed can be printed wrong"


@each
def test_a_measured_value_states_how_near_is_near_enough_and_no_other_does(row):
    assert (row.within is not None) == (row.kind == MEASURED)
    assert row.within is None or row.within <= 0.01


@each
def test_a_cut_value_is_cut_and_not_rounded(row):
    if row.cut:
        rounded = round(row.computed / UNITS[row.unit] / row.last_place) * row.last_place
        assert rounded != pytest.approx(row.published / UNITS[row.unit], rel=1e-9)
        assert "cut" in row.note or row.unit == "caches"


def test_names_are_unique_and_the_groups_are_those_the_page_offers():
    names = [row.name for row in evidence()]
    assert len(set(names)) == len(names)
    assert (*GROUPS.values(), "All of them") == EVIDENCE_GROUPS


def test_every_public_formula_has_values_or_is_named_as_having_none():
    covered = {
        f"{formula.__module__.rpartition('.')[2]}.{formula.__name__}" for row in evidence() for formula in row.formulas
    }
    assert covered.isdisjoint(WITHOUT)
    assert covered | set(WITHOUT) == public_functions()
    assert all(WITHOUT.values())


ROW = {"says": "", "inputs": "", "source": "", "scope": ""}


@pytest.mark.parametrize(
    "value, printed, place, cut, agrees",
    [
        (4.984, "4.98", None, False, True),
        (4.986, "4.98", None, False, False),
        (2.57, "2.5", None, False, False),
        (2.57, "2.5", None, True, True),
        (2.61, "2.5", None, True, False),
        (2.49, "2.5", None, True, False),
        (7629, "8,000", 1000, False, True),
        (7629, "8,000", None, False, False),
        (17, "17", None, False, True),
        (17.6, "17", None, False, False),
    ],
)
def test_agreement_is_at_the_digits_that_were_printed(value, printed, place, cut, agrees):
    assert (
        Evidence(
            "x", formula=np.asarray, arguments=(value,), printed=printed, unit="", place=place, cut=cut, **ROW
        ).agrees
        == agrees
    )


def test_rounded_inputs_open_a_result_by_what_they_leave_open_and_no_more():
    row = {"formula": np.multiply, "unit": "", "rounded_inputs": (0.1, 0), **ROW}
    assert Evidence("x", arguments=(1.0, 100), printed="104", **row).agrees
    assert not Evidence("x", arguments=(1.0, 100), printed="106", **row).agrees


def test_the_error_is_relative_to_the_published_value():
    row = Evidence("x", formula=np.asarray, arguments=(0.0267,), printed="23", unit="ms", **ROW)
    assert row.error == pytest.approx(26.7 / 23 - 1)
    assert np.isnan(relative_error(1.0, 0))


def test_wrong_units_are_told_from_right_ones():
    """A table headed GB that counts GiB is off by what the two differ by."""
    for name in ("hub-cache-8B-1k", "distserve-traffic", "cache-of-128k"):
        row = next(row for row in evidence() if row.name == name)
        assert row.status == PUBLISHED_WRONG and row.error == pytest.approx(2**30 / 1e9 - 1, abs=1e-3)


def test_an_unknown_group_names_those_that_exist():
    with pytest.raises(ValueError, match="clocks, machine"):
        group("nothing")
    with pytest.raises(KeyError):
        published("nothing")


def test_every_model_is_held_against_every_row_of_its_table():
    for each in comparisons():
        assert len(each.measured) == len(each.modelled) in (8, 21), each.name
        assert np.isfinite(each.errors).all()


ERRORS = {  # name: mean of the absolute errors, from the tables of the catalogue; the misses as much as the hits
    "throughput, by Little’s law": 0.0026,
    "throughput, streams alone": 0.54,
    "TPOT, decode step alone": 0.44,
    "TPOT, prompts of others in between": 0.030,
    "TTFT, prefill alone": 0.71,
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_the_sweep_worked_out_from_the_table_itself(name):
    """The law and the streams by hand from the CSV; the models' errors do not drift unnoticed."""
    found = next(each for each in comparisons() if each.name == name)
    assert found.mean == pytest.approx(ERRORS[name], rel=0.02)


def test_no_room_but_formulas_and_catalogue_is_imported():
    folder = Path(explainer.evidence.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and not node.level and node.module.startswith("explainer"):
                assert node.module.startswith(("explainer.formulas", "explainer.catalog")), path.name
    foreign = {"altair", "ipywidgets", "pandas", "explainer.page", "explainer.serving"}
    probe = f"import sys, explainer.evidence as e; e.evidence(); assert not {foreign} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", probe], check=True)


def test_statuses_are_the_three_words_of_the_page():
    assert {row.status for row in evidence()} == {REPRODUCED, PUBLISHED_WRONG, NOT_REPRODUCED}
