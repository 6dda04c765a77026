"""Claim BCM20-T13-dp: what differential privacy allows every attack, exactly for the Gaussian release of means.

For the study ``tracing``.  A release is (epsilon, delta)-DP if and only if no test of any kind tells neighbours apart
better than TPR <= e^epsilon FPR + delta.  For Gaussian noise the smallest delta is a closed form.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import scipy
from numpy.typing import NDArray

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, empirical_deviation, mean_interval
from semipriv.papers.bcm20.releases.stump_releases import (
    ExactMeans,
    GaussianMeans,
    LaplaceMeans,
    MixedMeans,
    StumpRelease,
)
from semipriv.papers.bcm20.releases.tracing import Floats, Population, Records, record_means, scores, threshold
from semipriv.papers.bcm20.studies._release_attacks import attacks_on_releases, gates, said
from semipriv.privacy.gaussian import gaussian_delta
from semipriv.report.ledger.findings import Finding, Measurement, Settings, at_most, conclude, recorded, within

TRIALS = 20

SIZES = (*range(11, 41), *(math.ceil(40 * 1.2**k) for k in range(1, 43)), 100_000)
"""Sizes n of the trade-off, 11 to 100,000."""
SHOWN = (11, 100, 1000, 10_000, 100_000)
LESS = 1.9
"""Factor by which the broken twin's noise is too small; the noise has slack 1.28 to 1.82."""
NEAR = 0.02
"""Largest distance between the law of the noise drawn and its own."""
DRAWN_P, DRAWN_N = 250_000, 11
ATTACKED_P, ATTACKED_N, ATTACKED_M = 1000, 100, 25
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
CALIBRATION = 4000
TRADE_OFF = "delta at epsilon = 1, over 1 / (4 n)"
DISTANCE = "distance of the law of the noise from N(0, sigma^2)"
ATTACK = "true-positive rate"


def release(n: int) -> GaussianMeans:
    """Return the Gaussian release at epsilon = 1 and delta = 1 / (4 n)."""
    return GaussianMeans(1.0, 1 / (4 * n))


def delta_over(n: int, allowed: int, less: float = 1.0) -> float:
    """Return delta at epsilon = 1 of the release for size n with noise / less, times 4 allowed.

    For p = 1, where the sensitivity is 2 / n: noise over sensitivity is the same for every p.
    """
    sigma = Fraction(release(n).noise(1, n).sigma) / Fraction(less)
    return 4 * allowed * gaussian_delta(sigma, 1.0, Fraction(2, n))


def trade_off(randomness: Simulation, effort: float) -> Finding:
    """Judge the exact trade-off for every n from 11 to 100,000, and the noise drawn; the tracer is for the record.

    The noise grows with n, in units of the sensitivity, so delta falls: between two sizes it is at most that of the
    smaller, and is allowed at least what the larger is.  The broken twin likewise, the other way round.
    """
    worst = max(delta_over(n, after) for n, after in pairwise(SIZES))
    twin = min(delta_over(after, n, LESS) for n, after in pairwise(SIZES))
    span: Settings = {"epsilon": 1.0, "from": SIZES[0], "to": SIZES[-1]}
    exact = at_most(f"largest {TRADE_OFF}, every n", span, worst, 1.0)
    rows = [exact, within(f"least {TRADE_OFF}, every n, noise / {LESS:g}", span, twin, 1.0, math.inf, 1.0)]
    rows += [recorded(TRADE_OFF, {"epsilon": 1.0, "n": n}, delta_over(n, n), 1.0) for n in SHOWN]
    draws = max(1000, min(DRAWN_P, round(DRAWN_P * effort)))
    noise, sigma = _drawn_noise(draws, randomness.spawn("noise"))
    level = GATE_LEVEL / (2 + gates())
    where: Settings = {"n": DRAWN_N, "sigma": sigma}
    rows.append(within(DISTANCE, where, distance(noise, sigma, level), 0.0, NEAR, trials=draws))
    twin_limits = distance(noise / LESS, sigma, level)
    rows.append(within(f"{DISTANCE}, noise / {LESS:g}", where, twin_limits, NEAR, 1.0, trials=draws))
    attacks = _attacks(randomness, max(2, round(TRIALS * effort)))
    released = attacks_on_releases(randomness, effort, level)
    return conclude(
        "Gaussian release of p means at epsilon = 1, delta = 1 / (4 n): its exact delta(1) for every n from 11 to 1e5, "
        "and the law of the noise drawn; the tracing attack on A_PAP's answers to 6 and 12 stumps",
        [*rows, *attacks, *released],
        deciding=exact,
        reason=f"{_tracer(attacks)}; {said(released)}",
    )


def _drawn_noise(p: int, randomness: Simulation) -> tuple[Floats, float]:
    """Return the noise of one release of p means of 11 records, and the sigma that it should have."""
    private = np.zeros((DRAWN_N, p), bool)
    made = release(DRAWN_N)
    return made.answers(private, private[:0], randomness) + 1, made.noise(p, DRAWN_N).variance ** 0.5


def distance(values: Floats, sigma: float, level: float) -> Interval:
    """Return the largest distance between the empirical distribution function and N(0, sigma^2)'s, with limits."""
    below = scipy.special.ndtr(np.sort(values) / sigma)
    n, places = len(values), np.arange(len(values) + 1)
    found = float(max(np.max(places[1:] / n - below), np.max(below - places[:-1] / n)))
    radius = empirical_deviation(n, level)
    return Interval(found, max(0.0, found - radius), min(1.0, found + radius))


_Releases = dict[str, Callable[[Records, Records, Simulation], Floats]]


def _weaker(by: float) -> Callable[[Records, Records, Simulation], Floats]:
    """Return the Gaussian release with noise / by."""

    def answers(private: Records, public: Records, randomness: Simulation) -> Floats:
        means = record_means(private)
        return means + (release(ATTACKED_N).answers(private, public, randomness) - means) / by

    return answers


PRIVATE = "Gaussian"
MIXED = "private and public mixed"
_OWN: dict[str, StumpRelease] = {
    PRIVATE: release(ATTACKED_N),
    MIXED: MixedMeans(1.0, 1 / (4 * ATTACKED_N)),
    "Laplace": LaplaceMeans(1.0),
}
_ATTACKED: _Releases = {
    **{name: one.answers for name, one in _OWN.items()},
    "Gaussian, noise / 4": _weaker(4),
    "Gaussian, noise / 16": _weaker(16),
    "exact": ExactMeans().answers,
}


def _attacks(randomness: Simulation, trials: int) -> list[Measurement]:
    """Attack releases of 100 private records, one also of 25 public ones, at several false-positive rates."""
    shape = (trials, len(RATES))
    flagged: dict[str, NDArray[np.float64]] = {name: np.empty(shape) for name in _ATTACKED}
    for t in track(range(trials), "trials"):
        stream = randomness.spawn("trade-off", t)
        population = Population.draw(ATTACKED_P, stream.generator)
        private = population.records(ATTACKED_N, stream.generator)
        public = population.records(ATTACKED_M, stream.generator)
        fresh = population.records(CALIBRATION, stream.generator)
        answers = np.stack([attacked(private, public, stream) for attacked in _ATTACKED.values()], axis=1)
        inside, outside = (
            scores(answers, np.tile(population.means[:, None], len(_ATTACKED)), part) for part in (private, fresh)
        )
        above = np.stack([threshold(outside, rate) for rate in RATES])
        for i, name in enumerate(_ATTACKED):
            flagged[name][t] = np.mean(inside[:, i, None] > above[:, i], axis=0)
    rows = []
    for name, (j, rate) in product(_ATTACKED, enumerate(RATES)):
        guarantee = _OWN[name].guarantee if name in _OWN else None
        bound = None if guarantee is None else min(1.0, math.exp(guarantee.epsilon) * rate + guarantee.delta)
        where: Settings = {"release": name, "p": ATTACKED_P, "n": ATTACKED_N, "rate": rate}
        rows.append(recorded(ATTACK, where, mean_interval(flagged[name][:, j]), bound, trials))
    return rows


def _tracer(attacks: Sequence[Measurement]) -> str:
    """Say what the tracer found, and that it is too weak to confirm the trade-off."""
    at = {str(row.settings["release"]): row for row in attacks if row.settings["rate"] == 0.01}
    own, less = at[PRIVATE], at["Gaussian, noise / 4"]
    passes = "also stays below it" if less.measured.value <= (own.bound or 0.0) else "exceeds it"
    return (
        "the exact trade-off of this release, not confirmed by an attack; TPR <= e^epsilon FPR + delta follows for all "
        f"of them; the tracer's (p = {ATTACKED_P}, n = {ATTACKED_N}, not judged) at 1 % false positives is "
        f"{own.measured.value:.3f}, bound {own.bound:.3f}; with noise / 4 its {less.measured.value:.3f} {passes}; "
        f"noise / {LESS:g} fails the exact trade-off at every n"
    )
