"""Scales of normal weights: the formulas once more, each rounded up, and the order that the proofs give."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from semipriv.papers.bbd24.perturbation.gaussian_weights import closed_scale, union_scale, width_scale
from semipriv.privacy.gaussian import gaussian_delta

CASES = [(2, 1.0, 1e-5, 5), (15, 1.0, 1e-5, 2**15), (127, 0.1, 1e-8, 2**127), (1, 4.0, 0.2, 1)]


@pytest.mark.parametrize(("points", "epsilon", "delta", "patterns"), CASES)
def test_scales_are_their_formulas_rounded_up(points: int, epsilon: float, delta: float, patterns: int) -> None:
    union, closed = union_scale(points, epsilon, delta, patterns), closed_scale(points, epsilon, delta, patterns)
    assert union <= closed
    with localcontext(prec=80):
        norm = 2 * Decimal(points).sqrt()
        share, e = Decimal(delta) / patterns, Decimal(epsilon)
        level = 2 * (1 / share).ln()
        exact = norm / 2 / e * (level.sqrt() + (level + 2 * e).sqrt())
        assert math.nextafter(closed, 0) < exact <= closed
        width = Decimal("1.5") + (2 * (1 / Decimal(delta)).ln()).sqrt()
        exact = norm / 2 / e * (width + (width**2 + 2 * e).sqrt())
        assert (
            math.nextafter(computed_width_scale := width_scale(points, epsilon, delta, 1.5), 0)
            < exact
            <= computed_width_scale
        )
    assert gaussian_delta(union, epsilon, Fraction(norm)) <= share
    assert gaussian_delta(union * (1 - 1e-12), epsilon, Fraction(norm)) > share, "the smallest such scale"


def test_more_labelings_than_floats_have_a_closed_form_only() -> None:
    assert closed_scale(4095, 1.0, 1e-5, 2**4095) > closed_scale(4095, 1.0, 1e-5, 2**1000)
