"""The worst error of an answer over a whole class."""

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import ORIENTATIONS, Thresholds
from semipriv.core.randomness import Simulation
from semipriv.distributions.labelings.two_point import TwoPoint
from semipriv.distributions.marginals.discrete_grid import DiscreteGrid
from semipriv.distributions.marginals.heavy_atom import HeavyAtom
from semipriv.distributions.marginals.normal import Normal
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import Distribution
from semipriv.learners.all_query_means import AllQueryMeans
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.outputs.synthetic_data import SyntheticData
from semipriv_lab.measures import worst_query_error
from semipriv_lab.measures._ranges import box_ranges
from semipriv_lab.measures.worst_query_error import WorstQueryError

DISTRIBUTIONS = [Uniform(), HeavyAtom(0.5, 0.5), HeavyAtom(0.5, 0.0), DiscreteGrid(7)]


def output(h, public, shares, scale="01") -> Answers:
    prepared = AllQueryMeans().prepare(public, h)
    given = shares(len(prepared.cover)) if callable(shares) else shares
    return Answers(prepared.cover, prepared.representatives, given, None, scale)


def measured(given, distribution):
    problem = Distribution(distribution, TwoPoint(0.1))
    return WorstQueryError().population([given], problem, given.functions, Simulation(0))[0]


def ends_of(public: np.ndarray) -> np.ndarray:
    """Numbers at, next to and between public points, a fine grid, and far out."""
    x = np.concatenate([public.ravel(), [0.0, 0.5, 1.0], np.linspace(-0.1, 1.1, 61), [-np.inf, np.inf]])
    return np.unique(np.concatenate([x, np.nextafter(x, -np.inf), np.nextafter(x, np.inf)]))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("m", [0, 1, 5])
def test_thresholds(orientation: str, distribution, m: int) -> None:
    """Against the largest error over thresholds next to all that matters."""
    generator = default_rng(m)
    public = np.concatenate([distribution.sample(m, generator), np.full((int(m > 1), 1), 0.5)])
    h, t = Thresholds(orientation), ends_of(public)
    known = h.cover(public).listed().parameters[:, 0]
    of = {
        "ge": lambda x: 1 - distribution.cdf_left(x),
        "gt": lambda x: 1 - distribution.cdf(x),
        "le": distribution.cdf,
        "lt": distribution.cdf_left,
    }
    given = output(h, public, np.clip(of[orientation](known) + generator.uniform(-0.02, 0.02, len(known)), 0, 1))
    share = of[orientation](t)
    assert measured(given, distribution).value == pytest.approx(np.abs(given.answer(t) - share).max(), abs=1e-12)
    assert measured(given, distribution).standard_error == 0


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
@pytest.mark.parametrize("m", [0, 1, 4])
def test_intervals(distribution, m: int) -> None:
    generator = default_rng(10 + m)
    public = distribution.sample(m, generator)
    given = output(Intervals(), public, generator.random)
    ends = ends_of(public)
    low, high = (part.ravel() for part in np.meshgrid(ends, ends))
    share = np.where(low <= high, distribution.cdf(high) - distribution.cdf_left(low), 0.0)
    brute = np.abs(given.answer(np.column_stack([low, high])) - share).max()
    assert measured(given, distribution).value == pytest.approx(brute, abs=1e-12)


PLANE = [Uniform(dimension=2), HeavyAtom(0.5, 0.5, dimension=2), HeavyAtom(0.5, 0.0, dimension=2), Normal(dimension=2)]


def least_and_most(anchors: np.ndarray, distribution) -> tuple[dict, dict]:
    """Return the least and the largest mass of each dichotomy, over all boxes whose ends are coordinates of anchors,
    the numbers next to them on the inner side, or infinite, one by one: no other box has less or more."""
    least, most = {}, {}
    axes = []
    for u in np.unique(anchors[:, 0]), np.unique(anchors[:, 1]):
        low = np.concatenate([[-np.inf], u, np.nextafter(u, np.inf)])
        high = np.concatenate([[np.inf], u, np.nextafter(u, -np.inf)])
        low, high = (part.ravel() for part in np.meshgrid(low, high))
        low, high = low[low <= high], high[low <= high]
        axes.append((low, high, distribution.cdf(high) - distribution.cdf_left(low)))
    (left, right, width), (bottom, top, height) = axes
    across = (anchors[:, :1] >= left) & (anchors[:, :1] <= right)
    along = (anchors[:, 1:] >= bottom) & (anchors[:, 1:] <= top)
    powers = 2 ** np.arange(len(anchors))
    for column, share in zip(across.T, width, strict=True):
        keys = powers @ (column[:, None] & along)
        for key, mass in zip(keys.tolist(), (share * height).tolist(), strict=True):
            least[key], most[key] = min(least.get(key, 0.0 if key == 0 else 1.0), mass), max(most.get(key, 0.0), mass)
    least[0] = 0.0  # the empty set
    return least, most


@pytest.mark.parametrize("distribution", PLANE, ids=repr)
@pytest.mark.parametrize("m", [0, 1, 2, 3, 6])
def test_rectangles_in_the_plane(distribution, m: int) -> None:
    """All boxes that matter, one by one; anchors share coordinates, and there is one on the atom."""
    generator = default_rng(20 + m)
    public = np.concatenate([distribution.sample(m, generator), np.full((int(m > 2), 2), 0.5)])
    if m > 3:
        public[0, 0] = public[1, 0] = 0.5
    given = output(Rectangles(2), public, generator.random)
    least, most = least_and_most(given.anchors, distribution)
    keys = Rectangles(2).predict(given.cover.parameters, given.anchors) @ 2 ** np.arange(len(given.anchors))
    assert sorted(keys.tolist()) == sorted(most)
    brute = max(max(s - least[k], most[k] - s) for s, k in zip(given.shares, keys.tolist(), strict=True))
    assert measured(given, distribution).value == pytest.approx(brute, abs=1e-12)
    assert measured(given, distribution).standard_error == 0


@pytest.mark.parametrize("m", [1, 4, 14])
def test_ranges_of_rectangles(m: int) -> None:
    """Both ends of the range of every dichotomy, up to 14 anchors."""
    distribution = HeavyAtom(0.25, 0.5, dimension=2)
    anchors = np.unique(distribution.sample(m, default_rng(m)), axis=0)
    inside = Rectangles(2).cover(anchors).listed().dichotomies()
    low, high = box_ranges(inside, anchors, distribution)
    least, most = least_and_most(anchors, distribution)
    keys = (inside @ 2 ** np.arange(len(anchors))).tolist()
    np.testing.assert_allclose(low, [least[k] for k in keys], atol=1e-12)
    np.testing.assert_allclose(high, [most[k] for k in keys], atol=1e-12)


def test_integer_rectangles_on_all_integers() -> None:
    """Closed forms and all dichotomies of the domain agree."""
    h, distribution = DiscreteRectangles(2, 2), DiscreteGrid(4, 0, 3, dimension=2)
    given = output(h, [[0.0, 1], [2, 2], [3, 0]], default_rng(0).random)
    exact = measured(given, distribution).value
    low, high = box_ranges(h.predict(given.cover.parameters, given.anchors), given.anchors, distribution)
    assert np.maximum(given.shares - low, high - given.shares).max() == pytest.approx(exact, abs=1e-12)


def test_more_anchors_have_a_lower_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    given = output(Rectangles(2), default_rng(1).random((5, 2)), default_rng(2).random)
    exact = measured(given, Uniform(dimension=2)).value
    monkeypatch.setattr(worst_query_error, "MOST_STRIPS", 0)
    measured_error = measured(given, Uniform(dimension=2))
    assert measured_error.value != exact
    assert measured_error.value <= exact + 4 * measured_error.standard_error


def test_scale_and_cover() -> None:
    """pm1 doubles; the error over the cover alone is smaller, and exact answers have only the error of the cover."""
    public = np.array([[0.25], [0.5]])
    shares = np.array([0.0, 0.375, 1.0])  # answers at -inf, the midpoint, inf
    errors = [measured(output(Thresholds("le"), public, shares, scale), Uniform()).value for scale in ("01", "pm1")]
    assert errors == [0.5, 1.0]  # no threshold between 0.5 and 1 is told from 1


def test_synthetic_data_are_measured() -> None:
    """Points 1/2n, 3/2n, ... have distance 1/2n from the uniform distribution."""
    prepared = AllQueryMeans("01").prepare((np.arange(20) + 0.5)[:, None] / 20, Thresholds("le"))
    data = SyntheticData(Thresholds("le"), prepared.cover.points, "01")
    assert measured(data, Uniform()).value == pytest.approx(1 / 40)
    skewed = SyntheticData(Thresholds("le"), prepared.cover.points[:10], "01")
    assert measured(skewed, Uniform()).value == pytest.approx(1 - 0.475)


def test_a_finite_domain_exactly() -> None:
    """All hypotheses of a table, on the distribution of its points."""
    table = FiniteClass([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]])
    given = output(table, [[0.0], [3.0]], lambda k: np.full(k, 0.5), "01")
    distribution = DiscreteGrid(4, 0, 3)
    assert measured(given, distribution).value == pytest.approx(0.25)
    assert measured(given, distribution).standard_error == 0


def test_planes_have_a_lower_estimate() -> None:
    """With its standard error, and not above the error that is known: the constants' answers of 1/2."""
    generator = default_rng(0)
    given = output(Halfspaces(2), generator.normal(size=(5, 2)), lambda k: np.full(k, 0.5), "01")
    measured_error = measured(given, Normal(dimension=2))
    assert 0.3 < measured_error.value <= 0.5 + 4 * measured_error.standard_error


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("worst", range(5))
def test_an_estimate_is_measured_on_a_sample_that_did_not_choose_it(
    worst: int, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers are right on the first sample, except for one: its error is that on the second, with its spread."""
    monkeypatch.setattr(worst_query_error, "FRESH_SAMPLE", 40)
    first, second = np.array([0.05, 0.15, 0.15, 0.45]), np.linspace(0, 0.6, 40) ** 2
    samples = iter([np.linspace(0.1, 0.4, 4), first, second])

    class Listed:
        def sample(self, n: int, draw: np.random.Generator) -> np.ndarray:
            return next(samples)[:, None]

    class WrongOnce:
        functions = Thresholds()

        def shares_of(self, queries: np.ndarray) -> np.ndarray:
            shares = np.mean(first >= queries, axis=1)
            shares[worst] += 0.3 * sign
            asked.append((queries[worst, 0], shares[worst]))
            return shares

    asked: list[tuple[float, float]] = []
    estimated = worst_query_error._estimated(WrongOnce(), Listed(), Simulation(0), 2.0)  # type: ignore[arg-type]
    ((threshold, share),) = asked
    above = second >= threshold
    assert estimated.value == pytest.approx(2 * sign * (share - above.mean()))
    assert estimated.standard_error == pytest.approx(2 * above.std(ddof=1) / np.sqrt(40))
