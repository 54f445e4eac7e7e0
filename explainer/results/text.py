"""Text that came from a file: shown as text, never as markup, a terminal command or a way to hide what stands beside
it."""

import unicodedata


def clean(text, longest: int = 200) -> str:
    """The text on one line without control, format and surrogate characters, cut to a length; anything else becomes
    its str()."""
    kept = "".join(
        " " if character.isspace() else character
        for character in str(text)[: 20 * longest]
        if character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    kept = " ".join(kept.split())
    return kept if len(kept) <= longest else kept[: longest - 1] + "…"


def counted(number: int, noun: str = "request", plural: str | None = None) -> str:
    """A count with its noun: '1 request', '1,234 requests'."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
