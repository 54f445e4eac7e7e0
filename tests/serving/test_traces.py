"""Trace files: the publishers' own formats (rows of ours in their shape), one's own tables, and what is said of broken
ones."""

import numpy as np
import pytest

from explainer.serving.traces import read_trace
from tests.shared import SHARED, needs_shared

AZURE = """TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:15:46.6805900,374,44
2023-11-16 18:15:50.9951690,396,109
2023-11-16 18:15:51.2224670,879,55
"""


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_azure_dates_become_seconds_from_the_first_request(tmp_path):
    trace = read_trace(write(tmp_path, "azure.csv", AZURE))
    assert np.allclose(trace.arrival, [0, 4.314579, 4.541877], atol=1e-5)
    assert (
        list(trace.input_tokens) == [374, 396, 879] and list(trace.output_tokens) == [44, 109, 55] and trace.notes == ()
    )


def test_mooncake_lines_on_the_three_second_grid_are_spread_and_it_says_so(tmp_path):
    lines = "\n".join(
        f'{{"timestamp": {3000 * (n // 4) + n % 4}, "input_length": {100 + n}, "output_length": 5, "hash_ids": [1]}}'
        for n in range(40)
    )
    path = write(tmp_path, "mooncake.jsonl", lines)
    trace, again, other = read_trace(path, seed=1), read_trace(path, seed=1), read_trace(path, seed=2)
    assert len(np.unique(trace.arrival)) == 40 and np.all(np.diff(trace.arrival) >= 0) and 24 < trace.arrival[-1] < 33
    assert np.array_equal(trace.arrival, again.arrival) and not np.array_equal(trace.arrival, other.arrival)
    assert "rounded to 3 s" in trace.notes[0] and "seed 1" in trace.notes[0]


def test_ones_own_table_under_several_names(tmp_path):
    expected = [0.0, 0.5, 2.0]
    for name, text in (
        ("a.csv", "arrival_s,input_tokens,output_tokens\n1,10,20\n1.5,11,21\n3,12,22\n"),
        ("b.csv", "\ufeffid;t_ms;prompt tokens;completion tokens\r\nx;0;10;20\r\ny;500;11;21\r\nz;2000;12;22\r\n"),
        ("c.csv", "output_tokens\tinput_tokens\tstart_s\n20\t10.0\t7\n\n21\t11\t7.5\n22\t12\t9\n"),
    ):
        trace = read_trace(write(tmp_path, name, text))
        assert (
            np.allclose(trace.arrival, expected)
            and list(trace.input_tokens) == [10, 11, 12]
            and list(trace.output_tokens) == [20, 21, 22]
        )


def test_rows_out_of_order_are_sorted_and_it_says_so(tmp_path):
    trace = read_trace(write(tmp_path, "mixed.csv", "t_s,input_tokens,output_tokens\n5,1,1\n2,2,2\n9,3,3\n"))
    assert list(trace.arrival) == [0, 3, 7] and list(trace.input_tokens) == [2, 1, 3]
    assert "out of order (at 1 places)" in trace.notes[0]


@pytest.mark.parametrize(
    "text, parts",
    [
        ("", ["bad.csv", "empty"]),
        ("   \n", ["bad.csv", "empty"]),
        ("t_s,input_tokens,output_tokens\n", ["bad.csv", "no requests"]),
        ("a,b,c\n1,2,3\n", ["bad.csv", "line 1", "arrival time"]),
        ("t_s,input_tokens,c\n1,2,3\n", ["bad.csv", "line 1", "output tokens"]),
        ("t_s,input_tokens,output_tokens\n1,2,3\n2,3\n", ["bad.csv", "line 3", "3 fields", "found 2"]),
        ("t_s,input_tokens,output_tokens\n1,2,3\nsoon,2,3\n", ["bad.csv", "line 3", "'t_s'", "'soon'"]),
        ("t_s,input_tokens,output_tokens\nnan,2,3\n", ["bad.csv", "line 2", "'t_s'", "'nan'"]),
        ("t_s;input_tokens;output_tokens\n0,5;2;3\n", ["bad.csv", "line 2", "'t_s'", "'0,5'"]),
        ("t_s,input_tokens,output_tokens\n1,-2,3\n", ["bad.csv", "line 2", "'input_tokens'", "'-2'"]),
        ("t_s,input_tokens,output_tokens\n1,2,3.5\n", ["bad.csv", "line 2", "'output_tokens'", "'3.5'"]),
        ("t_s,input_tokens,output_tokens\n1,2,inf\n", ["bad.csv", "line 2", "'output_tokens'", "'inf'"]),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n16 Nov,2,3\n", ["bad.csv", "line 2", "'TIMESTAMP'", "'16 Nov'"]),
        (
            '{"timestamp": 0, "input_length": 1, "output_length": 2}\n{"timestamp": 5, "inp',
            ["bad.csv", "line 2", "cut off"],
        ),
        ('{"timestamp": 0, "input_length": 1}\n', ["bad.csv", "line 1", "'output_length'", "missing"]),
        ('{"timestamp": null, "input_length": 1, "output_length": 2}\n', ["bad.csv", "line 1", "'timestamp'"]),
        ('{"timestamp": 0, "input_length": [1], "output_length": 2}\n', ["bad.csv", "line 1", "'input_length'"]),
    ],
)
def test_a_broken_file_gets_a_sentence_with_file_line_and_field(tmp_path, text, parts):
    with pytest.raises(ValueError) as caught:
        read_trace(write(tmp_path, "bad.csv", text))
    sentence = str(caught.value)
    assert all(part in sentence for part in parts), sentence
    assert "\n" not in sentence and len(sentence) < 300


def test_no_file_and_no_text_get_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="nowhere.csv cannot be read"):
        read_trace(tmp_path / "nowhere.csv")
    (tmp_path / "picture.csv").write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match="picture.csv cannot be read as text: it is not UTF-8"):
        read_trace(tmp_path / "picture.csv")


@needs_shared
@pytest.mark.parametrize(
    "file, count, rate, spread",
    [
        ("azure_llm_2023_conv.csv", 19_366, 5.53, False),
        ("azure_llm_2023_code.csv", 8_819, 2.567, False),
        ("mooncake_fast25_conversation_lengths.csv", 12_031, 3.401, True),
        ("mooncake_fast25_synthetic_lengths.csv", 3_993, 3.907, False),
    ],
)
def test_the_published_traces_are_read_whole(file, count, rate, spread):
    """Counts and rates: data/trace_stats.csv of the shared material."""
    trace = read_trace(SHARED / "traces" / file)
    assert len(trace) == count and (count / trace.arrival[-1]) == pytest.approx(rate, rel=0.005)
    assert any("3 s" in note for note in trace.notes) == spread
