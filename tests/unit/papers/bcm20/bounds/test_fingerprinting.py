"""The identity behind tracing, by simulation, and what follows from it, on releases whose numbers are known."""

import math
from fractions import Fraction

import numpy as np
import pytest

from semipriv.papers.bcm20.bounds.fingerprinting import private_need, pull, score, total_score, traced_positions


def test_both_sides_are_what_simulation_gives() -> None:
    """Three records of a column, answers .4 to two ones: E [two ones] clip(.4) sum(z - mu), by a million columns."""
    generator = np.random.default_rng(1)
    mu = generator.uniform(-1, 1, 10**6)
    z = np.where(generator.random((3, len(mu))) < (1 + mu) / 2, 1, -1)
    r = np.clip(0.4, mu - 0.25, mu + 0.25)
    drawn = np.where((z == 1).sum(axis=0) == 2, r * (z - mu).sum(axis=0), 0.0)
    computed_score = 3 * score(3, 2, Fraction(2, 5), Fraction(1, 4))
    assert drawn.mean() == pytest.approx(float(computed_score), abs=5 * drawn.std() / 1000), (
        "three ways to have two ones"
    )
    assert computed_score == 3 * pull(3, 2, Fraction(2, 5), Fraction(1, 4))


def test_scores_of_accurate_means_are_above_the_bound() -> None:
    """Means of N records score 2 p / 3 in all, whatever N; the bound falls below it by what errors may cost."""
    for alpha in (0.01, 0.1, 0.3):
        assert total_score(alpha, 0.0) == pytest.approx(2 / 3 - alpha)
    assert traced_positions(0.4, 0.4) == 0
    assert traced_positions(0.001, 0.0, 0.5) == pytest.approx(1.5 * ((1 / 6 - 0.001) / 0.001) ** 2)


def test_the_step_of_privacy_holds_for_a_mechanism_that_attains_it() -> None:
    """Outcomes y in {-1, 0, 1} with chances a, 1 - 2 a, a after a swap, and e a, .., a / e before it: sinh(1) E|y|."""
    a = 0.2
    before, after = np.array([a / math.e, 0.0, a * math.e]), np.array([a, 1 - 2 * a, a])
    before[1] = 1 - before.sum()
    assert np.all(before <= math.e * after + 1e-15)
    assert np.all(after <= math.e * before + 1e-15)
    y = np.array([-1.0, 0.0, 1.0])
    assert before @ y == pytest.approx(math.sinh(1) * (after @ np.abs(y)))
    assert private_need(0.1, 0.0, 0, 1.0, 0.0) == pytest.approx((2 / 3 - 0.1) / (math.sqrt(2 / 3) * math.sinh(1)))


def test_public_records_pay_the_bound_away() -> None:
    for alpha in (0.02, 0.05, 0.1):
        assert private_need(alpha, alpha, math.floor(1 / (6 * alpha**2))) > 0.1
        assert private_need(alpha, alpha, math.ceil(2 / (3 * alpha**2))) < 0
