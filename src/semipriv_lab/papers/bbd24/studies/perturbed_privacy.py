"""Claims of BBD24 on the privacy of algorithm 2 (lemma 10), and on what prepares its class and public distribution."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import scipy

from semipriv.core.types import Floats
from semipriv.papers.bbd24.bounds.stability import printed_expected_distance
from semipriv.papers.bbd24.perturbation.calibration import (
    finite_width,
    gaussian_scale,
    paper_gaussian_scale,
    rho_perturbed,
)
from semipriv.privacy.gaussian import gaussian_delta
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.bbd24.studies._cells import share_positive, sign, slope

ROUNDING = 1e-12


# ---------------------------------------------------------------------------------------------------- lemma 10
SPENT = "delta of algorithm 2's released values, two signs"
EPSILON, DELTA, M = 1.0, 1e-5, 50
SHARES = {(5.0, 1000): 4, (5.0, 20_000): 2, (20.0, 1000): 16, (20.0, 20_000): 4}
"""By eta and J: the part of the noise, one in so many, that controls have."""
FEW = 100
"""J, for other values of epsilon."""


def released_delta(eta: float, count: int, gamma: float, m: int, epsilon: float) -> float:
    """Return the delta of f(Z) + gamma zeta for algorithm 2 on two signs, one record against its neighbour.

    The mean of the m values is f + gamma g / sqrt(m), f = 2 B / count - 1 with B binomial, and says all that they say.
    Its likelihood ratio rises, so that the best event is that it is above a cut: where densities have ratio e^epsilon.
    """
    chances = [_binomial(count, share_positive(lead, eta)) for lead in (1.0, -1.0)]
    kept = np.flatnonzero(np.maximum(*chances) > 0)
    first, second = (distribution[kept] for distribution in chances)
    means, deviation = 2 * kept / count - 1, gamma / math.sqrt(m)

    def gain(cut: float) -> float:
        """Return the logarithm of the ratio of densities at the cut, less epsilon."""
        logs = -(((cut - means) / deviation) ** 2) / 2
        with np.errstate(divide="ignore"):
            ends = [scipy.special.logsumexp(logs + np.log(distribution)) for distribution in (first, second)]
        return float(ends[0] - ends[1]) - epsilon

    low, high = -1 - 40 * deviation, 1 + 40 * deviation
    if gain(high) < 0:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if gain(middle) >= 0 else (middle, high)
    above = scipy.special.log_ndtr((means - high) / deviation)
    return float(first @ np.exp(above) - second @ np.exp(epsilon + above))


def _binomial(count: int, share: float) -> Floats:
    """Return P[B = b] for b = 0..count."""
    b = np.arange(count + 1)
    logs = scipy.special.gammaln(count + 1) - scipy.special.gammaln(b + 1) - scipy.special.gammaln(count - b + 1)
    return np.asarray(np.exp(logs + b * math.log(share) + (count - b) * math.log1p(-share)))


CALIBRATIONS = {"McDiarmid": math.inf, "the smaller one": finite_width(2)}
"""Bounds on E sup w: without one, stability is by McDiarmid's inequality."""


def calibrated(eta: float, count: int, width: float, epsilon: float = EPSILON) -> float:
    """Return the noise for (epsilon, DELTA), half of delta for the averages and half for the noise."""
    return gaussian_scale(epsilon, DELTA / 2, M, rho_perturbed(eta, count, DELTA / 2, width))


@claim(
    "BBD24-L10",
    "two binomial distributions with normal noise, one record against its neighbour, exactly",
    shown=SPENT,
    constants="repaired",
)
def private(table: Table) -> str:
    """Compare the delta spent with that allowed; a share of the noise must spend more."""
    for (eta, count), part in SHARES.items():
        for name, width in CALIBRATIONS.items():
            settings: Settings = {"eta": eta, "J": count, "epsilon": EPSILON, "m": M, "stability": name}
            gamma = calibrated(eta, count, width)
            table.at_most(SPENT, settings, released_delta(eta, count, gamma, M, EPSILON), DELTA)
            control = f"{SPENT}, control with a share of the noise"
            table.exceeding(
                control, settings | {"part": part}, released_delta(eta, count, gamma / part, M, EPSILON), DELTA
            )
    for epsilon, eta in product((1e-6, 30.0, 1e4), (0.25, 5.0)):
        gamma = calibrated(eta, FEW, finite_width(2), epsilon)
        settings = {"eta": eta, "J": FEW, "epsilon": epsilon, "m": M}
        table.at_most(f"{SPENT}, other epsilon", settings, released_delta(eta, FEW, gamma, M, epsilon), DELTA)
    parts = ", ".join(f"1/{part} at eta = {eta:g}, J = {count:,}" for (eta, count), part in SHARES.items())
    return (
        "given Z, whatever it is: by Stein's identity, McDiarmid's or Bernstein's inequality and the analytic scale, "
        f"half of delta for each.  At most {max(table.values(SPENT)):.1g} is spent of delta = {DELTA:g}.  The cell "
        f"notices less noise only from a factor on: {parts}.  With the paper's noise: BBD24-L10-literal"
    )


# ---------------------------------------------------------------------------------------------------- as printed
PRINTED = "least noise that is private / the printed noise"
TAIL = "printed exponent / that of Chernoff's bound, largest over the J term"
CERTIFIED = "(2 - c) / ((1 - q) sqrt(K(q))), at most, largest on intervals that cover q"
CUT, PIECES = 0.021, 200
"""K(q) >= 4 up to there; intervals from there to 2/3."""
LOUDER = "delta at the printed noise / delta, at least, control with epsilon = 10,000"
AVERAGED = "delta at a fixed Z, control with W averaged over Z"
GIVEN = "delta at the same Z, W given Z"
SMALL = 8
"""Public points: the least for which lemma 9 holds."""
PRINTED_CELLS = tuple(product((0.2, 1.0, 20.0), (100, 1000), (SMALL, M)))
"""eta, J, m."""


def printed_noise(eta: float, count: int, m: int, width: float, *, least: float = 1.0, factor: float = 1.0) -> float:
    """Return the least gamma of lemma 10 at (EPSILON, DELTA).

    (m / (2 gamma^2)) (1 + gamma sqrt(ln(4/delta))) rho <= epsilon for rho = (9 W / (least eta))^(1/3) +
    sqrt(factor ln(2/delta) / J).  least: kappa^2, 1/4 as printed; factor: 1 or 2, it is illegible.  The smallest
    reading, both of them 1, is the hardest to satisfy.
    """
    rho = printed_expected_distance(eta, width, least) + math.sqrt(factor * math.log(2 / DELTA) / count)
    return paper_gaussian_scale(EPSILON, DELTA / 4, m, rho)


def zero_or_one(eta: float, count: int) -> tuple[Floats, Floats, Floats]:
    """Return the means of algorithm 2 on {0, 1} and their distributions for losses (1, 0) and (0, 1): w is 0 and g."""
    distributions = [_binomial(count, float(scipy.special.ndtr(lead / eta))) for lead in (1.0, -1.0)]
    return np.arange(count + 1) / count, distributions[0], distributions[1]


def three_constants(eta: float, count: int) -> tuple[Floats, Floats, Floats]:
    """Return the means of algorithm 2 on {-1, 0, 1} and their distributions for losses (1, 0, 1) and (0, 1, 0).

    w is c g on the constant c.  The first losses have the minimiser 0 if eta |g| < 1, the second ones never; else it is
    1 or -1.
    """
    zero = 1 - 2 * float(scipy.special.ndtr(-1 / eta))
    distributions = [_sums(np.array([(1 - share) / 2, share, (1 - share) / 2]), count) for share in (zero, 0.0)]
    return np.arange(-count, count + 1) / count, distributions[0], distributions[1]


def least_share(distributions: tuple[Floats, Floats, Floats], gamma: float, m: int) -> float:
    """Return the least share of gamma at which noise on m values is (EPSILON, DELTA)-DP, from above."""
    means, first, second = distributions
    low, high = 1e-3, 2.0
    while high > 1.01 * low:
        share = math.sqrt(low * high)
        deviation = share * gamma / math.sqrt(m)
        spent = max(hockey_stick(means, *pair, deviation) for pair in ((first, second), (second, first)))
        low, high = (low, share) if spent <= DELTA else (share, high)
    return high


def _sums(distribution: Floats, count: int) -> Floats:
    """Return the distribution of a sum of independent values -1, 0, 1, (2 count + 1,), by its Fourier transform."""
    size = 2 * count + 1
    transform = np.fft.rfft(np.roll(np.concatenate([distribution, np.zeros(size - 3)]), -1))
    return np.asarray(np.maximum(np.roll(np.fft.irfft(transform**count, size), count), 0.0))


def hockey_stick(means: Floats, first: Floats, second: Floats, deviation: float) -> float:
    """Return the integral of (p - e^epsilon q)^+ for two mixtures of normals at the means, by a sum on a grid."""
    kept = np.maximum(first, second) > 1e-17
    places = np.linspace(-1 - 9 * deviation, 1 + 9 * deviation, 1001)
    kernel = np.exp(-(((places[:, None] - means[kept]) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
    gap = kernel @ (first[kept] - math.exp(EPSILON) * second[kept])
    return float(np.maximum(gap, 0.0).sum() * (places[1] - places[0]))


def chernoff_ratio(width: float, steps: int = 400) -> float:
    """Return the least of KL((c + s) / 2 || mu / 2) / s^2 over s in (0, 2 - c), c = (9 width)^(1/3) < 2, eta = 1.

    Averages of J independent distances in [0, 2] of mean at most mu = sqrt(2 width) exceed c + s with chance at most
    exp(-J KL) (Chernoff, Hoeffding 1963).  So the reading sqrt(ln(1/delta) / J), which lacks Hoeffding's factor 2, is
    enough if KL >= s^2.
    """
    c, mu = math.cbrt(9 * width), math.sqrt(2 * width)
    s = (2 - c) * np.arange(1, steps + 1) / steps
    a, b = (c + s) / 2, mu / 2
    return float(np.min((scipy.special.rel_entr(a, b) + scipy.special.rel_entr(1 - a, 1 - b)) / s**2))


def kearns_saul(q: float) -> float:
    """Return K(q) = ln((1 - q) / q) / (1 - 2 q), 2 at q = 1/2: KL(p || q) >= K(q) (p - q)^2 for every p.

    Kearns and Saul (1998); Ordentlich and Weinberger (2005).  It falls to q = 1/2, and is the same at q and 1 - q.
    """
    return 2.0 if q == 0.5 else math.log((1 - q) / q) / (1 - 2 * q)


def largest_gap(low: float, high: float) -> float:
    """Return a bound of (2 - c) / ((1 - q) sqrt(K(q))) over low <= q <= high, with c = (18 q^2)^(1/3)."""
    least = 2.0 if low < 0.5 < high else min(kearns_saul(low), kearns_saul(high))
    return (2 - math.cbrt(18 * low**2)) / ((1 - high) * math.sqrt(least))


def told_apart(eta: float, count: int, m: int, epsilon: float) -> float:
    """Return a lower bound of the delta of algorithm 2's values on two signs at the printed noise, kappa = 1.

    Each average is on the wrong side of its mean by t = .01 or more with a chance of at most exp(-count t^2 / 2)
    (Hoeffding); that of the neighbour counts e^epsilon times.
    """
    width, t = math.sqrt(2 / math.pi), 0.01
    rho = printed_expected_distance(eta, width, 1.0) + math.sqrt(math.log(2 / DELTA) / count)
    gamma = paper_gaussian_scale(epsilon, DELTA / 4, m, rho)
    apart = 2 - 4 * float(scipy.special.ndtr(-1 / (2 * eta))) - 2 * t
    wrong = -count * t * t / 2
    return gaussian_delta(gamma, epsilon, math.sqrt(m) * apart) - math.exp(wrong) - math.exp(epsilon + wrong)


EVERY = "delta of algorithm 2's output on two signs, a mixture, at the printed noise / delta, at least"
POINT = "delta of algorithm 2's released value at one public point / delta, kappa = 1/2"


def output_tells(eta: float, count: int, m: int, epsilon: float) -> float:
    """Return a lower bound of the delta of algorithm 2's output on two signs at the printed noise, kappa = 1.

    The output is the mean of the m released values, clipped to [-1, 1]; the event is that it reaches a cut in there.
    The averages are those of ``told_apart``.
    """
    width, t = math.sqrt(2 / math.pi), 0.01
    rho = printed_expected_distance(eta, width, 1.0) + math.sqrt(math.log(2 / DELTA) / count)
    gamma = paper_gaussian_scale(epsilon, DELTA / 4, m, rho)
    mean = 1 - 2 * float(scipy.special.ndtr(-1 / (2 * eta))) - t
    cut, deviation = min(1.0, epsilon * gamma**2 / (2 * m * mean)), gamma / math.sqrt(m)
    wrong = -count * t * t / 2
    above, below = (float(scipy.special.log_ndtr((at - cut) / deviation)) for at in (mean, -mean))
    return math.exp(above) - math.exp(wrong) - math.exp(epsilon + below) - math.exp(epsilon + wrong)


@claim(
    "BBD24-L10-every",
    "two signs, mixtures as outputs, the event that the output is above a cut, at least, in closed form",
    shown=EVERY,
)
def every_epsilon(table: Table) -> str:
    """Refute the printed noise with kappa = 1 for large epsilon."""
    eta, count, m = 0.25, 10**9, SMALL
    for epsilon in (5e3, 1e4):
        settings: Settings = {
            "class": "signs",
            "eta": eta,
            "J": count,
            "m": m,
            "epsilon": epsilon,
            "delta": DELTA,
            "kappa": 1,
        }
        table.refutable(EVERY, settings, output_tells(eta, count, m, epsilon) / DELTA, 1.0)
    delta, eta = 1e-30, 0.3
    for epsilon in (1.0, 5.0):
        rho = printed_expected_distance(eta, math.sqrt(2 / math.pi), 0.25)  # J so large that its term vanishes
        gamma = paper_gaussian_scale(epsilon, delta / 4, 1, rho)
        spends = gaussian_delta(gamma, epsilon, 2 - 4 * float(scipy.special.ndtr(-1 / (2 * eta)))) / delta
        settings = {"class": "signs", "eta": eta, "m": 1, "epsilon": epsilon, "delta": delta, "kappa": 0.5}
        table.recorded(POINT, settings, spends, 1.0)
    values = ", ".join(f"{value:.2g}" for value in table.values(POINT))
    return (
        "kappa = 1 is the smallest reading.  The paper has the least norm, 1/2 on its event; then these cells do not "
        "tell for m >= 8, and every epsilon is open.  At m = 1 the printed noise is too small at kappa = 1/2 too, "
        f"for released values and tiny delta: {values} times delta = 1e-30 at epsilon = 1 and 5, J to infinity; the "
        "output, which is clipped, was not seen to tell.  For epsilon <= 1 and m >= 8: BBD24-L10-literal"
    )


@claim(
    "BBD24-L10-literal",
    "classes with functions that are 0 on all public points, at the printed noise, by exact distributions with "
    "normal noise",
    shown=PRINTED,
)
def literal(table: Table) -> str:
    """Judge the printed noise at fixed public points on which norms are 0."""
    width = 1 / math.sqrt(2 * math.pi)  # E max(0, g)
    for eta, count, m in PRINTED_CELLS:
        for name, distributions, wide in (
            ("{0, 1}", zero_or_one(eta, count), width),
            ("{-1, 0, 1}", three_constants(eta, count), 2 * width),  # E |g|
        ):
            settings: Settings = {"class": name, "eta": eta, "J": count, "m": m}
            table.at_most(PRINTED, settings, least_share(distributions, printed_noise(eta, count, m, wide), m), 1.0)
    for x in (1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8):
        table.recorded(TAIL, {"W_over_eta": x}, 1 / chernoff_ratio(x), 1.0)
    table.at_most("4 / K(q) at the cut, below which K rises", {"q": CUT}, 4 / kearns_saul(CUT), 1.0)
    ends = np.linspace(CUT, 2 / 3, PIECES + 1)
    worst = max(largest_gap(a, b) for a, b in pairwise(ends.tolist()))
    table.at_most(CERTIFIED, {"from": CUT, "to": 2 / 3, "pieces": PIECES}, worst, 1.0)
    fewer = max(largest_gap(a, b) for a, b in pairwise((CUT, 0.1, 0.5, 2 / 3)))
    table.exceeding(f"{CERTIFIED}, control with three intervals", {"pieces": 3}, fewer, 1.0)
    settings = {"eta": 0.25, "J": 10**9, "m": SMALL}
    table.exceeding(LOUDER, settings, told_apart(0.25, 10**9, SMALL, 1e4) / DELTA, 1.0)
    eta, count = 0.05, 10**6
    # Z inside A, which has mass 1e-9: the two functions are 1 and -1 there, equal elsewhere
    inside = np.arange(1, SMALL + 1)
    averaged = scipy.special.comb(SMALL, inside) * 1e-9**inside @ np.sqrt(inside / SMALL)  # except for a share of 1e-8
    flips = count * 2 * float(scipy.special.ndtr(-1 / (2 * eta)))
    for name, width in ((AVERAGED, 2 * float(averaged) / math.sqrt(2 * math.pi)), (GIVEN, math.sqrt(2 / math.pi))):
        gamma = printed_noise(eta, count, SMALL, width, least=0.25, factor=2.0)
        spent = gaussian_delta(gamma, EPSILON, 2 * math.sqrt(SMALL))
        settings = {"eta": eta, "J": count, "m": SMALL, "W": width}
        if name == AVERAGED:
            table.exceeding(name, settings, spent - flips, DELTA)
        else:
            table.at_most(name, settings, spent + flips, DELTA)
    return (
        "proved here for every fixed Z, for m >= 8 and epsilon <= 1 as lemma 9: theorem A needs no least norm, so that "
        "the printed condition on Z and the part of delta for it are not used.  W is over xi given Z, as lemma 7 "
        "says; averaged over Z too it fails.  Judged at the smallest reading, kappa = 1 and sqrt(ln(2/delta) / J): "
        "without Hoeffding's factor 2, which may be illegible, it is enough by Chernoff's bound.  That step is proved: "
        "by an inequality of Kearns and Saul it is one of one variable, which intervals decide here.  If the power "
        "of J is 1/4, J >= 2 ln(2/delta) is needed.  "
        f"{max(table.values(PRINTED)):.2g} of the printed noise would be enough on these classes.  For large epsilon "
        "the reading kappa = 1 is not private: two signs at epsilon = 10,000.  With kappa = 1/2 they do not tell, and "
        "it is open"
    )


# ---------------------------------------------------------------------------------------------------- x*
NORM = "2/3 / least ||f||^2 after mixing x* in"
DENSITY = "largest density of the private distribution after mixing x* in, times sigma"
POINTS = 20


@claim("BBD24-XSTAR", f"{POINTS} equally likely points and x*, by fractions", shown=NORM)
def mixed(table: Table) -> str:
    """Check mu' = (mu + 2 atom at x*) / 3 on functions with f(x*) = 1, by fractions."""
    third = Fraction(1, 3)
    for positives in (0, 1, 7, POINTS):  # f = 1 on so many of 20 equally likely points, 0 on the others
        norm = third * Fraction(positives, POINTS) + 2 * third
        table.at_most(NORM, {"ones": positives}, float(2 * third / norm), 1.0)
    table.exceeding("the same, control with weight 1/2 on x*", {"ones": 0}, float(2 * third / Fraction(1, 2)), 1.0)
    for positives in (1, 2, 5, 10, 20):  # private: uniform on so many of the points, sigma = positives / 20
        sigma = Fraction(positives, POINTS)
        density = float(Fraction(1, positives) / (third * Fraction(1, POINTS)) * sigma)
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
    f"{FUNCTIONS} random signs on {HULL_POINTS} points with mixtures; slopes, the hull of two signs, in closed form",
    stream="hull",
)
def hull(table: Table) -> str:
    """Check that a linear functional is largest at a function, and that the hull of two signs is stable."""
    generator = table.randomness.generator
    values = generator.choice([-1.0, 1.0], (FUNCTIONS, HULL_POINTS))
    w = generator.standard_normal((DRAWS, HULL_POINTS)) @ values.T / math.sqrt(HULL_POINTS)
    weights = np.vstack([np.eye(FUNCTIONS), generator.dirichlet(np.full(FUNCTIONS, 0.1), MIXTURES)])
    settings = {"functions": FUNCTIONS, "m": HULL_POINTS}
    ratio = float(((w @ weights.T).max(axis=1) / w.max(axis=1)).max())
    quantity = "largest w over mixtures / largest over the functions, most of all draws"
    table.show(table.within(quantity, settings, ratio, 1 - ROUNDING, 1 + ROUNDING, 1.0))
    inside = float(((w**2).min(axis=1) / ((w @ weights.T) ** 2).min(axis=1)).max())  # not linear: least at a mixture
    quantity = "least w^2 over the functions / least over mixtures, control, most of all draws"
    table.exceeding(quantity, settings, inside, 1.0)
    for eta in (4.0, 25.0, 100.0):
        bound, moved = 1 / math.sqrt(eta), slope(1, eta) - slope(-1, eta)
        table.at_most("distance of algorithm 3's minimisers on the hull of two signs", {"eta": eta}, moved, bound)
        moved = sign(1, eta) - sign(-1, eta)
        table.exceeding("the same on the two signs alone, control", {"eta": eta}, moved, bound)
    return (
        "a linear functional on a hull is largest at one of the functions, so that E sup w does not grow; "
        "algorithm 3 on the hull of {+1, -1} is 1 / sqrt(eta)-stable, on the two functions alone it is not"
    )
