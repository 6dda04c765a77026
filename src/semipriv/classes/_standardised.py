"""Features in units of a public scale, moved into a fixed reach: what functions of such features share."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core import checks
from semipriv.core.fields import checked, value
from semipriv.core.samples import Points, as_points

REACH = 4.0
"""Standard deviations at which features are clipped."""


def _numbers(name: str, given: Any) -> tuple[float, ...]:
    if isinstance(given, str) or not np.iterable(given):
        raise ValueError(f"{name} = {given!r}: must be a list of numbers, one for each feature")
    return tuple(checks.real(f"{name}[{j}]", number) for j, number in enumerate(given))


@value
class Standardised:
    """z_j = (x_j - centre_j) / scale_j, moved into [-4, 4]; d weights and an offset are the parameters of a function.

    Args:
        centre: (d,) finite numbers.
        scale: (d,) finite numbers > 0.
    """

    centre: tuple[float, ...] = checked(_numbers)
    scale: tuple[float, ...] = checked(_numbers)

    def __attrs_post_init__(self) -> None:
        if len(self.centre) != len(self.scale) or not self.centre:
            raise ValueError(f"scale: has {len(self.scale)} feature(s), centre has {len(self.centre)}")
        for j, unit in enumerate(self.scale):
            checks.positive(f"scale[{j}]", unit)

    @property
    def dimension(self) -> int:
        """Number of features."""
        return len(self.centre)

    @property
    def width(self) -> int:
        """d + 1."""
        return self.dimension + 1

    def standardised(self, points: ArrayLike) -> Points:
        """Return standardised points.

        Args:
            points: (n, d).

        Returns:
            z (n, d), in [-4, 4]^d.

        Raises:
            ValueError: for anything but finite numbers.
        """
        x = as_points(points, self.dimension)
        with np.errstate(over="ignore"):  # what is infinite is clipped
            return np.clip((x - np.array(self.centre)) / np.array(self.scale), -REACH, REACH)
