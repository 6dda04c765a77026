"""Packages: every lock and conda environment has what its jobs import and read, and a missing one stops a run early."""

import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from places import ROOT
from runs import snakemake

from semipriv.core import registry, rooms
from semipriv.core.fingerprint import packages
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.ledger.studies import studies

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RULES = [ROOT / "Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]
CLUSTER = "profiles/slurm/requirements.lock"
LOWEST = "tests/lowest/requirements.lock"
LOCKS = ["requirements.lock", "benchmarks/requirements.lock", CLUSTER, LOWEST]
LIBRARY = "tests/library/requirements.lock"
SPARK = "tests/spark/requirements.lock"
HASHED = [
    *LOCKS,
    LIBRARY,
    SPARK,
    "benchmarks/statistics.lock",
    "benchmarks/tables.lock",
    "tests/oracles/requirements.lock",
]


def lock(path: str = LOCKS[0]) -> dict[str, str]:
    """Versions of a lock that Python 3.11 gets."""
    modules = {}
    for line in (ROOT / path).read_text().splitlines():
        match = re.match(r"([A-Za-z0-9_.-]+)==([^ ;\\]+)(?: ; (.*?))? ?\\?$", line)
        if match and "python_full_version >= '3.12'" not in (match[3] or ""):
            modules[match[1]] = match[2]
    return modules


@pytest.mark.parametrize("path", HASHED)
def test_locks_pin_hashes_and_name_neither_host_nor_folder(path: str) -> None:
    text = (ROOT / path).read_text()
    assert not re.search(r"https?://|--index-url|--find-links|--extra-index|\s/\w", text)
    pinned = re.findall(r"^[A-Za-z0-9_.-]+==", text, flags=re.M)
    assert len(pinned) > (50 if path in LOCKS else 10)
    for entry in re.split(r"\n(?=[A-Za-z0-9_.-]+==)", text)[1:]:
        assert "--hash=sha256:" in entry


class Rule(NamedTuple):
    """What a rule runs, in which conda environment, and whether its code varies with the experiment or study."""

    script: str
    conda: str
    varies: bool


def rules() -> Iterator[Rule]:
    """The rules that have a script."""
    for path in RULES:
        for text in re.split(r"^(?= *rule\b)", path.read_text(), flags=re.M)[1:]:
            if script := re.search(r"^ *script:\s*\"../../scripts/(.+)\"", text, flags=re.M):
                (conda,) = re.findall(r"^ *conda:\s*\"../../envs/(.+)\"", text, flags=re.M)
                yield Rule(script[1], conda, varies="code=fingerprint(" not in text)


def plugins() -> list[str]:
    """Modules that are reached by the names of a configuration, or of what is stored, not by an import."""
    named = [(room, name) for room in (*rooms.outside(), "outputs") for name in registry.names(room)]
    return [registry.module(*entry) for entry in named] + [study.module for study in studies().values()]


def needed(conda: str | None = None) -> set[str]:
    """Distributions that jobs import, or read files of: all jobs, or those that have a conda environment."""
    names: set[str] = set()
    for rule in rules():
        if conda in (None, rule.conda):
            names |= packages([ROOT / "scripts" / rule.script, *(plugins() if rule.varies else ())]).keys()
            if rule.script == "write_table.py":
                names |= {table.packaged.package for table in BUNDLED.values() if table.packaged}
    return distributions(names)


def distributions(imported: set[str]) -> set[str]:
    known = packages_distributions()
    return {known.get(name, [name])[0].lower().replace("_", "-") for name in imported}


def test_the_rules_are_read() -> None:
    """All of them: what follows would say little of half of them."""
    assert {rule.script for rule in rules()} == {path.name for path in (ROOT / "scripts").glob("*.py")}
    assert [rule.script for rule in rules() if not rule.varies]
    assert {"numpy", "numba", "scikit-learn", "statsmodels"} <= needed()


@pytest.mark.parametrize("path", [LOCKS[0], CLUSTER])
def test_a_lock_has_what_jobs_and_the_workflow_itself_need(path: str, tmp_path: Path) -> None:
    """The first is that of `make` and of the container; from the other Snakemake and all jobs run on a cluster."""
    text = "\n".join(rule.read_text() for rule in RULES)
    imports = re.findall(r"^ *((?:from [\w.]+ )?import (?:\([^)]*\)|.*))$", text, flags=re.M)
    (tmp_path / "workflow.py").write_text("\n".join(imports))
    itself = distributions(set(packages([tmp_path / "workflow.py"])))
    assert "snakemake" in itself
    assert (needed() | itself) - lock(path).keys() == set()


def test_jobs_on_a_cluster_run_the_versions_of_the_lock() -> None:
    main, cluster = lock(), lock(CLUSTER)
    plugins = {"snakemake-executor-plugin-slurm", "snakemake-executor-plugin-slurm-jobstep"}
    assert cluster.keys() - main.keys() == plugins, "nothing but the executor is added"
    assert {name: main[name] for name in cluster.keys() - plugins} == {
        name: version for name, version in cluster.items() if name not in plugins
    }


def test_the_library_is_tested_alone_and_in_the_versions_of_the_lock() -> None:
    library = lock(LIBRARY)
    assert library.items() <= lock().items()
    assert "numpy" in library
    assert "snakemake" not in library
    spark = lock(SPARK)
    assert spark.keys() - library.keys() <= {"pyspark", "py4j"}, "nothing but Spark is added"
    assert {name: spark[name] for name in library.keys() & spark.keys()}.items() <= library.items()


@pytest.mark.parametrize("path", sorted((ROOT / "envs").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_conda_environment_has_what_its_rules_need_in_the_versions_of_the_lock(path: Path) -> None:
    entries = yaml.safe_load(path.read_text())["dependencies"]
    versions = dict(re.fullmatch(r"(\S+) =(\S+)", entry).groups() for entry in entries)
    assert versions.pop("python") == "3.11"
    main = lock()
    assert {name.removesuffix("-base"): version for name, version in versions.items()} == {
        name: main[name] for name in needed(path.name)
    }


EXTRAS = PROJECT["project"]["optional-dependencies"]


def named(entries: Iterable[str]) -> set[str]:
    """Names of requirements, without that of the package itself."""
    names = {re.match(r"[A-Za-z0-9_.-]+", entry)[0].replace("_", "-").lower() for entry in entries}
    return names - {"semipriv"}


@pytest.mark.parametrize(
    ("path", "extras", "groups"),
    [
        (LOCKS[0], ["workflow", "figures", "check", "database"], ["develop", "documentation", "tables"]),
        (LOCKS[1], ["figures", "database"], ["benchmark", "tables"]),
        (CLUSTER, ["workflow", "figures"], ["slurm", "tables"]),
        (SPARK, ["check", "database", "spark"], []),
        (LOWEST, ["workflow", "figures", "check", "database"], ["develop"]),
    ],
)
def test_locks_satisfy_the_package(path: str, extras: list[str], groups: list[str]) -> None:
    wanted = [PROJECT["project"]["dependencies"], *(EXTRAS[extra] for extra in extras)]
    wanted += [PROJECT["dependency-groups"][group] for group in groups]
    assert named(entry for requirements in wanted for entry in requirements) - lock(path).keys() == set()
    assert set(EXTRAS["check"]) <= set(PROJECT["dependency-groups"]["develop"])


def test_the_wheel_declares_what_the_library_imports_and_nothing_else() -> None:
    """What of it only extras have, ``test_wheel.py`` looks at."""
    modules = [path for path in (ROOT / "src/semipriv").rglob("*.py") if "properties" not in path.parts]
    imported = distributions(packages(modules))
    declared = named(PROJECT["project"]["dependencies"])
    assert declared - imported == set(), "nothing imports these"
    assert imported - declared <= named(
        entry for extra in ("figures", "check", "database", "spark") for entry in EXTRAS[extra]
    )
    assert {"matplotlib", "numpy"} <= imported


def test_the_lowest_lock_has_the_versions_that_the_package_declares() -> None:
    """The tests of the oldest dependencies would say nothing of a bound below what they run with."""
    lowest = lock(LOWEST)
    for entry in PROJECT["project"]["dependencies"]:
        name, _, bound = entry.partition(">=")
        assert f"{lowest[name]}.".startswith(f"{bound}."), f"{entry}: tested from {lowest[name]} on"
    (needed,) = re.findall(r'min_version\("(.*)"\)', (ROOT / "workflow/rules/common.smk").read_text())
    assert f"{lowest['snakemake']}.".startswith(f"{needed}.")


CONDA = """\
#!/bin/sh
case "$*" in
    *--version) echo conda 25.1.0 ;;
    *info*) echo '{{"conda_prefix": "{0}", "root_prefix": "{0}", "platform": "linux-64"}}' ;;
    *config*) echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
esac
"""
"""It says that it made an environment, and there is this one."""


def test_a_run_stops_before_its_first_job_where_a_package_is_missing(tmp_path: Path) -> None:
    """A package of the name of another, without its table; jobs in conda environments find the right one."""
    package = tmp_path / "old/statsmodels/__init__.py"
    conda = tmp_path / "bin/conda"
    for path in (package, conda, conda.with_name("activate")):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.touch(mode=0o755)
    conda.write_text(CONDA.format(tmp_path))
    path = os.pathsep.join([str(conda.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    inside = ["env", f"PYTHONPATH={package.parents[1]}", f"PATH={path}"]
    tables = ["--", "data/diabetes.parquet", "data/randhie.parquet"]
    done = snakemake(tmp_path, "--cores", "1", *tables, inside=inside, check=False)
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if "package" in line and "statsmodels" in line]
    assert "write_table needs it; `make` installs" in line
    assert not list(tmp_path.glob("data/*")), "no job was started"
    snakemake(tmp_path, "--cores", "1", "--sdm", "conda", *tables, inside=inside)
    assert len(list(tmp_path.glob("data/*.parquet"))) == 2
