"""The whole DAG: it finishes, and private files stay private."""

import json
import re
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest
from places import ROOT
from runs import MICRO, Job, snakemake

from semipriv.core import registry
from semipriv.core.tables import write
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.experiments.loading import PLOTS
from semipriv_lab.ledger.studies import studies
from semipriv_lab.workflow.runtimes import JOBS
from semipriv_lab.workflow.timings import TIMINGS

Plan = Callable[..., list[Job]]
DEFAULT = ROOT / "config/config.yaml"

ALLOWED = {
    "all": {
        "summary.txt",
        "jobs.html",
        "claims.*",
        "measurements.parquet",
        "summary.parquet",
        "slopes.parquet",
        "trials.parquet",
        "*.pdf",
        "*.png",
    },
    "generate_data": set(),
    "write_table": set(),
    "split_table": {f"{name}.parquet" for name in BUNDLED},
    "construct_cover": {"public.parquet"},
    "private_select": {"prepared.parquet", "private.parquet"},
    "measure_without_privacy": {"prepared.parquet", "private.parquet"},
    "evaluate": {"releases.parquet", "without_privacy.parquet"},
    "evaluate_held_out": {"releases.parquet", "without_privacy.parquet", "held.parquet"},
    "draw_figures": {
        "summary.parquet",
        "slopes.parquet",
        "trials.parquet",
        "public.parquet",
        "held.parquet",
        "*.measurements.parquet",
    },
    "measure_study": set(),
    "runtimes": {"summary.txt"},
    "ledger": {"*.rows.parquet", "*.measurements.parquet"},
    "summary": {
        "claims.parquet",
        "measurements.parquet",
        "trials.parquet",
        "summary.parquet",
        "slopes.parquet",
        "*.pdf",
        "*.png",
    },
}
"""What each rule may read, by file name.  A private file: private_select, whose output is differentially private, and,
in simulations, measure_without_privacy.  A raw table: split_table, which makes the private file.  The held-out part of
a table, which no learner sees: evaluate_held_out, and the figure that draws the points."""


def readers(jobs: list[Job]) -> dict[str, set[tuple[str, str]]]:
    """(rule, first output) pairs that read each file."""
    edges: dict[str, set[tuple[str, str]]] = {}
    for job in jobs:
        for path in job.inputs:
            edges.setdefault(path, set()).add((job.rule, job.outputs[0] if job.outputs else ""))
    return edges


def offences(read: dict[str, set[tuple[str, str]]]) -> list[str]:
    """Files that a rule reads though it must not; a rule that is not listed may read nothing."""
    return [
        f"{rule} reads {path}"
        for path, pairs in read.items()
        for rule, _ in pairs
        if not any(fnmatch(Path(path).name, pattern) for pattern in ALLOWED.get(rule, ()))
    ]


def test_every_rule_is_listed() -> None:
    """Those of releases, which are no part of a run, are in ``test_release``."""
    files = [path for path in (ROOT / "workflow/rules").glob("*.smk") if path.stem != "release"]
    text = "".join(path.read_text() for path in [ROOT / "Snakefile", *files])
    rules = re.findall(r"^\s*rule\b *(\w*):", text, flags=re.M)
    assert set(rules) == set(ALLOWED) - {"draw_figures"} | {""}
    assert rules.count("") == 1, "the rules for batches of figures are made in a loop"
    assert not re.search(r"^(checkpoint|module|use rule)\b", text, flags=re.M), "the walk reads rules only"


@pytest.mark.parametrize("config", [DEFAULT, ROOT / "config/smoke.yaml", ROOT / "config/tiny.yaml", MICRO])
def test_the_dag_is_the_privacy_argument(plan: Plan, config: Path) -> None:
    read = readers(plan(config=config))
    private = [path for path in read if path.endswith("private.parquet")]
    rules = {rule for pairs in read.values() for rule, _ in pairs}
    assert private, "the walk must see private files"
    needed = {rule for rule, names in ALLOWED.items() if names and "held_out" not in rule and rule != "split_table"}
    assert needed - {"all"} <= rules
    assert offences(read) == []


def test_the_walk_catches_a_reader_that_has_no_business_there(plan: Plan) -> None:
    read = readers(plan())
    private = next(path for path in read if path.endswith("private.parquet"))
    for rule in ("construct_cover", "evaluate", "evaluate_held_out", "draw_figures", "a_new_rule"):
        assert offences({**read, private: {(rule, "x")}})
    for rule in ("construct_cover", "private_select", "evaluate"):
        assert offences({**read, "data/breast_cancer.parquet": {(rule, "x")}})
        assert offences({**read, "data/split/results/breast_cancer/0/held.parquet": {(rule, "x")}})
    for name in ("without_privacy.parquet", "trials.parquet"):
        assert offences({**read, f"results/e/{name}": {("private_select", "x")}})


@pytest.mark.parametrize("config", [DEFAULT, ROOT / "config/smoke.yaml", MICRO])
def test_figures_in_a_batch_get_only_the_tables_that_they_read(plan: Plan, config: Path) -> None:
    """Of their own experiment or study; what a batch reads is what its figures read, and no more."""
    batches = [job for job in plan(config=config) if job.rule == "draw_figures"]
    assert len(batches) > 1
    for job in batches:
        given: dict[str, dict[str, list[str]]] = {figure: {} for figure in job.params["figures"]}
        for name, files in job.snakemake.input.items():
            figure, _, table = name.rpartition(".")
            given[figure][table] = [files] if isinstance(files, str) else list(files)
        assert sum(len(files) for tables in given.values() for files in tables.values()) == len(job.inputs)
        for figure, tables in given.items():
            drawn = json.loads(job.params["figures"][figure])
            if drawn["room"] == PLOTS:
                assert set(tables) == set(registry.constants(PLOTS, drawn["name"])["TABLES"])
                about = {
                    next(iter(set(Path(f).parts) & {figure.split("__")[0]}), f) for fs in tables.values() for f in fs
                }
                assert about == {figure.split("__")[0]}
            else:
                assert set(tables) == {"measurements"}
                (study,) = [study for study in studies().values() if study.figure == figure]
                assert [Path(path).name for path in tables["measurements"]] == [f"{study.id}.measurements.parquet"]


def test_the_walk_sees_what_snakemake_says(plan: Plan, tmp_path: Path) -> None:
    """Snakemake's own list of inputs and outputs, of a job that has no message."""
    listing = snakemake(tmp_path, "--dry-run").stdout
    match = re.search(r"\nrule all:\n    input: ([^\n]*)", listing)
    assert match
    last = plan()[-1]
    assert (last.rule, set(last.inputs)) == ("all", set(match[1].split(", ")))
    assert f"total {len(plan())}" in re.sub(r" +", " ", listing)


def test_default_run_has_no_more_jobs_than_the_distribution_allows(plan: Plan) -> None:
    """That its start-up is a small share too is said by its table of timings, see ``rules.runtimes``."""
    assert 60 < len(plan(config=DEFAULT)) <= JOBS


def test_what_takes_long_starts_first(plan: Plan) -> None:
    """The priority of a job is about its seconds, as its study or experiment declares them."""
    jobs = plan(config=DEFAULT)
    assert {job.rule for job in jobs if not job.priority} == {"ledger", "summary", "runtimes", "all"}
    declared = {name: study.seconds for name, study in studies().items()}
    priorities = {job.snakemake.wildcards.study: job.priority for job in jobs if job.rule == "measure_study"}
    assert all(0 < priorities[name] - seconds < 1 for name, seconds in declared.items())
    draws = {job.snakemake.wildcards.experiment: job.priority for job in jobs if job.rule == "private_select"}
    assert max(draws.values()) > 5 * min(draws.values()), "long experiments declare their seconds, and start first"


def test_the_last_run_tells_how_long_jobs_take(tmp_path: Path) -> None:
    """Its table changes what is told of the time left, no job; a damaged one changes nothing."""
    table = tmp_path / "results/timings/jobs.parquet"
    row = dict.fromkeys(TIMINGS.names) | {
        "paper": "ABM19",
        "rule": "write_table",
        "job": "breast_cancer",
        "cpu": 7200.0,
    }
    write(table, TIMINGS, [row])
    whole = table.read_bytes()
    table.write_bytes(whole[:-1])
    asked = ("--cores", "2", "data/breast_cancer.parquet")
    assert "1 h 00 min left" not in snakemake(tmp_path, *asked).stderr
    table.write_bytes(whole)
    (tmp_path / "data/breast_cancer.parquet").unlink()
    assert "about 1 h 00 min left" in snakemake(tmp_path, *asked).stderr
