"""Server-sent events in a recorded answer: which event carries text, which one an error."""

import re
from collections.abc import Iterator

from explainer.results.jsontext import loads, number

_ERROR = re.compile(r'^data:\s*\{\s*"(error"|object"\s*:\s*"error")', re.MULTILINE)


def has_error_event(response) -> bool:
    """Whether a recorded stream contains an error event, although it began as a success."""
    return (
        isinstance(response, str)
        and response.startswith(("data:", ":", "event:"))
        and _ERROR.search(response) is not None
    )


def events(response) -> Iterator[dict]:
    """The JSON objects behind `data:` in a piece of a stream; a piece that is bare JSON is one event; what is no JSON
    is passed over."""
    if not isinstance(response, str):
        return
    for line in response.splitlines():
        line = line.strip()
        line = line[5:].strip() if line.startswith("data:") else line
        if line.startswith("{"):
            try:
                event = loads(line.encode("utf-8", "replace"))
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


def text_of(event: dict) -> str:
    """The piece of answer, or of reasoning, in an event; '' for a role, a finish or a usage event."""
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    delta = choice.get("delta") if isinstance(choice.get("delta"), dict) else {}
    for piece in (delta.get("content"), delta.get("reasoning_content"), delta.get("reasoning"), choice.get("text")):
        if isinstance(piece, str) and piece:
            return piece
    return ""


def usage_of(event: dict) -> float:
    """Output tokens in a usage event, else nan."""
    usage = event.get("usage")
    return number(usage.get("completion_tokens")) if isinstance(usage, dict) else float("nan")


def is_error(event: dict) -> bool:
    """Whether the event says that the answer failed."""
    return bool(event.get("error")) or event.get("object") == "error"
