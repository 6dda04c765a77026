"""A_LearnHalf on the five small examples of its specification: mistakes of G, probabilities, and draws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.randomness import Secure, Simulation
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.cover import RegionCover

EPSILON = 2.0
VECTORS = {
    "line": ([[0], [2]], [[3]], 4, {0: 1, 1: 2, 2: 2}, [0.498398], 0),
    "triangle": (
        [[0, 0], [1, 0], [0, 1]],
        [[1, 1], [2, 2]],
        6,
        {0: 3, 1: 9, 2: 6, 3: 4},
        [0.409720, 0.452183, 0.110899, 0.027198],
        0,
    ),
    "axis of a plane": (
        [[0, 0], [1, 0], [2, 0]],
        [[3, 0], [4, 0], [5, 0], [1, 1]],
        6,
        {0: 1, 1: 1, 2: 1, 3: 2, 4: 1, 5: 1},
        [0.614310],
        0,
    ),
    "square with its centre": (
        [[0, 0], [4, 0], [0, 4], [4, 4], [2, 2]],
        [[2, 0], [5, 5]],
        20,
        {1: 19, 2: 69, 3: 63, 4: 50, 5: 10},
        [],
        1,
    ),
    "simplex": (
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[1, 1, 1], [2, 2, 2], [0, 0, 0]],
        8,
        {1: 11, 2: 48, 3: 32, 4: 2},
        [],
        1,
    ),
}
"""Public and private points, H, members of G by mistakes, first probabilities, mistakes of the best halfspace."""


def arranged(name: str) -> tuple[RegionCover, np.ndarray, np.ndarray]:
    public, private = (np.array(points, float) for points in VECTORS[name][:2])
    learner = LearnHalf(EPSILON)
    prepared = learner.prepare(public, Halfspaces(public.shape[1]), np.zeros(len(public), int))
    return prepared, private, np.ones(len(private), int)


@pytest.mark.parametrize("name", VECTORS)
def test_histograms_and_probabilities(name: str) -> None:
    _, _, count, expected, probabilities, _ = VECTORS[name]
    prepared, points, labels = arranged(name)
    assert prepared.family.count == count
    tally = prepared.tally(points, labels)
    mistakes, counts = tally.histogram()
    assert dict(zip(mistakes.tolist(), counts.tolist(), strict=True)) == expected
    assert prepared.size == sum(expected.values())
    weights = {m: c * math.exp(-EPSILON * m / 2) for m, c in expected.items()}
    total = sum(weights.values())
    actual_weights = [weights[m] / total for m in sorted(weights)]
    np.testing.assert_allclose(actual_weights[: len(probabilities)], probabilities, atol=6e-7)
    assert tally.log_partition(EPSILON / 2) == pytest.approx(math.log(total), abs=1e-12)
    distribution = LearnHalf(EPSILON).output_distribution(prepared, points, labels)
    own = prepared.listed().mistakes(prepared.examples.points, prepared.examples.labels)
    own = own + prepared.listed().mistakes(points, labels)
    for m, p in zip(sorted(weights), actual_weights, strict=True):
        assert np.exp(distribution.log_probabilities)[own == m].sum() == pytest.approx(p, abs=1e-12)
    assert tally.expected_mistakes(EPSILON / 2) == pytest.approx(
        float(np.exp(distribution.log_probabilities) @ own), abs=1e-12
    )


@pytest.mark.parametrize("name", VECTORS)
def test_best_halfspaces(name: str) -> None:
    public, private, *_, best = VECTORS[name]
    labels = np.repeat([0, 1], [len(public), len(private)])
    assert Halfspaces(len(public[0])).minimise(np.array(public + private, float), labels).value == best


def distribution_by_parameters(
    prepared: RegionCover, points: np.ndarray, labels: np.ndarray, epsilon: float = EPSILON
) -> dict[bytes, float]:
    """Exact probability of each region as released: equal parameters are one outcome."""
    distribution = LearnHalf(epsilon).output_distribution(prepared, points, labels)
    chances_by_region: dict[bytes, float] = {}
    for row, p in zip(distribution.parameters, np.exp(distribution.log_probabilities), strict=True):
        chances_by_region[row.tobytes()] = chances_by_region.get(row.tobytes(), 0.0) + p
    return chances_by_region


def p_value(drawn: list[bytes], distribution: dict[bytes, float]) -> float:
    """Chi-square of the outcomes; those expected fewer than 5 times are one."""
    assert set(drawn) <= set(distribution)
    counts = dict.fromkeys(distribution, 0)
    for key in drawn:
        counts[key] += 1
    rare = [key for key, p in distribution.items() if p * len(drawn) < 5]
    common = [key for key in distribution if key not in set(rare)]
    observed = [counts[key] for key in common] + [sum(counts[key] for key in rare)] * bool(rare)
    expected = [distribution[key] * len(drawn) for key in common] + [
        sum(distribution[key] for key in rare) * len(drawn)
    ] * bool(rare)
    return float(chisquare(observed, np.array(expected) * len(drawn) / math.fsum(expected)).pvalue)


@pytest.mark.parametrize("name", VECTORS)
def test_draws_follow_the_exact_distribution(name: str) -> None:
    """Regions as they are released; enough draws to tell a rate that is 10 % too large, or 25 % for small ones."""
    draws, wrong = (20_000, 1.1) if name == "triangle" else (5_000, 1.25)
    prepared, points, labels = arranged(name)
    tally, randomness = prepared.tally(points, labels), Simulation(len(name))
    drawn = [tally.draw(Fraction(EPSILON) / 2, randomness).parameters.tobytes() for _ in range(draws)]
    assert p_value(drawn, distribution_by_parameters(prepared, points, labels)) > 1e-4
    assert p_value(drawn, distribution_by_parameters(prepared, points, labels, wrong * EPSILON)) < 1e-4


@pytest.mark.parametrize("randomness", [Simulation(1), Secure()])
def test_releases_follow_the_exact_distribution(randomness) -> None:
    prepared, points, labels = arranged("line")
    learner = LearnHalf(EPSILON)
    drawn = [learner.release(prepared, points, labels, randomness).output.parameters.tobytes() for _ in range(2000)]
    assert p_value(drawn, distribution_by_parameters(prepared, points, labels)) > 1e-6
