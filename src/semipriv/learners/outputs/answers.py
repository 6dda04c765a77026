"""Answers to all queries of a class, by their labels on public points (BCM20 algorithm 3)."""

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy

from semipriv.classes.base import HypothesisClass, ListedCover
from semipriv.core import checks, estimates, registry
from semipriv.core.arrays import Arrays
from semipriv.core.fields import checked, one_of, value
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Randomness
from semipriv.core.registry import check_name
from semipriv.core.samples import Points
from semipriv.core.types import Floats, Indices, Integers, Words
from semipriv.core.work import Cost
from semipriv.geometry.bits import places
from semipriv.learners.outputs._drawing import as_weights, drawn, systematic
from semipriv.learners.outputs._queries import SCALES, QueryOutput
from semipriv.learners.outputs._rows import check_rows
from semipriv.learners.outputs.synthetic_data import SyntheticData
from semipriv.queries.base import Workload
from semipriv.queries.cells import dichotomies, workload_of
from semipriv.queries.workloads import Runs

__all__ = ["restore"]

HOW = ("quantiles", "stratified", "sampled", "lp")
_LARGEST_PROGRAM = 4_000_000
"""Coefficients of the linear program that is still solved."""


def _shares(name: str, given: Any) -> Floats:
    shares = np.asarray(given, np.float64)
    if shares.ndim != 1 or not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError(f"{name}: must be numbers in [0, 1]")
    return shares


def _weights(name: str, given: Any) -> Floats | None:
    return None if given is None else as_weights(name, given)


def _deviations(name: str, given: Any) -> Floats | None:
    if given is None:
        return None
    deviations = np.asarray(given, np.float64)
    if deviations.ndim != 1 or not np.all((deviations >= 0) & np.isfinite(deviations)):
        raise ValueError(f"{name}: must be finite numbers >= 0")
    return deviations


@value(eq=False)
class Answers(QueryOutput):
    """Answers to the hypotheses of a cover of public points; every other query has that of the one that agrees there.

    shares: (M,) in [0, 1], the answers in the scale 01, whatever the scale in which they are shown.  representatives:
    (K, d), a point of each cell.  weights: (K,) of the cells, if the method fitted them, else None.  deviations: (M,),
    a standard deviation of each answer as a share, if the method knows one; its docstring says under which
    distribution.

    The error over the class exceeds that over the cover by what the cover costs: G(h) is the answer to another
    hypothesis, which differs from h between public points.
    """

    kind: ClassVar[str] = "answers"

    cover: ListedCover
    representatives: Points
    shares: Floats = checked(_shares)
    weights: Floats | None = checked(_weights, default=None)
    scale: str = one_of(SCALES, "answers", default="pm1")
    deviations: Floats | None = checked(_deviations, default=None)

    def __attrs_post_init__(self) -> None:
        for name, length, needed in (
            ("shares", len(self.shares), len(self.cover)),
            ("weights", len(self.representatives if self.weights is None else self.weights), len(self.representatives)),
            ("deviations", len(self.shares if self.deviations is None else self.deviations), len(self.cover)),
        ):
            if length != needed:
                raise ValueError(f"{name}: must be {needed} numbers, got {length}")

    @property
    def functions(self) -> HypothesisClass:
        """The class."""
        assert isinstance(self.cover.functions, HypothesisClass), "a cover of public points belongs to its class"
        return self.cover.functions

    @property
    def anchors(self) -> Points:
        """The distinct public points."""
        return self.cover.points

    def cover_shares(self) -> tuple[Parameters, Floats]:
        """Return the hypotheses of the cover with their answers."""
        return self.cover.parameters, self.shares

    @cached_property
    def _known(self) -> Words:
        return dichotomies(self.functions, self.cover.parameters, self.anchors)

    def project(self, parameters: Parameters) -> Indices:
        """Return the number of the hypothesis of the cover that labels the public points alike: (q, p) -> (q,).

        Raise ValueError for one that labels them as no hypothesis of the class does.
        """
        place = places(dichotomies(self.functions, parameters, self.anchors), self._known)
        if np.any(place < 0):
            row = int(np.argmax(place < 0))
            raise ValueError(
                f"queries: row {row} = {parameters[row].tolist()} labels the public points as no hypothesis of "
                f"{self.functions!r} does"
            )
        return place

    def shares_of(self, parameters: Parameters) -> Floats:
        """Return the answers to hypotheses of the class, (q, p) -> (q,), as shares."""
        return self.shares[self.project(parameters)]

    # ------------------------------------------------------------------ disk
    def arrays(self) -> Arrays:
        """Return public points, parameters of the cover, representatives, answers; weights and deviations if any."""
        optional = {"weights": self.weights, "deviations": self.deviations}
        known = {name: array for name, array in optional.items() if array is not None}
        return {**self.cover.arrays(), "representatives": self.representatives, "shares": self.shares, **known}

    # ------------------------------------------------------------------ synthetic data (BCM20 remark 9)
    def synthetic(self, size: int, randomness: Randomness, how: str | None = None) -> SyntheticData:
        """Return ``size`` points whose shares are about the answers.  It costs no privacy: it reads the answers alone.

        how: 'quantiles': thresholds only: their answers are made monotone (isotonic regression), and point i is the
        representative of the first cell up to which they reach (i - 1/2) / size; this adds at most 1 / (2 size) to the
        error of the monotone answers over the cover.  'stratified': the same with the fitted weights, in the order of
        the cells: on the line prefixes of cells change by at most 1 / (2 size).  'sampled': independent draws by the
        fitted weights, which add sqrt(ln(2 M / beta) / (2 size)) with probability 1 - beta (Hoeffding).  'lp': weights
        with the least largest distance to the answers, min_p max_j |<a_j, p> - share_j|, by a linear program, then
        'sampled'.  Errors are in the scale 01.  Default: 'stratified' on the line and 'sampled' elsewhere if there are
        weights; else 'quantiles' for thresholds and 'lp'.

        Raise ValueError for a size < 1, for weights that are not there, for 'quantiles' of other classes, and for a
        linear program of more than 4 million coefficients; WorkError for points that take longer, or more memory, than
        is allowed (``rows_cost``).
        """
        checks.size("size", size)
        check_rows(size, self.rows_cost(size))
        chosen = self.default_way if how is None else check_name("how of synthetic data", how, list(HOW))
        weights = self.weights_by(chosen)
        place = systematic(weights, size) if chosen in ("quantiles", "stratified") else drawn(weights, size, randomness)
        return SyntheticData(self.functions, self.representatives[place], self.scale)

    def rows_cost(self, size: int) -> Cost:
        """Return what ``size`` synthetic points take: seconds on one core, and memory."""
        return estimates.rows_made(size, self.functions.dimension)

    def weights_by(self, how: str) -> Floats:
        """Return the weights of the cells (K,) that ``synthetic`` rounds or draws from; raise ValueError as it does."""
        if how == "quantiles":
            return self._monotone()
        if how == "lp":
            return self._nearest()
        if self.weights is None:
            raise ValueError(f"how = {how!r}: there are answers only, no weights; use 'lp', or 'quantiles'")
        return self.weights

    @cached_property
    def _workload(self) -> Workload:
        return workload_of(self.functions, self.cover.parameters, self.representatives)

    @property
    def default_way(self) -> str:
        """How ``synthetic`` makes points if nothing is said."""
        if self.weights is not None:
            return "stratified" if self.functions.dimension == 1 else "sampled"
        return "lp" if self._prefixes() is None else "quantiles"

    def check_points(self) -> None:
        """Raise ValueError if ``synthetic`` makes no points by default, whatever the answers are."""
        if self.default_way == "lp":
            self._check_program()

    def _check_program(self) -> None:
        queries = self._workload
        if queries.size * queries.cells > _LARGEST_PROGRAM:
            raise ValueError(
                f"how = 'lp': {queries.size:,} queries on {queries.cells:,} cells, at most {_LARGEST_PROGRAM:,} "
                "coefficients are solved"
            )

    def _prefixes(self) -> tuple[Integers, Floats] | None:
        """Return (j, share of the first j cells) for each query that says it; None unless all queries do."""
        queries = self._workload
        if not isinstance(queries, Runs):
            return None
        lower, upper = queries.start == 0, queries.stop == queries.cells
        nothing = queries.start == queries.stop
        if not np.all(lower | upper):
            return None
        ends = np.where(nothing, 0, np.where(lower, queries.stop, queries.start))
        return ends, np.where(lower, self.shares, 1 - self.shares)

    def _monotone(self) -> Floats:
        """Return weights of the cells by isotonic regression of the shares of the first cells."""
        prefixes = self._prefixes()
        if prefixes is None:
            raise ValueError("how = 'quantiles': is for thresholds, use 'lp'")
        ends, shares = prefixes
        inner = (ends > 0) & (ends < len(self.representatives))
        order = np.argsort(ends[inner], kind="stable")
        rising = scipy.optimize.isotonic_regression(shares[inner][order]).x if len(order) else np.zeros(0)
        places = np.concatenate([[0], ends[inner][order], [len(self.representatives)]])
        cumulative = np.concatenate([[0.0], np.clip(rising, 0.0, 1.0), [1.0]])
        weights = np.zeros(len(self.representatives))
        np.add.at(weights, places[1:] - 1, np.diff(cumulative))
        return weights

    def _nearest(self) -> Floats:
        """Return the weights whose sums have the least largest distance to the answers."""
        self._check_program()
        queries = self._workload
        rows = queries.matrix().astype(np.float64)
        slack = np.ones((len(rows), 1))
        solution = scipy.optimize.linprog(
            np.append(np.zeros(queries.cells), 1.0),
            A_ub=np.block([[rows, -slack], [-rows, -slack]]),
            b_ub=np.concatenate([self.shares, -self.shares]),
            A_eq=np.append(np.ones(queries.cells), 0.0)[None],
            b_eq=[1.0],
            method="highs",
        )
        weights = np.maximum(solution.x[:-1], 0.0)
        return np.asarray(weights / weights.sum())


def restore(description: dict[str, Any], arrays: Arrays) -> Answers:
    """Return the answers with the class and scale of the description, and these arrays."""
    functions = registry.specified(description["functions"])
    cover = ListedCover(functions, arrays["points"], arrays["parameters"])
    weights, deviations = arrays.get("weights"), arrays.get("deviations")
    return Answers(cover, arrays["representatives"], arrays["shares"], weights, description["scale"], deviations)
