"""How long prompts and answers are."""

from dataclasses import dataclass

import numpy as np

from explainer.serving.checks import require


@dataclass(frozen=True)
class Fixed:
    """The same for all. input_tokens, output_tokens: counts."""

    input_tokens: int
    output_tokens: int

    def draw(self, count, rng):
        """(input tokens, output tokens), arrays of `count`."""
        return np.full(count, self.input_tokens), np.full(count, self.output_tokens)


@dataclass(frozen=True)
class Lognormal:
    """Independent lognormal lengths, at least one token. input_mean, output_mean: tokens; cv: standard deviation over
    mean of each."""

    input_mean: float
    output_mean: float
    cv: float = 1.0

    def draw(self, count, rng):
        """(input tokens, output tokens), arrays of `count`; rounding up to one token raises means of a few tokens a
        little."""
        require(
            self.input_mean >= 1 and self.output_mean >= 1 and self.cv >= 0,
            "Mean lengths must be 1 token or more, their cv 0 or more.",
        )
        variance = np.log1p(self.cv**2)
        draws = [
            np.exp(np.log(mean) - variance / 2 + np.sqrt(variance) * rng.standard_normal(count))
            for mean in (self.input_mean, self.output_mean)
        ]
        return tuple(np.maximum(np.rint(values), 1).astype(int) for values in draws)


@dataclass(frozen=True)
class Geometric:
    """One prompt length and answers of geometric length, the discrete exponential. input_tokens: count; output_mean:
    tokens, 1 or more."""

    input_tokens: int
    output_mean: float

    def draw(self, count, rng):
        """(input tokens, output tokens), arrays of `count`."""
        require(self.output_mean >= 1, f"A mean answer has 1 token or more, not {self.output_mean!r}.")
        return np.full(count, self.input_tokens), rng.geometric(1 / self.output_mean, count)
