"""The filter keeps its promise against adversaries that look at every answer; filters that do not are caught."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import pytest

from semipriv.privacy.budget.amounts import parameter
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import restored_rule
from semipriv.privacy.budget.refusal import refusal, released_epsilon
from semipriv.privacy.budget.rule import Account
from semipriv.privacy.composition import optimal_composition
from semipriv.privacy.events import (
    Approximate,
    BoundedRange,
    Composed,
    Concentrated,
    Event,
    GaussianEvent,
    Parallel,
    Pure,
    whole,
    with_rho,
)
from semipriv.privacy.guarantee import Guarantee

Fits = Callable[[tuple[Event, ...], Event], bool]


# ------------------------------------------------------------------------------- the worst adversary, exactly
def answers(event: Event) -> list[tuple[float, float]]:
    """Probabilities (p, q) of the answers of a mechanism on two neighbours, the worst one with that event."""
    if isinstance(event, Approximate):  # randomised response that fails with probability delta
        delta, e = float(event.delta), float(event.epsilon)
        p, q = math.exp(e) / (1 + math.exp(e)), 1 / (1 + math.exp(e))
        return [(delta, 0.0), (0.0, delta), ((1 - delta) * p, (1 - delta) * q), ((1 - delta) * q, (1 - delta) * p)]
    if isinstance(event, BoundedRange):  # log-ratios t and t - epsilon, the worst t: P[t] = (e^t - e^(t-epsilon))...
        e = float(event.epsilon)
        t = e / 2
        q = (1 - math.exp(t - e)) / (math.exp(t) - math.exp(t - e))
        return [(q * math.exp(t), q), ((1 - q) * math.exp(t - e), 1 - q)]
    e = float(event.pure)
    p = 1 / (1 + math.exp(-e))
    return [(p, 1 - p), (1 - p, p)]


def worst(fits: Fits, menu: Sequence[Event], epsilon: float, depth: int) -> float:
    """Largest sum over paths of max(0, P - e^epsilon Q), over all adversaries that ask ``depth`` requests of the menu.

    Each request, and whether to go on, is chosen after the answers before it.
    """

    @cache
    def value(granted: tuple[Event, ...], p: float, q: float) -> float:
        best = max(0.0, p - math.exp(epsilon) * q)
        if len(granted) == depth:
            return best
        for event in menu:
            if fits(granted, event):
                best = max(best, sum(value((*granted, event), p * a, q * b) for a, b in answers(event)))
        return best

    return value((), 1.0, 1.0)


def rounded(fits: Fits) -> Fits:
    """The same filter, remembered by the multiset of events."""
    known: dict[tuple[tuple[str, ...], Event], bool] = {}

    def remembered(granted: tuple[Event, ...], asked: Event) -> bool:
        key = (tuple(sorted(map(repr, granted))), asked)
        if key not in known:
            known[key] = fits(granted, asked)
        return known[key]

    return remembered


MENU = (
    Pure(Fraction(1, 4)),
    Pure(Fraction(3, 4)),
    BoundedRange(Fraction(1, 2)),
    Approximate(Fraction(1, 2), Fraction(1, 50)),
)
BUDGETS = [
    Budget(1),
    Budget(1, "0.05"),
    Budget(1, "0.05", failures="0.02"),
    Budget("1.5", "0.2", failures="0.04"),
    Budget("0.75", "0.1", order=4),
]


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: budget.words)
def test_no_adversary_gets_more_than_the_budget(budget: Budget) -> None:
    """Kinds and epsilons alternate as the adversary likes: the exact hockey-stick of the tree is at most delta."""
    worst_chance = worst(rounded(budget.fits), MENU, float(budget.epsilon), 5)
    assert worst_chance <= float(budget.delta) + 1e-12
    assert not budget.delta or worst_chance > 0, "it has an adversary to withstand"


def adaptive_optimal(granted: tuple[Event, ...], asked: Event) -> bool:
    """Broken: accepts while the optimal composition of what was chosen is within (1, TIGHT), as if fixed."""
    return exact_delta([float(event.pure) for event in (*granted, asked)], 1.0) <= TIGHT


@cache
def _exact_delta(epsilons: tuple[float, ...], epsilon: float) -> float:
    distributions = [(1.0, 1.0)]
    for e in epsilons:
        distributions = [(p * a, q * b) for p, q in distributions for a, b in answers(Pure(e))]
    return sum(max(0.0, p - math.exp(epsilon) * q) for p, q in distributions)


def exact_delta(epsilons: Sequence[float], epsilon: float) -> float:
    return _exact_delta(tuple(sorted(e for e in epsilons if e)), epsilon)


TIGHT = 0.04854803820511
"""What five requests of the negative control's menu can attain exactly."""


def test_optimal_composition_of_chosen_epsilons_is_no_filter() -> None:
    """The negative control: equal epsilons keep (1, TIGHT), chosen ones do not, and the same test sees it."""
    menu = [Pure(Fraction(1, 4)), Pure(Fraction(1, 2))]
    assert worst(rounded(adaptive_optimal), menu, 1.0, 6) > 1.2 * TIGHT
    for event in menu:
        assert worst(rounded(adaptive_optimal), [event], 1.0, 6) <= TIGHT
    budget = Budget(1, Fraction(TIGHT))
    assert worst(rounded(budget.fits), menu, 1.0, 6) <= TIGHT


def test_failures_must_be_fixed_in_advance() -> None:
    """The control: whatever delta the failures left goes to the other account, path by path: nearly twice delta."""
    delta = 0.0244631642391

    def shared(granted: tuple[Event, ...], asked: Event) -> bool:
        events = (*granted, asked)
        left = delta - sum(float(event.delta) for event in events)
        return left >= -1e-12 and exact_delta([float(event.pure) for event in events], 1.0) <= left + 1e-12

    menu = (Pure(Fraction(1, 4)), Pure(Fraction(1, 2)), Approximate(Fraction(0), Fraction(delta)))
    assert worst(rounded(shared), menu, 1.0, 5) > 1.8 * delta
    assert worst(rounded(shared), menu[:2], 1.0, 5) <= 1.3 * delta
    for failures in (0, Fraction(delta)):
        budget = Budget(1, Fraction(delta), failures=failures)
        assert worst(rounded(budget.fits), menu, 1.0, 5) <= delta + 1e-12


def test_equal_releases_are_tight() -> None:
    """Optimal composition: the exact hockey-stick at its epsilon is delta, and at a smaller epsilon more."""
    actual_guarantee = Guarantee(0.5)
    equal = EqualReleases(actual_guarantee, 5, "0.05")
    epsilon = equal.guarantee.epsilon
    fits = rounded(equal.fits)
    menu = (Pure(0.5), Pure(0.25))
    assert worst(fits, menu, epsilon, 6) == pytest.approx(0.05, rel=1e-9)
    assert worst(fits, menu, 0.99 * epsilon, 6) > 0.05
    assert equal.guarantee == optimal_composition(actual_guarantee, 5, parameter(Fraction(1, 20)))
    assert epsilon < 5 * 0.5
    assert not equal.fits([], Pure(0.6))
    assert not equal.fits([], Approximate(0.5, 1e-9))


# ------------------------------------------------------------------------------- what fits
def test_few_large_and_many_small_requests_fit() -> None:
    budget = Budget(1, "1e-6")
    tenth = Pure(Fraction(1, 10))
    assert budget.fits([tenth] * 9, tenth)
    assert not budget.fits([tenth] * 10, tenth), "sums of epsilons are better here"
    small = Pure(Fraction(1, 100))
    assert budget.fits([small] * 400, small)
    assert budget.fits([BoundedRange(Fraction(1, 100))] * 1900, small)
    assert not Budget(1).fits([small] * 100, small)


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1", "3", "50"])
@pytest.mark.parametrize("delta", ["1e-9", "1e-6", "0.01"])
def test_one_release_with_the_whole_budget_fits(epsilon: str, delta: str) -> None:
    budget = Budget(epsilon, delta)
    chance = parameter(budget.delta)
    everything = whole(Guarantee(parameter(budget.epsilon), chance))
    assert budget.fits([], Concentrated(everything))
    assert not budget.fits([], Concentrated(everything * Fraction("1.000001")))
    assert budget.so_far([Concentrated(everything)]).epsilon <= float(budget.epsilon) * (1 + 1e-12)


ASKED = [Pure(9), BoundedRange(9), Concentrated(Fraction(9)), GaussianEvent(0.1), Approximate(9, 0.009)]
GRANTED = [
    (),
    (Pure(Fraction(1, 3)),),
    (Concentrated(Fraction("0.02")), Pure(0.1)),
    (Approximate(0.3, 0.001), BoundedRange(0.5)),
    (Pure(Fraction(1, 20)),) * 19,
]


@pytest.mark.parametrize("budget", [Budget(1), Budget(1, "0.01"), Budget(2, "0.01", failures="0.004")], ids=str)
@pytest.mark.parametrize("granted", GRANTED, ids=range(len(GRANTED)))
@pytest.mark.parametrize("asked", ASKED, ids=lambda event: type(event).__name__)
def test_the_largest_cost_that_fits_does_fit(budget: Budget, granted: tuple[Event, ...], asked: Event) -> None:
    """And a little more does not, of the same kind."""
    if not all(budget.fits(granted[:i], granted[i]) for i in range(len(granted))):
        return
    error = refusal(budget, budget.accounts(granted), asked)
    largest = error.largest

    def of(factor: Fraction) -> Event | None:
        """The same kind, with what would be typed in; None for nothing."""
        if "rho" in largest:
            return with_rho(asked, largest["rho"] * factor) if largest["rho"] else None
        if "delta" in largest:
            return Approximate(largest["epsilon"] * factor, largest["delta"]) if largest["delta"] else None
        return type(asked)(largest["epsilon"] * factor) if largest["epsilon"] else None

    exact = of(Fraction(1))
    if exact is None:
        assert not budget.fits(granted, of_size(asked, Fraction(1, 10**200)))
        return
    assert budget.fits(granted, exact)
    by_exact_account = asked.gaussian is not None and not granted
    assert not budget.fits(granted, of(1 + Fraction(1, 10**3 if by_exact_account else 10**9)))
    for name, value in largest.items():
        text = str(error).split(f"{name} ")[-1].split(" ")[0].rstrip(",)")
        assert Fraction(text) <= value, "what is printed fits as well"


def of_size(asked: Event, size: Fraction) -> Event:
    if isinstance(asked, Approximate):
        return Approximate(size, size)
    return Concentrated(size) if asked.pure is None else type(asked)(size)


def test_the_release_that_would_fit_does_fit() -> None:
    budget, granted = Budget(1, "1e-6"), (Concentrated(Fraction("0.015")),)
    error = refusal(budget, budget.accounts(granted), Concentrated(Fraction(1)))
    epsilon = float(str(error).rpartition("epsilon ")[2].rstrip(")"))
    assert epsilon == released_epsilon(error.largest["rho"], 1e-6)
    assert budget.fits(granted, Concentrated(whole(Guarantee(epsilon, 1e-6))))
    assert not budget.fits(granted, Concentrated(whole(Guarantee(epsilon * 1.000001, 1e-6))))


def test_a_budget_without_delta_says_what_rho_needs() -> None:
    error = refusal(Budget(1), Budget(1).accounts(()), Concentrated(Fraction(1)))
    assert "needs a budget with a delta larger than failures: open one, or ask for delta 0)" in str(error)


def test_a_refusal_says_total_spent_asked_left() -> None:
    error = refusal(Budget("1"), Budget("1").accounts([Pure(Fraction("0.8"))]), Pure(Fraction("0.5")))
    assert str(error) == (
        "over budget: total epsilon 1; sum of epsilons: total 1, spent 0.8, asked 0.5, left 0.2; "
        "the largest that would fit: epsilon 0.2"
    )
    assert error.accounts == (Account("epsilon", Fraction(1), Fraction("0.8")),)
    gaussian = str(
        refusal(Budget(1, "1e-6"), Budget(1, "1e-6").accounts([Concentrated(Fraction("0.01"))]), GaussianEvent(1))
    )
    assert "closed, since a granted release has no epsilon" in gaussian


def test_only_declared_parts_cost_their_maximum() -> None:
    a, b = Pure(Fraction("0.6")), Pure(Fraction("0.7"))
    assert not Budget(1).fits([a], b)
    assert not Budget(1).fits([], Composed([(a, 1), (b, 1)]))
    assert Budget(1).fits([], Parallel([a, b]))
    both = Parallel([Approximate(0.5, 1e-7), Concentrated(Fraction("0.01"))])
    assert both.pure is None
    assert (both.rho, both.delta) == (Fraction("0.125"), Fraction(1e-7))
    assert both.renyi(Fraction(10)) == Fraction("0.5")


def test_an_event_that_may_fail_needs_failures_set_aside() -> None:
    asked = Approximate(0.5, 1e-7)
    assert not Budget(1, "1e-6").fits([], asked)
    assert Budget(1, "1e-6", failures="1e-6").fits([], asked)
    assert Budget(1, "1e-6", failures="1e-6").fits([Pure(0.5)], asked)
    assert not Budget(1, "1e-6", failures="1e-6").fits([], Concentrated(Fraction(1, 10**9)))


def test_the_renyi_account_has_the_delta_that_failures_leave() -> None:
    budget = Budget(1, "1e-6", failures="4e-7")
    assert budget.limit == Budget(1, "6e-7", order=budget.order).limit < Budget(1, "1e-6", order=budget.order).limit


@pytest.mark.parametrize(
    "built", [*BUDGETS, EqualReleases(Guarantee(0.1, 1e-9), 10, "1e-6")], ids=lambda instance: instance.words
)
def test_rules_come_back_from_json(built: Budget | EqualReleases) -> None:
    again = restored_rule(built.described())
    assert again == built
    assert again.guarantee == built.guarantee
