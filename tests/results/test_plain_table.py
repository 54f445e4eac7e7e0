"""Plain tables: names, units, mappings, decimals, and what became of each request."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.results.decimals import AmbiguousNumber, decimal_mark, parse
from explainer.results.load import read_source
from explainer.results.source import Source, Unreadable
from explainer.results.table import CANCELLED, FAILED, SERVED


def table(text: str, **options):
    return read_source(Source(None, text.encode(), "given"), **options)[0]


@pytest.mark.parametrize(("unit", "value"), [("s", "0.25"), ("ms", "250"), ("us", "250000"), ("ns", "250000000")])
def test_the_unit_in_the_name_is_used(unit, value):
    assert table(f"ttft_{unit},e2e_s\n{value},2\n").ttft[0] == pytest.approx(0.25)


def test_a_name_without_a_unit_is_asked_about():
    with pytest.raises(Unreadable, match="--columns ttft_s=ttft or --columns ttft_ms=ttft"):
        table("ttft,e2e\n250,2500\n")


def test_a_first_token_after_hours_is_no_result():
    """In seconds the name may be wrong; in milliseconds the values are, and another unit is no advice."""
    with pytest.raises(Unreadable, match="--columns ttft_ms=ttft_s"):
        table("ttft_s,e2e_s\n250,2500\n")
    with pytest.raises(Unreadable, match=r"after 1\.0e\+297 s; mend the column ttft_ms"):
        table("ttft_ms,e2e_ms\n1e300,1e300\n")


def test_other_peoples_names_are_mapped():
    found = table(
        "begin;first;total;n\n0;250;2250;101\n",
        columns={"start_s": "begin", "ttft_ms": "first", "e2e_ms": "total", "out_tok": "n"},
    )
    assert (found.start[0], found.ttft[0], found.e2e[0], found.tpot[0]) == (0, 0.25, 2.25, pytest.approx(0.02))


@pytest.mark.parametrize(
    ("columns", "said"),
    [({"ttft_ms": "absent"}, "which the file does not have"), ({"speed": "first"}, "no column of ours")],
)
def test_a_mapping_that_does_not_fit_is_explained(columns, said):
    with pytest.raises(Unreadable, match=said):
        table("first,e2e_s\n1,2\n", columns=columns)


def test_two_columns_for_one_time_are_asked_about():
    with pytest.raises(Unreadable, match="say the same thing twice"):
        table("ttft_s,ttft_ms,e2e_s\n0.1,100,2\n")


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ('"ok":true', SERVED),
        ('"ok":false', FAILED),
        ('"ok":true,"status":503', FAILED),
        ('"ok":true,"status":"503"', FAILED),
        ('"status":200', SERVED),
        ('"status":"timeout"', FAILED),
        ('"ok":false,"status":"cancelled"', CANCELLED),
        ('"status":499', CANCELLED),
        ("", SERVED),
        ('"ok":1', SERVED),
        ('"ok":"no"', FAILED),
    ],
)
def test_what_became_of_a_request(fields, outcome):
    assert table('{"ttft_s":0.1,"e2e_s":1,"out_tok":9' + (f",{fields}" if fields else "") + "}").outcome[0] == outcome


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ('{"ttft_s":0.1,"e2e_s":1,"out_tok":0,"ok":true}', "an answer without a token"),
        ('{"ttft_s":0,"e2e_s":1,"out_tok":9,"ok":true}', "a first token after 0 s"),
    ],
)
def test_an_empty_answer_is_a_failure(row, note):
    found = table(row)
    assert found.outcome[0] == FAILED and note in " ".join(found.facts.notes)


@pytest.mark.parametrize(
    "row",
    [
        '{"ttft_s":-0.1,"e2e_s":1,"out_tok":9}',
        '{"ttft_s":2,"e2e_s":1,"out_tok":9}',
        '{"ttft_s":NaN,"e2e_s":1,"out_tok":9}',
        '{"ttft_s":Infinity,"e2e_s":1,"out_tok":9}',
        '{"ttft_s":"nan","e2e_s":1,"out_tok":9}',
        '{"ttft_s":true,"e2e_s":1,"out_tok":9}',
    ],
)
def test_an_impossible_time_is_not_measured_and_never_fast(row):
    assert math.isnan(table(row).ttft[0])


@pytest.mark.parametrize("count", ["-3", "9.5", "1e400"])
def test_an_impossible_length_is_not_measured(count):
    assert math.isnan(table(f'{{"ttft_s":0.1,"e2e_s":1,"out_tok":{count}}}').output_tokens[0])


def test_a_cell_that_is_no_number_is_named():
    with pytest.raises(Unreadable, match="request 2, column ttft_s: 'fast' is no number"):
        table("ttft_s,e2e_s\n0.1,1\nfast,1\n")


def test_a_line_with_too_few_cells_is_counted():
    found = table("ttft_s,e2e_s\n0.1,1\n0.2\n")
    assert len(found) == 1 and found.facts.unread == 1


def test_quoted_cells_and_tabs():
    assert table('"ttft_s"\t"e2e_s"\n"0.1"\t"1.5"\n').e2e[0] == 1.5


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["0,250", "5,450"], ","),
        (["2,8"], ","),
        (["0.25"], "."),
        (["12", "7"], None),
        (["1,234,567"], "."),
        (["1,234.5"], "."),
        (["1.234,5"], ","),
        (["0.5", "1,234"], "."),
    ],
)
def test_the_decimal_mark_is_seen(cells, mark):
    assert decimal_mark(cells) == mark


@pytest.mark.parametrize("cells", [["1,234"], ["0,5", "0.5"]])
def test_a_doubtful_mark_is_a_question(cells):
    with pytest.raises(AmbiguousNumber):
        decimal_mark(cells)


@given(st.floats(0, 1e6).map(lambda value: round(value, 4)))
def test_a_comma_means_what_a_point_means(value):
    assert parse(f"{value:.4f}".replace(".", ","), ",") == parse(f"{value:.4f}", ".") == value


@pytest.mark.parametrize(
    ("text", "mark"), [("0,5", "."), ("abc", "."), ("1.2.3", "."), ("1,2,3", ","), ("12abc", None)]
)
def test_no_number_is_refused(text, mark):
    with pytest.raises(ValueError):
        parse(text, mark)
