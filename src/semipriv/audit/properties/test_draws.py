"""Draws of every class: the distribution of the numbers that are drawn, found by halving, against exact weights.

No frequencies: where outcomes change is found to 2^-60 under Secure, so that the slow, exact paths decide, and to the
precision of floats in a simulation.
"""

from collections import defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from semipriv.audit.properties.class_cases import DRAWN
from semipriv.audit.properties.entropy import Begun, distribution_of_numbers, frozen
from semipriv.classes.base import HypothesisClass, ListedCover
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core import registry
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.sampling import choice

RATES = {Secure: [Fraction(1, 3), Fraction(9)], Simulation: [Fraction(0), Fraction(1, 3)]}
DIGITS = {Secure: 60, Simulation: 44}


def sample(h: HypothesisClass, seed: int, m: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return DRAWN.domain_points(h, rng, m), DRAWN.domain_points(h, rng, n), rng.integers(0, 2, n)


def covers() -> list[HypothesisClass]:
    """Of each kind of cover the first example of each class file that has it; of listed ones the first of all."""
    cases: dict[object, HypothesisClass] = {}
    for name in registry.names("classes"):
        for h in registry.load("classes", name).examples():
            kind = type(h.cover(sample(h, 3, 3, 0)[0]))
            cases.setdefault(kind if kind is ListedCover else (kind, name), h)
    return list(cases.values())


def exact_distribution(outcomes: list, mistakes: np.ndarray, rate: Fraction) -> dict:
    """The exponential mechanism with 60 digits; equal outcomes are one."""
    with localcontext() as context:
        context.prec = 60
        scale = Decimal(rate.numerator) / Decimal(rate.denominator)
        weights = [(-scale * int(k)).exp() for k in mistakes - mistakes.min()]
        total = sum(weights)
        distribution = defaultdict(Fraction)
        for outcome, weight in zip(outcomes, weights, strict=True):
            distribution[outcome] += Fraction(weight / total)
    return distribution


def check(monkeypatch, tally, outcomes: list, mistakes: np.ndarray, kind: type) -> None:
    monkeypatch.setattr(choice, "Uniform", Begun)
    for rate in RATES[kind]:
        distribution = distribution_of_numbers(
            lambda numbers, rate=rate: tuple(tally.draw(rate, frozen(kind, numbers)).parameters.tolist()), DIGITS[kind]
        )
        expected = exact_distribution(outcomes, mistakes, rate)
        assert distribution.keys() <= expected.keys()
        for outcome, probability in expected.items():
            assert abs(distribution.get(outcome, 0) - probability) < len(expected) ** 2 * Fraction(
                1, 2 ** (DIGITS[kind] - 3)
            )


@pytest.mark.parametrize("kind", [Secure, Simulation])
@pytest.mark.parametrize("h", covers(), ids=repr)
def test_every_cover_is_drawn_from_by_its_exact_distribution(monkeypatch, h: HypothesisClass, kind: type) -> None:
    public, x, y = sample(h, 3, 3, 8)
    cover = h.cover(public)
    listed = cover.listed()
    check(monkeypatch, cover.tally(x, y), list(map(tuple, listed.parameters.tolist())), listed.mistakes(x, y), kind)


@pytest.mark.parametrize("kind", [Secure, Simulation])
@pytest.mark.parametrize("orientation", ["lt", "ge"])
def test_whole_classes_are_drawn_from_by_their_exact_distribution(monkeypatch, orientation: str, kind: type) -> None:
    h = DiscreteThresholds(3, orientation)
    _, x, y = sample(h, 4, 0, 9)
    every = h.encode_thresholds(range(9))
    check(monkeypatch, h.tally(x, y), list(map(tuple, every.tolist())), h.mistakes(every, x, y.astype(np.int8)), kind)
