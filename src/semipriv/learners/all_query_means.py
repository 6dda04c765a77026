"""Baseline without privacy: query release from the means of all data."""

from semipriv.fields import one_of, value
from semipriv.learners._answering import Answering, from_weights
from semipriv.outputs._queries import SCALES
from semipriv.queries.base import Counts, Fitted
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.representative_domain import Domain, RepresentativeDomain

__all__ = ["AllQueryMeans"]


@value
class AllQueryMeans(Answering):
    """Means over public and private points together for the cover's queries, which answer the others.  Not private.

    It is the limit of A_PAP as epsilon tends to infinity, up to the public points: what is left is the error of the
    cover.
    """

    scale: str = one_of(SCALES, "answers", default="pm1")

    @classmethod
    def examples(cls) -> tuple["AllQueryMeans", ...]:
        """Return the one of the default scale."""
        return (cls(),)

    @property
    def role(self) -> Role:
        """The role of the paper's candidates without privacy."""
        return Role.CANDIDATES_MINIMISER

    @property
    def short_title(self) -> str:
        """The name: what it takes means of."""
        return "means of all points over the cover"

    @property
    def remark(self) -> str:
        """The remark that it is not private."""
        return "not private"

    @property
    def guarantee(self) -> None:
        """None: not private."""
        return None

    @property
    def public_stage(self) -> RepresentativeDomain:
        """The cells of the public points, with the number of them in each."""
        return RepresentativeDomain()

    def _fit(self, prepared: Domain, counts: Counts, randomness: Randomness) -> Fitted:
        return from_weights(prepared, counts + prepared.public)
