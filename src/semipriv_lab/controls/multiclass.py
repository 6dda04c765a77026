"""Negative controls of learners of several labels: their own sums on one row, all values of the noise enumerated."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf
from semipriv.core.samples import ClassLabels
from semipriv.core.types import Floats, Integers
from semipriv.learners.multiclass.sums import chances, gradient_sum, sums_by_label
from semipriv.mechanisms.noisy_integers import NoisyIntegers, bounded
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered
from semipriv_lab.controls.discriminant import window_distribution

LABELS = 3
CLIP, LATTICE = 1.0, 4
RECORDS = [((u,), label) for u in (-2.0, 0.25, 3.0) for label in range(LABELS)]
"""A coordinate, and a label."""
WEIGHTS = np.array([[0.3], [-0.2], [0.0]])
NOISE = NoisyIntegers(2 * LATTICE, Fraction(1))

Total = Callable[[Floats, ClassLabels], Integers]
"""Coordinates (1, n) and labels (n,) to a sum for each label, (K,)."""


def _distribution(total: Total, noise: NoisyIntegers = NOISE) -> DistributionOf:
    """Return the distribution of the noisy sum, each number moved into a window: post-processing."""

    @cache
    def of(data: DataSet) -> LogProbabilities:
        points, labels = (np.array(column) for column in zip(*data, strict=True))
        single = [window_distribution(noise, int(value)) for value in total(points.T, labels.astype(np.int8))]
        places = itertools.product(*(range(len(masses)) for masses in single))
        return {place: sum(float(masses[i]) for masses, i in zip(single, place, strict=True)) for place in places}

    return of


def _by_label(coordinates: Floats, labels: ClassLabels) -> Integers:
    return sums_by_label(coordinates, labels, LABELS, CLIP, LATTICE)


def _gradients(coordinates: Floats, labels: ClassLabels) -> Integers:
    return gradient_sum(WEIGHTS, coordinates, labels, CLIP, LATTICE)


def _control(breaks: str, honest: Total, broken: DistributionOf) -> Control:
    return Control(breaks, 1.0, [RECORDS], _distribution(honest), broken)


@registered
def sums_by_label_not_clipped() -> Control:
    """The coordinates of each row as they are."""

    def total(coordinates: Floats, labels: ClassLabels) -> Integers:
        whole = np.trunc(coordinates[0] * (LATTICE / CLIP)).astype(np.int64)
        return np.array([whole[labels == c].sum() for c in range(LABELS)])

    return _control("rows of a longer norm move the sum by more than the noise is for", _by_label, _distribution(total))


@registered
def labels_as_disjoint_parts() -> Control:
    """Noise for one norm, as if a replaced row changed the sum of one label alone, by being there or not."""
    return _control(
        "a replaced row leaves the sum of one label and joins that of another: twice the clipping norm",
        _by_label,
        _distribution(_by_label, NoisyIntegers(LATTICE, Fraction(1))),
    )


@registered
def labels_clipped_one_by_one() -> Control:
    """The gradient of each label is clipped by itself."""

    def total(coordinates: Floats, labels: ClassLabels) -> Integers:
        residuals = (labels == np.arange(LABELS)[:, None]) - chances(WEIGHTS, coordinates)
        summands = residuals * coordinates * (LATTICE / CLIP)
        return np.array([bounded(summand[None], LATTICE).sum() for summand in summands], np.int64)

    return _control("the norms of all labels together are more than the noise is for", _gradients, _distribution(total))
