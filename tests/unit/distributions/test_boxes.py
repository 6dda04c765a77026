"""Population errors of boxes in closed form, against sums over grids, quadrature and fresh samples."""

import itertools

import numpy as np
import pytest

from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.distributions.errors import Pieces, best_box_error, box_masses
from semipriv.distributions.labelings.base import LineLabeling
from semipriv.distributions.labelings.boundary_flips import BoundaryFlips
from semipriv.distributions.labelings.box import Box
from semipriv.distributions.labelings.classification_noise import ClassificationNoise
from semipriv.distributions.labelings.outside_class import OutsideClass
from semipriv.distributions.labelings.realizable import Realizable
from semipriv.distributions.labelings.two_point import TwoPoint
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.marginals.beta import Beta
from semipriv.distributions.marginals.discrete_grid import DiscreteGrid
from semipriv.distributions.marginals.heavy_atom import HeavyAtom
from semipriv.distributions.marginals.normal import Normal
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import FRESH_SAMPLE, Distribution
from semipriv.distributions.shifts.mixture import Mixture
from semipriv.distributions.shifts.region import Region
from semipriv.distributions.shifts.tilt import Tilt
from semipriv.geometry.shapes import Boxes

SHIFTS = [None, Region(0.4, 0.6), Mixture(0.3, 0.2), Tilt(0.25)]
every_shift = pytest.mark.parametrize("shift", SHIFTS, ids=str)


class Steps(LineLabeling):
    """A labeling with any steps."""

    def __init__(self, breaks, probabilities):
        self._pieces = Pieces(np.asarray(breaks, float), np.asarray(probabilities, float))

    def pieces(self):
        return self._pieces


LINES = [
    Realizable(3.0),
    ClassificationNoise(2.5, 0.2),
    BoundaryFlips(4.0, 2.0, 0.4),
    OutsideClass(2.0, 5.0),
    TwoPoint(0.1),
    TwoPoint(-0.3),
    Steps([1, 2, 4, 6], [0.9, 0.3, 0.8, 0.1, 0.7]),
    Steps([2.0, 5.0], [1.0, 0.0, 1.0]),
]


def points_and_masses(problem: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """All points of a discrete domain and their masses, coordinate by coordinate: no formula of the code under test."""
    first, others = problem.private_marginal, problem.marginal
    grid = problem.marginal.support
    on_first = np.array([float(first.cdf(x) - first.cdf_left(x)) for x in grid])
    on_others = np.full(len(grid), 1 / len(grid))
    assert on_first.sum() == pytest.approx(1)
    d = others.dimension
    points = np.array(list(itertools.product(grid, repeat=d)))
    mass = [a * np.prod(b) for a, *b in itertools.product(on_first, *[on_others] * (d - 1))]
    return points, np.array(mass)


def all_boxes(size: int, dimension: int) -> np.ndarray:
    """Parameters of all boxes with ends at 0, ..., size - 1, some ends beside and at infinity, and the empty set."""
    values = np.arange(size)
    sides = [(a, b) for a in values for b in values if a <= b]
    if dimension == 1:
        sides += [(-np.inf, 2), (3, np.inf), (-np.inf, np.inf), (1.5, 1.7), (1.5, 4.2), (np.nextafter(2, 9), 4), (4, 2)]
        sides += [(1, np.nextafter(3, 0)), (5, 5), (-3, -1), (9, 12), (np.inf, np.inf), (-np.inf, -np.inf)]
    rows = [[s[0] for s in sides_] + [s[1] for s in sides_] for sides_ in itertools.product(sides, repeat=dimension)]
    return np.array([*rows, [np.inf] * dimension + [-np.inf] * dimension], float)


def summed(problem: Distribution, h, parameters: np.ndarray) -> np.ndarray:
    """Sum over the points of mass times P[label != prediction | x]."""
    points, mass = points_and_masses(problem)
    eta = problem.labeling.probability(points)
    return np.where(h.predict(parameters, points), 1 - eta, eta) @ mass


# ---------------------------------------------------------------------------------------------------- sums over grids
@every_shift
@pytest.mark.parametrize(("dimension", "h"), [(1, Intervals()), (1, Rectangles(1)), (2, Rectangles(2))], ids=str)
def test_errors_and_best_errors_by_sums_over_a_grid(dimension, h, shift):
    """Every box with ends on the grid: the best error of the class is the least of them."""
    size = 8 if dimension == 1 else 6
    parameters = all_boxes(size, dimension)
    boxes = [Box([2.0] * dimension, [4.0] * dimension, 0.2), Box([1.5] * dimension, [5.0] * dimension)]
    for labeling in (*LINES, *boxes):
        problem = Distribution(DiscreteGrid(size, 0, size - 1, dimension=dimension), labeling, shift)
        expected = summed(problem, h, parameters)
        np.testing.assert_allclose(problem.exact_errors(h, parameters), expected, atol=1e-14)
        assert problem.best_error(h).value == pytest.approx(expected.min(), abs=1e-14)


@every_shift
def test_integer_ends(shift):
    """Over words of three bits, also in three dimensions, where the target's ends are no integers."""
    for dimension, size, h in ((2, 8, DiscreteRectangles(2, 3)), (3, 2, DiscreteRectangles(3, 1))):
        parameters = all_boxes(size, dimension)
        for labeling in (Box([0.5] * dimension, [5.5] * dimension, 0.1), Steps([0.7, 1.5, 4], [0.2, 0.9, 0.4, 0.6])):
            problem = Distribution(DiscreteGrid(size, 0, size - 1, dimension=dimension), labeling, shift)
            expected = summed(problem, h, parameters)
            np.testing.assert_allclose(problem.exact_errors(h, parameters), expected, atol=1e-14)
            assert problem.best_error(h).value == pytest.approx(expected.min(), abs=1e-14)


def test_the_target_itself_has_exactly_its_noise():
    """No rounding error where there is no disagreement."""
    for labeling, ends in ((Box([0.1, 0.3], [0.7, 0.8], 0.2), [0.1, 0.3, 0.7, 0.8]), (Box([0.3], [0.3]), [0.3, 0.3])):
        d = len(labeling.low)
        for marginal in (Uniform(dimension=d), Normal(dimension=d), DiscreteGrid(11, dimension=d)):
            problem = Distribution(marginal, labeling)
            assert problem.exact_errors(Rectangles(d), np.array([ends])).tolist() == [labeling.rate]
            assert problem.best_error(Rectangles(d)).value == labeling.rate
    assert Distribution(Normal(), OutsideClass(0.1, 0.7)).best_error(Intervals()).value == 0


# ---------------------------------------------------------------------------------------------------- fresh samples
MARGINALS: list[Marginal] = [
    Uniform(-1, 8, dimension=2),
    Normal(3, 2, dimension=2),
    Uniform(0, 7),
    Beta(0.5, 2),
    HeavyAtom(0.4, 0.5),
    HeavyAtom(0.9, 0.25, dimension=2),
]


@every_shift
@pytest.mark.parametrize("marginal", MARGINALS, ids=str)
def test_errors_against_fresh_samples(marginal, shift):
    """Within five standard errors for every hypothesis; ends at the target's and at the atoms among them."""
    d = marginal.dimension
    ends = marginal.quantile(np.array([0.05, 0.3, 0.6, 0.9])).tolist()
    special = [*ends, 0.25, 0.5, -np.inf, np.inf]
    rng = np.random.default_rng(0)
    parameters = rng.choice(special, (300, 2 * d))
    parameters[:200] = np.concatenate([parameters[:200, :d], np.maximum(parameters[:200, :d], parameters[:200, d:])], 1)
    low, high = [min(ends[1], 0.5)] * d, [max(ends[2], 0.5)] * d
    distributions = [Box(low, high, 0.15), Steps([ends[0], ends[1], ends[3]], [0.3, 0.9, 0.4, 0.8])]
    for labeling in distributions:
        problem = Distribution(marginal, labeling, shift)
        sample = problem.private_sample(FRESH_SAMPLE, Simulation(2, (str(problem),)))
        for h in (Rectangles(d), *([Intervals()] if d == 1 else [])):
            exact = problem.exact_errors(h, parameters)
            mistakes = h.mistakes(parameters, sample.points, sample.labels)
            spread = np.sqrt(np.clip(exact * (1 - exact), 0, None) / len(sample))
            assert np.all(np.abs(mistakes / len(sample) - exact) <= 5 * spread + 1e-12)
            assert problem.best_error(h).value <= exact.min() + 1e-15


@every_shift
@pytest.mark.parametrize("marginal", [Uniform(0, 7), Normal(3, 2), HeavyAtom(0.3, 0.5), DiscreteGrid(9, 0, 7)], ids=str)
def test_best_errors_are_the_infimum(marginal, shift):
    """No interval with ends at 60 quantiles, steps and beside them is better, and one of them is as good."""
    for labeling in LINES:
        problem = Distribution(marginal, labeling, shift)
        steps = labeling.pieces().breaks
        ends = [problem.private_marginal.quantile(np.linspace(0.01, 0.99, 60)), steps, np.nextafter(steps, -9)]
        ends = np.unique(np.concatenate([*ends, [-np.inf, np.inf, 0.5]]))
        low, high = np.meshgrid(ends, ends)
        parameters = np.column_stack([low.ravel(), high.ravel()])
        errors = problem.exact_errors(Intervals(), parameters)
        assert errors.min() == pytest.approx(problem.best_error(Intervals()).value, abs=1e-13)


def test_by_hand():
    """Uniform: two disjoint ones of length 0.2 and 0.3 around a gap of 0.25; the gap is worth crossing."""
    two = Steps([0.1, 0.3, 0.55, 0.85], [0, 1, 0, 1, 0])
    assert Distribution(Uniform(), two).best_error(Intervals()).value == pytest.approx(0.2)  # the longer one alone
    near = Steps([0.1, 0.3, 0.45, 0.75], [0, 1, 0, 1, 0])
    assert Distribution(Uniform(), near).best_error(Intervals()).value == pytest.approx(0.15)  # both, and the gap
    assert Distribution(Uniform(), TwoPoint(-0.2)).best_error(Intervals()).value == pytest.approx(0.3)  # the empty set
    square = Distribution(Uniform(dimension=2), Box([0, 0], [0.5, 0.5], 0.1))
    h = np.array([[0.25, 0.25, 0.75, 0.75], [0, 0, 1, 1], [np.inf, np.inf, -np.inf, -np.inf]])
    expected = 0.1 + 0.8 * np.array([0.25 + 0.25 - 2 * 0.0625, 0.75, 0.25])
    np.testing.assert_allclose(square.exact_errors(Rectangles(2), h), expected, atol=1e-15)
    slab = Distribution(Uniform(dimension=2), Realizable(0.5))
    np.testing.assert_allclose(slab.exact_errors(Rectangles(2), np.array([[0.4, 0.0, 0.9, 0.3]])), [0.5 - 0.12 + 0.03])
    assert best_box_error(Uniform(), Pieces(np.array([0.5]), np.array([0.5, 0.5]))) == 0.5


def test_masses_are_products():
    boxes = Boxes(np.array([[0.0, 0.2, 0.2], [0.5, 0.6, 0.1]]), np.array([[0.5, 0.3, 0.7], [0.4, 0.9, 0.8]]))
    np.testing.assert_allclose(box_masses(boxes, Uniform(), Uniform()), [0.5 * 0.1 * 0.5, 0], atol=1e-15)
    first = DiscreteGrid(3)
    np.testing.assert_allclose(box_masses(boxes, first, Uniform()), [2 / 3 * 0.1 * 0.5, 0], atol=1e-15)


# ---------------------------------------------------------------------------------------------------- the labeling
def test_only_boxes_of_its_dimension_have_a_closed_form():
    distribution = Box([0.15], [0.65])
    assert Distribution(Uniform(), distribution).exact_errors(Thresholds(), np.array([[0.5]])) is None
    plane = Distribution(Uniform(dimension=2), Box([0.2, 0.1], [0.6, 0.5]))
    assert plane.exact_errors(Halfspaces(2), np.ones((1, 3))) is None
    for problem, h in ((plane, Halfspaces(2)), (Distribution(Uniform(), distribution), Thresholds())):
        assert not problem.best_error(h).exact
    finite = Distribution(DiscreteGrid(11), distribution)
    assert finite.exact_errors(Thresholds(), np.array([[0.15]])) == pytest.approx([4 / 11])
    assert finite.best_error(Thresholds()).value == pytest.approx(4 / 11)
    assert finite.best_error(Thresholds()).exact


def test_probability_of_a_box():
    distribution = Box([0.0, -1.0], ["5e-1", 1.0], "0.25")
    points = np.array([[0, 0], [0.5, 1], [0, -1], [np.nextafter(0.5, 1), 0], [-0.1, 0], [0.2, 1.1], [0.2, -1.1]])
    assert distribution.probability(points).tolist() == [0.75, 0.75, 0.75, 0.25, 0.25, 0.25, 0.25]
    spelled = {"name": "box", "low": [0, "-1"], "high": [0.5, 1], "rate": 0.25}
    problem = Distribution.from_config({"marginal": {"name": "uniform", "dimension": 2}, "labeling": spelled})
    assert problem.labeling == distribution
