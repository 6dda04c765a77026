"""Baseline: query release from public points alone."""

from semipriv.fields import one_of, value
from semipriv.learners._answering import Answering, from_weights
from semipriv.outputs._queries import SCALES
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Counts, Fitted
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.representative_domain import Domain, RepresentativeDomain

__all__ = ["PublicQueryMeans"]


@value
class PublicQueryMeans(Answering):
    """Means over the public points; they ignore the private sample.

    Their error is about 1 / sqrt(m) if public and private points follow one law, however many private points there are,
    and keeps what the laws differ by.  Without a public point all cells weigh the same.
    """

    scale: str = one_of(SCALES, "answers", default="pm1")

    @classmethod
    def examples(cls) -> tuple["PublicQueryMeans", ...]:
        """Return one for each scale."""
        return cls(), cls("01")

    @property
    def role(self) -> Role:
        """The role of learning from public data alone."""
        return Role.PUBLIC_ONLY

    @property
    def short_title(self) -> str:
        """The name: what it takes means of."""
        return "means of public points"

    @property
    def guarantee(self) -> Guarantee:
        """Zero epsilon: the output does not depend on the private sample."""
        return Guarantee(0.0)

    @property
    def public_stage(self) -> RepresentativeDomain:
        """The cells of the public points, with the number of them in each."""
        return RepresentativeDomain()

    def _fit(self, prepared: Domain, counts: Counts, randomness: Randomness) -> Fitted:
        return from_weights(prepared, prepared.public)
