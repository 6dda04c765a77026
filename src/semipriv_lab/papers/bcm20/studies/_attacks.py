"""Runs of the tracing attack on answers with uniform noise, for the study ``tracing``.

In a trial the population, the pool of private records and the fresh records are drawn once for all cells of one p.  The
first n records of the pool are a data set, the next n another; each has noise of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semipriv.core.randomness import Simulation
from semipriv.core.types import Bools, Floats
from semipriv.papers.bcm20.releases.stump_releases import PublicMeans, UniformNoise
from semipriv.papers.bcm20.releases.tracing import (
    Population,
    centre,
    mean_inside,
    predicted_rate,
    record_means,
    scores,
    threshold,
    variance_outside,
)
from semipriv_lab.ledger.findings import Settings

RATE = 0.01
"""False-positive rate."""
FRESH = 2000
"""Fresh records that set the threshold, and as many others that check it."""
EXPECTED_RATE = 20 / 2001
"""Probability that a fresh record is flagged: the threshold is the 20th of 2000 scores."""
PUBLIC_SIZES = (25, 100, 400)
NOT_BEHIND = 2000
"""Private records that public means are attacked for."""
_ENTRIES, _MOST = 6_000_000, 16
"""Data sets of a cell in one trial: as many as have so many entries together, at most 16, at least 1."""


@dataclass(frozen=True)
class Cell:
    """n = factor sqrt(p) / alpha private records, released with uniform noise in [-alpha, alpha]."""

    p: int
    alpha: float
    factor: float

    @property
    def n(self) -> int:
        """Number of private records."""
        return round(self.factor * self.p**0.5 / self.alpha)

    @property
    def settings(self) -> Settings:
        """Sizes, as they are shown."""
        return {"p": self.p, "alpha": self.alpha, "factor": self.factor, "n": self.n}

    @property
    def release(self) -> UniformNoise:
        """What is attacked."""
        return UniformNoise(self.alpha)

    @property
    def mean_inside(self) -> float:
        """Expected score of a private record."""
        return mean_inside(self.p, self.n)

    @property
    def variance_outside(self) -> float:
        """Expected variance of the score of a fresh record."""
        return variance_outside(self.p, self.n, self.release.variance)

    @property
    def z(self) -> float:
        """Predicted z-score."""
        return self.mean_inside / self.variance_outside**0.5

    @property
    def rate(self) -> float:
        """Predicted true-positive rate."""
        return predicted_rate(self.p, self.n, self.release.variance, RATE)


@dataclass(frozen=True)
class Seen:
    """One attack.

    inside, outside, variance: mean score of the attacked records, mean and variance of fresh scores.  flagged,
    false_alarms: shares of attacked and of fresh records above the threshold.  error: largest error of an answer.
    """

    inside: float
    outside: float
    variance: float
    flagged: float
    false_alarms: float
    error: float

    @property
    def z(self) -> float:
        """Distance of the mean scores in standard deviations of fresh ones."""
        return (self.inside - self.outside) / self.variance**0.5


Attacks = dict[tuple[str, float, float], list[Seen]]
"""What attacks saw in a trial: by the kind of attack or the release, with two of its sizes."""


@dataclass(frozen=True, eq=False)
class Target:
    """An attack to be made: what for, answers and centre (p,), and the records asked about."""

    key: tuple[str, float, float]
    answers: Floats
    centre: Floats
    records: Bools


def attacked(targets: Sequence[Target], population: Population, fresh: Bools) -> Attacks:
    """Return what each attack saw, by key; the first half of the fresh records sets the thresholds."""
    answers, centres = (np.stack([getattr(t, name) for t in targets], axis=1) for name in ("answers", "centre"))
    outside = scores(answers, centres, fresh)
    half = len(fresh) // 2
    above = threshold(outside[:half], RATE)
    attacks: Attacks = {}
    for i, target in enumerate(targets):
        inside = scores(target.answers, target.centre, target.records)
        seen = Seen(
            float(inside.mean()),
            float(outside[:, i].mean()),
            float(outside[:, i].var(ddof=1)),
            float(np.mean(inside > above[i])),
            float(np.mean(outside[half:, i] > above[i])),
            float(np.abs(target.answers - population.means).max()),
        )
        attacks.setdefault(target.key, []).append(seen)
    return attacks


CENTRED, REFERENCES = "centred", "references"
UNCENTRED, DOUBLED = "uncentred score", "doubled noise"
PUBLIC_ONLY, PUBLIC_RECORDS = "private records, public means", "public records, public means"


def trial(cells: Sequence[Cell], randomness: Simulation) -> Attacks:
    """Attack all cells of one p in one trial; keys are the kind of attack with alpha and factor, or with m and 0.

    Beside the attack itself: with 1 / alpha^2 reference records instead of the population; two controls, one data
    set a cell; public means, asked about private and about public records.
    """
    generator, p = randomness.generator, cells[0].p
    population = Population.draw(p, generator)
    pool = population.records(max(cell.n for cell in cells), generator)
    fresh = population.records(2 * FRESH, generator)
    public = population.records(max(PUBLIC_SIZES), generator)
    mu, zero = population.means, np.zeros(p)
    references = {a: centre(population.records(round(1 / a**2), generator)) for a in sorted({c.alpha for c in cells})}
    targets = []
    for cell in cells:
        many = min(_MOST, len(pool) // cell.n, max(1, _ENTRIES // (cell.n * p)))
        key = (cell.alpha, cell.factor)
        for i in range(many):
            private = pool[i * cell.n : (i + 1) * cell.n]
            answers = cell.release.answers(private, public, randomness)
            targets.append(Target((CENTRED, *key), answers, mu, private))
            if i == 0:
                targets.append(Target((REFERENCES, *key), answers, references[cell.alpha], private))
                targets.append(Target((UNCENTRED, *key), answers, zero, private))
                targets.append(Target((DOUBLED, *key), 2 * answers - record_means(private), mu, private))
    for m in PUBLIC_SIZES:
        answers = PublicMeans().answers(pool, public[:m], randomness)
        targets.append(Target((PUBLIC_ONLY, m, 0), answers, mu, pool[:NOT_BEHIND]))
        targets.append(Target((PUBLIC_RECORDS, m, 0), answers, mu, public[:m]))
    return attacked(targets, population, fresh)
