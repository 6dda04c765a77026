"""How often each outcome was drawn, against a distribution: one chi-square test for all samplers."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chisquare


def cells(expected: np.ndarray, least: float) -> np.ndarray:
    """Cell of each outcome: neighbours together until so many are expected."""
    places, total = np.zeros(expected.size, np.intp), 0.0
    for i, number in enumerate(expected[:-1]):
        total += number
        places[i + 1] = places[i] + (total >= least)
        total = total * (total < least)
    return np.where(places == places[-1], max(places[-1] - (total + expected[-1] < least), 0), places)


def p_value(counts: ArrayLike, expected: ArrayLike, least: float = 20) -> float:
    """Of counts, if so many are expected except for a factor; 1 if all outcomes are in one cell."""
    cell = cells(np.asarray(expected, float), least)
    observed, wanted = np.bincount(cell, counts), np.bincount(cell, expected)
    return float(chisquare(observed, wanted * (observed.sum() / wanted.sum())).pvalue) if cell[-1] else 1.0
