"""Claims of BBD24 on how rarely two functions both nearly minimise a Gaussian process (appendix A, lemma 7).

The two signs are judged in closed form, random classes of signs by simulation: one record at a public point against its
neighbour with the other label, so that tau = 1.
"""

import math
from itertools import product

import numpy as np
import scipy

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, Verdict, bernstein_interval, frequency
from semipriv.papers.bbd24.bounds.stability import (
    distance_tail,
    near_minimum_tail,
    printed_distance_tail,
    printed_expected_distance,
    printed_near_minimum_tail,
)
from semipriv.papers.bbd24.studies._cells import SIGNS_WIDTH, share_different
from semipriv.papers.bbd24.studies._sign_classes import Drawn, drawn, width_below
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    comparable,
    conclude,
    exceeding,
    nearest_to_bound,
    recorded,
)

CLAIMS = (
    "BBD24-P1",
    "BBD24-P1-literal",
    "BBD24-C1",
    "BBD24-T5",
    "BBD24-T5-literal",
    "BBD24-L7",
)
FIGURE = "varying_norms"
SECONDS = 2

DRAWS = 10_000
CLASSES = tuple(product((20, 200), (20, 100)))
"""N and m."""
ETAS = (1.0, 3.0, 10.0, 30.0)
RADII = (0.5, 1.0, 1.3, 1.9)
"""Of distances; random signs are about sqrt(2) apart."""
SHARES = (0.5, 1.0, 1.5)
"""r^2 of theorem 5."""
LEVEL = GATE_LEVEL / 2
"""For all frequencies, or means, of a claim together; the other half is for the widths."""
WIDTH_LEVEL = GATE_LEVEL / 2 / len(CLASSES)
Classes = list[tuple[Drawn, float]]
"""Each with a lower confidence limit of its E sup w."""


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BBD24-P1, P1-literal, C1, T5, T5-literal and L7; effort scales the draws of random classes."""
    draws = max(50, round(DRAWS * effort))
    made = [drawn(functions, m, draws, randomness.spawn(functions, m)) for functions, m in CLASSES]
    classes = [(own, width_below(own, WIDTH_LEVEL)) for own in made]
    return {
        "BBD24-P1": _differing_means(classes),
        "BBD24-P1-literal": _varying_means(),
        "BBD24-C1": _corollary(classes),
        "BBD24-T5": _near_minimum(classes),
        "BBD24-T5-literal": _varying_norms(),
        "BBD24-L7": _expected(classes),
    }


# ---------------------------------------------------------------------------------------------------- distances
APART = "P[minimisers of the two signs differ]"
APART_CORRECTED = f"{APART}, corrected form"
APART_LESS = f"{APART}, control with the corrected form / 2.1"
APART_PRINTED_LESS = f"{APART}, control with the form of r^-4 / 1.03"
FAR = "P[distance of minimisers >= r], random signs"
READINGS = "P[minimisers of the two signs differ] / printed form"
RATIOS = (0.01, 0.1, 1.0)
"""tau / eta."""


def _differing_means(classes: Classes) -> Finding:
    rows: list[Measurement] = []
    for ratio, r in product(RATIOS, (0.1, 0.5, 1.0, 1.41, 1.99)):
        where: Settings = {"r": r, "tau_over_eta": ratio}
        found = share_different(ratio, 1.0)
        printed = {power: printed_distance_tail(ratio, r, 1.0, SIGNS_WIDTH, power) for power in (2, 4)}
        rows.append(at_most(APART, where, found, max(printed.values())))
        rows.append(at_most(APART_CORRECTED, where, found, distance_tail(ratio, r, 1.0, SIGNS_WIDTH)))
        if r == 1.99:
            rows += [recorded(READINGS, where | {"power": power}, found / bound) for power, bound in printed.items()]
    where, found = {"r": 1.99, "tau_over_eta": 0.01}, share_different(0.01, 1.0)
    rows.append(exceeding(APART_LESS, where, found, distance_tail(0.01, 1.99, 1.0, SIGNS_WIDTH) / 2.1))
    fourth = printed_distance_tail(0.01, 1.99, 1.0, SIGNS_WIDTH, 4)
    rows.append(exceeding(APART_PRINTED_LESS, where, found, fourth / 1.03))
    simulated, vacuous = _far(classes)
    shares = [row.measured.value for row in rows if row.quantity == READINGS and row.settings["power"] == 4]
    return conclude(
        "two signs in closed form; random classes of signs with one record and its neighbour, one process for both",
        rows + simulated,
        deciding=nearest_to_bound([row for row in rows if row.quantity in (APART, APART_CORRECTED)]),
        constants="repaired",
        reason="for functions of constant norm.  Printed: the larger of r^-2 and r^-4, as the power is illegible; "
        "repaired: with the second-order term and a shift of 2 tau.  At r = 1.99 the two signs reach "
        f"{max(shares):.3f} of the form of r^-4.  {vacuous} of {len(simulated)} simulated cells have a bound of 1 or "
        "more at E sup w = sqrt(2 ln N) and are not judged; before, those with one at the drawn E sup w were not, and "
        "the verdict was the same.  For norms that vary: BBD24-P1-literal",
    )


def _far(classes: Classes) -> tuple[list[Measurement], int]:
    """Return the rows of distances of random classes, and how many of them are not judged."""
    level = LEVEL / (len(classes) * len(ETAS) * len(RADII))
    rows, vacuous = [], 0
    for own, width in classes:
        for eta in ETAS:
            distances = own.distances(eta)
            for r in RADII:
                bound = distance_tail(1.0, r, eta, width)
                where: Settings = {"functions": own.functions, "m": own.m, "eta": eta, "r": r}
                found = frequency(int(np.sum(distances >= r)), len(distances), level)
                judged = distance_tail(1.0, r, eta, _widest(own)) < 1
                vacuous += not judged
                rows.append(at_most(FAR, where, found, bound, len(distances), judged=judged))
    return rows, vacuous


def _widest(own: Drawn) -> float:
    """Return sqrt(2 ln N), which E sup w of N signs cannot exceed: it decides which cells are judged."""
    return math.sqrt(2 * math.log(own.functions))


def _corollary(classes: Classes) -> Finding:
    rows: list[Measurement] = []
    for ratio, r in product(RATIOS, (0.5, 1.0, 2.0)):
        where: Settings = {"r": r, "tau_over_eta": ratio}
        bound = near_minimum_tail(2 * ratio, r**2 / 2, 1.0, SIGNS_WIDTH)
        rows.append(at_most(APART_CORRECTED, where, share_different(ratio, 1.0), bound))
    bound = near_minimum_tail(0.02, 2.0, 1.0, SIGNS_WIDTH)
    where = {"r": 2.0, "tau_over_eta": 0.01}
    rows.append(exceeding(APART_LESS, where, share_different(0.01, 1.0), bound / 2.1))
    simulated, _ = _far(classes)
    return conclude(
        "as proposition 1, from the same draws: theorem 5's event at r^2 / 2 and 2 tau",
        rows + simulated,
        deciding=nearest_to_bound([row for row in rows if row.quantity == APART_CORRECTED]),
        constants="repaired",
        reason="constant norm only.  Functions at distance r have a covariance of at most 1 - r^2 / 2, and the second "
        "minimiser is within 2 tau of the first minimum, not tau; on the two signs at r = 2 a bound 2.1 times smaller "
        "fails.  Which simulated cells are judged: the rule of BBD24-P1",
    )


def _varying_means() -> Finding:
    """Record the printed form on the functions +1 and -kappa, whose norms differ."""
    rows = []
    for kappa in (0.1, 0.25, 0.5, 0.75):
        tau = 0.01
        found = float(scipy.special.erf(tau / (1 + kappa) / math.sqrt(2)))
        width = (1 + kappa) / math.sqrt(2 * math.pi)
        bound = printed_distance_tail(tau, 1 + kappa, 1.0, width, 4, kappa**2)
        rows.append(recorded("P[minimisers of +1 and -kappa differ], r^-4", {"kappa": kappa}, found, bound))
    return conclude(
        "functions +1 and -kappa, in closed form",
        rows,
        deciding=rows[-1],
        reason="its proof uses theorem 5, which is false for norms that vary (BBD24-T5-literal); no counterexample to "
        "the proposition itself is known: on two functions the form of r^-4 keeps a factor of 4 / ((1 + kappa)^2 "
        "kappa^2) or more",
    )


# ---------------------------------------------------------------------------------------------------- theorem 5
NEAR = "P[the other sign is within tau of the minimum]"
NEAR_LESS = f"{NEAR}, control with the bound / 1.01"
CLOSE = "P[a function with K <= 1 - r^2 is within tau of the minimum], random signs"
VARYING = "least P[s = (1 - r^2) t* is within tau of the minimum], norms that vary"


def _near_minimum(classes: Classes) -> Finding:
    rows: list[Measurement] = []
    for ratio in (0.01, 0.03, 0.1, 0.3, 1.0):
        bound = near_minimum_tail(ratio, 2.0, 1.0, SIGNS_WIDTH)
        rows.append(at_most(NEAR, {"tau_over_eta": ratio}, share_different(ratio, 1.0), bound))
    bound = near_minimum_tail(0.01, 2.0, 1.0, SIGNS_WIDTH) / 1.01
    rows.append(exceeding(NEAR_LESS, {"tau_over_eta": 0.01}, share_different(0.01, 1.0), bound))
    low, chance = least_chance(SHARE)
    corrected = near_minimum_tail(TAU, SHARE, ETA, 1 / math.sqrt(2 * math.pi), low**2)
    rows.append(exceeding(VARYING, {"r2": SHARE, "eta": ETA}, chance, corrected))
    level = LEVEL / (len(classes) * len(ETAS) * len(SHARES))
    vacuous = 0
    for (own, width), eta, share in product(classes, ETAS, SHARES):
        bound = near_minimum_tail(1.0, share, eta, width)
        gaps = own.gaps(eta, share)
        found = frequency(int(np.sum(gaps <= 1.0)), len(gaps), level)
        where: Settings = {"functions": own.functions, "m": own.m, "eta": eta, "r2": share}
        judged = near_minimum_tail(1.0, share, eta, _widest(own)) < 1
        vacuous += not judged
        rows.append(at_most(CLOSE, where, found, bound, len(gaps), judged=judged))
    return conclude(
        "two signs in closed form at r^2 = 2; random classes of signs with tau = 1",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity == NEAR]),
        constants="repaired",
        reason="for constant norm and with the second-order term c^2 / (2 eta^2), c = tau / r^2; the two signs attain "
        f"it as tau / eta falls.  {vacuous} of {len(classes) * len(ETAS) * len(SHARES)} simulated cells have a bound "
        "of 1 or more at E sup w = sqrt(2 ln N) and are not judged (the rule of BBD24-P1).  For norms that vary the "
        "same bound fails: BBD24-T5-literal",
    )


SHARE, ETA = 1e-4, 0.1
TAU = SHARE**2
LOW, CENTRE = 0.95, 0.975
LEAST = "P[E], norms that vary"
CONSTANT = "P[E] at most, norm 1"
GROWN = "P[E], norms that vary, against r^2"


def least_chance(share: float) -> tuple[float, float]:
    """Return inf T and a lower bound of P[E] for T = [.95, 1], K(s, t) = s t, m(a) = (a - .975)^2, tau = share^2.

    w(a) = a g.  The minimiser is .975 - g / 20 where that is inside T, and s = (1 - share) t* is then worse by
    (share t*)^2 <= tau.  s is in T for t* >= .95 / (1 - share).
    """
    first, last = ((CENTRE - end) / (ETA / 2) for end in (1.0, LOW / (1 - share)))
    return LOW, float(scipy.special.ndtr(last) - scipy.special.ndtr(first))


def _varying_norms() -> Finding:
    low, chance = least_chance(SHARE)
    width = (1 - low) / math.sqrt(2 * math.pi)
    rows: list[Measurement] = []
    for power, kappa in product((2, 4), (1, 2)):
        bound = printed_near_minimum_tail(TAU, SHARE, ETA, width, power, low ** (2 * kappa))
        where: Settings = {"r2": SHARE, "tau": TAU, "eta": ETA, "power": power, "power_of_kappa": kappa}
        verdict = Verdict.REFUTED if chance > bound else Verdict.HOLDS
        rows.append(Measurement(LEAST, where, Interval.exact(chance), bound, 0, verdict))
    # functions on the unit circle: Omega is convex by 2 - eta R, R the length of two normals, so that points with
    # cosine at most 1 - r^2 are above tau unless eta R > 2 - 2 tau / angle^2
    angle = math.acos(1 - SHARE)
    steep = (2 - 2 * TAU / angle**2) / ETA
    bound = near_minimum_tail(TAU, SHARE, ETA, 0.0)
    rows.append(at_most(CONSTANT, {"r2": SHARE, "tau": TAU, "eta": ETA}, math.exp(-(steep**2) / 2), bound))
    for exponent, power in product((1.5, 2.0, 2.5, 3.0, 3.5, 4.0), (2, 4)):
        share = 10**-exponent
        bound = printed_near_minimum_tail(share**2, share, ETA, width, power, low**2)
        rows.append(recorded(GROWN, {"r2": share, "power": power}, least_chance(share)[1], bound))
    literal = [row for row in rows if row.quantity == LEAST]
    told = {(row.settings["power"], row.settings["power_of_kappa"]): row.bound or 0.0 for row in literal}
    return conclude(
        "T = [.95, 1], K(s, t) = s t, m(a) = (a - .975)^2, eta = .1, r^2 = 1e-4, tau = r^4, in closed form",
        rows,
        deciding=max(literal, key=lambda row: comparable(row.bound or 0.0)),
        reason=f"for norms that vary, in all four readings: P[E] is at least {chance:.3f}; the printed bounds are "
        f"{told[4, 2]:.3f} and {told[4, 1]:.3f} with r^-4 and kappa^2 or kappa, and {told[2, 2]:.0e} or less with "
        "r^-2.  The proof needs K(s, t) <= K(t, t), which norms that vary do not give; functions on the unit circle "
        "with the same m and T are within the bound",
    )


# ---------------------------------------------------------------------------------------------------- lemma 7
SIGNS_DISTANCE = "expected distance of the minimisers, two signs"
SIGNS_LESS = f"{SIGNS_DISTANCE}, control with the bound / 18"
DISTANCE = "expected distance of the minimisers, random signs"


def _expected(classes: Classes) -> Finding:
    rows: list[Measurement] = []
    for eta in (0.5, 1.0, 5.0, 20.0, 50.0):
        found = 2 * share_different(1.0, eta)
        rows.append(at_most(SIGNS_DISTANCE, {"eta": eta}, found, printed_expected_distance(eta, SIGNS_WIDTH)))
    found, bound = 2 * share_different(1.0, 20.0), printed_expected_distance(20.0, SIGNS_WIDTH)
    rows.append(exceeding(SIGNS_LESS, {"eta": 20.0}, found, bound / 18))
    level = LEVEL / (len(classes) * len(ETAS))
    for (own, width), eta in product(classes, ETAS):
        where: Settings = {"functions": own.functions, "m": own.m, "eta": eta}
        distances = own.distances(eta)
        limits = bernstein_interval(distances, 2.0, level)
        bound = printed_expected_distance(eta, width)
        rows.append(at_most(DISTANCE, where, limits, bound, len(distances)))
    ratios = [row.measured.value / (row.bound or 1) for row in rows if row.quantity in (SIGNS_DISTANCE, DISTANCE)]
    return conclude(
        "two signs in closed form; random classes of signs, one process for both neighbours",
        rows,
        deciding=nearest_to_bound([row for row in rows if row.quantity in (SIGNS_DISTANCE, DISTANCE)]),
        reason=f"eta in sums; at most {max(ratios):.2f} of the bound, on the two signs at eta = 20 a bound 18 times "
        "smaller fails: no power below that.  The rate is far from the measured one; Stein's identity gives 1 / eta "
        "(BBD24-L1-stein)",
    )
