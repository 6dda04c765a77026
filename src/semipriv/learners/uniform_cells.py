"""Baseline: query release that discards the private sample and weighs all cells alike."""

from typing import ClassVar

import numpy as np

from semipriv.core.fields import value
from semipriv.core.roles import Role
from semipriv.core.types import Integers
from semipriv.learners._answering import CellMeans
from semipriv.learners.base import IgnoresPrivate
from semipriv.learners.stages.representative_domain import Domain

__all__ = ["UniformCells"]


@value
class UniformCells(IgnoresPrivate[Domain], CellMeans):
    """The same weight for each cell of the representative domain: what multiplicative weights start from.

    For thresholds and distinct public points that is, up to 1 / (m + 1), the distribution of the public points: without
    an update A_PAP is as good as public data alone, and no better.  Under a distribution with atoms it is worse, as it
    counts each public point once.
    """

    hue: ClassVar[str] = "black"
    role = Role.DISCARD
    short_title = "discard the private sample"

    def _weights(self, prepared: Domain, counts: Integers, units: int) -> Integers:
        return np.zeros_like(counts)
