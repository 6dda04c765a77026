"""What every hypothesis class offers: cover, predictions, mistakes, exact ERM, combinatorial dimensions."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from semipriv import registry
from semipriv.arrays import Arrays
from semipriv.geometry.shapes import Outline, Shape
from semipriv.privacy.guarantee import Output
from semipriv.randomness import Randomness
from semipriv.samples import Labels, Points, as_labels, as_points, distinct
from semipriv.sampling.choice import below, choose_pool

Parameters = NDArray[np.float64]
"""(k, p) float64: k hypotheses of p parameters each."""
Predictions = NDArray[np.bool_]

REPRESENTATIVES = ("midpoint", "lower", "upper")
LISTING_LIMIT = 2**31
"""Bytes that the parameters of a listed cover may take."""
MOST_EXAMPLES = 50_000
"""The most examples that a best error is estimated from."""
_BLOCK = 4_000_000
_PREDICTIONS = 20_000_000
_CACHE, _CHUNK = 32_768, 2_048
"""Predictions and examples handled at once where all hypotheses meet all examples: what fits a cache."""


@dataclass(frozen=True, eq=False)
class Hypothesis(Output):
    """One hypothesis: the functions it is one of, and its parameters (p,), p being the width of the functions.

    Raises ValueError for parameters of another shape.
    """

    functions: "Predictors"
    parameters: NDArray[np.float64]
    kind: ClassVar[str] = "hypothesis"

    def __post_init__(self) -> None:
        if np.shape(self.parameters) != (self.functions.width,):
            found = np.shape(self.parameters)
            raise ValueError(f"parameters: must have shape ({self.functions.width},) for {self.functions}, got {found}")

    def predict(self, points: ArrayLike) -> Predictions:
        """Return the predictions of (n, d) points, (n,) bool."""
        return self.functions.predict(self.parameters[None], points)[0]

    def description(self) -> dict[str, Any]:
        """Return which functions it is one of."""
        return {"functions": self.functions.specification()}

    def arrays(self) -> Arrays:
        """Return the parameters."""
        return {"parameters": self.parameters}


class Tally(ABC):
    """The number of mistakes of every hypothesis of a cover on one labelled sample, be they listed or not.

    Replacing an example of the sample changes each number of mistakes by at most 1.
    """

    @abstractmethod
    def histogram(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct numbers of mistakes, increasing, and how many hypotheses make each: (p,), (p,) int64."""

    @abstractmethod
    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw a uniform hypothesis of those with the given number of mistakes; raise ValueError if there is none."""

    def draw(self, rate: Fraction, randomness: Randomness) -> Hypothesis:
        """Draw a hypothesis with probability proportional to exp(-rate mistakes), exactly if randomness is Secure."""
        mistakes, counts = self.histogram()
        pool = choose_pool(mistakes - mistakes[0], counts, rate, randomness)
        return self.member(int(mistakes[pool]), randomness)

    def log_partition(self, rate: float) -> float:
        """Return the natural logarithm of sum_h exp(-rate mistakes(h))."""
        mistakes, counts = self.histogram()
        return float(logsumexp(-rate * mistakes, b=counts))

    def expected_mistakes(self, rate: float) -> float:
        """Return the mean number of mistakes under probabilities proportional to exp(-rate mistakes)."""
        mistakes, counts = self.histogram()
        weights = counts * np.exp(-rate * (mistakes - mistakes[0]))
        return float(weights @ mistakes / weights.sum())


@dataclass(frozen=True, eq=False)
class Cover(ABC):
    """One hypothesis for each dichotomy of the distinct public points.  ABM19 algorithm 1, steps 1-5.

    functions: what the hypotheses are some of, the class unless the learner is improper.  points: (m, d) distinct
    public points, sorted.  Listed (``ListedCover``), or too large for that and given by the points alone: then
    ``listed`` lists it if memory allows, and ``tally`` counts and draws without listing.
    """

    functions: "Predictors"
    points: Points

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of dichotomies, exact however large."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays from which it is restored."""

    def __len__(self) -> int:
        return self.size

    @abstractmethod
    def listed(self) -> "ListedCover":
        """The same hypotheses one by one, in a fixed order; ValueError where that takes more than LISTING_LIMIT."""

    @abstractmethod
    def tally(self, points: ArrayLike, labels: ArrayLike) -> Tally:
        """Mistakes of every hypothesis on labelled examples (n, d), (n,)."""


@dataclass(frozen=True, eq=False)
class ListedCover(Cover):
    """A cover whose hypotheses are listed.

    parameters: (k, p), one row a dichotomy, in a fixed order that depends on the public points alone.
    """

    parameters: Parameters

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.parameters)

    def __getitem__(self, index: int) -> Hypothesis:
        return Hypothesis(self.functions, self.parameters[index])

    def arrays(self) -> Arrays:
        """Return points (m, d) and parameters (k, p)."""
        return {"points": self.points, "parameters": self.parameters}

    def listed(self) -> "ListedCover":
        """Return itself."""
        return self

    def dichotomies(self) -> Predictions:
        """The dichotomies of the public points, (k, m) bool."""
        return self.functions.predict(self.parameters, self.points)

    def mistakes(self, points: ArrayLike, labels: ArrayLike) -> NDArray[np.int64]:
        """Number of labelled examples that each hypothesis gets wrong: (n, d), (n,) -> (k,) int64."""
        x = self.functions.validated(points)
        return self.functions.mistakes(self.parameters, x, as_labels(labels, len(x)))

    def tally(self, points: ArrayLike, labels: ArrayLike) -> "ListedTally":
        """The mistakes, listed."""
        return ListedTally(self, self.mistakes(points, labels))


@dataclass(frozen=True, eq=False)
class ListedTally(Tally):
    """Mistakes (k,) of the hypotheses of a listed cover."""

    cover: ListedCover
    mistakes: NDArray[np.int64]

    def histogram(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count: mistakes are at most the sample size."""
        counts = np.bincount(self.mistakes)
        values = np.flatnonzero(counts)
        return values, counts[values]

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw from a list of the members."""
        members = np.flatnonzero(self.mistakes == mistakes)
        if not members.size:
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        return self.cover[int(members[below(members.size, randomness)])]


@dataclass(frozen=True, eq=False)
class UnlistedCover(Cover):
    """A cover given by its class, its points and the rule for representatives: what goes to disk in place of a list."""

    functions: "HypothesisClass"
    representative: str

    def arrays(self) -> Arrays:
        """Return the points (m, d)."""
        return {"points": self.points}

    def listed(self) -> ListedCover:
        """List it; raise ValueError if that takes more than LISTING_LIMIT bytes."""
        h = self.functions
        return ListedCover(h, self.points, h._representatives(self.points, self.representative))


def restored_cover(arrays: Arrays, hypothesis_class: "HypothesisClass", representative: str = "midpoint") -> Cover:
    """Return the cover that has these arrays: listed if its parameters are among them."""
    if "parameters" in arrays:
        return ListedCover(hypothesis_class, arrays["points"], arrays["parameters"])
    return hypothesis_class.cover(arrays["points"], representative)


def check_listing(rows: int, width: int, instead: str, what: str = "the cover has up to {} hypotheses") -> None:
    """Raise ValueError if rows of width numbers exceed LISTING_LIMIT bytes; say what to do instead."""
    if rows * width * 8 > LISTING_LIMIT:
        size = f"{rows * width * 8 / 2**30:.3g} GiB to list (limit {LISTING_LIMIT / 2**30:g} GiB)"
        raise ValueError(f"{what.format(f'{rows:.4g}')}, {size}: {instead}")


DOMAIN = "the representative domain has up to {} points"
"""What ``check_listing`` is to say of it."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """An empirical risk minimiser: parameters (p,), and the weighted number of mistakes it attains."""

    parameters: NDArray[np.float64]
    value: float


class Predictors(ABC):
    """Functions from R^dimension to {0, 1} given by parameters: what an improper learner may output."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of features of a point."""

    def validated(self, points: ArrayLike, name: str = "points") -> Points:
        """Return points of the domain as (n, d); raise ValueError with the row of the first point outside."""
        return as_points(points, self.dimension, name)

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of parameters of a function."""

    def outline(self, parameters: NDArray[np.float64]) -> Outline | None:
        """Return what a picture shows of the function with these parameters (p,); None if it has no outline."""
        return None

    @abstractmethod
    def specification(self) -> dict[str, Any]:
        """Return the room, the name and the parameters with which the registry builds these functions."""

    @abstractmethod
    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, p), (n, d) -> (k, n) bool."""

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> NDArray[np.int64]:
        """Count the mistakes of each hypothesis, sum_i 1[h(x_i) != y_i], (k,) int64, in blocks that fit a cache.

        A sum over examples of terms that depend on one example each: replacing an example changes it by at most 1.
        """
        total = np.zeros(len(parameters), np.int64)
        ones = labels == 1
        few = max(1, _CACHE // max(1, min(len(points), _CHUNK)))
        for start in range(0, len(points), _CHUNK):
            x, y = points[start : start + _CHUNK], ones[start : start + _CHUNK]
            for first in range(0, len(parameters), few):
                wrong = self.predict(parameters[first : first + few], x) != y
                total[first : first + few] += np.count_nonzero(wrong, axis=1)
        return total

    def ones(self, parameters: Parameters) -> Shape | None:
        """Return the sets on which the functions (k, p) are 1; None if they are of no known shape."""
        return None


class HypothesisClass(Predictors):
    """A class of functions from R^dimension to {0, 1}, with exact combinatorics."""

    @property
    def width(self) -> int:
        """That of the hypotheses in the cover of no point."""
        return _width(self)

    def specification(self) -> dict[str, Any]:
        """Return the class as configurations name it."""
        return registry.specification("classes", self)

    # ------------------------------------------------------------------ law suite
    @classmethod
    def examples(cls) -> "Sequence[HypothesisClass]":
        """Return the instances that the law suite tries; a class file without any fails the suite by name."""
        return ()

    @property
    def example_points(self) -> Points | None:
        """Points (n, d) that the law suite draws from if the domain is not R^d: the whole domain if that is small."""
        return None

    # ------------------------------------------------------------------ combinatorial dimensions
    @property
    @abstractmethod
    def vc_dimension(self) -> int:
        """Largest number of points on which all dichotomies occur."""

    @property
    @abstractmethod
    def dual_vc_dimension(self) -> int:
        """VC dimension of the points as functions on the hypotheses."""

    @property
    @abstractmethod
    def littlestone_dimension(self) -> float:
        """Depth of the largest shattered mistake tree; math.inf if there is no largest one."""

    @abstractmethod
    def growth(self, m: int) -> int:
        """Return the largest number of dichotomies of m points."""

    # ------------------------------------------------------------------ hypotheses
    @property
    def free_ends(self) -> bool:
        """Whether the ends of the shapes that ``ones`` returns may be any numbers, independently of each other.

        Then some labelings know the infimum of the population error over the class.  A class of integer ends has free
        ends if its points are integers too: others tell no points of the domain apart.
        """
        return False

    @abstractmethod
    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Return parameters (k, p), one row for each dichotomy of the distinct sorted points (m, d)."""

    @abstractmethod
    def representative_domain(self, parameters: Parameters) -> Points:
        """Return one point for each class of points that the hypotheses (k, p) treat alike: (r, d), in a fixed order.

        Every point of the domain has the labels, under all k hypotheses, of exactly one of them (BCM20 definition 2).
        Raises ValueError where they would take more than LISTING_LIMIT bytes.
        """

    def cover(self, points: ArrayLike, representative: str = "midpoint") -> Cover:
        """Return one hypothesis for each dichotomy of the distinct public points.

        points: (m, d); none is legal (one dichotomy).  representative: where in its cell of parameters the
        representative lies: 'midpoint', 'lower' or 'upper'.  Raises ValueError for other words or non-finite points,
        and where the hypotheses are to be listed and would take more than LISTING_LIMIT bytes.
        """
        if representative not in REPRESENTATIVES:
            raise ValueError(f"representative = {representative!r}: must be one of {', '.join(REPRESENTATIVES)}")
        return self._cover(distinct(self.validated(points, "public points")), representative)

    def _cover(self, points: Points, representative: str) -> Cover:
        """Cover distinct sorted points: by a list, unless a class knows better."""
        return ListedCover(self, points, self._representatives(points, representative))

    @property
    def minimise_size(self) -> int:
        """Number of examples that ``minimise`` handles in about a second: what a best error is estimated from.

        Unless a class minimises faster than over its cover: the largest power of 2 with
        n growth(n) <= 2e7 predictions.
        """
        n = 1
        while n < MOST_EXAMPLES and 2 * n * self.growth(2 * n) <= _PREDICTIONS:
            n *= 2
        return min(n, MOST_EXAMPLES)

    def minimise(self, points: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> Minimum:
        """Minimise the weighted empirical risk exactly: argmin_h sum_i w_i 1[h(x_i) != y_i], weights of any sign.

        points: (n, d); labels: (n,) in {0, 1}; weights: (n,) finite, 1 by default.  Which of several minimisers is
        returned depends on the examples alone.
        """
        x = self.validated(points)
        y = as_labels(labels, len(x))
        w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
        if w.shape != y.shape or not np.all(np.isfinite(w)):
            raise ValueError(f"weights: must be {len(x)} finite numbers")
        return self._minimise(x, y, w)

    def _minimise(self, points: Points, labels: Labels, weights: NDArray[np.float64]) -> Minimum:
        cover = self.cover(points).listed()
        signed = np.where(labels == 1, -weights, weights)  # cost of predicting 1 rather than 0
        values = np.empty(len(cover))
        rows = max(1, _BLOCK // max(1, len(points)))
        for start in range(0, len(cover), rows):
            block = slice(start, start + rows)
            values[block] = self.predict(cover.parameters[block], points) @ signed
        best = int(np.argmin(values))
        return Minimum(cover.parameters[best], float(values[best] + weights[labels == 1].sum()))


@lru_cache(maxsize=64)
def _width(hypothesis_class: HypothesisClass) -> int:
    return int(hypothesis_class.cover(np.empty((0, hypothesis_class.dimension))).listed().parameters.shape[1])


def sauer(m: int, d: int) -> int:
    """Return Sauer's bound sum_{i <= d} C(m, i) on the number of dichotomies of m points.

    >>> sauer(4, 1), sauer(3, 5)
    (5, 8)
    """
    return sum(math.comb(m, i) for i in range(d + 1))


def cell_representative(low: Parameters, high: Parameters, representative: str, *, open_low: bool) -> Parameters:
    """Return a float in each cell: (low, high] if open_low else [low, high); either end may be infinite.

    midpoint: the middle, or the infinite end; lower, upper: the least, the greatest float of the cell.
    """
    with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
        least = np.nextafter(low, np.inf) if open_low else low
        greatest = high if open_low else np.nextafter(high, -np.inf)
    least = np.where(np.isneginf(low), -np.inf, least)
    greatest = np.where(np.isposinf(high), np.inf, greatest)
    if representative == "lower":
        return least
    if representative == "upper":
        return greatest
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isneginf(low), low, np.where(np.isposinf(high), high, low / 2 + high / 2))
    return np.clip(middle, least, greatest)
