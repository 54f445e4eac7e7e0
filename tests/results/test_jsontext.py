"""One set of JSON rules, with orjson and without."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explainer.results import jsontext
from explainer.results.jsontext import loads, member, number, number_array, numbers

orjson = pytest.importorskip("orjson")


def answer(text: bytes):
    try:
        return repr(loads(text))
    except ValueError:
        return "refused"


@pytest.fixture
def both(monkeypatch):
    def read(text: bytes):
        fast = answer(text)
        with monkeypatch.context() as without:
            without.setattr(jsontext, "orjson", None)
            assert answer(text) == fast or same_number(text, without)
        return fast

    def same_number(text, without):
        """A huge integer may be an int here and a float there: as numbers they must be the same."""
        slow = number(loads(text))
        without.undo()
        fast = number(loads(text))
        return slow == fast or math.isnan(slow) and math.isnan(fast)

    return read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"NaN", "nan"),
        (b"Infinity", "inf"),
        (b"-Infinity", "-inf"),
        (b"1e400", "inf"),
        (b'{"a":1,"a":2}', "{'a': 2}"),
        (b"[1,]", "refused"),
        (b"01", "refused"),
        (b'"\x01"', "refused"),
        (b"{", "refused"),
        (b"", "refused"),
        (b"[" * 100_000, "refused"),
        (b'"\xff"', "'�'"),
        (b'"\\ud800"', repr("\ud800")),
        (b"[" * 400 + b"]" * 400, repr(json.loads("[" * 400 + "]" * 400))),
    ],
)
def test_both_libraries_answer_alike(both, text, value):
    assert both(text) == value


@pytest.mark.parametrize("text", [b"9" * 19, b"9" * 30, b"18446744073709551616", b"-" + b"9" * 400, b"9" * 5_000])
def test_big_integers_are_the_same_number(both, text):
    both(text)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.binary(max_size=40)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ).map(lambda value: json.dumps(value).encode())
)
def test_both_libraries_answer_alike_on_anything(text):
    fast = answer(text)
    jsontext.orjson = None
    try:
        slow = answer(text)
    finally:
        jsontext.orjson = orjson
    if fast != slow:  # integers beyond 64 bits inside: the same once they are numbers
        assert "refused" not in (fast, slow) and json.dumps(loads(text)) is not None
        assert any(
            len(digits) > 18
            for digits in "".join(character if character.isdecimal() else " " for character in slow).split()
        )


@pytest.mark.parametrize("value", [None, True, False, "0.2", [], {}, float("nan"), float("inf"), 10**400])
def test_what_is_no_number_is_nan(value):
    assert math.isnan(number(value))


def test_numbers_and_their_fast_form_agree():
    for value in ([], [1, 2.5], [1, None], [True, 1.0], [float("inf"), 1.0], [10**400, 1], ["a"], None, [[1]]):
        assert repr(list(map(float, number_array(value)))) == repr(numbers(value))


def test_member_goes_only_through_objects():
    assert member({"a": {"b": 1}}, "a", "b") == 1
    assert member({"a": [1]}, "a", "b") is None and member(None, "a") is None
