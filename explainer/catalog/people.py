"""People and their languages: how fast we read, how long we wait, how many tokens a word takes."""
from dataclasses import dataclass, replace
from functools import cache

from .table import DATA, CatalogueError, NotInCatalogue, one_named, read_table

_SI = {"words/min": (1 / 60, "words/s"), "ms": (1e-3, "s"), "s": (1, "s")}


@dataclass(frozen=True)
class HumanFactor:
    """One figure about people, in s or words/s. low and high are the range that scope explains; None: not known."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    scope: str
    kind: str
    source: str
    note: str | None


@dataclass(frozen=True)
class TokenCount:
    """One text of a language under one tokenizer; words is None where spaces do not divide words."""

    language: str
    code: str
    tokenizer: str
    tokens: int
    words: int | None
    characters: int
    tokens_versus_english: float
    scope: str
    kind: str
    source: str

    @property
    def tokens_per_word(self) -> float | None:
        """Tokens for each word, None where the language's words are not divided by spaces."""
        return None if self.words is None else self.tokens / self.words

    @property
    def tokens_per_character(self) -> float:
        """Tokens for each character, spaces included."""
        return self.tokens / self.characters


@cache
def human_factors() -> tuple[HumanFactor, ...]:
    """All figures about people, in the order of the file; the file keeps the units they were published in."""
    return tuple(map(_in_si, read_table(DATA / "human_factors.csv", HumanFactor)))


def human_factor(name: str) -> HumanFactor:
    """One figure about people by its name. Raises NotInCatalogue with the nearest names."""
    return one_named(human_factors(), name, "figure about people")


@cache
def tokens_per_word() -> tuple[TokenCount, ...]:
    """Token counts of every language under every tokenizer, in the order of the file."""
    return read_table(DATA / "tokens_per_word.csv", TokenCount)


def token_count(language: str, tokenizer: str) -> TokenCount:
    """The count of one language under one tokenizer. Raises NotInCatalogue, naming what there is."""
    of_language = [count for count in tokens_per_word() if count.language.casefold() == language.casefold()]
    for count in of_language:
        if count.tokenizer.casefold() == tokenizer.casefold():
            return count
    known = {count.tokenizer: None for count in of_language} or {count.language: None for count in tokens_per_word()}
    raise NotInCatalogue(f"The catalogue has no count of {language!r} under {tokenizer!r}; it has {', '.join(known)}.")


def _in_si(factor):
    if factor.unit not in _SI:
        raise CatalogueError(f"{DATA / 'human_factors.csv'}, row {factor.name!r}, field unit: "
                             f"{factor.unit!r} is none of {', '.join(_SI)}.")
    scale, unit = _SI[factor.unit]
    published = {"value": factor.value, "low": factor.low, "high": factor.high}
    return replace(factor, unit=unit, **{key: None if x is None else x * scale for key, x in published.items()})
