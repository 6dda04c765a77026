"""The error of a model that predicts a number: the mean squared error on held-out rows, with noise.

A held-out row with prediction f and response y, both in the declared range [low, high], scores

    s = round(m min(1, (f - y)^2 / c^2)),    an integer of 0, ..., m = 2^20.

c is the largest error that counts: high - low if nothing is said, so that nothing is cut, or a smaller one that is
declared.  Published is the sum of the scores plus discrete Laplace noise of scale m / epsilon; times c^2 / (m N) it is
the mean of min((f - y)^2, c^2) on N held-out rows, with noise of standard deviation of about 1.4 c^2 / (N epsilon).

*Claim.*  For the replacement of one row the published number is epsilon-DP, given the model.

*Proof.*  The model is drawn from other rows, and which rows are held out depends on their places alone.  The score of a
row depends on the model and on that row; it is an integer of [0, m] whatever its cells hold and however floats are
rounded, since it is cut there after rounding.  So the integer S moves by at most m, either way.  P[S + K = o] is
proportional to exp(-epsilon |o - S| / m), and |o - S| differs by at most m between neighbours.

A choice among models is permute-and-flip over the sums, of sensitivity m: replacing is not monotone, and it divides its
rate by 2 m.  Noise of a scale for smaller scores than those that are summed is a leak (``controls.squared`` of the
laboratory).

*Limits.*  They are of the mean of min((f - y)^2, c^2) on new rows of the same kind, y clipped into the range, if
held-out rows are independent draws.  ``mean_limits`` holds for every distribution on [0, m] and counts draw and noise
at once, without a split of the level between them.  Rounding moves each score by at most 1/2, and its mean by 1 / (2 m)
of c^2; the limits are 1 / m of c^2 further out, and what is left of that is far more than what floats round.

The variance of the response is private, too, so that no R^2 follows from the published number.
"""

import math
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from semipriv.core.fields import checked, value
from semipriv.core.samples import Responses
from semipriv.core.types import Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.practice.asking.limits import mean_limits
from semipriv.practice.columns.responses import Response

STEPS = 2**20
"""What a row scores at most."""
_FINEST = 1e-6
"""Least share of the range that the largest error may be."""
_SQUARED = (1e-150, 1e150)
"""Largest errors whose squares are floats."""


def _largest(name: str, given: Any) -> float:
    largest = float(given)
    if not _SQUARED[0] < largest < _SQUARED[1]:
        raise ValueError(f"{name} = {largest!r}: must be between 1e-150 and 1e+150, so that its square is a number")
    return largest


@value
class SquaredErrors:
    """How rows score.

    length: of the range of the response, in its units.  largest: the largest error that counts, in the same units.
    """

    length: float
    largest: float = checked(_largest)

    def __attrs_post_init__(self) -> None:
        if not _FINEST * self.length <= self.largest <= self.length:
            raise ValueError(
                f"largest_error = {self.largest!r}: must be at most {self.length!r}, the length of the range of the "
                "response, and at least a millionth of it"
            )

    @classmethod
    def of(cls, response: Response, largest: Fraction | None = None) -> "SquaredErrors":
        """Return the scores of a response; largest: None for the length of its range.  Raise ValueError for others."""
        low, high = response.range
        return cls(high - low, high - low if largest is None else float(largest))

    def scores(self, predicted: Responses, responses: Responses) -> Integers:
        """Return the score of each row, (n,), by predictions and responses in [-1, 1]; what is no number scores most.

        >>> SquaredErrors(10.0, 5.0).scores(np.array([0.0, 0.5, -1.0]), np.array([0.0, 0.0, 1.0])).tolist()
        [0, 262144, 1048576]
        """
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = np.rint(STEPS * ((predicted - responses) * (self.length / (2 * self.largest))) ** 2)
        return np.where(scaled < STEPS, scaled, STEPS).astype(np.int64)

    def described(self) -> dict[str, Any]:
        """Return values of JSON, exact."""
        return {"largest": self.largest, "steps": STEPS}


def noise_of(rows: int, epsilon: Fraction, largest: float, level: float) -> float:
    """Return what the noise moves the mean of so many rows by, either way, but with probability ``level``: public.

    >>> round(noise_of(200, Fraction(1, 4), 40.0, 0.05), 1)
    95.9
    """
    return largest**2 * -math.log1p(level - 1) / (rows * float(epsilon))


@attrs.frozen
class SquaredError:
    """What may be published of the squared error: a function of the noisy sum of scores, and of public numbers.

    value: the mean, moved into [0, largest^2].  low, high: its limits on new rows of the same kind.  All are in the
    squared units of the response.
    """

    value: float
    low: float
    high: float


def squared_error(
    noisy: int, rows: int, epsilon: Fraction, largest: float, level: float, candidates: int = 1, steps: int = STEPS
) -> SquaredError:
    """Return what a noisy sum of scores on ``rows`` >= 1 held-out rows says; limits miss with probability <= level.

    They hold for all candidates at once, so the choice does not flatter.

    >>> squared_error(10 * STEPS, 100, Fraction(1), 5.0, 0.05).value
    2.5
    """
    noise = DiscreteLaplace(steps / epsilon)
    low, high = mean_limits(noisy, rows, rows, steps, noise, level / (2 * candidates))
    return in_units(min(max(noisy, 0), rows * steps) / (rows * steps), low, high, largest, steps)


def in_units(mean: float, low: float, high: float, largest: float, steps: int = STEPS) -> SquaredError:
    """Return a mean score, in units of the steps, and its limits as squared errors; these bear the rounding.

    >>> in_units(0.25, 0.0, 1.0, 10.0)
    SquaredError(value=25.0, low=0.0, high=100.0)
    """
    ends = mean, max(low - 1 / steps, 0.0), min(high + 1 / steps, 1.0)
    return SquaredError(*(largest**2 * score for score in ends))
