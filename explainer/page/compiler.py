"""A figure, compiled once and beforehand to one JSON document that the live page and the static page both read."""

import argparse
import re
from itertools import product
from pathlib import Path

import vl_convert

from explainer.page.defaults import Defaults, table_columns
from explainer.page.documents import compile_all, compile_to, figure_names
from explainer.page.figure import Case, Computation, ComputedTable, Figure
from explainer.page.markup import figure_html
from explainer.page.vega import expression

WIDTHS = (
    693,
    350,
)  # of the two still pictures, in CSS pixels: a column on a desk and on a phone; the page shows the one that fits
_PADDING = {"right": 26, "top": 30, "bottom": 44}
_VEGA_LITE = "6.4"


def compile_figure(figure: Figure) -> dict:
    """The document of a figure: parameters, units of live values, Vega specification, and the markup with its pictures and defaults."""
    defaults = Defaults(figure)
    specification = _specification(figure, defaults)
    stills = [_picture(figure.name, specification, width, height) for width, height in zip(WIDTHS, figure.heights)]
    return {
        "name": figure.name,
        "parameters": [each.as_json() for each in figure.parameters],
        "controls": [[owner, list(names)] for owner, names in figure.controls.items()],
        "units": {key: unit.as_json() for key, unit in defaults.units.items()},
        "table": {
            "data": figure.table.data if isinstance(figure.table, ComputedTable) else "x_table",
            "columns": [
                {"field": each.field, "unit": each.unit.as_json(), "shown": each.shown, "bare": each.bare}
                for each in table_columns(figure)
            ],
        },
        "heights": list(figure.heights),
        "vega": specification,
        "html": figure_html(figure, defaults, stills),
        "computed": _picks(figure.computation) | _grid(figure.computation) if figure.computation else None,
    }


def _grid(computation: Computation) -> dict:
    """Every setting of the static page, worked out: results by the indexes of their stops."""
    stops = list(computation.grid.values())
    results = {
        " ".join(map(str, at)): computation.run(
            {name: stops[axis][index] for axis, (name, index) in enumerate(zip(computation.grid, at))}
        )
        for at in product(*(range(len(each)) for each in stops))
    }
    return {"axes": computation.grid, "results": results}


def _picks(computation: Computation) -> dict:
    """What the script reads off the computed curves, and what it asks to have computed."""
    return {"asks": list(computation.grid), "at": computation.at, "picks": computation.picks}


def _picture(name: str, specification: dict, width: int, height: int) -> str:
    drawn = vl_convert.vega_to_svg(specification | _inner(specification["padding"], width, height))
    # Vega counts its clips through; on a page with other pictures they need names that are nobody else's.
    counted = dict.fromkeys(re.findall(r'id="(clip\d+)"', drawn))
    own = {each: f"{name}-{width}-clip{index}" for index, each in enumerate(counted)}
    drawn = re.sub(r'(id="|url\(#)(clip\d+)', lambda found: found[1] + own[found[2]], drawn)
    return drawn.replace("<svg ", '<svg preserveAspectRatio="xMinYMin" ', 1)


def _inner(padding: dict, width: int, height: int) -> dict:
    """The plot's size within a picture's: what Vega calls width and height."""
    return {"width": width - padding["left"] - padding["right"], "height": height - padding["top"] - padding["bottom"]}


def _choice(cases: tuple[Case, ...]) -> str:
    """The Vega expression for the index of the first wording that holds."""
    printed = str(len(cases) - 1)
    for index in reversed(range(len(cases) - 1)):
        printed = f"({expression(cases[index].condition)} ? {index} : {printed})"
    return printed


def _specification(figure: Figure, defaults: Defaults) -> dict:
    frame = {"autosize": "none", "padding": {"left": figure.margin} | _PADDING}  # nothing is fitted, so nothing jumps
    drawn = vl_convert.vegalite_to_vega(figure.chart().to_dict() | frame, vl_version=_VEGA_LITE)
    signals = [{"name": each.name, "value": each.default} for each in figure.parameters]
    for key, each in figure.quantities.items():
        signals.append(
            {"name": key, "value": defaults.computed["values"][key]}
            if each.traced is None
            else {"name": key, "update": expression(each.traced)}
        )
    signals += [
        {"name": "choice_claim", "update": _choice(figure.claim)},
        {"name": "choice_sentence", "update": _choice(figure.sentence)},
    ]
    data = [
        each
        | ({"values": defaults.computed["rows"][each["name"]]} if each["name"] in defaults.computed["rows"] else {})
        for each in drawn.get("data", [])
    ]
    if not isinstance(figure.table, ComputedTable):
        data.append(_table_data(figure))
    size = _inner(frame["padding"], WIDTHS[0], figure.heights[0])
    return drawn | frame | size | {"signals": signals + drawn.get("signals", []), "data": data}


def _table_data(figure: Figure) -> dict:
    """The data set behind the table: the chosen values, the reader's own last, and a formula for each column."""
    own = {"type": "formula", "as": "x", "expr": f"datum.x === null ? {figure.table.over} : datum.x"}
    filled = [
        {"type": "formula", "as": each.field, "expr": expression(each.traced)}
        for each in table_columns(figure)
        if each.traced is not None
    ]
    return {
        "name": "x_table",
        "values": [{"x": value} for value in (*figure.table.values, None)],
        "transform": [own, *filled],
    }


def main(arguments: list[str]) -> int:
    """Compile figures: those named, or every one whose document is missing or stale."""
    parser = argparse.ArgumentParser(prog="python -m explainer compile", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="FIGURE")
    parser.add_argument("--to", type=Path, metavar="DIR", help="the folder to keep the named ones in")
    options = parser.parse_args(arguments)
    if options.names:
        for each in options.names:
            compile_to(options.to, each)
        return 0
    compile_all()
    print(f"{len(figure_names())} figures are compiled and true to their sources.")
    return 0
