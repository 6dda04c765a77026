"""Closed forms of the small distributions, against draws and enumeration."""

import itertools
import math

import numpy as np
import pytest

from semipriv_lab.papers.bbd24.studies._cells import (
    SIGNS_WIDTH,
    SLOPES_LIPSCHITZ,
    parity_loss,
    share_different,
    share_positive,
    sign,
    slope,
)

DRAWS = 200_000


def test_signs_are_those_of_drawn_processes() -> None:
    """m = 3 public points, losses (0, 1.4) against (1.4, 0)."""
    generator, eta, tau = np.random.default_rng(1), 0.9, 1.4
    w = generator.standard_normal((DRAWS, 3)) @ np.ones(3) / math.sqrt(3)
    first, second = (eta * w + a < -eta * w + b for a, b in ((0, tau), (tau, 0)))
    error = 4 / math.sqrt(DRAWS)
    assert abs(first.mean() - share_positive(tau, eta)) < error
    assert abs(second.mean() - share_positive(-tau, eta)) < error
    assert abs((first != second).mean() - share_different(tau, eta)) < error
    assert math.isclose(share_positive(tau, eta) - share_positive(-tau, eta), share_different(tau, eta))
    assert abs(np.abs(w).mean() - SIGNS_WIDTH) < error


@pytest.mark.parametrize(("balance", "eta"), [(1, 0.1), (1, 0.25), (-1, 3.0), (7, 4.0), (0, 1.0)])
def test_slopes_minimise(balance: int, eta: float) -> None:
    grid = np.linspace(-1, 1, 20_001)
    positives, others = max(balance, 0) + 2, max(-balance, 0) + 2
    losses = SLOPES_LIPSCHITZ * (positives * np.abs(grid - 1) + others * np.abs(grid + 1)) + eta * grid**2
    assert abs(grid[losses.argmin()] - slope(balance, eta)) < 1e-4
    assert np.array_equal(slope(np.array([balance, 0]), eta), [slope(balance, eta), 0.0])


def test_parity_is_that_of_drawn_weights() -> None:
    generator, m, scale = np.random.default_rng(2), 3, 4.0
    patterns = np.array(list(itertools.product((0, 1), repeat=m)))
    even = patterns.sum(1) % 2 == 0
    costs = generator.laplace(0, scale, (DRAWS, m)) @ patterns.T
    dear, cheap = (even[np.argmin(costs + penalty, axis=1)].mean() for penalty in (even, ~even))
    assert abs(math.log(cheap / dear) - parity_loss(m, scale)) < 0.03
    assert math.isclose(parity_loss(m, 2 * m), math.log(2 * math.exp(0.5) - 1))


@pytest.mark.parametrize("eta", [0.1, 4.0, 1e6])
def test_signs_alone_follow_the_label(eta: float) -> None:
    assert [sign(label, eta) for label in (1, -1)] == [1.0, -1.0]
