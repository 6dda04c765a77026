"""Negative controls of the public-metric discriminant: its own code on one row, all values of the noise enumerated."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf, as_sample, examples
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.functions import Parameters
from semipriv.core.types import Floats, Integers
from semipriv.learners._totals import Summand
from semipriv.learners.discriminant.gradients import CLIPS, Coordinates
from semipriv.learners.discriminant.plan import Noise, Plan
from semipriv.learners.public_metric_discriminant import candidates_of
from semipriv.learners.stages.public_metric import Metric, PublicMetric
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

PUBLIC = np.array([[-2.0], [-1.0], [0.0], [1.0], [3.0]])
RECORDS = examples(np.array([[-4.0], [0.5], [50.0]]))
PLAN = Plan(axes=1, gradients=(Fraction(1),), selection=0.5, lattice=5)
NOISE = NoisyIntegers(2 * PLAN.lattice, PLAN.gradients[0])
"""That of the plan."""
CLAIM = 1.5
WINDOW = 5
"""Noisy coordinates are moved into [-5, 5]: post-processing, which makes their number finite."""

Total = Callable[[DataSet], Integers]


@cache
def metric() -> Metric:
    """Return what the public stage makes."""
    return PublicMetric().prepare(PUBLIC, Halfspaces(1))


def own_total(data: DataSet) -> Integers:
    """Return the private sum of the first gradient, as the learner computes it."""
    sums: list[Integers] = []

    sample = as_sample(data)

    def draw(noise: Noise, summand: Summand) -> Integers:
        sums.append(summand(sample.points, sample.labels))
        return 0 * sums[-1]

    candidates_of(metric(), PLAN, len(sample), draw)
    return sums[0]


@cache
def candidates(noisy: tuple[int, ...]) -> Parameters:
    """Return the candidates after these noisy numbers; the row is not looked at."""
    return candidates_of(metric(), PLAN, 1, lambda _, summand: np.array(noisy))


def window_distribution(noise: NoisyIntegers, total: int) -> Floats:
    """Return the log-probabilities of total + noise, moved into the window: (2 WINDOW + 1,)."""
    values = np.arange(-WINDOW, WINDOW + 1)
    distribution: Floats = noise.noise.log_probability(values - total)
    distribution[0], distribution[-1] = noise.noise.log_cumulative([-WINDOW - total, total - WINDOW])
    return distribution


@cache
def _chosen(mistakes: tuple[int, ...]) -> list[float]:
    """Return the log-probabilities of the selection."""
    distribution: list[float] = PermuteAndFlip(PLAN.selection).log_probabilities(-np.array(mistakes)).tolist()
    return distribution


def _distribution(total: Total, noise: NoisyIntegers, *, best: bool = False) -> DistributionOf:
    """Return the distribution of the noisy sum and the selected candidate's place; best: the one of fewest mistakes."""

    def of(data: DataSet) -> LogProbabilities:
        sample, sums = as_sample(data), total(data)
        single = [window_distribution(noise, int(value)) for value in sums]
        distribution: dict[tuple[int, ...], float] = {}
        for places in itertools.product(range(2 * WINDOW + 1), repeat=len(sums)):
            noisy = tuple(place - WINDOW for place in places)
            chance = sum(float(single[j][place]) for j, place in enumerate(places))
            mistakes = metric().functions.mistakes(candidates(noisy), sample.points, sample.labels)
            if best:
                distribution[(*noisy, int(np.argmin(mistakes)))] = chance
                continue
            distribution |= {
                (*noisy, i): chance + probability for i, probability in enumerate(_chosen(tuple(mistakes.tolist())))
            }
        return distribution

    return of


@cache
def _honest() -> DistributionOf:
    """Return the distribution of the learner, each data set's enumerated once for all negative controls."""
    return cache(_distribution(own_total, NOISE))


def _control(breaks: str, broken: DistributionOf) -> Control:
    return Control(breaks, CLAIM, [RECORDS], _honest(), broken)


@registered
def gradient_not_clipped() -> Control:
    """The gradient of each row as it is."""

    def total(data: DataSet) -> Integers:
        return _unclipped(data, Coordinates.of(metric(), 1).clip())

    return _control("rows of a longer norm move the sum by more than the noise is for", _distribution(total, NOISE))


def _unclipped(data: DataSet, clip: float) -> Integers:
    """Return the first gradient, residuals y - 1/2, in steps of clip / lattice."""
    sample = as_sample(data)
    u = Coordinates.of(metric(), 1)(metric().functions.standardised(sample.points))
    steps = (sample.labels - 0.5) * u * (PLAN.lattice / clip)
    return np.asarray(np.trunc(steps).sum(axis=1).astype(np.int64))


@registered
def gradient_of_sensitivity_one_norm() -> Control:
    """Noise for a row that is added or removed: one norm instead of two."""
    return _control(
        "a replaced row takes one summand away and adds another: twice the clipping norm",
        _distribution(own_total, NoisyIntegers(PLAN.lattice, PLAN.gradients[0])),
    )


@registered
def clip_of_private_rows() -> Control:
    """The clipping norm is a quantile of the private rows, in whose units the noisy sum is published."""
    honest = _honest()

    def broken(data: DataSet) -> LogProbabilities:
        sample = as_sample(data)
        u = Coordinates.of(metric(), 1)(metric().functions.standardised(sample.points))
        clip = CLIPS[1] * float(np.quantile(np.abs(u).sum(axis=0), 0.5))
        return {(*key, round(clip, 12)): chance for key, chance in honest(data).items()}

    return _control("a scale is read off private rows without noise, and shows in the steps of the lattice", broken)


@registered
def best_rule_by_its_true_error() -> Control:
    """The rule of fewest private mistakes, without selection."""
    return _control("the best rule is chosen by its true error", _distribution(own_total, NOISE, best=True))


@registered
def two_counts_of_sensitivity_one() -> Control:
    """Mistakes of a public model, and ones, with noise for a row that moves one of them alone."""

    def distribution(sensitivity: int) -> DistributionOf:
        noise = NoisyIntegers(sensitivity, Fraction(1))

        def of(data: DataSet) -> LogProbabilities:
            counts = sum(point[0] > 0 and not label for point, label in data), sum(label for _, label in data)
            first, second = (window_distribution(noise, int(count)) for count in counts)
            return {(i, j): float(first[i] + second[j]) for i, j in np.ndindex(len(first), len(second))}

        return of

    return Control(
        "a replaced row moves both counts of the test: 2 in L1", 1.0, [RECORDS] * 2, distribution(2), distribution(1)
    )
