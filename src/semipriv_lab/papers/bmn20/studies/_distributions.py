"""Distributions of mixed samples for theorem 4.6 of BMN20, and all hypotheses of G on them with their exact errors.

An example is private iff y = 1, unless said otherwise.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from semipriv.classes.base import Hypothesis, Predictors
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Simulation
from semipriv.core.rows import distinct_numbers, distinct_rows
from semipriv.core.samples import MixedSample
from semipriv.core.types import Floats, Integers
from semipriv.distributions.labelings.classification_noise import ClassificationNoise
from semipriv.distributions.labelings.linear import Linear
from semipriv.distributions.marginals.normal import Normal
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import Distribution
from semipriv.distributions.statuses.base import StatusDistribution
from semipriv.distributions.statuses.label_determined import LabelDetermined
from semipriv.geometry.grid import Grid
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.cover import RegionCover, RegionTally
from semipriv.papers.bmn20.regions.family import Family

LINE = Grid((0.0,), (1.0,))
PLANE = Grid((-8.0, -8.0), (8.0, 8.0))


def line_distribution(rate: float) -> Distribution:
    """Return the distribution of X uniform on [0, 1], y = 1[x >= 1/2], flipped at the rate."""
    return Distribution(Uniform(), ClassificationNoise(0.5, rate), privacy=LabelDetermined())


def plane_distribution(share: float, rate: float) -> Distribution:
    """Return X standard normal in the plane, y = 1[x_1 >= t], P[x_1 < t] = share, flipped at the rate."""
    labeling = Linear((1.0, 0.0), -float(scipy.special.ndtri(share)), rate)
    return Distribution(Normal(dimension=2), labeling, privacy=LabelDetermined())


STEP, NOISE = 2.0**16, 0.05


def noisy_halfspace(
    n: int, distribution: StatusDistribution, generator: np.random.Generator, dimension: int = 2
) -> MixedSample:
    """Draw x ~ N(0, I), rounded to multiples of 1 / STEP, as integers; y = 1[x_1 >= 0] flipped at the rate NOISE."""
    points = np.rint(generator.standard_normal((n, dimension)) * STEP)
    labels = ((points[:, 0] >= 0) ^ (generator.random(n) < NOISE)).astype(np.int8)
    private = generator.random(n) < distribution.probability(points, labels)
    return MixedSample(points, labels, private, distribution.model)


@dataclass(frozen=True, eq=False)
class Listing:
    """All hypotheses of G: their mistakes on the sample, and their excess errors, (|G|,) each."""

    mistakes: Integers
    excess: Floats

    def expected_excess(self, epsilon: float) -> float:
        """Return the mean excess error of the draw, with probabilities proportional to exp(-epsilon mistakes / 2)."""
        weights = np.exp(-epsilon / 2 * (self.mistakes - self.mistakes.min()))
        return float(weights @ self.excess / weights.sum())


def line_listing(sample: MixedSample, rate: float) -> Listing:
    """List G on the line for ``line_distribution``, given two distinct public points at least.

    Its regions are {z >= a} and {z <= a} for each number a of a public point on the grid, and EMPTY.  {z <= a} holds
    the x below (a + 1/2) / steps, {z >= a} those from (a - 1/2) / steps on; excess errors follow from these cuts.
    """
    parts = (sample.public_examples, sample.private_examples)
    negatives, positives = (np.sort(LINE.place(part.points)[:, 0]) for part in parts)
    a = distinct_numbers(negatives)
    zeros_below, ones_below = np.searchsorted(negatives, a), np.searchsorted(positives, a)
    zeros_to, ones_to = np.searchsorted(negatives, a, side="right"), np.searchsorted(positives, a, side="right")
    upward, downward = zeros_below + len(positives) - ones_below, len(negatives) - zeros_to + ones_to
    start, end = np.clip((a - 0.5) / LINE.steps, 0, 1), np.clip((a + 0.5) / LINE.steps, 0, 1)
    wrong_up = np.minimum(start, 0.5) + 1 - np.maximum(start, 0.5)
    wrong = np.concatenate([wrong_up, np.abs(end - 0.5), [0.5]])
    return Listing(np.concatenate([upward, downward, [len(negatives)]]), (1 - 2 * rate) * wrong)


def prepared(sample: MixedSample, grid: Grid | None, d: int) -> tuple[RegionCover, RegionTally]:
    """Return A_LearnHalf's public stage and the mistakes of all of G, for any epsilon; grid None: integer points."""
    public, private = sample.public_examples, sample.private_examples
    cover = LearnHalf(1.0, grid=grid).prepare(public.points, Halfspaces(d), public.labels)
    return cover, cover.tally(private.points, private.labels)


def drawn(tally: RegionTally, epsilon: float, randomness: Simulation) -> Floats:
    """Draw a hypothesis from a tally, as ``LearnHalf.release`` does, and return its parameters."""
    chosen: Hypothesis = ExponentialMechanism(epsilon).select(tally, randomness)
    return chosen.parameters


def count(trials: float, effort: float) -> int:
    """Return the number of trials at an effort, at least two."""
    return max(2, round(trials * effort))


# ------------------------------------------------------------------------------------------------ finite distributions
@dataclass(frozen=True, eq=False)
class Atoms:
    """The distribution of X on at most 62 integer points (a, d) with masses (a,), and P[y = 1 | x] = eta, (a,)."""

    points: Integers
    mass: Floats
    eta: Floats

    @classmethod
    def drawn(cls, count: int, d: int, rate: float, spread: float, generator: np.random.Generator) -> "Atoms":
        """Draw points, and labels of a random halfspace that holds about half of them, flipped at the rate.

        Masses fall geometrically by ``spread`` powers of ten in all: equal for 0; for 4 some are hardly seen.
        """
        points = distinct_rows(generator.integers(-100, 101, (count, d))).rows
        mass = 10 ** (-spread * generator.permutation(len(points)) / (len(points) - 1))
        heights = points @ generator.normal(size=d)
        inside = heights >= np.median(heights)
        return cls(points, mass / mass.sum(), np.where(inside, 1 - rate, rate))

    @property
    def best(self) -> float:
        """Error of the best function, which is a halfspace for ``drawn`` distributions."""
        return float(self.mass @ np.minimum(self.eta, 1 - self.eta))

    @property
    def constant(self) -> float:
        """Excess error of the better constant."""
        mean_label = float(self.mass @ self.eta)
        return min(mean_label, 1 - mean_label) - self.best

    def sample(self, n: int, generator: np.random.Generator) -> MixedSample:
        """Draw n examples, sorted by label and atom."""
        cells = np.concatenate([self.mass * (1 - self.eta), self.mass * self.eta])
        cell = np.repeat(np.arange(len(cells)), generator.multinomial(n, cells / cells.sum()))
        labels = cell >= len(self.mass)
        return MixedSample(self.points[cell % len(self.mass)].astype(np.float64), labels.astype(np.int8), labels)

    def excess(self, predictors: Predictors, parameters: Parameters) -> Floats:
        """Return the excess errors of functions (k, p) over the best function: (k,)."""
        predicted = predictors.predict(parameters, self.points)
        return np.asarray(np.where(predicted, 1 - self.eta, self.eta) @ self.mass - self.best)

    def listing(self, family: Family, sample: MixedSample) -> Listing:
        """List all regions of a family, each set of atoms once."""
        inside = _bits(_regions(family, Grid.unit(self.points.shape[1]).place(self.points)), len(self.points))
        at = np.all(sample.points[:, None] == self.points, axis=2)
        counts = [at[sample.labels == label].sum(axis=0) for label in (0, 1)]
        mistakes = inside @ (counts[1] - counts[0]) + counts[0].sum()
        excess = inside @ (self.mass * (2 * self.eta - 1)) + self.mass @ (1 - self.eta) - self.best
        return Listing(mistakes, excess)


def _regions(family: Family, places: Integers) -> Integers:
    """Return the sets of up to 62 places in EMPTY and in intersections of at most J halfspaces: distinct, as bits."""
    bits = 1 << np.arange(len(places), dtype=np.int64)
    empty = np.zeros(1, np.int64)
    if family.hull is None:
        return empty
    hull = family.hull.contains(places)
    values = family.hull.project(places) @ family.hyperplanes[:, :-1].T + family.hyperplanes[:, -1]
    sides = np.concatenate([values >= 0, values <= 0], axis=1) & hull[:, None]
    singles = distinct_numbers(bits @ sides) if len(family.hyperplanes) else (bits @ hull)[None]
    regions = singles
    for _ in range(1, family.most):
        regions = distinct_numbers(regions[:, None] & singles[None, :])
    return np.union1d(regions, empty)


def _bits(masks: Integers, count: int) -> Integers:
    """Expand bit masks: (r,) -> (r, count) of 0 and 1."""
    return (masks[:, None] >> np.arange(count)) & 1
