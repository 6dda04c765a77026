"""Which learner reaches an excess error with the fewest private examples, on one population: a simulation, no proof."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from semipriv.classes.base import HypothesisClass
from semipriv.core import checks, registry
from semipriv.core.randomness import Simulation
from semipriv.learners._needs import size_keys
from semipriv.learners._planned import check_epsilon
from semipriv.learners.base import AnyLearner, Protection
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.logistic_regression import LogisticRegression
from semipriv.practice.asking.choosing import AUTO
from semipriv.practice.planner.empirical import CONFIDENCE, Report, Scenario
from semipriv.practice.planner.private_size import PrivateSize, private_size
from semipriv.practice.planner.trials import check_simulated, excess
from semipriv.privacy.guarantee import Guarantee, by_person

REFERENCE = EmpiricalRiskMinimiser()
"""Minimises mistakes over the class without privacy."""
WIDE_REFERENCE = LogisticRegression()
"""In its place for many features, if mistakes cannot be minimised."""
TINY = 64
"""Examples of the trials that show whether a learner runs here at all."""


@dataclass(frozen=True, eq=False)
class Row:
    """A learner with its least private size; reference: whether it is not private, and only shows what is possible."""

    learner: AnyLearner
    private_size: PrivateSize
    reference: bool
    by_person: bool = False

    @property
    def guarantee(self) -> Guarantee | None:
        """That of the learner, for replacing a person if persons are simulated."""
        given = self.learner.guarantee
        return by_person(given) if self.by_person and given is not None else given

    @property
    def neighbours(self) -> str:
        """Its neighbours, in words; sizes of learners with different neighbours are not comparable."""
        guarantee = self.guarantee
        return "none: not private" if guarantee is None else str(guarantee.neighbours).replace("_", " ")

    def to_dict(self) -> dict[str, Any]:
        """Return the row in plain values."""
        guarantee = self.guarantee
        return {
            "learner": {"name": registry.name_of(self.learner), **registry.parameters(self.learner)},
            "title": self.learner.title,
            "reference": self.reference,
            "epsilon": None if guarantee is None else guarantee.epsilon,
            "delta": None if guarantee is None else guarantee.delta,
            "neighbours": None if guarantee is None else str(guarantee.neighbours),
            "size": self.private_size.size,
            "upper": self.private_size.upper,
            "lower": self.private_size.lower,
            "trials": self.private_size.trials,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """The question, a row for each learner, best first, and the learners left out, with the reason.

    All limits of all rows hold together with probability ``CONFIDENCE``, over the simulation.
    """

    scenario: Scenario
    alpha: float
    beta: float
    n_public: int
    most: int
    rows: tuple[Row, ...]
    left_out: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain values."""
        h = self.scenario.population.hypothesis_class
        return {
            "question": "compare",
            "asked": {
                "class": registry.name_of(h),
                "parameters": registry.parameters(h),
                "alpha": self.alpha,
                "beta": self.beta,
                "n_public": self.n_public,
                "most": self.most,
            },
            "rows": [row.to_dict() for row in self.rows],
            "left_out": [{"learner": name, "reason": reason} for name, reason in self.left_out],
            "simulation": self.scenario.to_dict(),
        }


def compare(
    scenario: Scenario,
    learners: Sequence[AnyLearner],
    alpha: float,
    beta: float,
    *,
    n_public: int = 100,
    most: int = 20_000,
    report: Report = lambda line: None,
) -> Comparison:
    """Return limits of the least private size of each learner, and of one without privacy if labels are 0 and 1.

    n_public: public points for those that take them.  most: largest size that is tried.  Raise ValueError for a learner
    that cannot learn the class or be simulated, and for two equal ones.
    """
    checks.between("alpha", alpha, 0, 1)
    n_public, most = checks.size("n_public", n_public), checks.size("most", most)
    reference = _reference(scenario)
    asked = [*learners, *([] if reference is None or reference in learners else [reference])]
    for i, learner in enumerate(asked):
        if learner in asked[:i]:
            raise ValueError(f"{learner!r}: is given twice")
        reason = refusal(scenario, learner, n_public)
        if reason is not None:
            raise ValueError(f"{registry.name_of(learner)}: {reason}")
    level = (1 - CONFIDENCE) / len(asked)
    rows = []
    for learner in asked:
        held = {"n_public": n_public} if "n_public" in size_keys(learner) else {}
        size = private_size(scenario, learner, alpha, beta, held, most, level, report)
        persons = scenario.population.persons is not None
        rows.append(Row(learner, size, learner.protection is Protection.NONE, persons))
    order = sorted(rows, key=lambda row: (row.reference, row.private_size.upper is None, row.private_size.upper or 0))
    return Comparison(scenario, alpha, beta, n_public, most, tuple(order), ())


def _reference(scenario: Scenario) -> AnyLearner | None:
    """Return the learner without privacy that shows what is possible; None if there is none."""
    if not isinstance(scenario.population.hypothesis_class, HypothesisClass):
        return None
    return WIDE_REFERENCE if scenario.population.wide else REFERENCE


def refusal(scenario: Scenario, learner: AnyLearner, n_public: int) -> str | None:
    """Return why a learner cannot be compared on the population, in words; None if it can."""
    try:
        check_simulated(learner, scenario.population.hypothesis_class)
        learner.check(scenario.population.hypothesis_class)
        scenario.population.check_learner(learner)
        if learner.guarantee is not None and learner.guarantee.epsilon > 0:
            check_epsilon(learner.guarantee.epsilon)
        if learner.reads_unlabelled:
            return "reads unlabelled private entries, which are not compared"
        sizes = {key: n_public if key == "n_public" else TINY for key in size_keys(learner)}
        stream = Simulation(scenario.seed).spawn("tiny")
        for i in range(3):  # a target may leave a mixed sample without a public point
            excess(scenario.population, learner, sizes, scenario.noise, stream.spawn(i))
    except ValueError as error:
        return " ".join(str(error).split())
    return None


def suitable(
    scenario: Scenario, epsilon: float, delta: float, n_public: int
) -> tuple[list[AnyLearner], list[tuple[str, str]]]:
    """Return the learners that suit the class at (epsilon, delta), and those left out, with the reason.

    These are private learners that need no parameter but epsilon and delta; the others keep their defaults.
    """
    learners: list[AnyLearner] = []
    left: list[tuple[str, str]] = []
    for name in registry.names("learners"):
        try:
            learner = built(name, epsilon, delta, {})
        except ValueError as error:
            left.append((name, " ".join(str(error).split())))
            continue
        guarantee = learner.guarantee
        if guarantee is None or guarantee.epsilon != epsilon:
            continue  # baselines that do not read the private sample, or do so without privacy
        reason = refusal(scenario, learner, n_public)
        if reason is None:
            learners.append(learner)
        else:
            left.append((name, reason))
    return learners, left


def built(name: str, epsilon: float | None, delta: float, parameters: dict[str, Any]) -> AnyLearner:
    """Return the learner with that name and these parameters; epsilon, and delta where one must be given, are added.

    Parameters that a plan sets stand in.  Raise ValueError, with the nearest name, for an unknown learner or parameter,
    and for a parameter that the plan sets.
    """
    if name == AUTO:
        raise ValueError(
            f"learner {AUTO!r}: is the rule by which requests and estimators take a learner and its class; here the "
            "class is given, so name the learner (`semipriv docs which-learner` has the rule; a dry run says what it "
            "takes)"
        )
    plugin = registry.load("learners", name)
    for key in parameters:
        if key in plugin.set_by_plan:
            raise ValueError(f"{key}: follows from alpha for learner {name!r}, and is part of the answer")
    needs = registry.required("learners", name)
    settings = {**plugin.set_by_plan, **parameters}
    if "epsilon" in needs and epsilon is not None:
        settings.setdefault("epsilon", epsilon)
    if "delta" in needs:
        settings.setdefault("delta", delta)
    return registry.build("learners", {**settings, "name": name})
