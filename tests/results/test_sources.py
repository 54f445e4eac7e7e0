"""Files as they come: zipped, with marks and odd line ends, cut, huge, or something else altogether."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from explainer.results import source
from explainer.results.load import load, read_source
from explainer.results.source import SAMPLE, Source, Unreadable

ROWS = [{"start_s": k, "ttft_s": 0.1, "e2e_s": 1.0, "out_tok": 11, "ok": True} for k in range(20)]
LINES = "\n".join(map(json.dumps, ROWS)) + "\n"
CSV = "start_s,ttft_s,e2e_s,out_tok,ok\n" + "".join(f"{k},0.1,1.0,11,true\n" for k in range(20))
PRETTY = json.dumps(ROWS, indent=1)


def table(data: bytes):
    return read_source(Source(None, data, "given"))[0]


@pytest.mark.parametrize(
    "text", [LINES, CSV, PRETTY, json.dumps(ROWS)], ids=["lines", "csv", "pretty array", "array on one line"]
)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: gzip.compress(text.encode()),
        lambda text: ("\n\n" + text).encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: gzip.compress(text[:300].encode()) + gzip.compress(text[300:].encode()),
    ],
    ids=["plain", "BOM", "UTF-16", "CRLF", "gzip", "blank lines first", "no last line end", "gzip in two members"],
)
def test_the_same_requests_in_every_wrapping(text, change):
    found = table(change(text))
    assert len(found) == 20
    assert set(found.ttft) == {0.1} and found.tpot == pytest.approx(0.09) and set(found.output_tokens) == {11}
    assert found.facts.unread == 0


def test_json_lines_are_told_by_content_and_not_by_the_name(tmp_path):
    (tmp_path / "requests.json").write_text(LINES, encoding="utf-8")
    assert len(load([str(tmp_path / "requests.json")]).runs[0]) == 20


def test_a_cut_last_line_is_counted_as_unread():
    found = table(LINES[:-20].encode())
    assert len(found) == 19 and found.facts.unread == 1
    assert "1 record could not be read" in " ".join(found.facts.notes)


def test_a_cut_document_is_refused_with_its_place():
    with pytest.raises(Unreadable, match=r"breaks off or is damaged \(line 40"):
        table("\n".join(PRETTY.splitlines()[:40]).encode())


def test_cut_compressed_data_says_that_rows_are_missing():
    randomised = "\n".join(json.dumps({**row, "id": os.urandom(20).hex()}) for row in ROWS * 50)
    found = table(gzip.compress(randomised.encode())[:-2000])
    assert 0 < len(found) < 1000 and found.facts.hidden == "rows"
    assert "how many are missing is unknown" in " ".join(found.facts.notes)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "this is binary data"),
        (b"SQLite format 3\0" + bytes(100), "this is a database"),
        (b"Dear reader,\nthis is a letter.\n", "this is text"),
        (b'{"hello": 1}', "this is JSON"),
        (b"[]", "this is JSON"),
        (b"start_s,ttft_s,e2e_s\n", "a header and no request"),
    ],
)
def test_what_holds_no_requests_gets_a_sentence(data, said):
    with pytest.raises(Unreadable, match=said):
        table(data)


@pytest.mark.parametrize(
    "start", [b"", b'{"level": "info", "message": "a server log"}\n', b"A,B\n1,2\n", b"\x1f\x8b\x08"]
)
def test_a_gigabyte_of_something_else_is_not_read(tmp_path, start):
    path = tmp_path / "huge"
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(1 << 30)
    read = []
    with pytest.raises(Unreadable):
        read_source(Source(path, progress=lambda done, total: read.append(done)))
    assert not read


def test_the_sample_is_bounded():
    assert len(Source(None, b"x" * (SAMPLE * 3)).sample.text) == SAMPLE


def test_one_endless_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "LONGEST_LINE", 64 << 20)  # the same bound, met sooner
    path = tmp_path / "endless.jsonl"
    with open(path, "wb") as file:
        file.write(LINES.encode() + b'{"ttft_s": "')
        for _ in range(66):
            file.write(b"x" * (1 << 20))
    with pytest.raises(Unreadable, match="longer than 64 MiB"):
        read_source(Source(path))


def test_no_file_no_folder_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, said in (("missing.json", "no such file"), ("pipe", "no regular file"), ("a\0b", "cannot be opened")):
        loaded = load([str(tmp_path / name)])
        assert not loaded.runs and said in loaded.problems[0]
    assert "no file is there" in load([str(tmp_path / "*.jsonl")]).problems[0]
    (tmp_path / "empty").mkdir()
    assert "no file is there" in load([str(tmp_path / "empty")]).problems[0]


def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "secret.jsonl"
    path.write_text(LINES, encoding="utf-8")
    path.chmod(0)
    script = (
        "import os, sys\nfrom explainer.results.load import load\n"
        "if os.getuid() == 0: os.setuid(65534)  # root may read everything\nprint(load([sys.argv[1]]).problems)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert "you may not read this file" in done.stdout


def test_a_folder_names_what_it_skipped_and_reads_the_rest(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.jsonl").write_text(LINES, encoding="utf-8")
    (tmp_path / "two.csv").write_text(CSV, encoding="utf-8")
    (tmp_path / "readme.txt").write_text("nothing here", encoding="utf-8")
    (tmp_path / "empty.log").write_bytes(b"")
    loaded = load([str(tmp_path)])
    assert [len(run) for run in loaded.runs] == [20, 20] and not loaded.problems
    assert sorted(Path(name).name for name in loaded.skipped) == ["empty.log", "readme.txt"]
    assert len(load([str(tmp_path / "**" / "*.jsonl")]).runs) == 1
    assert len(load([str(tmp_path / "one"), str(tmp_path / "one" / "a.jsonl")]).runs) == 1


def test_a_named_file_without_requests_is_a_problem_unless_it_lies_beside_a_run(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "a.jsonl").write_text(LINES, encoding="utf-8")
    (tmp_path / "run" / "console.txt").write_text("a log", encoding="utf-8")
    (tmp_path / "elsewhere.txt").write_text("a letter", encoding="utf-8")
    beside = load([str(tmp_path / "run" / "a.jsonl"), str(tmp_path / "run" / "console.txt")])
    assert not beside.problems and len(beside.skipped) == 1
    apart = load([str(tmp_path / "run" / "a.jsonl"), str(tmp_path / "elsewhere.txt")])
    assert len(apart.problems) == 1 and "elsewhere.txt" in apart.problems[0]


def test_a_summary_beside_its_rows_is_the_tools_word_and_alone_a_run():
    folder = Path(__file__).resolve().parents[2] / "data" / "runs" / "inference-perf" / "failures"
    rows = load([str(folder / "per_request_lifecycle_metrics.json.gz")])
    assert len(rows.runs) == 1 and rows.runs[0].facts.report.share == 0.75
    alone = load([str(folder / "summary_lifecycle_metrics.json")])
    assert len(alone.runs) == 1 and alone.runs[0].attempted == 48 and alone.runs[0].completed == 32
