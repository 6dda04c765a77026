"""ABM19: how far hypotheses of other classes that agree on m random points can differ, as sums of spacings.

Bad is the event that two hypotheses agree on all m public points, yet disagree with probability above alpha.  The Bad
diameter is the largest disagreement of two hypotheses that agree on the points, so that P[Bad] = P[diameter > alpha].

The points lie on a curve.  A hypothesis enters and leaves the curve at a few places, its ends.  Two hypotheses that
agree on the points differ on pieces of gaps between neighbouring points.  A piece inside a gap between two points takes
two ends of the two hypotheses; a piece in a gap at an end of the curve takes one.  The number of ends is limited, and
the diameter is the largest sum of gaps that the ends suffice for.  Thresholds and unions of
intervals are in ``semipriv.distributions.spacings``.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.core import checks
from semipriv.core.types import Bools, Floats
from semipriv.distributions.spacings import ROWS, Gaps, line_diameters, simulated


# ---------------------------------------------------------------------------------------------------- Bad diameters
def moment_curve_diameters(gaps: Gaps, d: int) -> Floats:
    """Return the Bad diameters of halfspaces in R^d on the moment curve (t, t^2, ..., t^d): (t, m + 1) -> (t,).

    On the curve a halfspace is the set on which a polynomial of degree d is not negative: it has any d sign changes at
    most, from either sign.  Two halfspaces have 2 d changes together.  An interior gap needs two of them, because the
    labels of its ends fix the parity of each hypothesis' changes in it; an outermost gap needs one.  So one or both
    outermost gaps leave d - 1 others, none leaves d: max(first + last + top d - 1 of the others, top d of the others).
    It is attained: each hypothesis changes once in each interior gap, at opposite ends, and one of them in the first,
    the other in the last gap.
    """
    checks.size("d", d)
    if gaps.shape[1] <= 2:
        return np.asarray(gaps.sum(axis=1))
    inner, ends = gaps[:, 1:-1], gaps[:, 0] + gaps[:, -1]
    of_lower_dimension = line_diameters(inner, d - 1) if d > 1 else 0.0
    return np.asarray(np.maximum(ends + of_lower_dimension, line_diameters(inner, d)))


def circle_diameters(gaps: Gaps) -> Floats:
    """Return the Bad diameters of halfspaces in the plane on a circle: (t, m) gaps of m >= 1 points -> (t,).

    The diameter is the sum of the two largest gaps, or of all if there are no more.  A line cuts a circle into any two
    arcs, so that the hypotheses are all arcs, with the empty one and the whole circle; each has at most two ends.  The
    labels of a gap's ends fix the parity of each hypothesis' ends in it.  So a gap in which two hypotheses differ needs
    two of their four ends.  It is attained: two gaps part the points; both arcs hold one part, and end at opposite ends
    of both gaps.  One point leaves one gap, the circle without the point: one arc may fill it, another leave it empty.
    """
    return line_diameters(gaps, 2)


def cross_diameters(gaps: Gaps, arm: NDArray[np.integer], innermost: Bools) -> Floats:
    """Return the Bad diameters of rectangles on a cross of four arms along the axes from the origin: (t, g) -> (t,).

    arm: (t, g) 0 to 3, the arm of each gap.  innermost: whether a gap begins at the origin.  The diameter is the
    largest of (a) the sum of the largest gap of each arm; (b) the innermost gaps and the largest other one; (c) the two
    largest gaps.

    A rectangle that holds the origin is a star: it holds each arm up to some radius, and all four radii are possible.
    Any other rectangle meets at most one arm, in an interval, and all intervals are possible.  Consider two that agree
    on the points.  Two stars: on each arm both radii lie in one gap, which may be any: (a).  A star and an interval:
    the star holds no point of the other arms, so that they differ there in innermost gaps, and it holds the first k
    points of the interval's arm.  If k >= 1, the interval begins in the innermost gap, which the star fills, and both
    end in the gap after the k-th point; if k = 0, the interval lies in one gap: (b), or no more than the innermost
    gaps.  Two intervals: around the same points they begin in one gap of their arm and end in another; without points
    each lies in one gap of any arm: (c).
    """
    longest = sum(np.where(arm == a, gaps, 0.0).max(axis=1) for a in range(4))
    mixed = np.where(innermost, gaps, 0.0).sum(axis=1) + np.where(innermost, 0.0, gaps).max(axis=1)
    return np.asarray(np.max([longest, line_diameters(gaps, 2), mixed], axis=0))


def edge_excess(strip: float) -> float:
    """Return the limit of n_public times the mean excess error by one edge of the target, (1 - s^2 / 4) / 2.

    The marginal is uniform, private examples abound, representatives are midpoints.  s = strip: the mass that the edge
    sweeps for each unit that it moves, in (0, 1]: 1 for thresholds and intervals, the edge's length for rectangles.  In
    units of 1 / n_public coordinates of public points are a Poisson process of rate 1.  A cover has an edge half-way
    between the coordinate of a point of the strip and the next coordinate of *any* point.  So the cover's edges are the
    midpoints of the gaps, each kept with probability s = 1 - q.  The nearest to the target is farther than r iff
    none is kept in a window of length L = 2 r, with probability G(L) = E q^N, N the number of midpoints in the window.

    With k points in the window, a gap that begins or ends outside has its midpoint in the window with probability
    1 - e^-u, u being the part of the gap inside.  Let f(u) = q + s e^-u, and F the integral of e^-u f(u), F = 1 - s/2.
    The integrals of the parts of G over L are F (k = 0), F^2 (k = 1) and q F^2 / s (k >= 2).  So the mean distance is
    (F + F^2 / s) / 2, and s times it is F (s + F) / 2 = (1 - s/2) (1 + s/2) / 2.

    >>> edge_excess(1.0), round(edge_excess(0.6), 6)
    (0.375, 0.455)
    """
    return (1 - checks.between("strip", strip, 0, 1, closed="h") ** 2 / 4) / 2


def bad_diameters_circle(m: int, trials: int, generator: np.random.Generator) -> Floats:
    """Simulate ``circle_diameters`` of m uniform points, (trials,); 1 for no point.

    Cut at one of its points, a circle is a line with the m - 1 others.
    """
    return simulated(max(checks.size("m", m, 0) - 1, 0), trials, generator, circle_diameters)


def bad_diameters_moment_curve(m: int, d: int, trials: int, generator: np.random.Generator) -> Floats:
    """Simulate ``moment_curve_diameters`` of m points, t of an atomless distribution, (trials,)."""
    checks.size("dimension", d)
    return simulated(m, trials, generator, lambda gaps: moment_curve_diameters(gaps, d))


def bad_diameters_cross(m: int, trials: int, generator: np.random.Generator) -> Floats:
    """Simulate ``cross_diameters`` of m points, arm and place on it uniform, (trials,)."""
    checks.size("m", m, 0)
    checks.size("trials", trials)
    result = np.empty(trials)
    rows = max(1, ROWS // (m + 5))
    for start in range(0, trials, rows):
        size = min(rows, trials - start)
        borders = np.broadcast_to(np.arange(5.0), (size, 5))  # arm a is the piece [a, a + 1) of a line
        places = np.sort(np.concatenate([4 * generator.random((size, m)), borders], axis=1), axis=1)
        begin = places[:, :-1]
        gaps, arm = np.diff(places, axis=1) / 4, np.minimum(begin.astype(np.intp), 3)
        result[start : start + size] = cross_diameters(gaps, arm, begin == arm)
    return result


def covering_radius_thresholds(representatives: ArrayLike) -> float:
    """Return the covering radius of thresholds with given positions r on the quantile scale F(t), in [0, 1].

    It is max(r_0, 1 - r_last, max (r_{i+1} - r_i) / 2), r sorted: at most the Bad diameter, the largest gap of public
    points.
    """
    r = np.clip(np.sort(np.asarray(representatives, float)), 0.0, 1.0)
    inner = np.diff(r).max() / 2 if r.size > 1 else 0.0
    return float(max(r[0], 1 - r[-1], inner))
