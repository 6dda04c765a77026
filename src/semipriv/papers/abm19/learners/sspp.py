"""A_SSPP, the semi-supervised semi-private learner (ABM19 algorithm 1)."""

import math
from functools import cached_property
from typing import ClassVar

from semipriv.classes.base import Cover, HypothesisClass
from semipriv.core import checks
from semipriv.core.fields import checked, named, positive, value
from semipriv.core.roles import Role
from semipriv.learners._planned import ProvenExcess, ProvenSizes, check_epsilon, known_vc_dimension, log_growth
from semipriv.learners._selecting import Selecting
from semipriv.learners.base import Facts, Setting
from semipriv.learners.stages.cover import CoverStage, check_representative
from semipriv.mechanisms.selection.base import SelectionMechanism, SelectionName, selection
from semipriv.papers.abm19.bounds.planned import planned_excess, planned_sizes
from semipriv.papers.abm19.bounds.sizes import excess_bound, excess_bound_realizable
from semipriv.privacy.guarantee import Guarantee, Neighbours

__all__ = ["SSPP"]


@value
class SSPP(Selecting[Cover]):
    """Cover of the public points, then private selection by empirical mistakes.

    ``prepare`` carries out steps 1 to 5: it makes one hypothesis for each dichotomy of the distinct public points.
    ``release`` carries out steps 6 and 7: the exponential mechanism with the integer score -mistakes.  Replacing one
    example changes each score by at most 1.  Each hypothesis has probability proportional to exp(-epsilon mistakes /
    2).  So the release is pure epsilon-DP for every public sample.

    Args:
        epsilon: privacy parameter, finite and > 0.
        mechanism: 'exponential' (the paper's) or 'permute_and_flip' (same guarantee, never worse).
        representative: the place of each hypothesis in its cell, the set of parameters with the same dichotomy:
            'midpoint', 'lower' or 'upper'.

    Source:
        ABM19 algorithm 1, theorem 3.1, lemma 3.2.
    """

    hue: ClassVar[str] = "blue"
    facts: ClassVar[Facts] = Facts(bound_sizes={"n_public": 10**6, "n_private": 10**6})

    epsilon: float = positive()
    mechanism: SelectionName | str = named("mechanisms/selection", default="exponential")
    representative: str = checked(check_representative, default="midpoint")

    @classmethod
    def examples(cls) -> tuple["SSPP", ...]:
        """Return learners with both mechanisms, and one with representatives at an end of their cells."""
        return cls(1.0), cls(0.3, representative="upper"), cls(1.0, mechanism="permute_and_flip")

    @property
    def role(self) -> Role:
        """The role of the paper's algorithm; with another mechanism, of a variant."""
        return Role.PAPER if self.mechanism == "exponential" else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with the mechanism if it is another one."""
        return "A_SSPP" if self.mechanism == "exponential" else f"A_SSPP with {self.mechanism.replace('_', '-')}"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing one private example."""
        return Guarantee(self.epsilon, 0.0, Neighbours.REPLACE_PRIVATE_EXAMPLE)

    @property
    def public_stage(self) -> CoverStage:
        """Steps 1 to 5.  Among the parameters the cover depends on the rule for representatives alone."""
        return CoverStage(self.representative)

    def covered(self, n_public: int, hypothesis_class: HypothesisClass) -> int:
        """Return the number of points whose dichotomies are the candidates, at most.

        Args:
            n_public: number of public points.
            hypothesis_class: the class to learn.

        Returns:
            n_public.
        """
        return n_public

    def excess_bound(self, setting: Setting) -> float | None:
        """Return the bound from the proof of ABM19 theorem 3.1.

        None unless public and private examples are drawn separately and the VC dimension is known.

        Source:
            ABM19 theorem 3.1.
        """
        n_public, n_private = setting.sizes.get("n_public"), setting.sizes.get("n_private")
        if n_public is None or n_private is None:
            return None
        try:
            d = max(1, setting.hypothesis_class.vc_dimension)  # a single function: what holds for 1 holds for 0
        except ValueError:  # only bounds of it are known
            return None
        log_cover = math.log(setting.hypothesis_class.growth(self.covered(n_public, setting.hypothesis_class)))
        arguments = (n_public, n_private, self.epsilon, setting.beta, d, log_cover)
        bound = excess_bound(*arguments, sigma=setting.sigma)
        if setting.best_error == 0:
            bound = min(bound, excess_bound_realizable(*arguments, sigma=setting.sigma))
        return bound

    def proven_sizes(
        self, hypothesis_class: HypothesisClass, alpha: float, beta: float, realizable: bool = False
    ) -> ProvenSizes:
        """Return the sizes of theorem 3.1 with its constants, for the largest cover of n_public points.

        Raises:
            ValueError: for alpha or beta outside (0, 1), for an epsilon that the planner does not support, for sizes
                beyond the floating-point numbers, and if the VC dimension or the growth is not known.

        Examples:
            >>> from semipriv.classes.thresholds import Thresholds
            >>> SSPP(1.0).proven_sizes(Thresholds(), 0.1, 0.1)
            ProvenSizes(n_public=1762, n_private=37942, n_private_optimised=10011)
        """
        epsilon, d = check_epsilon(self.epsilon), max(1, known_vc_dimension(hypothesis_class))

        def growth(n_public: int) -> float:
            return log_growth(hypothesis_class, self.covered(n_public, hypothesis_class))

        return ProvenSizes(*planned_sizes(alpha, beta, epsilon, d, growth, realizable=realizable))

    def proven_excess(
        self, hypothesis_class: HypothesisClass, n_public: int, n_private: int, beta: float, realizable: bool = False
    ) -> ProvenExcess:
        """Return the excess errors that theorem 3.1 and its proof allow.

        Raises:
            ValueError: as ``proven_sizes`` does.
        """
        epsilon, d = check_epsilon(self.epsilon), max(1, known_vc_dimension(hypothesis_class))
        log_cover = log_growth(hypothesis_class, self.covered(checks.size("n_public", n_public), hypothesis_class))
        return ProvenExcess(*planned_excess(n_public, n_private, beta, epsilon, d, log_cover, realizable=realizable))

    @cached_property
    def selection(self) -> SelectionMechanism:
        """Steps 6 and 7: the mechanism with that name."""
        return selection(self.mechanism, self.epsilon)
