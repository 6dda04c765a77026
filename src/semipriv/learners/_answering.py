"""What learners share that answer queries from counts of points by cell."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core import registry
from semipriv.core.fields import one_of, value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import as_labels, as_points
from semipriv.core.sharing import shared
from semipriv.core.types import Integers
from semipriv.learners.base import Learner
from semipriv.learners.outputs._queries import SCALES
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.stages.representative_domain import Domain, RepresentativeDomain
from semipriv.privacy.guarantee import Release
from semipriv.queries.base import Fitted, Method


def as_method(name: str, given: Any) -> Method:
    """Return a method of query release, given as it is, by its name or as ``{"name": ..., parameter: value}``."""
    if isinstance(given, Method):
        return given
    method: Method = registry.build("queries/methods", {"name": given} if isinstance(given, str) else given)
    return method


def check_method(method: Method, hypothesis_class: HypothesisClass) -> None:
    """Raise ValueError if the method cannot answer the queries of the class."""
    reason = method.refusal(hypothesis_class)
    if reason is not None:
        raise ValueError(reason)


class Answering(Learner[Domain]):
    """Counts the private points by cell, and answers the queries from the counts.  Labels are ignored."""

    output_kind: ClassVar[str] = "answers"

    @property
    @abstractmethod
    def scale(self) -> str:
        """The scale of the answers, 'pm1' or '01'."""

    @abstractmethod
    def _fit(self, prepared: Domain, counts: Integers, randomness: Randomness, units: int) -> Fitted:
        """Answer all queries on counts (K,), in units of persons."""

    @property
    def weighs(self) -> bool:
        """Whether the cells get weights beside the answers."""
        return True

    def check_release(self, prepared: Domain, n_private: int) -> None:
        """Check that there is a private example: answers are shares of them."""
        super().check_release(prepared, n_private)
        _check_some(n_private)

    def release(
        self, prepared: Domain, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Answers]:
        """Answer the queries from at least one private point; ignore labels."""
        x = as_points(points, prepared.cover.functions.dimension)
        as_labels(labels, len(x))
        _check_some(len(x))
        counts = shared("counts", (prepared, points), lambda: prepared.counts(x))
        return self.release_counts(prepared, counts, randomness)

    def release_counts(
        self, prepared: Domain, counts: Integers, randomness: Randomness, units: int = 1
    ) -> Release[Answers]:
        """Answer the queries from private points by cell; counts add up over parts of a sample.

        Args:
            prepared: what ``prepare`` returned.
            counts: (K,) private points in each cell, at least one together.
            randomness: Secure() for a release, Simulation(seed) for a simulation.
            units: of a person (``core.persons``), if units are counted; 1: points are.

        Returns:
            The answers to all queries of the class, with their guarantee.
        """
        fitted = self._fit(prepared, counts, randomness, units)
        released = fitted.answers, fitted.weights, self.scale, fitted.deviations
        output = Answers(prepared.cover, prepared.representatives, *released)
        sizes = {"queries": float(prepared.workload.size), "cells": float(prepared.workload.cells)}
        return Release(output, self.guarantee, randomness.source, {**sizes, **fitted.cost})


def _check_some(n_private: int) -> None:
    if not n_private:
        raise ValueError("0 private examples, must be at least one: answers are shares of them")


@value
class CellMeans(Answering):
    """Means without noise: the cells of the public points weigh as much as they hold of some points.

    Args:
        scale: 'pm1' (means of -1 and 1) or '01' (shares).
    """

    scale: str = one_of(SCALES, "answers", default="pm1")

    @classmethod
    def examples(cls) -> "tuple[CellMeans, ...]":
        """Return one for each scale."""
        return cls(), cls("01")

    public_stage = RepresentativeDomain()

    @abstractmethod
    def _weights(self, prepared: Domain, counts: Integers, units: int) -> Integers:
        """Return how much each cell weighs, (K,), if counts (K,) are units of private points by cell."""

    def _fit(self, prepared: Domain, counts: Integers, randomness: Randomness, units: int) -> Fitted:
        """Answer by the shares of the cells.  Where nothing weighs, nothing is known, and all cells weigh the same."""
        weights = self._weights(prepared, counts, units)
        shares = weights.astype(np.float64) if weights.any() else np.ones(len(weights))
        shares /= shares.sum()
        return Fitted(prepared.workload.sums(shares).clip(0.0, 1.0), shares)
