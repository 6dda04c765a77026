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
    with np.errstate(over="ignore", invalid="ignore"):  # the neighbour of the largest float is infinite
        least = np.nextafter(low, np.inf) if open_low else low
        greatest = high if open_low else np.nextafter(high, -np.inf)
        middle = low / 2 + high / 2
    no_low, no_high = low == -np.inf, high == np.inf
    least, greatest = np.where(no_low, -np.inf, least), np.where(no_high, np.inf, greatest)
    if representative == "lower":
        return least
    if representative == "upper":
        return greatest
    middle = np.where(no_low, low, np.where(no_high, high, middle))
    return np.asarray(middle.clip(least, greatest))
