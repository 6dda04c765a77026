"""Forms of appendix A and B against their integrals and each other."""

import math

import pytest

from semipriv.papers.bbd24.bounds.stability import (
    distance_tail,
    near_minimum_tail,
    printed_distance_tail,
    printed_expected_distance,
    printed_near_minimum_tail,
    printed_stability,
)


@pytest.mark.parametrize("power", [2, 4])
def test_printed_tail(power: int) -> None:
    assert math.isclose(printed_distance_tail(0.3, 0.5, 7.0, 1.3, power, 0.8), 8 * 0.3 * 1.3 / (0.5**power * 7 * 0.8))


def test_the_larger_reading_changes_at_1() -> None:
    for radius in (0.5, 1.5):
        second, fourth = (printed_distance_tail(0.1, radius, 1.0, 1.0, power) for power in (2, 4))
        assert (fourth > second) == (radius < 1)


@pytest.mark.parametrize(("tau", "radius", "eta", "width"), [(0.1, 0.5, 3.0, 1.2), (1.0, 1.9, 30.0, 2.5)])
def test_corrected_forms(tau: float, radius: float, eta: float, width: float) -> None:
    plain = 4 * tau / (eta * radius**2) * (width + 2 * tau / (eta * radius**2))
    assert math.isclose(distance_tail(tau, radius, eta, width), plain)
    c = tau / radius**2
    first = printed_near_minimum_tail(tau, radius**2, eta, width, least=0.7)
    assert math.isclose(near_minimum_tail(tau, radius**2, eta, width, 0.7), first + c**2 / (2 * eta**2 * 0.7))
    fourth = printed_near_minimum_tail(tau, radius**2, eta, width, 4)
    assert math.isclose(fourth, tau * width / (radius**4 * eta))


def test_printed_stability() -> None:
    assert math.isclose(printed_expected_distance(20.0, 0.8, 0.5) ** 3, 9 * 0.8 / 10)
    for root in (2, 4):
        rest = printed_stability(20.0, 0.8, 10_000, 0.05, root) - printed_expected_distance(20.0, 0.8)
        assert math.isclose(rest**root, math.log(20) / 10_000)
