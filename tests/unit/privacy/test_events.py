"""Events: the same tree read by two accountants, exact sums, budgets that pay before, JSON."""

import json
import math
from fractions import Fraction

import pytest

from semipriv.privacy.composition import basic_composition
from semipriv.privacy.events import (
    NOTHING,
    Account,
    Approximate,
    BoundedRange,
    Composed,
    Concentrated,
    Event,
    GaussianEvent,
    Parallel,
    Pure,
    SparseVectorEpoch,
    concentrated,
    described,
    gaussian_scale,
    guarantee_of,
    pure_guarantee,
    restored,
    whole,
)
from semipriv.privacy.guarantee import Guarantee, Neighbours
from semipriv.privacy.zcdp import ZeroConcentrated

REPLACE = Neighbours.REPLACE_PRIVATE_EXAMPLE
EVENTS = [
    Pure(0.1),
    BoundedRange(Fraction(1, 3)),
    GaussianEvent(41.44),
    GaussianEvent(3, 2),
    SparseVectorEpoch(100.0, 200.0),
    SparseVectorEpoch(10, 30, 2),
]
TREE = Composed([(event, i + 1) for i, event in enumerate(EVENTS)])


def test_rhos_are_those_of_the_mechanisms() -> None:
    """Against the accounting of each mechanism alone."""
    expected = [
        ZeroConcentrated.from_pure(Guarantee(0.1)).rho,
        ZeroConcentrated.of_exponential_mechanism(Fraction(1, 3), REPLACE).rho,
        ZeroConcentrated.of_gaussian(41.44, 1, REPLACE).rho,
        ZeroConcentrated.of_gaussian(3, 2, REPLACE).rho,
        ZeroConcentrated.from_pure(Guarantee(Fraction(2, 100))).rho,
        ZeroConcentrated.from_pure(Guarantee(Fraction(2, 10) + Fraction(4, 30))).rho,
    ]
    assert [concentrated(event).rho for event in EVENTS] == pytest.approx(expected, rel=1e-15)
    total = sum((i + 1) * rho for i, rho in enumerate(expected))
    assert concentrated(TREE).rho == pytest.approx(total, rel=1e-14)
    assert Fraction(concentrated(TREE).rho) >= TREE.rho > Fraction(math.nextafter(concentrated(TREE).rho, 0))


def test_epsilons_add_up_and_are_rounded_up() -> None:
    tenths = Composed([(Pure(0.1), 10)])
    assert tenths.pure == 10 * Fraction(0.1)
    assert pure_guarantee(tenths) == basic_composition([Guarantee(0.1)] * 10)
    nested = Composed([(Composed([(Pure(0.1), 5)]), 2)])
    assert nested.pure == tenths.pure
    assert nested.rho == tenths.rho
    assert pure_guarantee(Pure(Fraction(1, 3))).epsilon > Fraction(1, 3)


def test_guarantee_at_the_delta_of_a_budget() -> None:
    once = Composed([(Pure(0.1), 4)])
    assert guarantee_of(once, Guarantee(1.0)) == Guarantee(rounded := float(4 * Fraction(0.1)))
    assert rounded == 0.4
    assert guarantee_of(once, Guarantee(1.0, 1e-6)) == concentrated(once).guarantee(1e-6)
    assert guarantee_of(NOTHING, Guarantee(1.0, 1e-6)) == Guarantee(0.0)


@pytest.mark.parametrize("budget", [Guarantee(1.0), Guarantee(1.0, 1e-6)])
def test_an_account_pays_before_and_never_beyond(budget: Guarantee) -> None:
    account = Account(budget)
    part = whole(budget) / 3
    event: Event = Pure(part)
    if budget.delta:
        epsilon = Fraction(math.sqrt(2 * part) * (1 - 1e-12))
        event = Pure(epsilon)
    for _ in range(3):
        account.pay(event)
    left = account.left
    assert 0 <= left < 1e-9
    with pytest.raises(ValueError, match="is left, the next step costs"):
        account.pay(event)
    assert account.left == left


def test_what_a_budget_holds_implies_it() -> None:
    budget = Guarantee(1.0, 1e-6)
    assert ZeroConcentrated(float(whole(budget))).guarantee(1e-6).epsilon <= 1.0
    assert whole(budget) >= ZeroConcentrated.within(budget, tight=False).rho
    assert round(ZeroConcentrated.within(budget, tight=False).rho, 6) == 0.017469


OTHERS = [
    *(NOTHING, Composed([(TREE, 3)]), Concentrated(Fraction(1, 3)), Approximate(0.5, 1e-7), Approximate(0, 1e-7)),
    Parallel([Composed([(Parallel([Pure(1)]), 3)]), Concentrated(0.5)]),
]


@pytest.mark.parametrize("event", [*EVENTS, TREE, *OTHERS], ids=lambda e: type(e).__name__)
def test_json_keeps_events_exactly(event: Event) -> None:
    assert restored(json.loads(json.dumps(described(event)))) == event


def test_events_that_may_fail_are_not_taken_for_others() -> None:
    """Their chance of failing is part of the account, or the account refuses."""
    may_fail = Composed([(Pure(0.5), 1), (Approximate(0.25, 1e-7), 2)])
    assert may_fail.delta == 2 * Fraction(1e-7)
    assert may_fail.pure == 1
    total_guarantee = guarantee_of(may_fail, Guarantee(1.0, 1e-6))
    assert total_guarantee == Guarantee(1.0, 1e-6)
    many = Composed([(Approximate(0.01, 1e-10), 1000)])
    assert guarantee_of(many, Guarantee(10.0, 1e-6)).epsilon < 2.5
    assert guarantee_of(Approximate(1.0, 1e-6), Guarantee(2.0, 1e-6)) == Guarantee(1.0, 1e-6)


def test_declared_parts_cost_their_largest() -> None:
    parts = Parallel([Pure(0.5), BoundedRange(0.75), Composed([(Pure(0.25), 2)])])
    assert parts.pure == Fraction(3, 4)
    assert parts.rho == Fraction(1, 8)
    assert Composed([(parts, 2)]).pure == Fraction(3, 2)
    assert parts.renyi(Fraction(2)) == Fraction(1, 4)


@pytest.mark.parametrize("delta", [1e-300, 1e-6, 0.999])
def test_the_largest_budgets_have_a_rho(delta: float) -> None:
    assert 1e308 < whole(Guarantee(1.7e308, delta)) < 1.7e308


def test_the_smallest_budgets_allow_no_gaussian_noise() -> None:
    with pytest.raises(ValueError, match="no Gaussian noise is so wide"):
        gaussian_scale(whole(Guarantee(1e-300, 1e-300)))
