"""Claims at sizes of one's own."""

import ast
import json
import sys

import pytest
from places import ROOT

from semipriv.cli import main
from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.studies import studies
from semipriv_lab.ledger.varied import measured_at, module_at, numbers, read, sizes
from semipriv_lab.workflow.measure_study import measure


def written(value: object) -> str:
    return (
        repr(value).strip("()").rstrip(",")
        if isinstance(value, tuple) and isinstance(value[0], int | float)
        else repr(value)
    )


@pytest.mark.parametrize("study", studies().values(), ids=lambda study: study.id)
def test_each_number_of_each_study_can_be_given(study: object) -> None:
    """What is written as the study has it is read as the study has it, and the study is made with it."""
    known = sizes(study)
    given = {name: read(name, written(one.value), one.value) for name, one in known.items()}
    assert given == {name: one.value for name, one in known.items()}
    before = dict(sys.modules)
    with module_at(study, given) as module:
        assert {name: getattr(module, name) for name in known} == given
    assert sys.modules.get(study.module) is before.get(study.module)


def test_without_other_sizes_it_is_what_the_ledger_has() -> None:
    effort = 0.05
    found = measured_at(studies()["abm19_bad_event"], "ABM19-L3.3", {}, 1, effort)
    stream = Simulation(1).spawn("study", "abm19_bad_event")
    assert found == measure("abm19_bad_event", ["ABM19-L3.3"], stream, effort)["ABM19-L3.3"]


def test_what_follows_from_a_constant_follows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds are the other beta, the answer says that it is no part of the ledger, and nothing is written."""
    monkeypatch.chdir(ROOT)
    words = ["claim", "ABM19-L3.3", "--set", "beta=0.1", "--effort", "0.05"]
    assert main([*words, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["set"], row["in_ledger"]) == ({"BETA": 0.1}, False)
    assert {cell["bound"] for cell in row["cells"] if cell["quantity"] == "P[Bad]"} == {0.1}
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "NOT OF THE LEDGER: BETA = 0.1"


def test_compiled_functions_see_the_other_constant(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each module is a file of its own: what Numba keeps of one must not serve another."""
    study = studies()["abm19_bad_event"]
    with module_at(study, {"BETA": 0.1}) as one, module_at(study, {"BETA": 0.2}) as other:
        assert one.__file__ != other.__file__
        assert (one.BETA, other.BETA) == (0.1, 0.2)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("betta=1", "did you mean 'BETA'? (allowed: BETA, TRIALS"),
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
    asked: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["claim", "ABM19-L3.3", "--set", asked]) == 2
    assert said in capsys.readouterr().err


def test_only_written_numbers_are_sizes() -> None:
    tree = ast.parse(
        "A = 1\n'''one'''\nB = 2 * A\nC = 'text'\nD = (1, 'x')\nE = F = {1: (2, 3)}\ng = 4\nH = open('x')\nSECONDS = 9"
    )
    assert {name: (one.value, one.about) for name, one in numbers(tree).items()} == {
        "A": (1, "one"), "E": ({1: (2, 3)}, ""), "F": ({1: (2, 3)}, ""),
    }  # fmt: skip
