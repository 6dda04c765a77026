"""A negative control of the squared error: noise for errors that are cut, and a sum of errors that are not."""

import math
from fractions import Fraction

import numpy as np

from semipriv.audit.exact import DataSet, as_sample, examples
from semipriv.core.types import Floats
from semipriv.practice.asking.quality import HeldOut
from semipriv.practice.asking.squared import STEPS, SquaredErrors
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

RESPONSES = np.array([[0.0], [0.25], [1.0]])
"""Responses, each instead of a point; the model predicts 0 everywhere."""
ROWS = 2
CLAIM = 0.5
_USE = HeldOut(2, Fraction("0.5"), squared=SquaredErrors(2.0, 0.5))
_ENDS = [STEPS // 2 * end for end in range(-4, 17)]
"""The noisy sum is told between which of these it is, which is post-processing."""


def _distribution(scores: Floats) -> LogProbabilities:
    """Return the distribution of the cell of the noisy sum."""
    total = int(scores.sum())
    below = np.exp(_USE.noise.log_cumulative([end - total for end in _ENDS])).tolist()
    above = np.exp(_USE.noise.log_cumulative([total - end - 1 for end in _ENDS])).tolist()
    cells = [below[0]]
    for i in range(1, len(_ENDS)):  # from the side on which nothing is lost by the difference
        cells.append(below[i] - below[i - 1] if _ENDS[i] <= total else above[i - 1] - above[i])
    return {cell: math.log(chance) for cell, chance in enumerate([*cells, above[-1]])}


def _responses(data: DataSet) -> Floats:
    return np.asarray(as_sample(data).points[:, 0])


@registered
def squared_errors_not_cut() -> Control:
    """The declared largest error decides the noise, and larger ones count in full."""
    assert _USE.squared is not None
    largest = _USE.squared.largest
    return Control(
        "errors above the declared largest one are not cut, so that a row moves the sum by more than is hidden",
        CLAIM,
        [examples(RESPONSES)] * ROWS,
        lambda data: _distribution(_USE.scores(np.zeros(ROWS), _responses(data))),
        lambda data: _distribution(np.rint(STEPS * (_responses(data) / largest) ** 2)),
    )
