"""A_PAP: private query release assisted by public data (BCM20 algorithm 3)."""

from semipriv import fields, registry
from semipriv.classes.base import HypothesisClass
from semipriv.fields import checked, one_of, positive, value
from semipriv.learners._answering import Answering, as_method, check_method
from semipriv.outputs._queries import SCALES
from semipriv.privacy.events import Event, budget_event
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Counts, Fitted, Method
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.stages.cover import check_representative
from semipriv.stages.representative_domain import Domain, RepresentativeDomain

__all__ = ["QueryRelease"]


@value
class QueryRelease(Answering):
    """Answers to all queries of a class: public points make finitely many queries and cells, a private method answers.

    ``prepare`` makes the cover of the public points and its representative domain.  ``release`` counts the private
    points by cell, in which one record moves two counts by 1, and lets the method answer the cover's queries.  Each
    query of the class gets the answer to the hypothesis of the cover that agrees with it on the public points.  Labels
    of private points are ignored.

    delta: 0 or more; some methods need delta > 0.  method: a method of query release, its name or a mapping with its
    parameters.  scale: 'pm1' (means of -1 and 1, as in the paper) or '01' (shares).  representative: the place of each
    hypothesis in its cell, 'midpoint', 'lower' or 'upper'.

    There is no ``excess_bound``.  Theorem 10 is proved for PMW alone, with target alpha / 4 in shares and four times
    the records of lemma 7 (``semipriv.bounds.bcm20.sizes.pap_records``; epsilon = 1, delta = 1e-6, beta = .05).  For
    thresholds with 300 public points that is below 1 from 5.2e5 private records on, and .73 at 1e6 if PMW aims at .18.
    Figures end at 1e6, and their PMW aims at .05, alpha = .2, which needs 1.5e7 records.  Other methods have no bound.
    """

    epsilon: float = positive()
    delta: float = fields.delta(default=0.0)
    method: Method = checked(as_method, default="mwem")
    scale: str = one_of(SCALES, "answers", default="pm1")
    representative: str = checked(check_representative, default="midpoint")

    def __attrs_post_init__(self) -> None:
        self.method.check(self.guarantee)

    @classmethod
    def examples(cls) -> tuple["QueryRelease", ...]:
        """Return learners with Gaussian noise."""
        gaussian = as_method("method", "gaussian")
        return cls(1.0, 1e-6, gaussian), cls(0.5, 1e-3, gaussian, "01", "lower")

    @property
    def role(self) -> Role:
        """The role of the paper's algorithm, which calls private multiplicative weights; else of a variant."""
        return Role.PAPER if registry.name_of(self.method) == "pmw" else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with the method."""
        return f"A_PAP, {self.method.short_title}"

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

        So its rho is at most the largest one that implies the guarantee; with delta = 0, epsilons add up.
        """
        return budget_event(self.guarantee)

    @property
    def public_stage(self) -> RepresentativeDomain:
        """The cover of the public points and its cells."""
        return RepresentativeDomain(self.representative)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError if the method cannot answer the queries of the class."""
        super().check(hypothesis_class)
        check_method(self.method, hypothesis_class)

    def _fit(self, prepared: Domain, counts: Counts, randomness: Randomness) -> Fitted:
        return self.method.fit(prepared.workload, counts, self.guarantee, randomness)
