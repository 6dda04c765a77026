"""Baseline: query release from public points alone."""

from typing import ClassVar

from semipriv.core.fields import value
from semipriv.core.roles import Role
from semipriv.core.types import Integers
from semipriv.learners._answering import CellMeans
from semipriv.learners.base import IgnoresPrivate
from semipriv.learners.stages.representative_domain import Domain

__all__ = ["PublicQueryMeans"]


@value
class PublicQueryMeans(IgnoresPrivate[Domain], CellMeans):
    """Means over the public points; they ignore the private sample.

    Their error is about 1 / sqrt(m) if public and private points follow one distribution, however many private points
    there are, and keeps what the distributions differ by.  Without a public point all cells weigh the same.
    """

    hue: ClassVar[str] = "purple"
    role = Role.PUBLIC_ONLY
    short_title = "means of public points"

    def _weights(self, prepared: Domain, counts: Integers, units: int) -> Integers:
        return prepared.public
