"""The recipe for conda-forge and the entry for Zenodo say what pyproject.toml and CITATION.cff say."""

import json
import tomllib
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from places import ROOT

import semipriv

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
RECIPE = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text())
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
PYTHON = "${{ python_min }}"


def asked(lines: list[str]) -> dict[str, Any]:
    """Versions that are asked for, by name; conda puts a blank between a name and its versions."""
    requirements = [
        Requirement(line.replace(PYTHON, RECIPE["context"]["python_min"]).replace(" ", "", 1)) for line in lines
    ]
    return {canonicalize_name(requirement.name): requirement.specifier for requirement in requirements}


def test_the_recipe_needs_what_the_wheel_needs() -> None:
    needed = asked(RECIPE["requirements"]["run"])
    assert str(needed.pop("python")) == PROJECT["requires-python"]
    assert needed == asked(PROJECT["dependencies"])
    host = asked([line for line in RECIPE["requirements"]["host"] if not line.startswith("python ")])
    assert host.pop("pip") == ""
    assert host == asked(PYPROJECT["build-system"]["requires"])


def test_the_recipe_is_this_version_of_this_package() -> None:
    assert (RECIPE["context"]["name"], RECIPE["context"]["version"]) == (PROJECT["name"], semipriv.__version__)
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert (RECIPE["about"]["license"], [RECIPE["about"]["license_file"]]) == (
        PROJECT["license"],
        PROJECT["license-files"],
    )
    assert RECIPE["build"]["python"]["entry_points"] == [f"{name} = {at}" for name, at in PROJECT["scripts"].items()]


def test_zenodo_is_told_what_the_citation_says() -> None:
    metadata = json.loads((ROOT / ".zenodo.json").read_text())
    for key in ("title", "version", "license"):
        assert metadata[key] == CITATION[key]
    assert [creator["name"] for creator in metadata["creators"]] == [author["name"] for author in CITATION["authors"]]
    assert metadata["description"] == PROJECT["description"]


def test_every_page_is_a_guide_of_the_library() -> None:
    """Links of the file system: one text, in the wheel too."""
    pages = {path.stem: path for path in (ROOT / "docs").glob("*.md")}
    pages |= {f"tutorial-{path.stem}": path for path in (ROOT / "docs/tutorials").glob("*.md")}
    pages["configuration"] = ROOT / "config/README.md"
    guides = {path.stem: path.resolve() for path in (ROOT / "src/semipriv/guides").iterdir()}
    assert guides == pages
