"""Sample sizes and probabilities of ABM19 against independent numbers and distributions."""

import math

import numpy as np
import pytest

from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.papers.abm19.bounds import sizes as abm19
from semipriv.papers.abm19.bounds import spacings as abm19_spacings
from semipriv.papers.abm19.bounds.spacings import edge_excess


@pytest.mark.parametrize(
    ("alpha", "d", "exact", "closed"),
    [
        (0.1, 1, 820, 932),
        (0.1, 2, 1475, 1674),
        (0.1, 4, 2784, 3157),
        (0.2, 1, 380, 431),
        (0.01, 1, 10216, 11614),
        (0.001, 8, 864940, 983237),
    ],
)
def test_cover_points(alpha: float, d: int, exact: int, closed: int) -> None:
    assert abm19.cover_points(alpha, 0.05, d) == exact
    assert abm19.cover_points_closed_form(alpha, 0.05, d) == closed
    assert abm19.bad_probability_bound(exact, alpha, d) <= 0.05 < abm19.bad_probability_bound(exact - 1, alpha, d)


def test_bound_is_one_where_it_says_nothing() -> None:
    assert abm19.bad_probability_bound(1, 0.5, 100) == 1.0
    assert abm19.bad_probability_bound(0, 0.5, 1) == 1.0
    assert abm19.cover_radius(0, 0.1, 1) == math.inf
    assert abm19.cover_radius(3, 0.1, 8) == math.inf


def test_cover_radius_inverts_the_bound() -> None:
    for m, d in ((400, 1), (2000, 2), (9000, 4)):
        alpha = abm19.cover_radius(m, 0.05, d)
        assert abm19.bad_probability_bound(m, alpha, d) == pytest.approx(0.05, rel=1e-9)
        assert abm19.cover_points(alpha * (1 + 1e-9), 0.05, d) <= m <= abm19.cover_points(alpha * (1 - 1e-9), 0.05, d)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
def test_excess_bounds_invert_the_sizes(epsilon: float) -> None:
    """At the proven sizes for alpha the bound on the excess is at most alpha, and fails with fewer examples."""
    alpha, beta, d = 0.2, 0.1, 2
    public = abm19.public_size(alpha, beta, d)
    log_cover = abm19.cover_size_bound(public, d)
    private = abm19.private_size(alpha, beta, epsilon, log_cover)
    assert abm19.excess_bound(public, private, epsilon, beta, d, log_cover) <= alpha
    assert abm19.excess_bound(public, private // 4, epsilon, beta, d, log_cover) > alpha / 2
    public = abm19.cover_points(alpha / 4, beta / 2, d)
    log_cover = abm19.cover_size_bound(public, d)
    private = abm19.private_size_realizable(alpha, beta, epsilon, log_cover)
    arguments = (epsilon, beta, d, log_cover)
    assert abm19.excess_bound_realizable(public, private, *arguments) <= alpha * (1 + 1e-12)
    assert abm19.excess_bound_realizable(public, private // 2, *arguments) > alpha


@pytest.mark.parametrize("representative", ["lower", "midpoint", "upper"])
def test_covering_radius(representative: str) -> None:
    """Closed form against the largest distance of a fine grid of thresholds to the cover."""
    generator = np.random.default_rng(3)
    for m in (1, 2, 7, 30):
        points = np.sort(generator.random(m))
        t = Thresholds().cover(points, representative).parameters[:, 0]
        radius = abm19_spacings.covering_radius_thresholds(t)
        fine = np.linspace(0, 1, 20_001)
        nearest = np.abs(fine[:, None] - np.clip(t, 0, 1)).min(axis=1)
        assert radius == pytest.approx(nearest.max(), abs=1e-4)
        assert radius <= np.diff(np.concatenate([[0], points, [1]])).max() + 1e-15


@pytest.mark.parametrize(("strip", "trials"), [(1.0, 40_000), (0.6, 40_000), (0.3, 40_000)])
def test_edge_excess_by_simulation(strip: float, trials: int) -> None:
    """The edges of a cover around a target at 0: half-way from a point of the strip to the next point of any kind."""
    generator = np.random.default_rng(3)
    gaps = generator.exponential(size=(trials, 120))
    points = np.cumsum(gaps, axis=1) - 60 - generator.random((trials, 1))
    inside = generator.random(points.shape) < strip
    edges = np.where(inside[:, 1:], np.abs((points[:, 1:] + points[:, :-1]) / 2), np.inf)
    excess = strip * edges.min(axis=1)
    assert excess.mean() == pytest.approx(edge_excess(strip), abs=5 * excess.std() / trials**0.5)
    assert abs(excess.mean() - 3 / 8) > 0.05 or strip == 1.0, "3 / 8 is right on the line only"


def test_edges_of_rectangles_lie_halfway_to_any_point() -> None:
    """The middle point is outside of the strip of the last one, and still the left edge is half-way to it."""
    cover = Rectangles(2).cover([[0.1, 0.5], [0.3, 0.9], [0.5, 0.5]]).listed()
    alone = cover.parameters[
        (cover.functions.predict(cover.parameters, cover.points) == [False, False, True]).all(axis=1)
    ]
    assert len(alone) == 1
    assert 0.4 in alone[0].tolist()
    assert 0.3 not in alone[0].tolist()


@pytest.mark.parametrize("sigma", [1.0, 0.5, 0.1])
def test_a_shift_widens_the_cover_in_both_bounds(sigma: float) -> None:
    """With private examples without end only the cover is left: its radius over sigma, four times in the one bound."""
    radius = abm19.cover_radius(400, 0.05, 1)
    arguments = (400, 10**12, 1.0, 0.1, 1, 3.0)
    assert abm19.excess_bound(*arguments, sigma=sigma) == pytest.approx(radius / sigma, rel=1e-4)
    assert abm19.excess_bound_realizable(*arguments, sigma=sigma) == pytest.approx(4 * radius / sigma)


def test_sizes_are_answered_wherever_floats_reach() -> None:
    """Where m + 1 is no other float, too: the loop that mends rounding ends."""
    assert 1.3e21 < abm19.cover_points(1e-16, 0.5, 1000) < 4e21
    assert abm19.cover_points(0.1, 1e-320, 1) < abm19.cover_points(0.1, 5e-324, 1)
    assert abm19.private_size(0.1, 1e-320, 1.0, 1.0) > abm19.private_size(0.1, 1e-300, 1.0, 1.0)
