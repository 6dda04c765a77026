"""Both questions to the planner about any learner, and the answers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import attrs

from semipriv.core import checks, registry
from semipriv.core.randomness import Simulation
from semipriv.learners._needs import bound, needed, size_keys, with_sizes
from semipriv.learners._planned import check_epsilon
from semipriv.learners.base import AnyLearner, Needed, Setting, status_model
from semipriv.learners.stages.cover import CoverStage
from semipriv.practice.planner.empirical import (
    CONFIDENCE,
    EmpiricalExcess,
    Report,
    Scenario,
    check_rows,
    default_trials,
    grid,
    search_public,
)
from semipriv.practice.planner.private_size import PrivateSize, private_size
from semipriv.practice.planner.trials import check_simulated, excesses

MOST_SIMULATED = 1_000_000
"""Largest private size that is tried for a learner."""


@dataclass(frozen=True, eq=False)
class LearnerPlan:
    """What was asked of a learner and what was found.

    alpha: the excess error that was asked for; None: sizes were given.  sizes: those that were given.  proven: the
    sizes for alpha by a theorem; None if none is known.  bound: the excess error at given sizes; None if nothing is
    proven, or says nothing.  empirical: what a simulation found, on the scenario's population, instead of a proof.
    """

    hypothesis_class: Any
    learner: AnyLearner
    beta: float
    realizable: bool
    scenario: Scenario | None
    alpha: float | None
    sizes: Mapping[str, int]
    proven: Needed | None
    bound: float | None
    empirical: PrivateSize | EmpiricalExcess | None

    @property
    def theorem(self) -> str | None:
        """Where the proven answer is from; None if there is none."""
        if self.proven is not None:
            return self.proven.theorem
        if self.bound is None:
            return None
        about = setting(self.hypothesis_class, self.learner, self.beta, self.realizable)
        try:
            needed = self.learner.needed(0.5, about)
        except ValueError:  # no size is enough for 1/2; the bound is the learner's own
            needed = None
        return self.learner.theorem if needed is None else needed.theorem

    @property
    def holds(self) -> str | None:
        """For which distributions the proven answer holds; None if there is none."""
        if self.proven is not None:
            return self.proven.holds
        if self.bound is None:
            return None
        about = setting(self.hypothesis_class, self.learner, self.beta, self.realizable)
        needed = self.learner.needed(0.5, about)
        return self.learner.distributions(about) if needed is None else needed.holds

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain values, with the same keys for every question; what does not apply is None."""
        proven = self.proven
        return {
            "question": "excess" if self.alpha is None else "sizes",
            "asked": {
                "class": registry.name_of(self.hypothesis_class),
                "parameters": registry.parameters(self.hypothesis_class),
                "learner": {"name": registry.name_of(self.learner), **registry.parameters(self.learner)},
                "alpha": self.alpha,
                "sizes": dict(self.sizes),
                "beta": self.beta,
                "realizable": self.realizable,
            },
            "guarantee": self.learner.guarantee and attrs.asdict(self.learner.guarantee),
            "theorem": self.theorem,
            "proven": {
                "sizes": None if proven is None else dict(proven.sizes),
                "excess": self.bound,
                "holds": self.holds,
                "notes": [] if proven is None else list(proven.notes),
                "learner": None if proven is None else registry.parameters(proven.learner),
            },
            "empirical": None if self.empirical is None else asdict(self.empirical),
            "simulation": None if self.scenario is None else self.scenario.to_dict(),
        }


def setting(hypothesis_class: Any, learner: AnyLearner, beta: float, realizable: bool) -> Setting:
    """Return the setting of a bound without sizes."""
    best = 0.0 if realizable else 0.5
    return Setting(hypothesis_class, {}, checks.between("beta", beta, 0, 1), 1.0, best, status_model(learner))


def check_learner(learner: AnyLearner, hypothesis_class: Any, epsilon: float | None = None) -> None:
    """Raise ValueError unless the learner learns the class, with the epsilon that was asked for."""
    learner.check(hypothesis_class)
    guarantee = learner.guarantee
    if guarantee is not None and guarantee.epsilon > 0:
        check_epsilon(guarantee.epsilon)
    if epsilon is not None and (guarantee is None or guarantee.epsilon != check_epsilon(epsilon)):
        has = "no guarantee" if guarantee is None else f"epsilon = {guarantee.epsilon:g}"
        raise ValueError(f"epsilon = {epsilon!r}: {learner!r} has {has}")


def learner_sizes(
    hypothesis_class: Any,
    learner: AnyLearner,
    alpha: float,
    beta: float,
    *,
    realizable: bool = False,
    held: Mapping[str, int] | None = None,
    scenario: Scenario | None = None,
    report: Report = lambda line: None,
) -> LearnerPlan:
    """Return the sizes with which a learner has an excess error of at most alpha with probability 1 - beta.

    held: sizes that are given, such as n_public.  proven: by the learner's own rule, or by solving its bound: put back
    they allow at most alpha.  empirical: the least last size on a grid that fresh trials confirm (``private_size``).
    Raise ValueError if neither answers.
    """
    checks.between("alpha", alpha, 0, 1)
    checked = _checked(learner, held or {})
    about = setting(hypothesis_class, learner, beta, realizable)
    proven = needed(learner, alpha, with_sizes(about, checked))
    if proven is None and scenario is None:
        raise ValueError(f"{learner!r}: nothing is proven about it here, and nothing is simulated")
    seen = None
    if scenario is not None:
        check_simulated(learner, hypothesis_class)
        scenario.population.check_learner(learner)
        keys = size_keys(learner)
        fixed = dict(checked)
        if keys[0] == "n_public" and "n_public" not in fixed and not scenario.population.wide:
            trials = scenario.trials_for(beta)
            fixed["n_public"] = grid(search_public(scenario, alpha, beta, trials, report, CoverStage())[0])
        missing = [key for key in keys[:-1] if key not in fixed]
        if missing:
            raise ValueError(f"{missing[0]}: must be given for a simulation of {learner!r}")
        seen = private_size(scenario, learner, alpha, beta, fixed, MOST_SIMULATED, 1 - CONFIDENCE, report)
    return LearnerPlan(hypothesis_class, learner, beta, realizable, scenario, alpha, checked, proven, None, seen)


def learner_excess(
    hypothesis_class: Any,
    learner: AnyLearner,
    sizes: Mapping[str, int],
    beta: float,
    *,
    realizable: bool = False,
    scenario: Scenario | None = None,
    report: Report = lambda line: None,
) -> LearnerPlan:
    """Return the excess error that given sizes allow with probability 1 - beta.

    Raise ValueError if sizes are missing, and if neither a bound nor a simulation answers.
    """
    checked = _checked(learner, sizes)
    missing = [key for key in size_keys(learner) if key not in checked]
    if missing:
        raise ValueError(f"{missing[0]}: must be given for {learner!r}")
    about = setting(hypothesis_class, learner, beta, realizable)
    proven = bound(learner, with_sizes(about, checked))
    if proven is None and scenario is None:
        raise ValueError(f"{learner!r}: nothing is proven about it here, and nothing is simulated")
    least = None if proven is None or proven >= 1 else proven
    if least is None and scenario is None:
        shown = ", ".join(f"{key} = {size}" for key, size in checked.items())
        raise ValueError(f"{shown}: the bound says nothing at these sizes")
    seen = None
    if scenario is not None:
        check_simulated(learner, hypothesis_class)
        scenario.population.check_learner(learner)
        trials = default_trials(beta) if scenario.trials is None else scenario.trials_for(beta)
        for key, n in checked.items():
            check_rows(key, n, trials)
        stream = Simulation(scenario.seed).spawn("excess")
        errors = list(excesses(scenario.population, learner, checked, scenario.noise, trials, stream))
        seen = EmpiricalExcess.of(errors, beta)
    return LearnerPlan(hypothesis_class, learner, beta, realizable, scenario, None, checked, None, least, seen)


def _checked(learner: AnyLearner, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return sizes in the order of the learner's keys; raise ValueError for others."""
    keys = size_keys(learner)
    for key in sizes:
        registry.check_name(f"size of {registry.name_of(learner)!r}", key, list(keys))
    return {key: checks.size(key, sizes[key], 0 if key == "n_unlabelled" else 1) for key in keys if key in sizes}
