"""The whole DAG: it finishes, and private files stay private."""

import re
import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest
from runs import MICRO, ROOT, snakemake

from semipriv import tables
from semipriv.ledger.claims import claims
from semipriv.ledger.table import CLAIMS
from semipriv.rules.runtimes import JOBS
from semipriv.rules.schemas import SUMMARY

pytestmark = pytest.mark.xdist_group("dag")

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
    "split_table": {"breast_cancer.parquet"},
    "construct_cover": {"public.parquet"},
    "private_select": {"prepared.parquet", "private.parquet"},
    "measure_without_privacy": {"prepared.parquet", "private.parquet"},
    "evaluate": {"releases.parquet", "without_privacy.parquet"},
    "evaluate_held_out": {"releases.parquet", "without_privacy.parquet", "held.parquet"},
    "gather": {"evaluations.parquet"},
    "draw_figure": {
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
    "summary": {"claims.parquet", "measurements.parquet", "summary.parquet", "slopes.parquet", "*.pdf", "*.png"},
}
"""What each rule may read, by file name.  A private file: private_select, whose output is differentially private, and,
in simulations, measure_without_privacy.  A raw table: split_table, which makes the private file.  The held-out part of
a table, which no learner sees: evaluate_held_out, and the figure that draws the points."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the workflow without messages: then a dry run lists the input and output of every job."""
    root = tmp_path_factory.mktemp("plain")
    for part in ("scripts", "src", "config", "envs", "profiles"):
        (root / part).symlink_to(ROOT / part)
    shutil.copy(ROOT / "Snakefile", root)
    shutil.copytree(ROOT / "workflow", root / "workflow")
    for path in (root / "workflow/rules").glob("*.smk"):
        path.write_text(re.sub(r'    message:\n        "[^\n]*"\n', "", path.read_text()))
    return root


def readers(listing: str) -> dict[str, set[tuple[str, str]]]:
    """(rule, first output) pairs that read each file, from Snakemake's listing of all jobs."""
    found: dict[str, set[tuple[str, str]]] = {}
    for job in re.split(r"\n(?=(?:local)?rule )", listing)[1:]:
        rule = re.match(r"(?:local)?rule (\S+):", job)[1]
        inputs, outputs = (re.search(rf"\n    {key}: ([^\n]*)", job) for key in ("input", "output"))
        for path in inputs[1].split(", ") if inputs else []:
            found.setdefault(path, set()).add((rule, outputs[1].split(", ")[0] if outputs else ""))
    return found


def offences(read: dict[str, set[tuple[str, str]]]) -> list[str]:
    """Files that a rule reads though it must not; a rule that is not listed may read nothing."""
    return [
        f"{rule} reads {path}"
        for path, pairs in read.items()
        for rule, _ in pairs
        if not any(fnmatch(Path(path).name, pattern) for pattern in ALLOWED.get(rule, ()))
    ]


def test_every_rule_is_listed() -> None:
    text = "".join(path.read_text() for path in [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")])
    assert set(re.findall(r"^rule (\w+):", text, flags=re.M)) == set(ALLOWED)
    assert not re.search(r"^(checkpoint|module|use rule)\b", text, flags=re.M), "the walk reads rules only"


@pytest.mark.parametrize(
    "config", [ROOT / "config/config.yaml", ROOT / "config/smoke.yaml", ROOT / "config/tiny.yaml", MICRO]
)
def test_the_dag_is_the_privacy_argument(tmp_path: Path, plain: Path, config: Path) -> None:
    read = readers(snakemake(tmp_path, "--dry-run", "--forceall", config=config, root=plain).stdout)
    private = [path for path in read if path.endswith("private.parquet")]
    rules = {rule for pairs in read.values() for rule, _ in pairs}
    assert private, "the walk must see private files"
    needed = {rule for rule, names in ALLOWED.items() if names and "held_out" not in rule and rule != "split_table"}
    assert needed - {"all"} <= rules
    assert offences(read) == []


def test_the_walk_catches_a_reader_that_has_no_business_there(tmp_path: Path, plain: Path) -> None:
    read = readers(snakemake(tmp_path, "--dry-run", "--forceall", root=plain).stdout)
    private = next(path for path in read if path.endswith("private.parquet"))
    for rule in ("construct_cover", "evaluate", "evaluate_held_out", "gather", "draw_figure", "a_new_rule"):
        assert offences({**read, private: {(rule, "x")}})
    for rule in ("construct_cover", "private_select", "evaluate", "gather"):
        assert offences({**read, "data/breast_cancer.parquet": {(rule, "x")}})
        assert offences({**read, "data/split/results/breast_cancer/0/held.parquet": {(rule, "x")}})
    for name in ("without_privacy.parquet", "evaluations.parquet", "trials.parquet"):
        assert offences({**read, f"results/e/{name}": {("private_select", "x")}})


def test_default_run_has_no_more_jobs_than_the_law_allows(tmp_path: Path) -> None:
    """That its start-up is a small share too is said by its table of timings, see ``rules.runtimes``."""
    listing = snakemake(tmp_path, "--dry-run", "--quiet", "rules", config=ROOT / "config/config.yaml").stdout
    total = next(line for line in listing.splitlines() if line.startswith("total"))
    assert 60 < int(total.split()[1]) <= JOBS


def test_smoke_run(tmp_path: Path) -> None:
    snakemake(tmp_path, "--cores", "2", "--quiet", "all", config=ROOT / "config/smoke.yaml")
    results = tmp_path / "results/smoke"
    assert [row["claim"] for row in tables.read_rows(results / "claims.parquet", CLAIMS)] == list(claims())
    names = ("excess_vs_public", "excess_vs_private", "excess_vs_shift", "breast_cancer")
    for experiment in (*names, "mixture_vs_n", "mixture_relaxation", "breast_cancer_mixture"):
        rows = tables.read_rows(results / experiment / "summary.parquet", SUMMARY)
        assert rows
        assert all(row["low"] <= row["mean"] <= row["high"] for row in rows)
        for row in rows:
            if row["bound"] is not None:
                assert row["mean"] < row["bound"], "a mean above a bound that holds with probability 0.95"
    text = (results / "summary.txt").read_text()
    assert len(re.findall(r"excess_vs_shift +\w+ +epsilon 1 +in sigma +-?\d\.\d{3} \[", text)) == 3
    again = snakemake(tmp_path, "--cores", "2", config=ROOT / "config/smoke.yaml")
    assert "Nothing to be done" in again.stdout + again.stderr
