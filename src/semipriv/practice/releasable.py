"""Which learners may be released, and whether encoded records fit what is learned: known without a record."""

import numpy as np

from semipriv.classes.base import HypothesisClass
from semipriv.core.roles import Role
from semipriv.learners.base import AnyLearner
from semipriv.learners.tables.table_release import TableRelease
from semipriv.practice.features import Range
from semipriv.practice.keys import TABLES
from semipriv.practice.schema import Records

ROLES = (Role.PAPER, Role.VARIANT, Role.NO_PUBLIC)
"""Roles of learners that read private rows, and have a guarantee when they do."""


def check_releasable(name: str, learner: AnyLearner) -> None:
    """Raise ValueError, with the reason, for a learner that must not be released."""
    if learner.guarantee is None:
        reason = "is not private: it is a baseline of simulations"
    elif not learner.releasable:
        reason = "draws real-valued noise, which has no exact sampler: it is for simulations"
    elif learner.guarantee.epsilon == 0 or learner.role not in ROLES:
        reason = "reads no private row: there is nothing to release"
    elif learner.public_stage.learns is not HypothesisClass:
        reason = "learns functions to [-1, 1] from responses, and own tables have labels"
    else:
        return
    raise ValueError(f"learner.name = {name!r}: {reason}")


def reads_labels(learner: AnyLearner | TableRelease) -> bool:
    """Return whether the learner reads the labels of private rows."""
    return not isinstance(learner, TableRelease) and learner.output_kind != "answers"


def check_fit(records: Records, learner: AnyLearner | TableRelease, hypothesis_class: HypothesisClass | None) -> None:
    """Raise ValueError if encoded records do not fit what is learned: looks at their box only.

    hypothesis_class: None for a table release, which needs columns with finitely many values.  What depends on values
    of public rows is not looked at until these are known.
    """
    known = not any(one.open and not isinstance(one, Range) for one in records.features)
    if isinstance(learner, TableRelease):
        if known:
            learner.workload(records.schema)
        if records.label is not None:
            raise ValueError(f"label: {TABLES} has none, every column is one of features")
        return
    h = hypothesis_class
    assert h is not None, "a learner learns a class"
    if h.dimension != len(records.features):
        raise ValueError(f"features: are {len(records.features)}, the class {h!r} has {h.dimension} feature(s)")
    if reads_labels(learner) and records.label is None:
        raise ValueError("needs label: the learner learns labels")
    if not known:
        return
    low, high = records.box
    inner = np.where([isinstance(one, Range) for one in records.features], low + 0.3 * (high - low), high)
    try:
        h.validated(np.array([low, high, inner]), "ends of the features")
    except ValueError as error:
        raise ValueError(f"features: do not fit the class {h!r}: {error}") from None
