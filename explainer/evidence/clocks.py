"""Published values of the clocks of one answer: timing, speedup and the reader's pace."""

from functools import partial

from explainer.catalog import human_factor, token_count
from explainer.formulas.reading import reading_rate, reading_tpot
from explainer.formulas.speedup import accelerated_time, overall_speedup
from explainer.formulas.timing import (
    completion_time,
    crossover_tokens,
    generation_rate,
    tokens_within,
    tpot,
    tpot_for_deadline,
)

from .row import BY_HAND, MEASURED, NOT_REPRODUCED, PUBLISHED_WRONG, Evidence

_article = partial(
    Evidence,
    source="“Why the fastest GPU does not necessarily deliver the fastest response” (2026)",
    scope="an example with round numbers",
)
_infe = partial(
    Evidence,
    source="infe.io, “tokens vs time”",
    scope="two invented systems",
    kind=BY_HAND,
    note="The pair is published; the result was worked out for this project.",
)
_limits = partial(
    Evidence, source="luzbetak.github.io, “200 concurrent, p95 < 4 s”", scope="a design page, limits at p95"
)
_splitwise = partial(
    Evidence,
    source="Splitwise (Patel et al. 2024), data/perf_model.csv",
    scope="Llama 2 70B, 16 bits, 1,024 in, 128 out, batch 1",
    kind=MEASURED,
    within=0.001,
)
_configurator = partial(
    Evidence, source="NVIDIA AIConfigurator 0.12.0", scope="Qwen3 32B FP8 on H200, 4,000 in; an estimate of that tool"
)
_analysis = partial(
    Evidence, source="llm-analysis, examples/fastertransformer", scope="13B, one A100 of 40 GB, 512 in, 10 out"
)

_READER = (
    human_factor("silent reading, non-fiction, English").value,
    token_count("English", "o200k").tokens_per_word,
)  # words/s, tokens a word
_A, _B = (0.4, 0.040), (1.0, 0.020)
_TEN_STEPS = (
    "The printed total is the prefill and ten decode steps. By the definition of TPOT the prefill ends with the first token, and nine steps follow. "
    "Which of the two the measured card did, the page does not say."
)

# fmt: off
ROWS = (
    *(_article(f"article-{system}-{tokens}", f"System {system}, {tokens:,} tokens: done after", completion_time, (*clocks, tokens), printed, "s", inputs)
      for system, clocks, inputs, values in (
          ("A", _A, "0.4 s to the first token, then 40 ms each", {31: "1.6", 101: "4.4", 1001: "40.4"}),
          ("B", _B, "1 s to the first token, then 20 ms each", {31: "1.6", 101: "3", 1001: "21"}))
      for tokens, printed in values.items()),
    _article("article-tie", "Length at which A and B are done together", crossover_tokens, (*_A, *_B), "31", "tokens", "0.4 s and 40 ms against 1 s and 20 ms"),
    _article("article-rate-a", "Tokens a second that one user sees, A", generation_rate, (0.040,), "25", "tok/s", "40 ms a token"),
    _article("article-rate-b", "Tokens a second that one user sees, B", generation_rate, (0.020,), "50", "tok/s", "20 ms a token"),
    _article("article-four-times", "10 s stay, 20 s run four times faster", accelerated_time, (10, 20, 4), "15", "s", "10 s and 20 s, factor 4"),
    _article("article-twice", "The same as a factor", overall_speedup, (10, 20, 4), "2", "×", "10 s and 20 s, factor 4"),
    _article("article-short-stage", "10 s stay, 2 s run four times faster", accelerated_time, (10, 2, 4), "10.5", "s", "10 s and 2 s, factor 4"),
    _infe("infe-tie", "Length at which both are done together", crossover_tokens, (2.0, 0.010, 0.1, 0.020), "191", "tokens", "2 s then 100 tok/s; 0.1 s then 50 tok/s"),
    *(_infe(f"infe-{name}-{tokens}", f"{tokens:,} tokens from the system that {what}", completion_time, (*clocks, tokens), printed, "s", inputs)
      for name, what, clocks, inputs, values in (
          ("late", "starts late and writes fast", (2.0, 0.010), "2 s, then 100 tok/s", {50: "2.49", 200: "3.99", 1000: "11.99"}),
          ("early", "starts early and writes slowly", (0.1, 0.020), "0.1 s, then 50 tok/s", {50: "1.08", 200: "4.08", 1000: "20.08"}))
      for tokens, printed in values.items()),
    _limits("limits-end", "Completion limit beside its own TTFT and TPOT limits", completion_time, (0.6, 0.040, 200), "4.0", "s", "TTFT 600 ms, TPOT 40 ms, 200 tokens",
            status=PUBLISHED_WRONG, mistake="contradicts itself",
            note="A request that just keeps the first two limits takes more than twice the third. (Percentiles do not add; as a check of plausibility it stands.)"),
    _limits("limits-tpot", "TPOT limit that the completion limit leaves room for", tpot_for_deadline, (4.0, 0.6, 200), "40", "ms", "4 s in all, TTFT 600 ms, 200 tokens",
            status=PUBLISHED_WRONG, mistake="contradicts itself", note="199 tokens must follow in 3.4 s: 17.1 ms each. At 40 ms they take 7.96 s."),
    _limits("limits-tokens", "Tokens that arrive within 4 s at those clocks", tokens_within, (4.0, 0.6, 0.040), "86", "tokens", "TTFT 600 ms, TPOT 40 ms", kind=BY_HAND,
            note="The limits are published; the count was worked out for this project."),
    _splitwise("splitwise-a100", "Completion on two A100, as measured", completion_time, (0.3771, 0.05477, 128), "7,336.4", "ms", "prompt 377.1 ms, 54.77 ms a token"),
    _splitwise("splitwise-h100", "Completion on two H100, as measured", completion_time, (0.1580, 0.03739, 128), "4,910.1", "ms", "prompt 158.0 ms, 37.39 ms a token"),
    _splitwise("splitwise-tpot", "TPOT on two A100, from prompt and completion", tpot, (0.3771, 7.3364, 128), "54.77", "ms", "prompt 377.1 ms, completion 7,336.4 ms"),
    _configurator("configurator-end", "Completion of 1,000 tokens on four GPUs", completion_time, (0.2426, 0.006227, 1000), "6,463.75", "ms", "TTFT 242.6 ms, TPOT 6.227 ms",
                  rounded_inputs=(1e-4, 1e-6, 0), note="Its inputs are printed to 0.1 ms and 1 µs, which leaves the result open by half a millisecond either way."),
    _configurator("configurator-tpot", "TPOT from its own completion", tpot, (0.2426, 6.46375, 1000), "6.227", "ms", "TTFT 242.6 ms, completion 6,463.75 ms"),
    _configurator("configurator-rate", "One user’s rate, prefill and decode apart", generation_rate, (0.01977,), "50.59", "tok/s", "TPOT 19.77 ms, sixteen GPUs, 500 out",
                  rounded_inputs=(1e-5,), note="TPOT is printed to 10 µs; the rate lies within what that leaves open."),
    _analysis("analysis-total-ideal", "Ten tokens in all, ideal efficiencies", completion_time, (0.0437, 0.01707, 10), "214.41", "ms", "prefill 43.7 ms, 17.07 ms a step",
              status=NOT_REPRODUCED, mistake="ten steps after the first token", note=_TEN_STEPS),
    _analysis("analysis-total", "Ten tokens in all, efficiencies as profiled", completion_time, (0.06215, 0.01897, 10), "251.84", "ms", "prefill 62.15 ms, 18.97 ms a step",
              status=NOT_REPRODUCED, mistake="ten steps after the first token", note=_TEN_STEPS),
    _analysis("analysis-total-measured", "Ten tokens in all, as measured", completion_time, (0.06317, 0.0220, 10), "283.6", "ms", "prefill 63.17 ms, 22.0 ms a step, both measured",
              status=NOT_REPRODUCED, kind=MEASURED, mistake="ten steps after the first token", within=0.01, note=_TEN_STEPS),
    Evidence("amdahl-ceiling", "A stage of 95 % made infinitely fast", overall_speedup, (0.05, 0.95, float("inf")), "20", "×", "5 % stay, 95 % are accelerated",
             "Amdahl’s law, the usual textbook example", "any", kind=BY_HAND),
    Evidence("reading-rate", "English, read silently", reading_rate, _READER, "4.6", "tok/s", "238 words a minute, 1.155 tokens a word (o200k)",
             "Brysbaert (2019) for the pace; tokens counted for this project", "adults, non-fiction", kind=BY_HAND),
    Evidence("reading-tpot", "Slowest TPOT that keeps pace with the reader", reading_tpot, _READER, "218", "ms", "238 words a minute, 1.155 tokens a word (o200k)",
             "Brysbaert (2019) for the pace; tokens counted for this project", "adults, non-fiction", kind=BY_HAND),
)
# fmt: on
