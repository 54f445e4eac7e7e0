"""The catalogue: every row typed and sourced, every bad row named, and the facts that the pages lean on still what
their sources print."""

import csv
import dataclasses
import subprocess
import sys

import pytest

from explainer import catalog
from explainer.catalog.people import HumanFactor
from explainer.catalog.statements import Claim
from explainer.catalog.table import DATA, KINDS, one_named, read_table
from explainer.formulas.timing import generation_rate

TABLES = {
    "accelerators.csv": catalog.accelerators,
    "models.csv": catalog.models,
    "claims.csv": catalog.claims,
    "slos.csv": catalog.published_slos,
    "human_factors.csv": catalog.human_factors,
    "tokens_per_word.csv": catalog.tokens_per_word,
    "nim_sweep.csv": catalog.nim_sweep,
    "linear_layer_times.csv": catalog.linear_layer_times,
    "allreduce_fixed_costs.csv": catalog.allreduce_fixed_costs,
    "trace_statistics.csv": catalog.trace_statistics,
}
READ_BY_THE_SIMULATOR = {"workload_quantiles.csv"}


def test_every_file_of_data_has_a_function_and_a_line_in_its_readme():
    files = {path.name for path in DATA.glob("*.csv")}
    assert files == set(TABLES) | READ_BY_THE_SIMULATOR
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    assert [name for name in files if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("file", TABLES)
def test_every_row_has_a_source_a_scope_and_a_kind(file):
    rows = TABLES[file]()
    with (DATA / file).open(encoding="utf-8", newline="") as raw:
        assert len(rows) == len(list(csv.DictReader(raw)))
    for row in rows:
        assert row.source and row.scope and row.kind in KINDS
        assert not any(value in ("", "nan", "None", "n/a") for value in dataclasses.astuple(row))
    assert all(dataclasses.is_dataclass(row) and type(row).__dataclass_params__.frozen for row in rows)


@pytest.mark.parametrize(
    "file",
    [
        file
        for file in TABLES
        if file.split(".")[0] in {"accelerators", "models", "claims", "human_factors", "trace_statistics"}
    ],
)
def test_names_are_unique(file):
    names = [row.name.casefold() for row in TABLES[file]()]
    assert len(names) == len(set(names))


def test_quantities_are_above_zero_where_they_are_known():
    """0 would be a missing value in disguise; only the counts of experts and dense layers may be none."""
    for rows in TABLES.values():
        for row in rows():
            for field, value in dataclasses.asdict(row).items():
                if (
                    isinstance(value, (int, float))
                    and not isinstance(value, bool)
                    and field not in ("shared_experts", "dense_layers")
                ):
                    assert value > 0, (row, field)


def test_files_are_read_once_and_only_when_asked_for():
    assert catalog.models() is catalog.models()
    probe = (
        "import explainer.catalog, sys; from explainer.catalog import accelerators, models;"
        "assert accelerators.cache_info().currsize == models.cache_info().currsize == 0;"
        "assert not {'pandas', 'altair', 'ipywidgets', 'matplotlib'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)


# Facts that pages lean on


@pytest.mark.parametrize("shape", catalog.models(), ids=lambda shape: shape.name)
def test_shapes_reproduce_published_sizes(shape):
    """FACTS section 3: within 0.5 % of the published total, Kimi K2 (rounded by its vendor) within 1.4 %."""
    if shape.published_parameters:
        assert shape.parameters == pytest.approx(
            shape.published_parameters, rel=0.014 if shape.name == "Kimi K2" else 0.005
        )
    if shape.published_active_parameters:
        assert shape.linear_parameters < shape.published_active_parameters * 1.02
        assert shape.active_parameters == pytest.approx(shape.published_active_parameters, rel=0.09)


@pytest.mark.parametrize(
    "name, total, read, cache, sliding",
    [
        ("Llama 3.1 8B", 8.03, 7.50, 131_072, 0),
        ("Llama 3.3 70B", 70.55, 69.5, 327_680, 0),
        ("Llama 3.1 405B", 405.9, 403.8, 516_096, 0),
        ("Qwen3 32B", 32.76, 31.98, 262_144, 0),
        ("Qwen3 235B-A22B", 235.1, 21.6, 192_512, 0),
        ("gpt-oss-120b", 116.8, 5.13, 36_864, 36_864),
        ("DeepSeek-V3", 671.0, 36.6, 70_272, 0),
        ("Kimi K2", 1026, 31.7, 70_272, 0),
        ("Mixtral 8x7B", 46.7, 12.75, 131_072, 0),
        ("Gemma 3 27B", 27.0, 27.0, 81_920, 425_984),
        ("Gemma 4 31B", 30.7, 30.7, 81_920, 819_200),
    ],
)
def test_what_shapes_imply(name, total, read, cache, sliding):
    """The table of FACTS section 3."""
    shape = catalog.model(name)
    assert shape.parameters / 1e9 == pytest.approx(total, rel=1e-3) and shape.active_parameters / 1e9 == pytest.approx(
        read, rel=3e-3
    )
    assert (shape.kv_bytes_per_token(2), shape.sliding_kv_bytes_per_token(2)) == (cache, sliding)


@pytest.mark.parametrize(
    "name, bf16, fp8, memory, bandwidth, link",
    [
        ("A100 SXM 80 GB", 312e12, None, 80e9, 2.039e12, 300e9),
        ("H100 SXM", 989e12, 1979e12, 80e9, 3.35e12, 450e9),
        ("H200 SXM", 989e12, 1979e12, 141e9, 4.8e12, 450e9),
        ("MI300X", 1307.4e12, 2614.9e12, 192e9, 5.3e12, 448e9),
        ("TPU v5e", 197e12, None, 16 * 2**30, 0.819e12, 180e9),
        ("Groq 3 LPU", None, 1.2e15, 0.5e9, 150e12, 1.25e12),
    ],
)
def test_accelerators_as_announced(name, bf16, fp8, memory, bandwidth, link):
    """The table of FACTS section 2: dense, one way."""
    found = catalog.accelerator(name)
    assert (found.bf16_flop_per_s, found.fp8_flop_per_s, found.memory_bytes) == (bf16, fp8, memory)
    assert (found.memory_bytes_per_s, found.link_bytes_per_s) == (bandwidth, link)


def test_a_rack_does_not_multiply_to_what_is_printed():
    """FACTS section 1: 256 x 150 TB/s = 38.4 PB/s (printed 40); 256 x 1.2 PFLOP/s = 307.2 (printed 315); links
    close."""
    chip, rack = catalog.accelerator("Groq 3 LPU"), catalog.accelerator("Groq 3 LPX")
    assert rack.chips * chip.memory_bytes_per_s == pytest.approx(38.4e15) != rack.memory_bytes_per_s == 40e15
    assert rack.chips * chip.fp8_flop_per_s == pytest.approx(307.2e15) != rack.fp8_flop_per_s == 315e15
    assert (
        rack.chips * chip.link_bytes_per_s == rack.link_bytes_per_s
        and rack.chips * chip.memory_bytes == rack.memory_bytes
    )


def test_what_is_not_published_is_none():
    assert (
        catalog.accelerator("Groq 3 LPX").power_watt is None
        and catalog.accelerator("Cerebras WSE-3").bf16_flop_per_s is None
    )
    assert catalog.token_count("Chinese (Simplified)", "o200k").tokens_per_word is None


def test_claims_keep_their_scope():
    claim = catalog.claim("lpx-3431")
    assert claim.value == 3431 and claim.kind == "measured" and "one request at a time" in claim.scope
    assert 1e6 / claim.value == pytest.approx(291, abs=0.5), "FACTS section 1: 291 us a token"
    assert generation_rate(1 / claim.value) == pytest.approx(claim.value)
    assert catalog.claim("lpx-35x").kind == "estimated" and "400 tokens/s" in catalog.claim("lpx-35x").scope


def test_published_limits():
    """FACTS section 5: MLPerf llama2-70b interactive 450 ms and 40 ms; Splitwise nine slowdowns; every MLPerf
    percentile is 99."""
    limits = catalog.published_slos()
    found = [slo for slo in limits if (slo.version, slo.scenario, slo.model) == ("v5.1", "interactive", "llama2-70b")]
    assert [(slo.ttft_seconds, slo.tpot_seconds, slo.percentile) for slo in found] == [(0.45, 0.04, 0.99)]
    assert [slo.slowdown for slo in limits if slo.publisher == "Splitwise"] == [2, 3, 6, 1.25, 1.5, 5, 1.25, 1.5, 5]
    assert {slo.percentile for slo in limits if slo.publisher == "MLPerf Inference"} == {0.99}
    assert all(slo.tpot_meaning for slo in limits if slo.tpot_seconds)


def test_people_are_measured_in_si():
    silent, turn = (
        catalog.human_factor("silent reading, non-fiction, English"),
        catalog.human_factor("gap between turns of a conversation"),
    )
    assert (silent.unit, turn.unit) == ("words/s", "s")
    assert silent.value == pytest.approx(238 / 60) and turn.value == pytest.approx(0.2)


@pytest.mark.parametrize(
    "tokenizer, persian, versus_english",
    [
        ("llama2", 4.8, 3.9),
        ("cl100k", 3.57, 3.3),
        ("llama3.1", 1.6, 1.46),
        ("qwen3", 2.7, 2.47),
        ("deepseek-v3", 1.8, 1.63),
        ("gemma3", 1.55, 1.39),
        ("tekken", 1.5, 1.36),
        ("o200k", 1.57, 1.43),
    ],
)
def test_persian_tokens(tokenizer, persian, versus_english):
    """FACTS section 4, two translations pooled."""
    count = catalog.token_count("Persian", tokenizer)
    assert count.tokens_per_word == pytest.approx(persian, abs=0.04)
    assert count.tokens_versus_english == pytest.approx(versus_english, abs=0.04), "printed to one or two places"


def test_traces():
    """FACTS section 6: Azure 2023 code and conversation."""
    code, talk = catalog.trace("Azure 2023 code"), catalog.trace("Azure 2023 conversation")
    assert (code.input_tokens_p50, code.output_tokens_p50, talk.input_tokens_p50, talk.output_tokens_p50) == (
        1469,
        13,
        1020,
        129,
    )
    assert talk.requests / talk.duration_seconds == pytest.approx(talk.requests_per_s, rel=1e-3)


def test_a_layer_implies_its_bytes_and_arithmetic():
    first = catalog.linear_layer_times()[0]
    assert first.weights == 8192 * 2 * 28672 and first.flops == 2 * first.weights * first.tokens
    assert first.bytes_moved == 2 * (first.weights + first.tokens * (8192 + 2 * 28672))


# Misses and bad rows


def test_a_miss_names_what_is_near():
    with pytest.raises(
        catalog.NotInCatalogue, match=r"^The catalogue has no accelerator named 'H100'; near it: H100 SXM, .*\.$"
    ):
        catalog.accelerator("H100")
    with pytest.raises(catalog.NotInCatalogue, match=r"no model named 'llama 70b'; near it: .*Llama 3\.3 70B.*\.$"):
        catalog.model("llama 70b")
    with pytest.raises(catalog.NotInCatalogue, match=r"no count of 'English' under 'gpt2'; it has llama2, .*\.$"):
        catalog.token_count("English", "gpt2")
    with pytest.raises(catalog.NotInCatalogue, match=r"no claim named 'zzzzzz'; it has \d+ others\.$"):
        one_named(catalog.claims(), "zzzzzz", "claim")
    assert catalog.accelerator("h100 sxm") is catalog.accelerator("H100 SXM")


HEADER = "name,claim,value,unit,scope,measured_by,kind,source,note"
GOOD = "a,says so,35,ratio,one rack,us,announced,a page,"


@pytest.mark.parametrize(
    "text, sentence",
    [
        (
            f"{HEADER}\n{GOOD}\nb,says,many,ratio,one rack,us,announced,a page,\n",
            "line 3, field value: 'many' is not a number.",
        ),
        (
            f"{HEADER}\nb,says,nan,ratio,one rack,us,announced,a page,\n",
            "line 2, field value: 'nan' is not a finite number.",
        ),
        (
            f"{HEADER}\nb,says,1,ratio,one rack,us,announced,,\n",
            "line 2, field source: a value is needed here and the cell is empty.",
        ),
        (
            f"{HEADER}\nb,says,1,ratio,one rack,us,guessed,a page,\n",
            "line 2, field kind: 'guessed' is none of measured, announced, derived, estimated.",
        ),
        (f"{HEADER}\nb,says,1\n", "line 2: the row has fewer cells than the header."),
        (f"{HEADER}\n{GOOD},extra\n", "line 2: the row has more cells than the header."),
        (f"{HEADER.replace(',source', '')},colour\n", "line 1: column source is missing; column colour is unknown."),
        ("", "line 1: column name is missing;"),
    ],
)
def test_a_bad_file_is_one_sentence_with_line_and_field(tmp_path, text, sentence):
    path = tmp_path / "claims.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(catalog.CatalogueError) as raised:
        read_table(path, Claim)
    assert str(raised.value).startswith(f"{path}, {sentence}") and "\n" not in str(raised.value)


def test_a_missing_file_says_where_it_should_lie(tmp_path):
    with pytest.raises(
        catalog.CatalogueError, match=r"cannot be opened \(No such file or directory\): the data folder must lie beside"
    ):
        read_table(tmp_path / "none.csv", Claim)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "claims.csv").write_bytes(b"\xff\xfe\x00claims")
    with pytest.raises(catalog.CatalogueError, match=r"claims\.csv is no CSV text in UTF-8 \(.*\)\.$"):
        read_table(tmp_path / "claims.csv", Claim)


def test_an_empty_cell_is_none_and_never_zero(tmp_path):
    path = tmp_path / "claims.csv"
    path.write_text(f"{HEADER}\n{GOOD.replace(',35,ratio,', ',,,')}\n", encoding="utf-8")
    (row,) = read_table(path, Claim)
    assert row.value is None and row.unit is None and row.note is None


def test_an_unknown_unit_of_a_human_factor_is_refused(tmp_path, monkeypatch):
    (tmp_path / "human_factors.csv").write_text(
        "name,value,low,high,unit,scope,kind,source,note\nnaps,20,,,minutes,us,measured,a page,\n", encoding="utf-8"
    )
    monkeypatch.setattr("explainer.catalog.people.DATA", tmp_path)
    catalog.human_factors.cache_clear()
    with pytest.raises(
        catalog.CatalogueError, match=r"row 'naps', field unit: 'minutes' is none of words/min, ms, s\.$"
    ):
        catalog.human_factors()
    monkeypatch.undo()
    assert isinstance(catalog.human_factors()[0], HumanFactor)
