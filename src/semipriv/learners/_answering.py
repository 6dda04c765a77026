"""What learners share that answer queries from counts of points by cell."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core import fields, registry
from semipriv.core.fields import checked, one_of, positive, value
from semipriv.core.randomness import Randomness
from semipriv.core.samples import as_labels, as_points
from semipriv.core.sharing import shared
from semipriv.core.types import Integers
from semipriv.core.work import Cost
from semipriv.learners.base import Learner
from semipriv.learners.outputs._queries import SCALES
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.stages.representative_domain import Domain, RepresentativeDomain
from semipriv.privacy.events import Event, budget_event
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.queries.base import Fitted, Method


def as_method(name: str, given: Any) -> Method:
    """Return a method of query release, given as it is, by its name or as ``{"name": ..., parameter: value}``."""
    if isinstance(given, Method):
        return given
    method: Method = registry.build("queries/methods", {"name": given} if isinstance(given, str) else given)
    return method


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
        self.check_release(prepared, len(x))
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
class ByMethod(Learner[Domain]):
    """Has a budget, and a method of query release that spends it on the counts of private points by cell."""

    epsilon: float = positive()
    delta: float = fields.delta(default=0.0)
    method: Method = checked(as_method, default="mwem")

    def __attrs_post_init__(self) -> None:
        self.method.check(self.guarantee)

    @property
    def releasable(self) -> bool:
        """Whether all that the method draws has an exact sampler, so that ``Secure`` works."""
        return self.method.releasable

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for replacing one private example."""
        return Guarantee(self.epsilon, self.delta)

    @property
    def event(self) -> Event:
        """That of the budget: the method pays for all it does from an account of the guarantee, whatever the queries.

        So its rho is at most the largest one that implies the guarantee, by the exact account if the method adds
        Gaussian noise alone; with delta = 0, epsilons add up.
        """
        return budget_event(self.guarantee, self.method.alone)


@value
class AnsweringByMethod(ByMethod, Answering):
    """Answers the queries of a class by a method of query release."""

    scale: str = one_of(SCALES, "answers", default="pm1")

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check the class.

        Raises:
            ValueError: if the method cannot answer its queries.
        """
        super().check(hypothesis_class)
        reason = self.method.refusal(hypothesis_class)
        if reason is not None:
            raise ValueError(reason)

    @property
    def weighs(self) -> bool:
        """Whether the method finds weights of the cells."""
        return self.method.weighs

    def check_release(self, prepared: Domain, n_private: int) -> None:
        """Check by public numbers that there is an example, and that the queries are answered within the budget."""
        super().check_release(prepared, n_private)
        self.method.check_fit(prepared.workload, self.guarantee)

    def draw_cost(self, prepared: Domain, n_private: int) -> Cost | None:
        """Return what the noise of the method takes; None if something else takes longer."""
        return self.method.draw_cost(prepared.workload, self.guarantee)

    def _fit(self, prepared: Domain, counts: Integers, randomness: Randomness, units: int) -> Fitted:
        method = self.method.beside(prepared.public)
        return method.fit(prepared.workload, counts, self.guarantee, randomness, units)


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
