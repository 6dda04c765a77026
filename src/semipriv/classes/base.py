"""What every hypothesis class offers: cover, predictions, mistakes, exact ERM, combinatorial dimensions."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from semipriv.core import checks, registry
from semipriv.core.arrays import Arrays
from semipriv.core.functions import Functions, Parameters
from semipriv.core.randomness import Randomness
from semipriv.core.rows import distinct_rows
from semipriv.core.samples import Labels, Points, as_labels, distinct
from semipriv.core.sharing import shared
from semipriv.core.types import Floats, Integers, Words
from semipriv.geometry.bits import packed
from semipriv.geometry.shapes import Outline, Shape
from semipriv.mechanisms.sampling.choice import below, choose_pool
from semipriv.privacy.guarantee import Output

Predictions = NDArray[np.bool_]

REPRESENTATIVES = ("midpoint", "lower", "upper")
LISTING_LIMIT = 2**31
"""Bytes that the parameters of a listed cover may take."""
MOST_EXAMPLES = 50_000
"""Largest number of examples from which a best error is estimated."""
LISTED_DOMAIN = 2**16
"""Points up to which a finite domain is listed."""
_BLOCK = 4_000_000
_PREDICTIONS = 20_000_000
_LABELS = 2**24
"""Labels handled at once when they are packed."""
_CACHE, _CHUNK = 32_768, 2_048
"""Number of predictions, and of examples, handled at once when all hypotheses meet all examples: they fit a cache."""


@dataclass(frozen=True, eq=False)
class Hypothesis(Output):
    """One hypothesis: the set of functions to which it belongs, and its parameters.

    Args:
        functions: the set of functions, such as a class.
        parameters: (p,), p the width of that set.

    Raises:
        ValueError: for parameters of another shape.
    """

    functions: "Predictors"
    parameters: Floats
    kind: ClassVar[str] = "hypothesis"

    def __post_init__(self) -> None:
        if np.shape(self.parameters) != (self.functions.width,):
            found = np.shape(self.parameters)
            raise ValueError(f"parameters: must have shape ({self.functions.width},) for {self.functions}, got {found}")

    def predict(self, points: ArrayLike) -> Predictions:
        """Predict the labels of points.

        Args:
            points: (n, d).

        Returns:
            The predictions (n,) bool.
        """
        return self.functions.predict(self.parameters[None], points)[0]

    def description(self) -> dict[str, Any]:
        """Return the specification of its set of functions.

        Returns:
            The specification, as values of JSON.
        """
        return {"functions": self.functions.specification()}

    def arrays(self) -> Arrays:
        """Return the parameters.

        Returns:
            ``parameters`` (p,).
        """
        return {"parameters": self.parameters}


class Tally(ABC):
    """The number of mistakes of every hypothesis of a cover on one labelled sample.  The cover need not be listed.

    Replacing an example of the sample changes each number of mistakes by at most 1.
    """

    @abstractmethod
    def histogram(self) -> tuple[Integers, Integers]:
        """Count the hypotheses by their numbers of mistakes.

        Returns:
            The numbers of mistakes that occur, increasing, and how often each occurs: (p,), (p,) int64.
        """

    @abstractmethod
    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw uniformly from the hypotheses with a number of mistakes.

        Args:
            mistakes: the number.
            randomness: Secure() or Simulation(seed).

        Returns:
            One of these hypotheses.

        Raises:
            ValueError: if there is none.
        """

    def draw(self, rate: Fraction, randomness: Randomness) -> Hypothesis:
        """Draw a hypothesis with probability proportional to exp(-rate mistakes), exactly if randomness is Secure.

        Args:
            rate: exponent of one mistake, >= 0; a fraction, which is kept exactly.
            randomness: Secure() or Simulation(seed).

        Returns:
            The hypothesis.
        """
        mistakes, counts = self.histogram()
        pool = choose_pool(mistakes - mistakes[0], counts, rate, randomness)
        return self.member(int(mistakes[pool]), randomness)

    def log_partition(self, rate: float) -> float:
        """Return the natural logarithm of sum_h exp(-rate mistakes(h)).

        Args:
            rate: exponent of one mistake, >= 0.

        Returns:
            The logarithm.
        """
        mistakes, counts = self.histogram()
        return float(scipy.special.logsumexp(-rate * mistakes, b=counts))

    def expected_mistakes(self, rate: float) -> float:
        """Return the mean number of mistakes under probabilities proportional to exp(-rate mistakes).

        Args:
            rate: exponent of one mistake, >= 0.

        Returns:
            The mean, between the fewest and the most mistakes.
        """
        mistakes, counts = self.histogram()
        weights = counts * np.exp(-rate * (mistakes - mistakes[0]))
        return float(weights @ mistakes / weights.sum())


@dataclass(frozen=True, eq=False)
class Cover(ABC):
    """One hypothesis for each dichotomy of the distinct public points.

    A cover lists its hypotheses (``ListedCover``), or stores the points alone if it is large.  Then ``listed`` makes
    the list if memory allows, and ``tally`` counts and draws without a list.

    Args:
        functions: the set to which the hypotheses belong, the class itself unless the learner is improper.
        points: (m, d) distinct public points, sorted.

    Source:
        ABM19 algorithm 1, steps 1 to 5.
    """

    functions: "Predictors"
    points: Points

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of dichotomies, exact for every size."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays from which the cover is restored.

        Returns:
            Arrays by name, ``points`` (m, d) among them.
        """

    def __len__(self) -> int:
        return self.size

    @abstractmethod
    def listed(self) -> "ListedCover":
        """Return a list of the same hypotheses in a fixed order.

        Returns:
            A cover with its parameters (k, p).

        Raises:
            ValueError: if it would take more than LISTING_LIMIT bytes.
        """

    def listed_mistakes(self, points: ArrayLike, labels: ArrayLike) -> tuple["ListedCover", Integers]:
        """List the hypotheses and the mistakes that ``tally`` counts, (k,) int64.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The list, and the mistakes (k,) in its order.
        """
        listed = self.listed()
        return listed, listed.mistakes(points, labels)

    @abstractmethod
    def tally(self, points: ArrayLike, labels: ArrayLike) -> Tally:
        """Count the mistakes of every hypothesis on labelled examples.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The numbers of mistakes, which draw hypotheses.
        """

    def breaks(self) -> "tuple[Floats, ...] | None":
        """Return increasing numbers on each axis, such that no label changes between them.

        In [b_i, b_{i + 1}) on each axis all points are alike.  Such a cover has ``tally_counts``, too: mistakes are
        known by the numbers of ones and zeros in each cell, which add up over parts of a sample.

        Returns:
            An array of breaks for each axis; None if there are none.
        """
        return None


@dataclass(frozen=True, eq=False)
class ListedCover(Cover):
    """A cover with a list of its hypotheses.

    parameters: (k, p), one row for each dichotomy, in a fixed order.  The order depends on the public points alone.
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
        """Return the dichotomies of the public points, (k, m) bool."""
        return self.functions.predict(self.parameters, self.points)

    def mistakes(self, points: ArrayLike, labels: ArrayLike) -> Integers:
        """Return the number of mistakes of each hypothesis on labelled examples: (n, d), (n,) -> (k,) int64."""
        return self.functions.mistakes(self.parameters, *self.functions.labelled(points, labels))

    def tally(self, points: ArrayLike, labels: ArrayLike) -> "ListedTally":
        """Return the list of mistakes."""
        return ListedTally(self, self.mistakes(points, labels))


@dataclass(frozen=True, eq=False)
class ListedTally(Tally):
    """Mistakes (k,) of the hypotheses of a listed cover."""

    cover: ListedCover
    mistakes: Integers

    def histogram(self) -> tuple[Integers, Integers]:
        """Return the distinct numbers of mistakes and how many hypotheses have each: both (p,), by counting."""
        counts = np.bincount(self.mistakes)
        values = np.flatnonzero(counts)
        return values, counts[values]

    def member(self, mistakes: int, randomness: Randomness) -> Hypothesis:
        """Draw uniformly from the hypotheses with that many mistakes; raise ValueError if there is none."""
        members = np.flatnonzero(self.mistakes == mistakes)
        if not members.size:
            raise ValueError(f"mistakes = {mistakes}: no hypothesis makes that many")
        return self.cover[int(members[below(members.size, randomness)])]


@dataclass(frozen=True, eq=False)
class UnlistedCover(Cover):
    """A cover given by its class, its points and the rule for representatives.  These are stored instead of a list."""

    functions: "HypothesisClass"
    representative: str

    def arrays(self) -> Arrays:
        """Return the points (m, d)."""
        return {"points": self.points}

    def listed(self) -> ListedCover:
        """Return the list; raise ValueError if it would take more than LISTING_LIMIT bytes."""
        h = self.functions
        return ListedCover(h, self.points, h._representatives(self.points, self.representative))


def starts_of_pieces(lower: Floats, upper: Floats) -> Floats:
    """Return the least floats of the pieces of the line between ends of closed intervals, but of the first: (s,)."""
    with np.errstate(over="ignore"):  # the neighbour of the largest float is infinite
        found = np.unique(np.concatenate([lower, np.nextafter(upper, np.inf)]))
    return found[np.isfinite(found)]


def restored_cover(arrays: Arrays, hypothesis_class: "HypothesisClass", representative: str = "midpoint") -> Cover:
    """Return the cover with these arrays: a list if its parameters are among them."""
    if "parameters" in arrays:
        return ListedCover(hypothesis_class, arrays["points"], arrays["parameters"])
    return hypothesis_class.cover(arrays["points"], representative)


def check_listing(rows: int, width: int, instead: str, what: str = "the cover has up to {} hypotheses") -> None:
    """Raise ValueError if rows x width numbers take more than LISTING_LIMIT bytes.

    instead: what the message advises.  what: what it says of the rows; {} stands for their number.
    """
    if rows * width * 8 > LISTING_LIMIT:
        size = f"{rows * width * 8 / 2**30:.3g} GiB to list (limit {LISTING_LIMIT / 2**30:g} GiB)"
        raise ValueError(f"{what.format(f'{rows:.4g}')}, {size}: {instead}")


DOMAIN = "the representative domain has up to {} points"
"""What ``check_listing`` says of the rows of a representative domain."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """An empirical risk minimiser: its parameters (p,) and its weighted number of mistakes."""

    parameters: Floats
    value: float


@dataclass(frozen=True)
class Shift:
    """How far weights of public points must move so that a pattern which won before a record was replaced wins again.

    Replacing a record moves the difference of two patterns' mistakes by at most 2.  So any v_h with <v_h, h' - h> >= 2
    for all other patterns h' will do (BBD24 lemma 18).  one: the largest sum of |v_h|, over h; squared: the largest sum
    of squares.

    >>> Shift.of_teaching(3)
    Shift(one=6, squared=12)
    """

    one: int
    squared: int

    @classmethod
    def of_teaching(cls, size: int) -> "Shift":
        """Return the shift by 2 on the points of a teaching set: on some of them every other pattern differs from h."""
        return cls(2 * size, 4 * size)


class Predictors(Functions):
    """A set of functions from R^dimension to {0, 1} given by parameters.  Improper learners may output them."""

    @property
    def words(self) -> int:
        """Number of features in which a number of the line is written; 1 unless a float is too short for it."""
        return 1

    def one_word(self, parameters: Parameters) -> tuple["Predictors", Parameters]:
        """Return functions of the line that agree with those of the parameters (k, p) on numbers of one word.

        Numbers whose words but the last are 0.

        Args:
            parameters: (k, p).

        Returns:
            A set of functions of the line, and parameters of these.
        """
        return self, parameters

    def labelled(self, points: ArrayLike, labels: ArrayLike) -> tuple[Points, Labels]:
        """Check labelled points of the domain, which covers share inside ``sharing``.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The points (n, d) float64 and the labels (n,) int8.

        Raises:
            ValueError: for other shapes, and with the row of the first point or label that is none.
        """

        def validated() -> tuple[Points, Labels]:
            x = self.validated(points)
            return x, as_labels(labels, len(x))

        return shared("labelled", (self, points, labels), validated)

    def outline(self, parameters: Floats) -> Outline | None:
        """Return what a picture shows of a function.

        Args:
            parameters: (p,).

        Returns:
            The outline; None if the function has none.
        """
        return None

    @abstractmethod
    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Predict the labels of points by each of several functions.

        Args:
            parameters: (k, p), a row for each function.
            points: (n, d).

        Returns:
            The predictions (k, n) bool.
        """

    def label_vectors(self, parameters: Parameters, points: Points) -> Words:
        """Return the label vector of each point, packed into words of 64 bits (``bits.packed``).

        Args:
            parameters: (k, p).
            points: (n, d).

        Returns:
            (n, ceil(k / 64)) uint64.
        """
        blocks = np.array_split(points, 1 + len(points) * len(parameters) // _LABELS)
        with np.errstate(over="ignore", invalid="ignore"):  # no warning tells where points are
            return np.concatenate([packed(self.predict(parameters, x).T) for x in blocks])

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Return the mistakes of each hypothesis, sum_i 1[h(x_i) != y_i], in blocks that fit a cache.

        Each term depends on one example alone.  So replacing an example changes the sum by at most 1.

        Args:
            parameters: (k, p).
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The numbers of mistakes (k,) int64.
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
        """Return the sets on which functions are 1.

        Args:
            parameters: (k, p).

        Returns:
            A shape for each function; None if their shape is not known.
        """
        return None


class HypothesisClass(Predictors):
    """A class of functions from R^dimension to {0, 1}, with exact combinatorics."""

    labels: ClassVar[str] = "functions to {0, 1}"

    @property
    def width(self) -> int:
        """Number of parameters of a hypothesis, read off the cover of no point."""
        return _width(self)

    def specification(self) -> dict[str, Any]:
        """Return the room, the name and the parameters from which the registry builds the class.

        Returns:
            A mapping of values of JSON.
        """
        return registry.specification("classes", self)

    # ------------------------------------------------------------------ law suite
    @classmethod
    def examples(cls) -> "Sequence[HypothesisClass]":
        """Return the instances that the law suite tries; a class file without any fails the suite by name.

        Returns:
            At least one instance, made from constants alone.
        """
        return ()

    @property
    def example_points(self) -> Points | None:
        """Points (n, d) that the law suite draws from if the domain is not R^d: the whole domain if that is small."""
        return None

    # ------------------------------------------------------------------ the whole class
    @property
    def whole_domain(self) -> Points | None:
        """All points (k, d) of a domain that is small enough to list, on which no two hypotheses agree; else None."""
        return None

    def tally(self, points: ArrayLike, labels: ArrayLike) -> Tally:
        """Count the mistakes of every hypothesis of a finite class on labelled examples.

        What a private learner without public data selects from.  By default that of the cover of the whole domain.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.

        Returns:
            The numbers of mistakes, which draw hypotheses.

        Raises:
            ValueError: if the class has no domain that can be listed.

        Source:
            BNS15 algorithm 5 with H = C.
        """
        if self.whole_domain is None:
            raise ValueError(f"{self!r}: has no exact tally of the whole class, its domain is not finite or not listed")
        return self.cover(self.whole_domain).tally(points, labels)

    # ------------------------------------------------------------------ combinatorial dimensions
    @property
    @abstractmethod
    def vc_dimension(self) -> int:
        """Largest number of points that the class labels in all possible ways."""

    @property
    @abstractmethod
    def dual_vc_dimension(self) -> int:
        """VC dimension of the dual class: each point x is the function h -> h(x) on the hypotheses."""

    @property
    @abstractmethod
    def littlestone_dimension(self) -> float:
        """Depth of the deepest shattered mistake tree; math.inf if there are shattered trees of every depth."""

    @abstractmethod
    def growth(self, m: int) -> int:
        """Return the largest number of dichotomies of m points.

        Args:
            m: number of distinct points, >= 0.

        Returns:
            The number of dichotomies; an upper bound where the class says so.
        """

    # ------------------------------------------------------------------ hypotheses
    def one_word(self, parameters: Parameters) -> tuple["HypothesisClass", Parameters]:
        """Return a class of the line, too."""
        return self, parameters

    def beside(self, breaks: Floats) -> Floats:
        """Return numbers of the first feature, 0 among them, that tell the breaks from what lies just before them.

        By default the breaks and the floats just before them.

        Args:
            breaks: (s,) places of the first feature where labels may change.

        Returns:
            (m,) numbers.
        """
        return np.concatenate([[0.0], breaks, np.nextafter(breaks, -np.inf)])

    @property
    def free_ends(self) -> bool:
        """Whether the ends of the shapes from ``ones`` may be any numbers, independently of each other.

        If so, some labelings know the infimum of the population error over the class.  A class with integer ends has
        free ends if its points are integers too: other ends separate no further points of the domain.
        """
        return False

    @property
    def exact_ends(self) -> bool:
        """Whether the class is on the line and the shapes from ``ones`` label all floats just as ``predict`` does."""
        return False

    @abstractmethod
    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Return parameters (k, p), one row for each dichotomy of the distinct sorted points (m, d)."""

    @abstractmethod
    def representative_domain(self, parameters: Parameters) -> Points:
        """Return representatives of all points of the domain under some hypotheses, in a fixed order.

        Two points are alike if each of the k hypotheses gives both the same label.  Every point of the domain is like
        exactly one representative.

        Args:
            parameters: (k, p) of the hypotheses.

        Returns:
            The representatives (r, d).

        Raises:
            ValueError: if the representatives would take more than LISTING_LIMIT bytes.

        Source:
            BCM20 definition 2.
        """

    def check_parameters(self, parameters: Parameters, name: str = "parameters") -> None:
        """Check that the class has hypotheses with these parameters.

        Args:
            parameters: (k, p).
            name: what messages call them.

        Raises:
            ValueError: with the row, for parameters that no hypothesis of the class has.
        """

    def cover(self, points: ArrayLike, representative: str = "midpoint") -> Cover:
        """Return one hypothesis for each dichotomy of the distinct public points.

        Args:
            points: (m, d); m = 0 is legal and gives one dichotomy.
            representative: the place of each hypothesis in its cell, the set of parameters with the same dichotomy:
                'midpoint', 'lower' or 'upper'.

        Returns:
            The cover; its order depends on the points alone.

        Raises:
            ValueError: for other words, for points outside the domain, and if a list of the hypotheses is needed and
                would take more than LISTING_LIMIT bytes.
        """
        if representative not in REPRESENTATIVES:
            raise ValueError(f"representative = {representative!r}: must be one of {', '.join(REPRESENTATIVES)}")
        return self._cover(distinct(self.validated(points, "public points")), representative)

    def _cover(self, points: Points, representative: str) -> Cover:
        """Return the cover of distinct sorted points: a list, unless a class needs none."""
        return ListedCover(self, points, self._representatives(points, representative))

    # ------------------------------------------------------------------ patterns of public points
    def representative(self, points: ArrayLike, pattern: ArrayLike) -> Floats:
        """Return the canonical hypothesis with a pattern of labels on the public points.

        A function of these two, the c(Z, h): what is found by private examples must not show in anything but the
        pattern.

        Args:
            points: (m, d), in any order, repeated or not.
            pattern: (m,) in {0, 1}.

        Returns:
            The parameters (p,).

        Raises:
            ValueError: for a pattern that no hypothesis has.

        Source:
            BBD24 algorithm 4.
        """
        x = self.validated(points, "public points")
        labels = as_labels(pattern, len(x), "pattern")
        found = self.nearest(x, labels)
        wrong = np.flatnonzero(self.predict(found[None], x)[0] != (labels == 1))
        if wrong.size:
            raise ValueError(f"pattern: no hypothesis of {self!r} has it, the one found differs at row {wrong[0]}")
        return found

    def nearest(self, points: Points, pattern: ArrayLike) -> Floats:
        """Return ``representative``, or, if no hypothesis has the pattern, one that is near it.

        Args:
            points: (m, d).
            pattern: (m,) in {0, 1}.

        Returns:
            The parameters (p,).
        """
        known, place, _ = distinct_rows(points)
        labels = np.zeros(len(known), np.int8)
        labels[place] = pattern
        return self._representative(known, labels)

    def _representative(self, points: Points, pattern: Labels) -> Floats:
        """Return a hypothesis with the pattern on distinct sorted points; one near it if there is none.

        By default the minimiser of the mistakes on the points, which for a class that lists its cover is the member of
        the cover with the pattern.
        """
        return self._minimise(points, pattern, np.ones(len(points))).parameters

    def teaching_shift(self, points: ArrayLike) -> Shift:
        """Return a shift of weights by which any pattern of the distinct public points wins again.

        By default the largest one of m points.

        Args:
            points: (m, d).

        Returns:
            The shift, in L1 and squared L2.
        """
        return self.largest_teaching_shift(len(distinct(self.validated(points, "public points"))))

    def largest_teaching_shift(self, m: int) -> Shift:
        """Return a shift by which any pattern wins again, for any distinct points.

        By default that of all points, 2 m.

        Args:
            m: number of the points.

        Returns:
            The shift, in L1 and squared L2.
        """
        return Shift.of_teaching(m)

    def nonempty_teaching_shift(self, points: ArrayLike) -> Shift:
        """Return a shift by which any pattern with a one wins again among those with a one.

        By default that among all patterns.

        Args:
            points: (m, d).

        Returns:
            The shift, in L1 and squared L2.
        """
        return self.teaching_shift(points)

    @property
    def minimise_size(self) -> int:
        """Number of examples that ``minimise`` handles in about a second.  A best error is estimated from so many.

        By default the largest power of 2 with n growth(n) <= 2e7 predictions, at most MOST_EXAMPLES.  A class that
        minimises faster than over its cover overrides it.
        """
        n = 1
        while n < MOST_EXAMPLES and 2 * n * self.growth(2 * n) <= _PREDICTIONS:
            n *= 2
        return min(n, MOST_EXAMPLES)

    def minimise(self, points: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> Minimum:
        """Return an exact weighted empirical risk minimiser: argmin_h sum_i w_i 1[h(x_i) != y_i].

        If there are several minimisers, the examples alone decide which one is returned.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.
            weights: (n,) finite, of any sign, 1 by default.

        Returns:
            Parameters (p,), and the sum of the weights of its mistakes.
        """
        return self._minimise(*self._weighted(points, labels, weights))

    def minimal_labels(self, points: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None) -> Predictions:
        """Return the labels of the points under a minimiser.

        All dichotomies of the class take part, those that no floating-point parameters attain, too: which patterns of
        public points may win depends on no private point.

        Args:
            points: (n, d).
            labels: (n,) in {0, 1}.
            weights: (n,) finite, of any sign, 1 by default.

        Returns:
            The labels (n,) bool.
        """
        return self._minimal_labels(*self._weighted(points, labels, weights))

    def _minimal_labels(self, points: Points, labels: Labels, weights: Floats) -> Predictions:
        return self.predict(self._minimise(points, labels, weights).parameters[None], points)[0]

    def _weighted(
        self, points: ArrayLike, labels: ArrayLike, weights: ArrayLike | None
    ) -> tuple[Points, Labels, Floats]:
        x = self.validated(points)
        y = as_labels(labels, len(x))
        w = np.ones(len(x)) if weights is None else checks.array("weights", weights).astype(np.float64)
        if w.shape != y.shape or not np.all(np.isfinite(w)):
            raise ValueError(f"weights: must be {len(x)} finite numbers")
        return x, y, w

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        cover = self.cover(points).listed()
        signed = np.where(labels == 1, -weights, weights)  # cost of predicting 1 rather than 0
        values = np.empty(len(cover))
        rows = max(1, _BLOCK // max(1, len(points)))
        for start in range(0, len(cover), rows):
            block = slice(start, start + rows)
            values[block] = self.predict(cover.parameters[block], points) @ signed
        best = int(np.argmin(values))
        return Minimum(cover.parameters[best], float(values[best] + weights[labels == 1].sum()))


def check_whole(name: str, given: Floats, size: int, what: str) -> None:
    """Raise ValueError, with the row, unless all numbers (k,) are 0, ..., size - 1."""
    wrong = ~((given >= 0) & (given < size) & (given == np.floor(given)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{name}: row {row}: {what} {given[row]:g}: must be one of 0, ..., {size - 1}")


def as_class(given: object, kind: type[Functions] = HypothesisClass) -> Any:
    """Return a hypothesis class, or another kind of functions, as it is.

    Raise ValueError for anything else, such as the name of one.
    """
    if isinstance(given, kind):
        return given
    if isinstance(given, Functions):
        raise ValueError(f"hypothesis_class: {given!r} are {given.labels}, the learner learns {kind.labels}")
    if isinstance(given, str):
        known = {name.replace("_", ""): registry.load("classes", name) for name in registry.names("classes")}
        found = known.get(given.replace("_", "").lower())
        instead = f"{found.__name__}(...)" if found else "one of " + ", ".join(kind.__name__ for kind in known.values())
        raise ValueError(f"hypothesis_class = {given!r}: is a name, must be a class: {instead}")
    what = f"the type {given.__name__}, not a value of it" if isinstance(given, type) else type(given).__name__
    raise ValueError(f"hypothesis_class: is {what}, must be a class such as Thresholds()")


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

    representative: 'midpoint' (the middle, or the infinite end if there is one), 'lower' (the least float of the cell)
    or 'upper' (the greatest).
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
