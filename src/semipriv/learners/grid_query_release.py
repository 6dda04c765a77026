"""Private query release on a fixed grid that does not depend on data; public points are a prior, or are not used."""

from typing import ClassVar

from semipriv.classes.base import HypothesisClass
from semipriv.core import fields
from semipriv.core.fields import checked, one_of, positive, real, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.types import Integers
from semipriv.core.work import Cost
from semipriv.learners._answering import Answering, as_method, check_method
from semipriv.learners.outputs._queries import SCALES
from semipriv.learners.stages.grid_domain import GridDomain
from semipriv.learners.stages.representative_domain import Domain
from semipriv.privacy.events import Event, budget_event
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Method

__all__ = ["GridQueryRelease"]


@value
class GridQueryRelease(Answering):
    """A_PAP with the points of a fixed grid instead of public ones, ``size`` in each feature from low to high.

    It answers well if the law is spread over the grid, and knows nothing of what lies between two grid points.  Most
    methods do not use public points at all: then it is the baseline without them.  ``public_prior_tree`` takes their
    shares of the cells as a prior; so no answer is limited by how few they are.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: 0 or more; some methods need delta > 0.
        method: a method of query release, its name or a mapping with its parameters.
        scale: 'pm1' (means of -1 and 1) or '01' (shares).
        low: least point of each feature.
        high: greatest point of each feature, > low.
        size: points in each feature.

    Raises:
        ValueError: for high <= low, and for a budget that the method refuses.
    """

    hue: ClassVar[str] = "green"

    epsilon: float = positive()
    delta: float = fields.delta(default=0.0)
    method: Method = checked(as_method, default="mwem")
    scale: str = one_of(SCALES, "answers", default="pm1")
    low: float = real(default=0.0)
    high: float = real(default=1.0)
    size: int = size(default=1024)

    def __attrs_post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"high = {self.high!r}: must be > low = {self.low!r}")
        self.method.check(self.guarantee)

    @classmethod
    def examples(cls) -> tuple["GridQueryRelease", ...]:
        """Return one with three points in each feature."""
        prior = cls(0.5, 0.0, as_method("method", "public_prior_tree"), "01", size=5)
        return cls(0.7, 1e-6, as_method("method", "gaussian"), low=0.0, high=3.0, size=3), prior

    @property
    def role(self) -> Role:
        """No public data, unless the method reads them."""
        return Role.VARIANT if self.method.reads_public else Role.NO_PUBLIC

    @property
    def short_title(self) -> str:
        """The name: what makes the cells."""
        return f"fixed grid, {self.method.short_title}"

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

    @property
    def public_stage(self) -> GridDomain:
        """The cells of the grid, with the public points in each if the method reads them."""
        return GridDomain(self.low, self.high, self.size, self.method.reads_public)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that the method can answer the queries of a class."""
        super().check(hypothesis_class)
        check_method(self.method, hypothesis_class)

    @property
    def weighs(self) -> bool:
        """Whether the method finds weights of the cells."""
        return self.method.weighs

    def check_release(self, prepared: Domain, n_private: int) -> None:
        """Check that there is a private example, and that the method answers the queries within the budget."""
        super().check_release(prepared, n_private)
        self.method.check_fit(prepared.workload, self.guarantee)

    def draw_cost(self, prepared: Domain, n_private: int) -> Cost | None:
        """Return what the noise of the method takes; None if something else takes longer."""
        return self.method.draw_cost(prepared.workload, self.guarantee)

    def _fit(self, prepared: Domain, counts: Integers, randomness: Randomness, units: int) -> Fitted:
        method = self.method.beside(prepared.public)
        return method.fit(prepared.workload, counts, self.guarantee, randomness, units)
