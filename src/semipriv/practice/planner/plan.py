"""The two questions to the planner, and its answers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from inspect import signature
from typing import Any, overload

from semipriv.classes.base import HypothesisClass
from semipriv.core import checks
from semipriv.learners._planned import ProvenExcess, ProvenSizes, check_epsilon, known_vc_dimension
from semipriv.learners.base import AnyLearner
from semipriv.practice.planner.empirical import (
    EmpiricalExcess,
    EmpiricalSizes,
    Report,
    Scenario,
    default_learner,
    empirical_excess,
    empirical_sizes,
)
from semipriv.practice.planner.of_learner import LearnerPlan, check_learner, learner_excess, learner_sizes


@dataclass(frozen=True, eq=False)
class Plan:
    """What was asked and what was found; the empirical part is None if no scenario was given."""

    hypothesis_class: HypothesisClass
    beta: float
    epsilon: float
    realizable: bool
    scenario: Scenario | None

    def __post_init__(self) -> None:
        checks.between("beta", self.beta, 0, 1)
        check_epsilon(self.epsilon)
        _check_scenario(self.scenario, self.hypothesis_class, self.realizable)

    @property
    def vc_dimension(self) -> int:
        """VC dimension of the class."""
        return known_vc_dimension(self.hypothesis_class)

    @property
    def learner(self) -> AnyLearner:
        """The learner of a plan that names none."""
        return default_learner(self.epsilon)

    def proven_sizes(self, alpha: float) -> ProvenSizes:
        """Return the proven sizes for an excess error alpha; raises ValueError if the learner has none."""
        sizes = self.learner.proven_sizes(self.hypothesis_class, alpha, self.beta, self.realizable)
        if sizes is None:
            raise ValueError(f"{self.learner!r}: has no proven sizes")
        return sizes

    def proven_excess(self, n_public: int, n_private: int) -> ProvenExcess:
        """Return the proven excess error at given sizes; raises ValueError if the learner has none."""
        excess = self.learner.proven_excess(self.hypothesis_class, n_public, n_private, self.beta, self.realizable)
        if excess is None:
            raise ValueError(f"{self.learner!r}: has no proven excess error")
        return excess

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the class."""
        return {
            name: getattr(self.hypothesis_class, name) for name in signature(type(self.hypothesis_class)).parameters
        }

    def _asked(self, **asked: float | int | None) -> dict[str, Any]:
        return {
            "class": type(self.hypothesis_class).__module__.rpartition(".")[2],
            "parameters": self.parameters,
            "vc_dimension": self.vc_dimension,
            **asked,
            "beta": self.beta,
            "epsilon": self.epsilon,
            "realizable": self.realizable,
        }


def _check_scenario(scenario: Scenario | None, hypothesis_class: Any, realizable: bool) -> None:
    if scenario is not None and scenario.population.hypothesis_class != hypothesis_class:
        raise ValueError(f"scenario: its population is for {scenario.population.hypothesis_class}")
    if scenario is not None and realizable and scenario.noise > 0:
        raise ValueError(f"noise = {scenario.noise}: must be 0 in the realizable case, where labels are right")


@dataclass(frozen=True, eq=False)
class SizePlan(Plan):
    """Sizes for an excess error alpha."""

    alpha: float
    proven: ProvenSizes
    empirical: EmpiricalSizes | None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain values, with the same keys for every question; what does not apply is None."""
        return {
            "question": "sizes",
            "asked": self._asked(alpha=self.alpha, n_public=None, n_private=None),
            "proven": asdict(self.proven),
            "empirical": None if self.empirical is None else asdict(self.empirical),
            "simulation": None if self.scenario is None else self.scenario.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class ExcessPlan(Plan):
    """Excess error at given sizes."""

    n_public: int
    n_private: int
    proven: ProvenExcess
    empirical: EmpiricalExcess | None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain values, as ``SizePlan.to_dict`` does."""
        return {
            "question": "excess",
            "asked": self._asked(alpha=None, n_public=self.n_public, n_private=self.n_private),
            "proven": {
                "excess": self.proven.theorem,
                "excess_optimised": self.proven.optimised,
                "vacuous": self.proven.optimised is None,
            },
            "empirical": None if self.empirical is None else asdict(self.empirical),
            "simulation": None if self.scenario is None else self.scenario.to_dict(),
        }


@overload
def plan_sizes(
    hypothesis_class: HypothesisClass,
    alpha: float,
    beta: float,
    epsilon: float,
    *,
    realizable: bool = ...,
    scenario: Scenario | None = ...,
    report: Report = ...,
) -> SizePlan: ...
@overload
def plan_sizes(
    hypothesis_class: Any,
    alpha: float,
    beta: float,
    epsilon: float | None = ...,
    *,
    realizable: bool = ...,
    scenario: Scenario | None = ...,
    report: Report = ...,
    learner: AnyLearner,
    n_public: int | None = ...,
) -> LearnerPlan: ...
def plan_sizes(
    hypothesis_class: Any,
    alpha: float,
    beta: float,
    epsilon: float | None = None,
    *,
    realizable: bool = False,
    scenario: Scenario | None = None,
    report: Report = lambda line: None,
    learner: AnyLearner | None = None,
    n_public: int | None = None,
) -> SizePlan | LearnerPlan:
    """Return the public points and private examples for excess error alpha with probability 1 - beta under epsilon-DP.

    For A_SSPP the answer has a part ``proven`` (``proven_sizes``), for every distribution, and ``empirical``
    (``empirical_sizes``), for the population of a scenario, if one is given.  For a learner it is that of
    ``learner_sizes``.

    Args:
        hypothesis_class: the class to learn.
        alpha: the excess error, in (0, 1).
        beta: failure probability, in (0, 1).
        epsilon: privacy parameter, finite and > 0; None with a learner, which has its own.
        realizable: whether some hypothesis of the class is always right.
        scenario: the population of the empirical part; None: no such part.
        report: is called with a line on each candidate.
        learner: which learner, with its parameters; A_SSPP by default.
        n_public: with a learner, number of public points that is held; None: it is part of the answer.

    Returns:
        What was asked, and the sizes that were found.

    Raises:
        ValueError: for values out of range, sizes beyond floating-point numbers, a VC dimension that is not known,
            noise in the realizable case, and n_public without a learner.

    Source:
        ABM19 theorem 3.1, with constants.
    """
    if learner is not None:
        check_learner(learner, hypothesis_class, epsilon)
        _check_scenario(scenario, hypothesis_class, realizable)
        held = {} if n_public is None else {"n_public": n_public}
        options: dict[str, Any] = {"realizable": realizable, "scenario": scenario, "report": report}
        return learner_sizes(hypothesis_class, learner, alpha, beta, held=held, **options)
    if n_public is not None:
        raise ValueError("n_public: is the answer; give it with a learner")
    epsilon = check_epsilon(epsilon)
    asked = Plan(hypothesis_class, beta, epsilon, realizable, scenario)
    proven = asked.proven_sizes(alpha)
    empirical = None if scenario is None else empirical_sizes(scenario, alpha, beta, epsilon, report)
    return SizePlan(hypothesis_class, asked.beta, epsilon, realizable, scenario, alpha, proven, empirical)


@overload
def plan_excess(
    hypothesis_class: HypothesisClass,
    n_public: int,
    n_private: int,
    beta: float,
    epsilon: float,
    *,
    realizable: bool = ...,
    scenario: Scenario | None = ...,
    report: Report = ...,
) -> ExcessPlan: ...
@overload
def plan_excess(
    hypothesis_class: Any,
    n_public: int | None = ...,
    n_private: int | None = ...,
    beta: float = ...,
    epsilon: float | None = ...,
    *,
    realizable: bool = ...,
    scenario: Scenario | None = ...,
    report: Report = ...,
    learner: AnyLearner,
    sizes: Mapping[str, int] | None = ...,
) -> LearnerPlan: ...
def plan_excess(
    hypothesis_class: Any,
    n_public: int | None = None,
    n_private: int | None = None,
    beta: float = 0.05,
    epsilon: float | None = None,
    *,
    realizable: bool = False,
    scenario: Scenario | None = None,
    report: Report = lambda line: None,
    learner: AnyLearner | None = None,
    sizes: Mapping[str, int] | None = None,
) -> ExcessPlan | LearnerPlan:
    """Return the excess error that n_public and n_private allow with probability 1 - beta under epsilon-DP.

    For A_SSPP the answer has a part ``proven`` (``proven_excess``), and ``empirical`` (``empirical_excess``) if a
    scenario is given.  For a learner it is that of ``learner_excess``.

    Args:
        hypothesis_class: the class to learn.
        n_public: number of public points.
        n_private: number of private examples.
        beta: failure probability, in (0, 1).
        epsilon: privacy parameter, finite and > 0; None with a learner, which has its own.
        realizable: whether some hypothesis of the class is always right.
        scenario: the population of the empirical part; None: no such part.
        report: is called with a line on what is simulated.
        learner: which learner, with its parameters; A_SSPP by default.
        sizes: with a learner, sizes other than n_public and n_private, by name.

    Returns:
        What was asked, and the excess error that was found.

    Raises:
        ValueError: for values out of range, noise in the realizable case, sizes without a learner, and if the bound
            says nothing and no scenario is given: there is no answer then.

    Source:
        ABM19 theorem 3.1, with constants.
    """
    if learner is not None:
        check_learner(learner, hypothesis_class, epsilon)
        _check_scenario(scenario, hypothesis_class, realizable)
        named = {key: n for key, n in (("n_public", n_public), ("n_private", n_private)) if n is not None}
        options: dict[str, Any] = {"realizable": realizable, "scenario": scenario, "report": report}
        return learner_excess(hypothesis_class, learner, {**named, **(sizes or {})}, beta, **options)
    if sizes is not None:
        raise ValueError("sizes: are for a learner; give n_public and n_private")
    n_public, n_private = checks.size("n_public", n_public), checks.size("n_private", n_private)
    epsilon = check_epsilon(epsilon)
    proven = Plan(hypothesis_class, beta, epsilon, realizable, scenario).proven_excess(n_public, n_private)
    if proven.optimised is None and scenario is None:
        raise ValueError(f"n_public = {n_public}, n_private = {n_private}: the bound says nothing at these sizes")
    empirical = None if scenario is None else empirical_excess(scenario, n_public, n_private, beta, epsilon, report)
    return ExcessPlan(hypothesis_class, beta, epsilon, realizable, scenario, n_public, n_private, proven, empirical)
