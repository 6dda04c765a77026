"""Results do not depend on how the work was cut up and spread."""

from pathlib import Path

import pytest
from runs import FIXTURES, contents, snakemake

pytestmark = pytest.mark.xdist_group("rules")

RESULTS = (
    "trials.parquet",
    "summary.parquet",
    "slopes.parquet",
    "claims.parquet",
    "measurements.parquet",
    "claims.html",
    "claims.tex",
    "*.png",
    "*.pdf",
)


def test_bytes_depend_neither_on_cores_nor_on_blocks(finished: Path, tmp_path: Path) -> None:
    """The finished run had two cores and one block, this one has one core and three blocks."""
    snakemake(tmp_path, str(FIXTURES / "blocks_3.yaml"), "--cores", "1", "--quiet", "all")
    expected, found = (contents(folder / "results", *RESULTS) for folder in (finished, tmp_path))
    assert len(expected) > 12
    assert found.keys() == expected.keys()
    assert [name for name in found if found[name] != expected[name]] == []
