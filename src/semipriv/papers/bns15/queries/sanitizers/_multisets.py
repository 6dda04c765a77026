"""All multisets of k points of a tiny domain, with their scores as sanitized data."""

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.samples import Points
from semipriv.core.types import Bools, Integers

MOST = 100_000
"""Multisets that are listed at most."""


@dataclass(frozen=True, eq=False)
class Multisets:
    """Multisets of k points of N: how often each has each point, (r, N), and of how many ordered tuples it is, (r,)."""

    counts: Integers
    tuples: list[int]


@lru_cache(maxsize=32)
def multisets(points: int, size: int) -> Multisets:
    """Return all multisets of ``size`` of so many points; raise ValueError if there are more than MOST."""
    number = math.comb(points + size - 1, size)
    if number > MOST:
        raise ValueError(f"size = {size}: {number:,} multisets of {points} points to list, at most {MOST:,}")
    chosen = itertools.combinations_with_replacement(range(points), size)
    counts = [np.bincount(places, minlength=points) for places in chosen]
    tuples = [math.factorial(size) // math.prod(math.factorial(int(c)) for c in row) for row in counts]
    return Multisets(np.array(counts, np.int64).reshape(number, points), tuples)


def scores(counts: Integers, sets: Bools, size: int) -> Integers:
    """Return max_c |k #{x in D : c} - n #{y in Y : c}| for each multiset Y of k points, (r,).

    counts: (N,) how often the data D has each point, n together; sets: (q, N).  Replacing a point of D changes it by at
    most k.
    """
    inside = sets.astype(np.int64)
    gaps = size * (inside @ counts)[:, None] - int(counts.sum()) * (inside @ multisets(len(counts), size).counts.T)
    return np.asarray(np.abs(gaps).max(axis=0))


def symmetric_differences(hypothesis_class: HypothesisClass, domain: Points) -> Bools:
    """Return the distinct sets {x : h(x) != h'(x)} on a domain (N, d), (q, N)."""
    labels = hypothesis_class.cover(domain).listed().dichotomies()
    return np.unique((labels[:, None] != labels[None]).reshape(-1, labels.shape[1]), axis=0)
