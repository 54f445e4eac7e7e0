"""The pages whose moves are measured: where each is served, where its sliders are, what it must say after a move."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import servers
from explainer.formulas.timing import completion_time
from explainer.page.parameters import PARAMETERS
from explainer.page.units import UNITS

SLIDERS = ("ttft_a", "tpot_a", "ttft_b", "tpot_b", "tokens", "longest")
_CHAPTER = "02-start-or-finish"

# What the page says of its values, by name.
_SENTENCE = """() => {
    const places = document.querySelectorAll('#start-or-finish .x-sentence [data-choice] > :not([hidden]) [data-x]');
    return Object.fromEntries([...places].map((each) => [each.dataset.x, each.textContent]));
}"""
_TITLE = """() => {
    const title = document.querySelector('.vega-embed svg .role-title-text')?.textContent ?? '';
    const [, tokens, done_a, done_b] = title.match(/^At (.*): A (.*), B (.*)$/) ?? [];
    return { tokens, done_a, done_b };
}"""
_NOTHING = "() => null"  # a PNG says nothing that a script could read


@dataclass(frozen=True)
class Subject:
    """A page to measure: name, server, address there, when it is ready, its picture, its sliders, what it says."""

    name: str
    server: Callable
    path: str
    ready: str
    picture: str
    slider: Callable[[str], str]
    says: str
    readers: str = "kernel"


def _handle(name: str) -> str:
    return f".noUi-handle >> nth={SLIDERS.index(name)}"


SUBJECTS = (
    Subject(
        "static",
        servers.static,
        f"{_CHAPTER}.html",
        "#start-or-finish[data-awake]",
        "#start-or-finish .x-picture",
        '#start-or-finish [data-parameter="{}"] input[type=range]'.format,
        _SENTENCE,
        "files",
    ),
    Subject(
        "live",
        servers.live,
        f"{_CHAPTER}.ipynb",
        "#start-or-finish [data-awake]",
        "#start-or-finish .x-picture",
        "#start-or-finish .x-p-{} .noUi-handle".format,
        _SENTENCE,
    ),
    Subject(
        "naive, matplotlib Image",
        servers.naive,
        "matplotlib-image.ipynb",
        ".jupyter-widgets img",
        ".jupyter-widgets img",
        _handle,
        _NOTHING,
    ),
    Subject(
        "naive, Altair specification",
        servers.naive,
        "altair-specification.ipynb",
        ".vega-embed svg",
        ".vega-embed svg",
        _handle,
        _TITLE,
    ),
)


def texts(shown: dict[str, float]) -> dict[str, list[str]]:
    """What a page may say of some settings (in shown units); two texts where the last digit hangs on the last bit."""
    si = {name: PARAMETERS[name].unit.si(value) for name, value in shown.items()}
    values = {f"done_{each}": completion_time(si[f"ttft_{each}"], si[f"tpot_{each}"], si["tokens"]) for each in "ab"}
    seconds = {
        key: [UNITS["s"].text(value * (1 - 1e-9)), UNITS["s"].text(value * (1 + 1e-9))] for key, value in values.items()
    }
    return {"tokens": [UNITS["tokens"].text(si["tokens"])], **seconds}
