"""A figure as HTML: complete and true at the defaults before any script runs; the script only brings its numbers and picture to life.

Live places are marked in the markup: data-x names the value that stands there, data-bare leaves its unit out, data-choice holds wordings of
which one shows. The parts are siblings, so that one style sheet lays out the static page's controls and Jupyter's alike.
"""

import re
from html import escape
from math import prod

from explainer.page.defaults import Defaults, table_columns
from explainer.page.figure import Case, ComputedTable, Figure
from explainer.page.mathml import Writer, equation, symbol
from explainer.page.parameters import PARAMETERS, Parameter

_PLACE = re.compile(r"\{(\w+)(:bare)?\}")


def bound(html: str) -> str:
    """Numbers that stay with their units at a line's end."""
    return re.sub(r"(\d) (%|s|ms|µs|GB|TB/s|tokens?|requests?)(?![\w/])", "\\1\u00a0\\2", html)


def live(key: str, defaults: Defaults, tag: str = "span", bare: bool = False) -> str:
    """A place where a live value stands, its default already in it."""
    attributes = f' data-bare=""' if bare else ""
    return f'<{tag} class="x-v" data-x="{key}"{attributes}>{escape(defaults.text(key, bare))}</{tag}>'


def wordings(cases: tuple[Case, ...], choice: str, defaults: Defaults) -> str:
    """All wordings of a sentence, the one that holds shown."""
    chosen = defaults.choice(cases)
    spans = (
        f"<span{'' if index == chosen else ' hidden'}>{_PLACE.sub(lambda place: live(place[1], defaults, bare=bool(place[2])), bound(case.words))}</span>"
        for index, case in enumerate(cases)
    )
    return f'<span data-choice="{choice}">{"".join(spans)}</span>'


def worked_equation(key: str, defaults: Defaults) -> str:
    """A quantity's own trace with the live numbers in it: T_A = 0.40 s + (101 − 1) × 40 ms = 4.40 s."""
    quantity = defaults.figure.quantities[key]

    def value(item) -> str:  # a count stands in an equation without its noun
        return live(item.name, defaults, tag="mtext", bare=defaults.units[item.name].singular is not None)

    steps = Writer(value).expression(quantity.traced)
    return (
        f'<math displaystyle="true" class="x-{quantity.meaning}"><mrow>{symbol(quantity.symbol)}<mo>=</mo>{steps}<mo>=</mo>'
        f"{live(key, defaults, tag='mtext')}</mrow></math>"
    )


def figure_html(figure: Figure, defaults: Defaults, stills: list[str]) -> str:
    """The parts of a figure, in reading order, without its controls."""
    label = escape(figure.description, quote=True)
    wide, narrow = stills
    return f"""<div class="x-head"><p class="x-number">{figure.title}</p><h2 class="x-claim">{wordings(figure.claim, "choice_claim", defaults)}</h2></div>
<div class="x-picture" role="img" aria-label="{label}" style="--x-wide:{figure.heights[0]}px;--x-narrow:{figure.heights[1]}px"><div class="x-still x-still-wide">{wide}</div><div class="x-still x-still-narrow">{narrow}</div></div>
<p class="x-sentence">{wordings(figure.sentence, "choice_sentence", defaults)}</p>
<p class="x-say" role="status" style="top:{figure.heights[1]}px"></p><p class="x-heard" role="status"></p>
{_equations(figure, defaults)}
<div class="x-links"><button type="button" class="x-reset">Reset</button><button type="button" class="x-copy">Copy link to this state</button>
<details class="x-numbers"><summary>Show the numbers</summary>{table_html(figure, defaults)}</details>{_origin(figure)}</div>
<div class="x-try"><h3>What to try</h3><p>{bound(figure.what_to_try)}</p></div>{_how_computed(figure)}"""


def _how_computed(figure: Figure) -> str:
    """Whether the numbers are simulated now or were beforehand; the style sheet shows what holds for the page at hand."""
    if not figure.computation:
        return ""
    settings = prod(len(stops) for stops in figure.computation.grid.values())
    if all(PARAMETERS[name].options for name in figure.computation.grid):
        return f'\n<p class="x-note">Worked out beforehand, for all {settings} settings.</p>'
    return (
        '\n<p class="x-note x-note-live">Worked out in the kernel as you move.</p>'
        f'<p class="x-note x-note-static">Worked out beforehand for {settings} settings; sliders stop at those.</p>'
    )


def _equations(figure: Figure, defaults: Defaults) -> str:
    """The formula in symbols, then worked with the live numbers; nothing where a figure has no formula."""
    if not figure.formula:
        return ""
    worked = " ".join(worked_equation(key, defaults) for key in figure.worked)
    return f'<div class="x-equation" tabindex="0" role="group" aria-label="The equation, with the numbers in it">{equation(*figure.formula)} {worked}</div>'


def _origin(figure: Figure) -> str:
    """Where the formula comes from: what its docstring says, and where it stands."""
    if not figure.formula:
        return ""
    function = getattr(
        figure.formula[0], "func", figure.formula[0]
    )  # of a formula with some arguments fixed, the formula itself
    source = (function.__doc__ or "").strip().split("\n")
    return (
        f'\n<details class="x-source"><summary>Where the formula comes from</summary><p>{escape(source[0])}</p>'
        f"<p>{_source_line(source)} In the package: <code>{function.__module__}.{function.__name__}</code>.</p></details>"
    )


def _source_line(lines: list[str]) -> str:
    """The sentence after "Source:" in a formula's docstring."""
    text = " ".join(line.strip() for line in lines)
    _, _, source = text.partition("Source: ")
    return f"Source: {escape(source)}" if source else ""


def table_html(figure: Figure, defaults: Defaults) -> str:
    """The figure's numbers; in a table over a parameter the last row is the reader's own value."""
    caption = escape(figure.table.caption, quote=True)
    own = not isinstance(figure.table, ComputedTable)
    heads = "".join(
        f'<th scope="col" class="x-{each.meaning}">{escape(each.head)}</th>' for each in table_columns(figure)
    )
    rows = [
        "".join((f'<th scope="row">{escape(first)}</th>', *(f"<td>{escape(cell)}</td>" for cell in cells)))
        for first, *cells in defaults.rows()
    ]
    body = "".join(
        f"<tr{' class=x-own' if own and index == len(rows) - 1 else ''}>{row}</tr>" for index, row in enumerate(rows)
    )
    return (
        f'<div class="x-scroll" tabindex="0" role="group" aria-label="{caption}"><table><caption>{caption}.{" Last row: the setting above." if own else ""}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def controls_html(figure_name: str, controls: list, parameters: dict[str, Parameter]) -> str:
    """Native controls for the static page; the script gives the boxes their manners."""
    groups = []
    for owner, names in controls:
        rows = "".join(_control(figure_name, parameters[each]) for each in names)
        legend = f"<legend class='x-{parameters[names[0]].meaning}'>{escape(owner)}</legend>" if owner else ""
        groups.append(f"<fieldset>{legend}{rows}</fieldset>")
    return f'<form class="x-controls" autocomplete="off">{"".join(groups)}</form>'


def _control(figure_name: str, row: Parameter) -> str:
    identity = f"{figure_name}-{row.name}"
    name, help = escape(row.accessible_name, quote=True), escape(row.help, quote=True)
    if row.options:
        options = "".join(
            f"<option{' selected' if index == row.default else ''}>{escape(each)}</option>"
            for index, each in enumerate(row.options)
        )
        inputs = f'<select id="{identity}" aria-label="{name}" title="{help}">{options}</select>'
    else:
        low, high, step = (0, len(row.rungs) - 1, 1) if row.rungs else (row.low, row.high, row.step)
        at = row.default_rung if row.rungs else row.default
        spoken = escape(row.unit.text_of_shown(row.default), quote=True)
        inputs = (
            f'<input type="range" id="{identity}" aria-label="{name}" title="{help}" min="{low:g}" max="{high:g}" step="{step:g}" value="{at:g}" aria-valuetext="{spoken}">'
            f'<span class="x-box"><input type="text" inputmode="decimal" aria-label="{name}, in {row.unit.spoken}" value="{row.unit.text_of_shown(row.default, bare=True)}" size="5">'
            f'<span aria-hidden="true">{escape(row.unit.ending(row.default))}</span></span>'
        )
    return f'<div class="x-control x-{row.meaning}" data-parameter="{row.name}"><label for="{identity}">{escape(row.label)}</label>{inputs}</div>'
