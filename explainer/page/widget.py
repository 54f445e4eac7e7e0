"""A figure in Jupyter: ipywidgets linked in the front end to one small anywidget. Dragging needs no kernel and wakes none."""

from functools import cache
from pathlib import Path

import anywidget
import ipywidgets as widgets
import traitlets

from explainer.page.documents import load_figure
from explainer.page.parameters import PARAMETERS, Parameter
from explainer.page.scripts import joined
from explainer.page.theme import variables

STATIC = Path(__file__).resolve().parent / "voila" / "templates" / "explainer" / "static"


@cache
def _style() -> str:
    return variables() + (STATIC / "figure.css").read_text(encoding="utf-8")


class FigureView(anywidget.AnyWidget):
    """Draws a compiled document. Each parameter is a trait of its own, so that a slider can be linked to it without a kernel."""

    _esm = joined("jupyter")
    _css = _style()
    document = traitlets.Dict().tag(sync=True)
    inputs = traitlets.List().tag(sync=True, **widgets.widget_serialization)  # the sliders, so that the front end can hold them back

    def __init__(self, document: dict):
        super().__init__()
        rows = [PARAMETERS[each["name"]] for each in document["parameters"]]
        self.add_traits(
            **{row.name: traitlets.Float(row.default).tag(sync=True) for row in rows},
            **{rung_trait(row.name): traitlets.Int(row.default_rung).tag(sync=True) for row in rows if row.rungs},
        )
        self.document = {key: document[key] for key in document if key != "sources"}
        if document["computed"] and not all(PARAMETERS[name].options for name in document["computed"]["axes"]):
            # A grid of choices holds every setting there is. Any other stays behind: between its stops the kernel computes.
            self.document = self.document | {"computed": {key: document["computed"][key] for key in ("asks", "at", "picks")}}
            self.computation = load_figure(document["name"]).computation
            # Once now, so that the first reader waits for no compiler.
            self.computation.run({name: PARAMETERS[name].default for name in self.computation.grid})
        self.on_msg(self._answer)

    def _answer(self, _, message, buffers) -> None:
        kind = message.get("kind")
        if (
            kind == "vega"
        ):  # Lab serves no files of ours: there the drawing library comes through the kernel, once a page
            self.send({"kind": "vega", "source": (STATIC / "vega.min.js").read_text(encoding="utf-8")})
        elif kind == "compute":
            self.send({"kind": "computed", "serial": message["serial"]} | self._computed(message["values"]))

    def _computed(self, values: dict[str, float]) -> dict:
        """One setting worked out, its values held to their bounds whatever a client sends; or a sentence why not."""
        try:
            held = {
                name: min(max(float(values[name]), PARAMETERS[name].low), PARAMETERS[name].high)
                for name in self.computation.grid
            }
            return {"result": self.computation.run(held)}
        except (ValueError, KeyError, TypeError) as error:
            return {"error": str(error)}


def figure_box(document: dict, shared: dict[str, widgets.Widget]) -> widgets.Box:
    """A figure with its controls. shared: the page's inputs so far, by parameter; figures of one page share them."""
    view = FigureView(document)
    groups = [
        child
        for owner, names in document["controls"]
        for child in _group(owner, [PARAMETERS[each] for each in names], shared)
    ]
    for each in document["parameters"]:
        of_input, of_view = _linked(PARAMETERS[each["name"]])
        widgets.jslink((shared[each["name"]], of_input), (view, of_view))
    view.inputs = [shared[each["name"]] for each in document["parameters"]]
    return _classed(widgets.Box([view, _classed(widgets.VBox(groups), "x-controls")]), "x-figure")


def _group(owner: str, rows: list[Parameter], shared: dict[str, widgets.Widget]) -> list[widgets.Widget]:
    head = [_classed(widgets.Label(owner), "x-owner", f"x-{rows[0].meaning}")] if owner else []
    return head + [_control(row, shared) for row in rows]


def _control(row: Parameter, shared: dict[str, widgets.Widget]) -> widgets.Box:
    if row.name not in shared:
        shared[row.name] = _input(row)
    parts = [_classed(widgets.Label(row.label), "x-label"), shared[row.name]]
    if not row.options:
        # The box is an ipywidget that our script fills and reads: the browser's own number box follows its locale's comma, this one must not.
        box = widgets.Text(row.unit.text_of_shown(row.default, bare=True), continuous_update=False)
        parts.append(_classed(widgets.HBox([box, widgets.Label(row.unit.ending(row.default))]), "x-box"))
    return _classed(widgets.Box(parts), "x-control", f"x-{row.meaning}", f"x-p-{row.name}")


def _input(row: Parameter) -> widgets.Widget:
    """The ipywidget of a parameter: a slider in even steps, a slider over the rungs of a ladder, or a choice."""
    if row.options:
        return widgets.Dropdown(options=row.options, index=row.default, tooltip=row.help)
    if row.rungs:
        return widgets.IntSlider(value=row.default_rung, min=0, max=len(row.rungs) - 1, readout=False, tooltip=row.help)
    return widgets.FloatSlider(
        value=row.default, min=row.low, max=row.high, step=row.step, readout=False, tooltip=row.help
    )


def _linked(row: Parameter) -> tuple[str, str]:
    """What of a parameter's input is linked to what of the view: its value, the index of its option, or the number of its rung."""
    return ("index" if row.options else "value"), (rung_trait(row.name) if row.rungs else row.name)


def rung_trait(name: str) -> str:
    """The trait that holds the rung on which a parameter's slider stands; the script keeps it and the value together."""
    return f"{name}_rung"


def _classed(widget: widgets.DOMWidget, *names: str) -> widgets.DOMWidget:
    for name in names:
        widget.add_class(name)
    return widget
