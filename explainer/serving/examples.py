"""Two engines with every input stated, for the pages and the tests: an example, and one fitted to a published sweep."""
from explainer.formulas.memory import usable_memory
from explainer.serving.costs import PassCosts
from explainer.serving.layout import Engine, OnePhase, kv_tokens

LLAMA_8B = {"linear_parameters": 6.98e9, "output_parameters": 128256 * 4096, "layers": 32, "heads": 32, "head_dim": 128}
LLAMA_70B = {"linear_parameters": 68.45e9, "output_parameters": 128256 * 8192, "layers": 80, "heads": 64, "head_dim": 128}
KV_8B, KV_70B_FP8 = 131_072, 163_840  # bytes per token: 16 bits, 8 bits


def small_engine(budget=2048, seats=256):
    """Llama 3.1 8B in 16 bits on one H100: MFU 0.6, MBU 0.8, 0.5 ms a pass, 90 % of 80 GB used (an example; MODELS: prototype's inputs).

    budget: tokens a pass; seats: requests at once. Returns an Engine.
    """
    costs = PassCosts.from_roofline(**LLAMA_8B, weight_bytes=2 * (LLAMA_8B["linear_parameters"] + LLAMA_8B["output_parameters"]),
                                    kv_bytes_per_token=KV_8B, flop_rate=989e12, bandwidth=3.35e12, mfu=0.6, mbu=0.8, step_overhead=0.5e-3)
    capacity = kv_tokens(float(usable_memory(80e9, 1, 0.9, 0)), 2 * 8.03e9, KV_8B)
    return Engine(costs, seats, budget, capacity)


def nim_layout():
    """Llama 3.3 70B in FP8 on two H100, fitted to NVIDIA's NIM sweep (5,000 tokens in, 500 out, 1 to 250 clients).

    MFU 0.48, MBU 0.63, 20 us a layer, 8-bit KV cache, budget 4,096, 92.8 % of 160 GB used, 0.1 s before the queue: found with
    measured.fit and rounded. Returns a OnePhase.
    """
    costs = PassCosts.from_roofline(**LLAMA_70B, weight_bytes=LLAMA_70B["linear_parameters"] + LLAMA_70B["output_parameters"],
                                    kv_bytes_per_token=KV_70B_FP8, flop_rate=2 * 1979e12, bandwidth=2 * 3.35e12, mfu=0.48, mbu=0.63,
                                    layer_overhead=20e-6)
    capacity = kv_tokens(float(usable_memory(80e9, 2, 0.928, 0)), 70.55e9, KV_70B_FP8)
    return OnePhase(Engine(costs, 256, 4096, capacity), front_delay=0.1)
