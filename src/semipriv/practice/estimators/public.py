"""Public points as an estimator takes them: an array, a table of the same columns, or a number of invented points."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from semipriv.core import checks
from semipriv.core.roles import Role
from semipriv.core.samples import Points, as_points
from semipriv.learners.base import AnyLearner
from semipriv.learners.stages.nothing import Nothing


def points_of(given: Any, dimension: int, columns: Sequence[str] | None) -> Points | None:
    """Return the public points (m, d) of an array or a DataFrame; None for a number of points, and for none.

    Raise ValueError for other columns than those of the private rows, and for what is no finite number.
    """
    if given is None or np.ndim(given) == 0:
        return None
    if hasattr(given, "columns"):
        _check_columns(list(given.columns), dimension, columns)
        given = given.to_numpy()
    return as_points(given, dimension, "public")


def _check_columns(own: list[Any], dimension: int, columns: Sequence[str] | None) -> None:
    expected = list(columns) if columns is not None else None
    if expected is None or own == expected:
        return
    for name in expected:
        if name not in own:
            raise ValueError(f"public: column {name!r} of the private rows is missing (public columns: {own})")
    for name in own:
        if name not in expected:
            raise ValueError(f"public: column {name!r} is none of the private rows' (their columns: {expected})")
    raise ValueError(f"public: columns are in the order {own}, must be {expected}")


def as_number(given: Any, learner: AnyLearner) -> int:
    """Return how many points are to be invented where no public point is given.

    Raise ValueError for no number at all, unless the learner has no use for public points.
    """
    if given is not None:
        return checks.size("public", given)
    if isinstance(learner.public_stage, Nothing) or learner.role is Role.NO_PUBLIC:
        return 0
    raise ValueError(
        f"public: {learner.short_title} learns from public points; give an array or a DataFrame of them, or a number "
        "of points to spread over declared ranges"
    )
