"""The learner of an estimator with learner='auto', by the public rule of docs/which-learner.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from semipriv.core import registry
from semipriv.practice.asking.choosing import AUTO, GRIDS, KNOWN, NO_GRID, WITH_GRID, Case, Choice, choose
from semipriv.privacy.budget.amounts import amount, parameter, positive_amount

__all__ = ["AUTO", "choice_of", "is_auto"]


def is_auto(learner: Any) -> bool:
    """Return whether the learner is left to the rule."""
    return isinstance(learner, str) and learner == AUTO


def choice_of(estimator: Any, task: str, columns: int, labels: int, public_targets: Any) -> Choice:
    """Return what the rule takes; raise ValueError if it lacks information, and where it has no learner.

    Args:
        estimator: of which parameters are read, and no row but public ones.
        task: of ``TASKS``.
        columns: number of features.
        labels: how many there are.
        public_targets: labels or responses of public rows, or None.
    """
    settings = dict(estimator.learner_parameters or {})
    for key in settings:
        registry.check_name(f"learner_parameters of {AUTO}", key, ["delta", *KNOWN])
    if estimator.epsilon is None:
        raise ValueError(f"epsilon: is missing, {AUTO} needs it")
    delta = parameter(amount("delta", settings.pop("delta", 0)))
    rows = isinstance(estimator.public, Mapping) or (estimator.public is not None and np.ndim(estimator.public) > 0)
    if not rows and estimator.public is not None:
        raise ValueError(
            f"public = {estimator.public!r}: {AUTO} takes public rows, an array or a DataFrame of them, or None; a "
            "number of points to spread over declared ranges is for a learner that is named"
        )
    known = {"ranges": "good" if _declared(estimator) else "unknown", **settings}
    public = "none" if not rows else "unlabelled" if public_targets is None else "labelled"
    epsilon = parameter(positive_amount("epsilon", estimator.epsilon))
    case = Case(task, columns, public, epsilon, delta, labels, **known)
    if case.grid_alone:
        _check_numbers(estimator)
    choice = choose(case)
    name = choice.learner["name"]
    if name in GRIDS and rows:
        raise ValueError("public: rows that miss the private population are of no use: leave them out")
    if name in (*GRIDS, WITH_GRID):
        _check_numbers(estimator)
        if not _declared(estimator):
            named = "ranges" if estimator.columns is None else "columns"
            raise ValueError(f"{named}: a grid needs (low, high) of each feature, declared")
    return choice


def _check_numbers(estimator: Any) -> None:
    """Raise ValueError for a column that is declared by categories."""
    for column, held in (estimator.columns or {}).items():
        if isinstance(held, Mapping) and "categories" in held:
            raise ValueError(f"columns[{column!r}]: {NO_GRID}")


def _declared(estimator: Any) -> bool:
    """Return whether the range of each feature is declared."""
    if estimator.columns is not None:
        held = estimator.columns.values()
        return all(
            isinstance(declaration, Mapping) and isinstance(declaration.get("range"), list | tuple)
            for declaration in held
        )
    return estimator.ranges is not None and not isinstance(estimator.ranges, str)
