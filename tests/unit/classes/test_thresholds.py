"""Thresholds: representatives at the ends of their cells, and the classes that thresholds make up."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semipriv.audit.properties.class_cases import INFINITY, rows
from semipriv.audit.properties.class_cases.thresholds import COMPARE, dichotomies
from semipriv.classes._cut_table import excess_below
from semipriv.classes.base import REPRESENTATIVES
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import ORIENTATIONS, Thresholds

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
NEAR = st.sampled_from([0.0, -0.0, 1.0, 1e308, -1e308, np.finfo(float).max, -np.finfo(float).max, 5e-324]).flatmap(
    lambda v: st.sampled_from([v, math.nextafter(v, 0.5), math.nextafter(v, -0.5)])
)


@given(st.lists(FLOATS | NEAR, max_size=6), st.sampled_from(list(COMPARE)))
def test_threshold_representatives_are_the_ends_of_their_cells(values, orientation):
    """'lower' and 'upper' are the extreme floats with their dichotomy; 'midpoint' lies between, in the middle."""
    h = Thresholds(orientation)
    points = np.array(values)
    x = rows(points.reshape(-1, 1))
    low, mid, high = (h.cover(points, r).listed().parameters[:, 0] for r in ("lower", "midpoint", "upper"))

    def pattern(t):
        return [COMPARE[orientation](p[0], t) for p in x]

    assert len(low) == len(mid) == len(high) == len(x) + 1
    patterns = [pattern(t) for t in mid]
    assert len({tuple(p) for p in patterns}) == len(x) + 1
    for k, (a, t, b) in enumerate(zip(low, mid, high, strict=True)):
        assert a <= t <= b
        assert pattern(a) == pattern(b) == patterns[k]
        assert a == -INFINITY or pattern(math.nextafter(a, -INFINITY)) != patterns[k]
        assert b == INFINITY or pattern(math.nextafter(b, INFINITY)) != patterns[k]
        if k in (0, len(x)):
            assert t in (-INFINITY, INFINITY)
        else:
            middle = (Fraction(x[k - 1][0]) + Fraction(x[k][0])) / 2
            assert abs(Fraction(float(t)) - middle) <= Fraction(math.ulp(x[k - 1][0]) + math.ulp(x[k][0]))


@given(st.lists(FLOATS | NEAR, max_size=6), st.sampled_from(REPRESENTATIVES))
def test_halfspaces_of_the_line_are_thresholds_both_ways(values, representative):
    cover = Halfspaces(1).cover(np.array(values), representative).listed()
    x = rows(np.array(values).reshape(-1, 1))
    both = dichotomies(Thresholds("ge"), x) | dichotomies(Thresholds("le"), x)
    realised = [tuple(row) for row in cover.dichotomies().tolist()]
    assert len(realised) == len(both)
    assert set(realised) == both


def test_classes_of_rays_of_the_line_have_one_minimum():
    """Stumps with both signs and halfspaces of the line are thresholds of both directions, wherever the minimum is."""
    rng = np.random.default_rng(10)
    n = 1600
    for x in (rng.normal(size=n), rng.integers(0, 50, n) / 7):
        w, ranks = rng.exponential(size=n), np.argsort(np.argsort(x, kind="stable"))
        for share, first in itertools.product((0.1, 0.9), (0, 1)):
            y = np.where(ranks < share * n, first, 1 - first)
            best = min(Thresholds(orientation).minimise(x, y, w).value for orientation in ("ge", "lt"))
            assert DecisionStumps(1).minimise(x, y, w).value == pytest.approx(best, abs=1e-9)
            assert Halfspaces(1).minimise(x, y, w).value == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_unit_weights_are_counted_as_others_are_summed(orientation: str) -> None:
    """Equal weights of 2 take the sums; the same minimiser, ties and empty samples included."""
    h, rng = Thresholds(orientation), np.random.default_rng(4)
    for n in [*range(8)] * 60:
        x, y = rng.integers(0, 6, (n, 1)).astype(float), rng.integers(0, 2, n)
        counted, summed = h.minimise(x, y), h.minimise(x, y, np.full(n, 2.0))
        assert counted.parameters.tolist() == summed.parameters.tolist()
        assert 2 * counted.value == summed.value


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("kind", ["spread", "ties", "two scales", "huge", "one bucket"])
def test_points_are_counted_between_cuts_as_one_by_one(kind, closed):
    """Cuts that share buckets, equal points, infinite cuts, no order; None only if the cuts are crowded."""
    rng = np.random.default_rng(4)
    x = {
        "spread": rng.normal(size=3_000),
        "ties": rng.integers(0, 9, 3_000) / 3,
        "two scales": np.where(rng.random(3_000) < 0.5, rng.random(3_000), 1e3 + rng.random(3_000) / 1e3),
        "huge": rng.normal(size=3_000) * 1e307,
        "one bucket": np.append(rng.random(2_999), 1e12),
    }[kind]
    y = rng.integers(0, 2, len(x)).astype(np.int8)
    cuts = rng.permutation(np.concatenate([rng.choice(x, 60), rng.choice(x, 5) + 0.01, [-np.inf, np.inf, x.max()]]))
    excess = excess_below(cuts, x, y, closed=closed)
    if kind in ("two scales", "one bucket"):
        assert excess is None
        cuts = np.array([0.5, 0.5, 1e3, x[7]])
        excess = excess_below(cuts, x, y, closed=closed)
    below = x <= cuts[:, None] if closed else x < cuts[:, None]
    assert excess.tolist() == (below @ (2 * y.astype(int) - 1)).tolist()
