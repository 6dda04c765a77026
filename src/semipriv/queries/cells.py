"""Cells of points that hypotheses label alike: which cell a point is in, and which dichotomy a hypothesis has.

A class with exact ends on the line (``HypothesisClass.exact_ends``) needs comparisons only.  For the other classes
label vectors are packed to bits and looked up.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.functions import Parameters
from semipriv.core.samples import Points
from semipriv.core.sharing import shared
from semipriv.core.types import Bools, Floats, Indices, Integers, Words
from semipriv.geometry.bits import first_of_each, packed, places
from semipriv.geometry.shapes import Boxes, Rays, Shape
from semipriv.queries.base import Workload
from semipriv.queries.packed import Packed
from semipriv.queries.workloads import MANY_LABELS, GridBoxes, Runs, workload

_BLOCK = 2**25
"""Labels that are computed at once."""


class Cells(ABC):
    """K cells of the domain, numbered as their representatives are."""

    @abstractmethod
    def of(self, points: Points) -> Indices:
        """Return the cell of each point (n, d), (n,): a function of the point and of public data, for every point."""

    def counts(self, points: Points, size: int) -> Integers:
        """Return the number of points (n, d) in each of ``size`` cells, (K,)."""
        return np.bincount(self.of(points), minlength=size).astype(np.int64)


@dataclass(frozen=True, eq=False)
class LineCells(Cells):
    """Cells of the line, exactly: labels change only where a piece starts.

    starts: (s,) increasing, of all pieces but the first.  cell: (s + 1,), the cell of each piece.
    """

    starts: Floats
    cell: Indices

    def of(self, points: Points) -> Indices:
        """Look up the piece: O(n log s)."""
        return self.cell[np.searchsorted(self.starts, points[:, 0], "right")]

    def counts(self, points: Points, size: int) -> Integers:
        """Count by sorting, which NumPy does several times faster than it looks up unsorted points."""
        below = np.searchsorted(shared("sorted", (points,), lambda: np.sort(points[:, 0])), self.starts, "left")
        pieces = np.diff(np.concatenate([[0], below, [len(points)]]))
        counts = np.zeros(size, np.int64)
        np.add.at(counts, self.cell, pieces)
        return counts


@dataclass(frozen=True, eq=False)
class VectorCells(Cells):
    """Cells by their label vectors under the hypotheses (M, p).

    words: (k, ceil(M / 64)) distinct packed vectors.  cell: (k,), the cell of each.

    Where rounding makes a label vector that no cell has, the point belongs to the first cell whose vector differs in
    the fewest labels: an error would tell that such a point is there.
    """

    functions: HypothesisClass
    parameters: Parameters
    words: Words
    cell: Indices

    def of(self, points: Points) -> Indices:
        """Label all points, in blocks."""
        cell = np.empty(len(points), np.intp)
        rows = max(1, _BLOCK // max(1, len(self.parameters)))
        for start in range(0, len(points), rows):
            words = self.functions.label_vectors(self.parameters, points[start : start + rows])
            place = places(words, self.words)
            unknown = np.flatnonzero(place < 0)
            place[unknown] = self._nearest(words[unknown])
            cell[start : start + rows] = self.cell[place]
        return cell

    def known(self, points: Points) -> Bools:
        """Return whether a cell has exactly the label vector of each point, (n,): for tests, it is not protected."""
        return places(self.functions.label_vectors(self.parameters, points), self.words) >= 0

    def _nearest(self, words: Words) -> Indices:
        """Return the first cell with the fewest other labels for each packed vector (u, w): (u,)."""
        if not len(words):
            return np.zeros(0, np.intp)
        kinds, kind = np.unique(words, axis=0, return_inverse=True)
        nearest = [int(np.argmin(np.bitwise_count(self.words ^ words).sum(axis=1))) for words in kinds]
        return np.array(nearest, np.intp)[kind.ravel()]


def cells_of(functions: HypothesisClass, parameters: Parameters, representatives: Points) -> Cells:
    """Return the cells of the hypotheses (M, p) with these representatives (K, d)."""
    if not functions.exact_ends:
        words = functions.label_vectors(parameters, representatives)
        first = first_of_each(words)  # rounding may give two representatives one vector
        return VectorCells(functions, parameters, words[first], first)
    starts = _starts(_shape(functions, parameters))
    cell = np.full(len(starts) + 1, -1)
    cell[np.searchsorted(starts, representatives[:, 0], "right")] = np.arange(len(representatives))
    (missing,) = np.nonzero(cell < 0)
    if missing.size:  # pieces with the label vector of another one
        with np.errstate(over="ignore"):  # beyond the largest float no point is
            first = np.nextafter(starts[:1], -np.inf)
        at = np.nan_to_num(np.concatenate([first, starts])[missing, None])
        table = functions.label_vectors(parameters, representatives)
        cell[missing] = np.maximum(places(functions.label_vectors(parameters, at), table), 0)
    return LineCells(starts, cell)


def workload_of(functions: HypothesisClass, parameters: Parameters, representatives: Points) -> Workload:
    """Return the queries (M, p) on the cells with these representatives (K, d).

    Runs of cells where the class has exact ends and the representatives increase, as those of the package do.  Boxes
    of a grid for boxes in the plane (``in_boxes``).  Else a list, packed if it is long.
    """
    if functions.exact_ends and np.all(np.diff(representatives[:, 0]) > 0):
        start, stop = runs(_shape(functions, parameters), representatives[:, 0])
        return Runs(len(representatives), start, stop)
    if in_boxes(functions):
        return boxes(_shape(functions, parameters), representatives)
    if len(parameters) * len(representatives) > MANY_LABELS:
        return Packed.of(functions.label_vectors(parameters, representatives), len(parameters))
    return workload(functions.predict(parameters, representatives))


def in_boxes(functions: HypothesisClass) -> bool:
    """Return whether the class is in the plane and its hypotheses are 1 on boxes, so that comparisons label points."""
    return functions.dimension == 2 and isinstance(functions.ones(np.zeros((0, functions.width))), Boxes)


def boxes(shape: Shape, representatives: Points) -> Workload:
    """Return boxes of the plane as queries on the grid of the coordinates of representatives (K, 2)."""
    assert isinstance(shape, Boxes), f"{type(shape).__name__}: not a box"
    axes, place = zip(*(np.unique(x, return_inverse=True) for x in representatives.T), strict=True)
    start, stop = zip(
        *(runs(Boxes(shape.low[:, [j]], shape.high[:, [j]]), axis) for j, axis in enumerate(axes)), strict=True
    )
    return GridBoxes((len(axes[0]), len(axes[1])), *(np.column_stack(columns) for columns in (place, start, stop)))


def runs(shape: Shape, x: Floats) -> tuple[Integers, Integers]:
    """Return which of the increasing numbers x (m,) are in each ray or interval: those from start to stop - 1, (k,).

    Nothing is from 0 to -1.

    >>> runs(Boxes(np.array([[0.5], [3.0]]), np.array([[2.0], [1.0]])), np.arange(4.0))
    (array([1, 0]), array([3, 0]))
    """
    if isinstance(shape, Rays):
        left, right = np.searchsorted(x, shape.ends, "left"), np.searchsorted(x, shape.ends, "right")
        cut = np.where(shape.upper == shape.closed, left, right)
        start, stop = np.where(shape.upper, cut, 0), np.where(shape.upper, len(x), cut)
    else:
        assert isinstance(shape, Boxes), f"{type(shape).__name__}: not a shape of the line with exact ends"
        start, stop = np.searchsorted(x, shape.low[:, 0], "left"), np.searchsorted(x, shape.high[:, 0], "right")
    some = start < stop
    return np.where(some, start, 0), np.where(some, stop, 0)


def dichotomies(functions: HypothesisClass, parameters: Parameters, points: Points) -> Words:
    """Return words (k, w) that are equal for hypotheses (k, p) iff these label the sorted points (m, d) alike."""
    if functions.exact_ends:
        start, stop = runs(_shape(functions, parameters), points[:, 0])
        return np.column_stack([start, stop]).astype(np.uint64)
    rows = max(1, _BLOCK // max(1, len(points)))
    parts = [packed(functions.predict(parameters[i : i + rows], points)) for i in range(0, len(parameters), rows)]
    return np.concatenate(parts) if parts else np.zeros((0, max(1, -(-len(points) // 64))), np.uint64)


def _shape(functions: HypothesisClass, parameters: Parameters) -> Shape:
    shape = functions.ones(parameters)
    assert shape is not None, f"{functions!r}: a class with exact ends has shapes"
    return shape


def _starts(shape: Shape) -> Floats:
    """Return the least floats of the pieces of the line between which no label changes, but of the first: (s,)."""
    with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
        if isinstance(shape, Rays):
            starts = np.where(shape.upper == shape.closed, shape.ends, np.nextafter(shape.ends, np.inf))
        else:
            assert isinstance(shape, Boxes), f"{type(shape).__name__}: not a shape of the line with exact ends"
            real = shape.low[:, 0] <= shape.high[:, 0]
            starts = np.concatenate([shape.low[real, 0], np.nextafter(shape.high[real, 0], np.inf)])
    return np.unique(starts[np.isfinite(starts)]) + 0.0
