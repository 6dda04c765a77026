"""Packages that are missing: one line that names them and who needs them, and nothing is imported."""

import sys
from pathlib import Path

import pytest

from semipriv.core.fingerprint import fingerprint
from semipriv_lab.workflow.missing import Job, missing


@pytest.fixture
def script(tmp_path: Path) -> str:
    """Fingerprint of a script that imports a package that is there, one that is not, and one that breaks."""
    (tmp_path / "breaks.py").write_text("raise RuntimeError('was imported')")
    path = tmp_path / "measure.py"
    path.write_text("import breaks, nowhere_to_be_found, numpy")
    return fingerprint([path])


def test_a_missing_package_is_one_line(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    line = missing([Job("other", None, {}), *[Job("measure_study", script, {"study": f"{i}"}) for i in range(9)]])
    assert line.startswith(
        "package 'nowhere_to_be_found' is not installed, and measure_study needs it: measure.py imports it; "
    )
    assert line.count("package ") == 1
    assert all(way in line for way in ("`make`", "`make slurm`", "--sdm conda"))
    (tmp_path / "nowhere_to_be_found.py").touch()
    assert missing([Job("measure_study", script, {})]) == ""


def test_a_table_is_looked_for_where_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "statsmodels").mkdir()
    (tmp_path / "statsmodels/__init__.py").write_text("raise RuntimeError('was imported')")
    monkeypatch.delitem(sys.modules, "statsmodels", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert missing([Job("write_table", None, {"table": name}) for name in ("breast_cancer", "diabetes", "own")]) == ""
    line = missing([Job("write_table", None, {"table": "randhie"})])
    assert line.startswith("package 'statsmodels' has no datasets/randhie/src/randhie.csv")
    assert "write_table needs it" in line
