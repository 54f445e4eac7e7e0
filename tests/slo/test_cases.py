"""The public reports of CASES.md that concern load-test results, by number: each input and its expected result."""

import json

import numpy as np
import pytest

from explainer.results.load import read_source
from explainer.results.source import Source, Unreadable
from explainer.slo.answer import Answer
from explainer.slo.as_json import as_object
from explainer.slo.check import main
from explainer.slo.comparison import compare
from explainer.slo.consistency import request_notes
from explainer.slo.load_shape import load_notes
from explainer.slo.rules import Limits, Rules
from explainer.slo.statistics import describe
from explainer.slo.traffic import measure
from explainer.slo.verdict import judge, judge_groups


def read(text: str, **options):
    runs = read_source(Source(None, text.encode(), "case"), **options)
    assert len(runs) == 1
    return runs[0]


def lines(*records: dict) -> str:
    return "\n".join(json.dumps(record) for record in records)


def close(value: float):
    """Three significant figures, the tolerance of CASES.md."""
    return pytest.approx(value, rel=5e-3)


def everything_said(table, limits: Limits) -> str:
    verdict = judge(table, limits)
    return "\n".join(
        [
            *table.facts.notes,
            *verdict.notes,
            *request_notes(table, verdict, 0.95),
            *load_notes(table, measure(table, verdict.good)),
        ]
    )


ONE_TOKEN = """{"id":1,"start_s":0.0,"ttft_s":0.025,"e2e_s":0.025,"in_tok":200,"out_tok":1,"ok":true}
{"id":2,"start_s":0.2,"ttft_s":0.030,"e2e_s":0.030,"in_tok":200,"out_tok":1,"ok":true}
{"id":3,"start_s":0.4,"ttft_s":0.040,"e2e_s":0.440,"in_tok":200,"out_tok":11,"ok":true}"""


def test_case_1_one_token_answers_have_no_tpot():
    table = read(ONE_TOKEN)
    assert (describe(table.ttft).mean, describe(table.ttft).count) == (close(0.03167), 3)
    assert (describe(table.tpot).mean, describe(table.tpot).count) == (close(0.040), 1)
    assert measure(table).output_rate == close(15.48)


def test_case_1_without_the_long_answer_tpot_is_not_defined_and_the_rest_is():
    table = read("\n".join(ONE_TOKEN.splitlines()[:2]))
    verdict = judge(table, Limits(ttft=0.2, tpot=0.05))
    limits = Limits(ttft=0.2, tpot=0.05)
    report = as_object(Answer(table, verdict, limits, Rules(), 0.95, measure(table, verdict.good), []))
    assert report["tpot"] == {"count": 0, "mean": None, "p50": None, "p95": None, "p99": None}
    assert report["ttft"]["mean"] == close(0.0275)
    assert "TPOT is not defined: none of 2 answers had two or more tokens" in everything_said(table, Limits(tpot=0.05))
    assert verdict.good == 2


def test_case_2_the_role_chunk_is_not_the_first_token():
    table = read(
        '{"id":1,"start_s":0,"in_tok":5000,"out_tok":5,"ok":true,"e2e_s":2.28,"events":[[0.90,0,"role"],'
        '[2.20,1,"text"],'
        '[2.22,1,"text"],[2.24,1,"text"],[2.26,1,"text"],[2.28,1,"text"]]}'
    )
    assert (table.ttft[0], table.tpot[0], table.e2e[0]) == (close(2.20), close(0.020), close(2.28))
    assert table.gaps == pytest.approx([0.020] * 4)


def test_case_3_a_gap_between_chunks_is_no_gap_between_tokens():
    table = read(
        '{"id":1,"start_s":0,"in_tok":50,"out_tok":11,"ok":true,"e2e_s":0.136,"events":[[0.100,1,"text"],'
        '[0.109,3,"text"],'
        '[0.118,2,"text"],[0.127,3,"text"],[0.136,2,"text"]]}'
    )
    assert (describe(table.gaps).mean, describe(table.gaps).count) == (close(0.009), 4)
    assert table.tpot[0] == close(0.00360)
    assert measure(table).user_rate == close(277.8)
    spread = np.repeat(table.gaps / table.gap_tokens, table.gap_tokens.astype(int))
    assert (len(spread), spread.mean(), np.median(spread)) == (10, close(0.0036), close(0.0030))
    assert "tokens a chunk" in everything_said(table, Limits(tpot=0.02))


def test_case_4_the_servers_count_is_used_and_the_difference_said():
    table = read("""{"id":1,"start_s":0,"ttft_s":0.2,"e2e_s":2.20,"out_tok":101,"retok":101,"ok":true}
{"id":2,"start_s":3,"ttft_s":0.2,"e2e_s":2.20,"out_tok":101,"retok":100,"ok":true}
{"id":3,"start_s":6,"ttft_s":0.2,"e2e_s":2.72,"out_tok":127,"retok":8,"ok":true}""")
    assert table.tpot == close(0.020)
    assert table.output_tokens.sum() == 329
    assert "differ on 2 of 3 requests, worst 127 against 8" in everything_said(table, Limits(tpot=0.020))
    assert judge(table, Limits(tpot=0.020)).good == 3


def test_case_5_a_503_is_no_success():
    table = read("""{"id":1,"start_s":0,"ttft_s":0.5,"e2e_s":5.5,"out_tok":101,"ok":true,"status":200}
{"id":2,"start_s":0,"ttft_s":0.7,"e2e_s":5.7,"out_tok":101,"ok":true,"status":200}
{"id":3,"start_s":0,"ttft_s":null,"e2e_s":0.05,"out_tok":0,"ok":true,"status":503}
{"id":4,"start_s":0,"ttft_s":null,"e2e_s":0.05,"out_tok":0,"ok":true,"status":503}""")
    verdict, traffic = judge(table, Limits(ttft=1.0)), measure(table)
    assert (verdict.ok, verdict.attempted, verdict.share) == (2, 4, 0.5)
    assert (traffic.served_rate, traffic.attempted_rate, traffic.output_rate) == (
        close(0.351),
        close(0.702),
        close(35.4),
    )
    assert describe(table.ttft[table.served]).mean == close(0.600)
    assert describe(table.e2e[table.served]).p50 == close(5.60)
    assert describe(table.tpot[table.served]).mean == close(0.050)
    assert "2 requests marked ok although the status says otherwise" in everything_said(table, Limits(ttft=1.0))


CLASSES = lines(
    *({"class": "chat", "start_s": 0, "ttft_s": 0.2, "e2e_s": 2.2, "out_tok": 101, "ok": True} for _ in range(5)),
    {"class": "chat", "start_s": 1, "ttft_s": 0.9, "e2e_s": 2.9, "out_tok": 101, "ok": True},
    *(
        {"class": "chat", "start_s": 10, "ttft_s": None, "e2e_s": 10.0, "out_tok": 0, "ok": False, "status": "timeout"}
        for _ in range(2)
    ),
    *({"class": "batch", "start_s": 0, "ttft_s": 3.0, "e2e_s": 12.0, "out_tok": 401, "ok": True} for _ in range(2)),
)


def test_case_6_failures_are_in_the_denominator_and_a_class_without_a_target_is_in_none():
    table = read(CLASSES)
    verdicts = judge_groups(table, {"chat": Limits(ttft=0.5, tpot=0.050)})
    chat = verdicts["chat"]
    assert verdicts["batch"] is None
    assert (chat.good, chat.missed, chat.failed, chat.attempted, chat.share) == (5, 1, 2, 8, 0.625)
    assert measure(table, chat.good).good_rate == close(0.25)


def test_case_6_on_the_command_line(tmp_path, capsys):
    (tmp_path / "classes.jsonl").write_text(CLASSES, encoding="utf-8")
    code = main([str(tmp_path / "classes.jsonl"), "--ttft", "0.5s", "--tpot", "50ms", "--class", "chat", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (code, answer["attainment"], answer["failed"]) == (1, 0.625, 2)
    assert any("2 requests of other classes (batch) have no target set" in note for note in answer["notes"])


QUEUE = lines(
    *(
        {"id": k, "sched_s": 0.1 * k, "start_s": 0.5 * k, "ttft_s": 0.5, "e2e_s": 0.5, "out_tok": 4, "ok": True}
        for k in range(8)
    )
)


def test_case_7_waiting_inside_the_load_generator():
    table = read(QUEUE)
    wait = table.start - table.scheduled
    assert (describe(wait).mean, describe(wait).p50, describe(wait).p99) == (close(1.40), close(1.40), close(2.772))
    scheduled = judge(table, Limits(ttft=0.6), Rules(clock="scheduled"))
    assert (describe(scheduled.ttft).mean, describe(scheduled.ttft).p95) == (close(1.90), close(3.160))
    traffic = measure(table)
    assert (traffic.offered_rate, traffic.attempted_rate) == (close(10), close(2.0))
    assert (judge(table, Limits(ttft=0.6)).good, scheduled.good) == (8, 1)
    assert "Offered 10 requests/s, achieved 2" in everything_said(table, Limits(ttft=0.6))
    assert "8 requests waited 1.40 s on the mean inside the load generator" in everything_said(table, Limits(ttft=0.6))


def test_case_7_without_a_schedule_the_wait_cannot_be_seen():
    table = read(
        lines(*({"start_s": 0.5 * k, "ttft_s": 0.5, "e2e_s": 0.5, "out_tok": 4, "ok": True} for k in range(8)))
    )
    assert "a wait inside the load generator cannot be seen" in everything_said(table, Limits(ttft=0.6))
    assert judge(table, Limits(ttft=0.6), Rules(clock="scheduled")).verdict == "not decidable"


def test_case_8_in_flight_is_rate_times_time():
    table = read(lines(*({"start_s": 2 * k, "e2e_s": 28} for k in range(60))))
    traffic = measure(table)
    assert (traffic.steady_in_flight, traffic.in_flight) == (close(14.0), close(11.5))
    assert (traffic.attempted_rate, traffic.sent_rate) == (close(0.411), close(0.5))
    assert judge(table, Limits(e2e=30)).good == 60


CONGESTED = lines(
    {
        "concurrency": 10,
        "completed": 100,
        "duration_s": 15.90,
        "request_throughput": 6.29,
        "mean_ttft_ms": 1073,
        "mean_tpot_ms": 72.7,
        "mean_e2e_s": 1.542,
        "prompt_tokens": 777,
    },
    {
        "concurrency": 30,
        "completed": 100,
        "duration_s": 82.97,
        "request_throughput": 1.21,
        "mean_ttft_ms": 18854,
        "mean_tpot_ms": 875,
        "mean_e2e_s": 23.22,
        "median_itl_ms": 44.6,
        "mean_itl_ms": 842,
        "prompt_tokens": 777,
    },
)


def test_case_9_collapse_is_not_a_queue():
    calm, collapsed = read_source(Source(None, CONGESTED.encode(), "case"))
    assert (measure(calm).in_flight, measure(collapsed).in_flight) == (close(9.7), close(28.1))
    assert (collapsed.metric("itl").mean, collapsed.metric("itl").percentile(50)) == (close(0.842), close(0.0446))
    said = " ".join(compare([calm, collapsed], Limits(ttft=2.0)))
    assert "throughput fell 5.2 times" in said and "load grew 3 times" in said and "not explained by waiting" in said
    assert "mean 842 ms, median 44.6 ms" in said
    assert "Only concurrency 10 keeps the mean TTFT within 2.00 s" in said and "no curve" in said


def test_case_13_seventy_thousand_records_all_load(tmp_path, capsys):
    path = tmp_path / "large.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for k in range(70_000):
            file.write(
                json.dumps(
                    {
                        "id": k,
                        "sched_s": k * 0.01,
                        "start_s": k * 0.01 + 0.001,
                        "ttft_s": 0.1 + (k % 7) * 0.01,
                        "e2e_s": 1.0,
                        "in_tok": 200,
                        "out_tok": 51,
                        "ok": True,
                        "status": 200,
                        "class": "chat",
                        "pad": "x" * 40,
                    }
                )
                + "\n"
            )
    assert path.stat().st_size > 10 << 20
    assert main([str(path), "--ttft", "200ms", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["attempted"] == 70_000


@pytest.mark.parametrize("hole", ["NaN", "Infinity", "-Infinity", "null", '"nan"'])
def test_case_14_a_missing_statistic_is_shown_as_missing(hole):
    rows = read_source(
        Source(
            None,
            f'[{{"concurrency":1,"p95_tpot_ms":20.0}},{{"concurrency":8,"p95_tpot_ms":{hole}}},'
            '{"concurrency":32,"p95_tpot_ms":45.0}]'.encode(),
            "case",
        )
    )
    assert [row.facts.concurrency for row in rows] == [1, 8, 32]
    p95 = [row.metric("tpot").percentile(95) for row in rows]
    assert p95[0] == 0.020 and np.isnan(p95[1]) and p95[2] == 0.045
    assert "1 of 3 values missing" in " ".join(compare(rows, Limits(tpot=0.02)))
    for row in rows:
        verdict = judge(row, Limits(tpot=0.02))
        answer = Answer(row, verdict, Limits(tpot=0.02), Rules(), 0.95, measure(row), [])
        json.dumps(as_object(answer), allow_nan=False)


def test_case_14_a_file_with_every_value_missing_gets_a_sentence():
    with pytest.raises(Unreadable, match="every statistic in this file is missing"):
        read_source(Source(None, b'[{"concurrency":1,"p95_tpot_ms":NaN},{"concurrency":8,"p95_tpot_ms":null}]', "case"))


COMMAS = "id;start_s;ttft_s;e2e_s;out_tok\n1;0,0;0,250;2,250;101\n2;0,5;0,300;2,800;126\n3;1,0;0,450;5,450;251\n"


def test_case_15_decimal_commas_are_read_as_such():
    table = read(COMMAS)
    assert table.tpot == close(0.020)
    assert describe(table.ttft).mean == close(0.333)
    assert table.output_tokens.sum() == 478
    assert (measure(table).window, measure(table).output_rate) == (close(6.45), close(74.1))


def test_case_15_a_number_that_reads_both_ways_is_asked_about():
    ambiguous = "id;ttft_s;e2e_s;out_tok\n1;1,234;2,345;101\n"
    with pytest.raises(Unreadable, match="may be 1234 or 1.234; say --decimal comma or --decimal point"):
        read(ambiguous)
    assert read(ambiguous, decimal=",").ttft[0] == 1.234


def test_case_18_the_servers_rate_is_not_the_users():
    run = read(
        '{"completed": 772, "duration": 329.83, "total_output_tokens": 174589, "mean_ttft_ms": 249, "mean_tpot_ms":'
        ' 108.19, "p99_tpot_ms": 169.89}'
    )
    traffic = measure(run)
    assert (traffic.output_rate, traffic.user_rate) == (close(529.33), close(9.24))
    assert (traffic.streaming, traffic.in_flight) == (close(57.3), close(57.6))
    assert 1 / run.metric("tpot").percentile(99) == close(5.89)
    said = " ".join(load_notes(run, traffic))
    assert "About 57 of 772 requests streamed at once, each at 9.24 tokens/s" in said
    assert "1.89 ms between tokens leaving the server" in said


def test_case_20_a_capacity_holds_only_under_its_limits():
    table = read("""{"id":1,"start_s":0,"ttft_s":5,"e2e_s":13.415,"out_tok":256,"ok":true}
{"id":2,"start_s":0,"ttft_s":20,"e2e_s":28.415,"out_tok":256,"ok":true}
{"id":3,"start_s":0,"ttft_s":40,"e2e_s":48.415,"out_tok":256,"ok":true}
{"id":4,"start_s":0,"ttft_s":60,"e2e_s":68.415,"out_tok":256,"ok":true}""")
    assert table.tpot == close(0.0330)
    assert (
        judge(table, Limits(tpot=0.0333)).good,
        judge(table, Limits(ttft=2)).good,
        judge(table, Limits(ttft=2, tpot=0.0333)).good,
    ) == (4, 0, 0)
    assert measure(table).user_rate == close(30.3)
    assert table.output_tokens / table.e2e == pytest.approx([19.1, 9.0, 5.3, 3.7], abs=0.05)


def test_the_warm_up_can_be_dropped_and_both_shares_are_said(tmp_path, capsys):
    """Extra of CASES.md: one cold request with TTFT 3.37 s, the others at 0.74 s."""
    cold = [{"start_s": 0, "ttft_s": 3.37, "e2e_s": 6.0, "out_tok": 101, "ok": True}]
    warm = [{"start_s": 7 + k, "ttft_s": 0.74, "e2e_s": 3.0, "out_tok": 101, "ok": True} for k in range(99)]
    (tmp_path / "run.jsonl").write_text(lines(*cold, *warm), encoding="utf-8")
    assert main([str(tmp_path / "run.jsonl"), "--ttft", "1s", "--drop-first", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["good"], answer["attempted"], answer["ttft"]["mean"]) == (99, 99, pytest.approx(0.74))
    assert any("first 1 request left out as warm-up" in note and "99 of 100" in note for note in answer["notes"])


def test_a_column_in_the_wrong_unit_is_asked_about():
    """Extra of CASES.md: if TTFT values look 1000 times off, ask."""
    with pytest.raises(Unreadable, match="--columns ttft_ms=ttft_s"):
        read('{"ttft_s":250,"e2e_s":2250,"out_tok":101,"ok":true}\n{"ttft_s":300,"e2e_s":2800,"out_tok":126,"ok":true}')
