"""The whole DAG: it finishes, its bytes depend on neither cores nor blocks, and private files stay private."""

from pathlib import Path

import pytest
from runs import FIXTURES, MICRO, ROOT, contents, snakemake

from semipriv import tables
from semipriv.claims.ledger import CLAIMS, claims
from semipriv.experiments.schemas import SUMMARY

pytestmark = pytest.mark.xdist_group("dag")

RESULTS = (
    "trials.parquet",
    "summary.parquet",
    "slopes.parquet",
    "claims.parquet",
    "measurements.parquet",
    "*.png",
    "*.pdf",
)

PRIVATE_READERS = {"private_select", "measure_without_privacy"}
"""Rules that may read a private file; split_table makes it from an own table."""
RAW_READERS = {"split_table"}
HELD_READERS = {"evaluate_held_out", "draw_figure"}
"""The held-out part of a table measures releases and is drawn under them; no learner sees it."""


def readers(listing: str) -> dict[str, set[tuple[str, str]]]:
    """(rule, output) pairs that read each file, from Snakemake's detailed summary."""
    found: dict[str, set[tuple[str, str]]] = {}
    lines = [line.split("\t") for line in listing.splitlines() if "\t" in line]
    header, *body = lines
    output, rule, inputs = (header.index(name) for name in ("output_file", "rule", "input-file(s)"))
    for row in body:
        for path in filter(None, row[inputs].split(",")):
            found.setdefault(path, set()).add((row[rule], row[output]))
    return found


def offences(read: dict[str, set[tuple[str, str]]]) -> list[str]:
    """Files that a rule reads though it must not."""
    wrong = []
    for path, pairs in read.items():
        for rule, _ in pairs:
            name = Path(path).name
            if name == "private.parquet" and rule not in PRIVATE_READERS:
                wrong.append(f"{rule} reads {path}")
            if name == "held.parquet" and rule not in HELD_READERS:
                wrong.append(f"{rule} reads {path}")
            if path.startswith("data/") and path.count("/") == 1 and rule not in RAW_READERS:
                wrong.append(f"{rule} reads {path}")
            if rule == "construct_cover" and name != "public.parquet":
                wrong.append(f"{rule} reads {path}")
            if rule == "evaluate" and name not in {"releases.parquet", "without_privacy.parquet"}:
                wrong.append(f"{rule} reads {path}")
    return wrong


@pytest.mark.parametrize(
    "config", [ROOT / "config/config.yaml", ROOT / "config/smoke.yaml", ROOT / "config/tiny.yaml", MICRO]
)
def test_the_dag_is_the_privacy_argument(tmp_path: Path, config: Path) -> None:
    listing = snakemake(tmp_path, "--detailed-summary", config=config).stdout
    read = readers(listing)
    private = [path for path in read if path.endswith("private.parquet")]
    assert private, "the walk must see private files"
    assert offences(read) == []


def test_the_walk_catches_a_reader_that_has_no_business_there(tmp_path: Path) -> None:
    read = readers(snakemake(tmp_path, "--detailed-summary").stdout)
    private = next(path for path in read if path.endswith("private.parquet"))
    for rule in ("construct_cover", "evaluate", "gather", "draw_figure"):
        assert offences({**read, private: {(rule, "x")}})
    assert offences({**read, "data/breast_cancer.parquet": {("construct_cover", "x")}})
    assert offences({**read, "data/split/results/breast_cancer/0/held.parquet": {("private_select", "x")}})


def test_default_run_has_at_most_150_jobs(tmp_path: Path) -> None:
    listing = snakemake(tmp_path, "--dry-run", "--quiet", "rules", config=ROOT / "config/config.yaml").stdout
    total = next(line for line in listing.splitlines() if line.startswith("total"))
    assert 60 < int(total.split()[1]) <= 150


def test_smoke_run(tmp_path: Path) -> None:
    snakemake(tmp_path, "--cores", "2", "--quiet", "all", config=ROOT / "config/smoke.yaml")
    results = tmp_path / "results/smoke"
    assert [row["claim"] for row in tables.read_rows(results / "claims.parquet", CLAIMS)] == list(claims())
    for experiment in ("excess_vs_public", "excess_vs_private", "excess_vs_shift", "breast_cancer"):
        rows = tables.read_rows(results / experiment / "summary.parquet", SUMMARY)
        assert rows
        assert all(row["low"] <= row["mean"] <= row["high"] for row in rows)
        for row in rows:
            if row["bound"] is not None:
                assert row["mean"] < row["bound"], "a mean above a bound that holds with probability 0.95"
    again = snakemake(tmp_path, "--cores", "2", config=ROOT / "config/smoke.yaml")
    assert "Nothing to be done" in again.stdout + again.stderr


@pytest.mark.parametrize(("cores", "blocks"), [("2", 1), ("2", 2), ("1", 3)])
def test_bytes_do_not_depend_on_cores_or_blocks(
    tmp_path: Path, reference: dict[str, bytes], cores: str, blocks: int
) -> None:
    further = [str(FIXTURES / f"blocks_{blocks}.yaml")] if blocks > 1 else []
    snakemake(tmp_path, *further, "--cores", cores, "--quiet", "all")
    found = contents(tmp_path / "results", *RESULTS)
    assert found.keys() == reference.keys()
    different = [name for name in found if found[name] != reference[name]]
    assert different == []


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Results of the micro run on one core in one block."""
    folder = tmp_path_factory.mktemp("reference")
    snakemake(folder, "--cores", "1", "--quiet", "all")
    found = contents(folder / "results", *RESULTS)
    assert len(found) > 12
    return found
