"""Held-out rows: the rule, the draw and its distribution, and limits that hold."""

import math
from fractions import Fraction

import numpy as np
import pytest

from semipriv.audit.properties.entropy import LEVEL, Seeded
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.practice.asking import quality
from semipriv.practice.asking.quality import HeldOut, accuracy, held
from semipriv.privacy.events import Composed, Pure
from semipriv.privacy.guarantee import Guarantee


def test_parts_are_disjoint_and_do_not_depend_on_what_rows_hold() -> None:
    numbers = np.arange(1, 24)
    assert numbers[held(numbers, 5)].tolist() == [5, 10, 15, 20]
    chunks = np.concatenate([held(numbers[:7], 5), held(numbers[7:], 5)])
    assert chunks.tolist() == held(numbers, 5).tolist()


def test_costs_and_mechanisms_agree() -> None:
    use = HeldOut(10, Fraction("0.1"), Fraction(1, 3))
    assert use.costs == (Fraction(1, 3), Fraction("0.1"))
    assert Fraction(use.chooser.epsilon) <= use.choice < Fraction(math.nextafter(use.chooser.epsilon, 1))
    assert use.noise.scale == 10
    assert HeldOut(2, Fraction(1)).costs == (1,)


def test_a_delta_that_nobody_spends_costs_nothing() -> None:
    """A learner with a delta that draws by pure mechanisms alone: zero-concentrated accounting would tell 5.2."""
    use = HeldOut(4, Fraction("0.1"))
    asked = Guarantee(1.0, 1e-6)
    assert quality.guarantee([asked], quality.event([Pure(1.0)], use)) == Guarantee(1.0)
    many = Composed([(Pure(0.01), 1000)])  # here it tells less
    guarantee = quality.guarantee([asked], quality.event([many], use))
    assert (guarantee.delta, guarantee.epsilon < 10) == (1e-6, True)


def test_the_number_is_that_of_the_chosen_one_with_noise_of_its_epsilon() -> None:
    use = HeldOut(2, Fraction(1, 3))
    for seed in range(20):
        _, noisy = use.draw([7], Seeded(seed))
        assert noisy - 7 == DiscreteLaplace(3).add(np.zeros(1, np.int64), Seeded(seed))[0]


@pytest.mark.parametrize("randomness", [Secure(), Simulation(1)], ids=["secure", "simulated"])
def test_choice_follows_permute_and_flip(randomness) -> None:
    use, mistakes, draws = HeldOut(2, Fraction(8), Fraction(1)), [40, 41, 43], 600
    drawn = [use.draw(mistakes, randomness) for _ in range(draws)]
    shares = np.bincount([chosen for chosen, _ in drawn], minlength=3) / draws
    distribution = np.exp(use.chooser.log_probabilities([-count for count in mistakes]))
    assert np.abs(shares - distribution).max() < math.sqrt(math.log(6 / LEVEL) / (2 * draws))
    assert all(abs(noisy - mistakes[chosen]) < 8 for chosen, noisy in drawn)  # P < 600 * 2 e^-64


@pytest.mark.parametrize("epsilon", [Fraction(1, 50), Fraction(1)])
@pytest.mark.parametrize("p", [0.0, 0.03, 0.5, 1.0])
def test_limits_hold_with_the_level_exactly(epsilon: Fraction, p: float) -> None:
    """Sum of the probabilities of the numbers whose limits miss the truth: at most the level, not idle at one half."""
    rows, spread = 40, math.ceil(12 / epsilon)
    noise = HeldOut(2, epsilon).noise
    values = np.arange(-spread, rows + spread + 1)
    distribution = np.zeros(len(values))
    for count in range(rows + 1):
        weight = math.comb(rows, count) * p**count * (1 - p) ** (rows - count)
        distribution += weight * np.exp(noise.log_probability(values - count))
    step = max(1, spread // 100)
    missed = [not t.low <= 1 - p <= t.high for t in (accuracy(int(y), rows, epsilon) for y in values[::step])]
    share = sum(distribution[i * step : (i + 1) * step].sum() for i, miss in enumerate(missed) if miss)
    assert share <= quality.LEVEL + 2 * step * float(epsilon) / 2  # a cell at each border may be counted whole
    assert p != 0.5 or epsilon != 1 or share > 0.01


def test_limits_of_several_candidates_are_wider_and_exact_ones_are_found_again() -> None:
    single, four = accuracy(10, 100, Fraction(1)), accuracy(10, 100, Fraction(1), candidates=4)
    assert four.low < single.low < single.value < single.high < four.high
    nearly = accuracy(10, 100, Fraction(500))  # no noise but with probability e^-500: Clopper and Pearson
    from semipriv.core.statistics import clopper_pearson

    low, high = clopper_pearson(10, 100, 0.05)
    assert (1 - nearly.high, 1 - nearly.low) == pytest.approx((float(low), float(high)), abs=1e-9)
    assert accuracy(-500, 10, Fraction(1)).value == 1
    assert accuracy(500, 10, Fraction(1)).value == 0


def test_same_bits_same_draw() -> None:
    use = HeldOut(2, Fraction(1), Fraction(1))
    assert use.draw([5, 6], Seeded(3)) == use.draw([5, 6], Seeded(3))


@pytest.mark.parametrize("epsilon", [Fraction(1, 50), Fraction(1, 4), Fraction(1), Fraction(7)])
def test_noise_moves_the_error_by_no_more_than_is_told_and_not_by_less(epsilon: Fraction) -> None:
    """By the distribution of the noise: tails beyond the number have at most the level, those at the number more."""
    most = round(1000 * quality.noise_of_mistakes(1000, epsilon, 0.05))
    noise = DiscreteLaplace(1 / epsilon)
    assert 2 * math.exp(noise.log_cumulative([-most - 1])[0]) <= 0.05
    assert most == 0 or 2 * math.exp(noise.log_cumulative([-most])[0]) > 0.05
