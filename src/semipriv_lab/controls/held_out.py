"""Negative controls of a choice by held-out rows: a choice that is not paid for, and rows that are used twice."""

import math
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.audit.exact import DataSet, as_sample, examples
from semipriv.classes.base import ListedCover
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.learners.base import FiniteOutput
from semipriv.practice.asking.quality import HeldOut, held
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

LINE = np.array([[1.0], [2.0]])
EVERY = 2
ROWS = 4
CLAIM = 0.8
"""Two candidates that cost 0.4 each on the training part; a choice of 0.5 and a number of 0.3 on the held-out part."""
_USE = HeldOut(EVERY, epsilon=Fraction("0.3"), choice=Fraction("0.5"))
_LEARNERS = tuple(registry.build("learners", {"name": "sspp", "epsilon": 0.4}) for _ in range(2))
_COVERS = (Thresholds("ge").cover(LINE).listed(), Thresholds("le").cover(LINE).listed())


def _parts(data: DataSet) -> tuple[DataSet, DataSet]:
    out = held(np.arange(1, len(data) + 1), EVERY)
    return tuple(r for r, h in zip(data, out, strict=True) if not h), tuple(
        r for r, h in zip(data, out, strict=True) if h
    )


def _mistakes(cover: ListedCover, data: DataSet) -> np.ndarray:
    sample = as_sample(data)
    return cover.mistakes(sample.points, sample.labels)


def _drawn(cover: ListedCover, learner: FiniteOutput, data: DataSet) -> np.ndarray:
    sample = as_sample(data)
    return np.exp(learner.output_distribution(cover, sample.points, sample.labels).log_probabilities)


@cache
def _number(count: int, rows: int) -> list[float]:
    """Return the distribution of a count with noise, cut to [0, rows], which is post-processing."""
    distribution = _USE.noise.log_probability(np.arange(rows + 1) - count)
    distribution[0], distribution[rows] = _USE.noise.log_cumulative([-count, count - rows])
    return np.exp(distribution).tolist()


@cache
def _choice(counts: tuple[int, ...]) -> np.ndarray:
    """Return the distribution of the choice among candidates with these mistakes."""
    return np.exp(_USE.chooser.log_probabilities([-count for count in counts]))


def _distribution(train: DataSet, test: DataSet, *, by_training: bool = False) -> LogProbabilities:
    """Return the distribution of (chosen, its hypothesis, its noisy number), summed over all pairs of hypotheses.

    by_training: the candidate with fewer mistakes on the training rows is chosen.
    """
    chances = [_drawn(cover, learner, train) for cover, learner in zip(_COVERS, _LEARNERS, strict=True)]
    fitted = [_mistakes(cover, train) for cover in _COVERS]
    judged = [_mistakes(cover, test) for cover in _COVERS]
    distribution: dict[tuple[int, int, int], float] = {}
    for pair in np.ndindex(*(len(chance) for chance in chances)):
        weight = math.prod(float(chance[h]) for chance, h in zip(chances, pair, strict=True))
        counts = [int(mistakes[h]) for mistakes, h in zip(judged, pair, strict=True)]
        choice = _choice(tuple(counts))
        if by_training:
            best = int(np.argmin([mistakes[h] for mistakes, h in zip(fitted, pair, strict=True)]))
            choice = np.eye(len(pair))[best]
        for j, h in enumerate(pair):
            for y, chance in enumerate(_number(counts[j], len(test))):
                distribution[j, h, y] = distribution.get((j, h, y), 0.0) + weight * float(choice[j]) * chance
    return {outcome: math.log(chance) for outcome, chance in distribution.items() if chance}


@cache
def _honest(data: DataSet) -> LogProbabilities:
    return _distribution(*_parts(data))


@registered
def chosen_by_training_mistakes() -> Control:
    """The better one of two private fits on the rows that trained them, at no charge."""
    return Control(
        "the choice reads the training rows and is not paid for",
        CLAIM,
        [examples(LINE)] * ROWS,
        _honest,
        lambda data: _distribution(*_parts(data), by_training=True),
    )


@registered
def held_out_rows_trained_on() -> Control:
    """All rows train, and the last of each two judge as well."""
    return Control(
        "held-out rows train, too, and the maximum of both costs is claimed instead of their sum",
        CLAIM,
        [examples(LINE)] * ROWS,
        _honest,
        lambda data: _distribution(data, _parts(data)[1]),
    )
