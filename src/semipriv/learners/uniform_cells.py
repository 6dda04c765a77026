"""Baseline: query release that discards the private sample and weighs all cells alike."""

import numpy as np

from semipriv.fields import one_of, value
from semipriv.learners._answering import Answering, from_weights
from semipriv.outputs._queries import SCALES
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Counts, Fitted
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.representative_domain import Domain, RepresentativeDomain

__all__ = ["UniformCells"]


@value
class UniformCells(Answering):
    """The same weight for each cell of the representative domain: what multiplicative weights start from.

    For thresholds and distinct public points that is, up to 1 / (m + 1), the law of the public points: without an
    update A_PAP is as good as public data alone, and no better.  Under a law with atoms it is worse, as it counts each
    public point once.
    """

    scale: str = one_of(SCALES, "answers", default="pm1")

    @classmethod
    def examples(cls) -> tuple["UniformCells", ...]:
        """Return the one of the default scale."""
        return (cls(),)

    @property
    def role(self) -> Role:
        """The role of discarding the private sample."""
        return Role.DISCARD

    @property
    def short_title(self) -> str:
        """The name: what it does."""
        return "discard the private sample"

    @property
    def guarantee(self) -> Guarantee:
        """Zero epsilon: the output does not depend on the private sample."""
        return Guarantee(0.0)

    @property
    def public_stage(self) -> RepresentativeDomain:
        """The cells of the public points."""
        return RepresentativeDomain()

    def _fit(self, prepared: Domain, counts: Counts, randomness: Randomness) -> Fitted:
        return from_weights(prepared, np.zeros_like(counts))
