"""The command line: words, exit codes, JSON, several runs, and text from a file that stays text."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from explainer.__main__ import main as command
from explainer.slo.check import main
from explainer.slo.durations import seconds, spoken

PROJECT = Path(__file__).parents[2]
FIXTURES = PROJECT / "data" / "runs"
KEYS = {
    "tool",
    "attempted",
    "ok",
    "failed",
    "good",
    "attainment",
    "interval",
    "verdict",
    "ttft",
    "tpot",
    "e2e",
    "tool_reports",
    "notes",
}


def write(path: Path, good: int, bad: int, **other) -> str:
    row = {"ttft_s": 0.1, "e2e_s": 1.1, "out_tok": 101, "ok": True} | other
    path.write_text("\n".join([json.dumps(row)] * good + [json.dumps(row | {"ttft_s": 0.9})] * bad), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("good", "bad", "code", "verdict"), [(100, 0, 0, "met"), (50, 50, 1, "not met"), (30, 0, 2, "not decidable")]
)
def test_exit_codes_and_the_objects_members(tmp_path, capsys, good, bad, code, verdict):
    path = write(tmp_path / "run.jsonl", good, bad)
    assert main([path, "--ttft", "200ms", "--tpot", "20ms", "--json"]) == code
    answer = json.loads(capsys.readouterr().out)
    assert KEYS <= answer.keys()
    assert (answer["verdict"], answer["good"], answer["attempted"], answer["failed"]) == (verdict, good, good + bad, 0)
    assert set(answer["ttft"]) == {"count", "mean", "p50", "p95", "p99"} and answer["tpot"]["p99"] == pytest.approx(
        0.01
    )
    assert main([path, "--ttft", "200ms", "--tpot", "20ms"]) == code
    text = capsys.readouterr().out
    assert text.splitlines()[1].startswith(verdict.upper()) and f"{good} of {good + bad}" in text.splitlines()[1]
    assert "one-token answers pass; cancelled exclude" in text


def test_it_is_the_projects_command(tmp_path, capsys):
    assert command(["check", write(tmp_path / "run.jsonl", 100, 0), "--ttft", "1s"]) == 0
    assert "MET" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["x.json"],
        ["--ttft", "200ms"],
        ["{run}", "--ttft", "200"],
        ["{run}", "--ttft", "0ms"],
        ["{run}", "--ttft", "-5ms"],
        ["{run}", "--ttft", "nan s"],
        ["{run}", "--ttft", "0,2s"],
        ["{run}", "--ttft", "200ms", "--attainment", "95"],
        ["{run}", "--ttft", "200ms", "--attainment", "nan"],
        ["{run}", "--ttft", "200ms", "--one-token", "maybe"],
        ["{run}", "--ttft", "200ms", "--nonsense"],
        ["{run}", "--ttft", "200ms", "--columns", "a"],
        ["{run}", "--ttft", "200ms", "--drop-first", "-1"],
        ["{run}", "--ttft", "200ms", "--class", "nobody"],
        ["{run}", "--ttft"],
        ["missing.jsonl", "--ttft", "200ms"],
        ["no*.jsonl", "--ttft", "200ms"],
        ["", "--ttft", "200ms"],
        ["a\0b", "--ttft", "200ms"],
    ],
)
def test_bad_usage_and_unreadable_input_end_with_3_and_one_sentence(tmp_path, capsys, arguments):
    run = write(tmp_path / "run.jsonl", 100, 0)
    arguments = [argument.replace("{run}", run) for argument in arguments]
    assert main(arguments) == 3
    said = capsys.readouterr()
    assert said.err.startswith("check: ") and len(said.err.strip().splitlines()) == 1 and not said.out.strip()
    assert main([*arguments, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["error"]


def test_help_is_no_error(capsys):
    assert main(["--help"]) == 0
    assert "exit code: 0 met" in capsys.readouterr().out


def test_several_runs_are_an_array_with_the_worst_exit_code(tmp_path, capsys):
    met, missed = write(tmp_path / "a.jsonl", 100, 0), write(tmp_path / "b.jsonl", 10, 90)
    assert main([met, missed, "--ttft", "200ms", "--json"]) == 1
    assert [answer["verdict"] for answer in json.loads(capsys.readouterr().out)] == ["met", "not met"]
    assert main([str(tmp_path), "--ttft", "200ms", "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert main([str(tmp_path / "*.jsonl"), "--ttft", "200ms"]) == 1


def test_a_run_beside_an_unreadable_file_is_still_answered(tmp_path, capsys):
    assert main([write(tmp_path / "a.jsonl", 100, 0), str(tmp_path / "gone.jsonl"), "--ttft", "200ms", "--json"]) == 3
    first, second = json.loads(capsys.readouterr().out)
    assert first["verdict"] == "met" and "no such file" in second["error"]


def test_the_folder_of_a_real_run(capsys):
    assert main([str(FIXTURES / "aiperf" / "failures"), "--ttft", "200ms", "--tpot", "20ms", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["tool"], answer["version"], answer["good"], answer["attempted"]) == ("aiperf", "0.13.0", 20, 48)
    assert (answer["tool_reports"]["good"], answer["tool_reports"]["share"]) == (20, pytest.approx(20 / 48))


def test_a_folder_of_runs_gives_one_object_each(capsys):
    main([str(FIXTURES / "sglang"), "--ttft", "200ms", "--tpot", "20ms", "--json"])
    assert sorted((answer["good"], answer["attempted"]) for answer in json.loads(capsys.readouterr().out)) == [
        (0, 6),
        (0, 6),
        (24, 48),
        (28, 48),
    ]


def test_a_users_own_columns(tmp_path, capsys):
    (tmp_path / "own.csv").write_text("first,total,n\n" + "100,1100,101\n" * 100, encoding="utf-8")
    assert (
        main(
            [
                str(tmp_path / "own.csv"),
                "--ttft",
                "200ms",
                "--tpot",
                "20ms",
                "--columns",
                "ttft_ms=first,e2e_ms=total,out_tok=n",
            ]
        )
        == 0
    )


NASTY = "<img src=x onerror=alert(1)>\x1b[2J\x1b]0;owned\x07\u202egnp.exe\x9b31m\ud800\r\nMET"


def test_markup_and_terminal_commands_stay_text(tmp_path, capsys):
    record = {
        "num_prompts": 2,
        "completed": 1,
        "duration": 1.0,
        "model_id": NASTY,
        "ttfts": [0.1, 0.0],
        "output_lens": [11, 0],
        "input_lens": [1, 1],
        "itls": [[0.09] * 10, []],
        "errors": ["", "a traceback\n" + NASTY.split("\r")[0]],
    }
    path = tmp_path / "run\x1b[31m.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    assert main([str(path), "--ttft", "200ms"]) == 1
    text = capsys.readouterr().out
    assert "<img src=x onerror=alert(1)>" in text
    assert not [sign for sign in text if sign in "\x1b\x07\x9b\u202e\r" or 0xD800 <= ord(sign) < 0xE000]
    assert main([str(path), "--ttft", "200ms", "--json"]) == 1
    raw = capsys.readouterr().out
    assert any("1 request failed: 1 <img src=x" in note for note in json.loads(raw)["notes"])
    assert (
        raw.isascii() and "\x1b" not in json.loads(raw)["model"] and json.loads(raw)["model"].startswith("<img src=x")
    )


def run_check(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "explainer", "check", *arguments],
        cwd=PROJECT,
        capture_output=True,
        check=False,
        **options,
    )


def test_a_narrow_terminal_encoding_breaks_nothing():
    done = run_check(
        str(FIXTURES / "vllm-0.33.0" / "failures"), "--ttft", "200ms", env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 1 and b"Traceback" not in done.stderr


def test_the_package_room_is_not_needed():
    """formulas, results and slo never import page, ipywidgets, altair or matplotlib (DESIGN section 2)."""
    script = (
        "import sys\nfrom explainer.slo.check import main\nprint([name for name in sys.modules if name.split('.')[0] in"
        " ('ipywidgets', 'altair', 'matplotlib') or 'explainer.page' in name])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_progress_bar_is_for_terminals_only(tmp_path):
    path = write(tmp_path / "run.jsonl", 30_000, 0)
    assert run_check(path, "--ttft", "200ms").stderr == b""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "explainer", "check", path, "--ttft", "200ms"],
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    try:
        while part := os.read(ours, 4096):
            drawn += part
    except OSError:  # the terminal closes with its last writer
        pass
    os.close(ours)
    assert process.wait() == 0 and b"run.jsonl [" in drawn and b"%" in drawn


def test_a_reader_that_goes_early_changes_no_verdict(tmp_path):
    path = write(tmp_path / "run.jsonl", 500, 0)
    reads, writes = os.pipe()
    os.close(reads)  # as after head -0
    done = subprocess.run(
        [sys.executable, "-m", "explainer", "check", path, "--ttft", "200ms"],
        cwd=PROJECT,
        stdout=writes,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("text", "value"),
    [("200ms", 0.2), ("0.2s", 0.2), ("2 s", 2.0), ("1.5min", 90.0), ("20us", 2e-5), ("20µs", 2e-5), (".5 S", 0.5)],
)
def test_durations(text, value):
    assert seconds(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["", "200", "ms", "0s", "-1s", "1h30", "1e3s", "inf s", "0,2s", "2 fortnights", "1" * 400 + "s"]
)
def test_no_durations(text):
    with pytest.raises(ValueError):
        seconds(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0831, "83.1 ms"),
        (4.4, "4.40 s"),
        (28, "28.0 s"),
        (1e-5, "10.0 µs"),
        (0, "0 ms"),
        (float("nan"), "not defined"),
    ],
)
def test_spoken_times(value, text):
    assert spoken(value) == text


@pytest.mark.parametrize(
    ("run", "limits"),
    [("sglang/worked", ["--ttft", "500ms", "--tpot", "10ms"]), ("vllm-0.11.0/worked", ["--ttft", "100ms"])],
)
def test_limits_kept_by_values_that_the_file_gives_away_as_too_small_are_not_met(capsys, run, limits):
    """The worked trace starts at 300 ms and takes 19 ms a token or more: no usage hides the one, a role event the
    other."""
    assert main([str(FIXTURES / run), *limits, "--attainment", "0.4", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["good"] == found["attempted"] and found["verdict"] == "not decidable"
    assert any("probably too small" in note for note in found["notes"])
