"""What moved between two ledgers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from semipriv.cli import main
from semipriv.core import tables
from semipriv_lab.ledger.difference import NUMBERS, TEXTS, difference
from semipriv_lab.ledger.table import CLAIMS

ROW = {
    "paper": "ABM19", "kind": "theorem", "statement": "s", "domain": "m >= 1", "proof": "", "experiment": "e",
    "bound": 1.0, "measured": 0.5, "low": 0.4,
    "high": 0.6, "trials": 10, "gates": 1, "constants": "the paper's own", "verdict": "holds", "reason": None,
    "note": None,
}  # fmt: skip
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(folder: str, **claims: dict[str, Any]) -> str:
        (tmp_path / folder).mkdir()
        rows = [{**ROW, "claim": claim, **changed} for claim, changed in claims.items()]
        tables.write(tmp_path / folder / "claims.parquet", CLAIMS, rows)
        return str(tmp_path / folder)

    return written


def test_every_column_of_a_claim_is_compared() -> None:
    assert {"claim", "paper", "kind", "verdict", *NUMBERS, *TEXTS} == set(CLAIMS.names)
    for name in ("verdict", *NUMBERS, *TEXTS):
        before, after = {"claim": "A", **ROW}, {"claim": "A", **ROW, name: "another"}
        (change,) = difference([before], [after]).changes
        assert change.changed == {name: (before[name], "another")}


def test_one_that_was_not_measured_shows_why() -> None:
    unmeasured = {"claim": "A", **ROW, "verdict": "inconclusive", "reason": "not part of this run"}
    (change,) = difference([{"claim": "A", **ROW}], [unmeasured]).changes
    assert change.changed["verdict"] == ("holds", "not part of this run")


def test_nothing_is_the_same_as_itself() -> None:
    row = {"claim": "A", **ROW, "measured": float("nan"), "low": None}
    moved = difference([row], [dict(row, measured=float("nan"))])
    assert (list(moved.changes), moved.same) == ([], 1)


def test_verdicts_come_first(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    before = write("a", A={}, B={}, C={}, D={})
    after = write("b", A={"measured": 0.25, "reason": "why"}, B={"verdict": "violated", "bound": None}, C={}, E={})
    assert main(["diff", before, after]) == 1
    assert capsys.readouterr().out == (
        "B  holds -> violated\n    bound  1 -> none\n"
        "A\n    measured  0.5 -> 0.25\n    reason: another text\n"
        "only in the first ledger: D\nonly in the second ledger: E\n"
        "1 verdicts differ, 1 claims differ in numbers or texts alone, 1 equal\n"
    )
    assert main(["diff", "--verdicts", before, after]) == 1
    assert "A\n" not in capsys.readouterr().out
    assert main(["diff", "--json", before, f"{after}/claims.parquet"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "changes": {
            "A": {"measured": [0.5, 0.25], "reason": [None, "why"]},
            "B": {"verdict": ["holds", "violated"], "bound": [1.0, None]},
        },
        "only_before": ["D"],
        "only_after": ["E"],
        "same": 1,
    }


@pytest.mark.parametrize(("changed", "code"), [({}, 0), ({"measured": 0.1}, 0), ({"verdict": "refuted"}, 1)])
def test_the_exit_code_speaks_of_verdicts(write: Write, changed: dict[str, Any], code: int) -> None:
    assert main(["diff", write("a", A={}), write("b", A=changed)]) == code


@pytest.mark.parametrize("ledgers", [("A", "B"), ("AB", "A"), ("A", "AB")])
def test_lists_that_differ_are_said(write: Write, ledgers: tuple[str, str]) -> None:
    before, after = (write(f"{i}", **{claim: {} for claim in claims}) for i, claims in enumerate(ledgers))
    assert main(["diff", before, after]) == 1


def test_refused(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = write("a", A={})
    assert main(["diff", there, str(tmp_path / "b")]) == 2
    assert capsys.readouterr().err.endswith("b: does not exist; `snakemake` writes it\n")
    assert main(["diff", there, there, "--wrong"]) == 2
    assert capsys.readouterr().err == "semipriv: '--wrong': is not an option of `semipriv diff`\n"
