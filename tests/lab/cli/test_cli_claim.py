"""One claim by its id: what is refused, what is said, and that the workflow does what it needs and no more."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from places import ROOT

from semipriv.cli import main
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.cli import _workflow, claim
from semipriv_lab.ledger import latex
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.ledger.reasons import reason_of, sentences
from semipriv_lab.ledger.studies import studies, study_of
from semipriv_lab.ledger.table import write_findings
from semipriv_lab.workflow.measure_study import measure

STATEMENTS = claims()
UNMEASURED = "BBD24-ORACLE"
"""Stands for a claim that no study measures yet."""
NEED = "abm19_private_need"


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


# ---------------------------------------------------------------------------------------------------- refused input
@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> int:
        raise AssertionError("Snakemake was started")

    monkeypatch.setattr(claim._Run, "measure", run)


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize(
    ("name", "verdict", "why"),
    [("ABM19-T4.3", "cited", "taken from other work"), (UNMEASURED, "not implemented", "has no study yet")],
)
def test_what_is_not_measured_says_why(
    name: str, verdict: str, why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        claim, "study_of", lambda: {other: study for other, study in study_of().items() if other != name}
    )
    assert main(["claim", name]) == claim.REFUSED
    out, error = capsys.readouterr()
    assert out.startswith(f"{name}: {verdict}\n")
    assert " ".join(STATEMENTS[name].statement.split()) in " ".join(out.split())
    assert f"{name}: nothing to run" in error
    assert why in out
    assert why in error
    assert main(["claim", name, "--json"]) == claim.REFUSED
    assert json.loads(capsys.readouterr().out)["verdict"] == verdict


def test_list_has_every_claim_and_its_study(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", "--list"]) == 0
    out = capsys.readouterr().out
    lines = {line.split()[0]: line for line in out.splitlines() if not line.startswith(" ")}
    assert list(lines) == list(STATEMENTS)
    text = " ".join(out.split())
    assert all(" ".join(claim.statement.split()) in text for claim in STATEMENTS.values())
    for name, line in lines.items():
        assert line.split()[1:3] == [STATEMENTS[name].kind, study_of().get(name, "-")]
    assert main(["claim", "--list", "--json"]) == 0
    assert {row["claim"]: row["study"] for row in json.loads(capsys.readouterr().out)} == {
        name: study_of().get(name) for name in STATEMENTS
    }


def test_a_reader_that_leaves_is_no_error() -> None:
    listing = subprocess.Popen(
        [sys.executable, "-m", "semipriv", "claim", "--list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert listing.stdout is not None
    assert listing.stdout.readline()
    listing.stdout.close()
    assert listing.communicate()[1] == b""


def test_list_searches_ids_and_statements(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", "--list", "abm19 PUBLIC", "--json"]) == 0
    listed = {row["claim"] for row in json.loads(capsys.readouterr().out)}
    words = {name: f"{name} {claim.statement}".lower() for name, claim in STATEMENTS.items()}
    assert listed >= {name for name, text in words.items() if "abm19" in text and "public" in text}
    assert listed
    assert all(name.startswith("ABM19") for name in listed)
    assert main(["claim", "--list", "ABM19-L3.3-rate"]) == 0
    assert capsys.readouterr().out.startswith("ABM19-L3.3-rate ")


def test_the_checkout_is_that_of_the_folder_or_of_the_package(tmp_path: Path) -> None:
    here, other = tmp_path / "here", tmp_path / "other"
    for root in (here, other):
        (root / "src/semipriv").mkdir(parents=True)
        (root / "Snakefile").touch()
    package = other / "src/semipriv"
    assert _workflow.checkout(here, package) == here
    assert _workflow.checkout(here / "src/semipriv", package) == here
    assert _workflow.checkout(tmp_path, package) == other
    assert _workflow.checkout(Path(_workflow.__file__).parent) == ROOT
    (other / "Snakefile").unlink()
    with pytest.raises(ValueError, match=r"is in no checkout of semipriv, whose workflow"):
        _workflow.checkout(tmp_path, package)


# ---------------------------------------------------------------------------------------------------- the answer
@pytest.fixture(scope="module")
def findings() -> dict[str, Finding]:
    """The claims differ in their verdicts, so that none is told for another."""
    measured_findings = measure(NEED, studies()[NEED].claims, Simulation(1))
    return measured_findings | {
        "ABM19-T3.1-realizable": replace(measured_findings["ABM19-T3.1-realizable"], verdict=Verdict.INCONCLUSIVE)
    }


@pytest.fixture
def measured(tmp_path: Path, findings: dict[str, Finding], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which the study is carried out without Snakemake; yields its folder of results."""

    def run(self: claim._Run, study: str, cores: str) -> int:
        assert (self.folder, study, cores) == (tmp_path, NEED, "3")
        folder = tmp_path / self.results / "claims"
        write_findings(findings, folder / f"{NEED}.rows.parquet", folder / f"{NEED}.measurements.parquet")
        return 0

    monkeypatch.setattr(claim._Run, "measure", run)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text("results: own\n")
    return tmp_path / "own"


def ask(*words: str) -> int:
    return main(["claim", "ABM19-T3.1-agnostic", "--cores", "3", "--directory", ".", *words])


def test_the_row_as_text(measured: Path, findings: dict[str, Finding], capsys: pytest.CaptureFixture[str]) -> None:
    assert ask("--configfile", "own.yaml") == 0
    out = capsys.readouterr().out
    finding, text = findings["ABM19-T3.1-agnostic"], " ".join(out.split())
    deciding = finding.deciding.measured
    assert out.startswith(f"ABM19-T3.1-agnostic: {finding.verdict.value}\n")
    assert max(map(len, out.splitlines())) <= 120
    for part in (
        STATEMENTS["ABM19-T3.1-agnostic"].statement,
        "paper, kind ABM19, rate",
        f"measured {deciding.value:.4g}",
        "trials exact",
        "constants the paper's",
        finding.experiment,
        *sentences(finding.reason),
        f"along with it ABM19-T3.1-realizable ({findings['ABM19-T3.1-realizable'].verdict.value})",
        "measurements own/claims/abm19_private_need.measurements.parquet",
        "figure own/figures/private_need.pdf (not drawn yet)",
    ):
        assert part in text
    figure = measured / "figures/private_need.pdf"
    figure.parent.mkdir()
    figure.touch()
    assert ask("--configfile", "own.yaml") == 0
    assert "private_need.pdf (older than the measurements)" in capsys.readouterr().out


def test_the_row_for_latex_is_the_line_of_the_whole_ledger(
    measured: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("--configfile", "own.yaml", "--tex") == 0
    line = capsys.readouterr().out
    latex.write_latex(measured / f"claims/{NEED}.rows.parquet", tmp_path / "claims.tex")
    assert line in (tmp_path / "claims.tex").read_text()
    assert line.startswith("ABM19-T3.1-agnostic & ")
    assert main(["claim", "ABM19-T4.3", "--tex"]) == claim.REFUSED
    assert capsys.readouterr().out.endswith(" & cited &  &  &  \\\\ \\addlinespace[2pt]\n")


def test_the_row_as_json_with_its_cells(
    measured: Path, findings: dict[str, Finding], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--configfile", "own.yaml", "--measurements")
    finding = findings["ABM19-T3.1-agnostic"]
    assert ask(*words, "--json") == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["claim"], row["kind"], row["verdict"]) == ("ABM19-T3.1-agnostic", "rate", finding.verdict.value)
    assert row["measured"] == finding.deciding.measured.value
    assert row["measured_with"] == {"ABM19-T3.1-realizable": findings["ABM19-T3.1-realizable"].verdict.value}
    assert row["measurements"] == "own/claims/abm19_private_need.measurements.parquet"
    assert row["figures"] == ["own/figures/private_need.pdf"]
    assert [(cell["quantity"], cell["settings"], cell["measured"]) for cell in row["cells"]] == [
        (m.quantity, m.settings, m.measured.value) for m in finding.measurements
    ]
    assert ask(*words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("    ") and "exact" in line for line in lines) == len(finding.measurements)
    assert measured.is_dir()


def test_an_effort_of_its_own_leaves_the_results_alone(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask("--configfile", "own.yaml", "--effort", "0.5") == 0
    assert "own/effort_0.5/claims/abm19_private_need.measurements.parquet" in capsys.readouterr().out
    assert {path.name for path in measured.iterdir()} == {"effort_0.5"}


def test_numbers_that_are_not_finite_are_null() -> None:
    row = {"low": float("-inf"), "cells": [{"high": float("nan"), "bound": 1.5}], "trials": 0}
    assert json.loads(claim._answer(row, as_json=True)) == {
        "low": None, "cells": [{"high": None, "bound": 1.5}], "trials": 0,
    }  # fmt: skip


def test_a_run_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(claim._Run, "measure", lambda *_: 1)
    assert main(["claim", "BMN20-DIM", "--directory", str(tmp_path)]) == claim.FAILED
    assert capsys.readouterr() == ("", "semipriv: BMN20-DIM: the run failed, see above\n")


# ---------------------------------------------------------------------------------------------------- for real
@pytest.mark.xdist_group("dag")
def test_only_the_study_of_the_claim_runs_and_only_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of a claim that the configuration does not ask for; its row is what the study finds for that seed and effort."""
    own, folder = tmp_path / "own.yaml", tmp_path / "run"
    folder.mkdir()
    own.write_text("{seed: 3, results: own, experiments: [], claims: [BMN20-L4.1]}")
    words = ["claim", "ABM19-T4.1-pair", "--cores", "1", "--directory", str(folder), "--configfile", str(own)]
    words += ["--effort", "0.01", "--json"]
    study = study_of()["ABM19-T4.1-pair"]
    files = {
        f"own/effort_0.01/{path}"
        for path in (
            f"claims/{study}.rows.parquet",
            f"claims/{study}.measurements.parquet",
            f"logs/measure_study/{study}.log",
            f"timings/measure_study/{study}.tsv",
        )
    }
    assert main(words) == 0
    out, error = capfd.readouterr()
    row, expected = (
        json.loads(out),
        measure(study, studies()[study].claims, Simulation(3).spawn("study", study), 0.01)["ABM19-T4.1-pair"],
    )
    assert "Measuring the claims of abm19_public_need" in error
    assert (row["verdict"], row["reason"], row["note"]) == (expected.verdict.value, *reason_of(expected.reason))
    assert (row["measured"], row["low"]) == (expected.deciding.measured.value, expected.deciding.measured.low)
    assert set(row["measured_with"]) == set(studies()[study].claims) - {"ABM19-T4.1-pair"}
    times = {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    times = {path: time for path, time in times.items() if not path.startswith(".snakemake")}
    assert set(times) == files
    words[1] = "ABM19-NAIVE"
    assert main(words) == 0
    out, error = capfd.readouterr()
    assert json.loads(out)["claim"] == "ABM19-NAIVE"
    assert "Nothing to be done" in error
    assert {path: (folder / path).stat().st_mtime_ns for path in times} == times
