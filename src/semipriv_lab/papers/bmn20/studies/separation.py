"""Claim BMN20-SEP: rays are learnable from a mixture, while the need of an all-private learner grows with the domain.

The class is thresholds on {0, ..., 2^b - 1}.  The paper cites a lower bound for approximate privacy without public
data, which no experiment shows.  This study shows one pure mechanism, the exponential one over all thresholds, beside
A_LearnHalf.  The distribution of the examples about the target does not change with b if n <= 2^(b - 2), and
A_LearnHalf's
mistakes depend on the order of the examples alone: that its need does not grow with b is by construction.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, mean_interval, r_squared, slope_interval
from semipriv.core.types import Floats, Integers
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Measurement, Settings, exceeding, recorded, within

ALL_PRIVATE, MIXTURE = "exponential mechanism over all thresholds, all private", "A_LearnHalf, zeros public"
BITS = (8, 16, 24, 32, 40, 48, 56)
EPSILONS = (1.0, 0.5)
ALPHA = 0.1
SAMPLES = 250
LARGEST = 2_000
"""Needs are not searched beyond this number of examples."""
SHOWN_BITS, SHOWN_SIZES = (8, 32, 56), (4, 8, 16, 32, 64, 128, 256)
"""Word lengths and sample sizes whose errors are recorded."""

ERROR = "mean empirical error"
NEED = "examples needed for a mean empirical error of 0.1"
SLOPE = "slope of the need in b"
LINEARITY = "R^2 of the need in b"
RATIO = "largest over least need"
APART = "control: distance of A_LearnHalf's slope from 4 ln 2 / epsilon, relative"
TOLERANCE, STRAIGHT = 0.3, 0.98
"""Largest relative distance of the slope from 4 ln 2 / epsilon; least R^2.

They tell linear growth from none; that the slope is 4 ln 2 / epsilon at these lengths is not claimed.  A_LearnHalf's
needs, which do not grow, must be farther off.
"""
_LEVEL = GATE_LEVEL / (2 * len(EPSILONS) * len(BITS) * 64)
"""Error level of one mean; a search looks at fewer than 64 sizes."""

_Error = Callable[[int], Interval]


@dataclass(frozen=True, eq=False)
class Examples:
    """Samples of n examples about the target t: distances x - t (samples, n) int64, and labels 1[x >= t]."""

    offsets: Integers
    labels: Integers


def target(bits: int) -> int:
    """Return t = floor(2^(b + 1) / 3), as far from the simple fractions of the domain as a point can be.

    >>> target(4)
    10
    """
    return int(2 ** (bits + 1) // 3)


def draw(samples: int, n: int, bits: int, generator: np.random.Generator) -> Examples:
    """Draw samples of n examples: a fair coin for the side of t, then one of the min(n, 2^(b - 2)) nearest integers."""
    away = generator.integers(1, min(n, 2 ** (bits - 2)) + 1, (samples, n))
    upper = generator.random((samples, n)) < 0.5
    return Examples(np.where(upper, away - 1, -away), upper.astype(np.int64))


def error_all_private(examples: Examples, bits: int, epsilon: float) -> Floats:
    """Return the mean empirical errors of the exponential mechanism over 1[x >= j], j = 0, ..., 2^b: (samples,), exact.

    All j beyond the k-th number and up to the next one make the same mistakes: the ones among the first k, the zeros
    among the others.
    """
    order = np.argsort(examples.offsets, axis=1, kind="stable")
    x, labels = (np.take_along_axis(values, order, axis=1) for values in (examples.offsets, examples.labels))
    before = np.pad(np.cumsum(labels, axis=1), ((0, 0), (1, 0)))
    zeros_from = np.arange(x.shape[1], -1, -1) - (before[:, -1:] - before)
    t = target(bits)
    lengths = np.diff(x, axis=1, prepend=-t - 1, append=2**bits - t)
    return _mean(before + zeros_from, lengths, epsilon) / x.shape[1]


def error_mixture(examples: Examples, bits: int, epsilon: float) -> Floats:
    """Return the mean empirical errors of A_LearnHalf, zeros public and ones private: (samples,), exact.

    In one dimension the numbers of mistakes of its hypotheses depend only on the order of the points.  So the distances
    x - t, which are small, stand for x: the a-priori grid of 2^20 steps would not tell points of longer words apart.
    ``bits`` has no other influence.  G has the empty region and both rays from each distinct zero; a single distinct
    zero is a region by itself instead.
    """
    order = np.argsort(examples.offsets, axis=1, kind="stable")
    x, labels = (np.take_along_axis(values, order, axis=1) for values in (examples.offsets, examples.labels == 1))
    n, places = x.shape[1], np.arange(x.shape[1] + 1)
    first = np.pad(x[:, 1:] != x[:, :-1], ((0, 0), (1, 1)), constant_values=True)  # of equal points; and the end
    low = np.maximum.accumulate(np.where(first, places, 0), axis=1)[:, :-1]
    high = np.minimum.accumulate(np.where(first, places, n)[:, ::-1], axis=1)[:, -2::-1]
    ones_before = np.pad(np.cumsum(labels, axis=1), ((0, 0), (1, 0)))
    gain = 2 * ones_before - places  # ones less zeros before a place
    empty = n - ones_before[:, -1:]
    at_low, at_high = (np.take_along_axis(gain, place, axis=1) for place in (low, high))
    upward, downward, alone = gain[:, -1:] + empty - at_low, empty + at_high, empty + at_high - at_low
    zeros_before = (places - ones_before)[:, :-1]
    new = ~labels & (zeros_before == np.take_along_axis(zeros_before, low, axis=1))
    single = np.count_nonzero(new, axis=1, keepdims=True) == 1
    mistakes = np.concatenate([empty, upward, np.where(single, alone, downward)], axis=1)
    return _mean(mistakes, np.concatenate([np.ones_like(empty), new & ~single, new], axis=1), epsilon) / n


def _mean(mistakes: Integers, numbers: Integers, epsilon: float) -> Floats:
    """Return the mean mistakes of the draw along the last axis; numbers: how many hypotheses make each."""
    weights = numbers * np.exp(-epsilon / 2 * (mistakes - mistakes.min(axis=-1, keepdims=True)))
    return np.asarray((weights * mistakes).sum(axis=-1) / weights.sum(axis=-1))


LEARNERS = {ALL_PRIVATE: error_all_private, MIXTURE: error_mixture}


# ---------------------------------------------------------------------------------------------------- measurement
@claim(
    "BMN20-SEP",
    f"thresholds on 2^b points, b = {min(BITS)} to {max(BITS)}, the same distribution for both learners: least n with "
    "mean empirical error "
    f"<= {ALPHA:g}; the mean over the draw exact, over samples simulated",
    constants="ours: one pure mechanism stands for learners without public data",
)
def needs_by_bits(table: Table) -> str:
    """Measure the least n with a mean empirical error of at most 0.1; the mean over the draw is exact."""
    samples = table.trials(SAMPLES)
    for epsilon, learner in track(list(product(EPSILONS, LEARNERS)), "curves"):
        needs = []
        for bits in track(BITS, "word lengths"):
            error = _errors(learner, bits, epsilon, samples, table.randomness)
            settings: Settings = {"learner": learner, "epsilon": epsilon, "bits": bits}
            needs.append(_need(error))
            table.recorded(NEED, settings, needs[-1], None, samples)
            for n in SHOWN_SIZES if bits in SHOWN_BITS else ():
                table.recorded(ERROR, settings | {"n": n}, error(n), ALPHA, samples)
        table.add(_growth(learner, epsilon, needs, samples))
    table.show(table(SLOPE)[0])
    return (
        f"shown: {_slopes(table.rows)}; rows allow 30 %, which tells linear growth from none, and which A_LearnHalf "
        f"misses, a control; one pure mechanism, not a lower bound; {_said(table.rows)}; that this need does not grow "
        "is by construction: it depends on the order of the examples, whose distribution about the target is the same "
        "for every b. So its largest over its least need is for the record; that no all-private learner does better is "
        "cited"
    )


def _errors(learner: str, bits: int, epsilon: float, samples: int, randomness: Simulation) -> _Error:
    """Return the function from n to the mean empirical error over samples of n examples, with its confidence limits."""

    @cache
    def error(n: int) -> Interval:
        generator = randomness.spawn("separation", learner, bits, repr(epsilon), n).generator
        return mean_interval(LEARNERS[learner](draw(samples, n, bits, generator), bits, epsilon), _LEVEL)

    return error


def _need(error: _Error) -> Interval:
    """Return the least n whose error is at most ALPHA; as its limits those whose lower and whose upper limit is.

    The mean error falls with n.  So the limits hold if the limits of the errors looked at hold.
    """
    return Interval(
        _least(lambda n: error(n).value <= ALPHA),
        _least(lambda n: error(n).low <= ALPHA),
        _least(lambda n: error(n).high <= ALPHA),
    )


def _least(enough: Callable[[int], bool]) -> int:
    """Return the least n that is enough, given that all larger ones are; LARGEST if it is not below LARGEST.

    >>> [_least(lambda n: n >= least) for least in (1, 8, 9, 700, 5_000)]
    [1, 8, 9, 700, 2000]
    """
    low, high = 0, 8
    while high < LARGEST and not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return min(high, LARGEST)


# ---------------------------------------------------------------------------------------------------- growth
def _growth(learner: str, epsilon: float, needs: list[Interval], samples: int) -> list[Measurement]:
    """Measure slope and R^2 of the all-private need, and the largest over the least need of A_LearnHalf."""
    settings: Settings = {"learner": learner, "epsilon": epsilon}
    slope = slope_interval(BITS, needs)
    if learner == ALL_PRIVATE:
        limit = float(4 * np.log(2) / epsilon)
        return [
            within(SLOPE, settings, slope, (1 - TOLERANCE) * limit, (1 + TOLERANCE) * limit, limit, samples),
            within(LINEARITY, settings, r_squared(BITS, needs), STRAIGHT, 1.0, STRAIGHT, samples),
        ]
    ratio = Interval(
        max(n.value for n in needs) / min(n.value for n in needs),
        max(1.0, max(n.low for n in needs) / min(n.high for n in needs)),
        max(n.high for n in needs) / min(n.low for n in needs),
    )
    return [
        recorded(SLOPE, settings, slope, None, samples),
        recorded(RATIO, settings, ratio, None, samples),
        exceeding(APART, settings, _apart(slope, float(4 * np.log(2) / epsilon)), TOLERANCE, samples, rounding=0.0),
    ]


def _apart(slope: Interval, limit: float) -> Interval:
    """Return |slope / limit - 1| with its limits."""
    ends = [abs(end / limit - 1) for end in (slope.low, slope.high)]
    crosses = slope.low <= limit <= slope.high
    return Interval(abs(slope.value / limit - 1), 0.0 if crosses else min(ends), max(ends))


def _slopes(rows: list[Measurement]) -> str:
    """Say what the slopes of the all-private need are, beside their limit for long words."""
    return "slope in b of the all-private need, bound: 4 ln 2 / epsilon for long words, " + ", ".join(
        f"{row.measured.value:.2f} [{row.measured.low:.2f}, {row.measured.high:.2f}] beside {row.bound:.2f} at "
        f"epsilon = {row.settings['epsilon']:g}"
        for row in rows
        if row.quantity == SLOPE and row.bound is not None
    )


def _said(rows: list[Measurement]) -> str:
    """Say what the needs at the shortest and at the longest words are."""
    needs = {
        (row.settings["learner"], row.settings["bits"]): row.measured.value
        for row in rows
        if row.quantity == NEED and row.settings["epsilon"] == EPSILONS[0]
    }
    ends = (BITS[0], BITS[-1])
    first, last = (", ".join(f"{needs[learner, b]:g} at b = {b}" for b in ends) for learner in LEARNERS)
    return f"all private {first}; A_LearnHalf {last}"
