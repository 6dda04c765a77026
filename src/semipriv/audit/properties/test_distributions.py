"""Properties of marginals, labelings and shifts, and closed-form population errors against fresh samples.

A file without an entry in the tables fails; everything else runs for each entry by itself.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from semipriv.audit.properties.outside import together
from semipriv.audit.properties.streams import begun_again, streams
from semipriv.classes.base import Predictors
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspace_intersections import HalfspaceIntersections
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.point_functions import PointFunctions
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.randomness import Simulation
from semipriv.core.samples import StatusModel
from semipriv.core.statistics import clopper_pearson
from semipriv.distributions.best import LEVEL, _deviation, estimate_best_error
from semipriv.distributions.errors import bivariate_normal_cdf, halfspace_disagreement
from semipriv.distributions.labelings.boundary_flips import BoundaryFlips
from semipriv.distributions.labelings.box import Box
from semipriv.distributions.labelings.classification_noise import ClassificationNoise
from semipriv.distributions.labelings.linear import Linear
from semipriv.distributions.labelings.outside_class import OutsideClass
from semipriv.distributions.labelings.realizable import Realizable
from semipriv.distributions.labelings.two_point import TwoPoint
from semipriv.distributions.marginals.base import Marginal
from semipriv.distributions.marginals.beta import Beta
from semipriv.distributions.marginals.discrete_grid import DiscreteGrid
from semipriv.distributions.marginals.heavy_atom import HeavyAtom
from semipriv.distributions.marginals.normal import Normal
from semipriv.distributions.marginals.power_integers import PowerIntegers
from semipriv.distributions.marginals.two_atoms import TwoAtoms
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.marginals.uniform_integers import UniformIntegers
from semipriv.distributions.marginals.unit_ball import UnitBall
from semipriv.distributions.problem import ATOMS, FRESH_SAMPLE, Distribution
from semipriv.distributions.shifts.base import Shift, Shifted
from semipriv.distributions.shifts.mixture import Mixture
from semipriv.distributions.shifts.region import Region
from semipriv.distributions.shifts.tilt import Tilt
from semipriv.distributions.statuses.base import StatusDistribution
from semipriv.distributions.statuses.by_label import ByLabel
from semipriv.distributions.statuses.by_threshold import ByThreshold
from semipriv.distributions.statuses.label_determined import LabelDetermined
from semipriv.geometry.shapes import Boxes, Complement

MARGINALS: dict[str, list[Marginal]] = {
    "uniform": [Uniform(), Uniform(-2, 0.5, dimension=2)],
    "normal": [Normal(), Normal(3, 0.01, dimension=3)],
    "beta": [Beta(2, 5), Beta(0.4, 0.7)],
    "discrete_grid": [DiscreteGrid(11), DiscreteGrid(100, -1, 3, dimension=2), DiscreteGrid(1, 0.3, 0.3)],
    "uniform_integers": [UniformIntegers(), UniformIntegers(3, dimension=2), UniformIntegers(50)],
    "power_integers": [PowerIntegers(), PowerIntegers(4), PowerIntegers(50)],
    "two_atoms": [TwoAtoms(0.5, 0.25), TwoAtoms(0.5, 0.125, 4), TwoAtoms(0.1, 0.7, 2)],
    "heavy_atom": [
        HeavyAtom(0.3),
        HeavyAtom(0.9, 0.25),
        HeavyAtom(0.5, 0),
        HeavyAtom(0.5, 1),
        HeavyAtom(1),
        HeavyAtom(0),
    ],
    "unit_ball": [UnitBall(), UnitBall(dimension=2), UnitBall(dimension=7)],
}
MARGINALS = together("distributions/marginals", MARGINALS)
SIGMAS = [1, 0.5, 0.1, 0.01]
SHIFTS: dict[str, list[Shift]] = {
    "region": [Region(s, c) for s in SIGMAS for c in (0.5, 0, 0.9)],
    "mixture": [Mixture(s, c, share) for s in SIGMAS for c in (0.5, 1) for share in (0.5, 0.02, 1)],
    "tilt": [Tilt(s) for s in [*SIGMAS, 0.999, 1 - 1e-9, 1 - 1e-13, 1e-3]],
}
SHIFTS = together("distributions/shifts", SHIFTS)
LABELINGS = {
    "realizable": [Realizable(0.5), Realizable(-0.2)],
    "classification_noise": [ClassificationNoise(0.3, 0.2)],
    "boundary_flips": [BoundaryFlips(0.5, 0.1, 0.4)],
    "outside_class": [OutsideClass(0.2, 0.5)],
    "two_point": [TwoPoint(0.05), TwoPoint(-0.3)],
    "linear": [Linear((1.0, -2.0), 0.3, 0.1)],
    "box": [Box((-0.5, 0.1), (0.6, 0.8), 0.1)],
}
LABELINGS = together("distributions/labelings", LABELINGS)
PRIVACY: dict[str, list[StatusDistribution]] = {
    "label_determined": [LabelDetermined()],
    "by_label": [
        ByLabel(0, 1),
        ByLabel(0.3, 1),
        ByLabel(0, 0.4),
        ByLabel(0.25, 0.25),
        ByLabel(0, 0),
        ByLabel(1, 1),
        ByLabel(0.3),
    ],
    "by_threshold": [ByThreshold(0, 0.4), ByThreshold(1, -0.2)],
}
PRIVACY = together("distributions/statuses", PRIVACY)
PRIVATE = {
    "label_determined": lambda distribution, x, y: float(y),
    "by_label": lambda distribution, x, y: (distribution.zero, distribution.one)[y],
    "by_threshold": lambda distribution, x, y: float(y == 1 or x[distribution.feature] > distribution.above),
}
PRIVATE |= dict.fromkeys(
    PRIVACY.keys() - PRIVATE,
    lambda distribution, x, y: float(distribution.probability(x[None], np.array([y], np.int8))[0]),
)
ETA = {
    "realizable": lambda distribution, x: float(x >= distribution.target),
    "classification_noise": lambda distribution, x: (
        1 - distribution.rate if x >= distribution.target else distribution.rate
    ),
    "boundary_flips": lambda distribution, x: abs(
        (x >= distribution.target)
        - distribution.rate * (distribution.target - distribution.width <= x < distribution.target + distribution.width)
    ),
    "outside_class": lambda distribution, x: float(distribution.low <= x < distribution.high),
    "two_point": lambda distribution, x: 0.5 + distribution.gap,
}
SHIFTED = [
    Shifted(public, shift)
    for public in (Normal(), HeavyAtom(0.3), DiscreteGrid(11), Beta(2, 5, dimension=2))
    for shift in (Region(0.3, 0.6), Mixture(0.2, 0.3), Tilt(0.25))
]
ALL_MARGINALS = [m for row in MARGINALS.values() for m in row] + SHIFTED
ALL_SHIFTS = [s for row in SHIFTS.values() for s in row]
LINE_LABELINGS = [(name, distribution) for name, row in LABELINGS.items() if name in ETA for distribution in row]

every_marginal = pytest.mark.parametrize("marginal", ALL_MARGINALS, ids=str)
every_shift = pytest.mark.parametrize("shift", ALL_SHIFTS, ids=str)


@pytest.mark.parametrize(
    ("room", "table"),
    [
        ("distributions/marginals", MARGINALS),
        ("distributions/shifts", SHIFTS),
        ("distributions/labelings", LABELINGS),
        ("distributions/statuses", PRIVACY),
    ],
)
def test_every_file_has_examples(room, table):
    assert sorted(table) == registry.names(room)
    for name, examples in table.items():
        assert examples
        assert all(type(example) is registry.load(room, name) for example in examples)


# ---------------------------------------------------------------------------------------------------- marginals
def places(marginal: Marginal) -> np.ndarray:
    """Points of the line where something may happen: quantiles, atoms, ends, and the floats beside them."""
    u = np.concatenate([np.linspace(0.001, 0.999, 37), [1e-9, 1 - 1e-9]])
    x = np.concatenate([marginal.quantile(u), [-1.0, 0, 0.25, 0.3, 0.5, 1, 3], np.linspace(0, 1, 11)])
    return np.unique(np.concatenate([x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), [-np.inf, np.inf]]))


@every_marginal
def test_cdf_is_a_distribution_function(marginal):
    x = places(marginal)
    cdf, left = marginal.cdf(x), marginal.cdf_left(x)
    assert cdf[0] == left[0] == 0
    assert cdf[-1] == left[-1] == 1
    assert np.all(np.diff(cdf) >= -1e-14)
    assert np.all(np.diff(left) >= -1e-14)
    assert np.all(left <= cdf)
    assert np.all(cdf[:-1] <= left[1:] + 1e-14)


@every_marginal
def test_quantile_and_cdf_are_a_galois_connection(marginal):
    """quantile(u) <= x iff u <= cdf(x): the least x with cdf(x) >= u, up to rounding."""
    u = np.unique(
        np.concatenate([np.linspace(0.01, 0.99, 99), np.random.default_rng(0).random(200), np.arange(1, 11) / 11])
    )
    q = marginal.quantile(u)
    assert np.all(np.diff(q) >= 0)
    assert np.all(marginal.cdf(q) >= u - 1e-12)
    assert np.all(marginal.cdf_left(q) <= u + 1e-12)
    x = places(marginal)[1:-1]
    cdf = marginal.cdf(x)
    inside = (cdf > 1e-12) & (cdf < 1 - 1e-12)
    assert np.all(marginal.quantile(cdf[inside] - 1e-12) <= x[inside] + 1e-9 * (1 + np.abs(x[inside])))


def test_quantiles_of_a_grid_are_least():
    """Exactly, also where u is the cdf of a grid point: no tolerance hides a shift by one point."""
    for size in (1, 2, 3, 7, 10, 49, 100):
        marginal = DiscreteGrid(size)
        shares = np.arange(1, size + 1) / size
        np.testing.assert_array_equal(marginal.quantile(shares), marginal.support)
        np.testing.assert_array_equal(marginal.quantile(np.nextafter(shares[:-1], 1)), marginal.support[1:])


WHOLE = {
    UniformIntegers(4): [1 / 16] * 16,
    PowerIntegers(4): [0, *np.diff(np.log2(np.arange(1, 17)) / 4)],
    TwoAtoms(0.5, 0.125, 4): [0.5, 0.125, *[0.375 / 14] * 14],
}
"""Distributions on 0, ..., 15 with the mass of each, from their definitions."""


@pytest.mark.parametrize("marginal", WHOLE, ids=str)
def test_masses_of_whole_numbers(marginal):
    """Quantiles are least: exactly where the cdf is u, and at the next float above it."""
    x, mass = np.arange(16.0), np.array(WHOLE[marginal])
    np.testing.assert_allclose(marginal.cdf(x) - marginal.cdf_left(x), mass, atol=1e-15)
    np.testing.assert_allclose(marginal.cdf(x), np.cumsum(mass), rtol=1e-14)
    assert marginal.cdf([-1.0, -0.5, 15.0, np.inf]).tolist() == [0, 0, 1, 1]
    there = x[mass > 0]
    np.testing.assert_array_equal(marginal.quantile(marginal.cdf(there)), there)
    np.testing.assert_array_equal(marginal.quantile(np.nextafter(marginal.cdf(there[:-1]), 1)), there[1:])
    np.testing.assert_array_equal(marginal.quantile(1 - 2.0**-53), 15)


def test_distributions_of_whole_numbers_refuse_what_floats_cannot_hold():
    for distribution in (UniformIntegers, PowerIntegers, lambda bits: TwoAtoms(0.5, 0.25, bits)):
        with pytest.raises(
            ValueError, match="bits = 640: must be <= 50, larger integers are not exact as floats: take fewer bits"
        ):
            distribution(640)
    with pytest.raises(ValueError, match=r"second = 0\.5: must leave mass for others beside first = 0\.5"):
        TwoAtoms(0.5, 0.5)


@pytest.mark.parametrize("orientation", ["lt", "ge"])
@pytest.mark.parametrize("labeling", [Realizable(1), Realizable(2.0**29), ClassificationNoise(3, 0.2), TwoPoint(0.1)])
def test_a_distribution_written_in_words_is_the_distribution_of_one_word(labeling, orientation):
    """Points, errors and the best error of thresholds over 640 bits are those over 53 bits, for integers below 2^30."""
    line = Distribution(TwoAtoms(0.5, 0.25), labeling)
    wide, narrow = DiscreteThresholds(640, orientation), DiscreteThresholds(53, orientation)
    distribution = line.written_for(wide)
    assert (line.written_for(narrow), distribution.dimension, line.dimension) == (line, 13, 1)
    wide_sample, narrow_sample = (of.private_sample(50, Simulation(4)) for of in (distribution, line))
    assert wide.decode(wide_sample.points) == narrow_sample.points[:, 0].astype(int).tolist()
    np.testing.assert_array_equal(wide_sample.labels, narrow_sample.labels)
    stream = distribution.unlabelled_entries(9, Simulation(5)).reader().take(9)
    assert wide.decode(stream) == line.unlabelled_entries(9, Simulation(5)).reader().take(9)[:, 0].astype(int).tolist()
    thresholds = [0, 1, 2, 2**29, 2**30 - 1, 2**30, 2**53, 2**53 + 1, 2**200, 2**640]
    errors = distribution.errors(wide, wide.encode_thresholds(thresholds), Simulation(6))
    assert not errors.standard_error.any()
    least = [min(threshold, 2**53) for threshold in thresholds]
    np.testing.assert_array_equal(errors.value, line.exact_errors(narrow, narrow.encode_thresholds(least)))
    eta = labeling.probability(narrow_sample.points)
    wrong = np.where(wide.predict(wide.encode_thresholds(thresholds), wide_sample.points), 1 - eta, eta).mean(axis=1)
    assert np.abs(wrong - errors.value).max() < 0.35, "and near the mean over the sample"
    best = distribution.best_error(wide)
    assert best.exact
    assert best == line.best_error(narrow)
    if orientation == "ge":
        assert best.value == pytest.approx(min(errors.value.min(), 1), abs=1e-15) or isinstance(
            labeling, ClassificationNoise
        )


def test_best_errors_of_integer_thresholds_are_least_over_all_of_them():
    for labeling in (Realizable(0), Realizable(2.5), Realizable(40), OutsideClass(2, 5), BoundaryFlips(4, 2, 0.3)):
        for orientation in ("lt", "ge"):
            h = DiscreteThresholds(4, orientation)
            distribution = Distribution(TwoAtoms(0.4, 0.2, 4), labeling)
            every = distribution.exact_errors(h, h.encode_thresholds(range(17)))
            assert distribution.best_error(h).value == pytest.approx(every.min(), abs=1e-15)


def test_a_distribution_in_words_has_no_statuses_and_one_feature():
    many = DiscreteThresholds(60)
    with pytest.raises(ValueError, match=r"distribution\.privacy: a class that writes a number in 2 words"):
        Distribution(TwoAtoms(0.5, 0.25), Realizable(1), privacy=LabelDetermined()).written_for(many)
    two = Distribution(UniformIntegers(3, dimension=2), Realizable(1))
    assert two.written_for(many) == two, "its features are words already"


@every_marginal
def test_samples_follow_the_cdf(marginal):
    """Kolmogorov's distance by the Dvoretzky-Kiefer-Wolfowitz inequality, with or without atoms, at level 1e-4."""
    n = 20_000
    points = marginal.sample(n, np.random.default_rng(1))
    assert points.shape == (n, marginal.dimension)
    distributions = [marginal] + [marginal.public if isinstance(marginal, Shifted) else marginal] * (
        marginal.dimension - 1
    )
    for column, distribution in zip(points.T, distributions, strict=True):
        x, counts = np.unique(column, return_counts=True)
        above = np.cumsum(counts) / n
        distance = max(
            np.abs(above - distribution.cdf(x)).max(), np.abs(above - counts / n - distribution.cdf_left(x)).max()
        )
        assert distance <= math.sqrt(math.log(2 / 1e-4) / (2 * n))
    if marginal.dimension > 1:
        correlation = np.corrcoef(points.T)[0, 1]
        assert abs(correlation) < 4 / math.sqrt(n)


@every_marginal
def test_atoms_have_their_mass(marginal):
    n = 20_000
    first = marginal.sample(n, np.random.default_rng(2))[:, 0]
    x = places(marginal)[1:-1]
    mass = marginal.cdf(x) - marginal.cdf_left(x)
    atoms = x[mass > 1e-9]
    low, high = clopper_pearson([np.sum(first == a) for a in atoms], n, level=1e-6)
    assert np.all((low <= mass[mass > 1e-9]) & (mass[mass > 1e-9] <= high))
    values, counts = np.unique(first, return_counts=True)
    again = values[counts > 1]
    assert np.all(marginal.cdf(again) > marginal.cdf_left(again))


def test_densities_by_differences():
    """Slopes of the cdf at single places, from the formulas."""
    h = 1e-6
    for marginal, x, density in (
        (Uniform(-2, 0.5), -1.0, 0.4),
        (Normal(1, 2), 2.0, math.exp(-1 / 8) / math.sqrt(8 * math.pi)),
        (Beta(2, 5), 0.3, 30 * 0.3 * 0.7**4),
        (HeavyAtom(0.3), 0.2, 0.7),
    ):
        assert float(marginal.cdf(x + h) - marginal.cdf(x - h)) / (2 * h) == pytest.approx(density, rel=1e-6)


# ---------------------------------------------------------------------------------------------------- shifts
@every_shift
def test_shift_is_a_distribution_on_the_quantile_scale(shift):
    u = np.linspace(0, 1, 2001)
    values = shift.distribution(u)
    assert values[0] == 0
    assert values[-1] == 1
    assert np.all(np.diff(values) >= 0)
    v = np.concatenate([[0, 1], np.random.default_rng(3).random(500), 10.0 ** -np.arange(1, 12)])
    inverse = shift.inverse(v)
    assert np.all((inverse >= 0) & (inverse <= 1))
    np.testing.assert_allclose(shift.distribution(inverse), v, rtol=1e-9, atol=1e-11)
    rising = (np.diff(values, prepend=-1) > 1e-9) & (np.diff(values, append=2) > 1e-9)
    rising[[0, -1]] = False
    np.testing.assert_allclose(shift.inverse(values[rising]), u[rising], atol=1e-6)


@every_shift
def test_density_ratio_is_at_most_one_over_sigma_and_attains_it(shift):
    """nu(A) <= mu(A) / sigma for every interval A, with equality up to 0.1 per cent for one of them."""
    knots = np.linspace(0, 1, 20_001)
    fine = [shift.inverse(np.linspace(0, 1, 1001)), 1 - np.geomspace(1e-7, 1, 400), np.geomspace(1e-7, 1, 400)]
    u = np.unique(np.concatenate([knots, *fine]))
    u = u[np.append(True, np.diff(u) > 1e-8)]
    ratio = np.diff(shift.distribution(u)) / np.diff(u)
    assert ratio.max() <= (1 + 1e-6) / shift.sigma
    assert ratio.max() >= (1 - 1e-3) / shift.sigma


@every_shift
def test_sigma_one_is_no_shift(shift):
    u = np.linspace(0, 1, 101)
    if shift.sigma == 1:
        np.testing.assert_allclose(shift.distribution(u), u, atol=1e-15)
        np.testing.assert_allclose(shift.inverse(u), u, atol=1e-15)


def test_tilt_is_exponential():
    """ln g is linear in u, and its largest value is -ln sigma at u = 1."""
    for sigma in (0.5, 0.1, 0.01):
        shift = Tilt(sigma)
        assert shift.theta / (1 - math.exp(-shift.theta)) == pytest.approx(1 / sigma, rel=1e-12)
        u = np.linspace(1 - 3 * sigma, 1, 50) if sigma < 0.3 else np.linspace(0, 1, 50)
        log_density = np.log(np.diff(shift.distribution(u)) / np.diff(u))
        np.testing.assert_allclose(np.diff(log_density), shift.theta * np.diff(u)[:-1], rtol=1e-6)


def test_mixture_with_the_whole_region_is_the_region_shift():
    u = np.linspace(0, 1, 301)
    for sigma, centre in itertools.product((0.5, 0.1), (0, 0.3, 0.5, 1)):
        np.testing.assert_allclose(
            Mixture(sigma, centre, 1).distribution(u), Region(sigma, centre).distribution(u), atol=1e-14
        )


# ---------------------------------------------------------------------------------------------------- labelings
@pytest.mark.parametrize(("name", "distribution"), LINE_LABELINGS, ids=str)
def test_probability_is_the_definition(name, distribution):
    x = np.unique(np.concatenate([np.linspace(-1, 1, 41), distribution.pieces().breaks]))
    x = np.unique(np.concatenate([x, np.nextafter(x, 2), np.nextafter(x, -2)]))
    for points in (x[:, None], np.column_stack([x, x[::-1]])):
        eta = distribution.probability(points)
        assert np.all((eta >= 0) & (eta <= 1))
        np.testing.assert_allclose(eta, [ETA[name](distribution, v) for v in x], atol=1e-15)


def test_probability_of_a_halfspace():
    distribution = Linear((1.0, -2.0), 0.25, 0.1)
    points = np.random.default_rng(4).integers(-4, 5, (200, 2)) / 4
    expected = [0.9 if x - 2 * y + 0.25 >= 0 else 0.1 for x, y in points]
    assert distribution.probability(points).tolist() == expected
    assert {0.1, 0.9} == set(expected)


@pytest.mark.parametrize("labeling", [distribution for row in LABELINGS.values() for distribution in row], ids=str)
def test_labels_of_a_sample_follow_the_probability(labeling):
    """In total, and separately where eta is high and low; public and private samples alike."""
    problem = Distribution(DiscreteGrid(21, -1, 1, dimension=2), labeling, Region(0.5, 0.6))
    for draw in (problem.public_sample, problem.private_sample):
        sample = draw(20_000, Simulation(1))
        eta = labeling.probability(sample.points)
        for value in np.unique(eta.round(12)):
            here = np.abs(eta - value) < 1e-9
            low, high = clopper_pearson(int(sample.labels[here].sum()), int(here.sum()), 1e-6)
            assert low <= value <= high


# ---------------------------------------------------------------------------------------------------- errors of rays
ERROR_MARGINALS = [
    Uniform(),
    Normal(0.4, 0.3),
    Beta(2, 3),
    DiscreteGrid(11),
    HeavyAtom(0.3),
    HeavyAtom(0.6, 0.2),
    DiscreteGrid(1, 0.5, 0.5),
]
ERROR_SHIFTS = [None, Region(0.3, 0.6), Mixture(0.2, 0.4), Tilt(0.25)]
ERROR_LABELINGS = [
    Realizable(0.5),
    ClassificationNoise(0.3, 0.2),
    BoundaryFlips(0.5, 0.1, 0.4),
    OutsideClass(0.2, 0.5),
    TwoPoint(-0.3),
]
CUTS = np.array([0.0, 0.15, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.8, 1.0])


def ray_classes(dimension: int) -> list[tuple[object, np.ndarray]]:
    """Every class of rays with cuts at, and one float beside, atoms and targets, and at infinity."""
    cuts = np.concatenate([CUTS, np.nextafter(CUTS, 2), np.nextafter(CUTS, -2), [-np.inf, np.inf]])
    stumps = [[j, t, s] for j in range(dimension) for t in cuts for s in (1.0, -1.0)]
    classes = [(DecisionStumps(dimension), np.array(stumps))]
    if dimension == 1:
        classes += [(Thresholds(o), cuts[:, None]) for o in ("ge", "gt", "le", "lt")]
        finite = cuts[:-2]
        lines = [[w, -w * t] for t in finite for w in (1.0, -1.0, 2.0)] + [[0.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
        classes.append((Halfspaces(1), np.array(lines)))
    return classes


def agree(exact: np.ndarray, mistakes: np.ndarray, n: int) -> None:
    """Within five standard errors of the closed form; where it says 0 or 1, exactly so."""
    assert np.all((exact >= -1e-14) & (exact <= 1 + 1e-15))
    error = np.sqrt(np.clip(exact * (1 - exact), 0, None) / n)
    assert np.all(np.abs(mistakes / n - exact) <= 5 * error + 1e-12)


@pytest.mark.parametrize("shift", ERROR_SHIFTS, ids=str)
@pytest.mark.parametrize("marginal", ERROR_MARGINALS, ids=str)
def test_closed_form_errors_of_rays(marginal, shift):
    """Each labeling and class of rays of the line against one fresh private sample of 2e5."""
    for labeling in ERROR_LABELINGS:
        problem = Distribution(marginal, labeling, shift)
        sample = problem.private_sample(FRESH_SAMPLE, Simulation(2, (str(problem),)))
        for h, parameters in ray_classes(1):
            exact = problem.exact_errors(h, parameters)
            assert exact.shape == (len(parameters),)
            agree(exact, h.mistakes(parameters, sample.points, sample.labels), len(sample))


@pytest.mark.parametrize("shift", [None, Region(0.3, 0.6)], ids=str)
@pytest.mark.parametrize("marginal", [Uniform(dimension=2), DiscreteGrid(11, dimension=2)], ids=str)
def test_closed_form_errors_of_stumps_of_a_feature_that_says_nothing(marginal, shift):
    """The labels and the shift depend on the first feature only, the stump on the second."""
    for labeling in ERROR_LABELINGS:
        problem = Distribution(marginal, labeling, shift)
        sample = problem.private_sample(FRESH_SAMPLE, Simulation(3, (str(problem),)))
        (h, parameters), *_ = ray_classes(2)
        agree(problem.exact_errors(h, parameters), h.mistakes(parameters, sample.points, sample.labels), len(sample))


def test_closed_forms_by_hand():
    """err(t) = rate + (1 - 2 rate) |F(t) - F(target)|, and atoms exactly at the cut."""
    t = np.linspace(-0.2, 1.2, 29)[:, None]
    noisy = Distribution(Uniform(), ClassificationNoise(0.3, 0.2)).exact_errors(Thresholds(), t)
    np.testing.assert_allclose(noisy, 0.2 + 0.6 * np.abs(np.clip(t[:, 0], 0, 1) - 0.3), atol=1e-15)
    atom = Distribution(HeavyAtom(0.3), Realizable(0.5))
    beside = np.array([[0.5], [np.nextafter(0.5, 1)], [np.nextafter(0.5, 0)]])
    np.testing.assert_allclose(atom.exact_errors(Thresholds("ge"), beside), [0, 0.3, 0], atol=1e-15)
    np.testing.assert_allclose(atom.exact_errors(Thresholds("gt"), beside), [0.3, 0.3, 0], atol=1e-15)
    np.testing.assert_allclose(atom.exact_errors(Thresholds("le"), beside), [0.7, 0.7, 1], atol=1e-15)
    np.testing.assert_allclose(atom.exact_errors(Thresholds("lt"), beside), [1, 0.7, 1], atol=1e-15)
    point = Distribution(DiscreteGrid(1, 0.5, 0.5), TwoPoint(0.05))
    np.testing.assert_allclose(point.exact_errors(Thresholds(), np.array([[0.5], [0.6]])), [0.45, 0.55], atol=1e-15)


@pytest.mark.parametrize("shift", ERROR_SHIFTS, ids=str)
@pytest.mark.parametrize("marginal", ERROR_MARGINALS, ids=str)
def test_best_error_is_the_infimum(marginal, shift):
    """No hypothesis of a fine cover is better, and one of them is as good: cuts at 400 quantiles, steps and beside."""
    for labeling in ERROR_LABELINGS:
        problem = Distribution(marginal, labeling, shift)
        special = np.concatenate([CUTS, np.nextafter(CUTS, -2), np.nextafter(CUTS, 2)])
        points = np.concatenate([problem.private_marginal.quantile(np.linspace(0.001, 0.999, 400)), special])
        for h in (*map(Thresholds, ("ge", "gt", "le", "lt")), DecisionStumps(1), Halfspaces(1)):
            errors = problem.exact_errors(h, h.cover(points).parameters)
            best = problem.best_error(h).value
            assert errors.min() == pytest.approx(best, abs=1e-12)


def test_best_errors_by_hand():
    interval = Distribution(Uniform(), OutsideClass(0.2, 0.5))
    assert interval.best_error(Thresholds("ge")).value == pytest.approx(0.3)  # everything 0
    assert interval.best_error(Thresholds("le")).value == pytest.approx(0.2)  # up to 0.5
    assert interval.best_error(DecisionStumps(1)).value == pytest.approx(0.2)
    assert Distribution(Uniform(), BoundaryFlips(0.5, 0.1, 0.4)).best_error(Thresholds()).value == pytest.approx(0.08)
    assert Distribution(Uniform(), TwoPoint(-0.3)).best_error(Thresholds()).value == pytest.approx(0.2)
    assert Distribution(Uniform(dimension=2), Realizable(0.5)).best_error(DecisionStumps(2)).value == 0
    assert Distribution(Normal(dimension=2), Linear((1, 2), 0.3, 0.1)).best_error(Halfspaces(2)).value == 0.1


def test_errors_are_exact_or_estimated_with_their_standard_error():
    exact = Distribution(Uniform(), Realizable(0.5)).errors(Thresholds(), np.array([[0.4]]), Simulation(0))
    assert exact.value == pytest.approx([0.1])
    assert exact.standard_error.tolist() == [0]
    problem = Distribution(Uniform(dimension=2), Linear((1.0, 0.0), -0.3, rate=0.2))
    theta = np.array([[1.0, 0.0, -0.3], [1.0, 0.0, -0.5], [0.0, 0.0, 1.0]])
    assert problem.exact_errors(Halfspaces(2), theta) is None
    errors = problem.errors(Halfspaces(2), theta, Simulation(1))
    expected = 0.2 + 0.6 * np.array([0, 0.2, 0.3])
    assert np.all(np.abs(errors.value - expected) <= 5 * errors.standard_error + 1e-15)
    spread = 0.6 * np.sqrt([0, 0.2 * 0.8, 0.3 * 0.7])  # of P[wrong | x]: label noise is averaged out exactly
    np.testing.assert_allclose(errors.standard_error, spread / np.sqrt(FRESH_SAMPLE), rtol=0.02, atol=1e-15)
    assert problem.best_error(Halfspaces(2)).value == 0.2


def test_finite_domains_have_a_closed_form():
    table = FiniteClass([[0, 1, 1], [1, 1, 0], [0, 0, 1]])
    every = np.arange(3.0)[:, None]
    problem = Distribution(DiscreteGrid(3, high=2), ClassificationNoise(0.5, 0.25))
    np.testing.assert_allclose(problem.exact_errors(table, every), [0.25, (0.75 + 0.25 + 0.75) / 3, (0.25 + 1) / 3])
    assert problem.best_error(table).value == pytest.approx(0.25)
    assert problem.best_error(FiniteClass([[1, 1, 0], [0, 0, 1]])).value == pytest.approx(1.25 / 3)
    shifted = Distribution(DiscreteGrid(4, high=3), Realizable(1.5), Region(0.5, centre=0.25))
    np.testing.assert_allclose(shifted.exact_errors(FiniteClass([[0, 1, 1, 1]]), every[:1]), [0.5])


@pytest.mark.parametrize(
    ("h", "problem"),
    [
        (Halfspaces(1), Distribution(Normal(dimension=2), Linear((1.0, 2.0)))),
        (Thresholds(), Distribution(Normal(), Linear((1.0, 2.0)))),
        (FiniteClass([[0, 1]]), Distribution(Normal(), Linear((1.0,)))),
        (DiscreteThresholds(3), Distribution(Uniform(), TwoPoint(0.1))),
    ],
    ids=str,
)
def test_a_class_that_does_not_fit_the_distribution_has_no_best_error(h, problem):
    with pytest.raises(ValueError, match=r"the best error of .* is not known: (weights|points): "):
        problem.best_error(h)


@pytest.mark.parametrize("shift", [None, Region(0.5, 0.3)], ids=str)
@pytest.mark.parametrize(
    "h", [Halfspaces(2), HalfspaceIntersections(2, 2), DecisionStumps(2), PointFunctions(2), Rectangles(2)], ids=repr
)
def test_best_errors_on_finite_domains_are_found_by_enumeration(h, shift):
    """Labels for which no class knows a closed form: the least error of the cover of all points."""
    for labeling in (Box((0, 1), (1, 2), 0.1), Linear((1.0, -2.0), 0.5, 0.2)):
        problem = Distribution(DiscreteGrid(4, high=3, dimension=2), labeling, shift)
        whole = np.array(list(itertools.product(range(4), repeat=2)), float)
        errors = problem.exact_errors(h, h.cover(whole).listed().parameters)
        best = problem.best_error(h)
        assert best.value == pytest.approx(errors.min(), abs=1e-12)
        assert best.exact


ESTIMATED = [
    (Thresholds(), Distribution(Normal(), Linear((2.0,), 1.0, 0.1)), 0.1),
    (Thresholds("lt"), Distribution(Normal(), Linear((2.0,), 0.0, 0.1)), 0.5),  # a constant
    (DecisionStumps(2), Distribution(Uniform(dimension=2), Linear((3.0, 0.0), -1.0, 0.2)), 0.2),
    (HalfspaceIntersections(2, 2), Distribution(Normal(dimension=2), Linear((1.0, 2.0), rate=0.3)), 0.3),
    (Halfspaces(2), Distribution(Uniform(dimension=2), Box((0.0, 0.25), (1.0, 2.0), 0.05)), 0.05),
    (Halfspaces(2), Distribution(Uniform(dimension=2), Box((0.0, 0.25), (1.0, 2.0), 0.05), Region(0.5)), 0.05),
]


@pytest.mark.parametrize(("h", "problem", "truth"), ESTIMATED, ids=str)
def test_best_errors_without_a_closed_form_are_estimated_with_limits(h, problem, truth):
    """Labels by a member of the class that the labeling does not recognise."""
    best = problem.best_error(h)
    assert best.low <= truth <= best.high
    assert best.low <= best.value <= best.high
    assert not best.exact
    again = Distribution(problem.marginal, problem.labeling, problem.shift).best_error(h)
    assert again == best


def test_limits_of_best_errors_hold_in_many_trials_and_not_without_their_deviations():
    """Stumps of two features where the labels are coins except for one of them: each sample has a luckiest stump."""
    distribution, labeling, h = Uniform(dimension=2), Linear((1.0, 0.0), -0.5, 0.4), DecisionStumps(2)
    limits = [estimate_best_error(h, distribution, labeling.probability, Simulation(trial)) for trial in range(16)]
    assert all(best.low <= 0.4 <= best.high for best in limits)
    bare = [best.low + math.sqrt(math.log(40) / (2 * h.minimise_size)) for best in limits]
    assert not all(low < 0.4 - 1e-12 for low in bare)
    assert all(best.value >= 0.4 for best in limits)  # what is attained is never better than the best
    assert min(best.high - best.low for best in limits) >= 0.99 * math.sqrt(math.log(40) / (2 * h.minimise_size))


@pytest.mark.parametrize("seed", [0, 5])
def test_the_two_samples_of_a_best_error_share_no_point(seed):
    """The hypothesis is chosen on the first: its error there is too small."""
    drawn = []

    class Watched(Uniform):
        def sample(self, n, generator):
            drawn.append(super().sample(n, generator))
            return drawn[-1]

    distribution, labeling, h = Watched(dimension=2), Linear((1.0, 0.0), -0.5, 0.4), DecisionStumps(2)
    with streams() as begun:
        estimate_best_error(h, distribution, labeling.probability, Simulation(seed))
    assert [len(points) for points in drawn] == [h.minimise_size, FRESH_SAMPLE]
    assert not np.isin(drawn[0], drawn[1]).any()
    assert not begun_again(begun)


# ---------------------------------------------------------------------------------------------------- normal points
@pytest.mark.parametrize("rho", [-1, -0.999999, -0.9, -0.3, 0, 0.5, 0.95, 0.999999, 1])
def test_bivariate_normal_cdf(rho):
    grid = np.array([-6, -1.7, -1e-9, -0.0, 0, 1e-3, 0.4, 2.5, 7])
    h, k = (v.ravel() for v in np.meshgrid(grid, grid))
    values = bivariate_normal_cdf(h, k, rho)
    distribution = multivariate_normal(cov=[[1, rho], [rho, 1]], allow_singular=True)
    expected = [distribution.cdf(pair) for pair in zip(h, k, strict=True)]
    np.testing.assert_allclose(values, expected, atol=1e-5 if abs(rho) == 1 else 1e-8)


@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11])
def test_bivariate_normal_cdf_of_nearly_parallel_halfspaces(distance):
    """P[X <= 0, Y <= 0] = 1/4 + asin(rho) / (2 pi), and their disagreement, of the order of sqrt(1 - rho)."""
    zero = np.array(0.0)
    for rho in (1 - distance, distance - 1):
        expected = 0.25 + math.asin(rho) / (2 * math.pi)
        assert float(bivariate_normal_cdf(zero, zero, np.array(rho))) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_bivariate_normal_cdf_at_the_ends():
    x = np.array([-1.0, 0.0, 2.0])
    phi = np.array([0.15865525393145707, 0.5, 0.9772498680518208])
    for rho in (-1.0, -0.5, 0.0, 0.7, 1.0):
        np.testing.assert_allclose(bivariate_normal_cdf(x, np.inf, rho), phi, atol=1e-15)
        np.testing.assert_allclose(bivariate_normal_cdf(np.inf, x, rho), phi, atol=1e-15)
        np.testing.assert_array_equal(bivariate_normal_cdf(x, -np.inf, rho), 0)
        assert bivariate_normal_cdf(0.0, 0.0, rho) == pytest.approx(0.25 + math.asin(rho) / (2 * math.pi), abs=1e-15)
        assert bivariate_normal_cdf(1e-320, 1.0, rho) == pytest.approx(bivariate_normal_cdf(0.0, 1.0, rho), abs=1e-15)


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (0.7, 0.3)])
@pytest.mark.parametrize(
    "target", [Linear((1.0, -2.0), 0.3, 0.1), Linear((0.0, 3.0)), Linear((1.0, 1.0), -1.4)], ids=str
)
def test_closed_form_errors_of_halfspaces(target, mean, sd):
    """All angles and offsets: parallel, opposite, the target itself, its complement, the constants."""
    rng = np.random.default_rng(5)
    theta = np.concatenate(
        [
            rng.normal(size=(30, 3)),
            np.outer([1, 5, -1, -0.1], target.parameters),
            np.outer([1, -1], target.parameters * [1, 1, 0]) + np.array([0, 0, 0.4]),
            [[0, 0, 0], [0, 0, 1], [0, 0, -1], [2, 1, 0], [-2, -1, 0], [1e-9, 0, 0]],
        ]
    )
    problem = Distribution(Normal(mean, sd, dimension=2), target)
    sample = problem.private_sample(FRESH_SAMPLE, Simulation(6, (str(problem),)))
    exact = problem.exact_errors(Halfspaces(2), theta)
    mistakes = Halfspaces(2).mistakes(theta, sample.points, sample.labels)
    error = np.sqrt(exact * (1 - exact) / len(sample))
    assert np.all(np.abs(mistakes / len(sample) - exact) <= 5 * error + 1e-7)
    assert exact[30] == pytest.approx(target.rate, abs=1e-7)
    assert exact[32] == pytest.approx(1 - target.rate, abs=1e-7)
    assert np.all(exact >= problem.best_error(Halfspaces(2)).value - 1e-12)


def test_disagreement_through_the_centre_is_the_angle():
    angles = np.linspace(0, math.pi, 13)
    theta = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(13)])
    shares = halfspace_disagreement(theta, np.array([1.0, 0.0, 0.0]), 0.0, 2.0)
    np.testing.assert_allclose(shares, angles / math.pi, atol=1e-8)


def test_linear_labels_have_no_closed_form_under_a_shift_or_another_marginal():
    theta, target = np.ones((1, 3)), Linear((1.0, -2.0))
    assert Distribution(Normal(dimension=2), target, Tilt(0.5)).exact_errors(Halfspaces(2), theta) is None
    assert Distribution(Uniform(dimension=2), target).exact_errors(Halfspaces(2), theta) is None


# ---------------------------------------------------------------------------------------------------- finite domains
@dataclass(frozen=True)
class OutsideBoxes(Predictors):
    """1 outside a closed box, given by its low and high ends: written down here, not taken from the package."""

    features: int

    @property
    def dimension(self) -> int:
        return self.features

    @property
    def width(self) -> int:
        return 2 * self.features

    def specification(self) -> dict:
        raise NotImplementedError

    def predict(self, parameters, points):
        low, high = np.split(np.asarray(parameters)[:, None], 2, axis=2)
        return ~np.all((low <= points) & (points <= high), axis=2)

    def ones(self, parameters):
        return Complement(Boxes(*np.split(np.asarray(parameters), 2, axis=1)))


def boxes_with_ends_at(places: np.ndarray, d: int, n: int) -> np.ndarray:
    """Boxes with ends at and beside the places, infinite ones, points, and empty ones: (n, 2 d)."""
    rng = np.random.default_rng(d)
    values = np.concatenate([places, np.nextafter(places, 9), np.nextafter(places, -9), [-np.inf, np.inf]])
    boxes = rng.choice(values, (n, 2 * d))
    boxes[: n // 2] = np.concatenate([np.minimum(boxes[: n // 2, :d], boxes[: n // 2, d:]),
                                      np.maximum(boxes[: n // 2, :d], boxes[: n // 2, d:])], axis=1)  # fmt: skip
    boxes[0] = [0.5] * (2 * d)
    boxes[1] = [np.inf] * d + [-np.inf] * d
    return boxes


@pytest.mark.parametrize("shift", [None, Region(0.3, 0.6)], ids=str)
@pytest.mark.parametrize(
    "marginal", [Uniform(), HeavyAtom(0.3), DiscreteGrid(11), HeavyAtom(0.3, dimension=2)], ids=str
)
def test_closed_form_errors_of_complements_of_boxes(marginal, shift):
    d = marginal.dimension
    outside, parameters = OutsideBoxes(d), boxes_with_ends_at(np.array([0, 0.3, 0.4, 0.5, 1.0]), d, 60)
    labelings = [Realizable(0.5), ClassificationNoise(0.4, 0.2), OutsideClass(0.3, 0.6)]
    if d == 2:
        labelings.append(Box((0.3, -1), (0.5, 0.5), 0.1))
    for labeling in labelings:
        problem = Distribution(marginal, labeling, shift)
        sample = problem.private_sample(FRESH_SAMPLE, Simulation(8, (str(problem),)))
        exact = problem.exact_errors(outside, parameters)
        agree(exact, outside.mistakes(parameters, sample.points, sample.labels), len(sample))


def test_complements_of_boxes_by_hand():
    """Atoms exactly at the closed ends, the empty box (everything is 1), and everything (nothing is)."""
    atom = Distribution(HeavyAtom(0.3), Realizable(0.5))  # the atom at 0.5 has label 1
    boxes = [[0, 0.5], [0, np.nextafter(0.5, 0)], [np.inf, -np.inf], [-np.inf, np.inf], [0.5, 0.5], [0.7, 0.6]]
    np.testing.assert_allclose(
        atom.exact_errors(OutsideBoxes(1), np.array(boxes)), [0.3, 0, 0.35, 0.65, 0.65, 0.35], atol=1e-15
    )


@pytest.mark.parametrize("shift", [None, Region(0.5, 0.3)], ids=str)
@pytest.mark.parametrize(("size", "d"), [(7, 1), (5, 2), (4, 3)])
def test_errors_on_finite_domains_are_sums_over_all_points(size, d, shift):
    """Against a loop over the domain with the masses of each feature; halfspaces with atoms on their boundary."""
    marginal = DiscreteGrid(size, high=size - 1.0, dimension=d)
    weights = np.arange(1.0, d + 1)
    problem = Distribution(marginal, Linear(weights, -3.0, 0.1), shift)
    rng = np.random.default_rng(3)
    theta = rng.integers(-2, 3, (25, d + 1)).astype(float)
    first = problem.private_marginal
    expected = np.zeros(len(theta))
    for x in itertools.product(range(size), repeat=d):
        mass = float(first.cdf(x[0]) - first.cdf_left(x[0])) / size ** (d - 1)
        y = int(weights @ x - 3 >= 0)
        for k, row in enumerate(theta):
            h = int(row[:-1] @ x + row[-1] >= 0)
            expected[k] += mass * (0.9 if h != y else 0.1)
    np.testing.assert_allclose(problem.exact_errors(Halfspaces(d), theta), expected, atol=1e-14)
    errors = problem.errors(Halfspaces(d), theta, Simulation(0))
    assert errors.standard_error.tolist() == [0] * 25
    target = problem.exact_errors(Halfspaces(d), np.array([[*weights, -3.0]]))
    assert problem.best_error(Halfspaces(d)).value == pytest.approx(target[0]) == pytest.approx(0.1)


def test_domains_too_large_to_sum_over_are_sampled():
    size = int(ATOMS**0.5)
    theta, target = np.array([[1.0, 2.0, -1.0]]), Linear((1.0, 1.0), -1.0)
    assert Distribution(DiscreteGrid(size, dimension=2), target).exact_errors(Halfspaces(2), theta) is not None
    assert Distribution(DiscreteGrid(size + 1, dimension=2), target).exact_errors(Halfspaces(2), theta) is None


@pytest.mark.parametrize("shift", [None, Region(0.5, 0.3)], ids=str)
@pytest.mark.parametrize("labeling", [Realizable(0.5), ClassificationNoise(0.3, 0.2), OutsideClass(0.2, 0.6)], ids=str)
def test_best_halfspace_for_labels_that_depend_on_one_feature(labeling, shift):
    """No halfspace of the plane beats the best ray of the first feature: all dichotomies of a grid of 5 x 5."""
    problem = Distribution(DiscreteGrid(5, dimension=2), labeling, shift)
    grid = np.array(list(itertools.product(np.linspace(0, 1, 5), repeat=2)))
    errors = problem.exact_errors(Halfspaces(2), Halfspaces(2).cover(grid).parameters)
    assert problem.best_error(Halfspaces(2)).value == pytest.approx(errors.min(), abs=1e-12)


# ---------------------------------------------------------------------------------------------------- privacy
every_privacy = pytest.mark.parametrize(
    ("name", "distribution"),
    [(name, distribution) for name, distributions in PRIVACY.items() for distribution in distributions],
    ids=str,
)


@every_privacy
def test_probability_of_being_private_is_the_definition(name, distribution):
    rng = np.random.default_rng(4)
    points, labels = rng.choice([-0.2, 0.4, 0.5, 1.0], (40, 2)), rng.integers(0, 2, 40)
    expected = [PRIVATE[name](distribution, x, y) for x, y in zip(points, labels, strict=True)]
    np.testing.assert_array_equal(distribution.probability(points, labels.astype(np.int8)), expected)


@every_privacy
def test_model_is_the_narrowest_that_allows_what_can_occur(name, distribution):
    points = np.array([[x, z] for x in (-1.0, 0.9) for z in (-1.0, 0.9)])
    possible = set()
    for label in (0, 1):
        p = distribution.probability(points, np.full(4, label, np.int8))
        possible |= {(label, True)} if (p > 0).any() else set()
        possible |= {(label, False)} if (p < 1).any() else set()
    allowed = {
        StatusModel.LABEL_DETERMINED: {(0, False), (1, True)},
        StatusModel.PRIVATE_ONES: {(0, False), (1, True), (1, False)},
        StatusModel.ANY: {(0, False), (1, True), (1, False), (0, True)},
    }
    assert distribution.model == next(model for model, pairs in allowed.items() if possible <= pairs)


@every_privacy
def test_mixed_samples_follow_their_distribution(name, distribution):
    """Marginal, labels given points, statuses given both; three features, so that nothing depends on the dimension."""
    marginal, labeling, n = Uniform(dimension=3), Linear((1.0, 1.0, 0.0), -0.7, 0.1), 20_000
    problem = Distribution(marginal, labeling, privacy=distribution)
    sample = problem.mixed_sample(n, Simulation(5, (str(distribution),)))
    assert sample.model is distribution.model
    assert len(sample) == n == len(sample.public_examples) + len(sample.private_examples)
    assert all(np.all((x >= 0) & (x <= 1)) and abs(x.mean() - 0.5) < 5 / math.sqrt(12 * n) for x in sample.points.T)
    clean = sample.labels == (sample.points[:, 0] + sample.points[:, 1] >= 0.7)
    low, high = clopper_pearson([clean.sum()], n, level=1e-6)
    assert low[0] <= 0.9 <= high[0]
    pairs = zip(sample.points, sample.labels, strict=True)
    probabilities = np.array([PRIVATE[name](distribution, x, int(y)) for x, y in pairs])
    for p in np.unique(probabilities):
        here = sample.private[probabilities == p]
        low, high = clopper_pearson([here.sum()], len(here), level=1e-6)
        assert low[0] <= p <= high[0]


def test_sizes_of_mixed_samples_are_random_and_repeat():
    problem = Distribution(Uniform(), Realizable(0.5), privacy=LabelDetermined())
    sizes = [len(problem.mixed_sample(50, Simulation(seed)).private_examples) for seed in range(20)]
    assert len(set(sizes)) > 3
    again = problem.mixed_sample(50, Simulation(3)), problem.mixed_sample(50, Simulation(3))
    np.testing.assert_array_equal(again[0].points, again[1].points)
    np.testing.assert_array_equal(again[0].private, again[1].private)


def test_share_of_private_zeros():
    """Known by label; by enumeration on a grid; not known elsewhere."""
    grid, target = DiscreteGrid(5, high=4, dimension=2), Linear((1.0, 2.0), -5.0, 0.2)
    zeros = private = 0.0
    for x in itertools.product(range(5), repeat=2):
        eta = 0.8 if x[0] + 2 * x[1] >= 5 else 0.2
        zeros += 1 - eta
        private += (1 - eta) * (x[1] > 1)
    assert Distribution(grid, target, privacy=ByThreshold(1, 1.5)).private_zeros() == pytest.approx(private / zeros)
    assert Distribution(grid, target, privacy=ByLabel(0.3, 1)).private_zeros() == 0.3
    assert Distribution(Uniform(dimension=2), target, privacy=ByThreshold(1, 1.5)).private_zeros() is None
    assert Distribution(Uniform(), Realizable(0.5), privacy=LabelDetermined()).private_zeros() == 0
    assert Distribution(Uniform(), Realizable(0.5)).private_zeros() is None


# ---------------------------------------------------------------------------------------------------- construction
def test_from_configuration():
    problem = Distribution.from_config(
        {
            "marginal": {"name": "normal", "sd": "1e-1"},
            "labeling": {"name": "classification_noise", "target": "0.5", "rate": "1e-1"},
            "shift": {"name": "tilt", "sigma": "1e-1"},
        }
    )
    assert problem == Distribution(Normal(0.0, 0.1), ClassificationNoise(0.5, 0.1), Tilt(0.1))
    assert isinstance(problem.private_marginal, Shifted)
    plain = Distribution.from_config({"marginal": {"name": "uniform"}, "labeling": {"name": "realizable", "target": 0}})
    assert plain.private_marginal is plain.marginal


def test_numbers_written_as_text_are_numbers():
    """YAML reads 1e-6 as text, 1e3 as well; both work as the numbers that they spell."""
    u = np.array([0.1, 0.5])
    for text, number in [
        (Uniform("-1e0", "1e0"), Uniform(-1, 1)),
        (Normal("1e-1", "1e-2"), Normal(0.1, 0.01)),
        (Beta("2e0", "3e0"), Beta(2, 3)),
        (DiscreteGrid("1e3", "0", "1e1"), DiscreteGrid(1000, 0, 10)),
        (DiscreteGrid(1e3), DiscreteGrid(1000)),
        (HeavyAtom("1e-1", "5e-1"), HeavyAtom(0.1, 0.5)),
    ]:
        assert text == number
        np.testing.assert_array_equal(text.quantile(u), number.quantile(u))
    for text, number in [(Region("1e-1", "5e-1"), Region(0.1)), (Mixture("1e-1", "0", "1e-1"), Mixture(0.1, 0, 0.1))]:
        np.testing.assert_array_equal(text.distribution(u), number.distribution(u))
    points = np.array([[0.05, 0.0], [0.3, 0.0]])
    for text, number in [
        (Realizable("1e-1"), Realizable(0.1)),
        (ClassificationNoise("1e-1", "2e-1"), ClassificationNoise(0.1, 0.2)),
        (BoundaryFlips("1e-1", "1e-2", "2e-1"), BoundaryFlips(0.1, 0.01, 0.2)),
        (OutsideClass("1e-1", "2e-1"), OutsideClass(0.1, 0.2)),
        (TwoPoint("-1e-1"), TwoPoint(-0.1)),
        (Linear(("1e0", "0"), "-1e-1", "1e-1"), Linear((1, 0), -0.1, 0.1)),
    ]:
        assert text == number
        np.testing.assert_array_equal(text.probability(points), number.probability(points))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Uniform(1, 1), "high = 1.*: must be > low = 1"),
        (lambda: Uniform("left"), "low = 'left': is text, must be a number"),
        (lambda: Uniform(dimension=0), "dimension = 0: must be >= 1"),
        (lambda: Uniform(dimension=1.5), "dimension = 1.5: must be an integer"),
        (lambda: Normal(0, 0), "sd = 0: must be > 0"),
        (lambda: Normal(math.nan), "mean = nan: must be finite"),
        (lambda: Normal(math.inf), "mean = inf: must be finite"),
        (lambda: Beta(-1, 1), "a = -1: must be > 0"),
        (lambda: Beta(1, "b"), "b = 'b': is text, must be a number"),
        (lambda: DiscreteGrid(0), "size = 0: must be >= 1"),
        (lambda: DiscreteGrid(2.5), "size = 2.5: must be an integer"),
        (lambda: DiscreteGrid(3, 1, 0), "high = 0.*: must be >= low = 1"),
        (lambda: HeavyAtom(1.1), r"weight = 1.1: must be in \[0, 1\]"),
        (lambda: HeavyAtom(0.5, -0.1), r"position = -0.1: must be in \[0, 1\]"),
        (lambda: Region(0), r"sigma = 0: must be in \(0, 1\]"),
        (lambda: Mixture(1.5), r"sigma = 1.5: must be in \(0, 1\]"),
        (lambda: Tilt(-0.1), r"sigma = -0.1: must be in \(0, 1\]"),
        (lambda: Tilt(math.nan), "sigma = nan: must be finite"),
        (lambda: Tilt("weak"), "sigma = 'weak': is text, must be a number"),
        (lambda: Region(0.5, 2), r"centre = 2: must be in \[0, 1\]"),
        (lambda: Mixture(0.5, 0.5, 0), r"share = 0: must be in \(0, 1\]"),
        (lambda: Realizable(math.inf), "target = inf: must be finite"),
        (lambda: ClassificationNoise(0, 0.5), r"rate = 0.5: must be in \[0, 0.5\)"),
        (lambda: BoundaryFlips(0, 0, 0.1), "width = 0: must be > 0"),
        (lambda: BoundaryFlips(0, 1, -0.1), r"rate = -0.1: must be in \[0, 0.5\)"),
        (lambda: OutsideClass(1, 1), "high = 1.*: must be > low = 1"),
        (lambda: TwoPoint(0), "gap = 0: must not be 0"),
        (lambda: TwoPoint(0.5), r"gap = 0.5: must be in \(-0.5, 0.5\)"),
        (lambda: Linear((0, 0)), "weights: must not all be 0"),
        (lambda: Linear((1, math.nan)), "weights = nan: must be finite"),
        (lambda: ByLabel(-0.1, 1), r"zero = -0.1: must be in \[0, 1\]"),
        (lambda: ByLabel(0, "most"), "one = 'most': is text, must be a number"),
        (lambda: ByThreshold(-1, 0), "feature = -1: must be >= 0"),
        (lambda: ByThreshold(0, math.nan), "above = nan: must be finite"),
        (lambda: Distribution(Uniform(), Realizable(0), privacy=ByThreshold(1, 0)), "feature = 1: must be below .* 1"),
        (
            lambda: Distribution(Uniform(), Realizable(0), Tilt(0.5), LabelDetermined()),
            "shift and privacy: must not both",
        ),
        (
            lambda: Distribution(Uniform(), Realizable(0)).mixed_sample(3, Simulation(0)),
            "needs a distribution of privacy statuses",
        ),
        (lambda: Linear((1.0,)).probability(np.zeros((3, 2))), "weights: must be 2, one for each feature, got 1"),
        (lambda: Distribution.from_config({"marginal": {"name": "uniform"}}), "a distribution needs a labeling"),
        (lambda: Distribution.from_config({"labeling": {"name": "realizable"}}), "a distribution needs a marginal"),
        (
            lambda: Distribution.from_config({"marginals": {}}),
            r"unknown key of a distribution 'marginals': did you mean 'marginal'\?",
        ),
        (
            lambda: Distribution.from_config({"marginal": {"name": "gauss"}, "labeling": {"name": "realizable"}}),
            "unknown marginal 'gauss'",
        ),
    ],
)
def test_bad_distributions_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("n", [1, 100, 10**5])
def test_both_limits_of_a_best_error_hold_together(n: int) -> None:
    """Hoeffding: exp(-2 n t^2) is the chance of each limit, half of what both may fail."""
    assert 2 * math.exp(-2 * n * _deviation(n) ** 2) == pytest.approx(1 - LEVEL)
