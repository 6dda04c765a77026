"""Claim BCM20-T13-dp: what differential privacy allows every attack, exactly for the Gaussian release of means.

For the study ``tracing``.  A release is (epsilon, delta)-DP if and only if no test of any kind tells neighbours apart
better than TPR <= e^epsilon FPR + delta.  For Gaussian noise the smallest delta is a closed form.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import scipy

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, empirical_deviation, mean_interval
from semipriv.core.types import Bools, Floats
from semipriv.papers.bcm20.releases.stump_releases import (
    ExactMeans,
    GaussianMeans,
    LaplaceMeans,
    MixedMeans,
    StumpRelease,
)
from semipriv.papers.bcm20.releases.tracing import Population, record_means, scores, threshold
from semipriv.privacy.gaussian import gaussian_delta
from semipriv_lab.ledger.claim import Table
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.bcm20.studies._release_attacks import attacks_on_releases, gates

TRIALS = 20

SIZES = (*range(11, 41), *(math.ceil(40 * 1.2**k) for k in range(1, 43)), 100_000)
"""Sizes n of the trade-off, 11 to 100,000."""
SHOWN = (11, 100, 1000, 10_000, 100_000)
LESS = 1.9
"""Factor by which the negative control's noise is too small; the noise has slack 1.28 to 1.82."""
NEAR = 0.02
"""Largest distance between the distribution of the noise drawn and its own."""
DRAWN_P, DRAWN_N = 250_000, 11
ATTACKED_P, ATTACKED_N, ATTACKED_M = 1000, 100, 25
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
CALIBRATION = 4000
TRADE_OFF = "delta at epsilon = 1, over 1 / (4 n)"
DISTANCE = "distance of the distribution of the noise from N(0, sigma^2)"
ATTACK = "true-positive rate"


def release(n: int) -> GaussianMeans:
    """Return the Gaussian release at epsilon = 1 and delta = 1 / (4 n)."""
    return GaussianMeans(1.0, 1 / (4 * n))


def delta_over(n: int, allowed: int, factor: float = 1.0) -> float:
    """Return delta at epsilon = 1 of the release for size n with noise / less, times 4 allowed.

    For p = 1, where the sensitivity is 2 / n: noise over sensitivity is the same for every p.
    """
    sigma = Fraction(release(n).noise(1, n).sigma) / Fraction(factor)
    return 4 * allowed * gaussian_delta(sigma, 1.0, Fraction(2, n))


def trade_off(table: Table) -> str:
    """Judge the exact trade-off for every n from 11 to 100,000, and the noise drawn; the tracer is for the record.

    The noise grows with n, in units of the sensitivity, so delta falls: from one size to the last before the next,
    ``after - 1``, it is at most that of the first, and is allowed at least what the last is.  The control likewise,
    the other way round.
    """
    worst = max(delta_over(n, after - 1) for n, after in pairwise((*SIZES, SIZES[-1] + 1)))
    control = min(delta_over(after, before + 1, LESS) for before, after in pairwise((SIZES[0] - 1, *SIZES)))
    span: Settings = {"epsilon": 1.0, "from": SIZES[0], "to": SIZES[-1]}
    table.show(table.at_most(f"largest {TRADE_OFF}, every n", span, worst, 1.0))
    table.within(f"least {TRADE_OFF}, every n, noise / {LESS:g}", span, control, 1.0, math.inf, 1.0)
    for n in SHOWN:
        table.recorded(TRADE_OFF, {"epsilon": 1.0, "n": n}, delta_over(n, n), 1.0)
    draws = max(1000, min(DRAWN_P, round(DRAWN_P * table.effort)))
    noise, sigma = drawn_noise(draws, table.randomness.spawn("noise, fresh"))
    level = GATE_LEVEL / (2 + gates())
    settings: Settings = {"n": DRAWN_N, "sigma": sigma}
    table.within(DISTANCE, settings, distance(noise, sigma, level), 0.0, NEAR, trials=draws)
    weaker = distance(noise / LESS, sigma, level)
    table.within(f"{DISTANCE}, noise / {LESS:g}", settings, weaker, NEAR, 1.0, trials=draws)
    return f"{tracer(table)}; {attacks_on_releases(table, level)}"


def drawn_noise(p: int, randomness: Simulation) -> tuple[Floats, float]:
    """Return the noise of one release of p means of 11 records, and the sigma that it should have."""
    private, means = np.zeros((DRAWN_N, p), bool), release(DRAWN_N)
    return means.answers(private, private[:0], randomness) + 1, means.noise(p, DRAWN_N).variance ** 0.5


def distance(values: Floats, sigma: float, level: float) -> Interval:
    """Return the largest distance between the empirical distribution function and N(0, sigma^2)'s, with limits."""
    below = scipy.special.ndtr(np.sort(values) / sigma)
    n, places = len(values), np.arange(len(values) + 1)
    largest = float(max(np.max(places[1:] / n - below), np.max(below - places[:-1] / n)))
    radius = empirical_deviation(n, level)
    return Interval(largest, max(0.0, largest - radius), min(1.0, largest + radius))


Answer = Callable[[Bools, Bools, Simulation], Floats]


def _weaker(by: float) -> Answer:
    """Return the Gaussian release with noise / by."""

    def answers(private: Bools, public: Bools, randomness: Simulation) -> Floats:
        means = record_means(private)
        return means + (release(ATTACKED_N).answers(private, public, randomness) - means) / by

    return answers


PRIVATE = "Gaussian"
MIXED = "private and public mixed"
PRIVATE_RELEASES: dict[str, StumpRelease] = {
    PRIVATE: release(ATTACKED_N),
    MIXED: MixedMeans(1.0, 1 / (4 * ATTACKED_N)),
    "Laplace": LaplaceMeans(1.0),
}
_ATTACKED: dict[str, Answer] = {
    **{name: release.answers for name, release in PRIVATE_RELEASES.items()},
    "Gaussian, noise / 4": _weaker(4),
    "Gaussian, noise / 16": _weaker(16),
    "exact": ExactMeans().answers,
}


def tracer(table: Table) -> str:
    """Attack releases of 100 private records, one also of 25 public ones, at several false-positive rates.

    Says what the tracer finds, and that it is too weak to confirm the trade-off.
    """
    trials = table.trials(TRIALS)
    flagged = np.empty((len(_ATTACKED), trials, len(RATES)))
    for t in track(range(trials), "trials"):
        stream = table.randomness.spawn("trade-off, fresh", t)
        population = Population.draw(ATTACKED_P, stream.generator)
        private = population.records(ATTACKED_N, stream.generator)
        public = population.records(ATTACKED_M, stream.generator)
        fresh = population.records(CALIBRATION, stream.generator)
        answers = np.stack([attacked(private, public, stream) for attacked in _ATTACKED.values()], axis=1)
        inside, outside = (
            scores(answers, np.tile(population.means[:, None], len(_ATTACKED)), part) for part in (private, fresh)
        )
        above = np.stack([threshold(outside, rate) for rate in RATES])
        flagged[:, t] = np.mean(inside[:, :, None] > above.T, axis=0)
    for (i, name), (j, rate) in product(enumerate(_ATTACKED), enumerate(RATES)):
        guarantee = PRIVATE_RELEASES[name].guarantee if name in PRIVATE_RELEASES else None
        bound = None if guarantee is None else min(1.0, math.exp(guarantee.epsilon) * rate + guarantee.delta)
        settings: Settings = {"release": name, "p": ATTACKED_P, "n": ATTACKED_N, "rate": rate}
        table.recorded(ATTACK, settings, mean_interval(flagged[i, :, j]), bound, trials)
    private_row, weaker = (table(ATTACK, release=name, rate=0.01)[0] for name in (PRIVATE, "Gaussian, noise / 4"))
    passes = "also stays below it" if weaker.measured.value <= (private_row.bound or 0.0) else "exceeds it"
    return (
        "the exact trade-off of this release, not confirmed by an attack; TPR <= e^epsilon FPR + delta follows for all "
        f"of them; the tracer's (p = {ATTACKED_P}, n = {ATTACKED_N}, not judged) at 1 % false positives is "
        f"{private_row.measured.value:.3f}, bound {private_row.bound:.3f}; with noise / 4 its "
        f"{weaker.measured.value:.3f} {passes}; noise / {LESS:g} fails the exact trade-off at every n"
    )
