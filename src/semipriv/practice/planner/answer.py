"""A plan in words."""

from semipriv.practice.planner.empirical import CONFIDENCE, EmpiricalExcess, EmpiricalSizes
from semipriv.practice.planner.plan import ExcessPlan, Plan, SizePlan

_OURS, _SIMULATED = "proven, best split (ours)", "simulated"
_POPULATION = "the population below, average over targets; no proof"


def text(plan: SizePlan | ExcessPlan) -> str:
    """Return the answer as a table, with the meaning of each number and the distributions for which it holds."""
    lines = _sizes(plan) if isinstance(plan, SizePlan) else _excess(plan)
    return "\n".join([*_question(plan), "", *lines, *_simulation(plan)])


def _question(plan: SizePlan | ExcessPlan) -> list[str]:
    given = ", ".join(f"{key} = {value}" for key, value in plan.parameters.items())
    kind = "realizable: some hypothesis of the class is always right" if plan.realizable else "agnostic: any labels"
    name = type(plan.hypothesis_class).__name__
    if isinstance(plan, SizePlan):
        asked = f"Sizes for an excess error of at most alpha = {plan.alpha:g}"
    else:
        asked = f"Excess error with {plan.n_public:,} public points and {plan.n_private:,} private examples"
    return [
        f"{asked} with probability {1 - plan.beta:g} (beta = {plan.beta:g})",
        f"Class      {name}({given}), VC dimension {plan.vc_dimension}; {kind}",
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
    proven, found = plan.proven, plan.empirical
    theorem, every = _theorem(plan)
    rows: list[tuple[str, int | str, int | str, str]] = [
        ("", "public points", "private examples", "holds for"),
        (theorem, proven.n_public, proven.n_private, every),
    ]
    rows.append((_OURS, proven.n_public, proven.n_private_optimised, every))
    if found is not None:
        rows.append((_SIMULATED, found.n_public, found.n_private, _POPULATION))
    return [f"{what:27}{_number(m):>15}{_number(n):>19}   {where}" for what, m, n, where in rows]


def _excess(plan: ExcessPlan) -> list[str]:
    theorem, every = _theorem(plan)
    rows = [("", "excess error at most", "holds for")]
    for what, bound in ((theorem, plan.proven.theorem), (_OURS, plan.proven.optimised)):
        rows.append((what, "says nothing at these sizes" if bound is None else f"{bound:.4g}", every))
    if plan.empirical is not None:
        rows.append((_SIMULATED, f"{plan.empirical.upper_limit:.4g}", _POPULATION))
    return [f"{what:27}{value:>29}   {where}" for what, value, where in rows]


def _simulation(plan: Plan) -> list[str]:
    """Return what was simulated, and how sure the answer is."""
    scenario = plan.scenario
    if scenario is None or not isinstance(plan, (SizePlan, ExcessPlan)):
        return []
    atoms = len(scenario.population.atoms)
    lines = [
        "",
        f"Population {scenario.population.source}; {atoms:,} rows, drawn from with replacement, taken as PUBLIC",
        f"Labels     a random hypothesis of the class, flipped with probability {scenario.noise:g}; "
        f"mechanism {scenario.mechanism}; seed {scenario.seed}",
    ]
    sure = f"{100 * CONFIDENCE:g} % confidence"
    match plan.empirical:
        case EmpiricalSizes() as found:
            lines += [
                f"Evidence   {found.failures} of {found.trials} fresh trials exceed alpha: failure rate at most "
                f"{found.upper_limit:.3g} <= beta; attempt {found.attempts},",
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
