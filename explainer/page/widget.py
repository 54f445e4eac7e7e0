"""A figure in Jupyter: ipywidgets linked in the front end to one small anywidget. Dragging needs no kernel and wakes none."""
from functools import cache
from pathlib import Path

import anywidget
import ipywidgets as widgets
import traitlets

from explainer.page.parameters import PARAMETERS, Parameter
from explainer.page.theme import variables

STATIC = Path(__file__).resolve().parent / "voila" / "templates" / "explainer" / "static"


@cache
def _style() -> str:
    return variables() + (STATIC / "figure.css").read_text(encoding="utf-8")


class FigureView(anywidget.AnyWidget):
    """Draws a compiled document. Each parameter is a trait of its own, so that a slider can be linked to it without a kernel."""

    _esm = (STATIC / "figure.js").read_text(encoding="utf-8")
    _css = _style()
    document = traitlets.Dict().tag(sync=True)

    def __init__(self, document: dict):
        super().__init__()
        self.add_traits(**{each["name"]: traitlets.Float(each["default"]).tag(sync=True) for each in document["parameters"]})
        self.document = {key: document[key] for key in document if key != "sources"}
        self.on_msg(self._hand_over_vega)

    def _hand_over_vega(self, _, message, buffers) -> None:
        """Lab serves no files of ours: there the drawing library comes through the kernel, once a page."""
        if message.get("kind") == "vega":
            self.send({"kind": "vega", "source": (STATIC / "vega.min.js").read_text(encoding="utf-8")})


def figure_box(document: dict, sliders: dict[str, widgets.Widget]) -> widgets.Box:
    """A figure with its controls. sliders: the page's sliders so far, by parameter; figures of one page share them."""
    view = FigureView(document)
    groups = [child for owner, names in document["controls"] for child in _group(owner, [PARAMETERS[each] for each in names], sliders)]
    for each in document["parameters"]:
        widgets.jslink((sliders[each["name"]], "value"), (view, each["name"]))
    return _classed(widgets.Box([view, _classed(widgets.VBox(groups), "x-controls")]), "x-figure")


def _group(owner: str, rows: list[Parameter], sliders: dict[str, widgets.Widget]) -> list[widgets.Widget]:
    head = [_classed(widgets.Label(owner), "x-owner", f"x-{rows[0].meaning}")] if owner else []
    return head + [_control(row, sliders) for row in rows]


def _control(row: Parameter, sliders: dict[str, widgets.Widget]) -> widgets.Box:
    if row.name not in sliders:
        sliders[row.name] = _slider(row)
    # The box is an ipywidget that figure.js fills and reads: the browser's own number box follows its locale's comma, this one must not.
    box = widgets.Text(row.unit.text_of_shown(row.default, bare=True), continuous_update=False)
    boxed = _classed(widgets.HBox([box, widgets.Label(row.unit.suffix.strip())]), "x-box")
    return _classed(widgets.Box([_classed(widgets.Label(row.label), "x-label"), sliders[row.name], boxed]), "x-control", f"x-{row.meaning}", f"x-p-{row.name}")


def _slider(row: Parameter) -> widgets.Widget:
    if row.logarithmic:
        from math import log10

        bounds = {"min": log10(row.low), "max": log10(row.high), "base": 10, "step": log10(row.high / row.low) / 200}
        return widgets.FloatLogSlider(value=row.default, readout=False, tooltip=row.help, **bounds)
    return widgets.FloatSlider(value=row.default, min=row.low, max=row.high, step=row.step, readout=False, tooltip=row.help)


def _classed(widget: widgets.DOMWidget, *names: str) -> widgets.DOMWidget:
    for name in names:
        widget.add_class(name)
    return widget
