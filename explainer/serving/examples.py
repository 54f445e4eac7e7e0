"""Two engines with every input stated, for the pages and the tests: an example, and one fitted to a published sweep."""

from explainer.catalog import accelerator, model
from explainer.formulas.memory import usable_memory
from explainer.formulas.memory import weight_bytes as bytes_of
from explainer.serving.costs import PassCosts
from explainer.serving.layout import Engine, OnePhase, kv_tokens


def engine_of(
    shape,
    chip,
    count,
    flop_rate,
    *,
    bytes_per_weight,
    bytes_per_value,
    usable_share=0.9,
    mfu=1.0,
    mbu=1.0,
    layer_overhead=0.0,
    step_overhead=0.0,
    seats=256,
    budget=2048,
):
    """The engine of a model on some accelerators that work as one.

    shape: catalog.Model without windows or experts that stay unread (all weights are read every pass); chip:
    catalog.Accelerator; count: of them; flop_rate: FLOP/s of one at the precision in use; bytes_per_weight,
    bytes_per_value: bytes (of the cache); usable_share: of the memory, 0 to 1; the others as in PassCosts.from_roofline
    and Engine. Returns an Engine. Raises ValueError where it does not fit.
    """
    kv_bytes = shape.kv_bytes_per_token(bytes_per_value)
    costs = PassCosts.from_roofline(
        linear_parameters=shape.linear_parameters,
        output_parameters=shape.output_parameters,
        weight_bytes=float(bytes_of(shape.active_parameters, bytes_per_weight)),
        kv_bytes_per_token=kv_bytes,
        layers=shape.layers,
        heads=shape.heads,
        head_dim=shape.attention_head_dim,
        flop_rate=count * flop_rate,
        bandwidth=count * chip.memory_bytes_per_s,
        mfu=mfu,
        mbu=mbu,
        layer_overhead=layer_overhead,
        step_overhead=step_overhead,
    )
    memory = float(usable_memory(chip.memory_bytes, count, usable_share, 0))
    return Engine(
        costs, seats, budget, kv_tokens(memory, float(bytes_of(shape.parameters, bytes_per_weight)), kv_bytes)
    )


def small_engine(budget=2048, seats=256):
    """Llama 3.1 8B in 16 bits on one H100: MFU 0.6, MBU 0.8, 0.5 ms a pass, 90 % of the memory used. An example.

    budget: tokens a pass; seats: requests at once. Returns an Engine.
    """
    chip = accelerator("H100 SXM")
    return engine_of(
        model("Llama 3.1 8B"),
        chip,
        1,
        chip.bf16_flop_per_s,
        bytes_per_weight=2,
        bytes_per_value=2,
        mfu=0.6,
        mbu=0.8,
        step_overhead=0.5e-3,
        seats=seats,
        budget=budget,
    )


def small_engine_kv_bytes():
    """Bytes that one token's cache takes on the example engine, which is what a hand-over must carry."""
    return model("Llama 3.1 8B").kv_bytes_per_token(2)


def nim_layout():
    """Llama 3.3 70B (the shape of 3.1) in FP8 on two H100, fitted to NVIDIA's NIM sweep (5,000 in, 500 out, 1 to 250
    clients).

    MFU 0.51, MBU 0.60, 11 us a layer, 8-bit KV cache, budget 8,192, 92.8 % of the memory used, 0.17 s before the queue:
    found with measured.fit and rounded. Returns a OnePhase.
    """
    chip = accelerator("H100 SXM")
    engine = engine_of(
        model("Llama 3.1 70B"),
        chip,
        2,
        chip.fp8_flop_per_s,
        bytes_per_weight=1,
        bytes_per_value=1,
        usable_share=0.928,
        mfu=0.51,
        mbu=0.60,
        layer_overhead=11e-6,
        budget=8192,
    )
    return OnePhase(engine, front_delay=0.17)
