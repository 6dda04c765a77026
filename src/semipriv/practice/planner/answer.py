"""Plans, and a comparison of learners, in words."""

from collections.abc import Mapping
from typing import Any

from semipriv.core import registry
from semipriv.practice.asking.releasable import REAL
from semipriv.practice.planner.compare import Comparison
from semipriv.practice.planner.empirical import CONFIDENCE, EmpiricalExcess, EmpiricalSizes, Scenario
from semipriv.practice.planner.of_learner import LearnerPlan
from semipriv.practice.planner.plan import ExcessPlan, Plan, SizePlan
from semipriv.practice.planner.private_size import PrivateSize
from semipriv.practice.planner.tasks import task_of

_OURS, _SIMULATED = "proven, best split (ours)", "simulated"
_POPULATION = "the population below, average over targets; no proof"
WORDS = {
    "n_public": "public points",
    "n_private": "private examples",
    "n": "examples in all",
    "n_labelled": "labelled examples",
    "n_unlabelled": "unlabelled entries",
}
"""What sizes are called."""


def text(plan: SizePlan | ExcessPlan) -> str:
    """Return the answer as a table, with the meaning of each number and the distributions for which it holds."""
    lines = _sizes(plan) if isinstance(plan, SizePlan) else _excess(plan)
    return "\n".join([*_question(plan), "", *lines, *_simulation(plan)])


def _question(plan: SizePlan | ExcessPlan) -> list[str]:
    parameters = ", ".join(f"{key} = {value}" for key, value in plan.parameters.items())
    name = type(plan.hypothesis_class).__name__
    if isinstance(plan, SizePlan):
        asked = f"Sizes for an excess error of at most alpha = {plan.alpha:g}"
    else:
        asked = f"Excess error with {plan.n_public:,} public points and {plan.n_private:,} private examples"
    return [
        f"{asked} with probability {1 - plan.beta:g} (beta = {plan.beta:g})",
        f"Class      {name}({parameters}), VC dimension {plan.vc_dimension}; {_kind(plan)}",
        *_left_out(plan.hypothesis_class),
        f"Learner    A_SSPP (ABM19 algorithm 1), epsilon = {plan.epsilon:g}: pure differential privacy for replacing",
        "           one private example; public points without labels",
    ]


def _theorem(plan: Plan) -> tuple[str, str]:
    """Return the source of the bound and its distributions; the realizable form follows from the theorem's proof.

    Sizes and excess errors of one row are of one bound: put back, they answer each other.
    """
    if plan.realizable:
        return "proven, realizable form", "every realizable distribution"
    return "proven, ABM19 theorem 3.1", "every distribution"


def _sizes(plan: SizePlan) -> list[str]:
    proven, empirical = plan.proven, plan.empirical
    theorem, every = _theorem(plan)
    rows: list[tuple[str, int | str, int | str, str]] = [
        ("", "public points", "private examples", "holds for"),
        (theorem, proven.n_public, proven.n_private, every),
        (_OURS, proven.n_public, proven.n_private_optimised, every),
    ]
    if empirical is not None:
        rows.append((_SIMULATED, empirical.n_public, empirical.n_private, _POPULATION))
    return [f"{what:27}{_number(m):>15}{_number(n):>19}   {validity}" for what, m, n, validity in rows]


def _excess(plan: ExcessPlan) -> list[str]:
    theorem, every = _theorem(plan)
    rows = [("", "excess error at most", "holds for")]
    for what, bound in ((theorem, plan.proven.theorem), (_OURS, plan.proven.optimised)):
        rows.append((what, "says nothing at these sizes" if bound is None else f"{bound:.4g}", every))
    if plan.empirical is not None:
        rows.append((_SIMULATED, f"{plan.empirical.upper_limit:.4g}", _POPULATION))
    return [f"{what:27}{value:>29}   {validity}" for what, value, validity in rows]


def _simulation(plan: Plan) -> list[str]:
    """Return what was simulated, and how sure the answer is."""
    scenario = plan.scenario
    if scenario is None or not isinstance(plan, (SizePlan, ExcessPlan)):
        return []
    lines = ["", *_population(scenario, f"mechanism {scenario.mechanism}; ")]
    sure = f"{100 * CONFIDENCE:g} % confidence"
    match plan.empirical:
        case EmpiricalSizes() as sizes:
            lines += [
                f"Evidence   {sizes.failures} of {sizes.trials} fresh trials exceed alpha: failure rate at most "
                f"{sizes.upper_limit:.3g} <= beta; attempt {sizes.attempts},",
                f"           {sure} over the simulation, all attempts together",
            ]
        case EmpiricalExcess() as seen:
            lines.append(
                f"Evidence   {1 - plan.beta:g}-quantile of {seen.trials} trials {seen.quantile:.4g}; "
                f"above: its upper limit, {sure}"
            )
    return lines


def _number(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def learner_text(plan: LearnerPlan) -> str:
    """Return the answer, with what it is proven by, or simulated on, and the distributions for which it holds."""
    learner, guarantee = plan.learner, plan.learner.guarantee
    shown = ", ".join(f"{key} = {value}" for key, value in registry.parameters(plan.hypothesis_class).items())
    sizes = _listed(plan.sizes)
    what = "Excess error" if plan.alpha is None else f"Sizes for an excess error of at most alpha = {plan.alpha:g}"
    private = "none: not private"
    if guarantee is not None:
        neighbours = str(guarantee.neighbours).replace("_", " ")
        private = f"epsilon = {guarantee.epsilon:g}, delta = {guarantee.delta:g}, neighbours: {neighbours}"
    lines = [
        f"{what}{' with ' + sizes if sizes else ''} with probability {1 - plan.beta:g} (beta = {plan.beta:g})",
        f"Class      {type(plan.hypothesis_class).__name__}({shown}); {_kind(plan)}",
        *_left_out(plan.hypothesis_class),
        f"Learner    {learner.title}",
        f"Guarantee  {private}",
        "",
    ]
    if plan.proven is not None:
        lines.append(f"proven, {plan.proven.theorem}: {_listed(plan.proven.sizes)}; holds for {plan.proven.holds}")
        lines += [f"           {note}" for note in plan.proven.notes]
    elif plan.bound is not None:
        lines.append(f"proven, {plan.theorem}: excess error at most {plan.bound:.4g}; holds for {plan.holds}")
    else:
        lines.append("proven     nothing, for this learner and this question: what is simulated is all there is")
    if plan.scenario is not None and plan.empirical is not None:
        lines += [_evidence(plan.empirical, plan.beta), "", *_population(plan.scenario)]
    return "\n".join(lines)


def comparison_text(result: Comparison) -> str:
    """Return the table, best first, with limits that all hold together, and what they are about."""
    neighbours = {row.neighbours for row in result.rows if not row.reference}
    persons = result.scenario.population.persons
    words = WORDS if persons is None else {**WORDS, "n_private": "persons"}
    what = words["n_private"]
    lines = [
        f"{what.capitalize()} for an excess error of at most alpha = {result.alpha:g} with probability "
        f"{1 - result.beta:g}, {result.n_public:,} public points",
        "",
        f"{'learner':44}{'more than':>11}{'enough':>11}   {'size':17} neighbours",
    ]
    for row in result.rows:
        low = "-" if row.private_size.lower is None else f"{row.private_size.lower:,}"
        high = f"> {result.most:,}" if row.private_size.upper is None else f"{row.private_size.upper:,}"
        name = f"{row.learner.short_title} (reference)" if row.reference else row.learner.title
        lines.append(f"{name:44}{low:>11}{high:>11}   {words[row.private_size.size]:17} {row.neighbours}")
    if result.left_out:
        lines += ["", f"left out (reasons with --json): {', '.join(name for name, _ in result.left_out)}"]
    lines += [
        "",
        f"more than, enough: fresh trials show a failure rate above, or at most, beta = {result.beta:g} there; all of",
        f"them hold together with {100 * CONFIDENCE:g} % confidence over the simulation.  A learner is shown to need",
        "fewer only where its 'enough' is below the other's 'more than'.",
    ]
    if len(neighbours) > 1:
        lines.append("Learners with different neighbours protect different things: compare their numbers with care.")
    return "\n".join([*lines, *_population(result.scenario), "It proves nothing for other populations."])


def _evidence(seen: PrivateSize | EmpiricalExcess, beta: float) -> str:
    if isinstance(seen, EmpiricalExcess):
        return (
            f"simulated  excess error at most {seen.upper_limit:.4g} ({1 - beta:g}-quantile of {seen.trials} trials "
            f"{seen.quantile:.4g}; upper limit, {100 * CONFIDENCE:g} % confidence); no proof"
        )
    held = f" with {_listed(seen.others)}" if seen.others else ""
    word = WORDS[seen.size]
    enough = f"none up to {seen.most:,} {word} was shown to be enough"
    if seen.upper is not None:
        enough = f"{seen.upper:,} {word} are enough"
    lower = "" if seen.lower is None else f", {seen.lower:,} are not"
    sure = f"{100 * (1 - seen.level):g} % confidence, {seen.trials} trials"
    return f"simulated  {enough}{lower}{held} ({sure}); no proof"


def _listed(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {WORDS[key]}" for key, n in sizes.items())


def _population(scenario: Scenario, prefix: str = "") -> list[str]:
    persons = scenario.population.persons
    of = "" if persons is None else f" of {persons.count:,} persons, who are"
    rows = f"{len(scenario.population.atoms):,} rows{of or ','} drawn from with replacement, taken as PUBLIC"
    task = task_of(scenario.population.hypothesis_class)
    noise = f"{task.replaced} with probability {scenario.noise:g}; {prefix}seed {scenario.seed}"
    return [
        f"Population {scenario.population.source}; {rows}",
        f"{task.labelled.capitalize():<10} {task.target}, {noise}",
        *(["Errors     are squared, of responses in [-1, 1]"] if task.kind == REAL else []),
    ]


def _left_out(hypothesis_class: Any) -> list[str]:
    """Return what covers of a class may lack, a line or none."""
    missing = getattr(hypothesis_class, "left_out", "")
    return [f"           {missing}"] if missing else []


def _kind(plan: Plan | LearnerPlan) -> str:
    return "realizable: some hypothesis of the class is always right" if plan.realizable else "agnostic: any labels"
