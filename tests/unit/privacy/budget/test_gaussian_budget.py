"""A budget of Gaussian noise alone: exact sums, whoever chooses scales, and nothing else is granted."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from semipriv.cli import main
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.ledger import Ledger, restored_rule
from semipriv.privacy.budget.pricing import total
from semipriv.privacy.budget.refusal import refusal
from semipriv.privacy.events import (
    NOTHING,
    Approximate,
    Composed,
    Concentrated,
    Event,
    GaussianEvent,
    Parallel,
    Pure,
    budget_event,
    gaussian_scale,
    guarantee_of,
    resized,
    with_rho,
)
from semipriv.privacy.guarantee import Guarantee

RULE = GaussianBudget("1", "1e-6")


def counts(rho: Fraction) -> Event:
    """Two counts that change by 1."""
    return Composed([(GaussianEvent(gaussian_scale(rho / 2)), 2)])


def loss_law(sigma: float, moves: int) -> tuple[Floats, Floats]:
    """Losses and their chances, of values that all change by 1."""
    k = np.arange(-math.ceil(11 * sigma), math.ceil(11 * sigma) + 1)
    own, law = np.exp(DiscreteGaussian(sigma).log_probability(k)), np.ones(1)
    for _ in range(moves):
        law = np.convolve(law, own)
    return (moves - 2.0 * (np.arange(len(law)) - len(law) // 2)) / (2 * sigma**2), law


@pytest.mark.parametrize("rule", [RULE, GaussianBudget("0.25", "1e-4")], ids=lambda rule: rule.words)
@pytest.mark.parametrize("share", [Fraction(1, 5), Fraction(3, 5)])
def test_scales_that_are_chosen_by_answers_are_within_the_exact_law(rule: GaussianBudget, share: Fraction) -> None:
    """Two counts; then, after a large loss, two more with all that is left, else six with half of it."""
    rho, epsilon, delta = rule.limit.rho, float(rule.epsilon), float(rule.delta)
    first, chances = loss_law(gaussian_scale(share * rho / 2), 2)
    left = (1 - share) * rho
    for threshold in (-math.inf, 0.0, epsilon / 2, epsilon):
        found = 0.0
        for some, (moves, part) in ((first > threshold, (2, Fraction(1))), (first <= threshold, (6, Fraction(1, 2)))):
            losses, law = loss_law(gaussian_scale(left * part / moves), moves)
            total_loss = first[some][:, None] + losses
            found += float(chances[some] @ -np.expm1(np.minimum(epsilon - total_loss, 0.0)) @ law)
            granted = [counts(share * rho)]
            asked = Composed([(GaussianEvent(gaussian_scale(left * part / moves)), moves)])
            assert rule.fits(granted, asked)
        assert found <= delta
        if threshold == -math.inf:
            assert found > 0.7 * delta, "nothing is wasted but r^2"


def test_many_releases_get_more_than_by_sums_of_renyi_costs() -> None:
    both = [RULE, Budget("1", "1e-6")]
    for parts, gain in ((2, 1.1), (8, 1.1), (100, 1.1)):
        event = counts(RULE.limit.rho / parts)
        found = [rule.more(rule.accounts([]), event) for rule in both]
        assert found[0] == parts
        assert found[0] >= math.floor(gain * found[1])
        granted = [event] * parts
        assert not RULE.fits(granted, counts(RULE.limit.rho / 10**6))
        assert RULE.fits(granted, NOTHING)
        assert RULE.so_far(granted).epsilon <= 1
        assert guarantee_of(Composed([(event, parts)]), RULE.guarantee).epsilon > 0.97, "and hardly anything is left"


@pytest.mark.parametrize(
    "other",
    [
        Pure(1e-9),
        Concentrated(Fraction(1, 10**9)),
        Approximate(0.0, 1e-9),
        Parallel([GaussianEvent(1000), Pure(1e-9)]),
        Composed([(GaussianEvent(1000), 1), (Pure(1e-9), 1)]),
    ],
    ids=lambda event: type(event).__name__,
)
def test_nothing_else_is_granted(other: Event) -> None:
    for granted in ([], [counts(RULE.limit.rho / 9)]):
        assert not RULE.fits(granted, other)
        error = refusal(RULE, RULE.accounts(granted), other)
        assert "pays for Gaussian noise alone: other releases need a budget of their own" in str(error)
        assert error.largest["rho"] == 0
    assert not RULE.fits([other], counts(RULE.limit.rho / 9)), "nor anything beside it"


def test_one_release_may_spend_all_by_its_own_account_and_closes_the_budget() -> None:
    """One sum of sensitivity 1 with all of the budget has less noise than many steps may have: it stands alone."""
    for alone in (1, 2):
        event = budget_event(Guarantee(1.0, 1e-6), alone)
        assert RULE.fits([], event)
        assert not RULE.fits([event], counts(RULE.limit.rho / 1000))
        assert not RULE.fits([counts(RULE.limit.rho / 1000)], event)
        assert RULE.fits([event], NOTHING)
    narrow = GaussianEvent(math.nextafter(float(RULE.limit.least), 0))
    assert narrow.rho < RULE.limit.rho
    assert RULE.fits([], narrow)
    assert not RULE.fits([narrow], counts(RULE.limit.rho / 1000)), "the theorem is for wider noise"


@pytest.mark.parametrize("granted", [[], [counts(RULE.limit.rho / 3)], [counts(RULE.limit.rho)]], ids=len)
@pytest.mark.parametrize("asked", [GaussianEvent(0.1), counts(Fraction(9)), budget_event(Guarantee(2.0, 1e-6), 2)])
def test_the_largest_that_is_named_is_granted(granted: list[Event], asked: Event) -> None:
    error = refusal(RULE, RULE.accounts(granted), asked)
    rho = error.largest["rho"]
    if not rho:
        assert not RULE.fits(granted, with_rho(asked, Fraction(1, 10**9)))
        return
    assert RULE.fits(granted, with_rho(asked, rho))
    assert not RULE.fits(granted, with_rho(asked, rho * Fraction(1001, 1000)))
    delta, epsilon = map(float, str(error).rpartition("delta ")[2].rstrip(")").split(" and epsilon "))
    if not epsilon:
        assert rho < Fraction(1, 10**9), "what is left over by rounding"
        return
    assert RULE.fits(granted, resized(asked, Guarantee(epsilon, delta)))
    assert not RULE.fits(granted, resized(asked, Guarantee(1.002 * epsilon, delta)))


def test_it_is_refused_where_it_gains_nothing() -> None:
    with pytest.raises(ValueError, match="gains nothing here: open a budget for all kinds"):
        GaussianBudget(8, "1e-6")
    with pytest.raises(ValueError, match="delta = 0: must be > 0 for Gaussian noise"):
        GaussianBudget(1, 0)
    for more in ({}, {"delta": "1e-6", "order": 3}, {"delta": "1e-6", "each": "0.1", "count": 3}):
        with pytest.raises(ValueError, match="gaussian needs epsilon and delta, and nothing else"):
            total({"epsilon": 1, "gaussian": True, **more})


def test_a_ledger_keeps_the_limit_that_it_was_opened_with() -> None:
    """The theorem is for a limit that was fixed before; another one may be found by another version."""
    opened = RULE.described() | {"rho": str(RULE.limit.rho * Fraction(9, 10))}
    smaller = restored_rule(opened)
    assert isinstance(smaller, GaussianBudget)
    assert smaller.limit.rho == RULE.limit.rho * Fraction(9, 10)
    assert smaller.described() == opened
    with pytest.raises(ValueError, match="are not within epsilon 1, delta"):
        restored_rule(opened | {"rho": str(RULE.limit.rho * Fraction(11, 10))})


def test_a_ledger_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "ledger.jsonl")
    assert main(["budget", "open", path, "--epsilon", "1", "--delta", "1e-6", "--gaussian"]) == 0
    shown = capsys.readouterr().out
    assert "for Gaussian noise alone" in shown
    assert "a release of Gaussian noise alone, as of counts" in shown
    ledger = Ledger.open(path)
    assert ledger.rule == RULE == restored_rule(RULE.described())
    assert main(["budget", "show", path, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rule"]["rule"] == "gaussian budget"
    assert set(told["can_still_be_bought"]) == {"gaussian"}
    assert main(["budget", "open", str(tmp_path / "other.jsonl"), "--epsilon", "1", "--gaussian"]) != 0
