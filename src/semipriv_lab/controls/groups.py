"""A negative control of the error by groups: noise as if a replaced row moved one group alone."""

import itertools
import math
from fractions import Fraction

import numpy as np

from semipriv.audit.exact import DataSet, as_sample, examples
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.practice.asking.groups import Groups, counted
from semipriv.practice.columns.features import Categories
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

LINE = np.array([[0.0], [1.0]])
"""Two points, each of a group of its own; the released hypothesis says 1 everywhere."""
ROWS = 2
CLAIM = 0.5
_GROUPS = Groups(Categories("group", ["a", "b"]), Fraction("0.5"))


def _distribution(data: DataSet, noise: DiscreteLaplace) -> LogProbabilities:
    """Return the distribution of all numbers, each cut to 0, ..., ROWS, which is post-processing."""
    sample = as_sample(data)
    counts = counted(sample.points[:, 0], sample.labels == 0, len(LINE)).ravel()
    numbers = []
    for count in counts:
        distribution = noise.log_probability(np.arange(ROWS + 1) - count)
        distribution[0], distribution[ROWS] = noise.log_cumulative([-count, count - ROWS])
        numbers.append(distribution.tolist())
    cells = itertools.product(range(ROWS + 1), repeat=len(counts))
    return {cell: math.fsum(distribution[y] for distribution, y in zip(numbers, cell, strict=True)) for cell in cells}


@registered
def groups_as_if_parallel() -> Control:
    """The scale of parallel composition, which holds if rows are added or removed, and not if one is replaced."""
    return Control(
        "noise of each group is that of a sensitivity of 1, and a replaced row moves two groups",
        CLAIM,
        [examples(LINE)] * ROWS,
        lambda data: _distribution(data, _GROUPS.mechanism.noise),
        lambda data: _distribution(data, DiscreteLaplace(1 / _GROUPS.epsilon)),
    )
