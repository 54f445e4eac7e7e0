"""Accelerators: dense arithmetic, memory and one-way links, each row with the scope it was printed for."""
from dataclasses import dataclass
from functools import cache

from .table import DATA, one_named, read_table


@dataclass(frozen=True)
class Accelerator:
    """One chip, wafer or rack. Arithmetic is dense (no sparsity), links count one direction; None: not published."""

    name: str
    scope: str
    chips: int
    bf16_flop_per_s: float | None
    fp8_flop_per_s: float | None
    fp4_flop_per_s: float | None
    memory_bytes: float
    memory_type: str
    memory_bytes_per_s: float
    link: str
    link_bytes_per_s: float | None
    power_watt: float | None
    kind: str
    source: str
    note: str | None


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """All accelerators of the catalogue, in the order of the file."""
    return read_table(DATA / "accelerators.csv", Accelerator)


def accelerator(name: str) -> Accelerator:
    """One accelerator by its name, capitals aside. Raises NotInCatalogue with the nearest names."""
    return one_named(accelerators(), name, "accelerator")
