"""Distributions in the plane: errors of rectangles against brute force."""

import itertools

import numpy as np
import pytest

from semipriv_lab.papers.bns15.studies import _rectangles


@pytest.mark.parametrize("make", _rectangles.DISTRIBUTIONS)
def test_errors_are_those_of_the_distribution(make) -> None:
    """Over all points of 16 x 16, for rectangles inside, across, outside, and empty ones."""
    distribution = make(4)
    mass = np.array([distribution.below(x + 1) - distribution.below(x) for x in range(16)])
    assert mass.sum() == pytest.approx(1)
    x, y = np.indices((16, 16))
    target = (x >= distribution.low) & (x <= distribution.high) & (y >= distribution.low) & (y <= distribution.high)
    for a, b, c, d in itertools.product((0, 2, 7, 15), (0, 5, 14), (1, 8, 15), (3, 13)):
        inside = (x >= a) & (x <= c) & (y >= b) & (y <= d)
        expected = (np.outer(mass, mass) * (target != inside)).sum()
        assert distribution.error((a, b, c, d)) == pytest.approx(expected, abs=1e-12)
    drawn = np.bincount(distribution.draw(20_000, np.random.default_rng(1)), minlength=16) / 20_000
    assert np.abs(drawn - mass).max() < 0.02
