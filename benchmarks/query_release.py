"""Query release, timed: MWEM beside a dense one, very many points, halfplanes, and grouping points into cells."""

from collections.abc import Callable

import numpy as np
from benchmark import Benchmark, Made, generator, size

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Secure, Simulation
from semipriv.distributions.marginals.beta import Beta
from semipriv.learners.stages.representative_domain import RepresentativeDomain
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.workloads import Runs

EPSILON, ROUNDS = 1.0, 20
NOT_COMPARED = "beside smartnoise-synth, which needs an older pandas than the lock: smartnoise_mwem.py, on its own"


def histogram(bins: int, n: int) -> np.ndarray:
    """Return the counts of n points of the distribution Beta(2, 5) in bins of one width."""
    return generator().multinomial(n, np.diff(Beta(2.0, 5.0).cdf(np.linspace(0, 1, bins + 1))))


def prefixes(bins: int) -> Runs:
    return Runs(bins, np.zeros(bins - 1, np.int64), np.arange(1, bins))


def dense_mwem(
    matrix: np.ndarray, counts: np.ndarray, sweeps: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return answers and weights of MWEM with a matrix of queries (M, K) of floats, all in NumPy.

    The same steps and the same split of epsilon as in ``MWEM``: select by the exponential mechanism (Gumbel-max),
    measure with Laplace noise, update with all measurements, the newest first.  The row and its answer are computed
    once for each update; the average of the iterates is kept as a running sum.
    """
    n, exact = counts.sum(), matrix @ counts
    share = EPSILON / (2 * ROUNDS)
    weights, total = np.full(len(counts), 1 / len(counts)), np.zeros(len(counts))
    measured: list[tuple[np.ndarray, float]] = []
    for _ in range(ROUNDS):
        score = np.abs(n * (matrix @ weights) - exact)
        query = int(np.argmax(share / 2 * score + rng.gumbel(size=len(matrix))))
        measured.append((matrix[query], float(np.clip((exact[query] + rng.laplace(scale=1 / share)) / n, 0, 1))))
        for _ in range(sweeps):
            for row, value in reversed(measured):
                weights = weights * np.exp(row * ((value - row @ weights) / 2))
                weights /= weights.sum()
        total += weights
    average = total / ROUNDS
    return matrix @ average, average


def mwem(sweeps: int) -> Callable[[float], Made]:
    """MWEM on 1,024 bins, all their 1,023 prefixes, n = 10^4, 20 rounds."""

    def make(factor: float) -> Made:
        bins = size(1_024, factor)
        work, counts, rng, draws = prefixes(bins), histogram(bins, size(1e4, factor)), generator(), Simulation(1)
        matrix, method = work.matrix().astype(np.float64), MWEM(ROUNDS, sweeps)
        return Made(
            lambda: method.fit(work, counts, Guarantee(EPSILON), draws),
            lambda: dense_mwem(matrix, counts, sweeps, rng),
            count=work.size,
            read=ROUNDS * counts.nbytes,
        )

    return make


def many_points(factor: float) -> Made:
    """Release from 10^8 points of the line: their counts by cell are one multinomial draw, then MWEM."""
    distribution, draws = Beta(2.0, 5.0), generator()
    public = distribution.sample(size(1_000, factor), draws)
    n, learner = size(1e8, factor), QueryRelease(EPSILON, 1e-9)

    def work() -> np.ndarray:
        domain = learner.prepare(public, Thresholds("le"))
        ends = np.sort(domain.cover.parameters[:, 0])
        masses = np.diff(np.concatenate([[0.0], distribution.cdf(ends[np.isfinite(ends)]), [1.0]]))
        counts = draws.multinomial(n, masses)
        return learner.method.fit(domain.workload, counts, learner.guarantee, Secure()).answers

    return Made(work, count=n)


def halfplanes(m: int) -> Callable[[float], Made]:
    """From public points of the plane to the answers of all oriented halfplanes, with 10^4 private points."""

    def make(factor: float) -> Made:
        rng, learner = generator(), QueryRelease(EPSILON, 1e-6)
        public, private = rng.normal(size=(size(m, factor), 2)), rng.normal(size=(size(1e4, factor), 2))
        labels = np.zeros(len(private), np.int8)

        def work() -> np.ndarray:
            domain = learner.prepare(public, Halfspaces(2))
            release = learner.release(domain, private, labels, Secure())
            return release.output.answer(domain.cover.parameters)

        return Made(work, count=Halfspaces(2).growth(len(public)))

    return make


def grouping(factor: float) -> Made:
    """Count points by cell, the cells being known; the baseline finds the label rows that occur."""
    rng, h = generator(), Halfspaces(2)
    domain = RepresentativeDomain().prepare(rng.normal(size=(size(12, factor), 2)), h)
    x, theta = rng.normal(size=(size(1e5, factor), 2)), domain.cover.parameters
    domain.counts(x[:1])

    def plain() -> np.ndarray:
        return np.unique(h.predict(theta, x).T, axis=0, return_counts=True)[1]

    return Made(lambda: domain.counts(x), plain, count=len(theta))


BENCHMARKS = (
    *(
        Benchmark(
            f"MWEM: 1,024 bins, 1,023 prefixes, T = 20, n = 1e4, {sweeps} sweep{'s' * (sweeps > 1)}",
            "dense MWEM in NumPy",
            mwem(sweeps),
            target=target,
            repeats=11,
            notes=NOT_COMPARED,
        )
        for sweeps, target in ((1, 3), (10, 6))
    ),
    Benchmark(
        "query release on the line: 1e8 private points, 1,000 public ones",
        "none",
        many_points,
        limit=1,
        repeats=3,
        notes="counts by cell are drawn as one multinomial: points are not",
    ),
    *(
        Benchmark(
            f"query release, halfplanes of {m} public points, from prepare to answers",
            "none",
            halfplanes(m),
            limit=limit,
            memory=4 * 2**30,
            repeats=1,
            notes="count: oriented queries; memory: of the whole process, interpreter and libraries included",
        )
        for m, limit in ((20, 10), (40, 120))
    ),
    Benchmark(
        "points by cell: 1e5 points, the halfplanes of 12 public points",
        "np.unique of label rows",
        grouping,
        target=3,
        repeats=3,
        notes="target set before it was measured; the baseline labels points as the kernel does, by broadcasting",
    ),
)
