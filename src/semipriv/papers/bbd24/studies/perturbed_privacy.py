"""Claims of BBD24 on the privacy of algorithm 2 (lemma 10), and on what prepares its class and public law."""

import math
from fractions import Fraction

import numpy as np
import scipy

from semipriv.core.types import Floats
from semipriv.papers.bbd24.perturbation.calibration import gaussian_scale, rho_perturbed
from semipriv.papers.bbd24.studies._cells import share_positive, sign, slope
from semipriv.report.ledger.claim import Table, claim

SECONDS = 1

ROUNDING = 1e-12


# ---------------------------------------------------------------------------------------------------- lemma 10
SPENT = "delta of algorithm 2's released values, two signs"
EPSILON, DELTA, M = 1.0, 1e-5, 50
SHARES = {(5.0, 1000): 4, (5.0, 20_000): 2, (20.0, 1000): 16, (20.0, 20_000): 4}
"""By eta and J: the part of the noise, one in so many, that controls have."""


def released_delta(eta: float, count: int, gamma: float, m: int, epsilon: float) -> float:
    """Return the delta of f(Z) + gamma zeta for algorithm 2 on two signs, one record against its neighbour.

    The mean of the m values is f + gamma g / sqrt(m), f = 2 B / count - 1 with B binomial, and says all that they say.
    Its likelihood ratio rises, so that the best event is that it is above a cut: where densities have ratio e^epsilon.
    """
    chances = [_binomial(count, share_positive(lead, eta)) for lead in (1.0, -1.0)]
    kept = np.flatnonzero(np.maximum(*chances) > 0)
    one, other = (law[kept] for law in chances)
    means, deviation = 2 * kept / count - 1, gamma / math.sqrt(m)

    def gain(cut: float) -> float:
        """Return the logarithm of the ratio of densities at the cut, less epsilon."""
        logs = -(((cut - means) / deviation) ** 2) / 2
        with np.errstate(divide="ignore"):
            ends = [scipy.special.logsumexp(logs + np.log(law)) for law in (one, other)]
        return float(ends[0] - ends[1]) - epsilon

    low, high = -1 - 40 * deviation, 1 + 40 * deviation
    if gain(high) < 0:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if gain(middle) >= 0 else (middle, high)
    above = scipy.special.ndtr((means - high) / deviation)
    return float(one @ above - math.exp(epsilon) * (other @ above))


def _binomial(count: int, share: float) -> Floats:
    """Return P[B = b] for b = 0..count."""
    b = np.arange(count + 1)
    logs = scipy.special.gammaln(count + 1) - scipy.special.gammaln(b + 1) - scipy.special.gammaln(count - b + 1)
    return np.asarray(np.exp(logs + b * math.log(share) + (count - b) * math.log1p(-share)))


def calibrated(eta: float, count: int) -> float:
    """Return the noise for (EPSILON, DELTA), half of delta for the averages and half for the noise."""
    return gaussian_scale(EPSILON, DELTA / 2, M, rho_perturbed(eta, count, DELTA / 2))


@claim(
    "BBD24-L10",
    "two binomial laws with normal noise, one record against its neighbour, exactly",
    shown=SPENT,
    constants="repaired",
)
def private(table: Table) -> str:
    """Compare the delta spent with that allowed; a share of the noise must spend more."""
    for (eta, count), part in SHARES.items():
        where, gamma = {"eta": eta, "J": count, "epsilon": EPSILON, "m": M}, calibrated(eta, count)
        table.at_most(SPENT, where, released_delta(eta, count, gamma, M, EPSILON), DELTA)
        less = f"{SPENT}, control with a share of the noise"
        table.exceeding(less, where | {"part": part}, released_delta(eta, count, gamma / part, M, EPSILON), DELTA)
    parts = ", ".join(f"1/{part} at eta = {eta:g}, J = {count:,}" for (eta, count), part in SHARES.items())
    return (
        "given Z, whatever it is: by Stein's identity, McDiarmid's inequality and the analytic scale, half of "
        f"delta for each.  At most {max(table.values(SPENT)):.1g} is spent of delta = {DELTA:g}.  The cell notices "
        f"less noise only from a factor on: {parts}.  The lemma's own condition is BBD24-L10-literal"
    )


@claim("BBD24-L10-literal", "f = 1 on a set of weight 2/3, else 0, in closed form")
def literal(table: Table) -> str:
    """Record how likely the public points show a function as 0 although its norm is 2/3."""
    for m in (4, 8, 16, 32):
        table.recorded("P[||f||_m = 0 for an f with ||f||^2 = 2/3]", {"m": m}, 3.0**-m)
    table.show(table.rows[0])
    return (
        "the lemma spends delta on the event over Z that some ||f||_m is below 1/2.  That event has a positive "
        "chance for every m, Z is public, and on it the proof says nothing: privacy for a fixed Z is not shown by it, "
        "nor refuted; BBD24-L10 needs no such event"
    )


# ---------------------------------------------------------------------------------------------------- x*
NORM = "2/3 / least ||f||^2 after mixing x* in"
DENSITY = "largest density of the private law after mixing x* in, times sigma"
POINTS = 20


@claim("BBD24-XSTAR", "20 equally likely points and x*, by fractions", shown=NORM)
def mixed(table: Table) -> str:
    """Check mu' = (mu + 2 atom at x*) / 3 on functions with f(x*) = 1, by fractions."""
    third = Fraction(1, 3)
    for ones in (0, 1, 7, POINTS):  # f = 1 on so many of 20 equally likely points, 0 on the others
        norm = third * Fraction(ones, POINTS) + 2 * third
        table.at_most(NORM, {"ones": ones}, float(2 * third / norm), 1.0)
    table.exceeding("the same, control with weight 1/2 on x*", {"ones": 0}, float(2 * third / Fraction(1, 2)), 1.0)
    for ones in (1, 2, 5, 10, 20):  # the private law is uniform on so many of the points: sigma = ones / 20
        sigma = Fraction(ones, POINTS)
        density = float(Fraction(1, ones) / (third * Fraction(1, POINTS)) * sigma)
        table.within(DENSITY, {"sigma": float(sigma)}, density, 3 - ROUNDING, 3 + ROUNDING, 3.0)
        table.exceeding(f"{DENSITY}, control against 2.99", {"sigma": float(sigma)}, density, 2.99)
    return (
        "mu' = mu / 3 + 2/3 at x*: ||f||^2 is 2/3 or more for f(x*) = 1, with equality for f = 0 elsewhere; a "
        "density of at most 1 / sigma becomes 3 / sigma, with equality where mu has no mass at x*"
    )


# ---------------------------------------------------------------------------------------------------- convex hull
FUNCTIONS, HULL_POINTS, MIXTURES, DRAWS = 30, 10, 200, 500


@claim(
    "BBD24-HULL",
    "30 random signs on 10 points with mixtures; slopes, the hull of two signs, in closed form",
    stream="hull",
)
def hull(table: Table) -> str:
    """Check that a linear functional is largest at a function, and that the hull of two signs is stable."""
    generator = table.randomness.generator
    values = generator.choice([-1.0, 1.0], (FUNCTIONS, HULL_POINTS))
    w = generator.standard_normal((DRAWS, HULL_POINTS)) @ values.T / math.sqrt(HULL_POINTS)
    weights = np.vstack([np.eye(FUNCTIONS), generator.dirichlet(np.full(FUNCTIONS, 0.1), MIXTURES)])
    where = {"functions": FUNCTIONS, "m": HULL_POINTS}
    ratio = float(((w @ weights.T).max(axis=1) / w.max(axis=1)).max())
    quantity = "largest w over mixtures / largest over the functions, most of all draws"
    table.show(table.within(quantity, where, ratio, 1 - ROUNDING, 1 + ROUNDING, 1.0))
    inside = float(((w**2).min(axis=1) / ((w @ weights.T) ** 2).min(axis=1)).max())  # not linear: least at a mixture
    quantity = "least w^2 over the functions / least over mixtures, control, most of all draws"
    table.exceeding(quantity, where, inside, 1.0)
    for eta in (4.0, 25.0, 100.0):
        bound, moved = 1 / math.sqrt(eta), slope(1, eta) - slope(-1, eta)
        table.at_most("distance of algorithm 3's minimisers on the hull of two signs", {"eta": eta}, moved, bound)
        moved = sign(1, eta) - sign(-1, eta)
        table.exceeding("the same on the two signs alone, control", {"eta": eta}, moved, bound)
    return (
        "a linear functional on a hull is largest at one of the functions, so that E sup w does not grow; "
        "algorithm 3 on the hull of {+1, -1} is 1 / sqrt(eta)-stable, on the two functions alone it is not"
    )
