"""Compiled figures: fresh, valid JSON, true to Python's own numbers; and a page's kernel that stays light."""

import json
import re
import subprocess
import sys

import pytest

from explainer.page import documents
from explainer.page.defaults import Defaults
from explainer.page.documents import compile_all, document, figure_names, load_figure
from explainer.page.parameters import PARAMETERS
from explainer.page.publish import NOTEBOOKS

HEAVY = {"altair", "matplotlib", "vl_convert", "pandas"}
FOR_SIMULATION = {"numba", "scipy"}  # half a second, paid while the kernel warms, and only where a figure simulates


@pytest.mark.parametrize("name", figure_names())
def test_a_document_is_json_without_nan_and_names_its_parameters(name):
    made = document(name)
    json.dumps(made, allow_nan=False)
    signals = {each["name"]: each for each in made["vega"]["signals"]}
    for row in made["parameters"]:
        assert signals[row["name"]]["value"] == PARAMETERS[row["name"]].default
    assert set(made["units"]) <= set(signals)


@pytest.mark.parametrize("name", figure_names())
def test_pictures_are_light_and_dark_in_one_and_fetch_nothing(name):
    html = document(name)["html"]
    assert html.count("<svg ") == 2
    assert "var(--x-" in html
    assert "http" not in html.replace("http://www.w3.org/", "")


@pytest.mark.parametrize("name", figure_names())
def test_exactly_one_wording_of_each_sentence_shows(name):
    figure = load_figure(name)
    defaults = Defaults(figure)
    for cases in (figure.claim, figure.sentence):
        assert cases[-1].condition is None
        assert 0 <= defaults.choice(cases) < len(cases)


def test_a_document_is_made_again_when_a_source_of_it_changes(monkeypatch, tmp_path):
    monkeypatch.setattr(documents, "_KEPT", tmp_path)
    first = document("one-stage")
    assert {
        "explainer/formulas/speedup.py",
        "explainer/page/figures/one_stage.py",
        "explainer/page/vega.py",
        "altair",
    } <= set(first["sources"])
    kept = tmp_path / "one-stage.json"
    kept.write_text(json.dumps(first | {"html": "as kept"}))
    assert document("one-stage")["html"] == "as kept", "true to its sources: taken as it is"
    older = first["sources"] | {"explainer/formulas/speedup.py": "another hash"}
    kept.write_text(json.dumps(first | {"sources": older}))
    assert document("one-stage") == first


def test_a_pictures_parts_have_names_that_no_other_picture_has():
    compile_all()
    named = [each for name in figure_names() for each in re.findall(r'\bid="([^"]+)"', document(name)["html"])]
    meant = {each for name in figure_names() for each in re.findall(r"url\(#([^)]+)\)", document(name)["html"])}
    assert len(named) == len(set(named))
    assert meant and meant <= set(named)


def test_an_unknown_figure_names_those_that_exist():
    with pytest.raises(ValueError, match="start-or-finish"):
        load_figure("no-such-figure")


@pytest.mark.parametrize("notebook", sorted(each.name for each in NOTEBOOKS.glob("*.ipynb")))
def test_a_pages_kernel_imports_nothing_heavy(notebook):
    compile_all()  # beforehand, as serve and make do
    code = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        shell.run_cell("".join(cell["source"])).raise_error()
print("MODULES " + " ".join(sorted({name.split(".")[0] for name in sys.modules})))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(NOTEBOOKS / notebook)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    loaded = set(done.stdout.split("MODULES ")[1].split())
    assert not loaded & HEAVY
    assert notebook == "07-queue.ipynb" or not loaded & FOR_SIMULATION
    assert notebook == "index.ipynb" or "ipywidgets" in loaded
