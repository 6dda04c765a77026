"""Illustrations of theorems 13 and 14 of BCM20 by releases of decision stumps, and what mixing in public means buys.

The theorems speak of all releases.  This study shows sizes and errors of a few: no experiment verifies a lower bound.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import scipy
from numpy.typing import ArrayLike

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Verdict, loglog_slope, mean_interval
from semipriv.papers.bcm20.releases.stump_releases import GaussianMeans, MixedMeans, UniformNoise
from semipriv.papers.bcm20.releases.tracing import Floats, Population, record_means, scores
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    comparable,
    conclude,
    equals,
    recorded,
    verdict_on,
    within,
)

CLAIMS = ("BCM20-T13", "BCM20-T13-public", "BCM20-T14-event")
SECONDS = 3


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BCM20-T13 and T14-event, which are illustrations, and BCM20-T13-public."""
    return {
        "BCM20-T13": _needs(),
        "BCM20-T13-public": _mixture(randomness, effort),
        "BCM20-T14-event": _event(randomness, effort),
    }


# ---------------------------------------------------------------------------------------------------- theorem 13
NEED_P = (100, 400, 1600, 6400, 25600)
SLOPE_P = NEED_P[:4]
NEED_ALPHAS = (0.1, 0.05, 0.02)
PRIVATE_NEED = "private records that the Gaussian release needs"
PUBLIC_NEED = "public records that public means need"
OVER = "private records times alpha / sqrt(p)"
EXPONENT = "exponent in p of the private records"


def failure_public(m: ArrayLike, p: int, alpha: float) -> Floats:
    """Return P[some mean of m fair coordinates is off by more than alpha], exactly, for p coordinates (mu = 0).

    m: numbers of records, of any shape.  A mean is below -alpha if fewer than m (1 - alpha) / 2 entries are 1.
    """
    size = np.asarray(m, np.int64)
    ones = np.ceil(size * (1 - alpha) / 2 - 1e-9) - 1
    return _any_of(p, 2 * scipy.special.bdtr(ones, size, 0.5))


def failure_private(n: int, p: int, alpha: float) -> float:
    """Return that for n private records with the Gaussian noise of epsilon = 1 and delta = 1 / (4 n).

    Sums over the number of ones, which is binomial; twelve standard deviations of it.
    """
    sigma = GaussianMeans(1.0, 1 / (4 * n)).noise(p, n).sigma
    reach = math.ceil(6 * math.sqrt(n))
    ones = np.arange(max(0, n // 2 - reach), min(n, n // 2 + reach) + 1)
    log_mass = scipy.special.gammaln(n + 1) - scipy.special.gammaln(ones + 1) - scipy.special.gammaln(n - ones + 1)
    mean = 2 * ones / n - 1
    off = scipy.special.ndtr((mean - alpha) / sigma) + scipy.special.ndtr((-mean - alpha) / sigma)
    return float(_any_of(p, float(np.exp(log_mass - n * math.log(2)) @ off)))


def _any_of(p: int, one: ArrayLike) -> Floats:
    """Return 1 - (1 - one)^p."""
    return np.asarray(-np.expm1(p * np.log1p(-np.minimum(one, 1 - 1e-16))))


def least_public(p: int, alpha: float) -> int:
    """Return the least m with ``failure_public`` <= alpha; sizes are tried one by one, as it is not monotone in m."""
    first = max(1, round(math.log(2 * p / alpha) / alpha**2))  # half of what Hoeffding's inequality says
    m = np.arange(first, 3 * first)
    enough = failure_public(m, p, alpha) <= alpha
    if enough[0] or not enough.any():
        raise AssertionError(f"the least size is not between {first} and {3 * first}")
    return int(m[np.argmax(enough)])


def least_private(p: int, alpha: float) -> int:
    """Return n with ``failure_private`` <= alpha there and not at n - 1, by halving an interval."""
    low, high = 10, 20
    while failure_private(high, p, alpha) > alpha:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if failure_private(middle, p, alpha) <= alpha else (middle, high)
    return high


def _needs() -> Finding:
    """Record what two releases need for P[largest error > alpha] <= alpha if all means are 0."""
    rows: list[Measurement] = []
    for alpha, p in track(list(product(NEED_ALPHAS, NEED_P)), "sizes"):
        where: Settings = {"p": p, "alpha": alpha}
        n = least_private(p, alpha)
        rows.append(recorded(PRIVATE_NEED, where, n, math.sqrt(p) / alpha))
        rows.append(recorded(OVER, where, n * alpha / math.sqrt(p)))
        rows.append(recorded(PUBLIC_NEED, where, least_public(p, alpha), 1 / alpha**2))
    exponents = []
    for alpha in NEED_ALPHAS:
        sizes = [_at(rows, PRIVATE_NEED, p, alpha).measured.value for p in SLOPE_P]
        exponents.append(recorded(EXPONENT, {"alpha": alpha, "largest_p": SLOPE_P[-1]}, loglog_slope(SLOPE_P, sizes)))
    times = [row.measured.value for row in rows if row.quantity == OVER]
    publics = [row.measured.value / (row.bound or 1) for row in rows if row.quantity == PUBLIC_NEED]
    said = ", ".join(f"{row.measured.value:.3f}" for row in exponents)
    return conclude(
        "least sizes with P[largest error > alpha] <= alpha, all means 0, exactly: Gaussian release at epsilon = 1, "
        "delta = 1 / (4 n), and public means; p = 100 to 25,600, alpha = .1, .05, .02",
        [*rows, *exponents],
        verdict=Verdict.ILLUSTRATION,
        deciding=next(
            r for r in rows if r.quantity == OVER and r.settings == {"p": NEED_P[-1], "alpha": NEED_ALPHAS[0]}
        ),
        constants="none stated",
        reason="two releases need that much, and the theorem is about all of them: n alpha / sqrt(p) is "
        f"{min(times):.0f} to {max(times):.0f}, m alpha^2 {min(publics):.1f} to {max(publics):.1f}; exponents of n in "
        f"p, 100 to 6400, are {said} at alpha = .1, .05, .02, since delta falls with n and sampling error needs n of "
        "its own; shown: p = 25,600, alpha = .1",
    )


def _at(rows: Sequence[Measurement], quantity: str, p: int, alpha: float) -> Measurement:
    return next(row for row in rows if row.quantity == quantity and row.settings == {"p": p, "alpha": alpha})


# ---------------------------------------------------------------------------------------------------- public means
MIXTURE = MixedMeans(1.0, 1e-6)
MIXED_P, MIXED_N = 1000, 2000
PUBLIC_SIZES = (1, 2, 3, 4, 8, 16, 34, 64, 128, 256, 512, 1024)
BALANCE = 34
"""1 / v, rounded: at this m both parts have weight 1/2, and swapped weights are no other mixture."""
HALVED_UP_TO = 512
"""Largest m at which half the noise must be noticed: at 1024 the private part is 5 % of the error."""
MIXED_TRIALS, WIDTH = 60, 0.1
SQUARED = "mean squared error of the mixture"
_GATES = len(PUBLIC_SIZES) + len(PUBLIC_SIZES) - 1 + sum(m <= HALVED_UP_TO for m in PUBLIC_SIZES)
_LEVEL = GATE_LEVEL / _GATES


def saving(m: int) -> float:
    """Return the share by which m public records lower the root of the mean squared error of the private release."""
    private = MIXTURE.private_part.noise(MIXED_P, MIXED_N).variance + 2 / (3 * MIXED_N)
    return 1 - math.sqrt(MIXTURE.mean_squared_error(MIXED_P, MIXED_N, m) / private)


def _mixture(randomness: Simulation, effort: float) -> Finding:
    """Judge the mean squared error of the mixture against its closed form, with two broken twins."""
    trials = max(2, round(MIXED_TRIALS * effort))
    squared = {kind: np.empty((trials, len(PUBLIC_SIZES))) for kind in ("right", "swapped", "halved", "largest")}
    for t in track(range(trials), "trials"):
        _mixed_trial({kind: part[t] for kind, part in squared.items()}, randomness.spawn("mixture", t))
    rows = []
    for i, m in enumerate(PUBLIC_SIZES):
        where: Settings = {"p": MIXED_P, "n": MIXED_N, "n_public": m}
        exact = MIXTURE.mean_squared_error(MIXED_P, MIXED_N, m)
        rows.append(equals(SQUARED, where, mean_interval(squared["right"][:, i], _LEVEL), exact, trials, WIDTH))
        if m != BALANCE:
            swapped = mean_interval(squared["swapped"][:, i], _LEVEL)
            rows.append(within(f"{SQUARED}, weights swapped", where, swapped, exact, math.inf, exact, trials))
        if m <= HALVED_UP_TO:
            halved = mean_interval(squared["halved"][:, i], _LEVEL)
            rows.append(at_most(f"{SQUARED}, half the noise", where, halved, exact, trials))
        rows.append(
            recorded("largest error of an answer", where, mean_interval(squared["largest"][:, i]), None, trials)
        )
        rows.append(recorded("saving in the root of the mean squared error, exact", where, saving(m)))
    v = MIXTURE.private_part.noise(MIXED_P, MIXED_N).variance + 2 / (3 * MIXED_N)
    alone = math.ceil(2 / 3 / v)
    rows.append(recorded("least m at which public means alone are better", {"p": MIXED_P, "n": MIXED_N}, alone))
    savings = ", ".join(f"{100 * saving(m):.1f} % (m = {m})" for m in (1, 3, 4, 34))
    return conclude(
        "inverse-variance mixture of private Gaussian means (p = 1000, n = 2000, epsilon = 1, delta = 1e-6) and means "
        "of m public records, m = 1 to 1024: mean squared error against its closed form",
        rows,
        deciding=_shown,
        constants="ours",
        reason=f"this mixture, not every release: its root mean squared error falls by {savings}, exactly; means of m "
        f"public records alone are better from m = {alone} on; it does not say that public data do not help; swapped "
        f"weights (m other than {BALANCE}) and half the noise (m <= {HALVED_UP_TO}) must be noticed; with 40 trials, "
        "as planned, limits were too wide for a verdict in 1 of 6 test runs with other seeds: "
        f"{MIXED_TRIALS} were set after that",
    )


def _shown(found: Sequence[Measurement]) -> Measurement:
    """Return the gate of the joint verdict that is farthest from the closed form, relatively; twins only if none is."""
    worst = [row for row in found if row.verdict is verdict_on(found)]
    own = [row for row in worst if row.quantity == SQUARED]
    return max(own or worst, key=lambda row: comparable(abs(row.measured.value / (row.bound or 1.0) - 1)))


def _mixed_trial(found: dict[str, np.ndarray], randomness: Simulation) -> None:
    """Fill in the mean squared errors of a trial by m: right, with weights swapped, and with half the noise."""
    population = Population.draw(MIXED_P, randomness.generator)
    private = population.records(MIXED_N, randomness.generator)
    public = population.records(PUBLIC_SIZES[-1], randomness.generator)
    released, means = MIXTURE.private_part.answers(private, public, randomness), record_means(private)
    for i, m in enumerate(PUBLIC_SIZES):
        w, beside = MIXTURE.public_weight(MIXED_P, MIXED_N, m), record_means(public[:m])
        right = (1 - w) * released + w * beside - population.means
        swapped = w * released + (1 - w) * beside - population.means
        halved = (1 - w) * (released + means) / 2 + w * beside - population.means
        for kind, error in (("right", right), ("swapped", swapped), ("halved", halved)):
            found[kind][i] = np.mean(error**2)
        found["largest"][i] = np.abs(right).max()


# ---------------------------------------------------------------------------------------------------- theorem 14
EVENT_P, EVENT_TRIALS, FRESH = 64_000, 5, 200
EVENTS = ((200, 0.17), (400, 0.17), (400, 0.255))
"""n and the noise; .255 leaves the largest error at n = 400 about what it is at 200: .17 + .29 (1 - sqrt(1/2))."""


def _event(randomness: Simulation, effort: float) -> Finding:
    """Record how many private records are traced at the false-positive rate 1 / n^2 that Hoeffding's inequality proves.

    The score of a fresh record is a sum of independent terms between d_j (-1 - mu_j) and d_j (1 - mu_j), d = q - mu.
    So it exceeds t with probability <= exp(-t^2 / (2 |d|^2)), which is 1 / n^2 for t = 2 |d| sqrt(ln n).
    """
    trials = max(2, round(EVENT_TRIALS * effort))
    rows = []
    for n, alpha in track(EVENTS, "sizes"):
        traced, errors, alarms = (np.empty(trials) for _ in range(3))
        for t in range(trials):
            stream = randomness.spawn("event", n, str(alpha), t)
            population = Population.draw(EVENT_P, stream.generator)
            private = population.records(n, stream.generator)
            answers = UniformNoise(alpha).answers(private, private[:0], stream)
            fresh = population.records(FRESH, stream.generator)
            above = hoeffding_threshold(answers - population.means, 2 * math.log(n))
            inside, outside = (scores(answers, population.means, part) for part in (private, fresh))
            traced[t], alarms[t] = np.count_nonzero(inside > above), np.count_nonzero(outside > above)
            errors[t] = np.abs(answers - population.means).max()
        where: Settings = {"p": EVENT_P, "n": n, "noise": alpha, "alpha": 0.5}
        rows.append(recorded("private records traced, fewest", where, float(traced.min()), n, trials))
        rows.append(recorded("private records traced, most", where, float(traced.max()), n, trials))
        rows.append(recorded("largest error of an answer, worst trial", where, float(errors.max()), 0.5, trials))
        rows.append(
            recorded("fresh records flagged, all trials", where, float(alarms.sum()), FRESH * trials / n**2, trials)
        )
    fewest, most, error = (
        [row.measured.value for row in rows if row.quantity.startswith(start)]
        for start in ("private records traced, f", "private records traced, m", "largest error")
    )
    return conclude(
        "p = 64,000, alpha = .5, noise uniform in [-.17, .17]: records traced at false-positive rate 1 / n^2, proved "
        "by Hoeffding's inequality, population known",
        rows,
        verdict=Verdict.ILLUSTRATION,
        deciding=rows[0],
        constants="ours",
        reason=f"one release and one law of populations, not every release: of n = 200 records {fewest[0]:.0f} to "
        f"{most[0]:.0f} traced, largest error {error[0]:.2f}; of n = 400 with the same noise {fewest[1]:.0f} to "
        f"{most[1]:.0f} (error {error[1]:.2f}), with noise .255, about as inaccurate as n = 200, {fewest[2]:.0f} "
        f"to {most[2]:.0f} (error {error[2]:.2f}); shown: the fewest at n = 200, bound: all",
    )


def hoeffding_threshold(direction: np.ndarray, log_inverse: float) -> float:
    """Return t with exp(-t^2 / (2 |d|^2)) = exp(-log_inverse)."""
    return math.sqrt(2 * log_inverse) * float(np.linalg.norm(direction))
