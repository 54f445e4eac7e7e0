"""What others said: claims with their exact scope, and limits published for services and benchmarks."""
from dataclasses import dataclass
from functools import cache

from .table import DATA, one_named, read_table


@dataclass(frozen=True)
class Claim:
    """One published figure and exactly what it was said of. value is None where the claim is no single number."""

    name: str
    claim: str
    value: float | None
    unit: str | None
    scope: str
    measured_by: str
    kind: str
    source: str
    note: str | None


@dataclass(frozen=True)
class PublishedSlo:
    """One published set of limits: s, s per token, or times an idle machine (slowdown); percentile is a share."""

    publisher: str
    version: str
    scenario: str
    model: str
    ttft_seconds: float | None
    tpot_seconds: float | None
    e2e_seconds: float | None
    slowdown: float | None
    percentile: float | None
    tpot_meaning: str | None
    rule: str
    scope: str
    kind: str
    source: str
    note: str | None


@cache
def claims() -> tuple[Claim, ...]:
    """All claims of the catalogue, in the order of the file."""
    return read_table(DATA / "claims.csv", Claim)


def claim(name: str) -> Claim:
    """One claim by its short name. Raises NotInCatalogue with the nearest names."""
    return one_named(claims(), name, "claim")


@cache
def published_slos() -> tuple[PublishedSlo, ...]:
    """All published limits of the catalogue, in the order of the file."""
    return read_table(DATA / "slos.csv", PublishedSlo)
