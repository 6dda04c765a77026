"""Finitely many functions on finitely many points, given by their table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.regressors.base import Regressors
from semipriv.core import checks, fields
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points, as_points
from semipriv.core.types import Floats

__all__ = ["FiniteFunctions"]


def _table(name: str, given: Any) -> tuple[tuple[float, ...], ...]:
    raw = checks.array(name, given)
    if raw.ndim != 2 or raw.size == 0:
        raise ValueError(f"{name}: must be N >= 1 rows of K >= 1 numbers")
    values = raw.astype(np.float64)
    outside = ~(np.abs(values) <= 1)
    if outside.any():
        row, column = map(int, np.argwhere(outside)[0])
        raise ValueError(f"{name}: row {row}, column {column} = {values[row, column]}: must be in [-1, 1]")
    return tuple(map(tuple, (values + 0.0).tolist()))


@value
class FiniteFunctions(Regressors):
    """The functions f_i(j) = table[i][j] on the points 0, ..., K - 1; the parameter is the row i.

    Args:
        table: N rows of K numbers in [-1, 1], N and K >= 1.

    Source:
        BBD24.
    """

    table: Sequence[Sequence[float]] = fields.checked(_table)

    @classmethod
    def examples(cls) -> "tuple[FiniteFunctions, ...]":
        """Return two constants, a cube, a chain of steps, and a table of numbers."""
        cube = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
        steps = np.where(np.arange(4) >= np.arange(5)[:, None], 1.0, -1.0)
        return (
            cls([[1.0], [-1.0]]),
            cls(cube.tolist()),
            cls(steps.tolist()),
            cls([[0.5, -0.25, 1.0], [0.0, 0.75, -1.0]]),
        )

    dimension = 1
    width = 1
    """1: the row."""

    @property
    def size(self) -> int:
        """N, the number of functions."""
        return len(self.table)

    @property
    def domain(self) -> Points:
        """0, ..., K - 1 as points (K, 1)."""
        return np.arange(float(len(self.table[0])))[:, None]

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Return points (n, 1) of the domain.

        Raises:
            ValueError: with the row of the first point outside.
        """
        x, last = as_points(points, 1, name), len(self.table[0]) - 1
        outside = (x[:, 0] < 0) | (x[:, 0] > last) | (x[:, 0] != np.floor(x[:, 0]))
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(f"{name}: row {row} = {x[row, 0]:g}: must be one of 0, ..., {last}")
        return x

    def values(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return the entries of the table: (k, 1), (n, 1) -> (k, n)."""
        rows = np.asarray(parameters, np.float64).reshape(-1).astype(np.intp)
        return np.asarray(self.table)[rows][:, self.validated(points)[:, 0].astype(np.intp)]

    def clipped(self, points: Points) -> Points:
        """Return the nearest points of the domain."""
        return np.clip(np.rint(points), 0.0, len(self.table[0]) - 1.0) + 0.0

    def listed(self) -> Parameters:
        """Return all rows, (N, 1)."""
        return np.arange(float(self.size))[:, None]

    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that the table has these rows.

        Raises:
            ValueError: with the place, for a row that the table does not have.
        """
        rows = np.asarray(parameters)[:, 0]
        outside = (rows < 0) | (rows >= self.size) | (rows != np.floor(rows))
        if outside.any():
            place = int(np.argmax(outside))
            raise ValueError(f"{name}: row {place} = {rows[place]:g}: must be one of 0, ..., {self.size - 1}")
