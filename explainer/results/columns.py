"""The plain table's column names, with their units, and a user's own names mapped to them."""

from explainer.results.source import Unreadable
from explainer.results.text import clean

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_TIMES = {
    "sched": "scheduled",
    "scheduled": "scheduled",
    "start": "start",
    "ttft": "ttft",
    "last_token": "last_token",
    "e2e": "e2e",
    "tpot": "reported_tpot",
}
_COUNTS = {
    "in_tok": "input_tokens",
    "input_tokens": "input_tokens",
    "out_tok": "output_tokens",
    "output_tokens": "output_tokens",
    "retok": "retokenized_tokens",
    "max_tok": "requested_tokens",
    "requested_tokens": "requested_tokens",
}
_OTHER = {"id": "id", "ok": "ok", "status": "status", "class": "class", "events": "events"}
# By column of the table: (its name in a file, what to multiply by).
KNOWN: dict[str, tuple[str, float]] = {
    **{f"{name}_{unit}": (column, factor) for name, column in _TIMES.items() for unit, factor in _UNITS.items()},
    **{name: (column, 1.0) for name, column in _COUNTS.items()},
    **{name: (column, 1.0) for name, column in _OTHER.items()},
}
_TELLING = frozenset(("ttft", "e2e", "events", "last_token"))


def assign(names: list[str], mapping: dict[str, str], source_name: str) -> dict[str, tuple[str, float]]:
    """{column of ours: (name in the file, factor to SI units)}; mapping: {our name, with unit: theirs}. Raises
    Unreadable with a question."""
    found: dict[str, tuple[str, float]] = {}
    for ours, theirs in mapping.items():
        if ours not in KNOWN:
            raise Unreadable(
                f"--columns: {clean(ours)} is no column of ours; use one of {', '.join(expected())}, times also in _ms,"
                " _us, _ns."
            )
        if theirs not in names:
            raise Unreadable(
                f"{source_name}: --columns maps {ours} to {clean(theirs)}, which the file does not have; "
                f"it has {', '.join(map(clean, names[:20]))}."
            )
        found[KNOWN[ours][0]] = (theirs, KNOWN[ours][1])
    taken = set(mapping.values())
    for name in names:
        if name in KNOWN and name not in taken:
            column, factor = KNOWN[name]
            if column in found and column not in {KNOWN[ours][0] for ours in mapping}:
                raise Unreadable(
                    f"{source_name}: {clean(name)} and {clean(found[column][0])} say the same thing twice; "
                    "name the right one with --columns."
                )
            found.setdefault(column, (name, factor))
        elif name in _TIMES and name not in taken and _TIMES[name] not in found:
            raise Unreadable(
                f"{source_name}: the column {name} does not say its unit; "
                f"add --columns {name}_s={name} or --columns {name}_ms={name}."
            )
    return found


def is_plain(names) -> bool:
    """Whether these names are a table of requests: at least one of the times that end a wait, with or without a
    unit."""
    return any(KNOWN[name][0] in _TELLING if name in KNOWN else name in ("ttft", "e2e") for name in names)


def expected() -> list[str]:
    """The names that a message recommends."""
    return [*(f"{name}_s" for name in ("sched", "start", "ttft", "e2e")), "in_tok", "out_tok", *_OTHER]
