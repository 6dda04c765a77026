"""Which learners may be released, and whether encoded records fit what is learned: known without a record."""

from collections.abc import Callable

import numpy as np

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.classes.classifiers.base import Classifier, Classifiers
from semipriv.core.functions import Functions
from semipriv.core.roles import Role
from semipriv.core.samples import Points
from semipriv.learners.base import AnyLearner
from semipriv.practice.columns.features import Range
from semipriv.practice.columns.labels import AnyLabel, ClassLabel
from semipriv.practice.columns.responses import Response
from semipriv.practice.columns.schema import Records

LABELLING = (Hypothesis.kind, Classifier.kind)
"""Kinds of outputs that predict labels."""
REAL = "regressor"
"""The kind of output of learners that predict a number."""
PREDICTORS = (*LABELLING, REAL)
"""Kinds of outputs that predict, and from which no table follows."""
ROLES = (Role.PAPER, Role.VARIANT, Role.NO_PUBLIC)
"""Roles of learners that read private rows, and have a guarantee when they do."""


def check_releasable(name: str, learner: AnyLearner) -> None:
    """Raise ValueError, with the reason, for a learner that must not be released."""
    if learner.guarantee is None:
        reason = "is not private and protects nobody: it is a baseline of simulations"
    elif not learner.releasable:
        reason = "draws real-valued noise, which has no exact sampler: it is for simulations"
    elif learner.guarantee.epsilon == 0 or learner.role not in ROLES:
        reason = "reads no private row: there is nothing to release"
    else:
        return
    raise ValueError(f"learner.name = {name!r}: {reason}")


def reads_labels(learner: AnyLearner) -> bool:
    """Return whether the learner reads the labels, or the responses, of private rows."""
    return learner.output_kind != "answers"


def weighs(learner: AnyLearner) -> bool:
    """Return whether the learner gives weights to features: then each category gets a coordinate by default.

    All learners of numbers and of several classes do; for others the public stage says it.
    """
    return learner.output_kind in (REAL, Classifier.kind) or learner.public_stage.weighs


def _check_classes(records: Records, functions: Functions) -> None:
    """Raise ValueError unless the label has as many classes as the learner learns."""
    label = records.label
    if label is None:
        return
    if not isinstance(functions, Classifiers):
        if isinstance(label, ClassLabel):
            raise ValueError(f"label.classes: {functions!r} are {functions.labels}: needs one and zero")
        return
    if not isinstance(label, ClassLabel):
        raise ValueError(f"label: {functions!r} are {functions.labels}: needs classes, instead of one and zero")
    if len(label.classes) != functions.classes:
        raise ValueError(f"label.classes: are {len(label.classes)}, the class {functions!r} has {functions.classes}")


def check_fit(records: Records, learner: AnyLearner, h: HypothesisClass) -> None:
    """Raise ValueError if encoded records do not fit the class that is learned: looks at their box only.

    What depends on values of public rows is not looked at until these are known.
    """
    if h.dimension != records.width:
        wide = "" if records.plain else f" columns, {records.width} coordinates with one_hot and indicator"
        raise ValueError(f"features: are {len(records.features)}{wide}, the class {h!r} has {h.dimension} feature(s)")
    if not records.plain and learner.output_kind not in PREDICTORS:
        (column, *_) = (feature.column for feature in records.features if feature.width > 1)
        raise ValueError(f"features.{column}: one_hot and indicator are for learners that release what predicts")
    if reads_labels(learner) or records.label is not None:
        _check_label(records.label, learner)
    _check_classes(records, h)
    if not any(feature.open and not isinstance(feature, Range) for feature in records.features):
        check_box(records, h)


def check_box(
    records: Records, functions: Functions, encode: Callable[[Points], Points] = lambda points: points
) -> None:
    """Raise ValueError if the box of encoded records is not within the domain of the functions.

    encode: what becomes of coordinates (n, d) besides.
    """
    low, high = records.box
    real = [isinstance(feature, Range) and not place for feature in records.features for place in range(feature.width)]
    inner = np.where(real, low + 0.3 * (high - low), high)
    wrong = ""
    try:
        functions.validated(encode(np.array([low, high, inner])), "ends of the features")
    except ValueError as error:
        wrong = str(error)
    if wrong:
        raise ValueError(f"features: do not fit the class {functions!r}: {wrong}")


def _check_label(given: AnyLabel | None, learner: AnyLearner) -> None:
    """Raise ValueError unless rows have what the learner learns: a label, or a response."""
    real = learner.output_kind == REAL
    if given is not None and isinstance(given, Response) == real:
        return
    if real:
        raise ValueError("needs response: the learner predicts a number" + "; a label is none" * (given is not None))
    raise ValueError("needs label: the learner learns labels" + "; a response is none" * (given is not None))
