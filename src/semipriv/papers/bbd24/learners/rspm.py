"""RSPM, learning by one call of an oracle with random weights on a universal set (BBD24 algorithm 5)."""

from dataclasses import replace
from typing import ClassVar

from semipriv.classes.base import HypothesisClass
from semipriv.core.fields import value
from semipriv.core.roles import Role
from semipriv.learners.base import Facts, Setting
from semipriv.papers.bbd24.learners.rrspm import RRSPM
from semipriv.papers.bbd24.stages.weighted_points import WeightedDomain

__all__ = ["RSPM"]


@value
class RSPM(RRSPM):
    """RRSPM with the whole domain of a finite class instead of public points (Neel, Roth and Wu 2019).

    No two hypotheses agree on the domain, so the pattern is the hypothesis that the oracle found.  Parameters and
    privacy are those of RRSPM, with m the size of the domain; no public data are used.

    Source:
        BBD24 algorithm 5 (Neel, Roth and Wu 2019).
    """

    hue: ClassVar[str] = "orange"
    facts: ClassVar[Facts] = replace(RRSPM.facts, bound_sizes={})

    @classmethod
    def examples(cls) -> tuple["RSPM", ...]:
        """Return the algorithm, and one with teaching sets."""
        return cls(1.0), cls(0.5, scale="teaching")

    role = Role.NO_PUBLIC

    @property
    def short_title(self) -> str:
        """The paper's name."""
        return super().short_title.replace("RRSPM", "RSPM")

    @property
    def public_stage(self) -> WeightedDomain:
        """The whole domain, its shift and its order."""
        return WeightedDomain("teaching" if self.scale == "teaching" else "all", self.releasable, self.patterns)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: for a class without a domain that is small enough to list.
        """
        super().check(hypothesis_class)
        if hypothesis_class.whole_domain is None:
            raise ValueError(f"{hypothesis_class!r}: RSPM needs a finite domain that is listed and tells all apart")

    def excess_bound(self, setting: Setting) -> None:
        """Return None: theorem 10 speaks of public points."""
        return
