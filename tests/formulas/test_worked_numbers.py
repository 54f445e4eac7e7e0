"""What follows from published numbers beyond the numbers: laws between them, and the formulas of public threads.

The published values themselves are rows of explainer.evidence, held to their printed digits in tests/evidence.

Each test names where its values come from. MODELS, FACTS and LOAD_TEST_TOOLS are notes that the founders keep beside
the project; "recomputed" means that they worked a value out by hand from the formula of the source they name.
"""

import numpy as np
import pytest

from explainer.catalog import allreduce_fixed_costs
from explainer.evidence import published
from explainer.formulas.agents import (
    chain_time,
    parallel_percentile,
)
from explainer.formulas.concurrency import (
    aggregate_rate,
    batch_at_half_ceiling,
    frontier_rate,
    interactive_response_time,
    output_rate,
    per_user_rate,
    rate_ceiling,
    requests_in_flight,
)
from explainer.formulas.decode import decode_step_time
from explainer.formulas.goodput import joint_bounds, wilson_interval
from explainer.formulas.moe import distinct_experts
from explainer.formulas.offload import streamed_step_time
from explainer.formulas.parallel import (
    all_reduce_time,
    pipeline_bubble,
    prefill_response_time,
    prefill_response_time_pipelined,
    prefill_response_time_split,
    tensor_parallel_limit,
    tensor_parallel_step_time,
)
from explainer.formulas.queueing import (
    kingman_wait,
    mg1_wait,
    mgk_wait,
    mm1_wait,
    wait_percentile,
)
from explainer.formulas.roofline import operation_time
from explainer.formulas.timing import completion_time


def test_seventy_gigabytes_at_two_terabytes_a_second():
    """The article: 35 ms before anything else; twice the FLOP/s changes nothing, twice the bandwidth halves it."""
    base = operation_time(1.4e11, 1e15, 70e9, 2e12)
    assert base == pytest.approx(published("article-70-gb"))
    assert operation_time(1.4e11, 2e15, 70e9, 2e12) == base
    assert operation_time(1.4e11, 1e15, 70e9, 4e12) == pytest.approx(base / 2)


class TestWeightOffloadLeftSwitchedOn:
    """vllm-project/vllm #57771: 64 requests, 35 GB a GPU streamed every step, 2,434 tokens/s became 120. Step 26.3
    ms, link 64 GB/s."""

    @staticmethod
    def step(size, overlap):
        return streamed_step_time(64 / 2434, size, 64e9, overlap)

    @pytest.mark.parametrize("overlap, rate, milliseconds, alone", [(0, 112, 573, 1.75), (1, 117, 547, 1.83)])
    def test_predicted_rate(self, overlap, rate, milliseconds, alone):
        step = self.step(35e9, overlap)
        assert step * 1e3 == pytest.approx(milliseconds, abs=0.5)
        assert aggregate_rate(64, step) == pytest.approx(rate, abs=0.5)
        assert aggregate_rate(1, step) == pytest.approx(alone, abs=0.0055), (
            "paid once a step: one request alone pays it all"
        )

    def test_share_of_the_transfer_and_nothing_offloaded(self):
        assert 35e9 / 64e9 / self.step(35e9, 0) > 0.95
        assert aggregate_rate(64, self.step(0, 0)) == pytest.approx(2434)

    def test_the_observed_rate_asks_for_a_faster_link_than_pcie_5_x16(self):
        """Observed 120 tokens/s: 533 ms a step, 65.6 GB/s if all is hidden, above the 63 GB/s of such a link."""
        step = 64 / 120
        assert step == pytest.approx(0.533, abs=5e-4) and 35e9 / step == pytest.approx(65.6e9, rel=1e-3)
        assert aggregate_rate(64, self.step(35e9, 1)) < 120 and 2434 / 120 == pytest.approx(20.3, abs=0.05)


def test_more_tokens_for_all_and_fewer_for_each():
    """The article: 20 requests at 80 tokens/s against 100 at 30: 1.875 times for all, 2.667 times less for each."""
    a, b = aggregate_rate(20, 1 / 80), aggregate_rate(100, 1 / 30)
    assert [a, b] == pytest.approx([1600, 3000]) and b / a == 1.875
    assert per_user_rate(a, 20) / per_user_rate(b, 100) == pytest.approx(2.667, abs=5e-4)


def test_collapse_is_not_waiting():
    """vllm-project/vllm #9722: 6.29 and 1.21 requests/s at concurrency 10 and 30; both rows obey Little's law (9.7,
    28.1).

    Answers had 6 or 7 tokens, so the number in flight is known to 4 % only. Waiting alone would give 30 / 6.29 = 4.77
    s.
    """
    seconds = completion_time(np.array([1.073, 18.854]), np.array([0.0727, 0.875]), 7)
    assert requests_in_flight(np.array([6.29, 1.21]), seconds) == pytest.approx([9.7, 28.1], rel=0.04)
    assert interactive_response_time(30, 6.29, 0) == pytest.approx(4.77, abs=0.005) and seconds[1] > 4 * 4.77


def test_whole_server_and_one_user():
    """vllm-project/vllm #12845: 529.33 tokens/s, TPOT 108.19 ms: 57.3 in flight; 2.3406 requests/s of 24.61 s: 57.6."""
    assert 529.33 * 0.10819 == pytest.approx(57.3, abs=0.05)
    assert requests_in_flight(2.3406, 24.61) == pytest.approx(57.6, abs=0.05)
    assert per_user_rate(529.33, 529.33 * 0.10819) == pytest.approx(9.24, abs=0.005)


def test_ceiling_of_the_rate_and_half_of_it():
    """MODELS B3, recomputed: Llama 3.1 8B at 2k reaches half its ceiling with 56 requests."""
    assert batch_at_half_ceiling(2 * 7.5e9, 131_072, 2048) == pytest.approx(56, abs=0.5)
    half = decode_step_time(56, 2048, 2 * 7.5e9, 131_072, 0, 989e12, 3.35e12)
    assert 56 / half == pytest.approx(rate_ceiling(3.35e12, 131_072, 2048) / 2, rel=2e-3)


def test_the_frontier_is_the_step_time_read_backwards():
    batch = 40
    step = decode_step_time(batch, 2048, 15e9, 131_072, 0, 989e12, 3.35e12)
    frontier = frontier_rate(1 / step, 15e9, 131_072, 2048, 15e9, 989e12, 3.35e12)
    assert frontier == pytest.approx(aggregate_rate(batch, step))
    assert output_rate(batch, 0, step, 1e9) == pytest.approx(frontier)


def test_all_reduce_of_70b_over_eight_is_latency():
    """MODELS B6, recomputed: 2 us of bandwidth a call at batch 32, 0.33 ms in 160 calls; FACTS: 0.75 ms in a CUDA
    graph, 2.5 ms with NCCL."""
    bandwidth_part = all_reduce_time(8, 32 * 8192 * 2, 0, 450e9)
    assert bandwidth_part * 1e6 == pytest.approx(2.04, abs=0.005) and 160 * bandwidth_part * 1e3 == pytest.approx(
        0.33, abs=0.005
    )
    cost = {
        (row.implementation, row.mode): row.fixed_seconds
        for row in allreduce_fixed_costs()
        if row.accelerator == "H100 SXM" and row.accelerators == 8
    }
    graph, eager, nccl = cost["vLLM custom", "CUDA graph"], cost["vLLM custom", "eager"], cost["NCCL", "library"]
    assert [160 * graph * 1e3, 160 * nccl * 1e3] == pytest.approx([0.75, 2.53], abs=0.01)
    assert [graph, eager] == pytest.approx([4.7e-6, 23.3e-6], rel=0.01)


def test_four_cards_are_not_four_times_one():
    four = tensor_parallel_step_time(0.040, 4, 80, 23e-6)
    assert 0.040 / four < 3 and four == pytest.approx(0.010 + 160 * 23e-6)
    assert tensor_parallel_limit(28672, 32, 3.35e12, 450e9) == pytest.approx(120, abs=1)


def test_pipeline_bubble():
    """GPipe: 4 stages, 1 and 12 microbatches: three quarters and a fifth of the time idle."""
    assert pipeline_bubble(4, np.array([1, 12])) == pytest.approx([0.75, 0.2])


def test_distserve_equations_as_printed():
    rate, time, gain = 0.6, 1.2, 1.6
    busy = rate * time
    assert prefill_response_time(rate, time) == pytest.approx(time + rate * time**2 / (2 * (1 - busy)))
    assert prefill_response_time_pipelined(rate, time) == pytest.approx(time + rate * time**2 / (4 * (2 - busy)))
    assert prefill_response_time_split(rate, time, gain) == pytest.approx(
        time / gain + rate * time**2 / (2 * gain * (gain - busy))
    )


def test_two_of_eight_experts_for_one_token():
    """MODELS B8: 2 different experts; drawing with replacement, a common variant, would give 1.88."""
    assert distinct_experts(8, 2, 1) == 2
    assert 8 * (1 - (1 - 1 / 8) ** 2) == pytest.approx(1.875)


def test_approximations_of_a_queue_are_exact_where_they_should_be():
    """Kingman for random arrivals, Lee and Longton for one server."""
    assert kingman_wait(0.8, 1, 1, 1.5) == pytest.approx(mg1_wait(0.8, 1, 1.5)) == pytest.approx(mgk_wait(0.8, 1, 1.5, 1))


def test_exponential_tail_is_exact_for_mm1():
    assert wait_percentile(0.99, 0.8, mm1_wait(0.8, 1)) == pytest.approx(np.log(80) / 0.2)


def test_percentiles_do_not_add():
    """Two exponential calls in a row, and ten: less at p99 than as many p99s of one."""
    one = parallel_percentile(0.99, 1, 1)
    assert [2 * one, 10 * one] == pytest.approx([9.210, 46.05], abs=2e-3), "MODELS B16, recomputed"
    assert published("two-in-a-row") < 2 * one and published("ten-in-a-row") < 10 * one


def test_a_step_in_five_repeated_makes_a_chain_a_quarter_longer():
    assert chain_time(8, 5, 0.2) == pytest.approx(50) and chain_time(8, 5, 0) == 40


def test_joint_shares():
    """MODELS B17: 90 and 90 can mean 80 %; DistServe's simulator measured 17.0 % where the marginals are 66.1 and
    22.4 %."""
    assert joint_bounds(0.9, 0.9) == pytest.approx((0.8, 0.9))
    low, high = joint_bounds(0.661, 0.224)
    assert (low, high) == (0, 0.224) and low <= 0.170 <= high


def test_perfect_runs_too_need_many_requests():
    """With all good, z^2 t / (1 - t): 73 requests for 95 %, 381 for 99 %; forty cannot support a claim about p99."""
    assert wilson_interval(40, 40, 0.95)[0] < 0.95


def test_all_good_reaches_to_exactly_one_and_none_to_exactly_zero():
    sizes = np.arange(1.0, 20_001.0)
    assert np.all(wilson_interval(sizes, sizes, 0.95)[1] == 1), "a limit of 100 % is not missed by a rounding"
    assert np.all(wilson_interval(0 * sizes, sizes, 0.95)[0] == 0)
