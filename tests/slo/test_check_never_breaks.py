"""Whatever the file: an exit code from 0 to 3, valid JSON, no traceback, and a number only where there is one."""

import gzip
import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explainer.slo.check import main

FIXTURES = Path(__file__).resolve().parents[2] / "data" / "runs"
FILES = sorted(path for path in FIXTURES.rglob("*") if path.suffix in (".json", ".jsonl", ".gz"))
PLAIN = b"""id;sched_s;start_s;ttft_s;e2e_s;in_tok;out_tok;ok;status;class
1;0,0;0,0;0,250;2,250;10;101;true;200;chat
2;0,4;0,5;0,300;2,800;10;126;true;200;chat
3;0,9;1,0;;0,1;10;0;false;503;batch
"""
QUICK = settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def refuse_constant(name):
    raise AssertionError(f"{name} is no JSON")


def checked(path: Path, capsys, *options: str):
    """Runs check twice, for people and for machines; returns the objects."""
    arguments = [str(path), "--ttft", "200ms", "--tpot", "20ms", *options]
    text_code = main(arguments)
    text = capsys.readouterr()
    code = main([*arguments, "--json"])
    said = capsys.readouterr()
    assert code == text_code and code in (0, 1, 2, 3)
    for part in (text.out, text.err, said.err):
        assert "Traceback" not in part and "Warning" not in part and "\x1b" not in part
    assert (text.out + text.err).strip()
    value = json.loads(said.out, parse_constant=refuse_constant)
    answers = value if isinstance(value, list) else [value]
    assert answers
    for answer in answers:
        if "error" in answer:
            assert code == 3 and answer["error"].strip()
            continue
        assert answer["verdict"] in ("met", "not met", "not decidable")
        for statistic in (answer["ttft"], answer["tpot"], answer["e2e"]):
            assert all(value is None or math.isfinite(value) for value in statistic.values())
        if answer["attainment"] is not None:
            assert 0 <= answer["interval"][0] <= answer["attainment"] + 1e-9
            assert answer["attainment"] - 1e-9 <= answer["interval"][1] <= 1
            assert answer["attainment"] == pytest.approx(answer["good"] / answer["attempted"])
            assert answer["ok"] + answer["failed"] == answer["attempted"]
    return answers


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_real_files_with_bytes_flipped_or_cut(path, tmp_path, capsys):
    randomness = random.Random(str(path.relative_to(FIXTURES)))
    original = content(path)
    for place in range(4):
        data = bytearray(original)
        if place % 2:
            del data[randomness.randrange(1, len(data)) :]
        for _ in range(randomness.choice((1, 3, 30)) if place < 3 else 0):
            data[randomness.randrange(len(data))] = randomness.randrange(256)
        target = tmp_path / f"{place}.json"
        target.write_bytes(bytes(data))
        checked(target, capsys)


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix == ".gz"], ids=lambda path: str(path.relative_to(FIXTURES))
)
def test_damaged_gzip(path, tmp_path, capsys):
    data = bytearray(path.read_bytes())
    (tmp_path / "cut.gz").write_bytes(data[: len(data) // 2])
    data[len(data) // 3] ^= 0xFF
    (tmp_path / "flipped.gz").write_bytes(data)
    for name in ("cut.gz", "flipped.gz"):
        assert all(
            "error" in answer or answer["verdict"] == "not decidable" for answer in checked(tmp_path / name, capsys)
        )


@QUICK
@given(
    flips=st.lists(st.tuples(st.integers(0, len(PLAIN) - 1), st.integers(0, 255)), max_size=4),
    end=st.integers(0, len(PLAIN)),
)
def test_a_spreadsheet_with_bytes_flipped_or_cut(flips, end, tmp_path, capsys):
    data = bytearray(PLAIN)
    for place, value in flips:
        data[place] = value
    (tmp_path / "table.csv").write_bytes(bytes(data[:end]))
    checked(tmp_path / "table.csv", capsys)


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.just(0.2),
    st.just(1),
    st.just("0,5"),
    st.lists(st.one_of(st.integers(-2, 30), st.floats(), st.none()), max_size=3),
    st.just({"value": 1}),
)
COLUMN = st.sampled_from(
    [
        "id",
        "sched_s",
        "start_s",
        "ttft_s",
        "ttft_ms",
        "e2e_s",
        "in_tok",
        "out_tok",
        "retok",
        "ok",
        "status",
        "class",
        "events",
        "p95_ttft_ms",
        "mean_tpot_ms",
        "num_prompts",
        "completed",
        "duration",
        "ttfts",
        "output_lens",
        "itls",
        "errors",
        "latencies",
        "error_code",
        "end_to_end_latency_s",
        "number_output_tokens",
        "benchmarks",
        "requests",
    ]
)


@QUICK
@given(rows=st.lists(st.dictionaries(COLUMN, ODD, max_size=9), min_size=1, max_size=6))
def test_json_lines_of_odd_values(rows, tmp_path, capsys):
    text = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "odd.jsonl").write_text(text, encoding="utf-8")
    checked(tmp_path / "odd.jsonl", capsys)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.suffix in (".json", ".jsonl")],
    ids=lambda path: str(path.relative_to(FIXTURES)),
)
def test_a_known_tools_file_with_values_of_other_types(path, tmp_path, capsys):
    randomness = random.Random(str(path.relative_to(FIXTURES)))
    odd = (None, True, -1, 1e308, float("nan"), float("inf"), "text", [], {}, [None], 10**400)

    def spoil(value):
        if randomness.random() < 0.02:
            return randomness.choice(odd)
        if isinstance(value, dict):
            return {key: spoil(item) for key, item in value.items()}
        return [spoil(item) for item in value[:40]] if isinstance(value, list) else value

    records = (
        [json.loads(line) for line in content(path).splitlines()]
        if path.suffix == ".jsonl"
        else [json.loads(content(path))]
    )
    for place in range(3):
        (tmp_path / f"{place}.json").write_text(
            "\n".join(json.dumps(spoil(record)) for record in records), encoding="utf-8"
        )
        checked(tmp_path / f"{place}.json", capsys)


@QUICK
@given(data=st.binary(max_size=300))
def test_any_bytes(data, tmp_path, capsys):
    (tmp_path / "anything").write_bytes(data)
    assert checked(tmp_path / "anything", capsys)[0].get("error") or b"_" in data


@pytest.mark.parametrize("depth", [100, 2_000, 200_000])
def test_depth_bombs(depth, tmp_path, capsys):
    bomb = b"[" * depth
    for name, data in (
        ("bare", bomb),
        ("closed", bomb + b"]" * depth),
        ("record", b'{"ttft_s":0.1,"e2e_s":1,"out_tok":9,"x":' + bomb + b"]" * depth + b"}"),
        ("aiperf", b'{"metadata":{"benchmark_phase":"profiling"},"metrics":' + bomb),
    ):
        (tmp_path / name).write_bytes(data)
        checked(tmp_path / name, capsys)
