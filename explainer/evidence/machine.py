"""Published values of one machine: the roofline, prefill, and the decode step."""

from functools import partial

from explainer.catalog import model
from explainer.formulas.concurrency import aggregate_rate
from explainer.formulas.decode import (
    decode_flops_per_token,
    decode_step_bytes,
    decode_step_time,
    decode_step_time_in_turn,
)
from explainer.formulas.memory import kv_bytes_per_token, weight_bytes
from explainer.formulas.parameters import attention_parameters, feed_forward_parameters
from explainer.formulas.prefill import attention_equals_linear_tokens, attention_flops, prefill_flops, prefill_time
from explainer.formulas.roofline import arithmetic_intensity, critical_batch, mbu, mfu, operation_time, ridge_intensity

from .row import BY_HAND, MEASURED, NOT_REPRODUCED, PUBLISHED_WRONG, Evidence

V5E_FLOPS, V5E_BANDWIDTH = (
    1.97e14,
    8.1e11,
)  # as the book's inference chapter prints them; its roofline chapter says 8.2e11
A100_FLOPS, A100_40_BANDWIDTH, A100_BANDWIDTH = 312e12, 1.5e12, 2.039e12

book = partial(
    Evidence, source="“How to Scale Your Model” (jax-ml/scaling-book)", scope="TPU v5e, an estimate on paper"
)
kipply = partial(
    Evidence,
    source="kipply, “Transformer inference arithmetic” (kipply/blog@09819d4)",
    scope="A100 of 40 GB, an estimate on paper",
)
_infersim = partial(
    Evidence, source="InferSim (alibaba/InferSim), README", scope="Qwen3 30B-A3B, 16 bits, its example run"
)
_analysis = partial(
    Evidence, source="llm-analysis, examples/fastertransformer", scope="13B, one A100 of 40 GB, 512 in, 10 out"
)
_splitwise = partial(
    Evidence,
    source="Splitwise (Patel et al. 2024), data/perf_model.csv, and announced peaks",
    scope="Llama 2 70B, 1,024 in, 128 out, batch 1",
    kind=BY_HAND,
    note="The time is measured and published; the utilisation was worked out for this project with 70 billion weights.",
)
_vidur = partial(
    Evidence,
    source="vidur (microsoft/vidur@7d47513), A100 profile, and announced peaks",
    scope="Llama 3 8B, one layer’s four projections, 16 bits",
    kind=BY_HAND,
    note="The time is measured and published; the utilisation was worked out for this project.",
)

# kipply's models: MLP of four times the width, no gate
_52B = 64 * (attention_parameters(8192, 64, 64, 128) + feed_forward_parameters(8192, 4 * 8192, 2))
_LARGE = (512 * 2 * 260e9, 16 * A100_FLOPS, 2 * 260e9, 16 * A100_40_BANDWIDTH)

# llm-analysis' 13B model: an OPT of 40 layers
_MATRICES = 40 * (attention_parameters(5120, 40, 40, 128) + feed_forward_parameters(5120, 20480, 2))
_OUTPUT = 50272 * 5120
_SHAPE_13B = (40, 40, 128)
_NORMS = 40 * 4 * 512 * 5120 * 2 + 2 * _OUTPUT  # bytes: two norms a layer, read and written, and the embedding
_PREFILL_13B = (prefill_flops(512, 0, _MATRICES, _OUTPUT, *_SHAPE_13B), 2 * _MATRICES, A100_FLOPS, 1.555e12)
_STEP_13B = (522, weight_bytes(_MATRICES + _OUTPUT, 2), kv_bytes_per_token(*_SHAPE_13B, 2), 0, A100_FLOPS, 1.555e12)
_OTHER_COUNT = (
    "It counts attention without the causal half, logits for every position, and norms read one after the other: more work than a prefill needs. "
    "With its own count the formula gives its number (the row below)."
)
_CACHE_TWICE = "Reading the cache of 522 tokens twice brings the formula within 0.05 % of the printed number. Reading it once takes 1.6 % less."

# Llama 2 13B on eight v5e: bytes of one sequence's cache at 8,192 tokens, and the two printed tables
_13B = {
    "mha": (6.7e9, "4.98 12.13 20.30 36.65 69.33 249.09", "200.61 659.30 787.99 873.21 923.13 963.53"),
    "gqa": (1.34e9, "4.17 5.60 7.23 10.50 17.04 52.99", "239.94 1,429.19 2,212.48 3,047.62 3,756.62 4,529.34"),
}
_IN_GB = "The table is headed GiB and TiB/s; its times come out only if these are GB and TB/s. In true GiB every step takes 7 % longer."

# Splitwise and vidur: bytes and operations of what was measured
_70B_READ = decode_step_bytes(1, 1024 + 64, weight_bytes(70e9, 2), model("Llama 3.1 70B").kv_bytes_per_token(2))
_PROJECTIONS, _ENDS = 218_103_808, 26_624 + 43_008  # weights; inputs and outputs of a token

_qwen, _llama8, _llama70 = model("Qwen3 30B-A3B"), model("Llama 3.1 8B"), model("Llama 3.1 70B")


def prefill_as_llm_analysis_counts(mfu_reached, mbu_reached):
    """The prefill with that tool's work: full attention, logits for every position, norms and embedding read afterwards."""
    flops = prefill_flops(512, 0, _MATRICES + _OUTPUT, 0, *_SHAPE_13B) + attention_flops(512, 0, *_SHAPE_13B)
    return prefill_time(flops, 0, A100_FLOPS, 1.555e12, mfu_reached) + operation_time(
        0, 1, _NORMS, 1.555e12 * mbu_reached
    )


def step_of_llama_2_13b(batch, cache):
    """One decode step of the book's tables: 26 GB of weights, eight chips of 0.82 TB/s."""
    return decode_step_time(batch, 8192, 26e9, cache / 8192, 2 * 13e9, 8 * V5E_FLOPS, 8 * 0.82e12)


# fmt: off
ROWS = (
    Evidence("article-70-gb", "Reading 70 GB at 2 TB/s", operation_time, (1.4e11, 4e14, 70e9, 2e12), "35", "ms", "70 GB, 2 TB/s, one request",
             "“Why the fastest GPU does not necessarily deliver the fastest response” (2026)", "an example with round numbers"),
    book("dot-product", "Intensity of a dot product, 16 bits", arithmetic_intensity, (2e9 - 1, 4e9 + 2), "0.5", "FLOP/B", "a billion pairs: 2 N − 1 operations, 4 N + 2 bytes"),
    book("ridge-v5e", "Intensity at which a v5e is balanced", ridge_intensity, (V5E_FLOPS, 8.2e11), "240", "FLOP/B", "197 TFLOP/s, 0.82 TB/s"),
    book("ridge-link", "The same for one link between chips", ridge_intensity, (V5E_FLOPS, 4.5e10), "4,377", "FLOP/B", "197 TFLOP/s, 45 GB/s", cut=True,
         note="4,377.8, with the rest cut off."),
    kipply("ridge-a100", "Operations for each byte of an A100", ridge_intensity, (A100_FLOPS, A100_40_BANDWIDTH), "208", "FLOP/B", "312 TFLOP/s, 1.5 TB/s"),
    kipply("ridge-nvlink", "Operations for each byte of its link", ridge_intensity, (A100_FLOPS, 300e9), "1,040", "FLOP/B", "312 TFLOP/s, 300 GB/s"),
    kipply("critical-a100", "Batch from which arithmetic takes over", critical_batch, (A100_FLOPS, A100_40_BANDWIDTH, 2), "208", "tokens", "312 TFLOP/s, 1.5 TB/s, 16 bits"),
    *(book(f"critical-{name}", f"The same on a v5e, weights of {bits} bits", critical_batch, (V5E_FLOPS, 8.2e11, bits / 8), printed, "tokens", f"197 TFLOP/s, 0.82 TB/s, {bits}-bit weights, 16-bit arithmetic")
      for name, bits, printed in (("bf16", 16, "240"), ("int8", 8, "120"), ("int4", 4, "60"))),
    kipply("52b-flops", "Arithmetic of a 52B model, one token", decode_flops_per_token, (_52B, 0, 64, 64, 128), "103,079,215,104", "FLOP", "64 layers of width 8,192",
           uses=(decode_flops_per_token, attention_parameters, feed_forward_parameters)),
    kipply("52b-step", "One pass of it on one GPU", operation_time, (0, A100_FLOPS, weight_bytes(_52B, 2), A100_40_BANDWIDTH), "69", "ms", "51.5 billion weights, 1.5 TB/s"),
    kipply("52b-step-of-four", "One pass of it on four", operation_time, (0, A100_FLOPS, weight_bytes(_52B, 2), 4 * A100_40_BANDWIDTH), "17", "ms", "51.5 billion weights, 6 TB/s"),
    kipply("260b-step", "260B on sixteen GPUs, small batch", operation_time, (2 * 260e9, 16 * A100_FLOPS, 2 * 260e9, 16 * A100_40_BANDWIDTH), "22", "ms", "520 GB, 24 TB/s"),
    kipply("260b-large-step", "260B on sixteen GPUs, batch of 512", operation_time, _LARGE, "53", "ms", "512 tokens, 4,992 TFLOP/s"),
    kipply("260b-large-step-in-text", "The same step, in the sentence above the equation", operation_time, _LARGE, "62", "ms", "512 tokens, 4,992 TFLOP/s", status=PUBLISHED_WRONG,
           mistake="contradicts itself", note="The same sentence gives 53 ms for the step and then says that 512 tokens are made in 62 ms. Its equation gives 53."),
    book("quiz-4", "30B on sixteen chips, batch of 4", decode_step_time_in_turn, (4, 8192, 30e9, 100e3, 60e9, 16 * V5E_FLOPS, 16 * V5E_BANDWIDTH), "2.5", "ms",
         "int8 weights, 8,192 tokens of context at 100 kB", cut=True, note="2.57 ms: the rest was cut off, not rounded."),
    book("quiz-256", "30B on sixteen chips, batch of 256", decode_step_time_in_turn, (256, 8192, 30e9, 100e3, 60e9, 16 * V5E_FLOPS, 16 * V5E_BANDWIDTH), "21", "ms",
         "int8 weights, 8,192 tokens of context at 100 kB"),
    book("full-memory", "A v5e reading its whole memory", operation_time, (0, V5E_FLOPS, 16e9, 8.2e11), "19", "ms", "16 GB at 0.82 TB/s", cut=True, note="19.5 ms: the rest was cut off."),
    *(row for name, (cache, steps, rates) in _13B.items() for batch, step, rate in zip((1, 8, 16, 32, 64, 240), steps.split(), rates.split(), strict=True) for row in (
        book(f"step-{name}-{batch}", f"Llama 2 13B on eight chips, batch of {batch}", step_of_llama_2_13b, (batch, cache), step, "ms",
             f"26 GB of weights, {cache / 1e9:g} GB of cache a sequence, 8 × 0.82 TB/s", note=_IN_GB if batch == 1 else "", uses=(decode_step_time,)),
        book(f"rate-{name}-{batch}", "The same as tokens a second", aggregate_rate, (batch, step_of_llama_2_13b(batch, cache)), rate, "tok/s",
             f"26 GB of weights, {cache / 1e9:g} GB of cache a sequence, 8 × 0.82 TB/s", uses=(aggregate_rate, decode_step_time)))),
    book("prefill-8192", "Reading 8,192 tokens, 70B on sixteen chips", prefill_time, (prefill_flops(8192, 0, 70e9, 0, 0, 0, 0), 140e9, 16 * V5E_FLOPS, 16 * V5E_BANDWIDTH, 0.4),
         "0.91", "s", "MFU 40 %, attention left out", uses=(prefill_time, prefill_flops), note="With causal attention, which the book leaves out here, it is 0.979 s."),
    *(row for name, words, reached, printed in (("ideal", "ideal efficiencies", (1, 1), "43.7"), ("profiled", "efficiencies as profiled", (0.7, 0.9), "62.15")) for row in (
        _analysis(f"analysis-prefill-{name}", f"Prefill, {words}", prefill_time, (*_PREFILL_13B, *reached), printed, "ms", "MFU {:g}, MBU {:g}".format(*reached),
                  status=NOT_REPRODUCED, mistake="other work counted", note=_OTHER_COUNT),
        _analysis(f"analysis-prefill-{name}-their-count", "The same with that tool’s own count of the work", prefill_as_llm_analysis_counts, reached, printed, "ms",
                  "MFU {:g}, MBU {:g}".format(*reached), uses=(prefill_time, prefill_flops, attention_flops)))),
    _analysis("analysis-prefill-measured", "Prefill, as measured", prefill_time, (*_PREFILL_13B, 0.7, 0.9), "63.17", "ms", "MFU 0.7, MBU 0.9, as profiled", status=NOT_REPRODUCED,
              kind=MEASURED, within=0.01, mistake="slower than its best kernels", note="Different parts of the layer reach 0.54 to 0.72 of the peak; one number for all of them is too kind."),
    *(_analysis(f"analysis-step-{name}", f"One decode step, {words}", decode_step_time, (1, *_STEP_13B, 1, reached), printed, "ms", f"MBU {reached:g}",
                status=NOT_REPRODUCED, mistake="other work counted", note=_CACHE_TWICE)
      for name, words, reached, printed in (("ideal", "ideal efficiencies", 1, "17.07"), ("profiled", "efficiencies as profiled", 0.9, "18.97"))),
    _analysis("analysis-step-measured", "One decode step, as measured", decode_step_time, (1, *_STEP_13B, 1, 0.9),
              "22.0", "ms", "MBU 0.9, as profiled", status=NOT_REPRODUCED, kind=MEASURED, within=0.01, mistake="slower than its best kernels",
              note="The card reached 0.76 of its bandwidth over the whole step, not the 0.9 of its best kernels."),
    Evidence("palm-mfu", "MFU of PaLM 540B in training", mfu, (238.3e3 * 3 * decode_flops_per_token(540.35e9, 2048, 118, 48, 256), 1, 6144 * 275e12), "46.2", "%",
             "238,300 tok/s on 6,144 chips of 275 TFLOP/s; three passes’ worth of arithmetic", "“PaLM” (Chowdhery et al. 2022), section 4.1", "TPU v4, 16 bits, training",
             uses=(mfu, decode_flops_per_token)),
    Evidence("databricks-mbu", "MBU of a 7B model at 14 ms a token", mbu, (14e9, 0.014, 2e12), "50", "%", "14 GB read in 14 ms, peak 2 TB/s",
             "Databricks (2023), “LLM inference performance engineering”", "A100 of 80 GB, an example"),
    _splitwise("splitwise-mfu", "MFU of the prompt on two A100", mfu, (2 * 70e9 * 1024, 0.3771, 2 * A100_FLOPS), "0.61", "", "1,024 tokens in 377.1 ms"),
    _splitwise("splitwise-mbu", "MBU of decode on two A100", mbu, (_70B_READ, 0.05477, 2 * A100_BANDWIDTH), "0.63", "", "54.77 ms a token", uses=(mbu, decode_step_bytes)),
    _splitwise("splitwise-mbu-8", "MBU of decode on eight A100", mbu, (_70B_READ, 0.0450, 8 * A100_BANDWIDTH), "0.19", "", "45.0 ms a token", uses=(mbu, decode_step_bytes)),
    _vidur("vidur-mbu", "MBU of one layer for one token", mbu, (2 * (_PROJECTIONS + _ENDS), 0.000276, A100_BANDWIDTH), "0.775", "", "0.276 ms, 2.039 TB/s"),
    _vidur("vidur-mfu", "MFU of one layer for 4,096 tokens", mfu, (2 * _PROJECTIONS * 4096, 0.007828, A100_FLOPS), "0.73", "", "7.828 ms, 312 TFLOP/s"),
    _infersim("infersim-attention", "Arithmetic of attention, one token", attention_flops, (1, 5119.5, _qwen.layers, _qwen.heads, _qwen.head_dim), "4.03", "GFLOP", "mean context of 4,096 + 1,024"),
    Evidence("attention-8b", "Prompt at which attention costs what the matrices do, 8B", attention_equals_linear_tokens, (7.5e9, 32, 32, 128), "57,000", "tokens", "7.5 billion weights",
             "The formula solved by hand", "Llama 3.1 8B", kind=BY_HAND, place=1000),
    Evidence("attention-70b", "The same for 70B", attention_equals_linear_tokens, (69.5e9, 80, 64, 128), "106,000", "tokens", "69.5 billion weights", "The formula solved by hand",
             "Llama 3.1 70B", kind=BY_HAND, place=1000),
)
# fmt: on
