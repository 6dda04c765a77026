"""Laws in the plane: errors of rectangles against brute force."""

import itertools

import numpy as np
import pytest

from semipriv_lab.papers.bns15.studies import _rectangles


@pytest.mark.parametrize("make", _rectangles.LAWS)
def test_errors_are_those_of_the_law(make) -> None:
    """Over all points of 16 x 16, for rectangles inside, across, outside, and empty ones."""
    law = make(4)
    mass = np.array([law.below(x + 1) - law.below(x) for x in range(16)])
    assert mass.sum() == pytest.approx(1)
    x, y = np.indices((16, 16))
    target = (x >= law.low) & (x <= law.high) & (y >= law.low) & (y <= law.high)
    for a, b, c, d in itertools.product((0, 2, 7, 15), (0, 5, 14), (1, 8, 15), (3, 13)):
        inside = (x >= a) & (x <= c) & (y >= b) & (y <= d)
        expected = (np.outer(mass, mass) * (target != inside)).sum()
        assert law.error((a, b, c, d)) == pytest.approx(expected, abs=1e-12)
    drawn = np.bincount(law.draw(20_000, np.random.default_rng(1)), minlength=16) / 20_000
    assert np.abs(drawn - mass).max() < 0.02
