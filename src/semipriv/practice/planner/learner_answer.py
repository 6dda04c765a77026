"""A learner's plan, and a comparison of learners, in words."""

from semipriv.core import registry
from semipriv.practice.planner.compare import Comparison
from semipriv.practice.planner.empirical import CONFIDENCE, EmpiricalExcess, Scenario
from semipriv.practice.planner.of_learner import LearnerPlan
from semipriv.practice.planner.private_size import PrivateSize

WORDS = {
    "n_public": "public points",
    "n_private": "private examples",
    "n": "examples in all",
    "n_labelled": "labelled examples",
    "n_unlabelled": "unlabelled entries",
}
"""What sizes are called."""


def text(plan: LearnerPlan) -> str:
    """Return the answer, with what it is proven by, or simulated on, and the distributions for which it holds."""
    learner, own = plan.learner, plan.learner.guarantee
    shown = ", ".join(f"{key} = {value}" for key, value in registry.parameters(plan.hypothesis_class).items())
    given = _sizes(plan.sizes)
    what = "Excess error" if plan.alpha is None else f"Sizes for an excess error of at most alpha = {plan.alpha:g}"
    private = "none: not private"
    if own is not None:
        neighbours = str(own.neighbours).replace("_", " ")
        private = f"epsilon = {own.epsilon:g}, delta = {own.delta:g}, neighbours: {neighbours}"
    kind = "realizable: some hypothesis of the class is always right" if plan.realizable else "agnostic: any labels"
    lines = [
        f"{what}{' with ' + given if given else ''} with probability {1 - plan.beta:g} (beta = {plan.beta:g})",
        f"Class      {type(plan.hypothesis_class).__name__}({shown}); {kind}",
        f"Learner    {learner.title}",
        f"Guarantee  {private}",
        "",
    ]
    if plan.proven is not None:
        lines.append(f"proven, {plan.proven.theorem}: {_sizes(plan.proven.sizes)}; holds for {plan.proven.holds}")
        lines += [f"           {note}" for note in plan.proven.notes]
    elif plan.bound is not None:
        lines.append(f"proven, {plan.theorem}: excess error at most {plan.bound:.4g}")
    else:
        lines.append("proven     nothing, for this learner and this question: what is simulated is all there is")
    if plan.scenario is not None and plan.empirical is not None:
        lines += [_found(plan.empirical, plan.beta), "", *_population(plan.scenario)]
    return "\n".join(lines)


def comparison_text(found: Comparison) -> str:
    """Return the table, best first, with limits that all hold together, and what they are about."""
    neighbours = {row.neighbours for row in found.rows if not row.reference}
    lines = [
        f"Private examples for an excess error of at most alpha = {found.alpha:g} with probability {1 - found.beta:g}, "
        f"{found.n_public:,} public points",
        "",
        f"{'learner':44}{'more than':>11}{'enough':>11}   {'size':17} neighbours",
    ]
    for row in found.rows:
        low = "-" if row.found.lower is None else f"{row.found.lower:,}"
        high = f"> {found.most:,}" if row.found.upper is None else f"{row.found.upper:,}"
        name = f"{row.learner.short_title} (reference)" if row.reference else row.learner.title
        lines.append(f"{name:44}{low:>11}{high:>11}   {WORDS[row.found.size]:17} {row.neighbours}")
    if found.left_out:
        lines += ["", f"left out (reasons with --json): {', '.join(name for name, _ in found.left_out)}"]
    lines += [
        "",
        f"more than, enough: fresh trials show a failure rate above, or at most, beta = {found.beta:g} there; all of",
        f"them hold together with {100 * CONFIDENCE:g} % confidence over the simulation.  A learner is shown to need",
        "fewer only where its 'enough' is below the other's 'more than'.",
    ]
    if len(neighbours) > 1:
        lines.append("Learners with different neighbours protect different things: compare their numbers with care.")
    return "\n".join([*lines, *_population(found.scenario), "It proves nothing for other populations."])


def _found(found: PrivateSize | EmpiricalExcess, beta: float) -> str:
    if isinstance(found, EmpiricalExcess):
        return (
            f"simulated  excess error at most {found.upper_limit:.4g} ({1 - beta:g}-quantile of {found.trials} trials "
            f"{found.quantile:.4g}; upper limit, {100 * CONFIDENCE:g} % confidence); no proof"
        )
    held = f" with {_sizes(found.others)}" if found.others else ""
    word = WORDS[found.size]
    enough = f"none up to {found.most:,} {word} was shown to be enough"
    if found.upper is not None:
        enough = f"{found.upper:,} {word} are enough"
    less = "" if found.lower is None else f", {found.lower:,} are not"
    sure = f"{100 * (1 - found.level):g} % confidence, {found.trials} trials"
    return f"simulated  {enough}{less}{held} ({sure}); no proof"


def _sizes(sizes: object) -> str:
    return ", ".join(f"{n:,} {WORDS[key]}" for key, n in dict(sizes).items())  # type: ignore[call-overload]


def _population(scenario: Scenario) -> list[str]:
    rows = f"{len(scenario.population.atoms):,} rows, drawn from with replacement, taken as PUBLIC"
    noise = f"flipped with probability {scenario.noise:g}; seed {scenario.seed}"
    return [
        f"Population {scenario.population.source}; {rows}",
        f"Labels     a random hypothesis of the class, {noise}",
    ]
