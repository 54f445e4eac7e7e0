"""Published sizes: weights from shapes, key-value caches, and what fits."""

from functools import partial
from math import floor

from explainer.catalog import model, models
from explainer.formulas.memory import (
    kv_bytes,
    kv_bytes_per_token,
    mla_kv_bytes_per_token,
    requests_that_fit,
    tokens_freed_per_step,
    usable_memory,
    weight_bytes,
)
from explainer.formulas.parameters import (
    attention_parameters,
    embedding_parameters,
    expert_layer_parameters,
    feed_forward_parameters,
    latent_attention_parameters,
)
from explainer.formulas.roofline import operation_time

from .machine import book, kipply
from .row import BY_HAND, NOT_REPRODUCED, PUBLISHED_WRONG, Evidence

_KV_70B = (80, 8, 128)  # layers, key-value heads, values a head
_post = partial(
    Evidence, source="tianpan.co, post of 2026-04-10 on self-hosted GPU memory", scope="the 70B shape, 16 bits"
)
_hub = partial(
    Evidence,
    source="Hugging Face blog on Llama 3.1 (huggingface/blog#2345)",
    scope="FP16, as first published and still in the version read",
)
_infersim = partial(
    Evidence, source="InferSim (alibaba/InferSim), README", scope="Qwen3 30B-A3B, 16 bits, its example run"
)
_vendor = partial(Evidence, scope="text model, weights of matrices")

_IN_GIB = "The number is right in GiB. Headed GB, beside a table whose weights are in true GB, it is 7 % too small."
_HEADS = "It counts 16 key-value heads, as the model’s first configuration said. The model has 8: half of this, and in GiB besides."
_LARGER = "32 chips of 16 GB hold 512 GB; less 140 GB of weights that leaves 372 GB, twice the printed number, and 138 caches at 16 bits. The printed 161 follows from neither."
_SLICES = {  # bytes a weight: name, chips, the mistake in the row, and printed memory left, caches, queries a second and chip
    2: ("16-bit", 16, "", "116", "43", "0.27"),
    1: ("8-bit", 8, "memory left, miscounted", "68", "52", "0.66"),
    0.5: ("4-bit", 4, "memory left, miscounted", "19", "67", "1.72"),
}
_SLICE_NOTES = {
    2: "",
    1: "Eight chips of 16 GB hold 128 GB. Less 70 GB of weights that leaves 58, not 68, and 43 caches.",
    0.5: "70 billion weights of half a byte weigh 35 GB, not 45. Four chips then have 29 GB left, for 43 caches again.",
}
_qwen = model("Qwen3 30B-A3B")


def weights_of(name):
    """All weights of a model of the catalogue, by its shape."""
    return model(name).parameters


def active_weights_of(name):
    """Weights that one token of a model of the catalogue is multiplied by."""
    return model(name).active_parameters


def weights_of_shape(layers, hidden, heads, kv_heads, head_dim, ffn_dim, vocabulary):
    """All weights of a gated model with one embedding."""
    return layers * (
        attention_parameters(hidden, heads, kv_heads, head_dim) + feed_forward_parameters(hidden, ffn_dim)
    ) + embedding_parameters(vocabulary, hidden)


def caches_that_fit(memory, weights, per_token, context):
    """Whole requests that fit."""
    return floor(requests_that_fit(memory, weights, per_token, context))


def queries_a_chip(chips, caches):
    """Queries a second and chip: each step reads a chip's whole memory, 512 steps a query."""
    return caches / (operation_time(0, 1, 16e9, 8.2e11) * 512 * chips)


def _of_shape(shape):
    attention = latent_attention_parameters if shape.latent_attention else attention_parameters
    return (attention, expert_layer_parameters if shape.experts else feed_forward_parameters, embedding_parameters)


_ODD = {  # the two vendors' roundings that a shape does not give, and why
    (
        "Kimi K2",
        "all",
    ): "The shape gives 1,026 billion. The vendor says 1T; the 1.04T in circulation counts something that the configuration does not show.",
    (
        "Llama 3.1 405B",
        "all",
    ): "The matrices make 405.849 billion. Four million weights of norms, which the formula leaves out, lift that to 405.853, and the rounding up.",
    (
        "Qwen3 30B-A3B",
        "active",
    ): "The shape gives 3.04 billion with one output matrix; counting the input embedding too gives 3.35, the vendor’s 3.3.",
    (
        "Mixtral 8x7B",
        "active",
    ): "The shape gives 12.75 billion with one output matrix; counting the input embedding too gives the vendor’s 12.9.",
}


def _size(shape, which, published, formula):
    billions = f"{published / 1e9:g}"
    reproduced = (shape.name, which) not in _ODD
    return _vendor(
        f"size-{which}-{shape.name}",
        f"{shape.name}: weights, {'all' if which == 'all' else 'those one token uses'}",
        formula,
        (shape.name,),
        billions,
        "billion weights",
        f"{shape.layers} layers of width {shape.hidden:,}",
        source=f"the published size; the shape from {shape.source}",
        uses=_of_shape(shape),
        status="reproduced" if reproduced else NOT_REPRODUCED,
        mistake="" if reproduced else "norms left out" if "405B" in shape.name else "weights counted in another way",
        note=_ODD.get((shape.name, which), ""),
    )


_TWINS = ("Llama 3.3 70B", "DeepSeek-R1")  # the shapes of two others in the list

# fmt: off
ROWS = (
    *(_size(each, "all", each.published_parameters, weights_of) for each in models() if each.published_parameters and each.name not in _TWINS),
    *(_size(each, "active", each.published_active_parameters, active_weights_of) for each in models() if each.published_active_parameters and each.name not in _TWINS),
    book("invented-model", "Weights of the invented model of question 1", weights_of_shape, (64, 4096, 32, 8, 256, 16384, 32128), "18.4", "billion weights",
         "64 layers of width 4,096, 32 heads of 256, one embedding", uses=(attention_parameters, feed_forward_parameters, embedding_parameters)),
    kipply("kv-flops", "Arithmetic for one token’s keys and values, 52B", weight_bytes, (64 * attention_parameters(8192, 0, 64, 128), 2), "17,179,869,184", "FLOP",
           "64 layers of width 8,192; two operations a weight", uses=(attention_parameters,)),
    kipply("kv-52b", "Cache of one token, 52B", kv_bytes_per_token, (64, 64, 128, 2), "2,097,152", "B", "64 layers, 64 heads of 128, 16 bits"),
    kipply("tokens-on-three", "Tokens cached on three GPUs", requests_that_fit, (120e9, 104e9, 2_097_152, 1), "8,000", "tokens", "120 GB, 104 GB of weights", place=1000,
           note="7,629, printed in round thousands."),
    kipply("tokens-on-four", "Tokens cached on four GPUs", requests_that_fit, (160e9, 104e9, 2_097_152, 1), "23,000", "tokens", "160 GB, 104 GB of weights", place=1000,
           status=PUBLISHED_WRONG, mistake="56 ÷ 0.002 is not 23,000", note="It divides 56 GB by 0.002 GB and prints 23,000. 56 ÷ 0.002 is 28,000; with the exact size, 26,703."),
    _post("cache-of-128k", "Cache of 131,072 tokens", kv_bytes, (1, 131_072, kv_bytes_per_token(*_KV_70B, 2)), "40", "GB", "80 layers, 8 key-value heads of 128", uses=(kv_bytes, kv_bytes_per_token),
          status=PUBLISHED_WRONG, mistake="GB and GiB confused", note="40.0 GiB, which are 42.9 GB."),
    _post("cache-of-eight", "Cache of eight requests of 8,192 tokens", kv_bytes, (8, 8192, kv_bytes_per_token(*_KV_70B, 2)), "80", "GB", "80 layers, 8 key-value heads of 128",
          uses=(kv_bytes, kv_bytes_per_token), place=10, status=PUBLISHED_WRONG, mistake="four times too large",
          note="Eight times 8,192 tokens are half of 131,072, for which the same post gives 40. Half of that is 20.0 GiB, or 21.5 GB."),
    Evidence("kv-70b", "Cache of one token, the 70B shape", kv_bytes_per_token, (*_KV_70B, 2), "327,680", "B", "80 layers, 8 key-value heads of 128, 16 bits", "The definition, by hand",
             "Llama 3 70B", kind=BY_HAND),
    Evidence("kv-mla", "Cache of one token, DeepSeek-V3", mla_kv_bytes_per_token, (61, 512, 64, 2), "70,272", "B", "61 layers, latent 512, rotary 64, 16 bits", "The configuration, by hand",
             "DeepSeek-V3 and R1", kind=BY_HAND),
    Evidence("kv-mla-long", "Cache of 1,048,576 tokens, DeepSeek-V3", kv_bytes, (1, 2**20, mla_kv_bytes_per_token(61, 512, 64, 2)), "68.63", "GiB", "61 layers, latent 512, rotary 64, 16 bits",
             "provide.ai, “The exact KV cache usage of DeepSeek V4”", "V3.2, checked there against llama.cpp", uses=(kv_bytes, mla_kv_bytes_per_token)),
    *(_hub(f"hub-weights-{size}-{bits}", f"Weights of Llama 3.1 {size} at {bits} bits", weight_bytes, (billions * 1e9, bits / 8), printed, "GB", f"{billions} billion weights")
      for size, billions, values in (("8B", 8, "16 8 4"), ("70B", 70, "140 70 35"), ("405B", 405, "810 405 203")) for bits, printed in zip((16, 8, 4), values.split(), strict=True)),
    *(_hub(f"hub-cache-{size}-{words}", f"Cache of Llama 3.1 {size}, {words} tokens", kv_bytes, (1, tokens, model(f"Llama 3.1 {size}").kv_bytes_per_token(2)), printed, "GB",
           f"{tokens:,} tokens at 16 bits", uses=(kv_bytes, kv_bytes_per_token), status=PUBLISHED_WRONG, mistake="16 KV heads, not 8" if size == "405B" else "GB and GiB confused",
           note=_HEADS if size == "405B" else _IN_GIB)
      for size, values in (("8B", "0.125 1.95 15.62"), ("70B", "0.313 4.88 39.06"), ("405B", "0.984 15.38 123.05"))
      for words, tokens, printed in zip(("1k", "16k", "128k"), (1024, 16_000, 128_000), values.split(), strict=True)),
    book("kv-13b", "Cache of 8,192 tokens, Llama 2 13B", kv_bytes, (1, 8192, kv_bytes_per_token(40, 40, 128, 2)), "6.7", "GB", "40 layers, 40 heads of 128, 16 bits", uses=(kv_bytes, kv_bytes_per_token)),
    book("kv-13b-in-table", "The same in the table below it", kv_bytes, (1, 8192, kv_bytes_per_token(40, 40, 128, 2)), "6.7", "GiB", "40 layers, 40 heads of 128, 16 bits",
         uses=(kv_bytes, kv_bytes_per_token), status=PUBLISHED_WRONG, mistake="GB and GiB confused", note="6.7 GB, as the text above the table says, are 6.25 GiB."),
    book("kv-70b-int8", "Cache of one token, 70B at 8 bits", kv_bytes_per_token, (*_KV_70B, 1), "160", "KiB", "80 layers, 8 key-value heads of 128"),
    *(book(f"kv-70b-{bits}-table", f"The same in the table, {bits} bits", kv_bytes_per_token, (*_KV_70B, bits / 8), printed, "kB", "80 layers, 8 key-value heads of 128",
           status=PUBLISHED_WRONG, mistake="neither kB nor KiB", note="160 KiB are 163.84 kB. 162 is between the two, and the other rows of the table are its double and its half.")
      for bits, printed in ((16, "324"), (8, "162"), (4, "81"))),
    *(row for bytes_each, (name, chips, mistake, left, caches, rate) in _SLICES.items() for row in (
        book(f"slice-weights-{name}", f"Weights of 70B, {name}", weight_bytes, (70e9, bytes_each), {2: "140", 1: "70", 0.5: "45"}[bytes_each], "GB", "70 billion weights",
             status=PUBLISHED_WRONG if bytes_each == 0.5 else "reproduced", mistake=mistake if bytes_each == 0.5 else "", note=_SLICE_NOTES[bytes_each] if bytes_each == 0.5 else ""),
        book(f"slice-left-{name}", f"Memory left for caches, {chips} chips, {name}", usable_memory, (16e9, chips, 1, weight_bytes(70e9, bytes_each)), left, "GB", f"{chips} × 16 GB less the weights",
             status=PUBLISHED_WRONG if mistake else "reproduced", mistake=mistake, note=_SLICE_NOTES[bytes_each]),
        book(f"slice-caches-{name}", f"Caches of 8,192 tokens in it, {name}", caches_that_fit, (chips * 16e9, weight_bytes(70e9, bytes_each), kv_bytes_per_token(*_KV_70B, bytes_each), 8192), caches,
             "caches", f"{chips} chips", uses=(requests_that_fit,), status=PUBLISHED_WRONG if mistake else "reproduced", mistake=mistake, note=_SLICE_NOTES[bytes_each]),
        book(f"slice-rate-{name}", f"Queries a second and chip, {name}", queries_a_chip,
             (chips, caches_that_fit(chips * 16e9, weight_bytes(70e9, bytes_each), kv_bytes_per_token(*_KV_70B, bytes_each), 8192)), rate, "requests/s", f"{chips} chips, 512 tokens an answer",
             uses=(requests_that_fit, operation_time), status=PUBLISHED_WRONG if mistake else "reproduced", mistake=mistake, note=_SLICE_NOTES[bytes_each]))),
    book("larger-left", "Memory left on 32 chips, 16-bit", usable_memory, (16e9, 32, 1, 140e9), "186", "GB", "32 × 16 GB less 140 GB", status=PUBLISHED_WRONG,
         mistake="memory left, miscounted", note=_LARGER),
    book("larger-caches", "Caches in it", caches_that_fit, (32 * 16e9, 140e9, kv_bytes_per_token(*_KV_70B, 2), 8192), "161", "caches", "8,192 tokens each", uses=(requests_that_fit,),
         status=PUBLISHED_WRONG, mistake="memory left, miscounted", note=_LARGER),
    book("tokens-freed", "Cached tokens given back a step", tokens_freed_per_step, (32, 8192, 4096), "96", "tokens", "32 requests of 8,192 + 4,096 tokens"),
    Evidence("fit-80-gb", "Requests of 8,192 tokens in 80 GB", requests_that_fit, (80e9, 0, 327_680, 8192), "29.8", "requests", "80 GB, 327,680 B a token", "The definition, by hand", "the 70B shape",
             kind=BY_HAND),
    _infersim("infersim-kv", "Cache of one token", kv_bytes_per_token, (_qwen.layers, _qwen.kv_heads, _qwen.head_dim, 2), "96.00", "KiB", "48 layers, 4 key-value heads of 128",
              note="Printed as KB; it counts in powers of two throughout."),
    _infersim("infersim-expert", "Weights of one expert", weight_bytes, (feed_forward_parameters(_qwen.hidden, _qwen.expert_ffn_dim), 2), "9.00", "MiB", "three matrices of 2,048 × 768",
              uses=(weight_bytes, feed_forward_parameters), note="Printed as MB; it counts in powers of two throughout."),
    _infersim("infersim-attention-weights", "Weights of one attention layer", weight_bytes, (attention_parameters(_qwen.hidden, _qwen.heads, _qwen.kv_heads, _qwen.head_dim), 2), "36.00", "MiB",
              "32 heads and 4 key-value heads of 128", uses=(weight_bytes, attention_parameters), note="Printed as MB; it counts in powers of two throughout."),
    _infersim("infersim-experts-flops", "Arithmetic of the experts, one token", weight_bytes,
              (48 * (expert_layer_parameters(_qwen.hidden, _qwen.expert_ffn_dim, _qwen.experts, 8) - expert_layer_parameters(_qwen.hidden, _qwen.expert_ffn_dim, _qwen.experts, 0)), 2), "3.62", "GFLOP",
              "8 of 128 experts in 48 layers, two operations a weight", uses=(expert_layer_parameters,)),
    _infersim("infersim-other-flops", "Arithmetic of the projections, one token", weight_bytes, (48 * attention_parameters(_qwen.hidden, _qwen.heads, _qwen.kv_heads, _qwen.head_dim), 2), "1.81", "GFLOP",
              "48 attention layers, two operations a weight", uses=(attention_parameters,)),
)
# fmt: on
