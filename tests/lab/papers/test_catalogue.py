"""Studies are those that their papers list, and what a list says wrongly is an error that names its line."""

from importlib import import_module
from pathlib import Path

import pytest
from places import matching

from semipriv.core import registry
from semipriv.core.overlay import PACKAGES
from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.claim import Claim
from semipriv_lab.ledger.studies import declared, studies
from semipriv_lab.workflow.measure_study import measure

PAPERS = PACKAGES["semipriv_lab"] / "papers"
HEAD = "study,claims,figure,seconds\n"


def folder(root: Path, lines: str, *modules: str) -> Path:
    """Write a folder of ABM19 with a list of studies, and modules that would fail if they were imported."""
    studies = root / "abm19/studies"
    studies.mkdir(parents=True)
    for name in ("__init__", "_helper", *modules):
        (studies / f"{name}.py").write_text('"""What it is.\n\nMore of it."""\nraise RuntimeError("was imported")\n')
    (root / "abm19/studies.csv").write_text(lines)
    return root / "abm19"


def test_every_study_is_listed_with_the_claims_that_it_declares_and_its_plot() -> None:
    files = {f"{path.parents[1].name}_{path.stem}" for path in matching(PAPERS, "*/studies/[!_]*.py")}
    assert set(studies()) == files
    for study in studies().values():
        ids = [var.id for var in vars(import_module(study.module)).values() if isinstance(var, Claim)]
        assert tuple(ids) == study.claims
        assert study.summary
        if study.figure is not None:
            assert study.figure in registry.names(f"papers/{study.paper}/figures")


def test_what_a_line_says(tmp_path: Path) -> None:
    lines = "later,ABM19-L4.4,,\nsums,ABM19-E3 ABM19-E2,reduction,20\n"
    declared_studies = declared([folder(tmp_path, HEAD + lines, "sums", "later")])
    assert [*declared_studies] == ["abm19_sums", "abm19_later"], "in the order of the list of claims"
    sums, later = declared_studies.values()
    assert (sums.claims, sums.figure, sums.seconds) == (("ABM19-E3", "ABM19-E2"), "reduction", 20.0)
    assert sums.module == "semipriv_lab.papers.abm19.studies.sums"
    assert (later.figure, later.seconds) == (None, 5.0)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("study,claims\nodd,ABM19-E2\n", r"studies\.csv: its first line must be study,claims,figure,seconds"),
        (HEAD, r"studies/odd\.py: list the study, with its claims, in .*abm19/studies\.csv"),
        (HEAD + "odd,ABM19-E2\n", r"studies\.csv, line 2: must have 4 values: study, claims, figure, seconds"),
        (HEAD + "odd,,,\n", r"studies\.csv, line 2: 'odd' measures no claim"),
        (HEAD + "odd,ABM19-X1,,\n", r"studies\.csv, line 2: claim 'ABM19-X1' is not in the list of claims"),
        (HEAD + "odd,ABM19-E2 ABM19-E2,,\n", r"line 2: claim 'ABM19-E2' is measured by abm19_odd already"),
        (HEAD + "odd,ABM19-E2,,\nodd,ABM19-E3,,\n", r"line 3: study = 'odd': is listed twice"),
        (HEAD + "odd,ABM19-E2,,\neven,ABM19-E3,,\n", r"line 3: study = 'even': .*/studies has no such module"),
        (HEAD + "odd,ABM19-E2,,soon\n", r"line 2: seconds = 'soon': must be a number > 0"),
        (HEAD + "odd,ABM19-E2,,0\n", r"line 2: seconds = '0': must be a number > 0"),
    ],
)
def test_a_wrong_list_is_refused_by_file_and_line(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared([folder(tmp_path, lines, "odd")])


@pytest.mark.parametrize("claims", [["ABM19-E1"], [*studies()["abm19_bad_event"].claims, "ABM19-E3"]])
def test_a_study_does_not_run_unless_its_line_has_its_claims(claims: list[str]) -> None:
    """Neither a listed claim that the module lacks, nor one that nobody would write down."""
    with pytest.raises(ValueError, match=r"bad_event\.py: its @claim and the line in studies\.csv differ in ABM19-"):
        measure("abm19_bad_event", claims, Simulation(1))
