"""Negative controls of regression with a public Gram matrix: its code on one row, all values of noise enumerated."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf
from semipriv.classes.regressors.linear import Linear
from semipriv.core.types import Floats, Integers
from semipriv.learners._totals import Examples, Summand
from semipriv.learners.public_gram_regression import SPREADS, spread_scores
from semipriv.learners.regression.plan import Plan
from semipriv.learners.regression.solving import Start, from_spread, solved
from semipriv.learners.stages.public_gram import PublicGram
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered
from semipriv_lab.controls.discriminant import WINDOW, window_distribution

PUBLIC = np.array([[-2.0], [-1.0], [0.0], [1.0], [3.0]])
RECORDS = [((x,), y) for x in (-4.0, 0.5, 50.0) for y in (-1.0, 0.25, 1.0)]
PLAN = Plan(axes=1, sums=(Fraction(1),), lattice=5)
CLAIM = 1.0

Total = Callable[[DataSet], Integers]


@cache
def start() -> Start:
    """Return where the sum starts, from public rows: the constant 0, with responses within 1/2 of it."""
    functions: Any = Linear(1)
    return from_spread(PublicGram().prepare(PUBLIC, functions), PLAN, 0.0, 0.5, 1)


def own_total(data: DataSet) -> Integers:
    """Return the private sum, as the learner computes it."""
    sums: list[Integers] = []

    def draw(noise: NoisyIntegers, summand: Summand) -> Integers:
        sums.append(summand(*_arrays(data)))
        return 0 * sums[-1]

    solved(start(), PLAN, len(data), draw)
    return sums[0]


def _arrays(data: DataSet) -> tuple[Floats, Floats]:
    return np.array([point for point, _ in data]), np.array([response for _, response in data], np.float64)


def _examples(data: DataSet) -> Examples:
    return Examples(len(data), lambda: [(*_arrays(data), None)])


def _distribution(total: Total, noise: NoisyIntegers) -> DistributionOf:
    """Return the distribution of the noisy sum; what is made of it is post-processing."""

    def of(data: DataSet) -> LogProbabilities:
        single = [window_distribution(noise, int(value)) for value in total(data)]
        places = itertools.product(range(2 * WINDOW + 1), repeat=len(single))
        return {place: sum(float(single[j][i]) for j, i in enumerate(place)) for place in places}

    return of


def _control(breaks: str, broken: DistributionOf) -> Control:
    return Control(breaks, CLAIM, [RECORDS], _distribution(own_total, PLAN.noises[0]), broken)


def _parts(data: DataSet, clip: float) -> Integers:
    """Return the sum without clipping, in steps of clip / lattice."""
    points, responses = _arrays(data)
    u, weights = start().coordinates(start().coordinates.metric.functions.standardised(points))
    return np.asarray(np.trunc(responses * weights * u * (PLAN.lattice / clip)).sum(axis=1).astype(np.int64))


@registered
def response_not_clipped() -> Control:
    """The part of each row as it is."""

    def total(data: DataSet) -> Integers:
        return _parts(data, start().clip)

    return _control(
        "rows with a large response move the sum by more than the noise is for", _distribution(total, PLAN.noises[0])
    )


@registered
def sum_of_sensitivity_one_norm() -> Control:
    """Noise for a row that is added or removed: one norm instead of two."""
    return _control(
        "a replaced row takes one summand away and adds another: twice the clipping norm",
        _distribution(own_total, NoisyIntegers(PLAN.lattice, PLAN.sums[0])),
    )


@registered
def clip_at_the_largest_private_residual() -> Control:
    """The clipping norm is the largest of the private rows, in whose units the noisy sum is published."""

    def broken(data: DataSet) -> LogProbabilities:
        points, responses = _arrays(data)
        u, weights = start().coordinates(start().coordinates.metric.functions.standardised(points))
        clip = float(np.abs(responses * weights * u).sum(axis=0).max())
        distribution = _distribution(lambda given: _parts(given, clip), PLAN.noises[0])(data)
        return {(*place, round(clip, 12)): chance for place, chance in distribution.items()}

    return _control("a scale is read off private rows without noise, and shows in the steps of the lattice", broken)


@registered
def spread_that_is_not_selected() -> Control:
    """How far responses lie from the centre is the best of the list, without a mechanism."""
    chooser = PermuteAndFlip(CLAIM)

    def honest(data: DataSet) -> LogProbabilities:
        scores = spread_scores(_examples(data), 0.0)
        return dict(enumerate(map(float, chooser.log_probabilities(scores))))

    def broken(data: DataSet) -> LogProbabilities:
        best = int(np.argmax(spread_scores(_examples(data), 0.0)))
        return {i: 0.0 if i == best else -np.inf for i in range(len(SPREADS))}

    return Control("a scale is the best by its true score", CLAIM, [RECORDS] * 2, honest, broken)
