"""Claims of BBD24 on the privacy of algorithm 2 (lemma 10), and on what prepares its class and public law."""

import math
from fractions import Fraction

import numpy as np
import scipy
from numpy.typing import NDArray

from semipriv.core.randomness import Simulation
from semipriv.papers.bbd24.perturbation.calibration import gaussian_scale, rho_perturbed
from semipriv.papers.bbd24.studies._cells import share_positive, sign, slope
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    exceeding,
    nearest_to_bound,
    recorded,
    within,
)

CLAIMS = ("BBD24-L10", "BBD24-L10-literal", "BBD24-XSTAR", "BBD24-HULL")
SECONDS = 1

Floats = NDArray[np.float64]
ROUNDING = 1e-12


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BBD24-L10, L10-literal, XSTAR and HULL; effort plays no part."""
    return {
        "BBD24-L10": _private(),
        "BBD24-L10-literal": _literal(),
        "BBD24-XSTAR": _mixed(),
        "BBD24-HULL": _hull(randomness),
    }


# ---------------------------------------------------------------------------------------------------- lemma 10
SPENT = "delta of algorithm 2's released values, two signs"
LESS = f"{SPENT}, control with a share of the noise"
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


def _private() -> Finding:
    rows: list[Measurement] = []
    for (eta, count), part in SHARES.items():
        where: Settings = {"eta": eta, "J": count, "epsilon": EPSILON, "m": M}
        gamma = calibrated(eta, count)
        rows.append(at_most(SPENT, where, released_delta(eta, count, gamma, M, EPSILON), DELTA))
        found = released_delta(eta, count, gamma / part, M, EPSILON)
        rows.append(exceeding(LESS, where | {"part": part}, found, DELTA))
    spent = max(row.measured.value for row in rows if row.quantity == SPENT)
    parts = ", ".join(f"1/{part} at eta = {eta:g}, J = {count:,}" for (eta, count), part in SHARES.items())
    return conclude(
        "two binomial laws with normal noise, one record against its neighbour, exactly",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity == SPENT]),
        constants="repaired",
        reason="given Z, whatever it is: by Stein's identity, McDiarmid's inequality and the analytic scale, half of "
        f"delta for each.  At most {spent:.1g} is spent of delta = {DELTA:g}.  The cell notices less noise only from "
        f"a factor on: {parts}.  The lemma's own condition is BBD24-L10-literal",
    )


def _literal() -> Finding:
    """Record how likely the public points show a function as 0 although its norm is 2/3."""
    rows = [recorded("P[||f||_m = 0 for an f with ||f||^2 = 2/3]", {"m": m}, 3.0**-m) for m in (4, 8, 16, 32)]
    return conclude(
        "f = 1 on a set of weight 2/3, else 0, in closed form",
        rows,
        deciding=rows[0],
        reason="the lemma spends delta on the event over Z that some ||f||_m is below 1/2.  That event has a positive "
        "chance for every m, Z is public, and on it the proof says nothing: privacy for a fixed Z is not shown by it, "
        "nor refuted; BBD24-L10 needs no such event",
    )


# ---------------------------------------------------------------------------------------------------- x*
NORM = "2/3 / least ||f||^2 after mixing x* in"
NORM_LESS = "the same, control with weight 1/2 on x*"
DENSITY = "largest density of the private law after mixing x* in, times sigma"
DENSITY_MORE = f"{DENSITY}, control against 2.99"
POINTS = 20


def _mixed() -> Finding:
    """Check mu' = (mu + 2 atom at x*) / 3 on functions with f(x*) = 1, by fractions."""
    third = Fraction(1, 3)
    rows: list[Measurement] = []
    for ones in (0, 1, 7, POINTS):  # f = 1 on so many of 20 equally likely points, 0 on the others
        norm = third * Fraction(ones, POINTS) + 2 * third
        rows.append(at_most(NORM, {"ones": ones}, float(2 * third / norm), 1.0))
    half = Fraction(1, 2)
    rows.append(exceeding(NORM_LESS, {"ones": 0}, float(2 * third / half), 1.0))
    for ones in (1, 2, 5, 10, 20):  # the private law is uniform on so many of the points: sigma = ones / 20
        sigma = Fraction(ones, POINTS)
        density = Fraction(1, ones) / (third * Fraction(1, POINTS))
        where: Settings = {"sigma": float(sigma)}
        rows.append(within(DENSITY, where, float(density * sigma), 3 - ROUNDING, 3 + ROUNDING, 3.0))
        rows.append(exceeding(DENSITY_MORE, where, float(density * sigma), 2.99))
    return conclude(
        "20 equally likely points and x*, by fractions",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity == NORM]),
        reason="mu' = mu / 3 + 2/3 at x*: ||f||^2 is 2/3 or more for f(x*) = 1, with equality for f = 0 elsewhere; a "
        "density of at most 1 / sigma becomes 3 / sigma, with equality where mu has no mass at x*",
    )


# ---------------------------------------------------------------------------------------------------- convex hull
HULL = "largest w over mixtures / largest over the functions, most of all draws"
INSIDE = "least w^2 over the functions / least over mixtures, control, most of all draws"
HULL_STABLE = "distance of algorithm 3's minimisers on the hull of two signs"
SIGNS_MOVE = "the same on the two signs alone, control"
FUNCTIONS, HULL_POINTS, MIXTURES, DRAWS = 30, 10, 200, 500


def _hull(randomness: Simulation) -> Finding:
    """Check that a linear functional is largest at a function, and that the hull of two signs is stable."""
    generator = randomness.spawn("hull").generator
    values = generator.choice([-1.0, 1.0], (FUNCTIONS, HULL_POINTS))
    w = generator.standard_normal((DRAWS, HULL_POINTS)) @ values.T / math.sqrt(HULL_POINTS)
    weights = np.vstack([np.eye(FUNCTIONS), generator.dirichlet(np.full(FUNCTIONS, 0.1), MIXTURES)])
    most = w.max(axis=1)
    ratio = float(((w @ weights.T).max(axis=1) / most).max())
    rows: list[Measurement] = [
        within(HULL, {"functions": FUNCTIONS, "m": HULL_POINTS}, ratio, 1 - ROUNDING, 1 + ROUNDING, 1.0)
    ]
    inside = float(((w**2).min(axis=1) / ((w @ weights.T) ** 2).min(axis=1)).max())  # not linear: least at a mixture
    rows.append(exceeding(INSIDE, {"functions": FUNCTIONS, "m": HULL_POINTS}, inside, 1.0))
    for eta in (4.0, 25.0, 100.0):
        rows.append(at_most(HULL_STABLE, {"eta": eta}, slope(1, eta) - slope(-1, eta), 1 / math.sqrt(eta)))
        rows.append(exceeding(SIGNS_MOVE, {"eta": eta}, sign(1, eta) - sign(-1, eta), 1 / math.sqrt(eta)))
    return conclude(
        "30 random signs on 10 points with mixtures; slopes, the hull of two signs, in closed form",
        rows,
        deciding=rows[0],
        reason="a linear functional on a hull is largest at one of the functions, so that E sup w does not grow; "
        "algorithm 3 on the hull of {+1, -1} is 1 / sqrt(eta)-stable, on the two functions alone it is not",
    )
