"""One run as a table of arrays, a row per attempted request, whichever tool sent it."""

from dataclasses import dataclass, field, replace

import numpy as np

from explainer.formulas import timing

SERVED, FAILED, CANCELLED = 0, 1, 2
_ROLE_GAP = 3.0


@dataclass(frozen=True)
class ToolReport:
    """What the tool itself said about goodput, under its own limits (s, by name: ttft, tpot, e2e); nan or empty where
    it did not say."""

    good: float = np.nan
    of: float = np.nan
    share: float = np.nan
    rate: float = np.nan
    limits: dict[str, float] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True)
class RunFacts:
    """What holds for the whole run: who measured it, the load that was asked for, the tool's own totals, what the
    reader noticed.

    concurrency: requests; rate: requests per s (inf: all at once); duration: s; stated: the tool's own totals by name
    (request_rate, output_rate, output_tokens); unread: records that could not be read; hidden: 'rows' where rows are
    missing and nobody knows how many, 'failures' where only the failed ones are, else ''; flattered: the metrics (ttft,
    tpot, e2e) whose values the file gives away as too small; ends: what the end-to-end
    time and TPOT end at, in words.
    """

    tool: str
    source: str
    version: str | None = None
    model: str | None = None
    concurrency: float = np.nan
    rate: float = np.nan
    duration: float = np.nan
    stated: dict[str, float] = field(default_factory=dict)
    report: ToolReport | None = None
    unread: int = 0
    hidden: str = ""
    flattered: frozenset[str] = frozenset()
    ends: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RequestTable:
    """Arrays of one length, a row per attempted request; nan is 'not measured'.

    scheduled, start: s on the run's own clock; ttft, last_token, e2e: s since the send; *_tokens, chunks: counts;
    first_gap, usual_gap: s between the first two streamed events, and the median of the next few; reported_tpot: s per
    token as the tool gave it; outcome: SERVED, FAILED or CANCELLED; in_band_error: failed by an error event inside a
    stream that began with 200; reason and group: positions in reasons and groups. gaps (s) and gap_tokens (count) are
    pooled over the run, one per chunk but the first.
    """

    facts: RunFacts
    scheduled: np.ndarray
    start: np.ndarray
    ttft: np.ndarray
    last_token: np.ndarray
    e2e: np.ndarray
    input_tokens: np.ndarray
    output_tokens: np.ndarray
    requested_tokens: np.ndarray
    retokenized_tokens: np.ndarray
    chunks: np.ndarray
    first_gap: np.ndarray
    usual_gap: np.ndarray
    reported_tpot: np.ndarray
    outcome: np.ndarray
    in_band_error: np.ndarray
    reason: np.ndarray
    group: np.ndarray
    reasons: tuple[str, ...]
    groups: tuple[str, ...]
    gaps: np.ndarray
    gap_tokens: np.ndarray

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def served(self) -> np.ndarray:
        """Which rows are finished answers."""
        return self.outcome == SERVED

    @property
    def tpot(self) -> np.ndarray:
        """Time per output token of each row in s, nan below two tokens; it ends at the last token where that is known,
        else at the end."""
        return timing.tpot(
            self.ttft, np.where(np.isnan(self.last_token), self.e2e, self.last_token), self.output_tokens
        )

    @property
    def early_first_token(self) -> np.ndarray:
        """Which answers probably had their first token taken at an empty role event: the rest of the first wait is then
        in the first gap, which dwarfs the later ones."""
        return self.served & (self.first_gap > _ROLE_GAP * self.usual_gap) & (self.first_gap > 0.5 * self.ttft)

    @property
    def flattered(self) -> frozenset[str]:
        """The metrics whose values are probably too small in most answers, for whatever reason."""
        early = self.early_first_token.sum() > 0.5 * max(1, self.served.sum())
        return self.facts.flattered | ({"ttft"} if early else frozenset())

    @property
    def finish(self) -> np.ndarray:
        """End of each row on the run's own clock, in s."""
        return self.start + self.e2e

    def take(self, rows: np.ndarray) -> "RequestTable":
        """The table of some rows (a mask or positions); the pooled gaps cannot be split and are left out."""
        columns = {
            name: getattr(self, name)[rows] for name in (*NUMBERS, "outcome", "in_band_error", "reason", "group")
        }
        return replace(self, **columns, gaps=np.empty(0), gap_tokens=np.empty(0))

    def noting(self, *notes: str) -> "RequestTable":
        """The same table with more notes."""
        return replace(self, facts=replace(self.facts, notes=(*self.facts.notes, *notes)))


NUMBERS = (
    "scheduled",
    "start",
    "ttft",
    "last_token",
    "e2e",
    "input_tokens",
    "output_tokens",
    "requested_tokens",
    "retokenized_tokens",
    "chunks",
    "first_gap",
    "usual_gap",
    "reported_tpot",
)
