"""Baseline without privacy: query release from the means of all data."""

from typing import ClassVar

from semipriv.core.fields import value
from semipriv.core.roles import Role
from semipriv.core.types import Integers
from semipriv.learners._answering import CellMeans
from semipriv.learners.base import NotPrivate
from semipriv.learners.stages.representative_domain import Domain

__all__ = ["AllQueryMeans"]


@value
class AllQueryMeans(NotPrivate[Domain], CellMeans):
    """Means over public and private points together for the cover's queries, which answer the others.  Not private.

    It is the limit of A_PAP as epsilon tends to infinity, up to the public points: what is left is the error of the
    cover.
    """

    hue: ClassVar[str] = "grey"
    role = Role.CANDIDATES_MINIMISER
    short_title = "means of all points over the cover"

    def _weights(self, prepared: Domain, counts: Integers, units: int) -> Integers:
        return counts + units * prepared.public
