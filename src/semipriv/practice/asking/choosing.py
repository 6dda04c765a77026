"""The learner that a request takes if it names none: the table of docs/which-learner.md as a rule of public numbers.

>>> case = Case("two labels", columns=8, public="unlabelled", epsilon=1.0)
>>> choose(case).learner, choose(case).hypothesis_class
({'name': 'public_metric_discriminant'}, {'name': 'halfspaces'})
"""

from collections.abc import Mapping
from typing import Any

import attrs

from semipriv.core import checks, fields
from semipriv.core.fields import checked, one_of, positive, size, value

AUTO = "auto"
"""What stands for the name of a learner that the rule chooses."""
RULE = "the public rule of `semipriv docs which-learner`"
"""What the rule is called."""
TASKS = ("two labels", "several labels", "a number")
PUBLIC_ROWS = ("none", "unlabelled", "labelled")
POPULATIONS = ("same", "perhaps_another", "spans", "misses")
"""Of public rows: that of private ones; perhaps another one; another one that spans the private one, or misses it."""
DOUBTED = ("perhaps_another", "misses")
"""Populations of which a cover of the public points may have no hypothesis that is good on private rows."""
KNOWN_RANGES = ("good", "magnitudes", "unknown")
"""What is known of the ranges without a look at a private row: surely good ones, orders of magnitude, nothing."""
PUBLIC_MODEL = "public_logistic_regression"
"""The learner that reads no private row: a model on labelled public rows."""
GRIDS = ("fixed_grid", "log_grid")
"""Learners that read no public row, and need declared ranges."""
WITH_GRID = "sspp_with_grid"
"""The learner that needs both."""
HALFSPACES, STUMPS = {"name": "halfspaces"}, {"name": "decision_stumps"}
LINEAR, LINEAR_RULES = {"name": "linear"}, {"name": "linear_rules"}
KNOWN = ("population", "ranges", "one_column")
"""What may be said to the rule besides."""
FEW_COLUMNS = 2
"""Columns up to which covers of all of them are listed."""
THOUSANDS = 1_000
"""Private rows from which on they outweigh labelled public rows of the same population."""
SMALL = 150
"""Private rows times epsilon below which a discriminant has no gradient."""
NO_GRID = (
    "is declared by categories, and without public rows, or where these may be of another population, "
    f"{AUTO} takes a grid of numbers: leave the column out, give public rows of the population (labels are not "
    "needed), or name a learner"
)
"""Said of a column that a grid cannot have."""
_GRID, _BESIDE = {1: 100, 2: 6}, {1: 20, 2: 6}
"""Points of a grid in each column, by the number of columns: alone, and beside a cover."""
_LOG_GRID = {"low": 1e-6, "high": 1.0, "size": 7}
"""A logarithmic grid of coordinates in [0, 1]."""


@value
class Case:
    """What the rule knows; all of it is public.

    Args:
        task: what is predicted, of TASKS.
        columns: their number, >= 1, as declared.
        public: of PUBLIC_ROWS; a response counts as a label.
        epsilon: of the learner, > 0.
        delta: in [0, 1).
        labels: how many there are, for several labels.
        rows: number of private rows, or of persons; None: not counted yet, taken for thousands.
        population: of public rows, of POPULATIONS.
        ranges: of KNOWN_RANGES.
        one_column: whether one column is known to decide alone.
    """

    task: str = one_of(TASKS, "a case")
    columns: int = size()
    public: str = one_of(PUBLIC_ROWS, "a case")
    epsilon: float = positive()
    delta: float = fields.delta(default=0.0)
    labels: int = size(2, default=2)
    rows: int | None = None
    population: str = one_of(POPULATIONS, "public rows", default="perhaps_another")
    ranges: str = one_of(KNOWN_RANGES, "columns", default="unknown")
    one_column: bool = checked(checks.boolean, default=False)

    @property
    def grid_alone(self) -> bool:
        """Whether only a grid of numbers is possible: two labels, few columns and no public rows."""
        return self.public == "none" and self.task == "two labels" and not self.many

    @property
    def many(self) -> bool:
        """Whether columns are too many for covers of all of them."""
        return self.columns > FEW_COLUMNS

    def described(self) -> dict[str, Any]:
        """Return all as values of JSON."""
        return dict(vars(self))


@attrs.frozen
class Choice:
    """What is taken for a case.

    learner: its name and settings, without epsilon and delta.  spends_delta: whether it takes a delta.  because: why,
    a sentence.
    """

    case: Case
    learner: Mapping[str, Any]
    hypothesis_class: Mapping[str, Any]
    because: str
    spends_delta: bool = False

    def settings(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the learner besides its name and epsilon; given: of those that the rule was told."""
        delta = {"delta": given["delta"]} if self.spends_delta and "delta" in given else {}
        return {key: value for key, value in self.learner.items() if key != "name"} | delta

    @property
    def reads_private(self) -> bool:
        """Whether there is something to release."""
        return self.learner["name"] != PUBLIC_MODEL


def choose(case: Case) -> Choice:
    """Return the learner for a case, its class, and why; raise ValueError, with a way out, if there is no learner."""
    return _OF[case.task](case)


# ---------------------------------------------------------------------------------------------------- two labels
def _two(case: Case) -> Choice:
    if case.public != "none" and not case.many and case.population in DOUBTED and case.ranges == "good":
        return _cover_and_grid(case)
    if case.public == "none" or (case.population == "misses" and not case.many):
        return _without_public(case)
    few_rows = case.rows is not None and case.rows < THOUSANDS
    if case.public == "labelled" and case.population == "same" and few_rows and (case.many or case.epsilon < 1):
        return _public_model(case, "hundreds of private rows")
    if not case.many or case.one_column:
        return _cover(case)
    if case.public == "unlabelled":
        return _metric(case, "public_metric_discriminant", HALFSPACES)
    if case.population == "same":
        if case.rows is not None and case.rows * case.epsilon < SMALL:
            return _public_model(case, f"private rows times epsilon below {SMALL}")
        known = {"name": "public_model_discriminant", "same_population": True}
        return _pure(case, known, HALFSPACES, f"{_columns(case)}, labelled public rows of the same population")
    reason = f"{_columns(case)}, labelled public rows, perhaps of another population: private rows test their model"
    return _pure(case, {"name": "public_model_discriminant"}, HALFSPACES, reason)


def _without_public(case: Case) -> Choice:
    none = "no public rows" if case.public == "none" else "public rows that miss the private population"
    if case.many:
        raise ValueError(
            f"no learner: of {_columns(case)} and {none} nothing was measured: give public rows (labels are not "
            "needed; made-up ones serve: `semipriv docs no-public-rows`) or at most two columns, or name a learner"
        )
    if case.ranges == "unknown":
        raise ValueError(
            f"no learner: with {none} a grid needs ranges: declare range: [low, high] of each column, and say "
            "ranges: good, or magnitudes where orders of magnitude alone are known"
        )
    if case.ranges == "magnitudes":
        return _pure(case, {"name": "log_grid", **_LOG_GRID}, _listed(case), f"{none}, known orders of magnitude")
    grid = {"name": "fixed_grid", "size": _GRID[case.columns]}
    return _pure(case, grid, _listed(case), f"{none}, ranges that are surely good")


def _public_model(case: Case, why: str) -> Choice:
    reason = f"labelled public rows of the same population and {why}: these hardly better it, and none is read"
    return Choice(case, {"name": PUBLIC_MODEL}, HALFSPACES, reason)


def _cover(case: Case) -> Choice:
    reason = "one column decides alone" if case.many else f"{_columns(case)}, public rows that show where values lie"
    learner = {"name": "sspp", "mechanism": "permute_and_flip"}
    return _pure(case, learner, STUMPS if case.many else _listed(case), reason)


def _cover_and_grid(case: Case) -> Choice:
    learner = {"name": WITH_GRID, "mechanism": "permute_and_flip", "size": _BESIDE[case.columns]}
    whose = "miss the private population" if case.population == "misses" else "may be of another population"
    return _pure(case, learner, _listed(case), f"{_columns(case)} of good ranges, public rows that {whose}")


def _listed(case: Case) -> Mapping[str, Any]:
    return STUMPS if case.columns == 1 else HALFSPACES


# ---------------------------------------------------------------------------------------------------- others
def _several(case: Case) -> Choice:
    _check_public(case)
    rules = {**LINEAR_RULES, "classes": case.labels}
    if case.public == "unlabelled":
        return _metric(case, "public_metric_multiclass", rules)
    same = {"same_population": True} if case.population == "same" else {}
    return _pure(case, {"name": "public_model_multiclass", **same}, rules, "several labels, labelled public rows")


def _number(case: Case) -> Choice:
    _check_public(case)
    if case.public == "labelled" and case.population in ("same", "perhaps_another"):
        return _pure(case, {"name": "public_ridge_regression"}, LINEAR, "a number, which the public rows have")
    reason = "a number, which the public rows do not have"
    if case.public == "labelled":
        reason = "a number, which public rows of another population tell wrongly"
    return _pure(case, {"name": "public_gram_regression"}, LINEAR, reason)


def _check_public(case: Case) -> None:
    if case.public == "none":
        raise ValueError(
            f"no learner: {case.task} and no public rows: give public rows, what is predicted need not be in them "
            "(made-up ones serve: `semipriv docs no-public-rows`), or name a learner"
        )


def _metric(case: Case, name: str, functions: Mapping[str, Any]) -> Choice:
    noise = ", and a delta, which is spent where it buys smaller noise" if case.delta else ""
    reason = f"{_columns(case)}, public rows without labels, which tell scales and directions{noise}"
    return Choice(case, {"name": name}, functions, reason, spends_delta=case.delta > 0)


def _pure(case: Case, learner: Mapping[str, Any], functions: Mapping[str, Any], because: str) -> Choice:
    return Choice(case, learner, functions, because + "; the delta is not spent" * (case.delta > 0))


def _columns(case: Case) -> str:
    return f"{case.columns} column{'s' * (case.columns > 1)}"


_OF = dict(zip(TASKS, (_two, _several, _number), strict=True))

FOLLOWING: Mapping[str, Mapping[str, Any]] = {
    "public_metric_discriminant": HALFSPACES,
    "public_model_discriminant": HALFSPACES,
    "public_metric_multiclass": LINEAR_RULES,
    "public_model_multiclass": LINEAR_RULES,
    "public_ridge_regression": LINEAR,
    "public_gram_regression": LINEAR,
}
"""Classes that follow from the learner: no other one can be learned by it."""
