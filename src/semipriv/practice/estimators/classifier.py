"""Learners of two classes, or of several, as a scikit-learn classifier."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from semipriv.classes.base import Hypothesis
from semipriv.classes.classifiers.base import MOST_CLASSES, Classifier
from semipriv.core import registry, rooms
from semipriv.core.errors import PublicError
from semipriv.core.functions import Functions
from semipriv.core.randomness import Simulation
from semipriv.core.samples import ClassLabels
from semipriv.core.types import Floats
from semipriv.learners.base import AnyLearner
from semipriv.practice.asking.choosing import FOLLOWING, STUMPS
from semipriv.practice.estimators import chosen, door
from semipriv.practice.estimators.base import SemiPrivateEstimator
from semipriv.practice.estimators.draws import all_or_nothing
from semipriv.practice.estimators.names import ClassifyingLearner, LabellingName, LearnerParameters
from semipriv.practice.estimators.twice import check_other_targets
from semipriv.privacy.guarantee import Release

__all__ = ["SemiPrivateClassifier"]

OBSERVED = "observed"
"""Classes that are read off the labels: for simulations, without a guarantee."""
_SORTED = ((str,), (bool,), (int, float))
"""Types of classes that can be sorted, and are not mistaken for one another."""


def _has_scores(estimator: Any) -> bool:
    """Return whether the released function has scores; before a fit, whether the functions to be learned have.

    Meta-estimators of scikit-learn ask this of an estimator that is not fitted.
    """
    if hasattr(estimator, "release_"):
        return hasattr(estimator.release_.output.functions, "scores")
    given = estimator.hypothesis_class
    if given is None and isinstance(estimator.learner, str):
        given = FOLLOWING.get(estimator.learner, STUMPS)["name"]
    try:
        room = rooms.of("class", estimator.gives)
        return hasattr(
            registry.load(registry.room_of(room, given), given) if isinstance(given, str) else given, "scores"
        )
    except ValueError:
        return False


class SemiPrivateClassifier(ClassifierMixin, SemiPrivateEstimator):  # type: ignore[misc]
    """Any learner of hypotheses or classifiers, with public points in the constructor and private rows in ``fit``.

    The release is a function to the classes, so there is no ``predict_proba``.  It is no error if a class has no
    private row, or all of them: an error would reveal it.  ``score`` on private rows is exact and not private.

    Args:
        learner: the name of a learner, or a configured one; 'auto': the one that the public rule of
            docs/which-learner.md takes, see ``choice``.
        epsilon: of a learner that is named, finite and > 0.
        learner_parameters: its other settings, by name; unknown ones are refused.  For 'auto': delta, and what else is
            known, as ``learner`` of a request has it: population, ranges and one_column.
        hypothesis_class: a value, or a name, which gets the dimension of the rows; None: what follows from the learner,
            decision stumps where nothing does.
        public: public points, (m, d) or a DataFrame of the same columns; or a number of points to spread over declared
            ranges, where there are no public data.
        public_labels: (m,), for a learner that needs them.
        classes: the two labels, of label 0 and of label 1, declared before any is seen; for a learner of several
            classes all of them.  'observed' reads them off ``y``: for simulations alone, and without a guarantee.
        unlabelled: the label that marks rows without a label, for a learner that takes such rows; which rows these are
            is public.
        ranges: one pair (low, high), d pairs, a mapping of columns to pairs, or 'public', the smallest and largest
            public values, moved outwards by half of the width between them, but not across 0.  Features are clipped
            into them and mapped to [0, 1], each row by itself.  None: features stay as they are.
        columns: a mapping of columns to what they may hold, as ``features`` of a request has it, such as
            {'age': {'range': [0, 120]}, 'sex': {'categories': ['F', 'M'], 'unknown': 'none'}}: numbers, categories and
            dates of a DataFrame, with what stands for unknown cells.  Others of its columns are passed over.
        rows: how the rows of a person count if ``fit`` gets ``groups``: 'average', they share what a person counts;
            'one', one of them, drawn at random, counts; None: the average where the learner reads rows by sums alone,
            else one.
        randomness: Secure() for a release, Simulation(seed) for a simulation; there is no default.
        ledger: path of a budget ledger, which every fit with Secure() charges in full.
        request: a name in the ledger: the same request on the same rows gets the release that was drawn, at no cost.
        period: of which day, week, month, quarter or year the private rows are, as '2026-11', or a list of them: for a
            ledger with periods.

    Examples:
        >>> public = [[20.0], [30.0], [40.0], [50.0]]
        >>> model = SemiPrivateClassifier("sspp", 1.0, hypothesis_class="thresholds", public=public,
        ...                               classes=("no", "yes"), randomness=Simulation(0))
        >>> rows, labels = [[20.0 + i % 30] for i in range(300)], ["yes" if i % 30 > 15 else "no" for i in range(300)]
        >>> model.fit(rows, labels).predict([[22.0], [48.0]]).tolist(), model.guarantee_.epsilon
        (['no', 'yes'], 1.0)
    """

    output_kinds: ClassVar[tuple[str, ...]] = (Hypothesis.kind, Classifier.kind)
    gives: ClassVar[str] = rooms.LABELS
    classes_: NDArray[Any]
    """The classes, sorted, as scikit-learn's scorers take them."""
    order_: NDArray[np.intp]
    """(K,) the place in ``classes_`` of the class that is label 0, 1, ... of the released function."""

    def __init__(
        self,
        learner: ClassifyingLearner = chosen.AUTO,
        epsilon: Any = None,
        *,
        learner_parameters: LearnerParameters | Mapping[str, Any] | None = None,
        hypothesis_class: LabellingName | str | Functions | None = None,
        public: Any = None,
        public_labels: Any = None,
        classes: Any = (0, 1),
        unlabelled: Any = None,
        ranges: Any = "public",
        columns: Any = None,
        rows: Literal["average", "one"] | None = None,
        randomness: Any = None,
        ledger: Any = None,
        request: str | None = None,
        period: str | Sequence[str] | None = None,
    ) -> None:
        self.learner = learner
        self.epsilon = epsilon
        self.learner_parameters = learner_parameters
        self.hypothesis_class = hypothesis_class
        self.public = public
        self.public_labels = public_labels
        self.classes = classes
        self.unlabelled = unlabelled
        self.ranges = ranges
        self.columns = columns
        self.rows = rows
        self.randomness = randomness
        self.ledger = ledger
        self.request = request
        self.period = period

    def __sklearn_tags__(self) -> Any:
        """Two classes only, unless the learner takes several."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.takes_several()
        tags.non_deterministic = not isinstance(self.randomness, Simulation)
        return tags

    def takes_several(self) -> bool:
        """Return whether the learner takes more than two classes.

        Returns:
            Whether it does; False for a learner that is unknown.
        """
        if chosen.is_auto(self.learner):
            return not isinstance(self.classes, str) and np.size(self.classes) > 2
        try:
            return self.configured().output_kind == Classifier.kind
        except ValueError:
            return False

    def fit(self, X: ArrayLike, y: ArrayLike, groups: Any = None) -> Self:
        """Draw a hypothesis from private rows.

        All that can be refused is refused before anything is drawn or charged, and the message names the row alone,
        counted from 0, never what is there.  A refusal may depend on a private row: it is for the holder of the rows,
        and not part of what is released.

        Args:
            X: (n, d) private rows, an array or a DataFrame.
            y: (n,) their labels, of the declared classes.  An array of the integers 0, ..., K - 1 where the classes are
                texts holds their places in ``sorted(classes)``, as meta-estimators of scikit-learn number labels;
                ``classes_`` and predictions are such integers then.
            groups: (n,) whose row each is, where persons have several: integers, texts or dates; or a DataFrame of
                columns that name a person together.  Rows without a name are together one person.  Every person
                counts as one example, ``guarantee_`` is for replacing a person with all rows, and the number of
                persons is public, that of rows is not.  None: each row is protected by itself.

        Returns:
            The estimator itself, fitted.

        Raises:
            ValueError: before the ledger is charged, for settings that do not go together, public data of other
                columns, features that are not finite numbers, labels that are not declared, ``groups`` of another
                length or of floats, and a learner whose proof is not one for persons.
        """
        with all_or_nothing(self):
            return self._fitted(X, y, groups)

    def _fitted(self, X: ArrayLike, y: ArrayLike, groups: Any) -> Self:
        """Check, charge, draw, and keep the release."""
        self.choice_ = self.choice(X)
        learner = self._taken(self.choice_)
        reading = isinstance(self.classes, str) and self.classes == OBSERVED
        several = learner.output_kind == Classifier.kind
        classes = None if reading else declared(self.classes, several=several)
        if reading and not isinstance(self.randomness, Simulation):
            raise ValueError("classes = 'observed': reads private labels, which is for Simulation(seed) alone")
        self._draw(learner, by_person=groups is not None)
        if (self.unlabelled is not None) != learner.reads_unlabelled:
            rule = "must be the label that marks them" if learner.reads_unlabelled else "must be None, it takes none"
            raise ValueError(f"unlabelled = {self.unlabelled!r}: {rule} ({learner.short_title})")
        if learner.public_stage.needs_labels:
            check_other_targets(self.public_labels, y, "public_labels")
        points, known = self._rows(learner, X)
        labels = door.labels(y, len(points))
        marked = _is_marked(labels, self.unlabelled)
        own, places = labels[~marked], False
        if classes is None:
            order = door.withheld(lambda: observed(own, several=several), "y: the labels cannot be told apart")
        else:
            order = numbered(classes) if (places := is_numbered(labels, classes)) else classes
        functions = self._functions(self._class_of(learner), learner, points.shape[1], classes=len(order))
        if several and functions.classes != len(order):
            raise ValueError(f"classes: are {len(order)}, {functions!r} has {functions.classes}")
        rows = np.flatnonzero(~marked)
        targets = encoded(own, order, "y", rows, places=places)
        idle = self.public_labels is None or (self.choice_ is not None and not learner.public_stage.needs_labels)
        public = None if idle else self._public_labels(order, classes)
        self._keep(order)
        self._fit(
            learner,
            functions,
            (points[~marked], targets),
            public,
            handed=X,
            groups=groups,
            rows=points,
            box=(0.0, 1.0),
            public=known,
            unlabelled=points[marked] if learner.reads_unlabelled else None,
            identity={"classes": (order if classes is None else classes).tolist()},
        )
        if reading:
            release = self.release_
            self.release_ = Release(release.output, None, release.randomness, release.cost)
        return self

    def _asked_of_rule(self) -> tuple[str, int, Any]:
        labels = 2 if isinstance(self.classes, str) else np.size(self.classes)
        return ("several labels" if labels > 2 else "two labels"), max(labels, 2), self.public_labels

    def _class_of(self, learner: AnyLearner) -> Any:
        """Return the functions to learn; by default those that follow from the learner."""
        if self.choice_ is not None:
            if self.hypothesis_class is not None:
                raise ValueError("hypothesis_class: follows from what auto takes: leave it out, or name a learner")
            return self.choice_.hypothesis_class["name"]
        follows = FOLLOWING.get(registry.name_of(learner), STUMPS)["name"]
        return follows if self.hypothesis_class is None else self.hypothesis_class

    def _public_labels(self, order: NDArray[Any], classes: NDArray[Any] | None) -> ClassLabels:
        """Return public labels (m,) as 0, 1, ...; they are of the declared classes, or places, as those of ``y``."""
        given = door.labels(self.public_labels, None, "public_labels")
        known = order if classes is None or is_numbered(given, classes) else classes
        return encoded(given, known, "public_labels")

    def _keep(self, order: NDArray[Any]) -> None:
        """Keep the sorted classes, and the places among them of the classes of label 0, 1, ..."""
        self.classes_ = np.sort(order)
        self.order_ = np.argsort(np.argsort(order))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of rows.

        Args:
            X: (n, d), an array or a DataFrame of the same columns.

        Returns:
            One of the classes for each row, (n,).
        """
        places = self._places(self._output(X))
        return self.classes_[places]

    def _places(self, outputs: NDArray[Any]) -> NDArray[np.intp]:
        """Return the places in ``classes_`` of labels 0, 1, ... (n,), as the released function says them."""
        return self.order_[outputs.astype(np.intp)]

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of rows whose class is predicted.  Of private rows it is exact, and not private.

        A label that is none of the classes is a mistake.

        Args:
            X: (n, d), an array or a DataFrame of the same columns.
            y: (n,) their labels.
            sample_weight: (n,) what each row counts; None: all count the same.

        Returns:
            The share, in [0, 1].
        """
        predicted = self._places(self._output(X))
        true = _found(door.labels(y, len(predicted)), self.classes_)
        weights = None if sample_weight is None else door.responses(sample_weight, len(predicted), "sample_weight")
        return float(np.average(true == predicted, weights=weights))

    @available_if(_has_scores)  # type: ignore[untyped-decorator]
    def decision_function(self, X: ArrayLike) -> Floats:
        """Return scores of rows, for a released function that has them: halfspaces and linear rules.

        Args:
            X: (n, d), an array or a DataFrame of the same columns.

        Returns:
            Of two classes (n,): above 0 exactly where ``predict`` says the second of ``classes_``.  Of more (n, K), in
            the order of ``classes_``: the highest is the class that ``predict`` says.  They are no probabilities.
        """
        points = self._points(X)  # asks first whether it is fitted
        output: Any = self.release_.output
        predicted = self._places(output.predict(points))
        if not isinstance(output, Classifier):
            scores = output.functions.scores(output.parameters[None], points)[0]
            return _signed(scores if self.order_[1] else -scores, predicted)
        scores = output.scores(points)[:, np.argsort(self.order_)]
        return (
            each_highest(scores, predicted) if scores.shape[1] > 2 else _signed(scores[:, 1] - scores[:, 0], predicted)
        )

    def _more(self) -> dict[str, Any]:
        declared_order = self.classes_[self.order_]  # label i of the released function is the class at place order_[i]
        return {"classes": declared_order.tolist(), "observed": isinstance(self.classes, str)}

    @classmethod
    def _constructed(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        classes = OBSERVED if given["observed"] else tuple(given["classes"])
        return {**super()._constructed(given), "classes": classes}

    def _restore(self, given: Mapping[str, Any]) -> None:
        self._keep(declared(given["classes"], several=len(given["classes"]) != 2))
        self.hypothesis_class = self.release_.output.functions


# ---------------------------------------------------------------------- classes: labels to {0, 1, ...} and back
def declared(classes: Any, *, several: bool = False) -> NDArray[Any]:
    """Return the classes (K,), of label 0, of label 1, ...; raise ValueError unless they differ, and are two.

    several: whether they may be more than two.
    """
    rule = f"2 to {MOST_CLASSES} classes, of label 0, 1, ..." if several else "two classes (of label 0, of label 1)"
    wrong = ValueError(f"classes = {classes!r}: must be the {rule}, declared before any label is seen")
    if isinstance(classes, str) or np.ndim(classes) != 1 or not 2 <= len(classes) <= (MOST_CLASSES if several else 2):
        raise wrong
    values = [_plain(value) for value in classes]
    if not any(all(type(value) in kinds for value in values) for kinds in _SORTED):
        raise ValueError(f"classes = {classes!r}: must be all texts, all numbers, or all booleans, which can be sorted")
    known = np.asarray(values)
    missing = known.dtype.kind == "f" and np.isnan(known).any()
    if known.dtype.kind not in "biufU" or missing or len(set(known.tolist())) < len(known):
        raise wrong
    return known


def _plain(label: Any) -> Any:
    """Return a label as Python's own text, boolean or number, if it is one: members of an enumeration are."""
    value = label.item() if isinstance(label, np.generic) else label
    return value.value if isinstance(value, Enum) and isinstance(value, str | int | float) else value


def numbered(classes: NDArray[Any]) -> NDArray[Any]:
    """Return the place of each class (K,) among the sorted ones.

    >>> numbered(np.array(["well", "ill"])).tolist()
    [1, 0]
    """
    return np.argsort(np.argsort(classes))


def is_numbered(labels: NDArray[Any], classes: NDArray[Any]) -> bool:
    """Return whether labels are places of the sorted classes: by the types of both alone, whatever the labels are."""
    return labels.dtype.kind in "iu" and classes.dtype.kind in "Ub"


def observed(labels: NDArray[Any], *, several: bool = False) -> NDArray[Any]:
    """Return the classes that are among the labels, sorted.

    The result depends on all labels, so that no guarantee holds.  Raise ValueError unless there are two, or more if
    there may be several.
    """
    from sklearn.utils.multiclass import type_of_target  # noqa: PLC0415  (a slow import, for simulations)

    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise PublicError(f"y: row {int(np.argmin(np.isfinite(labels)))}: must be a label, neither NaN nor infinity")
    kinds = {type(_plain(label)) for label in labels}
    if not any(kinds <= set(allowed) for allowed in _SORTED):
        raise PublicError("y: Unknown label type: unknown. The labels must be all texts, all numbers, or all booleans")
    classes = np.unique(labels if labels.dtype != object else np.asarray(labels.tolist()))
    kind = type_of_target(classes, input_name="y")
    if kind.startswith("continuous"):
        raise PublicError(
            f"y: Unknown label type: {kind}. The labels must be of {'some' if several else 'two'} classes"
        )
    if len(classes) > 2 and not several:
        raise PublicError("Only binary classification is supported. The type of the target is multiclass.")
    if len(classes) < 2:
        raise PublicError(
            "y: holds one class only, and classes='observed' needs two; declare them: classes=(zero, one)"
        )
    if len(classes) > MOST_CLASSES:
        raise PublicError(f"y: holds {len(classes)} classes, must be {MOST_CLASSES} at most")
    return declared(classes, several=several)


def encoded(
    labels: NDArray[Any],
    classes: NDArray[Any],
    name: str,
    rows: NDArray[np.intp] | None = None,
    *,
    places: bool = False,
) -> ClassLabels:
    """Return labels (n,) of the classes as 0, 1, ...; raise PublicError, with the row alone, for any other.

    rows: (n,) the row of each; None: 0, 1, ...  places: whether integers are read as places of texts.
    """
    place = _found(labels, classes)
    if (place < 0).any():
        first = int(np.argmax(place < 0))
        row = first if rows is None else int(rows[first])
        hint = "; others are declared by classes=(...)" if name == "y" else ""
        if places:
            hint = " (an array of integers holds places of the sorted classes, which are texts)"
        elif labels.dtype.kind in "iu":
            hint = "; meta-estimators of scikit-learn number labels: declare texts, or classes=(0, 1, ...), for these"
        raise PublicError(f"{name}: row {row}: must be one of the declared classes {tuple(classes.tolist())!r}{hint}")
    return place.astype(np.int8)


def _found(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each label (n,) among the classes, -1 for any other; each label by itself."""
    texts, numbers = (kind.issuperset((labels.dtype.kind, classes.dtype.kind)) for kind in (set("U"), set("biuf")))
    if texts or numbers:
        met = np.array([labels == label for label in classes]).reshape(len(classes), len(labels))
        return np.where(met.any(axis=0), np.argmax(met, axis=0), -1)
    known = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([_place(known, label) for label in labels.tolist()], np.intp)


def _place(known: dict[Any, int], label: Any) -> int:
    try:
        return known.get(label, -1)
    except Exception:  # whatever a cell makes of it: it is none of the classes
        return -1


def _is_marked(labels: NDArray[Any], marker: Any) -> NDArray[np.bool_]:
    """Return whether each label (n,) is the one that marks rows without a label; None: there is no such label."""
    if marker is None:
        return np.zeros(len(labels), bool)
    return _found(labels, np.asarray([marker])) == 0


# ---------------------------------------------------------------------- scores that say what is predicted
def _signed(scores: Floats, predicted: NDArray[np.intp]) -> Floats:
    """Return scores (n,) with 0 moved to the side of the predicted class."""
    least = np.nextafter(0.0, 1.0)
    return np.where(scores == 0, np.where(predicted == 1, least, -least), scores)


def each_highest(scores: Floats, predicted: NDArray[np.intp]) -> Floats:
    """Return scores (n, K) in which the predicted class is above any class with an equal score.

    >>> each_highest(np.array([[1.0, 1.0, 0.0]]), np.array([1])).argmax().item()
    1
    """
    raised = scores.copy()
    rows = np.arange(len(scores))
    tied = (scores == scores[rows, predicted][:, None]).sum(axis=1) > 1
    raised[rows[tied], predicted[tied]] = np.nextafter(scores[rows, predicted][tied], np.inf)
    return raised
