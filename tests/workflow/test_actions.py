"""Actions: what they run can be run, on the Pythons that the package declares."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from places import ROOT


def test_pythons_agree() -> None:
    """The tests of Actions run on the Pythons that the package declares, the oldest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [words.rpartition(" ")[2] for words in project["classifiers"] if re.search(r":: 3\.\d+$", words)]
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == declared
    assert project["requires-python"] == f">={declared[0]}"


@pytest.mark.parametrize("path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem)
def test_what_actions_make_can_be_made(path: Path) -> None:
    """Each `make TARGET` of a workflow is a target of the Makefile, and each file that a step names is there."""
    steps = [step for job in yaml.safe_load(path.read_text())["jobs"].values() for step in job["steps"]]
    asked = {target for step in steps for target in re.findall(r"^make ?([\w-]*)", step.get("run", ""), flags=re.M)}
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.M)) | {""}
    assert asked <= targets
    for step in steps:
        for name in re.findall(r"/semipriv/([\w./]+)", step.get("run", "")):
            assert (ROOT / name).is_file(), name


def test_slurm_is_installed_where_everything_is_tested() -> None:
    """The same packages that the test through Slurm asks for where they are missing, and that a page names."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"].values()
    (job,) = [job for job in jobs if any(step.get("run") == "make test-exhaustive" for step in job["steps"])]
    asked = re.search(r"apt-get install ([^\n\"]+)", (ROOT / "tests/slurm/private_cluster.py").read_text())[1]
    (installed,) = [step["run"] for step in job["steps"] if "apt-get install" in step.get("run", "")]
    assert set(asked.split()) <= set(installed.split())
    packages = " ".join(word for word in asked.split() if not word.startswith("-"))
    assert f"`{packages}`" in (ROOT / "docs/running.md").read_text()


def test_the_makefile_names_tests_that_are_there() -> None:
    named = re.findall(r"\btests/[\w./-]+", (ROOT / "Makefile").read_text())
    assert "tests/unit" in named
    assert all((ROOT / path.rstrip(".")).exists() for path in named), named


def test_a_release_is_installed_on_the_pythons_that_are_tested() -> None:
    jobs = {
        name: yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text())["jobs"]
        for name in ("tests", "release")
    }
    assert jobs["release"]["install"]["strategy"] == {"matrix": jobs["tests"]["test"]["strategy"]["matrix"]}
    assert jobs["release"].pop("attach")["needs"] == "publish"
    assert set(jobs["release"]) - {"publish"} == {*jobs["release"]["publish"]["needs"], "build"}, (
        "nothing is published untried"
    )
