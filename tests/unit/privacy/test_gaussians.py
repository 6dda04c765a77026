"""Discrete Gaussian noise, many times: exact distributions stay below what is claimed, continuous formulas not."""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.pricing import Asked, better_order
from semipriv.privacy.budget.refusal import refusal
from semipriv.privacy.budget.rule import Rule
from semipriv.privacy.events import (
    NOTHING,
    Account,
    BoundedRange,
    Composed,
    Concentrated,
    Event,
    GaussianEvent,
    Gaussians,
    Parallel,
    Pure,
    budget_event,
    concentrated,
    described,
    gaussian_scale,
    guarantee_of,
    resized,
    restored,
    whole,
    with_rho,
)
from semipriv.privacy.gaussian import gaussian_delta, gaussian_epsilon, gaussian_sigma
from semipriv.privacy.gaussians import RADII, blur, composed_epsilon, largest_rho
from semipriv.privacy.guarantee import Guarantee


def distribution_of(sigma: float) -> tuple[Floats, Floats]:
    """Return integers, and their exact probabilities."""
    values = np.arange(-math.ceil(14 * sigma) - 2, math.ceil(14 * sigma) + 3)
    return values, np.exp(DiscreteGaussian(sigma).log_probability(values))


@cache
def losses_of(sigma: float, moves: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the losses of integers that change by these moves, and their chances, by those of sum_i d_i x_i.

    ln p(x) / p(x - d) = sum_i (d_i^2 - 2 d_i x_i) / (2 sigma^2).
    """
    values, chances = distribution_of(sigma)
    distribution, start = np.ones(1), 0
    for move in moves:
        wide = np.zeros(abs(move) * (len(values) - 1) + 1)
        wide[:: abs(move)] = chances  # symmetric: the sign of the move does not matter
        distribution, start = np.convolve(distribution, wide), start + abs(move) * int(values[0])
    return (sum(move**2 for move in moves) - 2.0 * (start + np.arange(len(distribution)))) / (
        2 * sigma**2
    ), distribution


def exact_delta(sigma: float, moves: Sequence[int], epsilon: float) -> float:
    """Return the delta of these moves at an epsilon."""
    loss, chances = losses_of(sigma, tuple(moves))
    return float(chances @ -np.expm1(np.minimum(epsilon - loss, 0.0)))


MOVES = [(1,), (1, -1), (3,), (2, 1, -1, -1), (1,) * 7, (1, -1) * 12, (5, -4, 1)]


@pytest.mark.parametrize("moves", MOVES, ids=str)
@pytest.mark.parametrize("sigma", [0.55, 0.8, 1.3, 2.0, 5.5, 12.0])
def test_exact_distributions_are_within_the_account(sigma: float, moves: Sequence[int]) -> None:
    """One step in all coordinates, or a step in each: at all deltas, and nearly attained where noise is wide."""
    steps = [
        Composed([(GaussianEvent(sigma, Fraction(move**2)), 1) for move in moves]),
        GaussianEvent(sigma, math.nextafter(math.sqrt(sum(move**2 for move in moves)), math.inf)),
    ]
    exact = Composed([(GaussianEvent(sigma), sum(move**2 for move in moves))])
    for delta in (1e-2, 1e-4, 1e-6, 1e-9):
        for event in (steps[1], exact):
            actual_epsilon = guarantee_of(event, Guarantee(1.0, delta)).epsilon
            assert exact_delta(sigma, moves, actual_epsilon) <= delta * (1 + 1e-6)
            assert actual_epsilon <= concentrated(event).guarantee(delta).epsilon
        if sigma > 5:
            assert exact_delta(sigma, moves, 0.97 * actual_epsilon) > delta


def test_steps_of_several_scales_are_within_the_account() -> None:
    """Two steps of scales 3 and 4.5, on vectors that change by (1, -1) and by 2."""
    losses = []
    for sigma, moves in ((3.0, (1, -1)), (4.5, (2,))):
        values, chances = distribution_of(sigma)
        for move in moves:
            losses.append(((move**2 - 2.0 * move * values) / (2 * sigma**2), chances))
    (a, p), (b, q), (c, r) = losses
    event = Composed([(GaussianEvent(3.0), 2), (GaussianEvent(4.5, 2), 1)])
    for delta in (1e-3, 1e-6):
        actual_epsilon = guarantee_of(event, Guarantee(1.0, delta)).epsilon
        loss = a[:, None, None] + b[:, None] + c
        delta_of = [
            float(np.einsum("i,j,k,ijk", p, q, r, -np.expm1(np.minimum(at - loss, 0.0))))
            for at in (actual_epsilon, 0.94 * actual_epsilon)
        ]
        assert delta_of[0] <= delta * (1 + 1e-6)
        assert delta_of[1] > delta


def continuous_too_small() -> Iterator[tuple[float, float]]:
    """Yield scales and epsilons at which discrete noise has more delta than continuous noise."""
    for sigma, epsilon in itertools.product((0.15, 0.2, 0.3, 0.4, 0.5), np.arange(0.25, 40, 0.25)):
        if exact_delta(sigma, (1,), epsilon) > gaussian_delta(sigma, epsilon) * (1 + 1e-6):
            yield sigma, epsilon


def test_the_formula_of_continuous_noise_would_be_caught() -> None:
    """At tiny scales discrete noise hides less: there the account of continuous noise is false, and none is given."""
    caught = list(continuous_too_small())
    assert {sigma for sigma, _ in caught} == {0.15, 0.2, 0.3, 0.4, 0.5}
    assert exact_delta(0.2, (1,), 10.0) > 1.4 * gaussian_delta(0.2, 10.0)
    total_guarantee = guarantee_of(GaussianEvent(0.2), Guarantee(1.0, 1e-6))
    assert total_guarantee == concentrated(GaussianEvent(0.2)).guarantee(1e-6)
    assert composed_epsilon(Fraction(25, 2), Fraction(1, 5), Fraction(1), 1e-6) is None
    wrong = gaussian_epsilon(0.2, 0.617)
    assert exact_delta(0.2, (1,), wrong) > 0.8, "what the audit above would say of that account"


def test_the_blur_bounds_what_the_proof_compares() -> None:
    """q(z), by summing over a fine grid of y, over discrete Gaussian noise: it spreads by e^lambda at most."""
    for square, variance in ((0.25, 0.4), (0.25, 1.0), (0.25, 4.0), (0.375, 2.0), (0.5, 5.0)):
        grid = np.arange(-40, 40, 1 / 256)
        normal = np.exp(-(grid**2) / (2 * (variance - square)))
        around = np.exp(-((np.arange(-60, 61)[:, None] - grid) ** 2) / (2 * square))
        kernel = around / around.sum(axis=0)
        z = np.arange(-3, 4)
        q = kernel[z + 60] @ normal / normal.sum()
        ratio = np.log(np.exp(DiscreteGaussian(math.sqrt(variance)).log_probability(z)) / q)
        bound = blur(Fraction(square), Fraction(variance)).up
        assert 0.1 * bound < ratio.max() - ratio.min() <= bound * (1 + 1e-6) + 1e-13


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (0.1, 1e-9), (1.0, 1e-6), (1.0, 1e-9), (2.0, 1e-9)])
@pytest.mark.parametrize(("alone", "moves"), [(1, (1,)), (2, (1, -1))])
def test_noise_for_a_budget_is_narrower_and_within_it(
    epsilon: float, delta: float, alone: int, moves: tuple[int, ...]
) -> None:
    budget = Guarantee(epsilon, delta)
    rho, before = whole(budget, alone), whole(budget)
    sigma = gaussian_scale(rho / len(moves))
    assert before < rho < 1 / (2 * Fraction(gaussian_sigma(epsilon, delta)) ** 2)
    assert exact_delta(sigma, moves, epsilon) <= delta
    event = Composed([(GaussianEvent(sigma), len(moves))])
    assert guarantee_of(event, budget).epsilon <= epsilon
    assert guarantee_of(budget_event(budget, alone), budget).epsilon <= epsilon
    Account(budget, alone).pay(event)
    if (epsilon, delta, alone) == (1.0, 1e-9, 1):
        assert 5.495 < sigma < 5.57
        assert gaussian_scale(before) > 5.778


def test_other_noise_beside_it_keeps_the_rho_of_before() -> None:
    budget = Guarantee(1.0, 1e-6)
    mixed = Composed([(GaussianEvent(gaussian_scale(whole(budget) / 2)), 1), (BoundedRange(0.2), 1)])
    assert mixed.gaussian is None
    assert guarantee_of(mixed, budget) == concentrated(mixed).guarantee(1e-6)
    assert Composed([(NOTHING, 2), (GaussianEvent(3), 2)]).gaussian == Gaussians(Fraction(1, 9), 3, Fraction(2))
    assert Parallel([GaussianEvent(3), GaussianEvent(2)]).gaussian == Gaussians(Fraction(1, 8), 2, Fraction(1))
    assert Parallel([GaussianEvent(3), Pure(0.1)]).gaussian is None
    with pytest.raises(ValueError, match="pays for Gaussian noise alone"):
        Account(budget, 2).pay(mixed)
    with pytest.raises(ValueError, match="pays for Gaussian noise alone"):
        Account(budget, 2).pay(Gaussians(Fraction(1, 100), 2, Fraction(1)))
    alone = budget_event(budget, 2)
    assert restored(described(alone)) == alone


def test_an_account_of_gaussian_noise_alone_pays_once() -> None:
    """What may change was counted once, for all that is done."""
    budget, small = Guarantee(1.0, 1e-6), Composed([(GaussianEvent(50), 2)])
    alone, adding = Account(budget, 2), Account(budget)
    for account in (alone, adding):
        account.pay(small)
    adding.pay(small)
    with pytest.raises(ValueError, match="has paid for Gaussian noise alone, all of it at once, and pays no more"):
        alone.pay(small)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 3.0, 8.0, 100.0])
def test_where_it_is_no_better_the_sum_of_rhos_is_spent_by_the_same_kind_of_noise(epsilon: float) -> None:
    budget = Guarantee(epsilon, 1e-6)
    assert whole(budget, 2) >= whole(budget)
    event = budget_event(budget, 2)
    assert isinstance(event, Gaussians), "so that an account of Gaussian noise knows it"
    assert event.rho == whole(budget, 2)
    assert guarantee_of(event, budget).epsilon <= epsilon
    Account(budget, 2).pay(Composed([(GaussianEvent(gaussian_scale(event.rho / 2)), 2)]))
    with pytest.raises(ValueError, match="pays for Gaussian noise alone"):
        Account(budget, 2).pay(BoundedRange(epsilon / 2**10))


def test_more_values_and_smaller_scales_never_cost_less() -> None:
    rho = Fraction(1, 50)
    numbers = ((5, 2), (5, 2**20), (1, 2**20))
    reported = [composed_epsilon(rho, Fraction(least), Fraction(k), 1e-6) or math.inf for least, k in numbers]
    assert reported[0] < reported[1] < reported[2] < math.inf
    assert largest_rho(1.0, 1e-6, 2, 2**30) is not None
    assert all(blur(first, 2 * first).high > blur(other, 2 * other).high for first, other in itertools.pairwise(RADII))


# ---------------------------------------------------------------------------------------------------- budgets
def test_one_release_may_spend_a_whole_budget_by_the_exact_account() -> None:
    """Nothing fits after it, and it does not fit after anything that reads the data."""
    total = Budget("1", "1e-6")
    event = budget_event(Guarantee(1.0, 1e-6), 2)
    assert isinstance(event, Gaussians)
    assert total.fits([], event)
    assert total.fits([NOTHING], event)
    assert total.affordable(total.accounts([]), event) == 1
    assert total.so_far([event]).epsilon <= 1
    for other in (Pure(1e-9), Concentrated(Fraction(1, 10**9)), event):
        assert not total.fits([event], other)
        assert not total.fits([other], event)
    assert not total.fits([], budget_event(Guarantee(1.01, 1e-6), 2))
    assert not Budget("1", "1e-6", failures="1e-6").fits([], event)
    assert total.fits([], budget_event(Guarantee(0.5, 1e-6), 2))
    assert total.fits([budget_event(Guarantee(0.5, 1e-6), 2)], budget_event(Guarantee(0.5, 1e-6), 2))


RULES = [Budget("1", "1e-6"), Budget("0.25", "1e-6", failures="5e-7")]


@pytest.mark.parametrize("granted", [[], [budget_event(Guarantee(0.0625, 1e-6), 2)]], ids=["fresh", "not fresh"])
@pytest.mark.parametrize("rule", [*RULES, EqualReleases(Guarantee(0.5, 1e-6), 3, "1e-5")], ids=lambda rule: rule.words)
@pytest.mark.parametrize("beside", [(), (Pure(Fraction(1, 500)),)], ids=["alone", "held out"])
def test_a_refusal_names_the_largest_epsilon_that_is_granted(
    rule: Rule, granted: list[Event], beside: tuple[Event, ...]
) -> None:
    def release(epsilon: float, delta: float) -> Event:
        own = budget_event(Guarantee(epsilon, delta), 2)
        return Parallel([own, *beside]) if beside else own

    asked = (
        Parallel([Gaussians(Fraction(9), Fraction(1, 3), Fraction(2**24)), *beside]) if beside else GaussianEvent(0.1)
    )
    error = refusal(rule, rule.accounts(granted), asked)
    named = str(error).rpartition("delta ")[2].rstrip(")").split(" and epsilon ")
    delta, epsilon = map(float, named)
    assert rule.fits(granted, resized(asked, Guarantee(epsilon, delta)))
    assert rule.fits(granted, with_rho(asked, error.largest["rho"]))
    assert not rule.fits(granted, resized(asked, Guarantee(1.001 * epsilon, delta)))
    if beside:
        assert rule.fits(granted, release(epsilon, delta))
        assert not rule.fits(granted, release(1.001 * epsilon, delta))


def test_errors_on_other_rows_beside_it_cost_nothing_more() -> None:
    """Rows that are held out are in one part alone: the larger cost counts, by the account that is best for each."""
    for epsilon in (0.125, 1.0):
        budget = Guarantee(epsilon, 1e-6)
        own = budget_event(budget, 1)
        event = Parallel([own, Composed([(Pure(Fraction(1, 10)), 1)])])
        assert isinstance(own, Gaussians)
        assert guarantee_of(event, budget).epsilon <= epsilon
        total = Budget(str(epsilon), "1e-6")
        assert total.fits([], event)
        assert total.so_far([event]).epsilon <= epsilon
        assert not total.fits([event], Pure(1e-9))
        assert total.fits([event], NOTHING)
        assert not total.fits([], Parallel([own, Pure(Fraction(11, 10) * Fraction(str(epsilon)))]))


def test_an_order_that_helps_one_release_alone_is_not_proposed() -> None:
    """Requests are charged one by one, so what pays for all at once does not pay for them."""
    half = GaussianEvent(gaussian_scale(whole(Guarantee(1.0, 1e-6), 2) * Fraction(49, 100)))
    asked = [Asked(name, half, 1) for name in ("first", "second")]
    total = Budget("1", "1e-6")
    assert total.fits([], Composed([(half, 2)]))
    order = better_order(asked, total)
    assert order is None or Budget("1", "1e-6", order=order).fits([half], half)
