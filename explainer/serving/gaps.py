"""Gaps between the tokens of one answer, as a weighted histogram per pass: never an array per token."""

from dataclasses import dataclass

import numpy as np

from explainer.serving.passes import BINS_PER_DECADE, FINEST_GAP, GAP_BINS
from explainer.serving.state import BESIDE_PREFILL, DECODE_ONLY, HAND_OFF

KINDS = {"decode only": DECODE_ONLY, "beside a prompt": BESIDE_PREFILL, "hand-over": HAND_OFF}


@dataclass(frozen=True)
class Gaps:
    """bins: tokens per logarithmic bin of gap length, for the three kinds one after the other.

    Decode only: the pass carried no prompt; beside a prompt: it did, and was longer for it; hand-over: first to second
    token across two engines. Bins are 2.3 % wide, so a percentile is within 2.3 % of the pooled gaps'.
    """

    bins: np.ndarray

    def counts(self, kind=None):
        """Tokens per bin, of one kind or of all."""
        by_kind = self.bins.reshape(3, GAP_BINS)
        return by_kind.sum(axis=0) if kind is None else by_kind[KINDS[kind]]

    def share(self, kind):
        """Share of the gaps that are of this kind; nan where there are no gaps."""
        total = self.bins.sum()
        return float(self.counts(kind).sum() / total) if total else np.nan

    def percentile(self, percent, kind=None):
        """Gap in s that `percent` of the tokens do not exceed (interpolated within a bin, on its logarithm); nan where
        there are none."""
        return float(self.percentiles([percent], kind)[0])

    def percentiles(self, percents, kind=None):
        """The same for several at once: an array."""
        counts = self.counts(kind)
        if not counts.sum() > 0:
            return np.full(len(percents), np.nan)
        upto = np.cumsum(counts)
        wanted = np.divide(percents, 100) * upto[-1]
        here = np.minimum(np.searchsorted(upto, wanted, side="left"), np.flatnonzero(counts)[-1])
        here = np.where(counts[here] > 0, here, np.argmax(counts > 0))  # the 0th percentile: where the gaps begin
        inside = (wanted - (upto[here] - counts[here])) / counts[here]
        return FINEST_GAP * 10 ** ((here + inside) / BINS_PER_DECADE)

    def edges(self):
        """Bounds of the bins in s, one more than there are bins."""
        return FINEST_GAP * 10 ** (np.arange(GAP_BINS + 1) / BINS_PER_DECADE)
