"""A_PAP: private query release assisted by public data (BCM20 algorithm 3)."""

import math
from typing import ClassVar

from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.fields import changed, checked, value
from semipriv.core.roles import Role
from semipriv.learners._answering import AnsweringByMethod, as_method
from semipriv.learners.base import Needed, Setting
from semipriv.learners.stages.cover import check_representative
from semipriv.learners.stages.representative_domain import Domain, RepresentativeDomain
from semipriv.papers.bcm20.bounds.domains import cells_sum
from semipriv.papers.bcm20.bounds.proven import pap
from semipriv.papers.bcm20.bounds.sizes import cover_points_class, cover_points_exact
from semipriv.queries.methods.pmw import PMW

__all__ = ["QueryRelease"]


@value
class QueryRelease(AnsweringByMethod):
    """Answers to all queries of a class: public points make finitely many queries and cells, a private method answers.

    ``prepare`` makes the cover of the public points and its representative domain.  ``release`` counts the private
    points by cell, in which one record moves two counts by 1, and lets the method answer the cover's queries.  Each
    query of the class gets the answer to the hypothesis of the cover that agrees with it on the public points.  Labels
    of private points are ignored.

    There is no ``excess_bound``.  Theorem 10 is proved for PMW alone, with the parameters and from the number of
    records that ``bounds.proven.pap`` returns.  Other methods have no bound.

    Args:
        epsilon: privacy parameter, finite and > 0.
        delta: 0 or more; some methods need delta > 0.
        method: a method of query release, its name or a mapping with its parameters.
        scale: 'pm1' (means of -1 and 1, as in BCM20) or '01' (shares).
        representative: the place of each hypothesis in its cell, 'midpoint', 'lower' or 'upper'.

    Raises:
        ValueError: for a budget that the method refuses.

    Source:
        BCM20 algorithm 3, theorem 10.
    """

    hue: ClassVar[str] = "blue"

    representative: str = checked(check_representative, default="midpoint")

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
    def public_stage(self) -> RepresentativeDomain:
        """The cover of the public points and its cells."""
        return RepresentativeDomain(self.representative)

    def needed(self, alpha: float, setting: Setting) -> Needed | None:
        """Return the sizes of BCM20 theorem 10 with explicit constants, for PMW; alpha in the scale of the answers.

        PMW is set to what ``bounds.proven.pap`` returns.  None for other methods, for delta = 0, and where the VC
        dimension is not known.

        Raises:
            ValueError: if n_public is held at too few points for alpha.

        Source:
            BCM20 theorem 10.
        """
        h = setting.hypothesis_class
        if not isinstance(self.method, PMW) or self.method.scales == "book" or self.delta == 0:
            return None
        factor = 1.0 if self.scale == "pm1" else 2.0
        a = min(factor * alpha, math.nextafter(1, 0))
        line = isinstance(h, Thresholds)
        least = cover_points_exact(a, setting.beta) if line else cover_points_class(a, setting.beta, h.vc_dimension)
        m = setting.sizes.get("n_public") or least
        if m < least:
            raise ValueError(f"n_public = {m:,}: must be >= {least:,} for alpha = {alpha!r}")
        queries = h.growth(m)
        cells = cells_sum(queries, h.dual_vc_dimension)
        proven = pap(a, setting.beta, cells, queries, self.guarantee)
        method, n = proven.method, proven.records
        learner = changed(self, method=method)
        rows = min(n, 10_000)
        worst = alpha + (setting.beta / 2 + math.sqrt(math.log(2 * queries) / (2 * rows))) * 2 / factor
        aims = f"PMW aims at accuracy = {method.accuracy:g} in shares, failure = {method.failure:g}"
        note = (
            f"a synthetic table of {rows:,} rows (how = 'lp') then has an expected worst error of at most {worst:.3g} "
            "over the queries of the cover"
        )
        return Needed(
            {"n_public": m, "n_private": n},
            learner,
            "BCM20 theorem 10, our constants",
            "every distribution",
            (aims, note),
        )

    def note(self, prepared: Domain, n_private: int) -> str | None:
        """Return what the method says of so many rows."""
        return self.method.note(prepared.workload, self.guarantee, n_private)
