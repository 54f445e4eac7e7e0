"""Bad input gets one clear sentence."""


def require(condition, sentence: str) -> None:
    """Raises ValueError with the sentence unless the condition holds."""
    if not condition:
        raise ValueError(sentence)
