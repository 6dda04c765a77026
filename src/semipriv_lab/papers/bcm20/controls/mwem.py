"""Negative controls of MWEM with pure accounting: some of them were shipped by known libraries."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf
from semipriv.core.fields import checked, value
from semipriv.core.rounding import rational
from semipriv.core.types import Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv.queries.base import Workload
from semipriv.queries.methods.mwem import MWEM, Iterate, Round, scores
from semipriv.queries.workloads import Listed, Runs
from semipriv_lab.controls.base import Control, registered
from semipriv_lab.papers.bcm20.controls.transcripts import Transcript, transcripts

EPSILON = 1.0
PREFIXES = Runs(4, np.zeros(3, np.int64), np.arange(1, 4))
"""The prefixes of four cells."""
SINGLES = Listed(np.eye(4, dtype=bool))
"""Each of four cells alone: replacing a record moves one count up, another down."""
_LONGEST = 12
"""Draws of a selection that are told apart: that many and more are one outcome."""


@value
class Altered(MWEM):
    """MWEM whose mechanisms are not those of the budget: exponent and noise are multiplied."""

    exponent: float | Fraction = checked(rational, default=Fraction(1))
    scale: float | Fraction = checked(rational, default=Fraction(1))

    def round(self, budget: Guarantee) -> Round:
        """Return the mechanisms with another rate and another scale."""
        honest = super().round(budget)
        assert isinstance(honest.noise, DiscreteLaplace)
        selection = ExponentialMechanism(float(Fraction(honest.selection.epsilon) * Fraction(self.exponent)))
        return replace(
            honest, selection=selection, noise=DiscreteLaplace(Fraction(honest.noise.scale) * Fraction(self.scale))
        )


def counted(data: DataSet, cells: int) -> Integers:
    """Return the number of records in each cell; a record is the index of its cell."""
    return np.bincount(np.array(data, np.int64), minlength=cells)


def released(method: MWEM, workload: Workload, epsilon: float = EPSILON) -> DistributionOf:
    """Return the distribution of a method's transcript by data set."""
    return _unordered(lambda data: transcripts(method, workload, counted(data, workload.cells), Guarantee(epsilon)))


def _unordered(distribution: DistributionOf) -> DistributionOf:
    """Return a distribution that is worked out once for all orders of the records."""
    known = cache(distribution)
    return lambda data: known(tuple(sorted(data)))


def _control(
    breaks: str, broken: DistributionOf, workload: Workload, *, rounds: int = 2, n: int = 3, epsilon: float = EPSILON
) -> Control:
    slots = [list(range(workload.cells))] * n
    return Control(breaks, epsilon, slots, released(MWEM(rounds, 1), workload, epsilon), broken)


@registered
def mwem_whole_exponent() -> Control:
    """Queries selected with exp(epsilon_0 u), not with half of it."""
    breaks = "exponent epsilon_0 in place of epsilon_0 / 2: one score rises, another falls"
    return _control(breaks, released(Altered(1, 1, exponent=2), SINGLES, 4.0), SINGLES, rounds=1, n=4, epsilon=4.0)


@registered
def mwem_noise_halved() -> Control:
    """Counts with half the noise."""
    broken = released(Altered(2, 1, scale=Fraction(1, 2)), PREFIXES)
    return _control("noise of scale T / epsilon in place of 2 T / epsilon", broken, PREFIXES)


@registered
def mwem_noise_of_a_tenth() -> Control:
    """Counts with a tenth of the noise."""
    broken = released(Altered(2, 1, scale=Fraction(1, 10)), PREFIXES)
    return _control("noise divided by 10", broken, PREFIXES)


@registered
def mwem_noise_divided_by_dimensions() -> Control:
    """Marginals of tables with three columns, whose noise is divided by the number of columns."""
    columns = Listed(np.array([[cell >> i & 1 for cell in range(8)] for i in range(3)], bool))
    broken = released(Altered(2, 1, scale=Fraction(1, 3)), columns)
    return _control("noise too small by the number of dimensions", broken, columns, n=2)


@registered
def mwem_sensitivity_of_shares() -> Control:
    """Scores in counts, selected with the sensitivity 1/n of shares."""
    broken = released(Altered(2, 1, exponent=3), SINGLES)
    return _control("sensitivity of probabilities, 1/n, used on counts", broken, SINGLES)


@registered
def mwem_best_iterate() -> Control:
    """Of the iterates p_0, ..., p_T that with the least true error is released, with what was measured for it."""
    method = MWEM(2, 1)

    def broken(data: DataSet) -> LogProbabilities:
        counts = counted(data, 4)
        exact = PREFIXES.sums(counts)
        distribution: dict[Transcript, float] = {}
        for transcript, logarithm in transcripts(method, PREFIXES, counts, Guarantee(EPSILON)).items():
            state, errors = Iterate.start(PREFIXES), []
            for query, noisy in transcript:
                state.measure(PREFIXES.row(query), noisy / len(data), 1)
                errors.append(float(np.abs(len(data) * PREFIXES.sums(state.weights) - exact).max()))
            best = transcript[: 1 + int(np.argmin(np.round(errors, 9)))]
            distribution[best] = float(np.logaddexp(distribution.get(best, -math.inf), logarithm))
        return distribution

    return _control("the best iterate is chosen by its true error", _unordered(broken), PREFIXES)


@registered
def mwem_empty_cells_dropped() -> Control:
    """Cells without a record get no weight: the support of the weights tells which these are."""

    def broken(data: DataSet) -> LogProbabilities:
        counts = counted(data, 4)
        kept = np.flatnonzero(counts)
        distribution = transcripts(MWEM(2, 1), Listed(PREFIXES.matrix()[:, kept]), counts[kept], Guarantee(EPSILON))
        return {(tuple(kept.tolist()), transcript): logarithm for transcript, logarithm in distribution.items()}

    return _control("empty cells are dropped", _unordered(broken), PREFIXES)


@registered
def mwem_drawn_until_new() -> Control:
    """A selection is drawn again until the query is new; the time of the run tells how often.

    The query alone has the distribution of a selection among the others, which is private; the number of draws is
    geometric, with a chance that depends on private counts.
    """
    method = MWEM(2, 1)
    selection = method.round(Guarantee(EPSILON)).selection

    def distribution(again: bool) -> Callable[[DataSet], LogProbabilities]:
        def of(data: DataSet) -> LogProbabilities:
            counts = counted(data, 4)
            chosen = selection.log_probabilities(scores(np.full(4, len(data) / 4), SINGLES.sums(counts))).tolist()
            if not again:
                return {(query, 1): logarithm for query, logarithm in enumerate(chosen)}
            old, new = chosen[0], math.log(-math.expm1(chosen[0]))
            logarithms = {}
            for query, logarithm in enumerate(chosen[1:], 1):
                for draws in range(1, _LONGEST):
                    logarithms[query, draws] = (draws - 1) * old + logarithm
                logarithms[query, _LONGEST] = (_LONGEST - 1) * old + logarithm - new
            return logarithms

        return of

    return Control(
        "drawing again until a new query comes up",
        selection.epsilon,
        [[0, 1, 2, 3]] * 4,
        distribution(False),
        distribution(True),
    )
