"""Studies are found by their files, and what a file declares wrongly is an error that names it."""

from importlib import import_module
from pathlib import Path

import pytest
from places import matching

from semipriv.core import registry
from semipriv.core.overlay import PACKAGES
from semipriv_lab.ledger.claim import Claim
from semipriv_lab.ledger.studies import declared, studies

PAPERS = PACKAGES["semipriv_lab"] / "papers"
DECLARED = '''"""What it is.

More of it."""

@claim("ABM19-E3", "how")
def first(table): ...

second = claim("ABM19-E2", "how")(first)
FIGURE = "reduction"
'''


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_every_study_is_found_and_has_a_plot_if_it_says_so() -> None:
    files = {f"{path.parents[1].name}_{path.stem}" for path in matching(PAPERS, "*/studies/[!_]*.py")}
    assert set(studies()) == files
    for study in studies().values():
        found = [one.id for one in vars(import_module(study.module)).values() if isinstance(one, Claim)]
        assert tuple(found) == study.claims
        assert study.summary
        if study.figure is not None:
            assert study.figure in registry.names(f"papers/{study.paper}/figures")


def test_what_a_file_declares(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "abm19/claims.csv": "",
            "abm19/studies/__init__.py": "",
            "abm19/studies/_helper.py": "claim('ABM19-E3', 'how')",
            "abm19/studies/later.py": "claim('ABM19-L4.4', 'how')",
            "abm19/studies/sums.py": DECLARED + "raise RuntimeError('was imported')",
        },
    )
    found = declared(root.iterdir())
    assert set(found) == {"abm19_sums", "abm19_later"}
    study = found["abm19_sums"]
    assert (study.claims, study.figure, study.summary) == (("ABM19-E3", "ABM19-E2"), "reduction", "What it is.")
    assert study.module == "semipriv_lab.papers.abm19.studies.sums"
    assert (found["abm19_later"].figure, found["abm19_later"].summary) == (None, "")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"bmn20/studies/bare.py": '"""No claims."""'},
            r"semipriv_lab\.papers\.bmn20\.studies\.bare: measures no claim",
        ),
        (
            {"bmn20/studies/bare.py": "claim(ID, 'how')"},
            r"semipriv_lab\.papers\.bmn20\.studies\.bare: measures no claim",
        ),
        (
            {"abm19/studies/odd.py": "claim('ABM19-X1', 'how')"},
            r"semipriv_lab\.papers\.abm19\.studies\.odd: claim 'ABM19-X1' is not in",
        ),
        (
            {"abm19/studies/one.py": DECLARED, "bmn20/studies/two.py": "claim('ABM19-E2', 'how')"},
            r"semipriv_lab\.papers\.bmn20\.studies\.two: claim 'ABM19-E2' is measured by abm19_one already",
        ),
        (
            {"abm19/studies/one.py": "claim('ABM19-E2', 'how')\nclaim('ABM19-E2', 'how')"},
            r"semipriv_lab\.papers\.abm19\.studies\.one: claim 'ABM19-E2' is measured by abm19_one already",
        ),
    ],
)
def test_wrong_declarations_name_their_file(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared(write(tmp_path, files).iterdir())
