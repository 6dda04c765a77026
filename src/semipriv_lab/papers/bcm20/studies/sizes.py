"""Exact claims of BCM20 on sizes: theorem 10's, those for stumps, steps of theorem 13's proof, data sets of remark 9.

Nothing is drawn.
"""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import numpy as np

from semipriv.distributions.spacings import kolmogorov_distribution
from semipriv.papers.bcm20.bounds.public_only import (
    hoeffding_points,
    stumps_gaussian_failure,
    stumps_gaussian_records,
    stumps_noise_records,
    stumps_public_failure,
    stumps_public_points,
)
from semipriv.papers.bcm20.bounds.sizes import (
    cover_points_class,
    cover_points_exact,
    log_cells_bound,
    log_queries_bound,
    pap_records,
    printed_private,
)
from semipriv.papers.bcm20.bounds.steps import (
    E_ABOVE,
    E_BELOW,
    privacy_slack,
    quantile_error,
    remark_size,
    rounded_mean_error,
    traced_closed_form,
    traced_private,
)
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.zcdp import ZeroConcentrated
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest

BETA = 0.1
EPSILON = 1.0
DELTA = 1e-6
UNIFORM = "uniform bits"


def falling(table: Table, quantity: str, series: list[tuple[Settings, float]]) -> None:
    """Add a row for each value of a series: none may exceed the one before it."""
    table.recorded(quantity, *series[0])
    for (_, before), (settings, value) in pairwise(series):
        table.at_most(quantity, settings, value, before)


# ---------------------------------------------------------------------------------------------------- theorem 10
ALPHAS = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
BETAS = (0.1, 0.01, 1e-3, 1e-6)
DELTAS = (0.1, 1e-3, 1e-6, 1e-9)
DIMENSIONS = ((1, 1), (2, 2), (3, 2), (4, 4), (8, 8), (8, 511))
RECORDS = "records of lemma 7 / printed records of theorem 10"
CONSTANT = 18_000
"""What stands for "up to a constant": the quotient is 17,240 where it is largest."""
WORST = "records of lemma 7 / printed records of theorem 10, largest over alpha, beta and delta"
GROWN = "records of lemma 7 / printed records of theorem 10, d and p grow"
THRESHOLDS, GENERAL = "thresholds, exact", "any class"


def logs(sizes: str, alpha: float, beta: float, d: int, p: int) -> tuple[float, float]:
    """Return ln |X| and ln |H~|: of thresholds m + 1 each, or bounds for any class."""
    if sizes == THRESHOLDS:
        both = math.log(cover_points_exact(alpha, beta) + 1)
        return both, both
    queries = log_queries_bound(cover_points_class(alpha, beta, d), d)
    return log_cells_bound(queries, p), queries


def quotients(sizes: str, alpha: float, beta: float, delta: float, d: int, p: int) -> dict[str, float]:
    """Return the records, ln |H~| and ln |X| over what is printed, by quantity."""
    cells, queries = logs(sizes, alpha, beta, d, p)
    printed = d * math.log(1 / alpha) + math.log(1 / beta)
    records = pap_records(alpha, beta, cells, queries, EPSILON, delta)
    return {
        RECORDS: records / printed_private(alpha, beta, d, p, EPSILON, delta),
        "ln |H~| / (d ln(1/alpha) + ln(1/beta))": queries / printed,
        "ln |X| / (p (d ln(1/alpha) + ln(1/beta)))": cells / (p * printed),
    }


@claim(
    "BCM20-T10-sizes",
    "lemma 7's printed records at (alpha/2, beta/2) on lemma 11's covers, over the form printed in theorem 10",
)
def theorem_10(table: Table) -> str:
    """Compare lemma 7's numbers of records, at lemma 11's covers, with the printed form of theorem 10."""
    grids = {
        "alpha": [(a, BETA, DELTA) for a in ALPHAS],
        "beta": [(0.1, b, DELTA) for b in BETAS],
        "delta": [(0.1, BETA, delta) for delta in DELTAS],
    }
    for sizes, pairs in ((THRESHOLDS, DIMENSIONS[:1]), (GENERAL, DIMENSIONS)):
        for (d, p), (name, grid) in product(pairs, grids.items()):
            base: Settings = {"sizes": sizes, "d": d, "p": p, "falling": name}
            grid_settings = [base | {"alpha": a, "beta": b, "delta": delta} for a, b, delta in grid]
            cells = [quotients(sizes, a, b, delta, d, p) for a, b, delta in grid]
            for quantity in cells[0]:
                falling(table, quantity, [(w, cell[quantity]) for w, cell in zip(grid_settings, cells, strict=True)])

    for sizes, pairs in ((THRESHOLDS, DIMENSIONS[:1]), (GENERAL, DIMENSIONS)):
        for d, p in pairs:
            corners = product(ALPHAS, BETAS, DELTAS)
            worst = max(quotients(sizes, a, b, delta, d, p)[RECORDS] for a, b, delta in corners)
            table.at_most(WORST, {"sizes": sizes, "d": d, "p": p}, worst, CONSTANT)

    def records(alpha: float, p: int = 1, d: int = 1) -> float:
        return pap_records(alpha, BETA, *logs(GENERAL, alpha, BETA, d, p))

    ends = ALPHAS[0], ALPHAS[-1]
    too_small = {
        "power 1": [records(a) / printed_private(a, BETA, 1, 1, power=1.0) for a in ends],
        "1/alpha": [records(a) / (printed_private(a, BETA, 1, 1) * a) for a in ends],
        "without sqrt(p)": [records(0.1, p, 8) / printed_private(0.1, BETA, 8, 1) for p in (8, 511)],
    }
    for form, (before, after) in too_small.items():
        table.exceeding("control: growth of the quotient", {"form": form}, after / before, 1.0, rounding=0)
    for d in (1, 2, 3, 8):
        quotient = math.sqrt((2 ** (d + 1) - 1) / 2**d)
        table.at_most("sqrt(p) / sqrt(2^d) at the largest p of fact 4", {"d": d}, quotient, 2**0.5)
    for d in (1, 2, 4, 8, 16, 32, 64):
        for p in (d, 2 ** (d + 1) - 1):
            quotient = quotients(GENERAL, 0.1, BETA, DELTA, d, p)[RECORDS]
            table.recorded(GROWN, {"d": d, "p": float(p), "alpha": 0.1}, quotient)
    exact = table.values(RECORDS, sizes=THRESHOLDS, falling="alpha")
    table.show(table(RECORDS, sizes=THRESHOLDS, falling="alpha")[-1])
    most, grown = largest(table(RECORDS)), table.values(GROWN)
    return (
        f"at most {CONSTANT:,} times ({max(table.values(WORST)):,.0f} or less): on thresholds the quotient falls "
        f"from {exact[0]:.0f} at alpha = 0.4 to {exact[-1]:.0f} at 1e-12; for any class, by Sauer's bounds at d, p "
        "up to 8, 511, no quotient rises as alpha, beta or delta falls, and the largest is "
        f"{most.measured.value:.0f} (d = {most.settings['d']}, p = {most.settings['p']}, alpha = "
        f"{most.settings['alpha']:g}). With power 1 in place of 3/2, 1/alpha instead of 1/alpha^2, or no sqrt(p) it "
        "rises. sqrt(2^d) instead of sqrt(p) is fact 4. Not judged in d: at alpha = 0.1, p = d or 2^(d + 1) - 1 it "
        f"is {min(grown):.0f} to {max(grown):.0f} for d = 1 to 64. Sizes only: that they suffice is BCM20-T10"
    )


# ---------------------------------------------------------------------------------------------------- stumps
FEATURES = (100, 1_000, 10_000, 100_000, 1_000_000)
STUMP_ALPHAS = (0.2, 0.1, 0.05)
STUMP_FAILS = "P[some mean of public data errs by more than alpha], Hoeffding's size"
STUMP_NEED = "public points needed / (ln p / alpha^2)"
NOISE = "records by the noise alone / (sqrt(p ln p) / alpha)"
LOG_FREE = "control: growth of (records by the noise alone) / (sqrt(p) / alpha), p from 100"


@claim(
    "BCM20-STUMPS",
    "stumps on uniform bits, exact: means of public data alone, and means with Gaussian noise without public data",
    constants="explicit: Hoeffding; (1, 1e-6)-private Gaussian noise, sqrt(p ln p) instead of sqrt(p)",
)
def stumps(table: Table) -> str:
    """Measure what stumps need from public data alone, and from the Gaussian release without any."""
    rho = ZeroConcentrated.within(Guarantee(EPSILON, DELTA)).rho
    for alpha in STUMP_ALPHAS:
        need, noise = [], []
        for p in FEATURES:
            settings: Settings = {"distribution": UNIFORM, "p": p, "alpha": alpha, "beta": BETA}
            settings |= {"epsilon": EPSILON, "delta": DELTA}
            size = hoeffding_points(alpha, BETA, p)
            whole, quarter = stumps_public_failure(np.array([size, size // 4]), alpha, p)
            table.at_most(STUMP_FAILS, settings | {"n_public": size}, float(whole), BETA)
            fewer = settings | {"n_public": size // 4}
            table.exceeding("control: the same at a quarter of the size", fewer, float(quarter), BETA, rounding=0)
            least = stumps_public_points(alpha, BETA, p)
            need.append((settings | {"n_public": least}, least / (math.log(p) / alpha**2)))
            records = stumps_gaussian_records(alpha, BETA, p, rho)
            halves = hoeffding_points(alpha / 2, BETA / 2, p), stumps_noise_records(alpha / 2, BETA / 2, p, rho)
            table.at_most("private records of the Gaussian release", settings, records, float(math.ceil(max(halves))))
            failing = stumps_gaussian_failure(records - 1, alpha, p, rho)
            table.exceeding("control: P[error > alpha] with one record less", settings, failing, BETA, rounding=0)
            noise.append((settings, stumps_noise_records(alpha, BETA, p, rho) / (math.sqrt(p * math.log(p)) / alpha)))
        falling(table, STUMP_NEED, need)
        falling(table, NOISE, noise)
        free = [value * math.sqrt(math.log(p)) for (_, value), p in zip(noise, FEATURES, strict=True)]
        for p, value in zip(FEATURES[1:], free[1:], strict=True):
            table.exceeding(LOG_FREE, {"p": p, "alpha": alpha}, value / free[0], 1.0, rounding=0)
    table.show(table(STUMP_FAILS, p=FEATURES[-1])[0])
    needs, noises = table.values(STUMP_NEED), table.values(NOISE)
    return (
        "public data alone: 2 ln(2 p / beta) / alpha^2 points suffice under every distribution (Hoeffding's "
        "inequality, a proof); exactly, on uniform bits, they do, a quarter of them does not, and the least number "
        f"over ln(p) / alpha^2 falls from {max(needs):.2f} to {min(needs):.2f}, p = 100 to 1e6. "
        "Private data alone: the Gaussian release needs O(ln(p) / alpha^2 + sqrt(p ln p) / alpha) records; its noise "
        f"alone asks for {min(noises):.1f} to {max(noises):.1f} times sqrt(p ln p) / alpha, and grows "
        f"against the printed sqrt(p) / alpha by {max(table.values(LOG_FREE)):.2f} from p = 100 to 1e6. The printed "
        "form without ln p is cited: this release does not have it"
    )


# ---------------------------------------------------------------------------------------------------- theorem 13
LARGEST = 60
STEPS_TO = 10_000


@claim("BCM20-T13-steps", "steps of theorem 13's proof in rational arithmetic")
def theorem_13(table: Table) -> str:
    """Check the steps of theorem 13's proof in rational arithmetic."""
    pairs = [(n, m) for n in range(1, LARGEST + 1) for m in range(LARGEST + 1)]
    exact = max(abs(traced_private(n, m) - traced_closed_form(n, m)) for n, m in pairs)
    printed = min(abs(traced_private(n, m) - traced_closed_form(n, m, printed=True)) for n, m in pairs)
    chain = min(
        min(traced_private(n, m) - (1 - Fraction(1, n)), 1 - Fraction(1, n) - Fraction(1, 2)) for n, m in pairs if n > 1
    )
    least = next(n for n in range(1, 100) if privacy_slack(n, E_BELOW) > 0)
    slack = min(float(privacy_slack(n, E_ABOVE) * 2 * n) for n in range(11, STEPS_TO + 1))
    positive = math.nextafter(0.0, math.inf)
    settings: Settings = {"sizes": f"n from 1 to {LARGEST}, m from 0"}
    table.show(table.within("least n with e/n^2 + 1/(4n) < 1/(2n)", {}, least, 11, 11, 11.0))
    table.within(
        "slack of 1/(2n), relative, smallest", {"sizes": f"n from 11 to {STEPS_TO}"}, slack, positive, math.inf, 0.0
    )
    table.at_most(
        "slack of 1/(2n), relative: control", {"sizes": "n = 10"}, float(privacy_slack(10, E_BELOW) * 20), 0.0
    )
    table.at_most("largest difference of (m + 1)(1 - 1/N^2) - m and 1 - (m + 1)/N^2", settings, float(exact), 0.0)
    table.exceeding(
        "control: smallest difference with m - 1 in place of m + 1", settings, float(printed), 0.0, rounding=0
    )
    table.at_most(
        "largest excess of 1 - 1/n, or of 1/2 over it, over the flagged private records", settings, -float(chain), 0.0
    )
    table.at_most(
        "ln(n/4) at n = 10, the largest epsilon that the attack rules out", {"sizes": "n = 10"}, math.log(10 / 4), 1.0
    )
    above_1 = math.nextafter(1.0, math.inf), math.inf
    table.within("ln(n/4), the largest epsilon that the attack rules out", {"n": 11}, math.log(11 / 4), *above_1, 1.0)
    return (
        "(1, 1/(4n))-privacy is ruled out where e/n^2 + 1/(4n) < 1/(2n), n > 4 e = 10.87: from 11 on, as "
        "printed. (m + 1)(1 - 1/N^2) - m is 1 - (m + 1)/N^2; the text at hand reads m - 1, a slip that changes "
        "nothing, since 1 - (m + 1)/N^2 >= 1 - 1/N as well. These steps only; theorem 14, from which they start, is "
        "cited"
    )


# ---------------------------------------------------------------------------------------------------- remark 9
REMARK_ALPHAS = (Fraction(2, 5), Fraction(1, 5), Fraction(1, 10), Fraction(1, 20), Fraction(1, 100))
REMARK_STUMPS = (2, 3, 4, 7, 8, 15, 16, 1_000, 1_000_000)
ERROR = "largest error of the data set against the distribution"
TOO_FEW = "control: error of the best data set that is too small, against 2 alpha"
CHANCE = "P[a sample of that size is within alpha], thresholds"


@claim(
    "BCM20-R9-exists",
    "data sets of floor(VC / alpha^2) + 1 points: quantiles for thresholds and intervals, rounded means for stumps",
)
def remark_9(table: Table) -> str:
    """Check that data of remark 9's size is within alpha of the distribution, so within 2 alpha of the answers."""
    for exact in REMARK_ALPHAS:
        alpha = float(exact)
        for name, d, factor in (("thresholds", 1, 1), ("intervals", 2, 2)):
            size = remark_size(exact, d)
            settings: Settings = {"class": name, "vc": d, "alpha": alpha, "size": size}
            table.at_most(ERROR, settings, float(factor * quantile_error(size)), alpha)
        for p in REMARK_STUMPS:
            size = remark_size(exact, p.bit_length() - 1)
            settings = {"class": "stumps", "p": p, "vc": p.bit_length() - 1, "alpha": alpha, "size": size}
            table.at_most(ERROR, settings, float(rounded_mean_error(size)), alpha)
        too_small = math.ceil(1 / (2 * exact)) - 1
        settings = {"class": "thresholds", "alpha": alpha, "size": too_small}
        table.exceeding(TOO_FEW, settings, float(quantile_error(too_small)), float(2 * exact), rounding=0)
        table.recorded(CHANCE, {"alpha": alpha}, kolmogorov_distribution(remark_size(exact, 1), alpha / 2))
        one_point: Settings = {"class": "stumps", "p": 1, "vc": 0, "alpha": alpha, "size": 1}
        table.recorded(ERROR, one_point, float(rounded_mean_error(remark_size(exact, 0))), alpha)
    table.show(table(ERROR, **{"class": "intervals"})[0])
    chances = table.values(CHANCE)
    return (
        "for thresholds and intervals under every distribution, and stumps on p >= 2 bits: quantiles err by 1/n' and "
        "2/n', rounded means by 1/n', at most alpha, so that the set is within 2 alpha of answers within alpha; n' "
        "below 1 / (2 alpha) does not do for thresholds. The remark's own argument, a random sample, works for "
        f"thresholds with probability {min(chances):.3f} to {max(chances):.3f}. A single stump (VC dimension 0, n' = "
        "1) is an exception: one label errs by up to 1. Not said: VC / alpha^2 for every class, where uniform "
        "convergence has a constant"
    )


NEAREST = "distance of exact answers to the nearest data set of floor(VC / alpha^2) + 1 points"
ONE_MORE = "control: distance of exact answers to the nearest data set of two points, one function"


def nearest(labels: list[list[int]], size: int) -> Fraction:
    """Return the least of max_h |mean of h over a data set - mean of h over all points|, by exhaustion.

    labels: -1 or 1 by hypothesis and point of a finite domain, whose distribution is uniform; size: points of the data
    set.
    """
    exact = [Fraction(sum(row), len(row)) for row in labels]
    return min(
        max(abs(Fraction(sum(row[i] for i in chosen), size) - mean) for row, mean in zip(labels, exact, strict=True))
        for chosen in combinations_with_replacement(range(len(labels[0])), size)
    )


MOST_POINTS = 60
"""Of the data sets that are looked at for the second function: there are as many as points."""


@claim(
    "BCM20-R9-literal",
    "remark 9 for one function that is 1 on one of two points and -1 on the other, uniform distribution: all data sets "
    "of its size, by exhaustion; beside it a second function, of VC dimension 1",
)
def remark_9_literal(table: Table) -> str:
    """Refute the remark's size for VC dimension 0, by all data sets of that size."""
    for exact in REMARK_ALPHAS:
        alpha, size = float(exact), remark_size(exact, 0)
        settings: Settings = {"class": "one function", "vc": 0, "alpha": alpha, "size": size}
        least = table.refutable(NEAREST, settings, float(nearest([[1, -1]], size)), 2 * alpha)
        table.at_most(ONE_MORE, settings | {"size": 2}, float(nearest([[1, -1]], 2)), 2 * alpha)
        if exact == REMARK_ALPHAS[-1]:
            table.show(least)
        control_size = min(remark_size(exact, 1), MOST_POINTS)
        settings = {"class": "two functions", "vc": 1, "alpha": alpha, "size": control_size}
        table.at_most(NEAREST, settings, float(nearest([[1, -1], [1, 1]], control_size)), 2 * alpha)
    return (
        "the remark asks for n' > VC / alpha^2 points: 1 for a single function, whose mean is then -1 or 1, and errs "
        "by "
        "1 if both labels are as likely: more than 2 alpha for every alpha below 1/2. With two points it is exact; a "
        "second function makes the VC dimension 1, and sizes suffice (BCM20-R9-exists; here data sets have at most "
        f"{MOST_POINTS} points, fewer than the remark asks for at small alpha). A size of max(VC, 1) / alpha^2 repairs "
        "it for the classes there"
    )
