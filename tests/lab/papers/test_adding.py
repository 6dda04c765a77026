"""The paper of docs/adding-a-paper.md is found in a plug-in folder as the papers of the package are, and works."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from drawn import check_looks, check_marks, check_words
from strangers import ADDING_A_PAPER, paper_written

from semipriv.audit.exact import exact_privacy_loss
from semipriv.core import overlay, registry
from semipriv.core.fingerprint import closure
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.controls import base, gathered
from semipriv_lab.experiments.papers import papers, titles
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.studies import studies
from semipriv_lab.workflow.measure_study import measure


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the paper, with the study and the figure of the page, below a plug-in folder that is laid."""
    monkeypatch.setenv(overlay.VARIABLE, "")
    monkeypatch.chdir(tmp_path)
    folder = paper_written(tmp_path)
    overlay.lay(["mine"])
    yield folder
    for name in [name for name in sys.modules if ".war65" in name]:
        del sys.modules[name]


def test_a_paper_from_outside_stands_beside_the_others(paper: Path) -> None:
    assert [*titles()][-1] == "WAR65"
    assert papers()["WAR65"].title == "Randomized Response"
    assert papers()["WAR65"].about == "Each row answers with a lie now and then."
    assert (claims()["WAR65-E1"].paper, claims()["WAR65-E1"].kind) == ("WAR65", "theorem")
    assert [*claims()][-1] == [claim for study in studies().values() for claim in study.claims][-1] == "WAR65-E1"
    assert registry.names("papers/war65/figures") == ["share"]


def test_its_study_holds_and_its_figure_shows_it(paper: Path, tmp_path: Path) -> None:
    computed_measure = measure("war65_share", ["WAR65-E1"], Simulation(1), 0.25)["WAR65-E1"]
    assert computed_measure.verdict is Verdict.HOLDS
    rows = [
        {"measured": row.measured.value, "bound": row.bound, "claim": "WAR65-E1", **row.settings}
        for row in computed_measure.measurements
    ]
    tables = {"measurements": pd.DataFrame(rows)}
    figure = registry.load("papers/war65/figures", "share")(tables)
    case: dict[str, Any] = {"__name__": "case"}
    exec(re.findall(r"```python\n(.*?)```", ADDING_A_PAPER.read_text(), flags=re.S)[2], case)
    check_marks("share", figure, case["shown"](tables))
    check_words("share", figure, case["texts"](tables), "")
    check_looks("share", figure)


def test_its_learner_and_its_bound_are_found(paper: Path) -> None:
    learner = registry.build("learners", {"name": "from_below", "epsilon": 0.5})
    assert type(learner).__module__ == "semipriv.papers.war65.learners.from_below"
    assert registry.specified(registry.specification("learners", learner)) == learner
    known = overlay.outside(closure(registry.modules(learner)))
    assert {name: path for name, path in known.items() if "/learners/" in name or "/bounds/" in name} == {
        "papers/war65/learners/from_below.py": paper / "learners/from_below.py",
        "papers/war65/bounds/variances.py": paper / "bounds/variances.py",
    }
    assert overlay.digests(closure(registry.modules(learner))).keys() == known.keys()
    assert overlay.module_below("papers/war65/bounds/variances.py") == "semipriv.papers.war65.bounds.variances"


def test_its_control_is_found_and_caught(paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault that was met: a file of a control that Python could not read, which no test read."""
    monkeypatch.setattr(base, "CONTROLS", own := {})
    gathered([paper / "controls"])
    control = own["answered_twice"]()
    losses = [exact_privacy_loss(distribution, control.slots).loss for distribution in (control.honest, control.broken)]
    assert losses == pytest.approx([control.epsilon, 2 * control.epsilon], abs=1e-12)


def test_the_properties_hold_it_as_any_learner(paper: Path) -> None:
    """In a process of its own, as property tests list learners when they are imported."""
    words = ["-m", "semipriv", "check", str(paper / "learners/from_below.py"), "--property", "built again"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FromBelow, of the room learners" in done.stdout


HEAD = "claim,kind,statement,domain,proof\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("__init__.py", "", r"__init__\.py: must have a docstring, whose first line is the title"),
        ("claims.csv", "claim,kind\n", r"claims\.csv: its first line must be claim,kind,statement,domain,proof"),
        (
            "claims.csv",
            HEAD + "ABM19-E1,theorem,x,,\n",
            r"claims\.csv, line 2: claim = 'ABM19-E1': must",
        ),
        (
            "claims.csv",
            HEAD + "WAR65-E1,guess,x,,\n",
            r"claims\.csv, line 2: kind = 'guess': must be one of",
        ),
        (
            "claims.csv",
            HEAD + "WAR65-E1,theorem,x,,\nWAR65-E1,theorem,y,,\n",
            r"claims\.csv, line 3: claim = 'WAR65-E1': is listed twice",
        ),
    ],
)
def test_what_is_wrong_with_a_paper_is_told_by_file(paper: Path, name: str, text: str, message: str) -> None:
    (paper / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        claims()


def test_a_paper_of_a_known_name_is_refused(paper: Path) -> None:
    (paper.parent / "abm19").mkdir()
    (paper.parent / "abm19/__init__.py").write_text('"""Another one."""\n')
    with pytest.raises(ValueError, match=r"papers/abm19: a paper of this name already exists, .*/papers/abm19"):
        papers()
