"""Learners of two classes, or of several, as a scikit-learn classifier."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from semipriv.classes.base import Hypothesis
from semipriv.classes.classifiers.base import MOST_CLASSES, Classifier
from semipriv.core import rooms
from semipriv.core.randomness import Simulation
from semipriv.core.samples import ClassLabels
from semipriv.core.types import Floats
from semipriv.practice.estimators.base import SemiPrivateEstimator
from semipriv.privacy.guarantee import Release

__all__ = ["SemiPrivateClassifier"]

OBSERVED = "observed"
"""Classes that are read off the labels: for simulations, without a guarantee."""


def _has_scores(estimator: Any) -> bool:
    """Return whether an estimator is fitted, and what was released has scores."""
    return hasattr(estimator, "release_") and hasattr(estimator.release_.output.functions, "scores")


class SemiPrivateClassifier(ClassifierMixin, SemiPrivateEstimator):  # type: ignore[misc]
    """Any learner of hypotheses or classifiers, with public points in the constructor and private rows in ``fit``.

    What is released is a function to the classes, so there is no ``predict_proba``.  A class that no private row
    has, or all have, is no error: an error would tell.  ``score`` on private rows is exact and not private.

    Args:
        learner: the name of a learner, or a configured one.
        epsilon: of a learner that is named, finite and > 0.
        learner_parameters: its other settings, by name; unknown ones are refused.
        hypothesis_class: a value, or a name, which gets the dimension of the rows.
        public: public points, (m, d) or a DataFrame of the same columns; or a number of points to spread over declared
            ranges, where there are no public data.
        public_labels: (m,), for a learner that needs them.
        classes: the two labels, of label 0 and of label 1, declared before any is seen; for a learner of several
            classes all of them.  'observed' reads them off ``y``: for simulations alone, and without a guarantee.
        unlabelled: the label that marks rows without a label, for a learner that takes such rows; which rows these are
            is public.
        ranges: one pair (low, high), d pairs, a mapping of columns to pairs, or 'public', the smallest and largest
            public values.  Features are clipped into them and mapped to [0, 1], each row by itself.  None: features
            stay as they are.
        columns: a mapping of columns to what they may hold, as ``features`` of a request has it, such as
            {'age': {'range': [0, 120]}, 'sex': {'categories': ['F', 'M'], 'unknown': 'none'}}: numbers, categories and
            dates of a DataFrame, with what stands for unknown cells.  Others of its columns are passed over.
        randomness: Secure() for a release, Simulation(seed) for a simulation; there is no default.
        ledger: path of a budget ledger, which every fit with Secure() charges in full.
        request: a name in the ledger: the same request on the same rows gets the release that was drawn, at no cost.

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

    def __init__(
        self,
        learner: Any = "sspp",
        epsilon: Any = None,
        *,
        learner_parameters: Mapping[str, Any] | None = None,
        hypothesis_class: Any = "decision_stumps",
        public: Any = None,
        public_labels: Any = None,
        classes: Any = (0, 1),
        unlabelled: Any = None,
        ranges: Any = "public",
        columns: Any = None,
        randomness: Any = None,
        ledger: Any = None,
        request: str | None = None,
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
        self.randomness = randomness
        self.ledger = ledger
        self.request = request

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
        try:
            return self.configured().output_kind == Classifier.kind
        except ValueError:
            return False

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw a hypothesis from private rows.

        Of a label that is not declared the message names the row alone; what scikit-learn says of features may name a
        value: it is for the holder of the rows.

        Args:
            X: (n, d) private rows, an array or a DataFrame.
            y: (n,) their labels, of the declared classes.

        Returns:
            The estimator itself, fitted.

        Raises:
            ValueError: before the ledger is charged, for settings that do not go together, public data of other
                columns, features that are not finite numbers, and labels that are not declared.
        """
        learner = self.configured()
        reading = isinstance(self.classes, str) and self.classes == OBSERVED
        several = learner.output_kind == Classifier.kind
        classes = None if reading else declared(self.classes, several=several)
        if reading and not isinstance(self.randomness, Simulation):
            raise ValueError("classes = 'observed': reads private labels, which is for Simulation(seed) alone")
        self._draw(learner)
        if (self.unlabelled is not None) != learner.reads_unlabelled:
            rule = "must be the label that marks them" if learner.reads_unlabelled else "must be None, it takes none"
            raise ValueError(f"unlabelled = {self.unlabelled!r}: {rule} ({learner.short_title})")
        points, labels, known = self._rows(learner, X, y)
        marked = np.zeros(len(points), bool)
        if self.unlabelled is not None:
            marked |= np.asarray(labels == self.unlabelled)
        self.classes_ = observed(labels[~marked], several=several) if classes is None else classes
        functions = self._functions(self.hypothesis_class, learner, points.shape[1], classes=len(self.classes_))
        if several and functions.classes != len(self.classes_):
            raise ValueError(f"classes: are {len(self.classes_)}, {functions!r} has {functions.classes}")
        targets = encoded(labels[~marked], self.classes_, "y")
        public = None if self.public_labels is None else encoded(self.public_labels, self.classes_, "public_labels")
        self._fit(
            learner,
            functions,
            (points[~marked], targets),
            public,
            box=(0.0, 1.0),
            public=known,
            unlabelled=points[marked] if learner.reads_unlabelled else None,
            law={"classes": self.classes_.tolist()},
        )
        if reading:
            release = self.release_
            self.release_ = Release(release.output, None, release.randomness, release.cost)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of rows.

        Args:
            X: (n, d), an array or a DataFrame of the same columns.

        Returns:
            One of the classes for each row, (n,).
        """
        labels = self._output(X)
        return self.classes_[labels.astype(np.intp)]

    @available_if(_has_scores)  # type: ignore[untyped-decorator]
    def decision_function(self, X: ArrayLike) -> Floats:
        """Return scores of rows, for a released function that has them: halfspaces and linear rules.

        Args:
            X: (n, d), an array or a DataFrame of the same columns.

        Returns:
            Of two classes (n,): above 0 exactly where ``predict`` says the second.  Of more (n, K): the highest wins.
            They are no probabilities.
        """
        output: Any = self.release_.output
        if isinstance(output, Classifier):
            each = output.scores(self._points(X))
            return each if each.shape[1] > 2 else each[:, 1] - each[:, 0]
        scores = output.functions.scores(output.parameters[None], self._points(X))[0]
        return np.where(scores == 0, np.nextafter(0.0, 1.0), scores)

    def _more(self) -> dict[str, Any]:
        return {"classes": self.classes_.tolist(), "observed": isinstance(self.classes, str)}

    @classmethod
    def _constructed(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        classes = OBSERVED if given["observed"] else tuple(given["classes"])
        return {**super()._constructed(given), "classes": classes}

    def _restore(self, given: Mapping[str, Any]) -> None:
        self.classes_ = declared(given["classes"], several=len(given["classes"]) != 2)
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
    known = np.asarray(classes)
    if known.dtype.kind not in "biufUO" or len(set(known.tolist())) < len(known):
        raise wrong
    return known


def observed(labels: NDArray[Any], *, several: bool = False) -> NDArray[Any]:
    """Return the classes that are among the labels, sorted.

    What is read depends on all labels, so that no guarantee holds.  Raise ValueError unless there are two, or more if
    there may be several.
    """
    from sklearn.utils.multiclass import type_of_target  # noqa: PLC0415  (a slow import, for simulations)

    classes = np.unique(labels)
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind.startswith("continuous"):
        raise ValueError(f"Unknown label type: {kind}. The labels must be of {'some' if several else 'two'} classes")
    if kind != "binary" and not several:
        raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
    if len(classes) < 2:
        raise ValueError("y: holds one class only, and classes='observed' needs two; declare them: classes=(zero, one)")
    return declared(classes, several=several)


def encoded(given: Any, classes: NDArray[Any], name: str) -> ClassLabels:
    """Return labels (n,) of the classes as 0, 1, ...; raise ValueError, with the row alone, for any other."""
    labels = np.asarray(given)
    if labels.ndim != 1:
        raise ValueError(f"{name}: must have shape (n,), got {labels.shape}")
    met = np.array([np.broadcast_to(labels == one, labels.shape) for one in classes])
    known = met.any(axis=0)
    if not known.all():
        row = int(np.argmin(known))
        raise ValueError(f"{name}: row {row}: must be one of the declared classes {tuple(classes.tolist())!r}")
    return np.argmax(met, axis=0).astype(np.int8)
