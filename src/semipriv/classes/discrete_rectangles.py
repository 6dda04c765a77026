"""Axis-parallel rectangles over binary words: RECTANGLE_b^l of BNS15."""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import LISTED_DOMAIN, Predictions
from semipriv.classes.rectangles import Ends, Rectangles
from semipriv.core import fields
from semipriv.core.deviation import sauer
from semipriv.core.samples import Points
from semipriv.core.types import Floats

__all__ = ["DiscreteRectangles"]

_MOST_BITS = 53
"""Integers below 2^53 are floats."""


@fields.value
class DiscreteRectangles(Rectangles):
    """Rectangles with integer corners over {0, ..., 2^bits - 1}^dimension, and the empty set.

    Parameters as of ``Rectangles``, the empty set included.  The domain is finite, (2^b (2^b + 1) / 2)^d + 1 concepts,
    and so is the Littlestone dimension.  Representatives are integers: the middle one of the cell, rounded down
    ('midpoint'), the least ('lower') or the greatest ('upper').

    Args:
        bits: b, 1 to 53; coordinates are 0, ..., 2^b - 1.

    Source:
        BNS15 section 2, RECTANGLE_b^l.
    """

    bits: int = fields.size(most=_MOST_BITS, why="coordinates are floating-point numbers", default=8)

    @classmethod
    def examples(cls) -> "Sequence[DiscreteRectangles]":
        """Return those of few features and bits."""
        return [DiscreteRectangles(d, bits) for d, bits in ((1, 1), (1, 4), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2))]

    @property
    def example_points(self) -> Points:
        """Those with coordinates below 8."""
        return np.array(list(itertools.product(range(min(2**self.bits, 8)), repeat=self.dimension)), np.float64)

    @property
    def whole_domain(self) -> Points | None:
        """All (2^b)^d points, if they are few."""
        if 2 ** (self.bits * self.dimension) > LISTED_DOMAIN:
            return None
        return np.array(list(itertools.product(range(2**self.bits), repeat=self.dimension)), np.float64)

    @property
    def vc_dimension(self) -> int:
        """2 d; with one bit the concepts are the subcubes: d, or 2 for d = 1 (Natschlaeger and Schmitt 1996)."""
        return 2 * self.dimension if self.bits > 1 else max(2, self.dimension)

    @property
    def dual_vc_dimension(self) -> int:
        """2 d as on the reals; with one bit d: there are 2^d points, and the subcubes {x_j = 1} tell them apart."""
        return 2 * self.dimension if self.bits > 1 else self.dimension

    @property
    def littlestone_dimension(self) -> float:
        """On the line 2, 3 for one and two bits, else 2 (b - 1).  Above, floor(log2 of the concepts), an UPPER BOUND.

        In general at least 2 d (b - 1): those around the middle of the domain are 2 d thresholds of 2^(b - 1) places.

        On the line, after zeros that leave gaps of lengths s and a one with i points of its gap to the left and j to
        the right, two thresholds are left, of i + 1 and j + 1 places: depth [log2(i + 1)] + [log2(j + 1)], each rounded
        down.  2 b - 1 needs i + 1, j + 1 >= 2^(b - 1) at first, hence gaps of at most 2^(b - 1), and then one of them
        with s + 1 >= 2^(b - 1) + 2^(b - 2): none for b > 2.
        """
        if self.dimension == 1 and self.bits > 2:
            return 2 * (self.bits - 1)
        return self.concepts.bit_length() - 1

    @property
    def concepts(self) -> int:
        """(2^b (2^b + 1) / 2)^d + 1."""
        return (2 ** (self.bits - 1) * (2**self.bits + 1)) ** self.dimension + 1

    def growth(self, m: int) -> int:
        """Return an upper bound, the smaller of Sauer's and the number of concepts: exact up to the VC dimension."""
        return min(sauer(m, self.vc_dimension), self.concepts)

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Return points with integer coordinates below 2^bits.

        Raises:
            ValueError: with the first other coordinate.
        """
        x = super().validated(points, name)
        bad = np.argwhere((x < 0) | (x >= 2.0**self.bits) | (x != np.floor(x)))
        if bad.size:
            row, column = map(int, bad[0])
            place = f"{name}: row {row}, feature {column} = {x[row, column]}"
            raise ValueError(f"{place}: must be an integer from 0 to 2^{self.bits} - 1")
        return x

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, 2 d), (n, d) -> (k, n) bool."""
        return super().predict(parameters, self.validated(points))

    def _ends(self, coordinates: Floats, representative: str) -> Ends:
        u = coordinates.astype(np.int64)
        left = np.concatenate([[0], u + 1])[: len(u)], u
        right = u, np.concatenate([u - 1, [2**self.bits - 1]])[1:]
        place = {"lower": lambda a, b: a, "upper": lambda a, b: b, "midpoint": lambda a, b: a + (b - a) // 2}
        low, high = (place[representative](*cell).astype(np.float64) for cell in (left, right))
        return low, high

    def _pieces(self, lo: Floats, hi: Floats) -> Floats:
        starts = np.unique(np.concatenate([[0.0], np.ceil(lo), np.floor(hi) + 1]))
        return np.asarray(starts[(starts >= 0) & (starts < 2.0**self.bits)])
