"""Negative controls of sanitizers, and of GenericLearner, which is made of them."""

import itertools
import math
from collections.abc import Hashable
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.audit.exact import DataSet
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.types import Bools, Floats
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bns15.bounds.strips import code_bits
from semipriv.papers.bns15.queries.sanitizers._layer_distribution import LayerDistribution
from semipriv.papers.bns15.queries.sanitizers._layers import PrefixLayers
from semipriv.papers.bns15.queries.sanitizers._quantiles import counted, middle_ranks, noise, quantile_distribution
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.strips import strips_distribution
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

TINY = DiscreteThresholds(2)
"""Thresholds of 0, ..., 3."""
BITS, SIZE, ENTRIES = 36, 10, 1000
EPSILON = 1.07
"""There the heaviest layer is 0 for one atom, and 100 for its neighbour."""
NARROW = 24.0
"""A window that ends where layers weigh e^-24 of its heaviest one."""


def _net(data: DataSet, epsilon: float) -> LogProbabilities:
    released = Net().output_distribution(np.array(data, np.float64)[:, None], TINY, 2, epsilon)
    return {tuple(points[:, 0]): log for points, log in released}


@registered
def net_with_whole_exponent() -> Control:
    """The net mechanism with weights exp(-epsilon u)."""
    return Control(
        "exponent epsilon in place of epsilon / 2: replacing an entry moves scores both ways",
        1.0,
        [[0, 1, 2, 3]] * 4,
        lambda data: _net(data, 1.0),
        lambda data: _net(data, 2.0),
    )


def all_at_the_atom(moved: int, *, windowed: bool) -> LogProbabilities:
    """Return the distribution of whether all released points are 2^35, for 1000 such entries, some of them moved to 0.

    windowed: only layers around the heaviest one are tabulated.  As the data have an atom, the weights are a sawtooth,
    with peaks 100 layers apart: the heaviest one is another for a neighbour, and what is left out is nearly all.
    """
    entries = [0] * moved + [2 ** (BITS - 1)] * (ENTRIES - moved)
    layers = PrefixLayers.of(entries, BITS, SIZE)
    logs = LayerDistribution(layers, Fraction(EPSILON) / 2).table().logs
    if windowed:
        logs = np.where(_window(logs), logs, -np.inf)
    taus = np.flatnonzero(np.isfinite(logs))
    weights = logs[taus] - np.logaddexp.reduce(logs[taus])
    tuple_of_atoms = -BITS * SIZE * math.log(2) - layers.log_shares(taus)
    every = min(1.0, math.fsum(np.exp(weights + tuple_of_atoms).tolist()))
    return {"all": math.log(every), "other": math.log(1 - every) if every < 1 else -math.inf}


def _window(logs: Floats) -> Bools:
    """Return which layers a search from the heaviest one keeps: either way until the first that weighs e^-24 of it."""
    mode = int(np.argmax(logs))
    light = np.flatnonzero(logs < logs[mode] - NARROW)
    low = light[light < mode].max(initial=-1)
    high = light[light > mode].min(initial=len(logs))
    kept: Bools = (np.arange(len(logs)) > low) & (np.arange(len(logs)) < high)
    return kept


@registered
def net_in_a_window() -> Control:
    """The net mechanism on 1000 entries at an atom, one of which may move; only layers around the mode are drawn."""
    return Control(
        "layers far from the heaviest one are left out, and the heaviest one of a neighbour is another",
        EPSILON,
        [[0, 1]],
        lambda data: all_at_the_atom(int(data[0]), windowed=False),
        lambda data: all_at_the_atom(int(data[0]), windowed=True),
    )


@registered
def hypotheses_of_private_points() -> Control:
    """GenericLearner on two entries, with a hypothesis for each dichotomy of the entries themselves."""

    def distribution(data: DataSet, *, sanitized: bool) -> LogProbabilities:
        points = np.array(data, np.float64)[:, None]
        releases = Net().output_distribution(points, TINY, 2, 1.0) if sanitized else [(points, 0.0)]
        masses: dict[Hashable, float] = {}
        for kept, log in releases:
            listed = TINY.cover(kept).listed()
            uniform = ExponentialMechanism(1.0).log_probabilities([0] * len(listed))  # there are no labels
            for row, share in zip(listed.parameters, uniform, strict=True):
                key = tuple(row.tolist())
                masses[key] = float(np.logaddexp(masses.get(key, -math.inf), log + share))
        return masses

    return Control(
        "hypotheses of the entries themselves, without a sanitizer",
        1.0,
        [[0, 1, 2, 3]] * 2,
        lambda data: distribution(data, sanitized=True),
        lambda data: distribution(data, sanitized=False),
    )


@registered
def tree_with_a_level_forgotten() -> Control:
    """Quantiles by descent: the half in which the old and the new entry part changes, too."""

    def distribution(data: DataSet, *, scale: int) -> LogProbabilities:
        outcomes = quantile_distribution(counted(data, 2), tuple(middle_ranks(2, 2)), DiscreteLaplace(scale))
        return {outcome: math.log(chance) for outcome, chance in outcomes}

    return Control(
        "noise of scale 2 (b - 1) / epsilon in place of (2 b - 1) / epsilon",
        1.0,
        [[0, 1, 2, 3]] * 2,
        lambda data: distribution(data, scale=3),
        lambda data: distribution(data, scale=2),
    )


@registered
def strips_with_noise_of_one_level() -> Control:
    """Strips on one entry, with noise as if a tree had one level."""
    half, size = Fraction(1), 1
    across, along = noise(2, half), noise(code_bits(2, size), half)
    noise_of_one = noise(1, half)

    @cache
    def distribution(data: DataSet, across: DiscreteLaplace, along: DiscreteLaplace) -> LogProbabilities:
        x, y = np.array(data).T
        releases = strips_distribution(x, y, 2, size, across, along)
        return {released: math.log(chance) for released, chance in releases.items()}

    return Control(
        "noise of scale 1 / epsilon on each level, whatever their number",
        2.0,
        [list(itertools.product(range(4), repeat=2))],
        lambda data: distribution(data, across, along),
        lambda data: distribution(data, noise_of_one, noise_of_one),
    )
