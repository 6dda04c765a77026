"""The worst error of an answer over a whole class."""

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import ORIENTATIONS, Thresholds
from semipriv.distributions.labelings.two_point import TwoPoint
from semipriv.distributions.marginals.discrete_grid import DiscreteGrid
from semipriv.distributions.marginals.heavy_atom import HeavyAtom
from semipriv.distributions.marginals.normal import Normal
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import Distribution
from semipriv.learners.all_query_means import AllQueryMeans
from semipriv.measures.worst_query_error import WorstQueryError
from semipriv.outputs.answers import Answers
from semipriv.outputs.synthetic_data import SyntheticData
from semipriv.randomness import Simulation

LAWS = [Uniform(), HeavyAtom(0.5, 0.5), HeavyAtom(0.5, 0.0), DiscreteGrid(7)]


def output(h, public, shares, scale="01") -> Answers:
    prepared = AllQueryMeans().prepare(public, h)
    given = shares(len(prepared.cover)) if callable(shares) else shares
    return Answers(prepared.cover, prepared.representatives, given, None, scale)


def measured(given, law):
    problem = Distribution(law, TwoPoint(0.1))
    return WorstQueryError().population([given], problem, given.functions, Simulation(0))[0]


def ends_of(public: np.ndarray) -> np.ndarray:
    """Numbers at, next to and between public points, a fine grid, and far out."""
    x = np.concatenate([public.ravel(), [0.0, 0.5, 1.0], np.linspace(-0.1, 1.1, 61), [-np.inf, np.inf]])
    return np.unique(np.concatenate([x, np.nextafter(x, -np.inf), np.nextafter(x, np.inf)]))


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("m", [0, 1, 5])
def test_thresholds(orientation: str, law, m: int) -> None:
    """Against the largest error over thresholds next to all that matters."""
    generator = default_rng(m)
    public = np.concatenate([law.sample(m, generator), np.full((int(m > 1), 1), 0.5)])
    h, t = Thresholds(orientation), ends_of(public)
    known = h.cover(public).listed().parameters[:, 0]
    of = {"ge": lambda x: 1 - law.cdf_left(x), "gt": lambda x: 1 - law.cdf(x), "le": law.cdf, "lt": law.cdf_left}
    given = output(h, public, np.clip(of[orientation](known) + generator.uniform(-0.02, 0.02, len(known)), 0, 1))
    share = of[orientation](t)
    assert measured(given, law).value == pytest.approx(np.abs(given.answer(t) - share).max(), abs=1e-12)
    assert measured(given, law).standard_error == 0


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("m", [0, 1, 4])
def test_intervals(law, m: int) -> None:
    generator = default_rng(10 + m)
    public = law.sample(m, generator)
    given = output(Intervals(), public, generator.random)
    ends = ends_of(public)
    low, high = (part.ravel() for part in np.meshgrid(ends, ends))
    share = np.where(low <= high, law.cdf(high) - law.cdf_left(low), 0.0)
    brute = np.abs(given.answer(np.column_stack([low, high])) - share).max()
    assert measured(given, law).value == pytest.approx(brute, abs=1e-12)


def test_scale_and_cover() -> None:
    """pm1 doubles; the error over the cover alone is smaller, and exact answers have only the error of the cover."""
    public = np.array([[0.25], [0.5]])
    shares = np.array([0.0, 0.375, 1.0])  # answers at -inf, the midpoint, inf
    found = [measured(output(Thresholds("le"), public, shares, scale), Uniform()).value for scale in ("01", "pm1")]
    assert found == [0.5, 1.0]  # no threshold between 0.5 and 1 is told from 1


def test_synthetic_data_are_measured() -> None:
    """Points 1/2n, 3/2n, ... have distance 1/2n from the uniform law."""
    prepared = AllQueryMeans("01").prepare((np.arange(20) + 0.5)[:, None] / 20, Thresholds("le"))
    data = SyntheticData(Thresholds("le"), prepared.cover.points, "01")
    assert measured(data, Uniform()).value == pytest.approx(1 / 40)
    skewed = SyntheticData(Thresholds("le"), prepared.cover.points[:10], "01")
    assert measured(skewed, Uniform()).value == pytest.approx(1 - 0.475)


def test_a_finite_domain_exactly() -> None:
    """All hypotheses of a table, on the law of its points."""
    table = FiniteClass([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]])
    given = output(table, [[0.0], [3.0]], lambda k: np.full(k, 0.5), "01")
    law = DiscreteGrid(4, 0, 3)
    assert measured(given, law).value == pytest.approx(0.25)
    assert measured(given, law).standard_error == 0


def test_planes_have_a_lower_estimate() -> None:
    """With its standard error, and not above the error that is known: the constants' answers of 1/2."""
    generator = default_rng(0)
    given = output(Halfspaces(2), generator.normal(size=(5, 2)), lambda k: np.full(k, 0.5), "01")
    found = measured(given, Normal(dimension=2))
    assert 0.3 < found.value <= 0.5 + 4 * found.standard_error
