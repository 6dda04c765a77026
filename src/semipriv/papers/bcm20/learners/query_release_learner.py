"""A learner made of query release: BCM20 lemma 17, on labelled queries."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import Hypothesis
from semipriv.core.fields import checked, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import as_labels
from semipriv.core.types import Floats, Integers
from semipriv.learners._answering import ByMethod, as_method
from semipriv.learners.base import Facts
from semipriv.learners.stages.cover import check_representative
from semipriv.learners.stages.representative_domain import Domain, RepresentativeDomain
from semipriv.papers.bcm20.releases.labelled import Mistakes
from semipriv.privacy.guarantee import Release
from semipriv.queries.base import Fitted

__all__ = ["QueryReleaseLearner"]


@value
class QueryReleaseLearner(ByMethod):
    """The hypothesis of a cover whose error, as a method of query release answers it, is the smallest.

    ``prepare`` makes the cover of the public points, which need no labels, and its K cells.  ``release`` counts the
    private examples by cell and label, 2 K counts of which one example moves two by 1; lets the method answer the
    queries 1[h(x) != y] of the cover; and returns the hypothesis with the least answer, the first of equal ones.

    Privacy: choosing is post-processing, so the guarantee is that of the release.  If all answers are within a of the
    population's shares, the excess error over the best of the cover is at most 2 a: the error of the answers in the
    paper's scale, E[y h(x)] = 1 - 2 err(h).

    This is BCM20's lemma 17 with the labelled class instead of its black box for the class alone, which needs more
    examples.  It answers all queries where learning needs one: selection by the exponential mechanism (``sspp``) needs
    fewer.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: 0 or more; some methods need delta > 0.
        method: a method of query release, its name or a mapping with its parameters; it must take any queries, as trees
            do not.
        representative: the place of each hypothesis in its cell, 'midpoint', 'lower' or 'upper'.

    Raises:
        ValueError: for a budget that the method refuses.

    Source:
        BCM20 lemma 17.
    """

    hue: ClassVar[str] = "vermilion"
    facts: ClassVar[Facts] = Facts(distribution_is_listed=False)

    representative: str = checked(check_representative, default="midpoint")

    @classmethod
    def examples(cls) -> tuple["QueryReleaseLearner", ...]:
        """Return learners with Gaussian noise, and with two rounds of MWEM for delta = 0."""
        short = as_method("method", {"name": "mwem", "rounds": 2})
        return cls(1.0, 1e-6, as_method("method", "gaussian")), cls(0.8, method=short, representative="lower")

    role = Role.VARIANT

    @property
    def short_title(self) -> str:
        """The reduction, with the method."""
        return f"query release, {self.method.short_title}"

    @property
    def public_stage(self) -> RepresentativeDomain:
        """The cover of the public points and its cells."""
        return RepresentativeDomain(self.representative)

    def check_release(self, prepared: Domain, n_private: int) -> None:
        """Check by public numbers that the method answers the queries within the budget."""
        super().check_release(prepared, n_private)
        self.method.check_fit(Mistakes(prepared.workload), self.guarantee)

    def release(
        self, prepared: Domain, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Answer the queries and choose; without a private example all answers are alike, and the first is chosen."""
        x = prepared.cover.functions.validated(points)
        y = as_labels(labels, len(x))
        self.check_release(prepared, len(x))
        counts = labelled_counts(prepared, x, y)
        fitted = self.answers(prepared, counts, randomness) if len(x) else Fitted(np.zeros(len(prepared.cover)))
        sizes = {"queries": float(len(prepared.cover)), "cells": float(counts.size)}
        chosen = prepared.cover[least(fitted.answers)]
        return Release(chosen, self.guarantee, randomness.source, {**sizes, **fitted.cost})

    def answers(self, prepared: Domain, counts: Integers, randomness: Randomness) -> Fitted:
        """Answer the queries 1[h(x) != y] of the cover.

        Args:
            prepared: what ``prepare`` returned.
            counts: (2 K,) private examples by cell, those with label 0, then those with label 1.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The answers as shares, with the weights of the cells and what was spent.
        """
        return self.method.fit(Mistakes(prepared.workload), counts, self.guarantee, randomness)


def labelled_counts(prepared: Domain, points: Floats, labels: NDArray[Any]) -> Integers:
    """Return the number of examples (n, d), (n,) in each cell with label 0, then with label 1, (2 K,) int64."""
    cells = len(prepared.representatives)
    return np.bincount(prepared.cells.of(points) + cells * labels.astype(np.intp), minlength=2 * cells).astype(np.int64)


def least(answers: Floats) -> int:
    """Return the number of the least answer, the first of equal ones."""
    return int(np.argmin(answers))
