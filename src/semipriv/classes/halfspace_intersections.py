"""Intersections of at most k halfspaces."""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._ranks import ranks
from semipriv.classes.base import HypothesisClass, ListedCover, Minimum, Predictions, check_listing
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import estimates, fields
from semipriv.core.deviation import sauer
from semipriv.core.functions import Parameters
from semipriv.core.least import largest_size
from semipriv.core.samples import Labels, Points
from semipriv.core.types import Bools, Floats, Indices, Integers, Words
from semipriv.core.work import Cost, check_work, count
from semipriv.geometry.bits import first_of_each, packed
from semipriv.geometry.shapes import Rays

__all__ = ["HalfspaceIntersections"]


_FEWER = "take fewer public points or fewer halfspaces"
_BLOCK = 2_000_000
_CHUNK = 4_096
"""Examples predicted at once."""


@fields.value
class HalfspaceIntersections(HypothesisClass):
    """h(x) = 1[w_i x + b_i >= 0 for i = 1, ..., k], intersections of at most k closed halfspaces of R^d.

    Parameters (w_1, b_1, ..., w_k, b_k), k (d + 1) numbers; a halfspace that is not needed is (0, ..., 0, 1), all of
    R^d.  With k = d these are the regions whose complements ``LearnHalf`` outputs.  Infinite Littlestone dimension.

    The VC dimension is known for k = 1 (d + 1), on the line (2) and in the plane (2 k + 1), the dual one for k = 1 (d)
    and on the line (2, for k >= 2).  Elsewhere they are refused: ``vc_dimension_bounds`` and
    ``dual_vc_dimension_bounds`` hold everywhere.

    A cover lists, each once, the intersections of at most k dichotomies of the points by halfspaces, those of fewer
    halfspaces first.  With K such dichotomies the work is K times the number of intersections of at most k - 1.
    Halfspaces are the representatives of the cover by ``Halfspaces``, and predictions floating-point ones as there.

    Args:
        dimension: d, number of features.
        k: the most halfspaces of an intersection.

    Source:
        BMN20, the regions of A_LearnHalf (k = d).
    """

    dimension: int = fields.size(default=2)
    k: int = fields.size(default=2)

    @property
    def _halfspaces(self) -> Halfspaces:
        return Halfspaces(self.dimension)

    @property
    def width(self) -> int:
        """k (d + 1): those of k halfspaces, one after the other."""
        return self.k * (self.dimension + 1)

    @classmethod
    def examples(cls) -> "Sequence[HalfspaceIntersections]":
        """Return those of known VC and dual VC dimension."""
        return [HalfspaceIntersections(*size) for size in ((1, 1), (1, 2), (1, 3), (2, 1), (3, 1))]

    # ------------------------------------------------------------------ combinatorial dimensions
    @property
    def vc_dimension_bounds(self) -> tuple[int, int]:
        """Least and greatest value that the VC dimension may have.

        Least: k d + 1 for even d, k (d - 1) + 2 for odd d.  A halfspace meets points of the moment curve (t, ..., t^d)
        where a polynomial of degree d is >= 0; it leaves out d / 2 runs of points, or (d - 1) / 2 and one at an end, so
        that k of them leave out all zeros of any labels.  Greatest: the last m before there are fewer sets of 1 to k
        dichotomies by halfspaces than 2^m (Blumer, Ehrenfeucht, Haussler and Warmuth 1989).  In the plane this is
        replaced by 2 k + 1: of 2 k + 2 points either one lies in the hull of the others or, in convex position, every
        second one needs a halfplane for itself.  On the line k > 2 halfspaces are no more than 2.

        >>> HalfspaceIntersections(2, 4).vc_dimension_bounds, HalfspaceIntersections(3, 2).vc_dimension_bounds
        ((9, 9), (6, 22))
        """
        d, k = self.dimension, self.k
        least = k * d + 1 if d % 2 == 0 else k * (d - 1) + 2
        if d == 2:
            return least, 2 * k + 1
        return least, largest_size(lambda m: self._subsets(m) >= 2**m, least)

    @property
    def dual_vc_dimension_bounds(self) -> tuple[int, int]:
        """Least and greatest value that the dual VC dimension may have.

        Least: d halfspaces or, for k >= 2, 2 d slabs, two that overlap in each coordinate.  Greatest: the last n with
        2^n <= sum_{i <= d} C(k n, i), the cells of k n hyperplanes (k <= 2 on the line): closed halfspaces, moved
        outward a little, treat finitely many points as before; then no point is on a hyperplane.

        >>> HalfspaceIntersections(1, 3).dual_vc_dimension_bounds, HalfspaceIntersections(2, 2).dual_vc_dimension_bounds
        ((2, 2), (4, 6))
        """
        d = self.dimension
        least = d if self.k == 1 else 2 * d
        return least, next(n for n in itertools.count(least) if sauer(self._rows * (n + 1), d) < 2 ** (n + 1))

    @property
    def _rows(self) -> int:
        """Halfspaces that make a difference: on the line no more than two rays."""
        return min(self.k, 2) if self.dimension == 1 else self.k

    def _subsets(self, m: int) -> int:
        """Count the sets of 1 to k dichotomies of m points by halfspaces: at least as many as intersections."""
        most, sets, of_size = self._halfspaces.growth(m), 0, 1
        for j in range(1, self._rows + 1):
            of_size = of_size * (most - j + 1) // j
            sets += of_size
        return sets

    @property
    def vc_dimension(self) -> int:
        """d + 1 for k = 1, 2 on the line, 2 k + 1 in the plane; otherwise a ValueError that names bounds."""
        if self.dimension == 1:
            return 2
        return self.dimension + 1 if self.k == 1 else self._known("VC dimension", self.vc_dimension_bounds)

    @property
    def dual_vc_dimension(self) -> int:
        """d for k = 1, 2 on the line for k >= 2; otherwise a ValueError that names bounds."""
        return self._known("dual VC dimension", self.dual_vc_dimension_bounds)

    def _known(self, what: str, bounds: tuple[int, int]) -> int:
        least, greatest = bounds
        if least < greatest:
            raise ValueError(
                f"{what} of intersections of {self.k} halfspaces in dimension {self.dimension}: "
                f"not known, from {least} to {greatest}"
            )
        return least

    littlestone_dimension = math.inf
    """Infinite: thresholds embed."""

    def growth(self, m: int) -> int:
        """Return that of halfspaces for k = 1, m (m + 1) / 2 + 1 on the line for k >= 2, else an upper bound.

        The bound is the smaller one of Sauer's, with the greatest VC dimension, and the number of sets of 1 to k
        dichotomies by halfspaces; it is attained for m up to the least VC dimension, where it is 2^m.
        """
        if self.k == 1:
            return self._halfspaces.growth(m)
        if self.dimension == 1:
            return m * (m + 1) // 2 + 1
        least, greatest = self.vc_dimension_bounds
        return 2**m if m <= least else min(sauer(m, greatest), self._subsets(m))

    # ------------------------------------------------------------------ hypotheses
    def _rows_of(self, parameters: ArrayLike) -> Floats:
        return np.asarray(parameters, np.float64).reshape(-1, self.k, self.dimension + 1)

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (r, k (d + 1)), (n, d) -> (r, n) bool."""
        rows = self._rows_of(parameters)
        x = self.validated(points)
        inside = self._halfspaces.predict(rows[:, 0], x)
        for i in range(1, self.k):
            inside &= self._halfspaces.predict(rows[:, i], x)
        return inside

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count the mistakes of each hypothesis, ones outside and zeros inside: (r,) int64.

        Halfspaces that hypotheses share are predicted once; their intersections are taken by words of 64 examples.
        """
        rows = self._rows_of(parameters)
        place, first = ranks(rows.reshape(-1, self.dimension + 1))
        halfspaces, members = rows.reshape(-1, self.dimension + 1)[first], place.reshape(-1, self.k)
        total = np.full(len(rows), np.count_nonzero(labels == 1))
        for label, sign in ((1, -1), (0, 1)):
            of_label = points[labels == label]
            for start in range(0, len(of_label), _CHUNK):
                words = packed(self._halfspaces.predict(halfspaces, of_label[start : start + _CHUNK]))
                block = max(1, _BLOCK // words.shape[1])
                for at in range(0, len(rows), block):
                    inside = np.bitwise_and.reduce(words[members[at : at + block]], axis=1)
                    total[at : at + block] += sign * np.bitwise_count(inside).sum(axis=1, dtype=np.int64)
        return total

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what it takes to label examples by halfspaces, about 5 k^(1 / self.k), and to intersect labels."""
        halfspaces = 5 * k ** (1 / self.k)
        return estimates.predicted(halfspaces, n, self.dimension) + estimates.words_counted(k * (1 + n / 64))

    # ------------------------------------------------------------------ covers
    def _representatives(self, points: Points, representative: str) -> Parameters:
        """Return the halfspaces, then the intersections that take two of them, ..."""
        single = self._halfspaces.cover(points, representative).listed()
        _, members = self._intersections(packed(self._dichotomies(single)), self._rows)
        halfspaces = np.concatenate([single.parameters, self._everything])
        return halfspaces[members].reshape(len(members), self.width)

    def _dichotomies(self, single: ListedCover) -> Bools:
        """Return the labels of the points by each halfspace, if memory may hold them."""
        number, m = len(single), len(single.points)
        check_listing(number, -(-m // 8), _FEWER, f"labels of {m:,} points by {{}} halfspaces")
        return single.dichotomies()

    @property
    def _everything(self) -> Parameters:
        """R^d as a halfspace, (1, d + 1)."""
        return np.eye(self.dimension + 1)[-1:]

    def _intersections(self, single: Words, k: int) -> tuple[Words, Indices]:
        """Return the distinct intersections (r, w) of at most k dichotomies single (K, w), and of which (r, self.k).

        Indices are padded with -1.  Each intersection of j is one of j - 1 cut by another; those already found with
        fewer halfspaces lead to nothing new.  Raises ValueError where there are too many to list.
        """
        inside, members, fresh = single, np.full((len(single), self.k), -1), 0
        members[:, 0] = np.arange(len(single))
        for j in range(1, k):
            base, of_base = inside[fresh:], members[fresh:]
            fresh = len(inside)
            pairs = len(base) * len(single)
            what = "intersections of {} pairs of halfspaces"
            check_listing(pairs, 0, _FEWER, what, estimates.intersections_listed(pairs, single.shape[1]))
            for place, last in _pairs(base, single):
                words = np.concatenate([inside, base[place] & single[last]])
                kept = first_of_each(words)
                new = kept[len(inside) :] - len(inside)
                of_new = of_base[place[new]]
                of_new[:, j] = last[new]
                inside, members = words[kept], np.concatenate([members, of_new])
                check_listing(len(inside), self.width, _FEWER)
        return inside, members

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Minimise over intersections of at most k - 1 and one more halfspace by matrix products, without listing them.

        Exact up to the rounding of sums of weights; of several minimisers any may be returned.  The value is the
        weighted number of mistakes of what is returned.
        """
        place, first = ranks(points)
        cost = np.bincount(place, np.where(labels == 1, -weights, weights), len(first))
        single = self._halfspaces.cover(points[first]).listed()
        self._check_tried(len(single), len(first))
        halfspaces, dichotomies = np.concatenate([single.parameters, self._everything]), self._dichotomies(single)
        words, members = self._intersections(packed(dichotomies), max(1, self._rows - 1))
        factor = dichotomies.T.astype(np.float64) if self.k > 1 else np.ones((len(first), 1))
        rows, best, chosen = max(1, _BLOCK // (len(factor) + factor.shape[1])), math.inf, members[0]
        for start in range(0, len(words), rows):
            inside = np.unpackbits(words[start : start + rows].view(np.uint8), axis=1, count=len(first))
            values = (inside * cost) @ factor
            at, last = divmod(int(np.argmin(values)), values.shape[1])
            if values[at, last] < best:
                best, chosen = values[at, last], members[start + at].copy()
                if self.k > 1:
                    chosen[-1] = last
        parameters = halfspaces[chosen].ravel()
        wrong = self.predict(parameters[None], points)[0] != (labels == 1)
        return Minimum(parameters, math.fsum(weights[wrong]))

    def check_minimise(self, n: int) -> None:
        """Check that a best intersection for n distinct examples is found within the limits.

        Args:
            n: number of examples.

        Raises:
            WorkError: if it is not.
        """
        self._check_tried(self._halfspaces.growth(n), n)

    def _check_tried(self, halfspaces: int, n: int) -> None:
        most = halfspaces * math.comb(halfspaces, self._rows - 1)
        what = f"intersections of halfspaces, up to {count(most)}, to try on {n:,} examples"
        check_work(what, estimates.intersections_tried(most, halfspaces, n), "take fewer rows or fewer halfspaces")

    # ------------------------------------------------------------------ dual class
    def representative_domain(self, parameters: Parameters) -> Points:
        """Return, of the points that tell all halfspaces apart, the first of each label vector of the intersections.

        As exact as ``Halfspaces.representative_domain``, which gives these points.
        """
        rows = self._rows_of(parameters).reshape(-1, self.dimension + 1)
        points = self._halfspaces.representative_domain(rows[ranks(rows)[1]])
        return points[first_of_each(packed(self.predict(parameters, points).T))]

    @property
    def free_ends(self) -> bool:
        """As of the only halfspace of the line."""
        return self.k == 1 and self.dimension == 1

    def ones(self, parameters: Parameters) -> Rays | None:
        """Return the rays of the only halfspace of the line; None for k >= 2."""
        return self._halfspaces.ones(parameters) if self.k == 1 else None


def _pairs(base: Words, single: Words) -> Iterator[tuple[Indices, Indices]]:
    """Yield pairs of rows of base and single in lexicographic order, without most pairs of equal intersections.

    In parts of growing size: as each is sorted together with what was found before, that takes O(log) sorts of it all.
    """
    rows, size = max(1, _BLOCK // single.size), _BLOCK
    waiting: list[Indices] = []
    for start in range(0, len(base), rows):
        both = base[start : start + rows, None] & single
        waiting.append(start * len(single) + first_of_each(both.reshape(-1, single.shape[1])))
        if sum(map(len, waiting)) > size or start + rows >= len(base):
            yield np.divmod(np.concatenate(waiting), len(single))
            waiting, size = [], 2 * size
