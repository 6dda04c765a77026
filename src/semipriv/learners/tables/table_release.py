"""Query release for tables of categories: noisy marginals, fitted by public rows and made-up ones, or these alone."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from semipriv.core import checks, estimates, fields
from semipriv.core.fields import checked, positive, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.types import Floats, Integers
from semipriv.core.work import Cost, check_work
from semipriv.learners.outputs.grown_rows import GrownRows
from semipriv.learners.tables._marginals_release import MarginalsRelease
from semipriv.learners.tables.growing import Origin, grown
from semipriv.learners.tables.plan import ALONE, Plan, allocated, noise
from semipriv.learners.tables.support import Support, support
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.queries.marginals import ListedMarginals, Workload, marginals_of
from semipriv.queries.noise import draw_cost
from semipriv.queries.schema import Schema

__all__ = ["TableRelease"]

TREES = 0.6
"""Largest share of the tree in the prior."""
PAIRS = 3_200
"""With delta = 0, (n epsilon / 3,200)^(1/2) marginals are measured for each column,"""
NOISE = 0.2
"""or as many as leave noise of at most this in the shares of a marginal, in L1, and of what sampling makes."""
_TINY = 1e-12
"""Variance of noise that is hardly ever other than 0."""
FOR_LABEL = Fraction(1, 2)
"""Part of the budget of the marginals that hold the label."""


def _optional_positive(name: str, given: Any) -> float | None:
    return None if given is None else checks.positive(name, given)


def _optional_text(name: str, given: Any) -> str | None:
    if given is not None and (not isinstance(given, str) or not given):
        raise ValueError(f"{name} = {given!r}: must be text, the name of a column")
    return given


def _optional_share(name: str, given: Any) -> float | None:
    return None if given is None else checks.between(name, given, 0, 1, closed="l")


def _texts(name: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(text, str) for text in given):
        raise ValueError(f"{name}: {given!r}: must be a list of names of columns")
    return tuple(given)


def _groups(name: str, given: Any) -> tuple[tuple[str, ...], ...] | None:
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not given:
        raise ValueError(f"{name} = {given!r}: must be a list of at least one list of names of columns")
    return tuple(_texts(name, group) for group in given)


def _weights(name: str, given: Any) -> tuple[float, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list | tuple):
        raise ValueError(f"{name} = {given!r}: must be a list of numbers > 0, one for each marginal")
    return tuple(checks.positive(f"{name}[{i}]", weight) for i, weight in enumerate(given))


def _zeros(name: str, given: Any) -> tuple[Any, ...]:
    """Return combinations that cannot be, each as pairs of a column and its values."""
    if not isinstance(given, list | tuple):
        raise ValueError(f"{name} = {given!r}: must be a list of mappings of columns to values")
    combinations = []
    for combination in given:
        pairs = combination.items() if isinstance(combination, Mapping) else combination
        if not isinstance(combination, Mapping | list | tuple) or not combination:
            raise ValueError(
                f"{name}: {combination!r}: must be a mapping of at least one column to a value or a list of them"
            )
        combinations.append(tuple((column, tuple(v) if isinstance(v, list | tuple) else (v,)) for column, v in pairs))
    return tuple(combinations)


@value
class TableRelease(MarginalsRelease[Support, Plan, GrownRows]):
    """Weighted rows, public ones and made-up ones, fitted to noisy marginals of a private table.

    Public stage: the support is the public rows, and 8,000 rows of their Chow-Liu tree.  Without public rows it is
    1,000 rows of equal shares, which the declared columns alone tell.  Private stage: discrete noise on all cells of
    each measured marginal, and nothing else.  After it: 8,000 rows of a Chow-Liu tree of the noisy pairs join the
    support.  How much they count, and what public rows are worth, follows from how far the public rows are from the
    noisy marginals, beyond the noise (`semipriv.learners.tables.prior`): so public rows of another population cost
    little.  All noisy marginals are fitted jointly (`semipriv.queries.log_linear`), 8,000 rows of the fitted model join
    the support, and all are fitted again.

    Privacy, for replacing one row, n public: a marginal moves by -1 in one cell and by 1 in another, or not at all.  So
    discrete Gaussian noise of scale sigma_g has rho = 1 / sigma_g^2, and discrete Laplace noise of scale b_g is
    2 / b_g - DP.  Gaussian noise is all that is done, and accounted exactly (`semipriv.privacy.gaussians`).  Which
    marginals are measured follows from public rows and n, with which noise from declared columns and n.  The parts of
    the budget add up to at most 1 and are paid before a private row is read.  The rest is post-processing.

    Args:
        epsilon: of the budget, for replacing one private row, finite and > 0.
        delta: of the budget, in [0, 1); 0 for pure epsilon, with discrete Laplace noise.
        ways: columns of a marginal, where none are listed; a table of one column has one marginal.
        marginals: the marginals, instead of all of ``ways`` columns: a list of lists of columns.
        weights: what the error of each listed marginal counts, > 0; None: the same.
        label: a column that is to be predicted from the others: half of the budget goes to the marginals that hold it.
        measured: how many marginals are measured; None: all if delta > 0, else (n epsilon / 3200)^(1/2) for each
            column, or as many as have less noise than samples of n private and m public rows differ by in L1, and .2 at
            most.  They are those of the tree and of the largest mutual information among the public rows.
        kappa: how many records the prior is worth, finite and > 0; None: at most the number of public rows, as the
            noisy marginals tell.
        tree: share of the rows of the public tree beside public rows, in [0, 1); None: the share that is best by the
            public rows, and (n / (m sigma))^(1/2) more, as more rows are needed the less noise there is, up to .6, for
            m public rows; 0: public rows alone, without any made-up one.
        noisy: share of the tree of noisy pairs in the prior, in [0, 1); None: as the noisy marginals tell; 0: none of
            it, right if the public rows are a sample of the same population.
        rounds: how often rows of the fitted model join the support, at most 8; without a tree there are none.
        zeros: combinations that cannot be, each a mapping of columns to a value or a list of values: no row has one.

    Raises:
        ValueError: for weights without marginals, or of another number.

    Source:
        Liu et al. 2021 (PMW^Pub), the support and the prior; McKenna et al. 2019, a joint fit; Chow and Liu 1968.

    Examples:
        >>> from semipriv.core.randomness import Simulation
        >>> learner = TableRelease(1.0, 1e-6)
        >>> public = {"sex": ["F", "M", "F", "M"], "region": [0, 0, 1, 2]}
        >>> prepared = learner.prepare(public, Schema({"sex": ["F", "M"], "region": 3}))
        >>> private = {"sex": ["F"] * 4000, "region": [1] * 4000}
        >>> output = learner.release(prepared, private, Simulation(1)).output
        >>> output.answer("sex", "region").round(1).tolist(), output.public.answer("sex").tolist()
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [0.5, 0.5])
    """

    epsilon: float = positive()
    delta: float = fields.delta(default=0.0)
    ways: int = size(default=2)
    marginals: Sequence[Sequence[str]] | None = checked(_groups, default=None, kw_only=True)
    weights: Sequence[float] | None = checked(_weights, default=None, kw_only=True)
    label: str | None = checked(_optional_text, default=None, kw_only=True)
    measured: int | None = size(optional=True, default=None, kw_only=True)
    kappa: float | None = checked(_optional_positive, default=None, kw_only=True)
    tree: float | None = checked(_optional_share, default=None, kw_only=True)
    noisy: float | None = checked(_optional_share, default=None, kw_only=True)
    rounds: int = size(0, most=8, default=1, kw_only=True)
    zeros: Sequence[Any] = checked(_zeros, default=(), kw_only=True)

    support = Support
    alone = ALONE

    def __attrs_post_init__(self) -> None:
        if self.weights is not None and len(self.weights) != len(self.marginals or ()):
            raise ValueError(f"weights: are {len(self.weights)}, marginals are {len(self.marginals or ())} (listed)")
        if self.tree == 0 and self.noisy:
            raise ValueError(f"noisy = {self.noisy!r}: must be 0 or null with tree = 0, public rows alone")

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private row."""
        return Guarantee(self.epsilon, self.delta)

    # ------------------------------------------------------------------ public stage
    def workload(self, schema: Schema) -> Workload:
        """Return the marginals of a schema that are asked for.

        Args:
            schema: the columns and all their values.

        Returns:
            The workload.

        Raises:
            ValueError: for marginals that are too many to fit, or of unknown columns.
        """
        if self.label is not None:
            schema.place(self.label)
        return marginals_of(schema, self.ways) if self.marginals is None else ListedMarginals(schema, self.marginals)

    def prepare(self, public_table: Any, schema: Schema) -> Support:
        """Carry out the public stage: find the distinct public rows, their tree and its rows.

        Args:
            public_table: a DataFrame, or a mapping of names to arrays (m,), of the schema's columns; None, or one
                without rows: there are none.
            schema: the columns and all their values.

        Returns:
            The support of the answers, input of the private stage.

        Raises:
            ValueError: unless given a schema, for public rows that are not of it or not possible, without public rows
                where ``tree`` or ``noisy`` is 0, and for what ``workload`` raises.
        """
        if not isinstance(schema, Schema):
            raise ValueError(f"schema: is {type(schema).__name__}, must be a Schema of columns")
        workload = self.workload(schema)
        zeros = tuple(_placed(zero, schema) for zero in self.zeros)
        if public_table is None:
            codes = np.empty((0, len(schema.columns)), np.int64)
        else:
            codes = schema.codes(public_table, "public table")
        what = f"{workload.cells:,} cells of marginals to prepare"
        if len(codes):
            what = f"distinct rows of {len(codes):,} public ones with {codes.shape[1]} columns to find"
        check_work(what, estimates.supported(*codes.shape, workload.cells), "take fewer public rows or columns")
        if not len(codes) and 0 in (self.tree, self.noisy):
            name = "tree" if self.tree == 0 else "noisy"
            raise ValueError(f"{name} = 0: rows are of the public ones alone, and there is no public row")
        weights = np.ones(len(workload.groups)) if self.weights is None else np.array(self.weights)
        return support(workload, weights, zeros, codes, self.tree != 0)

    def plan(self, prepared: Support, n_private: int) -> Plan:
        """Return the mechanisms, by the workload, public rows and the number of private ones.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private rows.

        Returns:
            Which marginals are measured, with which noise, and how rows are fitted.
        """
        budget, schema = self.guarantee, prepared.workload.schema
        kept = self._kept(prepared, n_private)
        worth = self.kappa or float(prepared.n_public)
        parts = allocated(prepared.workload, prepared.weights, budget, kept, n_private)
        if self.label is not None:
            parts = _half(parts, [schema.place(self.label) in prepared.workload.groups[g] for g in kept])
        noises = tuple(noise(budget, part) for part in parts)
        if not prepared.n_public:
            tree = 1.0
        elif self.tree is None:  # n / (kappa sigma) is how much one deviation of noise may move ln P of a cell
            precision = float(np.mean([1 / max(marginal_noise.variance, _TINY) for marginal_noise in noises]))
            tree = min(TREES, prepared.share + float(np.sqrt(n_private / worth * math.sqrt(precision))))
        else:
            tree = self.tree
        own = 0.0 if self.tree == 0 else self.noisy
        return Plan(tuple(map(int, kept)), noises, tree, self.rounds if tree else 0, self.kappa, own)

    def _kept(self, prepared: Support, n_private: int) -> Integers:
        """Return the places of the marginals that are measured, increasing."""
        number, columns = len(prepared.workload.groups), len(prepared.workload.schema.columns)
        most = number
        if not self.delta and prepared.n_public:  # else nothing tells which ones matter
            size, cells = n_private * self.epsilon, float(np.diff(prepared.workload.starts).mean())
            apart = math.sqrt(2 / math.pi * cells * (1 / max(n_private, 1) + 1 / prepared.n_public))
            quiet = min(apart, NOISE) * size / (2 * cells)  # noise of 2 T / epsilon in each cell
            most = max(1, int(min(number, max(columns - 1, np.ceil(columns * math.sqrt(size / PAIRS)), quiet))))
        return np.sort(prepared.by_information[: most if self.measured is None else self.measured])

    # ------------------------------------------------------------------ private stage
    def _drawable(self, prepared: Support, n_private: int, units: int) -> Plan:
        cells = f"{self._cells(prepared, n_private):,} cells of marginals that get noise"
        instead = "list the marginals that matter, or declare coarser columns"
        check_work(cells, self.draw_cost(prepared, n_private), instead, begins=False)
        plan = self.plan(prepared, n_private)
        for marginal_noise in plan.noises:
            marginal_noise.per(units).check_width()
        return plan

    def draw_cost(self, prepared: Support, n_private: int) -> Cost:
        """Return what the noise of all cells takes, about, if it is drawn exactly (``Secure``), and the fit to them.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of private rows.

        Returns:
            Seconds on one core, and memory.
        """
        groups, cells = len(self._kept(prepared, n_private)), self._cells(prepared, n_private)
        fit = estimates.marginals_fitted(groups, cells, n_private * float(self.guarantee.epsilon))
        return draw_cost(cells, self.guarantee, groups) + fit

    def _cells(self, prepared: Support, n_private: int) -> int:
        """Return the number of cells of the marginals that are measured."""
        return int(np.diff(prepared.workload.starts)[self._kept(prepared, n_private)].sum())

    def _draw(
        self, prepared: Support, plan: Plan, counts: Integers, n: int, randomness: Randomness, units: int
    ) -> Release[GrownRows]:
        workload = prepared.workload
        noises = [marginal_noise.per(units) for marginal_noise in plan.noises]
        noisy = [
            marginal_noise.add(counts[workload.starts[g] : workload.starts[g + 1]], randomness).astype(np.int64)
            for g, marginal_noise in zip(plan.measured, noises, strict=True)
        ]
        fitted = grown(prepared, plan, [cells / (n * units) for cells in noisy], n)
        public = _public_shares(prepared, fitted.rows, fitted.origins)
        ways = max(len(workload.groups[g]) for g in plan.measured)
        groups = np.full((len(plan.measured), ways), -1)
        for t, g in enumerate(plan.measured):
            groups[t, : len(workload.groups[g])] = workload.groups[g]
        gaussian = isinstance(plan.noises[0], DiscreteGaussian)
        output = GrownRows(
            workload.schema,
            fitted.rows,
            fitted.weights,
            public,
            groups,
            origins=fitted.origins,
            values=np.concatenate(noisy),
            scales=np.array(
                [float(getattr(distribution, "sigma" if gaussian else "scale")) for distribution in noises]
            ),
            noise="gaussian" if gaussian else "laplace",
            n=n,
            kappa=fitted.prior.kappa,
            units=units,
        )
        cost = {
            "marginals": float(len(workload.groups)),
            "measured": float(len(plan.measured)),
            "support": float(len(fitted.rows)),
            "noise": float(plan.deviations.mean()),
            "kappa": fitted.prior.kappa,
            "tree": plan.tree,
            "noisy": fitted.prior.share,
            "rounds": float(plan.rounds),
            "fit_error": fitted.error,
        }
        return Release(output, self.guarantee, randomness.source, cost)


def _half(parts: Sequence[Fraction], with_label: Sequence[bool]) -> list[Fraction]:
    """Return parts of which those with the label have half in all; as they are if all or none hold it."""
    sums = [sum((p for p, own in zip(parts, with_label, strict=True) if own == side), Fraction(0)) for side in (0, 1)]
    if not all(sums):
        return list(parts)
    return [p * FOR_LABEL / sums[own] for p, own in zip(parts, with_label, strict=True)]


def _placed(zero: Any, schema: Schema) -> dict[int, tuple[int, ...]]:
    """Return a combination that cannot be, by places; raise ValueError for unknown columns and values."""
    places = {}
    for name, values in zero:
        column = schema.columns[schema.place(name)]
        try:
            places[schema.place(name)] = tuple(map(int, column.codes(np.array(values, object), "zeros")))
        except ValueError:
            raise ValueError(f"zeros: {name!r}: {list(values)!r}: must be {column.rule}") from None
    return places


def _public_shares(prepared: Support, rows: Any, origins: Any) -> Floats:
    """Return the public shares of the rows, which are in order as those of the support; all are 0 without any."""
    shares = np.zeros(len(rows))
    shares[origins == Origin.PUBLIC] = prepared.public[prepared.public > 0] / max(1, prepared.n_public)
    return shares
