"""Floats in the pieces into which numbers cut the line."""

import numpy as np

from semipriv.core.types import Floats


def starts_of_pieces(lower: Floats, upper: Floats) -> Floats:
    """Return the least floats of the pieces of the line between ends of closed intervals, but of the first: (s,)."""
    with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
        starts = np.unique(np.concatenate([lower, np.nextafter(upper, np.inf)]))
    return starts[np.isfinite(starts)]


def cell_representative(low: Floats, high: Floats, representative: str, *, open_low: bool) -> Floats:
    """Return a float in each cell: (low, high] if open_low else [low, high); either end may be infinite.

    representative: 'midpoint' (the middle, or the infinite end if there is one), 'lower' (the least float of the cell)
    or 'upper' (the greatest).
    """
    with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
        least = np.nextafter(low, np.inf) if open_low else low
        greatest = high if open_low else np.nextafter(high, -np.inf)
    least = np.where(np.isneginf(low), -np.inf, least)
    greatest = np.where(np.isposinf(high), np.inf, greatest)
    if representative == "lower":
        return least
    if representative == "upper":
        return greatest
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isneginf(low), low, np.where(np.isposinf(high), high, low / 2 + high / 2))
    return np.clip(middle, least, greatest)
