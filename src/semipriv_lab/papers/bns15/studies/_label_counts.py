"""GenericLearner's failure on TWO-ATOMS by the counts of its labels, exactly, for given hypotheses."""

import math
from functools import cache

import numpy as np
import scipy

from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.types import Integers
from semipriv_lab.papers.bns15.studies._fixed_data import entries
from semipriv_lab.papers.bns15.studies._line_distributions import two_atoms


def _compositions(m: int, parts: int) -> Integers:
    """Return all ways to write m as so many parts >= 0, (r, parts)."""
    rows = np.arange(m + 1)[:, None]
    for _ in range(parts - 2):
        left = m - rows.sum(axis=1)
        repeated = np.repeat(rows, left + 1, axis=0)
        starts = np.repeat(np.cumsum(left + 1) - (left + 1), left + 1)
        rows = np.column_stack([repeated, np.arange(len(repeated)) - starts])
    return np.column_stack([rows, m - rows.sum(axis=1)])


@cache
def failure_on_quantiles(bits: int, size: int, m: int, alpha: float, epsilon: float = 1.0) -> float:
    """Return P[error > alpha] from m labels, where the released points are the quantiles (i - 1/2) / k of TWO-ATOMS.

    Thresholds at j >= 1 are wrong on the labels with 1 <= x < j, the one at 0 on those with x = 0.
    """
    h, distribution = DiscreteThresholds(bits), two_atoms(bits, alpha)
    cuts = sorted(h.decode(h.cover(h.encode(entries("TWO-ATOMS", bits, size, alpha))).listed().parameters))
    positive = [cut for cut in cuts if cut >= 1]
    places = np.array([distribution.below(cut) for cut in positive])
    masses = np.append(places[:1], np.append(np.diff(places), 1.0 - places[-1]))
    counts = _compositions(m, len(masses))
    logs = scipy.special.xlogy(counts, masses).sum(axis=1) - scipy.special.gammaln(counts + 1).sum(axis=1)
    weights = np.exp(logs + math.lgamma(m + 1))
    wrong = np.cumsum(counts[:, 1:-1], axis=1)  # of cuts after the first
    scores = np.exp(-epsilon / 2 * np.column_stack([counts[:, 0], np.zeros(len(counts)), wrong]))
    bad = np.array([distribution.error(0) > alpha] + [distribution.error(cut) > alpha for cut in positive])
    return float(weights @ (scores[:, bad].sum(axis=1) / scores.sum(axis=1)))


@cache
def failure_at_worst(size: int, m: int, alpha: float, epsilon: float = 1.0) -> float:
    """Return an upper bound for k released points that hold the atoms: no label falls beyond 1.

    Of the k + 1 hypotheses one is right, the one at 0 is wrong on the labels with x = 0, and k - 1 on those with x = 1.
    """
    atoms, other = np.arange(m + 1)[:, None], np.arange(m + 1)[None]
    rest = m - atoms - other
    inside = rest >= 0
    shares = (0.5, 1.25 * alpha, 0.5 - 1.25 * alpha)
    parts = (atoms, other, np.maximum(rest, 0))
    logs = math.lgamma(m + 1) + sum(
        scipy.special.xlogy(part, share) - scipy.special.gammaln(part + 1)
        for part, share in zip(parts, shares, strict=True)
    )
    weights = np.where(inside, np.exp(logs), 0.0)
    bad = np.exp(-epsilon / 2 * atoms) + (size - 1) * np.exp(-epsilon / 2 * other)
    return float((weights * bad / (1 + bad)).sum())
