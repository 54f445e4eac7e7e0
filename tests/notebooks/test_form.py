"""Notebooks are prose and calls: stripped, short cells, nothing defined in them, prose first."""

import ast
import json
import subprocess
import sys

import pytest

from explainer.page.publish import NOTEBOOKS

ALL = sorted(NOTEBOOKS.glob("**/*.ipynb"))


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_outputs_are_stripped(path):
    assert (
        subprocess.run(
            [sys.executable, "-m", "nbstripout", "--verify", "--keep-id", str(path)], capture_output=True, check=False
        ).returncode
        == 0
    )


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_code_is_calls_only(path):
    for cell in cells(path):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        assert not any(
            isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Global, ast.Lambda, ast.For, ast.While))
            for node in ast.walk(ast.parse(source))
        )
        assert ".observe" not in source
        assert sum(bool(line.strip()) for line in source.split("\n")) <= 5


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_prose_comes_first_and_a_heading_before_all(path):
    first = cells(path)[0]
    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).startswith("# ")


@pytest.mark.parametrize("path", [path for path in ALL if path.stem[:2].isdigit()], ids=lambda path: path.stem)
def test_a_chapter_is_600_to_1500_words_and_says_what_it_leaves_out(path):
    prose = "\n".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown")
    assert 600 <= len(prose.split()) <= 1500
    assert "leaves out" in prose
