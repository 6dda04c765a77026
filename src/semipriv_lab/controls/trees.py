"""Negative controls of noisy trees of counts, and of the choice of a prior's weight."""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf
from semipriv.core.types import Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv.queries.least_squares import estimate, node_counts
from semipriv.queries.methods.consistent_tree import ConsistentTree
from semipriv_lab.controls.base import Control, registered

CELLS, RECORDS, EPSILON = 3, 2, 1.0
TREE = ConsistentTree(levels=2)
LOW, HIGH = -1, RECORDS + 1
"""Noisy counts beyond are one outcome on each side: the loss is as large there as at the end."""


def _nodes(data: DataSet) -> list[Integers]:
    return node_counts(TREE.tree(CELLS), np.bincount(np.array(data, np.int64), minlength=CELLS))


@cache
def _noisy(count: int, scale: Fraction) -> dict[int, float]:
    """Return the distribution of a noisy count, cut at both ends."""
    noise = DiscreteLaplace(scale)
    distribution = {value: float(noise.log_probability([value - count])[0]) for value in range(LOW + 1, HIGH)}
    ends = (LOW, noise.log_cumulative([LOW - count])[0]), (HIGH, noise.log_cumulative([count - HIGH])[0])
    return distribution | {value: float(logarithm) for value, logarithm in ends}


def distribution_of_nodes(scales: tuple[Fraction, ...]) -> DistributionOf:
    """Return the distribution of all noisy counts, cut at both ends, with a scale for each level from the cells up."""

    @cache
    def distribution(data: DataSet) -> LogProbabilities:
        distributions = [
            _noisy(count, scale) for level, scale in zip(_nodes(data), scales, strict=True) for count in level.tolist()
        ]
        return {
            tuple(value for value, _ in outcome): math.fsum(logarithm for _, logarithm in outcome)
            for outcome in itertools.product(*(distribution.items() for distribution in distributions))
        }

    return lambda data: distribution(tuple(sorted(data)))


def _honest() -> DistributionOf:
    noise = TREE.noise(CELLS, Guarantee(EPSILON))
    assert isinstance(noise, DiscreteLaplace)
    return distribution_of_nodes((Fraction(noise.scale),) * 2)


def _chosen(weigh: Callable[[DataSet, tuple[int, ...]], int]) -> DistributionOf:
    """Return the distribution of the noisy counts with the weight of a prior that is chosen beside them."""
    honest = _honest()

    def distribution(data: DataSet) -> LogProbabilities:
        log_masses: dict[tuple[tuple[int, ...], int], float] = defaultdict(lambda: -math.inf)
        for outcome, logarithm in honest(data).items():
            assert isinstance(outcome, tuple)
            log_masses[outcome, weigh(data, outcome)] = logarithm
        return dict(log_masses)

    return distribution


def _better(levels: list[Integers], variance: float) -> int:
    """Return which of two priors, of much and of little weight, the counts of nodes speak for."""
    mean = RECORDS * np.array([0.7, 0.2, 0.1])
    measured = [level.astype(np.float64) for level in levels]
    fits = (estimate(TREE.tree(CELLS), measured, variance, RECORDS, mean, mean / kappa) for kappa in (8.0, 0.25))
    return int(np.argmax([fit.evidence for fit in fits]))


@cache
def _from_noisy(outcome: tuple[int, ...]) -> int:
    return _better(
        [np.array(outcome[:CELLS]), np.array(outcome[CELLS:])], TREE.noise(CELLS, Guarantee(EPSILON)).variance
    )


@cache
def _from_private(data: DataSet) -> int:
    return _better(_nodes(data), 0.0)


def _control(breaks: str, honest: DistributionOf, broken: DistributionOf) -> Control:
    return Control(breaks, EPSILON, [list(range(CELLS))] * RECORDS, honest, broken)


@registered
def tree_noise_for_one_level() -> Control:
    """Counts of two levels with the noise of one."""
    broken = distribution_of_nodes((Fraction(2), Fraction(2)))
    return _control("noise of scale 2 / epsilon on L levels, instead of 2 L / epsilon", _honest(), broken)


@registered
def tree_exact_level() -> Control:
    """The upper level, of large counts, is released with hardly any noise."""
    broken = distribution_of_nodes((Fraction(4), Fraction(1, 4)))
    return _control("less noise on the counts of large nodes, as if they told less", _honest(), broken)


@registered
def prior_by_private_counts() -> Control:
    """The weight of the prior is chosen by the exact counts, not by the noisy ones."""
    honest = _chosen(lambda _, outcome: _from_noisy(outcome))
    broken = _chosen(lambda data, _: _from_private(tuple(data)))
    return _control("the prior's weight is chosen by its fit to the private counts", honest, broken)
