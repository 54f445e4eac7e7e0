"""What fits: the shapes of published models and the arithmetic that a public post got wrong by four."""

import pytest

from explainer.catalog import accelerator, model
from explainer.formulas.memory import (
    kv_bytes,
    kv_bytes_of_request,
    kv_bytes_per_token,
    mla_kv_bytes_per_token,
    requests_that_fit,
    usable_memory,
    weight_bytes,
)

GIB = 2**30


def test_cache_of_the_70b_shape():
    """tianpan.co (2026-04-10): 80 layers, 8 key-value heads of 128, 16 bits; 131,072 tokens are 42.95 GB = 40.0 GiB."""
    assert kv_bytes_per_token(80, 8, 128, 2) == 327_680
    assert kv_bytes(1, 131_072, 327_680) == 40 * GIB == pytest.approx(42.95e9, rel=1e-4)


def test_eight_requests_of_8192_tokens_do_not_need_80_gb():
    """The same post says about 80 GB: it is 21.47 GB, 20.0 GiB. 80 GB hold 29.8 such requests, 80 GiB exactly 32."""
    size = kv_bytes(8, 8192, kv_bytes_per_token(80, 8, 128, 2))
    assert size == 20 * GIB and size / 1e9 == pytest.approx(21.47, abs=0.005)
    assert requests_that_fit(80e9, 0, 327_680, 8192) == pytest.approx(29.8, abs=0.005)
    assert requests_that_fit(80 * GIB, 0, 327_680, 8192) == 32


def test_without_grouping_the_cache_is_exactly_eight_times_as_large():
    assert kv_bytes_per_token(80, 64, 128, 2) == 8 * kv_bytes_per_token(80, 8, 128, 2)
    assert kv_bytes_per_token(80, 1, 128, 2) == kv_bytes_per_token(80, 8, 128, 2) / 8


def test_latent_attention_of_deepseek_v3():
    """DeepSeek-V3 configuration: 61 layers, latent 512, rotary 64, 16 bits."""
    assert mla_kv_bytes_per_token(61, 512, 64, 2) == 70_272 == model("DeepSeek-V3").kv_bytes_per_token(2)


def test_windows_cap_the_cache_of_gemma_3():
    """Gemma 3 27B: 10 layers see everything, 52 the last 1,024 tokens: 81,920 and 425,984 bytes a token."""
    gemma = model("Gemma 3 27B")
    full, sliding = gemma.kv_bytes_per_token(2), gemma.sliding_kv_bytes_per_token(2)
    assert (full, sliding) == (81_920, 425_984)
    assert kv_bytes_of_request(500, full, sliding, gemma.window) == 500 * (full + sliding)
    assert kv_bytes_of_request(100_000, full, sliding, gemma.window) == 100_000 * full + 1024 * sliding


def test_two_h100_hold_no_request_beside_16_bit_weights_and_some_beside_8_bit():
    llama, h100 = model("Llama 3.3 70B"), accelerator("H100 SXM")
    memory = usable_memory(h100.memory_bytes, 2, 0.9, 0)
    assert requests_that_fit(memory, weight_bytes(llama.parameters, 2), llama.kv_bytes_per_token(2), 8192) < 2
    assert requests_that_fit(memory, weight_bytes(llama.parameters, 1), llama.kv_bytes_per_token(1), 8192) > 50
