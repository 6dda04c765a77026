"""Negative controls of A_LearnHalf: exponent, family, pruning and arbitrary boundaries that look at private points."""

from dataclasses import replace

import numpy as np

from semipriv.audit.exact import DataSet, as_sample, examples, outcomes
from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry.bits import first_of_each, packed
from semipriv.learners.base import ListedDistribution
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.cover import RegionCover
from semipriv.papers.bmn20.regions.family import construct
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv.privacy.slots import Record
from semipriv_lab.controls.base import Control, registered

LINE = np.arange(1.0, 4.0)[:, None]
ON_AXIS = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])


def _regions(public: np.ndarray, mode: str = "facet") -> RegionCover:
    """Return the family G for public points with label 0."""
    halfspaces = Halfspaces(public.shape[1])
    return LearnHalf(1.0, mode=mode).prepare(public, halfspaces, np.zeros(len(public), np.int64))


def _spanned(
    prepared: RegionCover, points: np.ndarray, mode: str = "facet", arbitrary: str = "spanning"
) -> RegionCover:
    """Return the same public examples with a family made from other points."""
    places = np.unique(prepared.functions.grid.place(points), axis=0)
    return replace(prepared, family=construct(places, mode, arbitrary))


def _learn_half(prepared: RegionCover, data: DataSet, epsilon: float = 1.0) -> ListedDistribution:
    """Return the distribution of A_LearnHalf on private people, whose label is 1."""
    sample = as_sample(data)
    return LearnHalf(epsilon).output_distribution(prepared, sample.points, sample.labels)


def _people(points: np.ndarray, n: int) -> list[list[Record]]:
    """Return the slots of n private people: label 1, and features that may be replaced."""
    return [[example for example in examples(points) if example[1] == 1]] * n


@registered
def learn_half_whole_exponent() -> Control:
    """A_LearnHalf with weights exp(-epsilon mistakes)."""
    prepared = _regions(LINE)
    return Control(
        "exponent epsilon in place of epsilon / 2: a private point moves out of some regions and into others",
        1.0,
        _people(np.arange(5.0)[:, None], 3),
        lambda data: outcomes(_learn_half(prepared, data)),
        lambda data: outcomes(_learn_half(prepared, data, 2.0)),
    )


@registered
def learn_half_family_from_all_points() -> Control:
    """A_LearnHalf with boundaries through private points, too."""
    prepared = _regions(LINE)

    def broken(data: DataSet) -> LogProbabilities:
        everyone = np.concatenate([LINE, as_sample(data).points])
        return outcomes(_learn_half(_spanned(prepared, everyone), data))

    return Control(
        "the family, hence the support of the output, depends on private points",
        1.0,
        _people(np.arange(5.0)[:, None], 2),
        lambda data: outcomes(_learn_half(prepared, data)),
        broken,
    )


@registered
def learn_half_pruned_by_all_points() -> Control:
    """A_LearnHalf that keeps one of the regions that hold the same points of the sample, private points included."""
    prepared = _regions(LINE)

    def broken(data: DataSet) -> LogProbabilities:
        distribution = _learn_half(prepared, data)
        everyone = np.concatenate([LINE, as_sample(data).points])
        kept = first_of_each(packed(prepared.functions.predict(distribution.parameters, everyone)))
        chosen = distribution.log_probabilities[kept]
        return outcomes(ListedDistribution(distribution.parameters[kept], chosen - np.logaddexp.reduce(chosen)))

    return Control(
        "which of equal regions is kept depends on private points",
        1.0,
        _people(np.arange(5.0)[:, None], 2),
        lambda data: outcomes(_learn_half(prepared, data)),
        broken,
    )


@registered
def learn_half_arbitrary_by_private_points() -> Control:
    """A_LearnHalf in full mode; its arbitrary boundaries are chosen in the way that fits the sample better."""
    prepared = _regions(ON_AXIS, "full")
    ways = [_spanned(prepared, ON_AXIS, "full", arbitrary) for arbitrary in ("containing", "spanning")]

    def broken(data: DataSet) -> LogProbabilities:
        sample = as_sample(data)
        least = [way.tally(sample.points, sample.labels).histogram()[0][0] for way in ways]
        return outcomes(_learn_half(ways[int(np.argmin(least))], data))

    return Control(
        "an arbitrary boundary is chosen by private points",
        1.0,
        _people(np.array([[-1.0, 0.0], [1.0, 0.0], [3.0, 0.0], [1.0, 1.0]]), 2),
        lambda data: outcomes(_learn_half(prepared, data)),
        broken,
    )
