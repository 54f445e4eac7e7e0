"""environment.yml says what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]


def _split(requirement: str) -> tuple[str, str]:
    name, bounds = re.fullmatch(r"([\w.-]+?)\s*([=<>!~].*)?", requirement).groups()
    return name.lower(), (bounds or "").replace("==", "=").replace(" ", "")


def test_conda_and_pip_environments_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    wanted = dict(map(_split, [*project["dependencies"], f"python{project['requires-python']}"]))
    assert dict(map(_split, conda["dependencies"])) == wanted
    assert conda["channels"] == ["conda-forge"]


def test_binder_installs_this_environment_and_compiles_the_figures():
    assert yaml.safe_load((ROOT / "binder" / "environment.yml").read_text()) == yaml.safe_load(
        (ROOT / "environment.yml").read_text()
    )
    assert "explainer compile" in (ROOT / "binder" / "postBuild").read_text()
