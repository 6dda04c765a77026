"""Negative controls of RRSPM (BBD24 algorithm 4): too little noise, and outputs that show more than the pattern."""

import itertools
import math
from fractions import Fraction

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf, as_sample, examples
from semipriv.classes.base import HypothesisClass
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.thresholds import Thresholds
from semipriv.learners.oracles._projected import Projected
from semipriv.learners.oracles.exact import Exact
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.perturbed_minimum import PerturbedMinimum, distinct_sums
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

LINE = np.arange(1.0, 4.0)[:, None]
CUBE = FiniteClass([(*row, sum(row) % 2) for row in itertools.product((0, 1), repeat=3)])
"""All labels of three public points; the private point 3 has the parity of them."""


def _problem(h: HypothesisClass, public: np.ndarray, data: DataSet, *, nonempty: bool = False) -> Projected:
    sample = as_sample(data)
    return Projected(h, public, sample.points, sample.labels, Exact(), nonempty)


def _patterns(problem: Projected, scale: Fraction) -> list[tuple[tuple[bool, ...], int, float]]:
    """Return patterns, their mistakes, and their log-probabilities under noise of a scale."""
    patterns, mistakes = problem.listed()
    _, log_probabilities = PerturbedMinimum(DiscreteLaplace(scale), tuple(distinct_sums(patterns))).output_distribution(
        problem
    )
    return list(zip(map(tuple, patterns.tolist()), mistakes.tolist(), log_probabilities.tolist(), strict=True))


def _distribution(h: HypothesisClass, public: np.ndarray, scale: Fraction, *, nonempty: bool = False) -> DistributionOf:
    """Return the distribution of the pattern, which stands for its canonical hypothesis."""
    return lambda data: {row: p for row, _, p in _patterns(_problem(h, public, data, nonempty=nonempty), scale)}


@registered
def rrspm_half_the_noise() -> Control:
    """Thresholds with noise of scale 1 / epsilon."""
    return Control(
        "noise of scale 1 / epsilon instead of 2 / epsilon: what both sides of the cut gain is 2 together",
        1.0,
        [examples(LINE)] * 2,
        _distribution(Thresholds(), LINE, Fraction(2)),
        _distribution(Thresholds(), LINE, Fraction(1)),
    )


@registered
def rrspm_teaching_set_too_small() -> Control:
    """The cube, whose patterns are told apart by all three points only, with the noise for two."""
    return Control(
        "one point is missing in the teaching sets",
        1.0,
        [[((3.0,), 0), ((3.0,), 1)]] * 3,
        _distribution(CUBE, np.arange(3.0)[:, None], Fraction(6)),
        _distribution(CUBE, np.arange(3.0)[:, None], Fraction(4)),
    )


@registered
def rrspm_zeros_kept() -> Control:
    """Three points, of which at most one has the label 1: its label tells a pattern with a one from the others."""
    points = FiniteClass([(1, 0, 0, 0, 1), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0)])
    public, scale = np.arange(3.0)[:, None], Fraction(2)
    return Control(
        "the pattern of zeros may win, with the noise that suits the others",
        1.0,
        [[((3.0,), 0), ((3.0,), 1)]] * 3 + [[((4.0,), 0), ((4.0,), 1)]] * 2,
        _distribution(points, public, scale, nonempty=True),
        _distribution(points, public, scale),
    )


@registered
def rrspm_minimiser_returned() -> Control:
    """Thresholds; the cut that the oracle found is published, not the canonical one."""

    def broken(data: DataSet) -> LogProbabilities:
        problem, distribution = _problem(Thresholds(), LINE, data), {}
        for row, _, p in _patterns(problem, Fraction(2)):
            points, labels = np.concatenate([LINE, problem.points]), np.concatenate([row, problem.labels])
            weights = np.repeat([9.0, 1.0], [len(LINE), len(data)])
            distribution[float(Thresholds().minimise(points, labels, weights).parameters[0])] = p
        return distribution

    return Control(
        "the hypothesis of the oracle lies beside a private point",
        1.0,
        [examples(np.array([[1.25], [2.75]]))] * 2,
        _distribution(Thresholds(), LINE, Fraction(2)),
        broken,
    )


@registered
def rrspm_noise_redrawn() -> Control:
    """Thresholds; where a heuristic cannot certify its answer, here one of odd mistakes, noise is drawn again."""

    def broken(data: DataSet) -> LogProbabilities:
        certified = {row: p for row, q, p in _patterns(_problem(Thresholds(), LINE, data), Fraction(2)) if q % 2 == 0}
        success = math.log(math.fsum(map(math.exp, certified.values()))) if certified else 0.0
        return {row: p - success for row, p in certified.items()} or {"failure": 0.0}

    return Control(
        "noise is drawn again after a failed certificate, instead of an exact search with the same noise",
        1.0,
        [examples(LINE)] * 2,
        _distribution(Thresholds(), LINE, Fraction(2)),
        broken,
    )


@registered
def rrspm_noise_on_duplicates() -> Control:
    """One public place given twice; its noise is the sum of two, each of half the scale."""
    place = LINE[:1]

    def broken(data: DataSet) -> LogProbabilities:
        problem = _problem(FiniteClass([(0, 0), (1, 1)]), np.arange(2.0)[:, None], tuple(((0.0,), y) for _, y in data))
        return {row[:1]: p for row, _, p in _patterns(problem, Fraction(1))}

    return Control(
        "equal public points are not merged, and share the noise of one",
        1.0,
        [[((1.0,), 0), ((1.0,), 1)]] * 4,
        _distribution(Thresholds(), place, Fraction(2)),
        broken,
    )
