"""Published values of shares and chances: experts, drafted tokens, chains of calls, limits met together."""

from functools import partial

from explainer.formulas.agents import all_within, any_beyond, parallel_percentile, sequential_percentile, share_needed
from explainer.formulas.goodput import joint_bounds, normal_quantile, requests_needed, wilson_interval
from explainer.formulas.moe import distinct_experts
from explainer.formulas.speculative import expected_tokens, operations_factor, speculative_speedup

from .row import BY_HAND, Evidence

_leviathan = partial(
    Evidence,
    source="Leviathan, Kalman, Matias (2023), table 1",
    scope="a draft that costs nothing; quoted from memory, the paper was not at hand",
)
_newcombe = partial(
    Evidence,
    source="Newcombe (1998), table I, score method",
    scope="95 %; quoted from memory, the paper was not at hand",
)
_tail = partial(Evidence, source="Dean, Barroso (2013), “The tail at scale”", scope="independent servers asked at once")
_hand = partial(Evidence, source="The formula, by hand", scope="independent events", kind=BY_HAND)

_TABLE_1 = (
    (0.6, 2, "1.96", "1.53"),
    (0.7, 3, "2.53", "1.58"),
    (0.8, 2, "2.44", "1.23"),
    (0.8, 5, "3.69", "1.63"),
    (0.9, 2, "2.71", "1.11"),
    (0.9, 10, "6.86", "1.60"),
)
_INTERVALS = ((81, 263, "0.2553", "0.3662"), (15, 148, "0.0624", "0.1605"), (1, 29, "0.0061", "0.1718"))

# fmt: off
ROWS = (
    *(row for chance, drafted, speed, operations in _TABLE_1 for row in (
        _leviathan(f"speed-{chance}-{drafted}", f"Faster, acceptance {chance}, {drafted} drafted", speculative_speedup, (chance, drafted, 0), speed, "×", f"α = {chance}, γ = {drafted}"),
        _leviathan(f"operations-{chance}-{drafted}", f"More arithmetic, acceptance {chance}, {drafted} drafted", operations_factor, (chance, drafted, 0), operations, "×", f"α = {chance}, γ = {drafted}"))),
    _hand("expected-tokens", "Tokens of one checking step", expected_tokens, (0.8, 2), "2.44", "tokens", "1 + 0.8 + 0.64"),
    _hand("experts-of-one", "Experts that one token wakes", distinct_experts, (8, 2, 1), "2", "experts", "2 different ones of 8"),
    _hand("experts-of-many", "Experts that 16 tokens wake", distinct_experts, (128, 8, 16), "82.4", "experts", "8 different ones of 128 each"),
    _tail("tail-100", "Requests slowed by one of 100 servers", any_beyond, (0.01, 100), "63", "%", "each slow once in 100"),
    _tail("tail-2000", "Requests slowed by one of 2,000 servers", any_beyond, (0.0001, 2000), "0.18", "", "each slow once in 10,000"),
    Evidence("tail-10", "Queries slowed by one of 10 servers", any_beyond, (0.01, 10), "10", "%", "each slow once in 100", "Barroso, talk on the long tail, as noted by V. Haldar", "independent servers asked at once"),
    Evidence("tail-50", "Queries slowed by one of 50 servers", any_beyond, (0.01, 50), "40", "%", "each slow once in 100", "Barroso, talk on the long tail, as noted by V. Haldar", "independent servers asked at once", place=10),
    _hand("session-30", "Sessions with a slow call, 30 calls", any_beyond, (0.01, 30), "26.0", "%", "each slow once in 100"),
    _hand("session-10", "Sessions of 10 calls without a slow one", all_within, (0.99, 10), "0.904", "", "each within its limit 99 times in 100"),
    _hand("session-needed", "Share each of 10 calls must keep for 99 %", share_needed, (0.99, 10), "99.90", "%", "10 calls"),
    _hand("two-in-a-row", "Two exponential calls, p99", sequential_percentile, (0.99, 2, 1), "6.638", "service times", "mean 1 each"),
    _hand("ten-in-a-row", "Ten exponential calls, p99", sequential_percentile, (0.99, 10, 1), "18.78", "service times", "mean 1 each"),
    _hand("one-p99", "One exponential call, p99", parallel_percentile, (0.99, 1, 1), "4.605", "service times", "mean 1"),
    _hand("joint-low", "Least share that meets both limits", joint_bounds, (0.9, 0.9), "0.8", "", "90 % meet each", part=0),
    _hand("joint-high", "Greatest share that meets both", joint_bounds, (0.9, 0.9), "0.9", "", "90 % meet each", part=1),
    *(row for good, attempted, low, high in _INTERVALS for row in (
        _newcombe(f"wilson-low-{good}", f"{good} of {attempted}: lower end", wilson_interval, (good, attempted, 0.95), low, "", f"{good} of {attempted}, 95 %", part=0),
        _newcombe(f"wilson-high-{good}", f"{good} of {attempted}: upper end", wilson_interval, (good, attempted, 0.95), high, "", f"{good} of {attempted}, 95 %", part=1))),
    _hand("wilson-28-low", "28 of 40: lower end", wilson_interval, (28, 40, 0.95), "55", "%", "28 of 40, 95 %", part=0),
    _hand("wilson-28-high", "28 of 40: upper end", wilson_interval, (28, 40, 0.95), "82", "%", "28 of 40, 95 %", part=1),
    Evidence("normal", "Standard deviations that hold 95 %", normal_quantile, (0.95,), "1.959964", "", "two-sided", "The normal distribution, any table", "any"),
    _hand("needed-95", "Perfect requests that prove 95 %", requests_needed, (1.0, 0.95, 0.95), "73.0", "requests", "all good, 95 % confidence"),
    _hand("needed-99", "Perfect requests that prove 99 %", requests_needed, (1.0, 0.99, 0.95), "380.3", "requests", "all good, 95 % confidence"),
)
# fmt: on
