"""Forms of appendices A and B against each other."""

import math

import pytest

from semipriv.papers.bbd24.bounds.stability import (
    near_minimum_tail,
    printed_distance_tail,
    printed_near_minimum_tail,
)


def test_the_larger_reading_changes_at_1() -> None:
    for radius in (0.5, 1.5):
        second, fourth = (printed_distance_tail(0.1, radius, 1.0, 1.0, power) for power in (2, 4))
        assert (fourth > second) == (radius < 1)


@pytest.mark.parametrize(("tau", "radius", "eta", "width"), [(0.1, 0.5, 3.0, 1.2), (1.0, 1.9, 30.0, 2.5)])
def test_corrected_forms(tau: float, radius: float, eta: float, width: float) -> None:
    c = tau / radius**2
    first = printed_near_minimum_tail(tau, radius**2, eta, width, least=0.7)
    assert math.isclose(near_minimum_tail(tau, radius**2, eta, width, 0.7), first + c**2 / (2 * eta**2 * 0.7))
    fourth = printed_near_minimum_tail(tau, radius**2, eta, width, 4)
    assert math.isclose(fourth, tau * width / (radius**4 * eta))
