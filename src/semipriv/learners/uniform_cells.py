"""Baseline: query release that discards the private sample and weighs all cells alike."""

import numpy as np

from semipriv.core.fields import value
from semipriv.core.roles import Role
from semipriv.learners._answering import CellMeans
from semipriv.learners.base import IgnoresPrivate
from semipriv.learners.stages.representative_domain import Domain
from semipriv.queries.base import Counts

__all__ = ["UniformCells"]


@value
class UniformCells(IgnoresPrivate[Domain], CellMeans):
    """The same weight for each cell of the representative domain: what multiplicative weights start from.

    For thresholds and distinct public points that is, up to 1 / (m + 1), the law of the public points: without an
    update A_PAP is as good as public data alone, and no better.  Under a law with atoms it is worse, as it counts each
    public point once.
    """

    @property
    def role(self) -> Role:
        """The role of discarding the private sample."""
        return Role.DISCARD

    @property
    def short_title(self) -> str:
        """The name: what it does."""
        return "discard the private sample"

    def _weights(self, prepared: Domain, counts: Counts) -> Counts:
        return np.zeros_like(counts)
