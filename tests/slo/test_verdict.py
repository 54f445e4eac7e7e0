"""The definition: both limits on one request, the denominator, the rules, the interval, what cannot be decided."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explainer.results.load import read_source
from explainer.results.source import Source
from explainer.slo.answer import Answer
from explainer.slo.as_text import as_text
from explainer.slo.rules import NOT_DECIDABLE, NOT_MET, Limits, Rules, decide
from explainer.slo.traffic import measure
from explainer.slo.verdict import judge, judge_groups

LIMITS = Limits(ttft=0.2, tpot=0.02)


def table(*rows: dict):
    return read_source(Source(None, "\n".join(map(json.dumps, rows)).encode(), "given"))[0]


def answer(ttft=0.1, tpot=0.01, tokens=11, **other) -> dict:
    return {
        "ttft_s": ttft,
        "e2e_s": None if ttft is None or tokens is None else ttft + tpot * (tokens - 1),
        "out_tok": tokens,
        "ok": True,
        **other,
    }


REJECTED = {"ttft_s": None, "e2e_s": 0.01, "out_tok": 0, "ok": False, "status": 429}
CANCELLED = {"ttft_s": None, "e2e_s": 0.01, "out_tok": None, "ok": False, "status": "cancelled"}


@pytest.mark.parametrize("attempted", [7, 33, 250, 300, 2000])
def test_a_promise_of_every_request_is_never_missed_by_a_rounding(attempted):
    """No number of requests proves 100 %, and a run without a miss does not disprove it."""
    assert decide(attempted, attempted, 1.0) == NOT_DECIDABLE
    assert decide(attempted - 1, attempted, 1.0) == NOT_MET


def test_both_limits_hold_on_the_same_request():
    """Half keep TTFT and half keep TPOT, none keeps both."""
    run = table(*[answer(ttft=0.1, tpot=0.03)] * 5, *[answer(ttft=0.3, tpot=0.01)] * 5)
    assert (judge(run, Limits(ttft=0.2)).good, judge(run, Limits(tpot=0.02)).good, judge(run, LIMITS).good) == (5, 5, 0)


def test_a_limit_that_is_just_reached_is_kept():
    run = table(*[{"ttft_s": 0.2, "e2e_s": 2.2, "out_tok": 101, "ok": True}] * 3)
    assert judge(run, Limits(ttft=0.2, tpot=0.02, e2e=2.2)).good == 3
    assert (
        judge(run, Limits(ttft=0.1999)).good
        == judge(run, Limits(tpot=0.01999)).good
        == judge(run, Limits(e2e=2.1999)).good
        == 0
    )


def test_rejected_requests_are_in_the_denominator_unless_the_rule_says_served():
    run = table(*[answer()] * 6, *[REJECTED] * 4)
    assert judge(run, LIMITS).share == 0.6
    assert judge(run, LIMITS, Rules(denominator="served")).share == 1.0


@pytest.mark.parametrize(("rule", "good", "attempted"), [("pass", 4, 5), ("fail", 2, 5), ("exclude", 2, 3)])
def test_one_token_answers(rule, good, attempted):
    run = table(*[answer(tokens=1)] * 2, *[answer()] * 2, REJECTED)
    verdict = judge(run, LIMITS, Rules(one_token=rule))
    assert (verdict.good, verdict.attempted) == (good, attempted)
    assert "2 answers of one token" in " ".join(verdict.notes) and f"--one-token {rule}" in " ".join(verdict.notes)


def test_one_token_answers_still_have_a_first_token_to_wait_for():
    assert judge(table(answer(ttft=0.5, tokens=1)), LIMITS).good == 0


@pytest.mark.parametrize("rule", ["pass", "fail", "exclude"])
def test_without_a_tpot_limit_one_token_is_nothing_special(rule):
    verdict = judge(table(answer(tokens=1)), Limits(ttft=0.2), Rules(one_token=rule))
    assert (verdict.good, verdict.attempted, verdict.notes) == (1, 1, ())


@pytest.mark.parametrize(("rule", "attempted"), [("exclude", 3), ("fail", 5)])
def test_cancelled_requests(rule, attempted):
    verdict = judge(table(*[answer()] * 3, *[CANCELLED] * 2), LIMITS, Rules(cancelled=rule))
    assert (verdict.good, verdict.ok, verdict.failed, verdict.attempted) == (3, 3, attempted - 3, attempted)
    assert "2 requests cancelled" in " ".join(verdict.notes)


@pytest.mark.parametrize(
    "missing", [answer(ttft=None), answer(tokens=None), {"ttft_s": 0.1, "e2e_s": None, "out_tok": 9, "ok": True}]
)
def test_a_finished_answer_that_lacks_a_value_is_attempted_and_not_good(missing):
    verdict = judge(table(*[answer()] * 3, missing), LIMITS)
    assert (verdict.good, verdict.attempted, verdict.ok, verdict.unjudged) == (3, 4, 4, 1)
    assert "1 finished answer cannot be judged" in " ".join(verdict.notes)


def test_a_missing_value_does_not_save_a_request_that_breaks_another_limit():
    verdict = judge(table(answer(), answer(ttft=0.9, tokens=None)), LIMITS)
    assert (verdict.missed, verdict.unjudged) == (1, 0)


def test_a_missing_length_among_measured_ones_is_no_seen_answer_under_a_ttft_limit_alone():
    assert judge(table(answer(), answer(tokens=None)), Limits(ttft=0.2)).good == 1


def test_a_column_that_the_file_lacks_and_no_limit_needs_is_no_matter():
    assert judge(table(*[{"e2e_s": 1.0, "ok": True}] * 3), Limits(e2e=2)).good == 3


def test_requests_that_were_never_streamed_make_it_undecidable_only_where_they_could_change_it():
    streamed, whole = answer(), answer(ttft=None) | {"e2e_s": 0.3}
    assert judge(table(*[streamed] * 90, *[whole] * 110), LIMITS).verdict == "not decidable"
    assert judge(table(*[streamed] * 300, *[whole] * 2), LIMITS).verdict == "met"
    assert judge(table(*[answer(ttft=0.9)] * 300, *[whole] * 10), LIMITS).verdict == "not met"


def test_records_that_could_not_be_read_count_against_a_verdict_that_they_could_change():
    """75 good of 75 is met (Wilson from 95.1 %); with two that nobody could read it may as well be 75 of 77."""
    good = "\n".join(json.dumps(answer()) for _ in range(75))
    runs = [read_source(Source(None, (good + tail).encode(), "given"))[0] for tail in ("", '\n{"ttft_s": 0.\n{"ttf')]
    assert [judge(run, LIMITS).verdict for run in runs] == ["met", "not decidable"]


# Two-sided 95 % Wilson, worked by hand with z = 1.959964 (Wilson 1927); LOAD_TEST_TOOLS section 6 has it as 55 to 82 %.
def test_the_interval():
    low, high = judge(table(*[answer()] * 28, *[REJECTED] * 12), LIMITS).interval
    assert (low, high) == (pytest.approx(0.5457, abs=5e-4), pytest.approx(0.8193, abs=5e-4))


@pytest.mark.parametrize(
    ("good", "attempted", "verdict"),
    [
        (73, 73, "met"),
        (72, 72, "not decidable"),
        (0, 0, "not decidable"),
        (40, 40, "not decidable"),
        (28, 40, "not met"),
        (990, 1000, "met"),
        (950, 1000, "not decidable"),
        (920, 1000, "not met"),
    ],
)
def test_when_a_count_decides_about_95_percent(good, attempted, verdict):
    """All of n good is met when n / (n + z^2) >= 0.95, so from z^2 x 19 = 73 on."""
    assert decide(good, attempted, 0.95) == verdict


def test_from_the_schedule_and_without_one():
    run = table(*[answer(sched_s=0.0, start_s=0.15)] * 4)
    assert judge(run, LIMITS, Rules(clock="scheduled")).good == 0
    assert judge(run, Limits(tpot=0.02), Rules(clock="scheduled")).good == 4
    assert judge(run, Limits(e2e=0.3)).good == 4 and judge(run, Limits(e2e=0.3), Rules(clock="scheduled")).good == 0
    verdict = judge(table(*[answer()] * 300), LIMITS, Rules(clock="scheduled"))
    assert (verdict.verdict, verdict.good) == ("not decidable", 0)
    assert "300 requests without a scheduled time" in " ".join(verdict.notes)


def test_requested_length_and_error_events_are_switches():
    run = table(answer(tpot=0.03, tokens=11, max_tok=51))
    assert (judge(run, LIMITS).good, judge(run, LIMITS, Rules(length="requested")).good) == (0, 1)


def test_each_class_has_its_own_limits():
    run = table(*[answer(ttft=0.5, **{"class": "slow"})] * 2, answer(**{"class": "fast"}), answer())
    verdicts = judge_groups(run, {"slow": Limits(ttft=1.0), "fast": Limits(ttft=0.05)})
    assert (verdicts["slow"].good, verdicts["fast"].good, verdicts[""]) == (2, 0, None)


NUMBER = st.one_of(st.none(), st.floats(0, 1), st.integers(0, 3))
ROW = st.fixed_dictionaries(
    {
        "ttft_s": NUMBER,
        "e2e_s": NUMBER,
        "out_tok": st.one_of(st.none(), st.integers(0, 5)),
        "ok": st.booleans(),
        "status": st.sampled_from([200, 429, "cancelled", None]),
    }
)
EVERY_RULE = st.builds(
    Rules,
    one_token=st.sampled_from(["pass", "fail", "exclude"]),
    cancelled=st.sampled_from(["exclude", "fail"]),
    denominator=st.sampled_from(["attempted", "served"]),
    clock=st.sampled_from(["send", "scheduled"]),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(rows=st.lists(ROW, min_size=1, max_size=30), rules=EVERY_RULE, ttft=st.floats(0.01, 1), tpot=st.floats(0.001, 1))
def test_counts_add_up_and_looser_limits_never_hurt(rows, rules, ttft, tpot):
    run = table(*rows)
    verdict = judge(run, Limits(ttft=ttft, tpot=tpot), rules)
    assert verdict.good + verdict.missed + verdict.unjudged == verdict.ok <= verdict.attempted <= len(rows)
    assert verdict.ok + verdict.failed == verdict.attempted
    looser = judge(run, Limits(ttft=2 * ttft, tpot=2 * tpot), rules)
    assert looser.good >= verdict.good and looser.attempted == verdict.attempted
    one = judge(run, Limits(ttft=ttft, tpot=tpot, e2e=0.5), rules)
    assert one.good <= verdict.good
    if verdict.attempted:
        assert verdict.interval[0] <= verdict.share <= verdict.interval[1] or math.isclose(
            verdict.share, verdict.interval[0]
        )
    assert np.array_equal(verdict.good_rows & verdict.counts, verdict.good_rows)


def test_a_tpot_of_unknown_making_is_told_and_not_judged_by():
    """A table with TTFT and TPOT alone: nothing to work TPOT out from, and the reader must hear what the file says of it."""
    lines = ["id,ttft_ms,tpot_ms", *(f"{i},{100 if i < 970 else 300},10" for i in range(1000))]
    (run,) = read_source(Source(None, "\n".join(lines).encode(), "own.csv"))
    verdict = judge(run, LIMITS)
    assert (verdict.verdict, verdict.good, verdict.missed, verdict.unjudged) == (NOT_DECIDABLE, 0, 30, 970)
    assert any("states a TPOT for 970 of them" in note and "970 of 1,000 would be good" in note for note in verdict.notes)
    told = as_text(Answer(run, verdict, LIMITS, Rules(), 0.95, measure(run), []))
    assert "0 of 1,000 requests were good and 970 cannot be judged" in told
