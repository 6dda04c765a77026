"""The kernels that are timed, each beside a named baseline that does the same work.

A benchmark is made for a size factor: 1 is the size of its claim, smaller factors make it quick enough to be tested.
Everything is made before the clock starts; ``work`` and ``baseline`` are called with nothing.
"""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import databases
import label_boost
import noise
import numpy as np
import oracles
import own_table
import persons
import perturbed_average
import query_release
import region_kernels
import table_release
from benchmark import Benchmark, Call, Made, generator, size
from gram import Gram, Line

from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Secure, Simulation
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.cover import RegionCover

EXPONENTIAL = ExponentialMechanism(1.0)
PERMUTE_AND_FLIP = PermuteAndFlip(1.0)


def examples(n: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a normal distribution and labels of a noisy halfspace through the origin."""
    x = rng.normal(size=(n, d))
    return x, (x[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(np.int8)


# ---------------------------------------------------------------------------------------------------- selection
def integer_scores(n: int) -> np.ndarray:
    """Return the numbers of correct predictions of n hypotheses on 10,000 examples: most are around one half."""
    return np.clip(generator().normal(5000, 400, n).round(), 0, 10_000).astype(np.int64)


def secure_draw(n: float, mechanism: SelectionMechanism = EXPONENTIAL) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        scores = integer_scores(size(n, factor))
        floats, rng, rate = scores.astype(float), generator(), float(mechanism.rate)
        return Made(
            lambda: mechanism.sample(scores, Secure()),
            lambda: int(np.argmax(rate * floats + rng.gumbel(size=floats.size))),
            read=scores.nbytes,
        )

    return make


def secure_draw_growth(factor: float) -> list[tuple[int, Call]]:
    sizes = [size(1e5, factor), size(1e6, factor)]
    return [(n, secure_draw(n)(1.0).work) for n in sizes]


def diffprivlib_draw(n: float) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        from diffprivlib.mechanisms import Exponential  # noqa: PLC0415  (in the environment of the benchmarks alone)

        scores = integer_scores(size(n, factor))
        utility = scores.tolist()
        return Made(
            lambda: EXPONENTIAL.sample(scores, Secure()),
            lambda: Exponential(epsilon=1.0, sensitivity=1.0, utility=utility).randomise(),
        )

    return make


# ---------------------------------------------------------------------------------------------------- classes
def thresholds(factor: float) -> Made:
    rng = generator()
    cover = Thresholds().cover(rng.random(size(1_000, factor))).listed()
    x, y = rng.random((size(1e5, factor), 1)), rng.integers(0, 2, size(1e5, factor)).astype(np.int8)
    t, positive = cover.parameters, y == 1
    return Made(
        lambda: cover.functions.mistakes(cover.parameters, x, y),
        lambda: np.count_nonzero((x[:, 0] >= t) != positive, axis=1),
        read=x.nbytes + y.nbytes + t.nbytes,
    )


def thresholds_growth(factor: float) -> list[tuple[int, Call]]:
    calls = []
    for n in (size(1e5, factor), size(1e6, factor)):
        rng = generator()
        cover = Thresholds().cover(rng.random(1_000)).listed()
        x, y = rng.random((n, 1)), rng.integers(0, 2, n).astype(np.int8)
        calls.append((n, lambda c=cover, x=x, y=y: c.functions.mistakes(c.parameters, x, y)))
    return calls


def interval_draw(n: int, m: int, secure: bool) -> tuple[Call, np.ndarray, Any]:
    rng = generator()
    cover = Intervals().cover(rng.random(m))
    x = rng.random((n, 1))
    y = ((x[:, 0] > 0.3) & (x[:, 0] < 0.7)).astype(np.int8)
    randomness = Secure() if secure else Simulation(1)
    return (lambda: cover.tally(x, y).draw(Fraction(1, 2), randomness)), x[:, 0], cover


def intervals(secure: bool) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        draw, x, cover = interval_draw(size(1e5, factor), size(1e4, factor), secure)
        return Made(draw, lambda: np.sort(x), count=cover.size)

    return make


def intervals_growth(factor: float) -> list[tuple[int, Call]]:
    return [(n, interval_draw(n, size(1e4, factor), True)[0]) for n in (size(1e5, factor), size(1e6, factor))]


def rectangle_draw(n: int, m: int) -> tuple[Call, np.ndarray, np.ndarray, Any]:
    rng = generator()
    cover = Rectangles(2).cover(rng.random((m, 2)))
    x = rng.random((n, 2))
    y = np.all(np.abs(x - 0.5) < 0.3, axis=1).astype(np.int8)
    return (lambda: cover.tally(x, y).draw(Fraction(1, 2), Secure())), x, y, cover


def rectangles(factor: float) -> Made:
    """Draw a rectangle; the baseline enumerates those of 60 points one by one, and is extrapolated by their number."""
    n = size(1e5, factor)
    draw, x, y, cover = rectangle_draw(n, size(400, factor))
    small_cover = Rectangles(2).cover(generator().random((size(60, factor), 2))).listed()
    sample = small_cover.parameters[:: max(1, small_cover.size // 300)]
    positive, columns = y == 1, np.ascontiguousarray(x.T)

    def enumerate_some() -> list[int]:
        a, b = columns
        return [np.count_nonzero(((a >= r[0]) & (a <= r[2]) & (b >= r[1]) & (b <= r[3])) != positive) for r in sample]

    return Made(draw, enumerate_some, share=len(sample) / cover.size, count=cover.size)


def rectangles_growth(factor: float) -> list[tuple[int, Call]]:
    return [(n, rectangle_draw(n, size(400, factor))[0]) for n in (size(1e5, factor), size(1e6, factor))]


def many_rectangles(factor: float) -> Made:
    draw, _, _, cover = rectangle_draw(size(1e5, factor), size(1_000, factor))
    return Made(draw, count=cover.size)


def planar_halfspaces(factor: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = generator()
    parameters = Halfspaces(2).cover(rng.normal(size=(size(200, factor), 2))).listed().parameters
    return parameters, *examples(size(1e5, factor), 2, rng)


def halfspace_mistakes(block: int) -> Callable[[float], Made]:
    """Count all mistakes; the baseline computes one of each two opposite rows, which halves its work."""

    def make(factor: float) -> Made:
        parameters, x, y = planar_halfspaces(factor)
        homogeneous = np.column_stack([x, np.ones(len(x))]).T.copy()
        signs = np.where(y == 1, -1.0, 1.0).astype(np.float32)
        half = parameters[: len(parameters) // 2]

        def gemm() -> np.ndarray:
            mistakes = np.empty(len(half))
            for start in range(0, len(half), block):
                rows = slice(start, start + block)
                mistakes[rows] = (half[rows] @ homogeneous >= 0).astype(np.float32) @ signs
            return mistakes

        read = x.nbytes + y.nbytes + parameters.nbytes
        return Made(lambda: Halfspaces(2).mistakes(parameters, x, y), gemm, count=len(parameters), read=read)

    return make


def halfspace_growth(factor: float) -> list[tuple[int, Call]]:
    parameters, _, _ = planar_halfspaces(factor)
    calls = []
    for n in (size(1e5, factor), size(1e6, factor)):
        x, y = examples(n, 2, generator())
        calls.append((n, lambda x=x, y=y: Halfspaces(2).mistakes(parameters, x, y)))
    return calls


def enumeration(d: int, m: int) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        points = generator().normal(size=(size(m, factor), d))
        return Made(lambda: Halfspaces(d).cover(points), count=Halfspaces(d).growth(len(points)))

    return make


def signed_weights(n: int, rng: np.random.Generator) -> np.ndarray:
    """Return weights: 1 for half of the examples, Laplace noise of either sign for the others."""
    return np.concatenate([np.ones(n // 2), rng.laplace(scale=2, size=n - n // 2)])


def erm(hypothesis_class: Any, n: int) -> Callable[[float], Made]:
    def make(factor: float) -> Made:
        rng = generator()
        x, y = examples(size(n, factor), 2, rng)
        weights = signed_weights(len(x), rng)
        return Made(lambda: hypothesis_class.minimise(x, y, weights))

    return make


def erm_growth(hypothesis_class: Any) -> Callable[[float], list[tuple[int, Call]]]:
    def make(factor: float) -> list[tuple[int, Call]]:
        return [(n, erm(hypothesis_class, n)(1.0).work) for n in (size(200, factor), size(2_000, factor))]

    return make


# ---------------------------------------------------------------------------------------------------- regions
LEARN_HALF_RATE = Fraction(1, 2)
"""Half of epsilon = 1."""


BOTH_PASSES = "both sides count, then find what is drawn; the baseline keeps what it needs for that"


def mixture(d: int, m: int, n: int, mode: str = "facet") -> tuple[LearnHalf, RegionCover, np.ndarray, np.ndarray]:
    """Return A_LearnHalf prepared with m public points of label 0, and n - m private ones of label 1, moved by 1.5."""
    rng = generator()
    x, y = rng.normal(size=(n, d)), np.zeros(n, np.int8)
    x[m:, 0] += 1.5
    y[m:] = 1
    learner = LearnHalf(float(2 * LEARN_HALF_RATE), grid={"low": [-8.0] * d, "high": [8.0] * d}, mode=mode)
    return learner, learner.prepare(x[:m], Halfspaces(d), y[:m]), x[m:], y[m:]


def all_examples(cover: RegionCover, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return public and private examples, on the grid, and their labels."""
    points, labels = np.concatenate([cover.examples.points, x]), np.concatenate([cover.examples.labels, y])
    return cover.functions.grid.place(points), labels


def learn_half(
    d: int, n_public: int, n: float, mode: str = "facet", baseline: type[Gram] | type[Line] | None = Gram
) -> Callable[[float], Made]:
    """Draw a region; both sides begin with floats and end with an exact draw, and neither makes the public family."""

    def make(factor: float) -> Made:
        m = size(n_public, factor)
        learner, cover, x, y = mixture(d, m, max(size(n, factor), m + 1), mode)

        def other() -> Any:
            return baseline(cover.family, *all_examples(cover, x, y)).draw(LEARN_HALF_RATE, Secure())

        read = x.nbytes + y.nbytes
        return Made(lambda: learner.release(cover, x, y, Secure()), baseline and other, count=cover.size, read=read)

    return make


def pencil_counts(factor: float) -> Made:
    """Count all regions of the plane by their mistakes, without a draw."""
    _, cover, x, y = mixture(2, size(100, factor), size(1e4, factor) + 3)
    return Made(
        lambda: cover.tally(x, y).histogram(),
        lambda: Gram(cover.family, *all_examples(cover, x, y)).histogram(),
        count=cover.size,
    )


def learn_half_growth(factor: float) -> list[tuple[int, Call]]:
    m = size(100, factor)
    return [(n, learn_half(2, m, n, baseline=None)(1.0).work) for n in (size(1e4, factor), size(1e5, factor))]


BENCHMARKS = (
    Benchmark(
        "one exact draw from 1e5 integer scores",
        "Gumbel-max in NumPy",
        secure_draw(1e5),
        target=36,
        growth=secure_draw_growth,
        repeats=51,
    ),
    Benchmark(
        "one exact draw from 1e6 integer scores",
        "Gumbel-max in NumPy",
        secure_draw(1e6),
        reads_at_most=2.5,
        repeats=21,
    ),
    *(
        Benchmark(
            f"permute-and-flip: one exact draw from {n} integer scores",
            "Gumbel-max in NumPy",
            secure_draw(float(n), PERMUTE_AND_FLIP),
            target=target,
            repeats=21,
        )
        for n, target in (("1e5", 20), ("1e6", 60))
    ),
    Benchmark(
        "one exact draw from 1e5 integer scores, against a library",
        "diffprivlib Exponential",
        diffprivlib_draw(1e5),
        target=300,
        repeats=11,
        tags=("diffprivlib",),
    ),
    Benchmark(
        "one exact draw from 1e6 integer scores, against a library",
        "diffprivlib Exponential",
        diffprivlib_draw(1e6),
        target=300,
        repeats=5,
        tags=("diffprivlib",),
    ),
    Benchmark(
        "thresholds: all mistakes, m = 1e3, n = 1e5",
        "NumPy broadcasting",
        thresholds,
        target=200,
        growth=thresholds_growth,
        growth_at_most=10.5,
        repeats=21,
    ),
    Benchmark(
        "intervals: exact draw from 5e7, n = 1e5 (seeded)",
        "np.sort of the n points",
        intervals(secure=False),
        at_most=6,
        repeats=21,
    ),
    Benchmark(
        "intervals: exact draw from 5e7, n = 1e5 (secure)",
        "np.sort of the n points",
        intervals(secure=True),
        at_most=6,
        growth=intervals_growth,
        repeats=21,
    ),
    Benchmark(
        "rectangles in the plane: exact draw, m = 400, n = 1e5",
        "enumeration, extrapolated from 60 points",
        rectangles,
        target=1_000,
        growth=rectangles_growth,
        repeats=3,
    ),
    Benchmark("rectangles in the plane: exact draw, m = 1000, n = 1e5", "none", many_rectangles, repeats=1),
    Benchmark(
        "halfspaces in the plane: all mistakes, m = 200, n = 1e5",
        "blocked GEMM, 16 rows a block",
        halfspace_mistakes(16),
        target=15,
        growth=halfspace_growth,
        repeats=3,
    ),
    Benchmark(
        "halfspaces in the plane: all mistakes, m = 200, n = 1e5, larger blocks",
        "blocked GEMM, 512 rows a block",
        halfspace_mistakes(512),
        target=15,
        repeats=3,
    ),
    *(
        Benchmark(f"halfspaces, d = {d}, m = {m}: enumeration", "none", enumeration(d, m), repeats=3)
        for d, m in itertools.chain(
            zip([3] * 4, (40, 60, 80, 100), strict=True), zip([4] * 3, (20, 30, 40), strict=True)
        )
    ),
    Benchmark(
        "planar halfspaces: signed-weight ERM, N = 2000",
        "none",
        erm(Halfspaces(2), 2_000),
        limit=2,
        growth=erm_growth(Halfspaces(2)),
        growth_at_most=None,
        repeats=3,
        notes="quadratic in N by nature: growth is from N = 200 to 2000",
    ),
    Benchmark(
        "planar rectangles: signed-weight ERM, N = 2000",
        "none",
        erm(Rectangles(2), 2_000),
        limit=2,
        growth=erm_growth(Rectangles(2)),
        growth_at_most=None,
        repeats=3,
        notes="quadratic in N by nature: growth is from N = 200 to 2000",
    ),
    Benchmark(
        "A_LearnHalf in the plane: exact draw, 100 public points, n = 1e4",
        "Gram matrix in float32",
        learn_half(2, 100, 1e4),
        target=30,
        growth=learn_half_growth,
        notes=BOTH_PASSES,
    ),
    Benchmark(
        "pencils: all counts, 100 public points, n = 1e4",
        "Gram matrix in float32",
        pencil_counts,
        target=6,
        repeats=5,
    ),
    Benchmark(
        "A_LearnHalf in the plane, full mode: exact draw, 100 public points, n = 1e4",
        "Gram matrix in float32",
        learn_half(2, 100, 1e4, "full"),
        target=6,
        repeats=3,
        notes=BOTH_PASSES,
    ),
    Benchmark(
        "A_LearnHalf in the plane: exact draw, 100 public points, n = 1e5",
        "none",
        learn_half(2, 100, 1e5, baseline=None),
        limit=10,
        memory=2 * 2**30,
        repeats=3,
        notes="memory: of the whole process, interpreter and libraries included",
    ),
    Benchmark(
        "A_LearnHalf on the line: exact draw, 1000 public points, n = 1e6",
        "NumPy: searchsorted, running sums",
        learn_half(1, 1_000, 1e6, baseline=Line),
        limit=2,
        repeats=5,
    ),
    Benchmark(
        "A_LearnHalf in space: exact draw, 15 public points, n = 1e3",
        "Gram matrices in float32",
        learn_half(3, 15, 1e3),
        repeats=3,
        notes=BOTH_PASSES,
    ),
    Benchmark(
        "A_LearnHalf in space: exact draw, 20 public points, n = 1e3",
        "none",
        learn_half(3, 20, 1e3, baseline=None),
        repeats=1,
    ),
    *region_kernels.BENCHMARKS,
    *query_release.BENCHMARKS,
    *table_release.BENCHMARKS,
    *label_boost.BENCHMARKS,
    *noise.BENCHMARKS,
    *oracles.BENCHMARKS,
    *perturbed_average.BENCHMARKS,
    *own_table.BENCHMARKS,
    *persons.BENCHMARKS,
    *databases.BENCHMARKS,
)
