"""Query release for tables of many categorical columns, on the support of the public rows (after Liu et al. 2021).

It stands beside the learners, which answer a class of hypotheses on points of R^d through a cover of public points: a
marginal is neither a hypothesis nor a dichotomy of points.  So ``prepare`` takes a schema instead of a class, and
``release`` takes a table and no labels; all else, from the guarantee to the cost, is theirs.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from semipriv.core import checks, fields
from semipriv.core.arrays import Arrays
from semipriv.core.fields import between, checked, positive, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.rows import distinct_rows
from semipriv.core.types import Floats, Integers
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.learners.tables._marginals_release import MarginalsRelease
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import (
    BoundedRange,
    Composed,
    Event,
    GaussianEvent,
    gaussian_scale,
    selection_epsilon,
    whole,
)
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.queries.marginals import Marginals, marginals_of
from semipriv.queries.public_support import Fit, fit, problem
from semipriv.queries.schema import Codes, Schema

BETWEEN, TOLERANCE = 1e-2, 1e-4
"""Errors of fitted weights in L1, while marginals are still chosen and in the end; see ``fit``."""
_FINE = 2**12
"""Estimates are rounded to multiples of 1 / 4096 of a record before they are scored."""


@dataclass(frozen=True, eq=False)
class Support:
    """The distinct public rows (s, c) in order, how often each is there (s,), and the workload.  Public data only."""

    workload: Marginals
    rows: Codes
    counts: Integers

    def arrays(self) -> Arrays:
        """Return rows and counts."""
        return {"rows": self.rows, "counts": self.counts}

    @cached_property
    def prior(self) -> Floats:
        """The shares of the rows among the public ones."""
        return self.counts / self.counts.sum()

    @cached_property
    def held(self) -> Integers:
        """How many cells of each marginal hold a public row, (Q,)."""
        return self.workload.totals((self.workload.counts(self.rows) > 0).astype(np.int64))


@dataclass(frozen=True)
class Plan:
    """The mechanisms of a release, worked out from public numbers: a selection before each measurement, or none."""

    marginals: int
    selection: ExponentialMechanism | None
    noise: DiscreteGaussian

    @property
    def event(self) -> Event:
        """What is done to the private rows.  A marginal has two counts that change by 1."""
        parts: list[tuple[Event, int]] = [(GaussianEvent(self.noise.sigma), 2 * self.marginals)]
        if self.selection is not None:
            parts.append((BoundedRange(self.selection.epsilon), self.marginals))
        return Composed(parts)


_MOVED = 2
"""Squared L2 distance by which a marginal moves."""


def _kappa(name: str, given: Any) -> float | None:
    return None if given is None else checks.positive(name, given)


@value
class PublicRowsRelease(MarginalsRelease[Support, Plan, WeightedRows]):
    """Answers to all marginals of a table: weights of the public rows, fitted to noisy marginals of the private ones.

    Measuring adds discrete Gaussian noise of scale sigma to all counts of a marginal; choosing among those not measured
    yet is the exponential mechanism with the integer scores of ``scores``.  All noisy marginals are fitted jointly, as
    `semipriv.queries.public_support` says, within 1e-4 of the best weights in L1, which is proven of each fit (cost
    ``fit_error``).

    Privacy, for replacing one row, n public: a marginal moves by -1 in one cell and by 1 in another, so measuring T of
    them is T / sigma^2 - zCDP (2 T counts that change by 1); choosing T times is T epsilon_0^2 / 8.  Scores have
    sensitivity 1.  All is paid for before a private row is read, and rounded up.  The rest is post-processing.  A value
    that the schema does not declare is refused before anything is drawn, with its place: that tells the holder of the
    rows, and the guarantee is for tables of the schema.

    Limit: **no mass where no public row is**.  A private row whose like is not public cannot be answered, whatever
    epsilon; beyond it no kappa helps.  So ``output.public``, the public rows alone, stands beside every output.

    The support and the prior are those of PMW^Pub; the score less the expected noise is that of AIM.

    Args:
        epsilon: of the budget, for replacing one private row, finite and > 0.
        delta: of the budget, in (0, 1).
        ways: columns of a marginal; a table of one column has one marginal.
        rounds: how many marginals are measured at most, one after the other, each chosen where the answers so far seem
            worst.  If there are no more marginals than rounds, or with None, all are measured at equal budget, and none
            is chosen.  With None all noise is Gaussian, whatever the workload, and is accounted exactly.
        selection: the part of the budget that choosing takes, where it is done.
        kappa: how many records the public shares are worth; None: as many as there are public rows, right if these are
            a sample of the same population.  A smaller kappa trusts the noisy marginals more, and overfits few of them;
            a larger one keeps the bias of public rows.  With 15 rounds n_public was best, or within .003 of it, at
            every bias tried (`BCM20-TABLES`).

    Raises:
        ValueError: for delta = 0: Gaussian noise needs more.

    Source:
        Liu et al. 2021 (PMW^Pub); McKenna et al. 2022 (AIM).

    Examples:
        >>> from semipriv.core.randomness import Simulation
        >>> learner = PublicRowsRelease(1.0, 1e-6, rounds=None)
        >>> public = {"sex": ["F", "M", "F", "M"], "region": [0, 0, 1, 2]}
        >>> prepared = learner.prepare(public, Schema({"sex": ["F", "M"], "region": 3}))
        >>> private = {"sex": ["F"] * 4000, "region": [1] * 4000}
        >>> output = learner.release(prepared, private, Simulation(1)).output
        >>> output.answer("sex", "region").round(1).tolist(), output.public.answer("sex").tolist()
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [0.5, 0.5])
    """

    epsilon: float = positive()
    delta: float = fields.delta()
    ways: int = size(default=2)
    rounds: int | None = size(optional=True, default=15)
    selection: float = between(0, 1, default=0.1)
    kappa: float | None = checked(_kappa, default=None)

    support = Support

    def __attrs_post_init__(self) -> None:
        if self.delta == 0:
            raise ValueError("delta = 0.0: Gaussian noise needs delta > 0")

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private row."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def alone(self) -> int:
        """By how much a marginal moves in squared L2 if none is ever chosen; else 0: see ``whole``."""
        return _MOVED if self.rounds is None else 0

    # ------------------------------------------------------------------ public stage
    def prepare(self, public_table: Any, schema: Schema) -> Support:
        """Carry out the public stage: find the distinct public rows and the workload.

        Args:
            public_table: a DataFrame, or a mapping of names to arrays (m,), of the schema's columns.
            schema: the columns and all their values.

        Returns:
            The support of the answers, input of the private stage.

        Raises:
            ValueError: unless given a schema and at least one public row of the schema, and for marginals that are
                too many to fit (``Marginals``).
        """
        if not isinstance(schema, Schema):
            raise ValueError(f"schema: is {type(schema).__name__}, must be a Schema of columns")
        workload = marginals_of(schema, self.ways)
        codes = schema.codes(public_table, "public table")
        if not len(codes):
            raise ValueError("public table: has no row, and answers have no support")
        distinct = distinct_rows(codes)
        return Support(workload, np.asfortranarray(distinct.rows), distinct.counts)

    def plan(self, prepared: Support) -> Plan:
        """Return the mechanisms, by the workload: with rho of the whole budget, T marginals get rho / T each.

        Where they are chosen, it is rho (1 - selection) / T, and rho selection / T for each choice.

        Args:
            prepared: what ``prepare`` returned.

        Returns:
            The selection and the noise, and how many marginals are measured.
        """
        rho, marginals = whole(self.guarantee, self.alone), len(prepared.workload.groups)
        if self.rounds is None or self.rounds >= marginals:
            return Plan(marginals, None, DiscreteGaussian(gaussian_scale(rho / (2 * marginals))))
        part = Fraction(self.selection)
        choice = ExponentialMechanism(selection_epsilon(rho * part / self.rounds))
        return Plan(self.rounds, choice, DiscreteGaussian(gaussian_scale(rho * (1 - part) / (2 * self.rounds))))

    # ------------------------------------------------------------------ private stage
    def _drawable(self, prepared: Support, n_private: int, units: int) -> Plan:
        plan = self.plan(prepared)
        plan.noise.per(units).check_width()
        return plan

    def _draw(
        self, prepared: Support, plan: Plan, counts: Integers, n: int, randomness: Randomness, units: int
    ) -> Release[WeightedRows]:
        workload = prepared.workload
        kappa = float(prepared.counts.sum()) if self.kappa is None else self.kappa
        ridge = kappa * (float(plan.noise.sigma) / n) ** 2
        if plan.selection is None:
            measured = {
                marginal: _noisy(workload, counts, marginal, plan, units, randomness)
                for marginal in range(plan.marginals)
            }
            start = None
        else:
            measured, start = _chosen(prepared, counts, plan, ridge, units, randomness)
        fitted = _fitted(prepared, measured, ridge, TOLERANCE, start)
        groups = np.array([workload.groups[marginal] for marginal in measured])
        output = WeightedRows(workload.schema, prepared.rows, fitted.weights, prepared.prior, groups)
        cost = {
            "marginals": float(len(workload.groups)),
            "measured": float(plan.marginals),
            "support": float(len(prepared.rows)),
            "noise": float(plan.noise.sigma),
            "kappa": kappa,
            "fit_error": fitted.error,
        }
        return Release(output, self.guarantee, randomness.source, cost)


def scores(prepared: Support, counts: Integers, weights: Floats, sigma: float) -> Integers:
    """Return how far the answers of weights (s,) are from the counts, above the noise that measuring would bring: (Q,).

    With counts c of n rows and estimates e = n (marginal of the weights), rounded to multiples of 1 / 4096,

        u_q = floor(|c - e|_1 / 2) - round(sqrt(2 / pi) sigma K_q / 2),

    K_q the number of cells that hold a public row.  Replacing a row moves |c - e|_1 by at most 2, and floors of numbers
    that differ by at most 1 differ by at most 1: integers of sensitivity 1, worked in integers.  If units
    of persons are counted, n is their total, sigma that of the noise on units, and the sensitivity W by the same steps.
    """
    workload, total = prepared.workload, int(counts.sum()) // len(prepared.workload.groups)
    estimates = np.rint(_FINE * total * workload.shares(prepared.rows, weights)).astype(np.int64)
    distances = workload.totals(np.abs(_FINE * counts - estimates)) // (2 * _FINE)
    expected = np.rint(np.sqrt(2 / np.pi) * sigma * prepared.held / 2).astype(np.int64)
    return distances - expected


def _chosen(
    prepared: Support, counts: Integers, plan: Plan, ridge: float, units: int, randomness: Randomness
) -> tuple[dict[int, Floats], Floats]:
    """Choose and measure marginals in turn, none twice; return their noisy shares in order, and dual numbers of them.

    Which ones are left is known from what was released, so nothing is drawn again until it is new.
    """
    assert plan.selection is not None, "a selection chooses"
    measured: dict[int, Floats] = {}
    start = np.zeros(0)
    for _ in range(plan.marginals):
        fitted = _fitted(prepared, measured, ridge, BETWEEN, start)
        left = np.setdiff1d(np.arange(len(prepared.workload.groups)), list(measured))
        sigma = float(plan.noise.per(units).sigma)
        candidates = scores(prepared, counts, fitted.weights, sigma)[left]
        marginal = int(left[plan.selection.per(units).sample(candidates, randomness)])
        measured[marginal] = _noisy(prepared.workload, counts, marginal, plan, units, randomness)
        start = fitted.dual
    return measured, start


def _noisy(
    workload: Marginals, counts: Integers, marginal: int, plan: Plan, units: int, randomness: Randomness
) -> Floats:
    """Return the counts of a marginal with noise on each cell, divided by their sum: the number of rows or units."""
    cells = counts[workload.starts[marginal] : workload.starts[marginal + 1]]
    return plan.noise.per(units).add(cells, randomness).astype(np.float64) / int(cells.sum())


def _fitted(
    prepared: Support, measured: dict[int, Floats], ridge: float, tolerance: float, start: Floats | None
) -> Fit:
    if not measured:
        return Fit(prepared.prior, 0.0, np.zeros(0))
    workload = prepared.workload
    cells = ((workload.place(prepared.rows, q), shares) for q, shares in measured.items())
    return fit(problem(list(cells), prepared.prior, ridge), tolerance, start)
