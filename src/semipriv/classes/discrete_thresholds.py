"""Thresholds of the integers below a power of two, exact for any number of bits."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._ranks import ranks
from semipriv.classes.base import (
    LISTED_DOMAIN,
    MOST_EXAMPLES,
    Hypothesis,
    HypothesisClass,
    Minimum,
    Predictions,
    Shift,
    Tally,
)
from semipriv.classes.thresholds import Thresholds
from semipriv.core import estimates, fields
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Randomness
from semipriv.core.samples import Labels, Points, as_labels, as_points, distinct
from semipriv.core.types import Floats, Indices, Integers, Whole
from semipriv.core.work import Cost
from semipriv.geometry.shapes import Rays
from semipriv.mechanisms.sampling.choice import below, choose
from semipriv.mechanisms.sampling.weights import exponential_share

__all__ = ["DiscreteThresholds"]

WORD = 53
"""Bits of an integer that one float64 holds exactly."""
MOST_BITS = 10_000
"""Longer integers would only fill the memory."""
ORIENTATIONS = ["lt", "ge"]


@fields.value
class DiscreteThresholds(HypothesisClass):
    """h_j(x) = 1[x < j] (orientation 'lt') or 1[x >= j] ('ge'), j = 0, ..., 2^b, of integers x = 0, ..., 2^b - 1.

    Points and parameters are float64; one float holds 53 bits exactly.  An integer of more bits is written in base
    2^53 as ceil(b / 53) features, the most significant first, so that its order is the lexicographic one: ``encode``
    and ``decode`` translate.  Parameters are j, written the same way.  Nothing is ever rounded.

    Representatives: j lies in [0, u_1], {u_i + 1, ..., u_(i+1)} or {u_g + 1, ..., 2^b} for the sorted public points u;
    it is the least ('lower') or the greatest ('upper') of them, or the middle one, rounded down ('midpoint': 0 and 2^b
    in the outermost cells, as for thresholds of the line).

    2^b + 1 hypotheses; VC dimension 1, dual VC dimension 1, Littlestone dimension b, growth min(m, 2^b) + 1.

    Args:
        bits: b, 1 to 10,000; points are 0, ..., 2^b - 1.
        orientation: which side is 1: 'lt' or 'ge'.

    Source:
        BNS15, THRESH_b ('lt'); BMN20, the all-private baseline ('ge').

    Examples:
        >>> h = DiscreteThresholds(62)
        >>> h.encode([2**62 - 1, 2**62 - 2]).tolist()
        [[511.0, 9007199254740991.0], [511.0, 9007199254740990.0]]
        >>> h.predict(h.encode_thresholds([2**62 - 1]), h.encode([2**62 - 1, 2**62 - 2])).tolist()
        [[False, True]]
    """

    bits: int = fields.size(most=MOST_BITS)
    orientation: str = fields.one_of(ORIENTATIONS, "discrete thresholds", default="lt")

    @classmethod
    def examples(cls) -> "Sequence[DiscreteThresholds]":
        """Return those of few bits, of as many as a float holds, and of more."""
        return [
            *(DiscreteThresholds(bits) for bits in (1, 2, 3, 53, 54, 62, 110)),
            *(DiscreteThresholds(bits, "ge") for bits in (3, 62)),
        ]

    @property
    def example_points(self) -> Points:
        """The first and the last integers."""
        return self.encode({*range(min(2**self.bits, 8)), *range(max(0, 2**self.bits - 4), 2**self.bits)})

    @property
    def whole_domain(self) -> Points | None:
        """0, ..., 2^b - 1, if that is few; ``tally`` needs no list."""
        return self.encode(range(2**self.bits)) if 2**self.bits <= LISTED_DOMAIN else None

    @property
    def dimension(self) -> int:
        """ceil(bits / 53)."""
        return -(-self.bits // WORD)

    @property
    def width(self) -> int:
        """ceil(bits / 53): those of the threshold, as of a point."""
        return self.dimension

    @property
    def words(self) -> int:
        """ceil(bits / 53)."""
        return self.dimension

    def one_word(self, parameters: Parameters) -> tuple["DiscreteThresholds", Parameters]:
        """Return thresholds min(j, 2^53) over 53 bits, or themselves if they have no more."""
        if self.words == 1:
            return self, parameters
        theta = np.asarray(parameters, np.float64).reshape(-1, self.words)
        beyond = theta[:, :-1].any(axis=1)
        return DiscreteThresholds(WORD, self.orientation), np.where(beyond, 2.0**WORD, theta[:, -1])[:, None]

    @property
    def free_ends(self) -> bool:
        """True for one word: integers are all there is to separate."""
        return self.words == 1

    def beside(self, breaks: Floats) -> Floats:
        """Return 0, the least integers from the breaks on, and those before them, as far as they are in the domain."""
        from_on = np.ceil(breaks)
        candidates = np.concatenate([[0.0], from_on, from_on - 1])
        return candidates[(candidates >= 0) & (candidates < 2.0**self.bits)]

    vc_dimension = 1
    """One: of two points only one of the two mixed patterns occurs."""
    dual_vc_dimension = 1
    """1: points act on thresholds as thresholds do on points."""

    @property
    def littlestone_dimension(self) -> float:
        """floor(log2(2^b + 1)) = b: a mistake halves the chain of thresholds at best, and halving can be forced."""
        return float(self.bits)

    def growth(self, m: int) -> int:
        """Return min(m, 2^b) + 1."""
        return min(m, 2**self.bits) + 1

    # ------------------------------------------------------------------ integers and floats
    def encode(self, values: ArrayLike | Iterable[int], name: str = "points") -> Points:
        """Write integers as points.

        Args:
            values: (n,) integers in 0, ..., 2^b - 1.
            name: what messages call them.

        Returns:
            The points (n, dimension).

        Raises:
            ValueError: at the first other.
        """
        return self._encode(values, 2**self.bits - 1, name)

    def encode_thresholds(self, values: ArrayLike | Iterable[int]) -> Parameters:
        """Write integers as parameters.

        Args:
            values: (k,) integers j in 0, ..., 2^b.

        Returns:
            The parameters (k, dimension).

        Raises:
            ValueError: at the first other.
        """
        return self._encode(values, 2**self.bits, "thresholds")

    def decode(self, rows: Points | Parameters) -> list[int]:
        """Read integers off points or parameters; ``encode`` and ``encode_thresholds`` invert this.

        Args:
            rows: (n, dimension).

        Returns:
            n Python integers.
        """
        return cast("list[int]", _join(np.asarray(rows, np.float64).reshape(-1, self.dimension)).tolist())

    def _encode(self, values: ArrayLike | Iterable[int], largest: int, name: str) -> Floats:
        whole = _integers(values, name)
        outside = np.flatnonzero((whole < 0) | (whole > largest))
        if outside.size:
            row = int(outside[0])
            raise ValueError(f"{name}: row {row} = {whole[row]}: must be one of 0, ..., {_power(largest, self.bits)}")
        return _split(whole, self.dimension)

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Return integers 0, ..., 2^b - 1 as (n, dimension).

        Raises:
            ValueError: with the row of the first other point.
        """
        x = as_points(points, self.dimension, name)
        limits = np.full(self.dimension, 2.0**WORD)
        limits[0] = 2.0 ** (self.bits - WORD * (self.dimension - 1))
        if x.size and (x.min() < 0 or (x.max(axis=0) >= limits).any() or not np.array_equal(x, np.floor(x))):
            wrong = (x != np.floor(x)) | (x < 0) | (x >= limits)
            row, feature = map(int, np.argwhere(wrong)[0])
            raise ValueError(
                f"{name}: row {row}, feature {feature} = {x[row, feature]}: must be one of 0, ..., "
                f"{int(limits[feature]) - 1}"
            )
        return x

    # ------------------------------------------------------------------ hypotheses
    @property
    def _line(self) -> Thresholds:
        """The same thresholds on the line."""
        return Thresholds(self.orientation)

    def _on_line(self, parameters: Parameters, points: Points) -> tuple[Parameters, Points]:
        """Return thresholds and points as numbers in the same order, (k, 1) and (n, 1): themselves, or their ranks."""
        if self.dimension == 1:
            return parameters, points
        place = ranks(np.concatenate([parameters, points]))[0].astype(np.float64)[:, None]
        return place[: len(parameters)], place[len(parameters) :]

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, dimension), (n, dimension) -> (k, n) bool."""
        theta = np.asarray(parameters, np.float64).reshape(-1, self.dimension)
        return self._line.predict(*self._on_line(theta, self.validated(points)))

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count the mistakes of k thresholds on n examples in O((n + k) log (n + k)), by sorting."""
        return self._line.mistakes(*self._on_line(parameters, points), labels)

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what it takes to rank examples and cuts."""
        return estimates.ranked(k + n, self.dimension)

    def _representatives(self, points: Points, representative: str) -> Parameters:
        u = _join(points)
        low, high = np.append(np.array([0], object), u + 1), np.append(u, np.array([2**self.bits], object))
        chosen = {"lower": low, "upper": high, "midpoint": (low + high) // 2}[representative]
        if representative == "midpoint":
            chosen[-1], chosen[0] = 2**self.bits, 0
        return _split(chosen, self.dimension)

    def representative_domain(self, parameters: Parameters) -> Points:
        """Return the least integers of the cells {0, ..., j_1 - 1}, {j_1, ..., j_2 - 1}, ..., {j_k, ..., 2^b - 1}.

        Examples:
            >>> DiscreteThresholds(3).representative_domain([[5], [2], [8], [0]]).tolist()
            [[0.0], [2.0], [5.0]]
        """
        theta = np.asarray(parameters, np.float64).reshape(-1, self.dimension)
        starts = distinct(np.concatenate([np.zeros((1, self.dimension)), theta]))
        return starts[starts[:, 0] < 2.0 ** (self.bits - WORD * (self.dimension - 1))]

    def largest_teaching_shift(self, m: int) -> Shift:
        """Return 2, as for thresholds of the line, whose mistakes on integers are those of these."""
        return Shift(2, 4) if m else Shift(0, 0)

    minimise_size = MOST_EXAMPLES

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Minimise by cumulative sums over the sorted points: O(n log n)."""
        place, first = ranks(points)
        values = self._mistakes_below(place, len(first), labels, weights)
        best = int(np.argmin(values))
        neighbours = points[first[max(best - 1, 0) : best + 1]]
        theta = self._representatives(neighbours, "midpoint")[min(best, 1)]
        return Minimum(theta, float(values[best] + self._base(labels, weights)))

    def _base(self, labels: Labels, weights: Floats) -> np.float64:
        """Return the weight of the mistakes of j = 0, below which there is nothing."""
        return weights[(labels == 1) == (self.orientation == "lt")].sum()

    def _mistakes_below(self, place: Indices, number: int, labels: Labels, weights: Floats) -> Floats:
        """Return the weight of mistakes by how many of the distinct points lie below j, less that of j = 0."""
        change = np.where((labels == 1) == (self.orientation == "lt"), -weights, weights)  # when it falls below j
        return np.append([0.0], np.cumsum(np.bincount(place, change, number)))

    def _minimal_labels(self, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the labels by the ranks of the points: no threshold is worked out."""
        place, first = ranks(points)
        below = place < np.argmin(self._mistakes_below(place, len(first), labels, weights))
        return np.asarray(below if self.orientation == "lt" else ~below)

    def ones(self, parameters: Parameters) -> Rays | None:
        """Return rays for up to 53 bits; None beyond, as points have several features."""
        return self._line.ones(parameters) if self.dimension == 1 else None

    # ------------------------------------------------------------------ the whole class
    def tally(self, points: ArrayLike, labels: ArrayLike) -> "ThresholdTally":
        """Tally all 2^b + 1 hypotheses on labelled examples: O(n log n).

        What a private learner without public data selects from.

        Source:
            BNS15 algorithm 5 with H = THRESH_b.
        """
        x = self.validated(points)
        return ThresholdTally(self, self._groups(x, as_labels(labels, len(x))))

    def _groups(self, points: Points, labels: Labels) -> "ThresholdGroups":
        place, distinct_ones = ranks(points)
        first = np.append(np.array([0], object), _join(points[distinct_ones]) + 1)
        sizes = np.append(first[1:], np.array([2**self.bits + 1], object)) - first
        weights = np.ones(len(points))
        mistakes = self._mistakes_below(place, len(distinct_ones), labels, weights) + self._base(labels, weights)
        return ThresholdGroups(first, sizes, mistakes.astype(np.int64))


@dataclass(frozen=True, eq=False)
class ThresholdGroups:
    """All thresholds 0, ..., 2^b in increasing runs between data points, within which predictions do not change.

    first: (g,) Python integers, the least threshold of each run; sizes: (g,) Python integers, how many it has, 2^b + 1
    together; mistakes: (g,) int64, of each of them.
    """

    first: Whole
    sizes: Whole
    mistakes: Integers

    def histogram(self) -> tuple[Integers, Whole]:
        """Return distinct numbers of mistakes, increasing, and how many make each: (p,), (p,) Python integers."""
        least = self.mistakes.min()
        pool = self.mistakes - least
        if self._total < 2**53 and pool.max() <= 8 * len(pool):  # floats add these counts exactly
            sums = np.bincount(pool, self.sizes.astype(np.float64))
            values = np.flatnonzero(np.bincount(pool))
            return values + least, sums[values].astype(np.int64).astype(object)
        values, pool = np.unique(self.mistakes, return_inverse=True)
        counts = np.zeros(len(values), object)
        np.add.at(counts, pool, self.sizes)
        return values, counts

    @property
    def _total(self) -> int:
        return int(self.first[-1] + self.sizes[-1] - self.first[0])

    def draw(self, rate: Fraction, randomness: Randomness) -> int:
        """Draw a threshold with probability proportional to exp(-rate mistakes), exactly so under Secure randomness.

        First the number of mistakes, then one of its thresholds: BNS15 algorithm 5.  With rate = epsilon / 2 the draw
        is epsilon-differentially private for neighbours that differ in one labelled example, as one example moves every
        number of mistakes by at most 1.  Raises ValueError if rate < 0.
        """
        values, counts = self.histogram()
        pool = _choose(values - values[0], counts, rate, randomness)
        return self.member(int(values[pool]), randomness)

    def member(self, mistakes: int, randomness: Randomness) -> int:
        """Draw a uniform threshold of those with the given number of mistakes; raise ValueError if there is none."""
        number = self.number(mistakes)
        if not number:
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        return self.ranked(mistakes, below(number, randomness))

    def number(self, mistakes: int) -> int:
        """Return how many thresholds make the given number of mistakes."""
        return int(self.sizes[self.mistakes == mistakes].sum())

    def ranked(self, mistakes: int, rank: int) -> int:
        """Return the threshold with ``rank`` smaller ones that make as many mistakes; rank < number(mistakes)."""
        for run in np.flatnonzero(self.mistakes == mistakes):
            if rank < self.sizes[run]:
                break
            rank -= int(self.sizes[run])
        return int(self.first[run]) + rank


@dataclass(frozen=True, eq=False)
class ThresholdTally(Tally):
    """Mistakes of all thresholds of {0, ..., 2^b - 1} on one sample, none of them listed."""

    hypothesis_class: DiscreteThresholds
    groups: ThresholdGroups

    def histogram(self) -> tuple[Integers, Integers]:
        """Add up the runs; counts are Python integers if b exceeds 62."""
        values, counts = self.groups.histogram()
        return values, cast("Integers", counts.astype(np.int64) if self.hypothesis_class.bits < 63 else counts)

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw by the sizes of the runs."""
        return self._hypothesis(self.groups.member(mistakes, randomness))

    def draw(self, rate: Fraction, randomness: Randomness) -> Hypothesis:
        """Draw the number of mistakes, then one of its thresholds; raise ValueError if rate < 0."""
        return self._hypothesis(self.groups.draw(rate, randomness))

    def log_partition(self, rate: float) -> float:
        """Sum by logarithms of the sizes, which may be too large for floats."""
        return float(np.logaddexp.reduce(self._log_weights(rate)))

    def expected_mistakes(self, rate: float) -> float:
        """Weigh by logarithms of the sizes."""
        weights = self._log_weights(rate)
        share = np.exp(weights - weights.max())
        return float(share @ self.groups.mistakes / share.sum())

    def _log_weights(self, rate: float) -> Floats:
        return np.array([math.log(size) for size in self.groups.sizes]) - rate * self.groups.mistakes

    def _hypothesis(self, threshold: int) -> Hypothesis:
        return Hypothesis(self.hypothesis_class, self.hypothesis_class.encode_thresholds([threshold])[0])


def group_thresholds(
    values: ArrayLike | Iterable[int], labels: ArrayLike, bits: int, orientation: str = "lt"
) -> ThresholdGroups:
    """Count the mistakes of all thresholds on labelled integers (n,), (n,) in {0, ..., 2^bits - 1}, exactly.

    Raises ValueError for values outside, labels other than 0 and 1, bits outside 1, ..., 10,000.

    >>> groups = group_thresholds([2, 2**640 - 1], [1, 0], bits=640)
    >>> groups.mistakes.tolist(), groups.sizes.tolist() == [3, 2**640 - 3, 1]
    ([1, 0, 1], True)
    """
    h = DiscreteThresholds(bits, orientation)
    points = h.encode(values)
    return h._groups(points, as_labels(labels, len(points)))


def _choose(gaps: Integers, counts: Whole, rate: Fraction, randomness: Randomness) -> int:
    """Draw pool p with probability proportional to counts_p exp(-rate gaps_p): gaps from 0 on, counts of any size >= 1.

    Unlike ``choose_pool`` it lets a count outweigh any gap: masses are taken relative to the largest of them.
    """
    if rate < 0:
        raise ValueError(f"rate = {rate}: must be >= 0")
    masses, errors = _masses(gaps, counts, rate)

    def distribution(i: int, digits: int) -> tuple[Fraction, Fraction]:
        parts = [(gaps[part], counts[part]) for part in (slice(i + 1), slice(i + 1, None))]
        return exponential_share(parts[0], parts[1], rate, digits)

    return choose(masses, errors, distribution, randomness)


def _masses(gaps: Integers, counts: Whole, rate: Fraction) -> tuple[Floats, Floats]:
    """Return floats near counts_p exp(-rate gaps_p - s), one s for all, the largest 1, and bounds of their errors.

    With x = rate gap, l = ln count and L the largest l: the rounded rate, gap and product leave x within 2^-51 x, the
    logarithm leaves l within 2^-50 l, sums and differences are at most x + 2 L; np.exp is taken to be within 4 units in
    the last place.  Together less than a share of 2^-47 (1 + x + 2 L), which is small for x <= L + 800.  Beyond, and
    where exp gives a number that is not normal, 2^-1000 bounds both the mass and its error: the pool of gap 0 has a
    logarithm of at least 0, so that the difference is below L - x.
    """
    try:
        logarithms = np.log(counts.astype(np.float64))
    except OverflowError:
        logarithms = np.array(list(map(math.log, counts.tolist())))
    largest = logarithms.max()
    x = np.minimum(float(min(rate, Fraction(2**900))) * gaps, largest + 800.0)
    weights = logarithms - x
    masses = np.exp(weights - weights.max())
    return masses, 2.0**-47 * masses * (1 + x + 2 * largest) + 2.0**-1000


def _integers(values: ArrayLike | Iterable[int], name: str) -> Whole:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu":
        return values.astype(object)
    listed = values.tolist() if isinstance(values, np.ndarray) else list(cast("Iterable[Any]", values))
    whole = np.empty(len(listed), object)
    for row, value in enumerate(listed):
        try:
            whole[row] = index(value)
        except TypeError:
            raise ValueError(f"{name}: row {row} = {value!r}: must be an integer") from None
    return whole


def _power(largest: int, bits: int) -> str:
    """Return 2^bits or 2^bits - 1 as text, in digits if it is short."""
    return str(largest) if bits <= WORD else f"2^{bits}" + ("" if largest == 2**bits else " - 1")


def _split(whole: Whole, words: int) -> Floats:
    """Write integers (n,) in base 2^53, (n, words); the first digit may be larger."""
    digits = np.empty((len(whole), words))
    for word in range(words - 1, 0, -1):
        digits[:, word] = whole & (2**WORD - 1)
        whole = whole >> WORD
    digits[:, 0] = whole
    return digits


def _join(digits: Floats) -> Whole:
    """Return the integers (n,) of digits (n, words) in base 2^53."""
    whole: Whole = digits[:, 0].astype(np.int64).astype(object)
    for word in range(1, digits.shape[1]):
        whole = whole * 2**WORD + digits[:, word].astype(np.int64).astype(object)
    return whole
