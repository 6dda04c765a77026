"""The container's recipe, where no engine may be at hand to build it: what it copies is there, and it uses the lock."""

import json
import re
import tomllib
from pathlib import Path

from places import ROOT

Instruction = tuple[str, str]


def instructions(text: str) -> list[Instruction]:
    """Return the instructions of a recipe, each with its words; comments are left out, long lines are put together."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#")).replace("\\\n", " ").splitlines()
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


RECIPE = instructions((ROOT / "Containerfile").read_text())


def words(name: str) -> list[str]:
    return [rest for instruction, rest in RECIPE if instruction == name]


def copied() -> dict[str, str]:
    """Return what is copied, and to where."""
    return {source: rest.split()[-1] for rest in words("COPY") for source in rest.split()[:-1]}


def test_the_base_is_the_oldest_python_by_its_tag() -> None:
    (base,) = words("FROM")
    match = re.fullmatch(r"docker\.io/library/python:(3\.\d+)-slim-\w+(@sha256:[0-9a-f]{64})?", base)
    assert match, base
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"] == f">={match[1]}"


def test_what_is_copied_is_there_and_not_ignored() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {source.rstrip("/") for source in copied()} == allowed
    for source, target in copied().items():
        assert (ROOT / source).is_dir() if source.endswith("/") else (ROOT / source).is_file(), source
        assert target == (source if source.endswith("/") else "./"), "paths in the image are those of the checkout"


def test_all_that_the_workflow_reads_is_copied() -> None:
    """Folders of the checkout that rules name, the schemas' and the profile's among them."""
    text = "\n".join(path.read_text() for path in [ROOT / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))])
    named = set(re.findall(r"\.\./\.\./(\w+)/", text)) | set(re.findall(r'ROOT / "(\w+)"', text))
    assert {"scripts", "envs", "config"} <= named
    assert named <= {source.split("/")[0] for source in copied()}


def test_packages_come_from_the_lock_before_the_code() -> None:
    installs = [rest for rest in words("RUN") if "pip install" in rest]
    assert "--require-hashes --requirement requirements.lock" in installs[0]
    assert all("--no-deps --no-build-isolation" in rest for rest in installs[1:])
    before = RECIPE[: RECIPE.index(("RUN", installs[0]))]
    assert [rest for name, rest in before if name == "COPY"] == ["requirements.lock ./"], "the layer of the packages"


def test_nobody_runs_it_as_root() -> None:
    assert words("USER")[-1] not in ("root", "0")
    assert max(i for i, (name, _) in enumerate(RECIPE) if name == "RUN") < RECIPE.index(("USER", words("USER")[-1]))


def test_it_runs_the_workflow_as_the_readme_does() -> None:
    entry, command = (json.loads(words(name)[0]) for name in ("ENTRYPOINT", "CMD"))
    assert [*entry, *command][0] == "snakemake"
    assert command[:2] == ["--cores", "all"]
    named = [word for word in [*entry, *command] if word.startswith("/semipriv/")]
    assert named
    for path in named:
        assert (ROOT / Path(path).relative_to("/semipriv")).is_file(), path
