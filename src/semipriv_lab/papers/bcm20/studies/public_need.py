"""How many public points A_PAP needs on thresholds, and what that saves (BCM20 algorithm 3, lemma 11, theorem 15).

All of it is exact, by spacings of uniform points and by the distribution of Kolmogorov and Smirnov, except for
intervals. Errors are those of means of labels -1 and 1.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np

from semipriv.core.progress import track
from semipriv.core.statistics import GATE_LEVEL, frequency, loglog_slope
from semipriv.distributions.spacings import (
    bad_diameters,
    bad_probability_thresholds,
    bad_probability_thresholds_float,
    kolmogorov_distribution,
)
from semipriv.papers.bcm20.bounds.public_only import public_points_thresholds
from semipriv.papers.bcm20.bounds.sizes import (
    cover_points_class,
    cover_points_exact,
    cover_points_limit,
    cover_points_union,
    pap_records,
    printed_public,
)
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings

BETA = 0.1
ABOVE = math.nextafter(BETA / 2, 1.0)
ALPHAS = (0.4, 0.2, 0.1, 0.05, 0.02)
ALPHAS_RATE = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
ALPHAS_SAVING = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
SAVES_FROM = 0.1
"""Largest alpha at which theorem 10's public need is claimed to be below that of public data alone."""
DRAWS = 20_000

FAILURE = "P[no alpha/4-cover]"
FEWER = "control: P[no alpha/4-cover], fewer points"
DOUBLE = "bound by a double sample at the size for any class / (beta / 2)"
LEAST = "points that a double sample needs at least / the size for any class"
ROUNDING = 1e-9
QUOTIENT = "points / ((ln(1/alpha) + ln(1/beta)) / alpha)"
SLACK = "size for any class of VC dimension 1 / least size"
EXACT, LIMIT, ALONE, CLASS = "theorem 10, exact", "A_PAP, n = infinity", "public data alone", "theorem 10, any class"
NORMALISED = "exponent in alpha of points / (ln(1/alpha) + ln(1/beta))"
RAW = "exponent in alpha"
SHARE = "theorem 10's public points / those of public data alone"
FITS: dict[str, tuple[float, float]] = {EXACT: (-1.0, math.inf), LIMIT: (-1.0, math.inf), ALONE: (-2.15, -1.85)}
"""Allowed exponents: with the logarithms divided out A_PAP's need is no steeper than 1/alpha, an upper bound; the
window of public data alone tells a quadratic need from a linear one, as that of ABM19-NAIVE."""


def double_sample_failure(m: int, alpha: float, d: int) -> float:
    """Return 2 (2 e m / d)^(2 d) 2^(-alpha m / 8), at least P[no alpha/4-cover] for m >= 8 / (alpha / 4) points."""
    return math.exp(math.log(2) + 2 * d * math.log(2 * math.e * m / d) - alpha * m / 8 * math.log(2))


def gap_probability(m: int, mass: float) -> float:
    """Return P[largest of the m + 1 uniform spacings > mass], in rational arithmetic."""
    return bad_probability_thresholds(m, Fraction(repr(mass)).limit_denominator(10**9))


# ---------------------------------------------------------------------------------------------------- lemma 11
@claim(
    "BCM20-L11",
    "P[no alpha/4-cover] of thresholds by the exact distribution of the largest gap, of intervals by their two largest "
    "gaps",
    constants="explicit: 2 (2 e m / d)^(2 d) 2^(-alpha m / 8), and exact",
)
def lemma_11(table: Table) -> str:
    """Measure how often public points give no alpha/4-cover: exactly for thresholds, by gaps drawn for intervals."""
    for alpha in ALPHAS:
        m = cover_points_exact(alpha, BETA)
        settings: Settings = {"class": "thresholds", "alpha": alpha, "beta": BETA}
        for least, size in ((1, m), (0, cover_points_union(alpha, BETA))):
            failure = gap_probability(size, alpha / 4)
            table.at_most(FAILURE, settings | {"n_public": size, "least": least}, failure, BETA / 2)
        for size, judged in ((m - 1, True), (math.floor(m / 1.25), False)):
            failure = gap_probability(size, alpha / 4)
            table.within(FEWER, settings | {"n_public": size}, failure, ABOVE, 1.0, BETA / 2, judged=judged)
        general = cover_points_class(alpha, BETA, 1)
        table.recorded(SLACK, settings | {"n_public": general}, general / m)
    for at in table.corners("alpha", "beta", "vc"):
        general = cover_points_class(at["alpha"], at["beta"], at["vc"])
        failure = double_sample_failure(general, at["alpha"], at["vc"])
        table.at_most(DOUBLE, at | {"n_public": general}, failure / (at["beta"] / 2), 1.0, rounding=ROUNDING)
        table.at_most(LEAST, at, 8 / (at["alpha"] / 4) / general, 1.0)
    before = math.inf
    for alpha in ALPHAS_RATE:
        m = cover_points_exact(alpha, BETA)
        settings = {"class": "thresholds", "alpha": alpha, "beta": BETA, "n_public": m}
        quotient = m / printed_public(alpha, BETA, 1)
        if math.isinf(before):
            table.recorded(QUOTIENT, settings, quotient)
        else:
            table.at_most(QUOTIENT, settings, quotient, before)
        before = quotient
    trials = table.trials(DRAWS, fewest=200)
    randomness, level = table.randomness.spawn("intervals"), GATE_LEVEL / (2 * len(ALPHAS))
    for alpha in track(ALPHAS, "alphas", work=[1 / alpha for alpha in ALPHAS]):
        m = cover_points_exact(alpha, BETA)
        for size in (2 * m, m):
            gaps = bad_diameters(size, 2, trials, randomness.spawn(repr(alpha), size).generator)
            share = frequency(int(np.sum(gaps > alpha / 4)), trials, level)
            settings = {"class": "intervals", "alpha": alpha, "beta": BETA, "n_public": size}
            if size > m:
                table.at_most(FAILURE, settings, share, BETA / 2, trials)
            else:
                table.within(FEWER, settings, share, ABOVE, 1.0, BETA / 2, trials)
    table.show(table(FAILURE, alpha=0.1)[0])
    quotients, slack = table.values(QUOTIENT), table.values(SLACK)
    twice, once = (table.values(quantity, **{"class": "intervals"}) for quantity in (FAILURE, FEWER))
    quarter = [row.measured.value for row in table(FEWER) if row.verdict is None]
    return (
        "thresholds: the least size does under every distribution (atoms by coupling), one point less does not under "
        f"atomless ones, and with 1.25 times fewer points {min(quarter):.2f} to {max(quarter):.2f} fail; intervals "
        f"under atomless distributions: at twice the size of thresholds {min(twice):.3f} to {max(twice):.3f} "
        f"fail, at that of thresholds {min(once):.2f} to {max(once):.2f}. The rate is judged as an "
        f"upper bound: the quotient by the printed form falls from {quotients[0]:.1f} to {quotients[-1]:.1f} for "
        f"alpha = 0.4 to 0.001; the size of a double sample, for any class of VC dimension 1, is {min(slack):.1f} to "
        f"{max(slack):.1f} times the least. Not said: every class, which is ABM19 lemma 3.3's proof; more in "
        "ABM19-L3.3-rate"
    )


# ---------------------------------------------------------------------------------------------------- the saving
def failure_at(way: str, alpha: float, m: int) -> float:
    """Return the chance that m public points fail."""
    if way == ALONE:
        return 1 - kolmogorov_distribution(m, alpha / 2)
    return bad_probability_thresholds_float(m, alpha / 4 if way == EXACT else alpha / 2)


@claim(
    "BCM20-SAVING",
    f"least public points on thresholds, beta = {BETA:g}: exact for theorem 10's cover, for A_PAP with exact private "
    "answers "
    "and for shares among public points alone",
    constants="exact sizes; private records by lemma 7's printed constants",
)
def saving(table: Table) -> str:
    """Measure the public points of theorem 10, of A_PAP with private records without end, and of public data alone."""
    work = [1 / alpha**2 for alpha in ALPHAS_SAVING]
    sizes = {
        EXACT: [cover_points_exact(alpha, BETA) for alpha in ALPHAS_SAVING],
        LIMIT: [cover_points_limit(alpha, BETA) for alpha in ALPHAS_SAVING],
        ALONE: [public_points_thresholds(alpha, BETA) for alpha in track(ALPHAS_SAVING, "alphas", work=work)],
        CLASS: [cover_points_class(alpha, BETA, 1) for alpha in ALPHAS_SAVING],
    }
    for way, needs in sizes.items():
        allowed = BETA / 2 if way == EXACT else BETA
        for alpha, size in zip(ALPHAS_SAVING, needs, strict=True):
            settings: Settings = {"way": way, "alpha": alpha}
            table.recorded("public points needed", settings | {"beta": BETA}, size)
            if way in FITS:
                at_need, below = failure_at(way, alpha, size), failure_at(way, alpha, size - 1)
                table.at_most("P[failure] at the need", settings | {"n_public": size}, at_need, allowed)
                quantity, lowest = "control: P[failure] one point below the need", math.nextafter(allowed, 1)
                table.within(quantity, settings | {"n_public": size - 1}, below, lowest, 1.0, allowed)
    for i, alpha in enumerate(ALPHAS_SAVING):
        share, logs = sizes[EXACT][i] / sizes[ALONE][i], math.log(sizes[EXACT][i] + 1)
        settings = {"alpha": alpha, "beta": BETA, "n_private": math.ceil(pap_records(alpha, BETA, logs, logs))}
        table.at_most(SHARE, settings, share, 1.0, judged=alpha <= SAVES_FROM)
    raw, divided = {}, {}
    logs_of = np.log(1 / np.array(ALPHAS_SAVING)) + math.log(1 / BETA)
    for way, (low, high) in FITS.items():
        slope, without_logs = (loglog_slope(ALPHAS_SAVING, needs) for needs in (sizes[way], sizes[way] / logs_of))
        raw[way], divided[way] = slope.value, without_logs.value
        if way == ALONE:
            table.within(RAW, {"way": way}, slope, low, high)
        else:
            table.recorded(RAW, {"way": way}, slope)
            table.within(NORMALISED, {"way": way}, without_logs, low, high)
    shares = {row.settings["alpha"]: row for row in table(SHARE)}
    table.show(shares[ALPHAS_SAVING[-1]])
    worse = [f"{alpha:g}" for alpha, row in shares.items() if row.measured.value > 1]
    private = {alpha: float(row.settings["n_private"]) for alpha, row in shares.items()}
    general = zip(ALPHAS_SAVING, sizes[CLASS], sizes[ALONE], strict=True)
    below_alone = max((alpha for alpha, any_class, alone in general if any_class < alone), default=0.0)
    listed = {way: "/".join(map(str, needs)) for way, needs in sizes.items()}
    return (
        f"for alpha = {', '.join(f'{a:g}' for a in ALPHAS_SAVING)}: theorem 10 {listed[EXACT]}, A_PAP "
        f"with private records without end {listed[LIMIT]}, public data alone {listed[ALONE]}. So the "
        f"theorem saves from alpha = {SAVES_FROM:g} on; at {', '.join(worse)} it asks for more than public data "
        f"alone. Exponents {raw[EXACT]:.2f}, {raw[LIMIT]:.2f} and {raw[ALONE]:.2f}; "
        f"with the logarithms divided out the first two are {divided[EXACT]:.2f} and "
        f"{divided[LIMIT]:.2f}, judged as upper bounds, at least -1. The price is private: lemma 7 asks "
        f"for {private[SAVES_FROM]:.2g} records at alpha = 0.1 and {private[ALPHAS_SAVING[-1]]:.2g} "
        f"at {ALPHAS_SAVING[-1]:g} (epsilon 1, delta 1e-6). Thresholds only; {CLASS} asks for {listed[CLASS]}, "
        f"below public data alone on thresholds from alpha = {below_alone:g} on"
    )


# ---------------------------------------------------------------------------------------------------- theorem 15
CONSTANT, PROJECTED = "P[largest gap > alpha]", "P[2 largest gap > alpha]"
PROVED = "P[largest gap > alpha] at m = 4 / alpha, lower bound by two moments"
ENOUGH = "control: P[largest gap <= alpha], four times the points"
ALPHAS_FLOOR, ALPHAS_PROVED = (0.1, 0.05, 0.02), (0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-6)
MULTIPLES = (0.25, 0.5, 1, 2, 4, 8, 16)
UP_TO = 4
"""Points times alpha up to which answers that are constant on gaps are judged."""
FLOOR = 1 / 3


def gap_bound(m: int, alpha: float) -> float:
    """Return S / (1 + S), S = (m + 1) (1 - alpha)^m, at most P[largest gap > alpha].

    S is the expected number of gaps above alpha.  Two are with probability (1 - 2 alpha)^m <= (1 - alpha)^(2 m), so
    that the second moment is at most S + S^2; the number is positive with probability S^2 / (S + S^2) at least.
    """
    expected = (m + 1) * math.exp(m * math.log1p(-alpha))
    return expected / (1 + expected)


@claim(
    "BCM20-T15",
    "answers to thresholds that are constant between neighbouring public points, private records without end: exact "
    "distribution of the largest gap at m = c / alpha points of an atomless distribution",
    shown=CONSTANT,
    constants="ours: proved in docs/findings.md",
)
def theorem_15(table: Table) -> str:
    """Judge how often the largest gap exceeds alpha with up to 4 / alpha public points.

    Means of labels -1 and 1 rise by twice the mass of a gap over it, so that a constant errs by that mass at least, and
    A_PAP, which answers with the gap's lower end, by twice.
    """
    for alpha, c in product(ALPHAS_FLOOR, MULTIPLES):
        m = math.floor(Fraction(repr(c)) / Fraction(repr(alpha)))
        settings: Settings = {"alpha": alpha, "n_public": m, "points_times_alpha": c}
        chance = gap_probability(m, alpha)
        table.within(CONSTANT, settings, chance, FLOOR, 1.0, FLOOR, judged=c <= UP_TO)
        table.recorded(PROJECTED, settings, gap_probability(m, alpha / 2))
        if c == 4 * UP_TO:
            table.exceeding(ENOUGH, settings, 1 - chance, 1 - FLOOR)
    for alpha in ALPHAS_PROVED:
        m = math.floor(UP_TO / Fraction(repr(alpha)))
        table.within(PROVED, {"alpha": alpha, "n_public": m}, gap_bound(m, alpha), FLOOR, 1.0, FLOOR)

    def chances(quantity: str) -> str:
        parts = []
        for c in MULTIPLES[3:]:
            values = table.values(quantity, points_times_alpha=c)
            ends = dict.fromkeys(f"{end:.2g}" for end in (min(values), max(values)))
            parts.append(f"{' to '.join(ends)} at m = {c:g} / alpha")
        return f"{quantity} is " + ", ".join(parts)

    proved = min(table.values(PROVED))
    return (
        "answers that are constant between neighbouring public points err by the largest gap at least, under every "
        f"atomless distribution: {chances(CONSTANT)}; with at most 4 / alpha points they miss alpha with probability "
        f"above 1/3 for every alpha up to .1, proved in docs/findings.md ({proved:.2f} at .1 by two moments, more "
        "below); four times the points must do. A_PAP's answers are of this kind, and err by twice the gap: "
        f"{chances(PROJECTED)}, so that it needs about (2 / alpha) ln(1 / alpha). That every algorithm needs order 1 "
        "/ alpha rests on ABM19 theorem 4.1 and is cited (BCM20-L18)"
    )
