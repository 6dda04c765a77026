"""Halfspaces of any dimension."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes._halfplane_cover import HalfplaneCover
from semipriv.classes._halfspace_domain import batches, both_ways, first_points, neighbourhoods, one_way
from semipriv.classes._halfspace_frame import Frame, independent, span_at_least
from semipriv.classes.base import DOMAIN, Cover, HypothesisClass, Minimum, Predictions, Shift, check_listing
from semipriv.core import estimates, fields
from semipriv.core.functions import Parameters
from semipriv.core.rows import distinct_rows
from semipriv.core.samples import Labels, Points, as_points, distinct
from semipriv.core.types import Bools, Floats, Indices, Integers, Words
from semipriv.core.work import Cost, check_work
from semipriv.geometry import sweep, turning, wedges
from semipriv.geometry.arrangements import (
    cell_points,
    complete,
    number_of_cells,
    primitive,
    sign_vectors,
)
from semipriv.geometry.bits import packed
from semipriv.geometry.counting import weighted_counts
from semipriv.geometry.faces import face_points, on_faces
from semipriv.geometry.gaps import Pencils
from semipriv.geometry.halfplanes import most_facets, separators, sides
from semipriv.geometry.labels import halfspace_labels
from semipriv.geometry.pieces import cell_representative
from semipriv.geometry.predicates import affine_values, integers
from semipriv.geometry.separation import widest
from semipriv.geometry.shapes import Outline, Rays

__all__ = ["Halfspaces"]

_MOST_LISTED = 1_000
"""Most points of the plane whose cover is a list."""
_MANY = 10**6
"""Halfspaces from which on a list that cannot be is refused before the span of all points is found, exactly."""
_FEWER = "take fewer public points or fewer features"
_BLOCK, _SEARCHED = 300_000, 20_000_000
"""Lines times points that are compared at once; and up to which doubles are looked for that part points of one line, up
to rounding, as exact numbers do.
"""
_SCALES = (1.0, 0.75)
_STEPS = (1, -1)
"""Scales of a direction, and units in the last place by which a coordinate of it is moved, before a dichotomy is left
out.
"""
_MOST_FACETS = 200
"""Most points of the plane whose cells are listed to count their facets."""


@fields.value
class Halfspaces(HypothesisClass):
    """h(x) = 1[w_1 x_1 + ... + w_d x_d + b >= 0] in dimension d; parameters (w_1, ..., w_d, b).

    All-zero w with b >= 0 is everywhere 1, with b < 0 everywhere 0.  VC dimension d + 1, dual VC dimension d, infinite
    Littlestone dimension, growth 2 sum_{i <= d} C(m - 1, i).

    Parameters are double-precision numbers and predictions their floating-point evaluation.  Which dichotomies occur is
    decided exactly.  One is left out if no row of doubles is found that predicts it: of points on one hyperplane up to
    rounding, or that differ by a few units in the last place.  There may be such a row all the same.

    Covers have k = 2 sum_{i <= d} C(m - 1, i) hypotheses in general position.  In the plane they are listed in
    O(m^2 log m) time, and in O(k m) above, where points in degenerate position take O(C(m, d) (m + 2^d)) with exact
    predicates.  Of many points of the plane that are on one line up to rounding, as decimals are, only the dichotomies
    are listed that part them in their order.  For d >= 2 the three words for representatives give the same one.  In the
    plane it is a mean of three lines: twice the one through two neighbours, and those to the next point about either of
    them.  Above it is half-way between the nearest points of both sides.

    Of more than 1,000 points of the plane nothing is listed: mistakes are counted one public point after the other
    (``HalfplaneCover``), and draws are exact all the same.  A representative is then a line through a public point, in
    the midst of the gap between two others in direction.

    Args:
        dimension: d, number of features.
    """

    dimension: int = fields.size(default=2)

    @classmethod
    def examples(cls) -> "Sequence[Halfspaces]":
        """Return those of up to three features."""
        return [Halfspaces(1), Halfspaces(2), Halfspaces(3)]

    @property
    def width(self) -> int:
        """d + 1: the weights, then b."""
        return self.dimension + 1

    @property
    def vc_dimension(self) -> int:
        """d + 1."""
        return self.dimension + 1

    @property
    def dual_vc_dimension(self) -> int:
        """d: k hyperplanes cut R^d into all 2^k sign patterns iff k <= d (they make at most sum_{i <= d} C(k, i))."""
        return self.dimension

    littlestone_dimension = math.inf
    """Infinite: thresholds embed."""

    @property
    def left_out(self) -> str:
        """What a cover may lack; on the line nothing."""
        if self.dimension == 1:
            return ""
        return "covers lack dichotomies for which no row of doubles is found: of points on a hyperplane up to rounding"

    def growth(self, m: int) -> int:
        """Return 2 sum_{i <= d} C(m - 1, i) (Cover 1965); 1 for no point."""
        return 2 * sum(math.comb(m - 1, i) for i in range(self.dimension + 1)) if m else 1

    def predict(self, parameters: ArrayLike, points: ArrayLike) -> Predictions:
        """Return the predictions: (k, d + 1), (n, d) -> (k, n) bool.

        Values are those of ``affine_values``, so that a prediction depends on its own example alone.
        """
        return np.asarray(self.scores(parameters, points) >= 0)

    def scores(self, parameters: ArrayLike, points: ArrayLike) -> Floats:
        """Return w_1 x_1 + ... + w_d x_d + b.

        Args:
            parameters: (k, d + 1), rows (w_1, ..., w_d, b).
            points: (n, d).

        Returns:
            The scores (k, n).
        """
        theta = np.asarray(parameters, np.float64).reshape(-1, self.dimension + 1)
        columns = np.ascontiguousarray(as_points(points, self.dimension).T)
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite sum has the right sign; a warning would tell
            return np.asarray(affine_values(theta, columns))

    def mistakes(self, parameters: Parameters, points: Points, labels: Labels) -> Integers:
        """Count mistakes as #{y_i = 1} + sum_i (1 - 2 y_i) 1[h(x_i) = 1], by range counting: (k,) int64."""
        signs = 1 - 2 * labels.astype(np.int64)
        return np.count_nonzero(labels == 1) + weighted_counts(parameters, points, signs)

    def mistakes_cost(self, k: int, n: int) -> Cost:
        """Return what range counting takes."""
        return estimates.range_counted(k, n, self.dimension)

    def outline(self, parameters: Floats) -> Outline:
        """Return the halfspace itself, labelled 1."""
        return Outline(parameters[None], 1)

    # ------------------------------------------------------------------ covers
    def _cover(self, points: Points, representative: str) -> Cover:
        if self.dimension == 2 and len(points) > _MOST_LISTED and Pencils.fits(points):
            what = f"the cover has up to {self.growth(len(points)):,} hypotheses to count"
            check_work(what, estimates.halfplanes_counted(len(points), 0), "take fewer public points", begins=False)
            return HalfplaneCover(self, points, representative)
        return super()._cover(points, representative)

    def _representatives(self, points: Points, representative: str) -> Parameters:
        trivial = np.zeros((2, self.dimension + 1))
        trivial[:, -1] = 1.0, -1.0
        if len(points) < 2:
            return trivial[: len(points) + 1]
        if self.dimension > 2 and self.growth(len(points)) > _MANY:
            least = Halfspaces(max(1, span_at_least(points)))
            check_listing(least.growth(len(points)), self.dimension + 1, _FEWER, begins=False)
        columns = independent(points) if self.dimension > 2 else list(range(self.dimension))
        rows = Halfspaces(len(columns)).growth(len(points))
        unsettled = wedges.unsettled(distinct(points[:, columns])) if len(columns) == 2 else 0
        cost = estimates.halfspaces_listed(rows, len(points), len(columns), unsettled)
        check_listing(rows, self.dimension + 1, _FEWER, cost=cost)
        if len(columns) < self.dimension:
            return self._of_projection(points, columns)
        if self.dimension == 1:
            return np.concatenate([trivial, _of_line(points[:, 0], representative)])
        if self.dimension == 2:
            return np.concatenate([trivial, self._of_plane(points)])
        return np.concatenate([trivial, self._of_space(points)])

    def _of_projection(self, points: Points, columns: list[int]) -> Parameters:
        """Return halfspaces that look at some columns only: those of the cover of the points there."""
        theta = Halfspaces(len(columns))._representatives(distinct(points[:, columns]), "midpoint")
        lifted = np.zeros((len(theta), self.dimension + 1))
        lifted[:, [*columns, self.dimension]] = theta
        return lifted

    def _of_plane(self, points: Points) -> Parameters:
        """Return the dichotomies of distinct, sorted points except the trivial ones, by the lines through neighbours.

        Only where a line in the midst of a cell may not have its dichotomy in floating point is it held against all
        points.  If these are too many, points that rounding alone parts from a line count as on it.
        """
        for merge in (False, True):
            after, beside = wedges.turned(points, np.arange(len(points)), merge)
            a, b = np.nonzero((beside > 0) & (beside.T < 0))
            theta, certain = wedges.lines(points, a, b, after[a, b], after[b, a])
            if np.count_nonzero(~certain) * len(points) <= _SEARCHED or not wedges.mergeable(points):
                break
        opposite = -theta
        kept = np.ones((2, len(a)), bool)
        for rows in np.array_split(np.flatnonzero(~certain), 1 + np.count_nonzero(~certain) * len(points) // _BLOCK):
            inside, normals = sides(points, a[rows], b[rows]), _normals(points, a[rows], b[rows])
            lines = self._lines(points, a[rows], b[rows], inside)
            theta[rows], kept[0, rows] = self._finer(points, lines, inside, normals)
            opposite[rows], kept[1, rows] = self._finer(points, -lines, ~inside, -normals)
        order = np.argsort(np.concatenate([a[kept[0]], a[kept[1]]]), kind="stable")  # both directions of each a
        return np.concatenate([theta[kept[0]], opposite[kept[1]]])[order]

    def _lines(self, points: Points, a: Indices, b: Indices, inside: Predictions) -> Parameters:
        """Return ``separators``; if rounding defeats one, the same line at a scale that suits both coordinates."""
        theta = separators(points, a, b, inside)
        missed = ~self._attained(points, theta, inside)
        if missed.any():
            frame = Frame(points)
            even = separators(frame.relative, a[missed], b[missed], inside[missed])
            theta[missed], _ = frame.separators(even[:, :2], inside[missed])
        return theta

    def _of_space(self, points: Points) -> Parameters:
        """Return the dichotomies of points that span R^d, except the trivial ones.

        First as the cells of a simple arrangement: if as many dichotomies are realised, with certain signs, as m points
        can have at all (Cover 1965), they are all.  Else by exact predicates.
        """
        frame = Frame(points)
        theta = complete(frame.duals, self.growth(len(points)) // 2 - 1, frame.certain_separators)
        return self._of_any_position(frame) if theta is None else np.concatenate([theta, -theta])

    def _of_any_position(self, frame: Frame) -> Parameters:
        """Do as ``_of_space`` by exact predicates; leave out what floating-point evaluation does not attain."""
        points = frame.points
        every, rays = sign_vectors(frame.vectors)
        trivial = every.all(axis=1)
        every, rays = every[~trivial], rays[~trivial]
        theta = np.concatenate(
            [
                frame.separators(r[:, :-1], inside)[0]
                for r, inside in zip(frame.blocks(rays), frame.blocks(every), strict=True)
            ]
        )
        realised = self._attained(points, theta, every)
        if not realised.all():  # points on one hyperplane up to rounding are separated best inside it
            flat = self._of_projection(points, frame.flattest())
            place = {word.tobytes(): i for i, word in enumerate(packed(every))}
            rows = np.array([place.get(word.tobytes(), -1) for word in packed(self.predict(flat, points))])
            flat, rows = flat[rows >= 0], rows[rows >= 0]
            better = ~realised[rows] & self._attained(points, flat, every[rows])
            theta[rows[better]] = flat[better]
            realised[rows[better]] = True
        known, missing = theta[realised], every[~realised]
        left = theta[~realised]
        sides = [self._finer(points, s * left, missing ^ (s < 0), s * left[:, :-1]) for s in (1.0, -1.0)]
        return np.concatenate([known, -known, *(parameters[attained] for parameters, attained in sides)])

    def _finer(
        self, points: Points, theta: Parameters, inside: Predictions, normals: Floats
    ) -> tuple[Parameters, Bools]:
        """Return the rows, with others where they do not predict their dichotomy, and whether they predict it now.

        A direction attains, in floating point, the dichotomies whose least value inside exceeds the greatest outside;
        the offset is then minus the former.  Tried are the row's own direction, the axes, and neighbours of the normal
        (k, d) by some units in the last place, at some scales: which of them rounding leaves apart differs.
        """
        realised = self._realised(points, theta, inside)
        if realised.all():
            return theta, realised
        theta, columns = theta.copy(), np.ascontiguousarray(points.T)
        rows = np.flatnonzero(~realised)
        for direction in _directions(theta[rows, :-1], normals[rows]):
            left = ~realised[rows]
            if not left.any():
                break
            at = rows[left]
            tried = np.column_stack([np.broadcast_to(direction, (len(rows), self.dimension))[left], np.zeros(len(at))])
            with np.errstate(over="ignore", invalid="ignore"):
                value = affine_values(tried, columns)
            nearest = np.min(value, axis=1, where=inside[at], initial=np.inf)
            apart = np.isfinite(nearest) & (nearest > np.max(value, axis=1, where=~inside[at], initial=-np.inf))
            tried[:, -1] = -nearest
            theta[at[apart]] = tried[apart]
            realised[at[apart]] = self._realised(points, tried[apart], inside[at[apart]])
        return theta, realised

    def _attained(self, points: Points, theta: Parameters, inside: Predictions) -> Bools:
        """Tell whether each row has its dichotomy, and its negative the complement."""
        return self._realised(points, theta, inside) & self._realised(points, -theta, ~inside)

    def _realised(self, points: Points, theta: Parameters, inside: Predictions) -> Bools:
        """Tell whether each row predicts its dichotomy in floating point, as whoever evaluates it will do."""
        return np.asarray(np.all(self.predict(theta, points) == inside, axis=1))

    # ------------------------------------------------------------------ minima
    @property
    def minimise_size(self) -> int:
        """In the plane those of O(N^2 log N)."""
        return 2_000 if self.dimension == 2 else super().minimise_size

    def _minimise(self, points: Points, labels: Labels, weights: Floats) -> Minimum:
        """Minimise exactly over all dichotomies of the examples; only the best one is given a representative.

        In the plane O(N^2 log N) by a sweep; above, for points in general position, O(N^d log N) by turning
        hyperplanes, else over the cover of the distinct points.  Of several minimisers any may be returned.  The value
        is the weighted number of mistakes of what is returned.
        """
        x, place, _ = distinct_rows(points)
        if self.dimension == 1 or len(x) < 2:
            return super()._minimise(points, labels, weights)
        cost = _costs(place, labels, weights)
        parameters = self._best_of_plane(x, cost)[1] if self.dimension == 2 else self._best_of_space(x, cost)
        if parameters is None:
            parameters = super()._minimise(points, labels, weights).parameters
        wrong = self.predict(parameters[None], points)[0] != (labels == 1)
        return Minimum(parameters, math.fsum(weights[wrong]))

    def _minimal_labels(self, points: Points, labels: Labels, weights: Floats) -> Predictions:
        """Return the least dichotomy, decided exactly: it may be one that floating-point parameters do not attain."""
        x, place, _ = distinct_rows(points)
        if self.dimension == 1 or len(x) < 2:
            return super()._minimal_labels(points, labels, weights)
        cost = _costs(place, labels, weights)
        if self.dimension == 2:
            return self._best_of_plane(x, cost, attained=False)[0][place]
        try:
            return turning.best_halfspace(x, cost).inside[place]
        except ValueError:  # not in general position
            every = _every_dichotomy(x)
            return np.asarray(every[int(np.argmin(every @ cost))][place])

    def _representative(self, points: Points, pattern: Labels) -> Floats:
        """Return, in the plane, the member of the cover; above, a hyperplane half-way between both sides.

        Above it has the direction in [-1, 1]^d, at a scale where the points fill the unit cube, that separates the
        farthest: a linear program with fixed settings.
        """
        inside = pattern == 1
        both = inside.any() and not inside.all()
        if self.dimension > 2 and both and len(independent(points)) == self.dimension:
            frame = Frame(points)
            theta, _ = frame.separators(widest(frame.relative, inside)[None], inside[None])
            if self._realised(points, theta, inside[None])[0]:
                return theta[0]
        return super()._representative(points, pattern)

    def teaching_shift(self, points: ArrayLike) -> Shift:
        """Return, in the plane, that of as many points as the facets of a cell of the dual plane.

        A cell is told from the others by the lines along its facets: the points whose label alone may change.  For more
        than 200 points it is that of all of them.
        """
        x = distinct(self.validated(points, "public points"))
        if self.dimension == 2 and 3 < len(x) <= _MOST_FACETS:
            return Shift.of_teaching(most_facets(x))
        return self.largest_teaching_shift(len(x))

    def largest_teaching_shift(self, m: int) -> Shift:
        """Return that of teaching sets: 2 points on the line; above, all."""
        return Shift.of_teaching(min(m, 2) if self.dimension == 1 else m)

    def _best_of_plane(self, x: Points, cost: Floats, *, attained: bool = True) -> tuple[Predictions, Floats]:
        """Return the first dichotomy by cost (n,), and its parameters; if rounding leaves several, the least one.

        attained: whether to pass over dichotomies that floating-point parameters do not attain; else there are no
        parameters.
        """
        best, limit, parameters, labels = math.inf, math.inf, np.zeros(3), np.ones(len(x), bool)
        whole = bool(np.all(cost == np.rint(cost))) and float(np.abs(cost).sum()) < 2.0**53
        for candidate in sweep.candidates(x, cost):
            if candidate.value > limit:
                break
            inside = sweep.dichotomy(x, candidate.a, candidate.b)
            value = math.fsum(cost[inside])
            if value >= best:
                continue
            theta = self._line(x, candidate, inside) if attained else parameters
            if not attained or self._realised(x, theta[None], inside[None])[0]:
                best, parameters, labels = value, theta, inside
                limit = candidate.value if whole else candidate.value + 2 * sweep.rounding_error(cost)
                if whole:
                    break
        return labels, parameters

    def _line(self, x: Points, candidate: sweep.Candidate, inside: Bools) -> Floats:
        """Return the representative of a dichotomy of the plane, as in the cover."""
        a, b = candidate.a, candidate.b
        if min(a, b) < 0:
            return np.array([0.0, 0.0, 1.0 if a >= 0 else -1.0])
        first, last, sign = (a, b, 1.0) if a < b else (b, a, -1.0)
        left = inside[None] if sign > 0 else ~inside[None]
        pair = np.array([first]), np.array([last])
        after, _ = wedges.turned(x, np.array([first, last]))
        theta, certain = wedges.lines(x, *pair, after[0, pair[1]], after[1, pair[0]])
        if certain[0]:
            return np.asarray(sign * theta[0])
        theta = sign * self._lines(x, *pair, left)
        return np.asarray(self._finer(x, theta, inside[None], sign * _normals(x, *pair))[0][0])

    def _best_of_space(self, x: Points, cost: Floats) -> Floats | None:
        """Return the best dichotomy of points in general position; None if they are not, or if it is not realised."""
        try:
            inside = turning.best_halfspace(x, cost).inside
        except ValueError:  # not in general position
            return None
        if inside.all() or not inside.any():
            return np.append(np.zeros(self.dimension), 1.0 if inside.all() else -1.0)
        frame = Frame(x)
        theta, _ = frame.separators(widest(frame.relative, inside)[None], inside[None])
        return theta[0] if self._realised(x, theta, inside[None])[0] else None

    # ------------------------------------------------------------------ dual class
    def representative_domain(self, parameters: Parameters) -> Points:
        """Return one point for each label vector of the hypotheses (k, d + 1): (r, d), cells first, in a fixed order.

        The hyperplanes cut R^d into cells, open faces of dimension d; a point on a hyperplane has label 1 there, so
        that lower-dimensional faces may have label vectors of their own: with (w, b) and (-w, -b) both among the
        hypotheses all of their hyperplane has.  Label vectors are those of ``predict``, in floating point.  All cells
        have a point, except those narrower than rounding; so have the faces on which ``on_faces`` finds a double that
        evaluates to 0: those of hyperplanes whose coefficients have few digits, not all others.  Of a simple
        arrangement of K hyperplanes, sum_{i <= d} C(K, i) cells, faces are looked for only on the hyperplanes that
        occur in both directions, as others have no new label vectors.  The cost is that of evaluating every hypothesis
        at every point, and for degenerate arrangements O(C(K, d) (K + 2^d)) with exact predicates.

        Raises:
            ValueError: for parameters that are not finite.

        Source:
            BCM20 definition 2.
        """
        theta = np.asarray(parameters, np.float64).reshape(-1, self.dimension + 1)
        if not np.all(np.isfinite(theta)):
            raise ValueError("parameters: must be finite")
        whole, exponents = integers(theta)
        planes, place = primitive(whole)
        k, d = len(planes), self.dimension
        most = sum(math.comb(k, j) * number_of_cells(k - j, d - j) for j in range(min(d, k) + 1))
        check_listing(most, d, "take fewer hypotheses or features", DOMAIN)
        if d == 1:
            parts: Iterable[Points] = [neighbourhoods(theta)]
        else:
            cells, simple = cell_points(planes)
            generators = both_ways(theta, place, k) if simple else np.ones(k, bool)
            stretch = exponents[-1] - exponents[:-1]
            half = one_way(theta)
            faces = (on_faces(half, np.ldexp(x, stretch)) for x in batches(face_points(planes, generators), half))
            parts = itertools.chain([np.ldexp(cells, stretch)], faces)
        return self._one_of_each(theta, (points[np.all(np.isfinite(points), axis=1)] + 0.0 for points in parts))

    def _one_of_each(self, theta: Parameters, parts: Iterable[Points]) -> Points:
        """Return the first point of each label vector; parts are merged once they are as many as what is known."""
        known = np.zeros((0, self.dimension)), packed(np.zeros((0, len(theta)), bool))
        waiting: list[tuple[Points, Words]] = []
        for points in parts:
            waiting.append((points, self.label_vectors(theta, points)))
            if sum(len(x) for x, _ in waiting) > len(known[0]):
                known, waiting = first_points([known, *waiting]), []
        return first_points([known, *waiting])[0]

    def label_vectors(self, parameters: Parameters, points: Points) -> Words:
        """Return the labels of ``predict``, packed: (k, d + 1), (n, d) -> (n, ceil(k / 64))."""
        return halfspace_labels(parameters, points)

    @property
    def free_ends(self) -> bool:
        """Yes, on the line."""
        return self.dimension == 1

    def ones(self, parameters: Parameters) -> Rays | None:
        """Return, on the line, {x >= -b / w} or {x <= -b / w}; all and nothing are rays from -infinity; else None."""
        if self.dimension != 1:
            return None
        w, b = parameters[:, 0], parameters[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(w == 0, np.where(b >= 0, -np.inf, np.inf), -b / w)
        return Rays(np.zeros(len(w), np.intp), ends, w >= 0, np.ones(len(w), bool))


# ---------------------------------------------------------------------------------------------------- minima
def _costs(place: Indices, labels: Labels, weights: Floats) -> Floats:
    """Return for each distinct point what predicting 1 there costs more than predicting 0."""
    cost = np.zeros(int(place.max()) + 1)
    np.add.at(cost, place, np.where(labels == 1, -weights, weights))
    return cost


def _normals(points: Points, a: Indices, b: Indices) -> Floats:
    """Return the normals (k, 2) of the lines a -> b, to their left."""
    with np.errstate(over="ignore", invalid="ignore"):
        along = points[b] / 2 - points[a] / 2
    return np.column_stack([-along[:, 1], along[:, 0]])


def _directions(own: Floats, normals: Floats) -> Iterator[Floats]:
    """Yield directions to try for rows of which each has its own direction and a normal, (k, d): (k, d) or (d,)."""
    yield own
    d = own.shape[1]
    yield from np.concatenate([np.eye(d), -np.eye(d)])
    largest = np.max(np.abs(normals), axis=1, keepdims=True)
    unit = normals / np.where(largest > 0, largest, 1.0)
    for scale in _SCALES:
        scaled = scale * unit
        yield scaled
        for steps, j in itertools.product(_STEPS, range(d)):
            moved = scaled.copy()
            moved[:, j] += steps * np.spacing(moved[:, j])
            yield moved


def _every_dichotomy(points: Points) -> Bools:
    """Return all dichotomies of distinct points (m, d) by halfspaces, decided exactly: (k, m) bool."""
    columns = independent(points)
    if not columns:
        return np.array([[True], [False]])
    half, _ = sign_vectors(Frame(points[:, columns]).vectors)
    return np.concatenate([half, ~half])


# ---------------------------------------------------------------------------------------------------- covers
def _of_line(x: Floats, representative: str) -> Parameters:
    """Return the dichotomies of distinct, sorted numbers except the trivial ones: {x >= t}, then {x <= t}."""
    cut = cell_representative(x[:-1], x[1:], representative, open_low=True)
    below = cell_representative(x[:-1], x[1:], representative, open_low=False)
    ones = np.ones_like(cut)
    return np.concatenate([np.column_stack([ones, -cut]), np.column_stack([-ones, below])])
