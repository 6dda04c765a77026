"""GenericLearner on TWO-ATOMS by counts of labels: against the exponential mechanism on every sample there is."""

import math
from itertools import product

import numpy as np
import pytest

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv_lab.papers.bns15.studies import _label_counts
from semipriv_lab.papers.bns15.studies._fixed_data import entries


def failing(
    bits: int,
    released: list[int],
    masses: dict[int, float],
    m: int,
    epsilon: float,
    alpha: float,
    place: str = "midpoint",
) -> tuple[float, int]:
    """P[error > alpha] over samples of m of these points, labelled by 1[x < 1]; and the number of hypotheses."""
    h, points = DiscreteThresholds(bits), list(masses)
    cover = h.cover(h.encode(released), place).listed().parameters
    target = np.array([x < 1 for x in points], int)
    wrong = h.predict(cover, h.encode(points)) != target
    bad = wrong @ np.array([masses[x] for x in points]) > alpha
    total = 0.0
    for sample in product(range(len(points)), repeat=m):
        chances = np.exp(ExponentialMechanism(epsilon).log_probabilities(-wrong[:, list(sample)].sum(axis=1)))
        total += math.prod(masses[points[i]] for i in sample) * chances[bad].sum()
    return total, len(cover)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("size", "m"), [(2, 3), (4, 4), (6, 2)])
def test_the_worst_case_is_that_of_points_at_both_atoms(size: int, m: int, epsilon: float) -> None:
    """All labels beyond 1 are above every threshold: they tell none of the k + 1 apart."""
    alpha = 0.2
    masses = {0: 0.5, 1: 1.25 * alpha, 31: 0.5 - 1.25 * alpha}
    exact, hypotheses = failing(5, list(range(size)), masses, m, epsilon, alpha, "lower")
    assert hypotheses == size + 1
    assert _label_counts.failure_at_worst(size, m, alpha, epsilon) == pytest.approx(exact)


@pytest.mark.parametrize(("bits", "size", "m", "epsilon"), [(3, 5, 3, 1.0), (4, 10, 2, 0.5), (3, 8, 2, 2.0)])
def test_failure_on_quantiles_is_that_of_all_samples(bits: int, size: int, m: int, epsilon: float) -> None:
    alpha = 0.2
    rest = (0.5 - 1.25 * alpha) / (2**bits - 2)
    masses = {0: 0.5, 1: 1.25 * alpha} | dict.fromkeys(range(2, 2**bits), rest)
    exact, _ = failing(bits, entries("TWO-ATOMS", bits, size, alpha), masses, m, epsilon, alpha)
    actual_failure_on_quantiles = _label_counts.failure_on_quantiles(bits, size, m, alpha, epsilon)
    assert 0.01 < exact < 0.99
    assert actual_failure_on_quantiles == pytest.approx(exact)
