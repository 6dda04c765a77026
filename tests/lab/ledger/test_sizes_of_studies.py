"""Claims at sizes of one's own."""

import json
import sys
from importlib import import_module
from typing import Any

import pytest
from places import ROOT

from semipriv.cli import main
from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.claim import Claim
from semipriv_lab.ledger.sizes import measured_at, module_at, read, sizes
from semipriv_lab.ledger.studies import Study, studies
from semipriv_lab.workflow.measure_study import measure


def written(value: Any) -> str:
    if isinstance(value, tuple) and isinstance(value[0], int | float):
        return repr(value).strip("()").rstrip(",")
    return repr(value)


@pytest.mark.parametrize("study", studies().values(), ids=lambda study: study.id)
def test_each_number_of_each_study_can_be_given(study: Study) -> None:
    """What is written as the study has it is read as the study has it, and with it the study is what it was."""
    known, usual = sizes(study.module), import_module(study.module)
    assert {name: getattr(usual, name) for name in known} == known
    given = {name: read(name, written(value), value) for name, value in known.items()}
    assert given == known
    claims_at, same = (
        [value for value in vars(at).values() if isinstance(value, Claim)]
        for at in (usual, module_at(study.module, given))
    )
    assert [(claim.id, claim.experiment) for claim in claims_at] == [(claim.id, claim.experiment) for claim in same]
    assert sys.modules[study.module] is usual
    # Numba keeps compiled functions by their file, with the constants that they had: they may use none.
    compiled = [value.py_func for value in vars(usual).values() if hasattr(value, "py_func")]
    assert not {
        name for function in compiled if function.__module__ == study.module for name in function.__code__.co_names
    } & set(known)


def test_what_follows_from_a_size_follows_in_another_module() -> None:
    """Derived sizes and the sentence on how it was measured have the sizes given; the study itself keeps its own."""
    name = "semipriv_lab.papers.bcm20.studies.public_rows_release"
    usual, other = import_module(name), module_at(name, {"SIZES": (2, 3, 4), "N_PUBLIC": 500})
    assert (usual.MARGINALS, other.MARGINALS) == (105, 3)
    assert len(other.SCHEMA.columns) == 3
    assert other.biased_tables.experiment.startswith("tables of 3 columns, 32,384 private and 500 public rows")
    assert other.biased_tables.measure.__globals__["N_PUBLIC"] == 500
    assert usual.biased_tables.measure.__globals__["N_PUBLIC"] == 3_238


def test_without_other_sizes_it_is_what_the_ledger_has() -> None:
    effort = 0.05
    measured = measured_at(studies()["abm19_bad_event"], "ABM19-L3.3", {}, 1, effort)
    study, stream = studies()["abm19_bad_event"], Simulation(1).spawn("study", "abm19_bad_event")
    assert measured == measure(study.id, study.claims, stream, effort)["ABM19-L3.3"]


def test_the_answer_is_at_the_sizes_that_were_given(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds and "how" have the other beta, and the answer says that it is no part of the ledger."""
    monkeypatch.chdir(ROOT)
    words = ["claim", "ABM19-L3.3", "--set", "beta=0.1", "--effort", "0.05"]
    assert main([*words, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["set"], row["in_ledger"]) == ({"BETA": 0.1}, False)
    assert {cell["bound"] for cell in row["cells"] if cell["quantity"] == "P[Bad]"} == {0.1}
    assert "m1(alpha, 0.1, d)" in row["experiment"]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "NOT OF THE LEDGER: BETA = 0.1"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("betta=1", "did you mean 'BETA' or 'BETAS'? (allowed: BETA, TRIALS"),
        ("beta", "--set beta: must be NAME=VALUE"),
        ("beta=x", "--set BETA=x: must be written like BETA=0.05"),
        ("beta=True", "must be written like"),
        ("beta=1,2", "must be written like BETA=0.05"),
        ("trials=2.5", "must be written like TRIALS=2000"),
        ("shares=", "must be written like SHARES=60,30,"),
        ("beta=2", "ABM19-L3.3 cannot be measured at these sizes: beta = 2"),
    ],
)
def test_what_is_no_size_is_refused(
    asked: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["claim", "ABM19-L3.3", "--set", asked]) == 2
    assert message in capsys.readouterr().err
