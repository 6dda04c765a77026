"""How many public points A_PAP needs on thresholds, and what that saves (BCM20 algorithm 3, lemma 11, theorem 15).

All of it is exact, by spacings of uniform points and by the law of Kolmogorov and Smirnov, but for intervals.  Errors
are those of means of labels -1 and 1.
"""

import math
from fractions import Fraction

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, frequency, loglog_slope
from semipriv.distributions.spacings import (
    bad_diameters,
    bad_probability_thresholds,
    bad_probability_thresholds_float,
    kolmogorov_law,
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
from semipriv.report.ledger.findings import Finding, Measurement, Settings, at_most, conclude, recorded, within

CLAIMS = ("BCM20-L11", "BCM20-SAVING", "BCM20-T15")
FIGURE = "public_need"
SECONDS = 5

BETA = 0.1
ABOVE = math.nextafter(BETA / 2, 1.0)
ALPHAS = (0.4, 0.2, 0.1, 0.05, 0.02)
ALPHAS_RATE = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
ALPHAS_SAVING = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
SAVES_FROM = 0.1
"""Largest alpha at which theorem 10's public need is claimed to be below that of public data alone."""
ALPHAS_FLOOR = (0.1, 0.05, 0.02)
MULTIPLES = (0.25, 0.5, 1, 2, 4, 8, 16)
DRAWS = 20_000

FAILURE = "P[no alpha/4-cover]"
FEWER = "control: P[no alpha/4-cover], fewer points"
QUOTIENT = "points / ((ln(1/alpha) + ln(1/beta)) / alpha)"
SLACK = "size for any class of VC dimension 1 / least size"
NEED = "public points needed"
EXACT, LIMIT, ALONE, CLASS = "theorem 10, exact", "A_PAP, n = infinity", "public data alone", "theorem 10, any class"
AT = "P[failure] at the need"
LEAST = "control: P[failure] one point below the need"
NORMALISED = "exponent in alpha of points / (ln(1/alpha) + ln(1/beta))"
RAW = "exponent in alpha"
SHARE = "theorem 10's public points / those of public data alone"
FITS: dict[str, tuple[float, float]] = {EXACT: (-1.0, math.inf), LIMIT: (-1.0, math.inf), ALONE: (-2.15, -1.85)}
"""Allowed exponents: with the logarithms divided out A_PAP's need is no steeper than 1/alpha, an upper bound; the
window of public data alone tells a quadratic need from a linear one, as that of ABM19-NAIVE."""


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BCM20-L11, BCM20-SAVING and BCM20-T15."""
    return {
        "BCM20-L11": _cover(randomness.spawn("intervals"), effort),
        "BCM20-SAVING": _saving(),
        "BCM20-T15": _floor(),
    }


def gap_probability(m: int, mass: float) -> float:
    """Return P[largest of the m + 1 uniform spacings > mass], in rational arithmetic."""
    return bad_probability_thresholds(m, Fraction(repr(mass)).limit_denominator(10**9))


# ---------------------------------------------------------------------------------------------------- lemma 11
def _cover(randomness: Simulation, effort: float) -> Finding:
    """Measure how often public points give no alpha/4-cover: exactly for thresholds, by gaps drawn for intervals."""
    rows: list[Measurement] = []
    for alpha in ALPHAS:
        m = cover_points_exact(alpha, BETA)
        where: Settings = {"class": "thresholds", "alpha": alpha, "beta": BETA}
        for least, size in ((1, m), (0, cover_points_union(alpha, BETA))):
            settings = where | {"n_public": size, "least": least}
            rows.append(at_most(FAILURE, settings, gap_probability(size, alpha / 4), BETA / 2))
        for size, judged in ((m - 1, True), (math.floor(m / 1.25), False)):
            found = gap_probability(size, alpha / 4)
            settings = where | {"n_public": size}
            rows.append(within(FEWER, settings, found, ABOVE, 1.0, BETA / 2, judged=judged))
        general = cover_points_class(alpha, BETA, 1)
        share = general / m
        rows.append(recorded(SLACK, where | {"n_public": general}, share))
    rows += _quotients() + _intervals(randomness, effort)
    quotients = [row.measured.value for row in rows if row.quantity == QUOTIENT]
    slack = [row.measured.value for row in rows if row.quantity == SLACK]
    drawn = [row for row in rows if row.settings.get("class") == "intervals" and row.trials]
    shown = {
        quantity: [row.measured.value for row in drawn if row.quantity == quantity] for quantity in (FAILURE, FEWER)
    }
    quarter = [row.measured.value for row in rows if row.quantity == FEWER and row.verdict is None]
    return conclude(
        "P[no alpha/4-cover] of thresholds by the exact law of the largest gap, of intervals by their two largest gaps",
        rows,
        deciding=next(row for row in rows if row.settings["alpha"] == 0.1),
        constants="explicit: 2 (2 e m / d)^(2 d) 2^(-alpha m / 8), and exact",
        reason="thresholds: the least size does under every law (atoms by coupling), one point less does not under "
        f"atomless ones, and with 1.25 times fewer points {min(quarter):.2f} to {max(quarter):.2f} fail; intervals "
        f"under atomless laws: at twice the size of thresholds {min(shown[FAILURE]):.3f} to {max(shown[FAILURE]):.3f} "
        f"fail, at that of thresholds {min(shown[FEWER]):.2f} to {max(shown[FEWER]):.2f}. The rate is judged as an "
        f"upper bound: the quotient by the printed form falls from {quotients[0]:.1f} to {quotients[-1]:.1f} for "
        f"alpha = 0.4 to 0.001; the size of a double sample, for any class of VC dimension 1, is {min(slack):.1f} to "
        f"{max(slack):.1f} times the least. Not said: every class, which is ABM19 lemma 3.3's proof; more in "
        "ABM19-L3.3-rate",
    )


def _quotients() -> list[Measurement]:
    """Return the least sizes over lemma 11's form, which must not rise as alpha falls."""
    rows: list[Measurement] = []
    before = math.inf
    for alpha in ALPHAS_RATE:
        m = cover_points_exact(alpha, BETA)
        quotient = m / printed_public(alpha, BETA, 1)
        where: Settings = {"class": "thresholds", "alpha": alpha, "beta": BETA, "n_public": m}
        first = math.isinf(before)
        rows.append(recorded(QUOTIENT, where, quotient) if first else at_most(QUOTIENT, where, quotient, before))
        before = quotient
    return rows


def _intervals(randomness: Simulation, effort: float) -> list[Measurement]:
    """Draw the two largest gaps, the largest disagreement of an interval with its projection under atomless laws."""
    trials, rows = max(200, round(DRAWS * effort)), []
    level = GATE_LEVEL / (2 * len(ALPHAS))
    for alpha in track(ALPHAS, "alphas", work=[1 / alpha for alpha in ALPHAS]):
        m = cover_points_exact(alpha, BETA)
        for size in (2 * m, m):
            gaps = bad_diameters(size, 2, trials, randomness.spawn(repr(alpha), size).generator)
            found = frequency(int(np.sum(gaps > alpha / 4)), trials, level)
            where: Settings = {"class": "intervals", "alpha": alpha, "beta": BETA, "n_public": size}
            if size > m:
                rows.append(at_most(FAILURE, where, found, BETA / 2, trials))
            else:
                rows.append(within(FEWER, where, found, ABOVE, 1.0, BETA / 2, trials))
    return rows


# ---------------------------------------------------------------------------------------------------- the saving
def _saving() -> Finding:
    """Measure the public points of theorem 10, of A_PAP with private records without end, and of public data alone."""
    sizes = {
        EXACT: [cover_points_exact(alpha, BETA) for alpha in ALPHAS_SAVING],
        LIMIT: [cover_points_limit(alpha, BETA) for alpha in ALPHAS_SAVING],
        ALONE: [public_points_thresholds(alpha, BETA) for alpha in track(ALPHAS_SAVING, "alphas", work=_work())],
        CLASS: [cover_points_class(alpha, BETA, 1) for alpha in ALPHAS_SAVING],
    }
    rows: list[Measurement] = []
    for way, found in sizes.items():
        for alpha, size in zip(ALPHAS_SAVING, found, strict=True):
            where: Settings = {"way": way, "alpha": alpha, "beta": BETA}
            rows.append(recorded(NEED, where, size))
            if way in FITS:
                rows += _around(way, alpha, size)
    for i, alpha in enumerate(ALPHAS_SAVING):
        share = sizes[EXACT][i] / sizes[ALONE][i]
        logs = math.log(sizes[EXACT][i] + 1)
        where = {"alpha": alpha, "beta": BETA, "n_private": math.ceil(pap_records(alpha, BETA, logs, logs))}
        judged = alpha <= SAVES_FROM
        rows.append(at_most(SHARE, where, share, 1.0, judged=judged))
    for way, (low, high) in FITS.items():
        raw = loglog_slope(ALPHAS_SAVING, sizes[way])
        logs_of = np.log(1 / np.array(ALPHAS_SAVING)) + math.log(1 / BETA)
        divided = loglog_slope(ALPHAS_SAVING, sizes[way] / logs_of)
        if way == ALONE:
            rows.append(within(RAW, {"way": way}, raw, low, high))
        else:
            rows += [recorded(RAW, {"way": way}, raw), within(NORMALISED, {"way": way}, divided, low, high)]
    shares = {row.settings["alpha"]: row for row in rows if row.quantity == SHARE}
    exponents = {(row.quantity, row.settings["way"]): row.measured.value for row in rows if "exponent" in row.quantity}
    worse = [f"{alpha:g}" for alpha, row in shares.items() if row.measured.value > 1]
    return conclude(
        "least public points on thresholds, beta = 0.1: exact for theorem 10's cover, for A_PAP with exact private "
        "answers and for shares among public points alone",
        rows,
        deciding=shares[ALPHAS_SAVING[-1]],
        constants="exact sizes; private records by lemma 7's printed constants",
        reason=f"for alpha = {', '.join(f'{a:g}' for a in ALPHAS_SAVING)}: theorem 10 {_told(sizes[EXACT])}, A_PAP "
        f"with private records without end {_told(sizes[LIMIT])}, public data alone {_told(sizes[ALONE])}. So the "
        f"theorem saves from alpha = {SAVES_FROM:g} on; at {', '.join(worse)} it asks for more than public data "
        f"alone. Exponents {exponents[RAW, EXACT]:.2f}, {exponents[RAW, LIMIT]:.2f} and {exponents[RAW, ALONE]:.2f}; "
        f"with the logarithms divided out the first two are {exponents[NORMALISED, EXACT]:.2f} and "
        f"{exponents[NORMALISED, LIMIT]:.2f}, judged as upper bounds, at least -1. The price is private: lemma 7 asks "
        f"for {_private(shares[SAVES_FROM]):.2g} records at alpha = 0.1 and {_private(shares[ALPHAS_SAVING[-1]]):.2g} "
        f"at {ALPHAS_SAVING[-1]:g} (epsilon 1, delta 1e-6). Thresholds only; {CLASS} asks for {_told(sizes[CLASS])}, "
        f"below public data alone on thresholds from alpha = {_first(sizes):g} on",
    )


def _work() -> list[float]:
    return [1 / alpha**2 for alpha in ALPHAS_SAVING]


def _told(sizes: list[int]) -> str:
    return "/".join(map(str, sizes))


def _private(row: Measurement) -> float:
    return float(row.settings["n_private"])


def _first(sizes: dict[str, list[int]]) -> float:
    """Return the largest alpha at which the size for any class is below that of public data alone; 0 if none is."""
    known = zip(ALPHAS_SAVING, sizes[CLASS], sizes[ALONE], strict=True)
    return max((alpha for alpha, general, alone in known if general < alone), default=0.0)


def _around(way: str, alpha: float, size: int) -> list[Measurement]:
    """Return the chance of failure at the need, at most what is allowed, and one point below, above it."""
    allowed = BETA / 2 if way == EXACT else BETA

    def failure(m: int) -> float:
        if way == ALONE:
            return 1 - kolmogorov_law(m, alpha / 2)
        return bad_probability_thresholds_float(m, alpha / 4 if way == EXACT else alpha / 2)

    where: Settings = {"way": way, "alpha": alpha}
    return [
        at_most(AT, where | {"n_public": size}, failure(size), allowed),
        within(LEAST, where | {"n_public": size - 1}, failure(size - 1), math.nextafter(allowed, 1), 1.0, allowed),
    ]


# ---------------------------------------------------------------------------------------------------- theorem 15
def _floor() -> Finding:
    """Record how often A_PAP's error exceeds alpha with private records without end, at m = c / alpha."""
    rows = []
    for alpha in ALPHAS_FLOOR:
        for c in MULTIPLES:
            where: Settings = {"alpha": alpha, "n_public": round(c / alpha), "points_times_alpha": c}
            for quantity, mass in (("P[2 gap > alpha]", alpha / 2), ("P[gap > alpha]", alpha)):
                rows.append(recorded(quantity, where, gap_probability(round(c / alpha), mass)))
    return conclude(
        "A_PAP on thresholds with exact private answers, m = c / alpha: exact law of the largest gap",
        rows,
        verdict=Verdict.ILLUSTRATION,
        deciding=next(row for row in rows if row.settings["points_times_alpha"] == 8),
        reason=f"the error is twice the largest gap: {_chances(rows, 'P[2 gap > alpha]')}; an answer that is constant "
        f"on each gap cannot err by less than the gap: {_chances(rows, 'P[gap > alpha]')}. A_PAP needs about (2 / "
        "alpha) ln(1 / alpha); the theorem is about every algorithm and rests on ABM19 theorem 4.1 (BCM20-L18, cited)",
    )


def _chances(rows: list[Measurement], quantity: str) -> str:
    parts = []
    for c in MULTIPLES[3:]:
        found = [r.measured.value for r in rows if r.quantity == quantity and r.settings["points_times_alpha"] == c]
        low, high = min(found), max(found)
        parts.append(
            f"{low:.2g}" + (f" to {high:.2g}" if f"{low:.2g}" != f"{high:.2g}" else "") + f" at m = {c:g} / alpha"
        )
    return f"{quantity} is " + ", ".join(parts)
