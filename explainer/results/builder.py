"""Rows in, a table out: compact while it grows, and nothing impossible gets through."""

from array import array
from dataclasses import replace

import numpy as np

from explainer.results.table import FAILED, NUMBERS, SERVED, RequestTable, RunFacts
from explainer.results.text import clean, counted

# End and first token of a one-token answer may differ by the rounding of a file in whole milliseconds.
_ROUNDING = 1e-3
_UNKNOWN = array("d", [np.nan])
# Gaps after the first that stand for all the others.
_FOLLOWING = 12


class _Names:
    """Texts from a file, each kept once and shown clean, and the place of each."""

    def __init__(self):
        self.names: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, raw: str) -> int:
        found = self._places.get(raw)
        if found is None:
            found = self._places[raw] = len(self.names)
            self.names.append(clean(raw))
        return found


class TableBuilder:
    """add() a row per attempted request, then build() once."""

    def __init__(self):
        self._numbers = array("d")
        self._outcome, self._in_band_error = array("b"), array("b")
        self._reason, self._group = array("l"), array("l")
        self._reasons, self._groups = _Names(), _Names()
        self._gaps, self._gap_tokens = array("d"), array("d")

    def __len__(self) -> int:
        return len(self._outcome)

    def add(
        self, outcome: int = SERVED, reason: str = "", group: str = "", in_band_error: bool = False, **numbers: float
    ) -> None:
        """One request; numbers by column name, those not given are not measured."""
        self._numbers.extend([numbers.get(name, np.nan) for name in NUMBERS])
        self._outcome.append(outcome)
        self._in_band_error.append(in_band_error)
        self._reason.append(self._reasons.place(reason))
        self._group.append(self._groups.place(group))

    def add_gaps(self, gaps, tokens: list[float] | None = None) -> dict[str, float]:
        """Pools the gaps (s, an array or a list) between one answer's streamed events; returns its chunks, first_gap
        and usual_gap."""
        gaps = np.asarray(gaps, dtype=float)
        self._gaps.frombytes(gaps.tobytes())
        self._gap_tokens.extend(_UNKNOWN * len(gaps) if tokens is None else tokens)
        found = {"chunks": len(gaps) + 1.0}
        if len(gaps) > 2:
            following = sorted(gaps[1:_FOLLOWING].tolist())
            found.update(first_gap=float(gaps[0]), usual_gap=following[len(following) // 2])
        return found

    def build(self, facts: RunFacts) -> RequestTable:
        """The table; impossible values become 'not measured' and empty answers failures, each with a note that counts
        them."""
        rows = np.array(self._numbers).reshape(-1, len(NUMBERS))
        columns = {name: rows[:, place].copy() for place, name in enumerate(NUMBERS)}
        outcome = np.array(self._outcome, dtype=np.int8)
        reason = np.array(self._reason, dtype=np.int64)
        notes = list(facts.notes)
        self._repair(columns, outcome == SERVED, notes)
        self._fail_empty(columns, outcome, reason, notes)
        return RequestTable(
            facts=replace(facts, notes=tuple(notes)),
            **columns,
            outcome=outcome,
            in_band_error=np.array(self._in_band_error, dtype=bool),
            reason=reason,
            group=np.array(self._group, dtype=np.int64),
            reasons=tuple(self._reasons.names),
            groups=tuple(self._groups.names),
            gaps=np.array(self._gaps),
            gap_tokens=np.array(self._gap_tokens),
        )

    @staticmethod
    def _repair(columns: dict[str, np.ndarray], served: np.ndarray, notes: list[str]) -> None:
        for name in NUMBERS:
            column = columns[name]
            wrong = np.isinf(column)
            if name not in ("scheduled", "start"):
                wrong |= column < 0
            if name.endswith("_tokens"):
                wrong |= column != np.floor(column)
                wrong &= ~np.isnan(column)
            if wrong.any():
                column[wrong] = np.nan
                notes.append(
                    f"{counted(int(wrong.sum()))}: an impossible value of {name} (negative, infinite, or half a token) "
                    "is treated as not measured."
                )
        ttft, last_token, e2e = columns["ttft"], columns["last_token"], columns["e2e"]
        for end in (last_token, e2e):
            rounded = (end < ttft) & (end >= ttft - _ROUNDING)
            end[rounded] = ttft[rounded]
        wrong = served & ((e2e < ttft) | (last_token < ttft))
        if wrong.any():
            for column in (ttft, last_token, e2e):
                column[wrong] = np.nan
            notes.append(
                f"{counted(int(wrong.sum()))}: the end comes before the first token; times that contradict each other"
                " are treated as not measured (are both in the unit that the column names?)."
            )

    def _fail_empty(
        self, columns: dict[str, np.ndarray], outcome: np.ndarray, reason: np.ndarray, notes: list[str]
    ) -> None:
        for empty, why in (
            (columns["output_tokens"] == 0, "an answer without a token"),
            (columns["ttft"] == 0, "a first token after 0 s, which no server can do"),
        ):
            rows = (outcome == SERVED) & empty
            if rows.any():
                outcome[rows] = FAILED
                reason[rows] = self._reasons.place(why)
                notes.append(f"{counted(int(rows.sum()))} reported as finished: {why}. Counted as failed.")
