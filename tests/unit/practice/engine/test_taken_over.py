"""A charge for which nothing was drawn pays for the same release in other words, once."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import releases
from releases import project, request

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.engine import charging, whole
from semipriv.practice.engine import stages as engine
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import LedgerError, Reservation
from semipriv.privacy.budget.rule import BudgetError

OTHER = {**releases.COLUMNS, "age": {"range": [0, 90]}}


def charged(path: Path) -> tuple[engine.Stage, Reservation]:
    """A release that was killed after the charge."""
    staged = engine.stage(load(path))
    return staged, charging.reserve(staged)


def left(folder: Path) -> Fraction:
    (account,) = releases.ledger(folder).summary().accounts
    return account.left


def test_a_charge_without_a_draw_pays_for_another_declaration(tmp_path: Path, capsys: Any) -> None:
    path = project(tmp_path, budget={"epsilon": "0.5"})
    charged(path)
    other = request(tmp_path, "other.yaml", features=OTHER)
    assert main(["release", str(other), "--dry-run", "--no-simulation"]) == 0
    assert "would spend nothing: " in (printed := capsys.readouterr().out)
    assert "an earlier request of this name, for which nothing was drawn" in printed
    outcome = whole.release(load(other))
    assert left(tmp_path) == 0
    assert all(check.passed for check in verify(outcome.staged.request.folder, outcome.staged.request.ledger))
    assert whole.release(load(other)).replayed
    with pytest.raises(BudgetError):  # the earlier request has no charge any more
        whole.release(load(path))
    assert main(["budget", "show", str(outcome.staged.request.ledger)]) == 0


@pytest.mark.parametrize(
    "other",
    [
        {"release": "another"},
        {"learner": {"name": "sspp", "epsilon": 0.25}},
        {"held_out": {"share": 0.5, "epsilon": "0.5"}},
    ],
    ids=["another name", "another cost", "the same cost by another event"],
)
def test_only_the_same_release_at_the_same_cost_is_paid_for(tmp_path: Path, other: dict[str, Any]) -> None:
    charged(project(tmp_path, budget={"epsilon": "0.5"}))
    with pytest.raises(BudgetError):
        whole.release(load(request(tmp_path, "other.yaml", features=OTHER, **other)))


def test_what_is_drawn_pays_for_nothing_else(tmp_path: Path) -> None:
    whole.release(load(project(tmp_path, budget={"epsilon": "0.5"})))
    with pytest.raises(BudgetError):
        whole.release(load(request(tmp_path, "other.yaml", features=OTHER)))


def test_whoever_waits_with_a_charge_that_is_gone_draws_nothing(tmp_path: Path) -> None:
    """The earlier request was between charge and draw, meanwhile the other one took its charge: one draw in all."""
    staged, reservation = charged(project(tmp_path, budget={"epsilon": 1}))
    sums = engine.partials_of(staged, reservation)
    whole.release(load(request(tmp_path, "other.yaml", features=OTHER)))
    with pytest.raises(LedgerError, match="pays for another request of its name by now; ask again"):
        engine.draw(staged, reservation, sums)
    assert left(tmp_path) == Fraction(1, 2)
    whole.release(load(tmp_path / "release.yaml"))
    assert left(tmp_path) == 0
    assert releases.kinds(tmp_path).count("released") == 2
