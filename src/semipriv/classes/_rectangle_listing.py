"""The least closed boxes around subsets of points in any dimension, each once."""

import itertools

import numpy as np
from numpy.typing import NDArray

from semipriv.classes._rectangle_tally import Strips
from semipriv.classes.base import check_listing
from semipriv.core.types import Bools, Indices

__all__ = ["least_boxes"]

_Boxes = NDArray[np.int32]


def least_boxes(ranks: Indices, instead: str) -> _Boxes:
    """List the sides (left_1, ..., left_d, right_1, ..., right_d) of least boxes around points in them, (k, 2 d).

    ranks: (m, d) integers, m >= 1.  In the plane strip by strip, on the line as in a plane of one row.  Above, slab by
    slab of the last feature: the least boxes of the slab in the other features; those count that hold both a point of
    the lowest and a point of the highest rank.  The points in different boxes of a slab have different least boxes in
    all features, so that no step lists more than the result.  Raises ValueError, with ``instead``, if the result
    and the empty set take more memory as floats than is allowed.
    """
    d = ranks.shape[1]
    if d <= 2:
        return _of_plane(ranks, instead)
    parts, number = [], 1
    last = ranks[:, -1]
    for low, high in itertools.combinations_with_replacement(np.unique(last), 2):
        slab = ranks[(last >= low) & (last <= high)]
        boxes = least_boxes(slab[:, :-1], instead)
        for side in (low,) if low == high else (low, high):
            boxes = boxes[_holding(boxes, slab[slab[:, -1] == side, :-1])]
        number += len(boxes)
        check_listing(number, 2 * d, instead)
        parts.append(np.insert(boxes, (d - 1, 2 * d - 2), (low, high), axis=1))
    return np.concatenate(parts)


def _of_plane(ranks: Indices, instead: str) -> _Boxes:
    d = ranks.shape[1]
    plane = ranks if d == 2 else np.column_stack([ranks, np.zeros_like(ranks)])
    strips = Strips.of(plane)
    check_listing(1 + int(strips.sizes.sum()), 2 * d, instead)
    boxes = strips.listed()
    for j, values in enumerate(map(np.unique, plane.T)):
        boxes[:, j], boxes[:, 2 + j] = values[boxes[:, j]], values[boxes[:, 2 + j]]
    return boxes if d == 2 else boxes[:, ::2]


def _holding(boxes: _Boxes, points: Indices) -> Bools:
    """Tell for each of the boxes (k, 2 d) whether it holds one of the points (r, d): (k,)."""
    d = points.shape[1]
    held = np.zeros(len(boxes), bool)
    for point in points:
        held |= np.all((boxes[:, :d] <= point) & (boxes[:, d:] >= point), axis=1)
    return held
