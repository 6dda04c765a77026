"""A budget of Gaussian noise alone: exact sums, whoever chooses scales, and nothing else is granted."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from semipriv.cli import main
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.budget.amounts import parameter
from semipriv.privacy.budget.buying import kinds, offer
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.ledger import Ledger, restored_rule
from semipriv.privacy.budget.pricing import total
from semipriv.privacy.budget.refusal import refusal, spare_delta
from semipriv.privacy.budget.rule import Rule
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
    whole,
    with_rho,
)
from semipriv.privacy.gaussian import gaussian_sigma
from semipriv.privacy.guarantee import Guarantee

RULE = GaussianBudget("1", "1e-6")


def counts(rho: Fraction) -> Event:
    """Two counts that change by 1."""
    return Composed([(GaussianEvent(gaussian_scale(rho / 2)), 2)])


def loss_distribution(sigma: float, moves: int) -> tuple[Floats, Floats]:
    """Losses and their chances, of values that all change by 1."""
    k = np.arange(-math.ceil(11 * sigma), math.ceil(11 * sigma) + 1)
    own, distribution = np.exp(DiscreteGaussian(sigma).log_probability(k)), np.ones(1)
    for _ in range(moves):
        distribution = np.convolve(distribution, own)
    return (moves - 2.0 * (np.arange(len(distribution)) - len(distribution) // 2)) / (2 * sigma**2), distribution


@pytest.mark.parametrize("rule", [RULE, GaussianBudget("0.25", "1e-4")], ids=lambda rule: rule.words)
@pytest.mark.parametrize("share", [Fraction(1, 5), Fraction(3, 5)])
def test_scales_that_are_chosen_by_answers_are_within_the_exact_distribution(
    rule: GaussianBudget, share: Fraction
) -> None:
    """Two counts; then, after a large loss, two more with all that is left, else six with half of it."""
    rho, epsilon, delta = rule.limit.rho, float(rule.epsilon), float(rule.delta)
    first, chances = loss_distribution(gaussian_scale(share * rho / 2), 2)
    left = (1 - share) * rho
    for threshold in (-math.inf, 0.0, epsilon / 2, epsilon):
        largest_delta = 0.0
        for some, (moves, part) in ((first > threshold, (2, Fraction(1))), (first <= threshold, (6, Fraction(1, 2)))):
            losses, distribution = loss_distribution(gaussian_scale(left * part / moves), moves)
            total_loss = first[some][:, None] + losses
            largest_delta += float(chances[some] @ -np.expm1(np.minimum(epsilon - total_loss, 0.0)) @ distribution)
            granted = [counts(share * rho)]
            asked = Composed([(GaussianEvent(gaussian_scale(left * part / moves)), moves)])
            assert rule.fits(granted, asked)
        assert largest_delta <= delta
        if threshold == -math.inf:
            assert largest_delta > 0.7 * delta, "nothing is wasted but r^2"


def test_many_releases_get_more_than_by_sums_of_renyi_costs() -> None:
    both = [RULE, Budget("1", "1e-6")]
    for parts, gain in ((2, 1.1), (8, 1.1), (100, 1.1)):
        event = counts(RULE.limit.rho / parts)
        affordables = [rule.affordable(rule.accounts([]), event) for rule in both]
        assert affordables[0] == parts
        assert affordables[0] >= math.floor(gain * affordables[1])
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


def tables(epsilon: float, delta: float) -> Event:
    """Three tables with a half, a third and the rest of a budget, as statistics are charged."""
    rho = whole(Guarantee(epsilon, delta), 2)
    parts = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    return Composed([(Composed([(GaussianEvent(gaussian_scale(rho * part / 2)), 2)]), 1) for part in parts])


def alone(epsilon: float, delta: float) -> Event:
    return budget_event(Guarantee(epsilon, delta), 1)


def beside(epsilon: float, delta: float) -> Event:
    return Parallel([budget_event(Guarantee(epsilon, delta), 2), budget_event(Guarantee(epsilon / 2, delta), 2)])


@pytest.mark.parametrize(
    ("rule", "release"),
    [(RULE, tables), (RULE, alone), (GaussianBudget("0.1", "1e-9"), beside), (Budget("3", "1e-5"), tables)],
    ids=["tables", "alone", "beside", "no Gaussian budget"],
)
def test_what_a_refusal_names_is_granted_and_a_hundredth_more_is_not(
    rule: Rule, release: Callable[[float, float], Event]
) -> None:
    """After some releases or none, whether asked is little too much or nine times all."""
    coins = np.random.default_rng(len(rule.words))
    total, delta = rule.guarantee.epsilon, parameter(spare_delta(rule))
    for before in (0, 2):
        granted: list[Event] = []
        for share in coins.uniform(0.05, 0.6, before):
            event = release(share * total, delta)
            granted += [event] if rule.fits(granted, event) else []
        asked = release(total * float(coins.choice([1.3, 9.0])), delta)
        assert not rule.fits(granted, asked)
        named = float(str(refusal(rule, rule.accounts(granted), asked)).rpartition(" and epsilon ")[2].rstrip(")"))
        assert rule.fits(granted, release(named, delta))
        assert named == parameter(rule.most[0]) or not rule.fits(granted, release(1.01 * named, delta))


def test_it_is_told_which_release_closes_a_budget() -> None:
    """What is left of the sum is offered, and more to one release alone; afterwards there is no such offer."""
    kind = kinds(RULE)["gaussian"][1]
    fresh = offer(RULE, RULE.accounts([]), kind)
    assert fresh.largest["rho"] == RULE.limit.rho
    assert fresh.closing is not None
    assert fresh.closing.epsilon == RULE.epsilon
    assert fresh.words.endswith("as epsilon 1 with delta 0.000001, if nothing else is ever released")
    last = with_rho(kind, fresh.closing.largest["rho"])
    assert RULE.fits([], last)
    assert not RULE.fits([last], counts(RULE.limit.rho / 1000))
    largest = with_rho(kind, fresh.largest["rho"] * Fraction(999, 1000))
    assert RULE.fits([largest], counts(RULE.limit.rho / 2000)), "this one leaves it open"
    assert offer(RULE, RULE.accounts([largest]), kind).closing is None
    assert "would fit, if nothing else is ever released: rho" in str(refusal(RULE, RULE.accounts([]), alone(2.0, 1e-6)))


def test_an_account_that_is_chosen_by_answers_is_driven_beyond_delta() -> None:
    """Why the account is declared before: continuous noise, then more of it or the worst that Renyi costs allow.

    A first release spends half of the Renyi account.  Of each of its losses the adversary takes the account that adds
    more to the excess: the rest of mu^2 as Gaussian noise, or one outcome of the largest chance p with a loss x, where
    p e^((a - 1) x) + 1 - p is within what is left, and so is the divergence of the other direction.
    """
    epsilon, delta, budget = 1.0, 1e-6, Budget("1", "1e-6")
    assert budget.order is not None
    order, limit = float(budget.order), float(budget.limit)
    mu_squared, first = gaussian_sigma(epsilon, delta) ** -2, limit / order
    deviation, left = math.sqrt(first), limit / 2
    loss = first / 2 + deviation * np.linspace(-12, 12, 4001)
    chance = norm.pdf(loss, first / 2, deviation)
    chance /= chance.sum()

    def excess(lacking: Floats, square: float) -> Floats:
        """Of Gaussian noise with this mu^2, after which so much lacks to epsilon."""
        mu = math.sqrt(square)
        return norm.sf(lacking / mu - mu / 2) - np.exp(lacking) * norm.sf(lacking / mu + mu / 2)

    by_noise = excess(epsilon - loss, mu_squared - first)
    by_renyi = np.maximum(0.0, -np.expm1(np.minimum(0.0, epsilon - loss)))
    for beyond in np.linspace(0.02, 0.4, 60):
        jump = epsilon + beyond - loss
        p = np.expm1((order - 1) * left) / np.expm1((order - 1) * np.maximum(jump, left))
        p = np.where(jump > left, np.minimum(p, -math.expm1(-left)), 0.0)
        by_renyi = np.maximum(by_renyi, -p * math.expm1(-beyond))
    assert chance @ by_noise == pytest.approx(delta, rel=1e-6)
    assert chance @ by_renyi <= delta
    assert 1.1 * delta < chance @ np.maximum(by_noise, by_renyi) < 1.2 * delta


def test_it_is_refused_where_it_gains_nothing() -> None:
    with pytest.raises(ValueError, match="gains nothing here: open a budget for all kinds"):
        GaussianBudget(8, "1e-6")
    with pytest.raises(ValueError, match="delta = 0: must be > 0 for Gaussian noise"):
        GaussianBudget(1, 0)
    with pytest.raises(ValueError, match="gaussian needs delta: Gaussian noise has"):
        total({"epsilon": 1, "gaussian": True})
    for settings, named in (({"order": 3}, "order"), ({"each": "0.1", "count": 3}, "count, each")):
        with pytest.raises(ValueError, match=f"gaussian goes with epsilon and delta alone, leave out {named}"):
            total({"epsilon": 1, "delta": "1e-6", "gaussian": True, **settings})


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
    printed = json.loads(capsys.readouterr().out)
    assert printed["rule"]["rule"] == "gaussian budget"
    assert set(printed["can_still_be_bought"]) == {"gaussian"}
    assert main(["budget", "open", str(tmp_path / "other.jsonl"), "--epsilon", "1", "--gaussian"]) != 0
    assert "--gaussian: needs --delta" in capsys.readouterr().err
