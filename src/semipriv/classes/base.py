"""What every hypothesis class offers: cover, predictions, mistakes, exact ERM, combinatorial dimensions."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._cover import DOMAIN, Cover, ListedCover, ListedTally, Tally, check_listing
from semipriv.classes._function import Registered
from semipriv.classes._hypothesis import Hypothesis, Predictions, Predictors
from semipriv.core import checks, registry
from semipriv.core.arrays import Arrays
from semipriv.core.functions import Functions, Parameters
from semipriv.core.rows import distinct_rows
from semipriv.core.samples import Labels, Points, as_labels, distinct
from semipriv.core.types import Floats

__all__ = [
    "DOMAIN",
    "LISTED_DOMAIN",
    "MOST_EXAMPLES",
    "REPRESENTATIVES",
    "Cover",
    "Hypothesis",
    "HypothesisClass",
    "ListedCover",
    "ListedTally",
    "Minimum",
    "Predictions",
    "Predictors",
    "Shift",
    "Tally",
    "UnlistedCover",
    "as_class",
    "check_listing",
    "restored_cover",
]

REPRESENTATIVES = ("midpoint", "lower", "upper")
MOST_EXAMPLES = 50_000
"""Largest number of examples from which a best error is estimated."""
LISTED_DOMAIN = 2**16
"""Points up to which a finite domain is listed."""
_BLOCK = 4_000_000
_PREDICTIONS = 20_000_000


@dataclass(frozen=True, eq=False)
class Minimum:
    """An empirical risk minimiser: its parameters (p,) and its weighted number of mistakes."""

    parameters: Floats
    value: float


@dataclass(frozen=True)
class Shift:
    """How far weights of public points must move so that a pattern which won before a record was replaced wins again.

    Replacing a record moves the difference of two patterns' mistakes by at most 2.  So any v_h with <v_h, h' - h> >= 2
    for all other patterns h' will do (BBD24 lemma 18).  absolute: the largest sum of |v_h|, over h; squared: the
    largest sum of squares.

    >>> Shift.of_teaching(3)
    Shift(absolute=6, squared=12)
    """

    absolute: int
    squared: int

    @classmethod
    def of_teaching(cls, size: int) -> "Shift":
        """Return the shift by 2 on the points of a teaching set: on some of them every other pattern differs from h."""
        return cls(2 * size, 4 * size)


class HypothesisClass(Registered, Predictors):
    """A class of functions from R^dimension to {0, 1}, with exact combinatorics."""

    labels: ClassVar[str] = "functions to {0, 1}"
    room: ClassVar[str] = "classes"

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of parameters of a hypothesis."""

    # ------------------------------------------------------------------ property tests
    @property
    def example_points(self) -> Points | None:
        """Points (n, d) for property tests if the domain is not R^d: the whole domain if that is small."""
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

    @property
    def exact_rays(self) -> bool:
        """Whether the shapes from ``ones`` are rays that label all points just as ``predict`` does."""
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
            ValueError: if the representatives would take more memory than is allowed.

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
                would take more memory than is allowed.
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
        parameters = self.nearest(x, labels)
        wrong = np.flatnonzero(self.predict(parameters[None], x)[0] != (labels == 1))
        if wrong.size:
            raise ValueError(f"pattern: no hypothesis of {self!r} has it, the one found differs at row {wrong[0]}")
        return parameters

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


@dataclass(frozen=True, eq=False)
class UnlistedCover(Cover):
    """A cover given by its class, its points and the rule for representatives.  These are stored instead of a list."""

    functions: "HypothesisClass"
    representative: str

    def arrays(self) -> Arrays:
        """Return the points (m, d)."""
        return {"points": self.points}

    def listed(self) -> ListedCover:
        """Return the list; raise ValueError if it would take more memory than is allowed."""
        h = self.functions
        return ListedCover(h, self.points, h._representatives(self.points, self.representative))


def restored_cover(arrays: Arrays, hypothesis_class: "HypothesisClass", representative: str = "midpoint") -> Cover:
    """Return the cover with these arrays: a list if its parameters are among them."""
    if "parameters" in arrays:
        return ListedCover(hypothesis_class, arrays["points"], arrays["parameters"])
    return hypothesis_class.cover(arrays["points"], representative)


def as_class(given: object, kind: type[Functions] = HypothesisClass) -> Any:
    """Return the value unchanged if it is a hypothesis class, or a set of functions of the given kind.

    Raise ValueError for anything else, such as the name of a class.
    """
    if isinstance(given, kind):
        return given
    if isinstance(given, Functions):
        raise ValueError(f"hypothesis_class: {given!r} are {given.labels}, the learner learns {kind.labels}")
    if isinstance(given, str):
        known = {name.replace("_", ""): registry.load("classes", name) for name in registry.names("classes")}
        match = known.get(given.replace("_", "").lower())
        instead = f"{match.__name__}(...)" if match else "one of " + ", ".join(kind.__name__ for kind in known.values())
        raise ValueError(f"hypothesis_class = {given!r}: is a name, must be a class: {instead}")
    what = f"the type {given.__name__}, not a value of it" if isinstance(given, type) else type(given).__name__
    raise ValueError(f"hypothesis_class: is {what}, must be a class such as Thresholds()")
