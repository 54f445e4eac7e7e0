"""Published values of many requests at once: Little's law, the NIM sweep, queues and closed loops."""

from functools import partial

from explainer.catalog import nim_sweep
from explainer.formulas.closed_loop import knee_clients, response_bound, throughput_bound
from explainer.formulas.concurrency import (
    aggregate_rate,
    batch_at_half_ceiling,
    interactive_response_time,
    output_rate,
    per_user_rate,
    rate_ceiling,
    request_rate,
    requests_in_flight,
)
from explainer.formulas.parallel import prefill_response_time
from explainer.formulas.queueing import (
    erlang_c,
    kingman_wait,
    md1_wait,
    mg1_wait,
    mgk_wait,
    mm1_wait,
    mmk_wait,
    sakasegawa_wait,
    utilisation,
    wait_percentile,
)
from explainer.formulas.timing import completion_time, generation_rate

from .row import BY_HAND, MEASURED, NOT_REPRODUCED, PUBLISHED_WRONG, Evidence

_article = partial(
    Evidence,
    source="“Why the fastest GPU does not necessarily deliver the fastest response” (2026)",
    scope="an example with round numbers",
)
_nim = partial(
    Evidence,
    source="NVIDIA NIM LLM benchmarking 1.0.0, performance page",
    scope="Llama 3.3 70B FP8, two H100, 5,000 in, 500 out",
    kind=MEASURED,
)
_queue = partial(
    Evidence, source="Textbook formula, worked by hand", scope="one queue, random arrivals, steady state", kind=BY_HAND
)
_thread = partial(
    Evidence,
    source="vllm-project/vllm #12845",
    scope="772 requests in 329.83 s, 174,589 tokens out",
    kind=BY_HAND,
    note="The six numbers it starts from are published; the result was worked out for this project.",
)
_limits = partial(Evidence, source="luzbetak.github.io, “200 concurrent, p95 < 4 s”", scope="a design page")

SWEEP = nim_sweep()
_ALONE, _FULL = SWEEP[0], SWEEP[-1]
_PEAK = _FULL.output_tokens_per_s / _FULL.output_tokens
_ONE = completion_time(_ALONE.ttft_seconds, _ALONE.itl_seconds, _ALONE.output_tokens)


def _rate(tokens_per_s):
    return f"{tokens_per_s:g}"


# fmt: off
ROWS = (
    _article("article-all-a", "All together, 20 requests", aggregate_rate, (20, 1 / 80), "1,600", "tok/s", "80 tok/s each"),
    _article("article-all-b", "All together, 100 requests", aggregate_rate, (100, 1 / 30), "3,000", "tok/s", "30 tok/s each"),
    _article("article-each-b", "Each of 100", per_user_rate, (3000, 100), "30", "tok/s", "3,000 tok/s for all"),
    *(_nim(f"nim-{row.concurrency}", f"Tokens a second for all, {row.concurrency} {'client' if row.concurrency == 1 else 'clients'}", output_rate,
           (row.concurrency, row.ttft_seconds, row.itl_seconds, row.output_tokens), _rate(row.output_tokens_per_s), "tok/s",
           f"TTFT {row.ttft_seconds * 1e3:,.0f} ms, {row.itl_seconds * 1e3:.2f} ms a token", within=0.006) for row in SWEEP),
    *(_nim(f"nim-streams-{row.concurrency}", f"The same without the wait, {row.concurrency} clients", aggregate_rate, (row.concurrency, row.itl_seconds), _rate(row.output_tokens_per_s), "tok/s",
           f"{row.itl_seconds * 1e3:.2f} ms a token", status=NOT_REPRODUCED, within=0.006, mistake="the wait left out",
           note="C / TPOT counts every client as streaming. Those in the queue are not; the law that counts them is the row above.") for row in (SWEEP[3], SWEEP[-1])),
    _nim("nim-bound-25", "Requests a second, from one client alone and the peak, 25 clients", throughput_bound, (25, _ONE, 0, _PEAK), f"{SWEEP[2].output_tokens_per_s / 500:.4f}", "requests/s",
         "9.68 s alone, 1.84 requests/s at most", status=NOT_REPRODUCED, within=0.006, mistake="a bound, not a forecast",
         note="It is a bound: no server beats it. Near its knee the real one stays a third below, as requests slow one another."),
    _nim("nim-response-250", "Completion, from one client alone and the peak, 250 clients", response_bound, (250, _ONE, 0, _PEAK),
         f"{completion_time(_FULL.ttft_seconds, _FULL.itl_seconds, 500):.2f}", "s", "9.68 s alone, 1.84 requests/s at most", within=0.006),
    Evidence("nim-knee", "Clients from which that server is full", knee_clients, (_ONE, 0, 920.9 / 500), "17.8", "requests", "9.68 s alone, 920.9 tok/s at most",
             "NVIDIA NIM LLM benchmarking 1.0.0, by hand", "Llama 3.3 70B FP8, two H100, 5,000 in, 500 out", kind=BY_HAND),
    _thread("thread-user", "One user’s rate where the server makes 529 tok/s", generation_rate, (0.10819,), "9.24", "tok/s", "TPOT 108.19 ms"),
    _thread("thread-in-flight", "Requests in flight", requests_in_flight, (772 / 329.83, completion_time(0.249, 0.10819, 174_589 / 772)), "57.6", "requests", "2.34 requests/s, 24.6 s each"),
    _limits("limits-in-system", "Time in the system that its rate and concurrency imply", interactive_response_time, (200, 5000 / 200, 0), "4", "s", "200 in flight, 5,000 tok/s, 200 tokens each",
            status=PUBLISHED_WRONG, mistake="contradicts itself", note="200 requests in flight that leave at 25 a second stay 8 s, not 4."),
    Evidence("guidellm-in-flight", "In flight at half a request a second", requests_in_flight, (0.5, 28), "14", "requests", "0.5 requests/s, 28 s each",
             "vllm-project/guidellm #272", "4,096 in, 512 out; 13 to 15 were seen", kind=BY_HAND),
    Evidence("guidellm-rate", "Requests a second if 30 were in flight for 60 s", request_rate, (30, 60), "0.5", "requests/s", "30 in flight, 60 s each", "vllm-project/guidellm #272",
             "4,096 in, 512 out", kind=BY_HAND),
    Evidence("infersim-rate", "Tokens a second and GPU, batch of 100", aggregate_rate, (100, 0.03800), "2,632", "tok/s", "TPOT 38.00 ms", "InferSim (alibaba/InferSim), README",
             "Qwen3 30B-A3B on H20, its example run"),
    Evidence("half-ceiling", "Batch at half the ceiling of the rate", batch_at_half_ceiling, (15e9, 131_072, 2048), "56", "requests", "15 GB of weights, 2,048 tokens of context",
             "The formula solved by hand", "Llama 3.1 8B, 16 bits", kind=BY_HAND),
    Evidence("ceiling", "The ceiling itself on one H100", rate_ceiling, (3.35e12, 131_072, 2048), "12,480", "tok/s", "3.35 TB/s, 2,048 tokens of context", "The formula solved by hand",
             "Llama 3.1 8B, 16 bits", kind=BY_HAND),
    _queue("utilisation", "Load of four servers", utilisation, (3.2, 1, 4), "0.8", "", "3.2 arrivals a service time"),
    _queue("mm1", "Mean wait, M/M/1", mm1_wait, (0.8, 1), "4.0", "service times", "load 0.8"),
    _queue("md1", "Mean wait, M/D/1", md1_wait, (0.8, 1), "2.0", "service times", "load 0.8, service always the same"),
    _queue("mg1", "Mean wait, M/G/1", mg1_wait, (0.8, 1, 2), "10.0", "service times", "load 0.8, variance 4"),
    _queue("kingman", "Mean wait, G/G/1 with random arrivals", kingman_wait, (0.8, 1, 1, 2), "10.0", "service times", "load 0.8, variances 1 and 4", note="The same as M/G/1, as it must be."),
    *(_queue(f"erlang-{k}", f"Chance to wait for one of {k} servers", erlang_c, (0.8 * k, k), printed, "", "load 0.8") for k, printed in ((4, "0.5964"), (8, "0.4576"), (16, "0.3049"))),
    *(_queue(f"mmk-{k}", f"Mean wait for one of {k} servers", mmk_wait, (0.8 * k, 1, k), printed, "service times", "load 0.8") for k, printed in ((4, "0.7455"), (8, "0.2860"), (16, "0.0953"))),
    *(_queue(f"sakasegawa-{k}", f"The same by Sakasegawa’s approximation, {k} servers", sakasegawa_wait, (0.8 * k, 1, 1, 1, k), printed, "service times", "load 0.8")
      for k, printed in ((4, "0.7715"), (8, "0.3031"), (16, "0.1063"))),
    _queue("mgk", "Mean wait for one of 4 servers, service varying", mgk_wait, (3.2, 1, 1.5, 4), "1.212", "service times", "load 0.8, C = 1.5"),
    Evidence("mgk-simulated", "The same in a simulation", mgk_wait, (3.2, 1, 1.5, 4), "1.146", "service times", "load 0.8, C = 1.5", "A simulation made for this project", "400,000 arrivals",
             status=NOT_REPRODUCED, kind=MEASURED, within=0.01, mistake="an approximation of a queue", note="Lee and Longton’s formula is an approximation for more than one server; here it is 6 % too high."),
    _queue("tail", "Wait that 99 % do not exceed, service varying", wait_percentile, (0.99, 0.8, mg1_wait(0.8, 1, 1.5)), "35.6", "service times", "load 0.8, C = 1.5, exponential tail"),
    Evidence("tail-simulated", "The same in a simulation", wait_percentile, (0.99, 0.8, mg1_wait(0.8, 1, 1.5)), "44.5", "service times", "load 0.8, C = 1.5", "A simulation made for this project",
             "400,000 arrivals", status=NOT_REPRODUCED, kind=MEASURED, within=0.01, mistake="an approximation of a queue",
             note="Exact for exponential service. Where service is skewed the true tail is heavier, and the formula a fifth too kind."),
    *(Evidence(f"md1-response-{rate:g}", f"Mean response, {rate:g} prompts a second", prefill_response_time, (rate, 0.07215), printed, "s", "72.15 ms each", "DistServe, equation 1, worked by hand",
               "random arrivals, one prefill worker", kind=BY_HAND, uses=(prefill_response_time, md1_wait)) for rate, printed in ((2, "0.07823"), (5.6, "0.09661"), (8, "0.12140"), (10, "0.16561"), (12, "0.30489"))),
)
# fmt: on
