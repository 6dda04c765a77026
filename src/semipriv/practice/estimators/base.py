"""What the estimators share: configured learners, public data, scaling, one draw, and JSON."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from semipriv.classes.base import as_class
from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.samples import Points
from semipriv.learners.base import AnyLearner, Learner
from semipriv.practice.estimators import stored
from semipriv.practice.estimators.draws import Draw
from semipriv.practice.estimators.public import as_number, points_of
from semipriv.practice.estimators.scaling import Scaling, scaling
from semipriv.privacy.budget.amounts import parameter, positive_amount
from semipriv.privacy.guarantee import Guarantee, Release


class SemiPrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """Parameters as scikit-learn has them, and a fit that is one release of a learner.

    A fitted estimator keeps what was released, and public things.  What was released comes back from its JSON, so that
    no private array can hang on it.
    """

    output_kind: ClassVar[str]
    """The kind of output of the learners that it takes."""
    room: ClassVar[str]
    """Where its sets of functions are."""
    learns: ClassVar[Any]
    """Their type."""

    # parameters that all have
    learner: Any
    epsilon: Any
    learner_parameters: Mapping[str, Any] | None
    public: Any
    ranges: Any
    randomness: Any
    ledger: Any
    request: str | None
    # what a fit leaves
    n_features_in_: int
    release_: Release[Any]
    scaling_: Scaling | None

    # ------------------------------------------------------------------ parameters
    def configured(self) -> AnyLearner:
        """Return the learner that the parameters name.

        Returns:
            The learner.

        Raises:
            ValueError: for unknown or missing settings, with the allowed ones.
        """
        epsilon = self.epsilon
        if epsilon is not None and self.ledger is not None:
            epsilon = parameter(positive_amount("epsilon", epsilon))  # a tenth is charged as a tenth
        found = configured(self.learner, epsilon, self.learner_parameters)
        if found.output_kind != self.output_kind:
            raise ValueError(
                f"learner: {registry.name_of(found)} releases {found.output_kind}, {type(self).__name__} takes "
                f"{_of_kind(self.output_kind)}"
            )
        return found

    def _functions(self, given: Any, dimension: int) -> Any:
        """Return the functions to learn: a value, or a name, which gets the dimension of the rows."""
        if isinstance(given, str):
            plugin = registry.load(self.room, given)
            needed = {"dimension": dimension} if "dimension" in inspect.signature(plugin).parameters else {}
            given = registry.build(self.room, {"name": given, **needed})
        found = as_class(given, self.learns)
        if found.dimension != dimension:
            raise ValueError(f"X: has {dimension} feature(s), {found!r} takes {found.dimension}")
        return found

    def _draw(self, learner: AnyLearner) -> Draw:
        """Return how a release is drawn; raise ValueError for randomness and ledger that do not go with the learner."""
        return Draw.of(self.randomness, self.ledger, self.request, learner.guarantee, learner.releasable, learner.title)

    # ------------------------------------------------------------------ fit
    def _fit(
        self,
        learner: AnyLearner,
        functions: Any,
        examples: tuple[Points, ArrayLike],
        public_targets: ArrayLike | None,
        *,
        box: tuple[float, float],
        unlabelled: Points | None = None,
        law: Mapping[str, Any],
    ) -> Self:
        """Prepare the public data, charge, draw one release, and keep it.

        examples: points (n, d) and targets (n,).  public_targets: (m,) or None.  unlabelled: (u, d), None for a learner
        that takes none.  law: what else decides the law of the release, as values of JSON.
        """
        draw = self._draw(learner)
        dimension = functions.dimension
        columns = getattr(self, "feature_names_in_", None)
        names = None if columns is None else [str(column) for column in columns]
        public = points_of(self.public, dimension, names)
        own = None if self.ranges is None else scaling(self.ranges, public, dimension, names, box)
        if public is None:
            number = as_number(self.public, learner)
            if number and own is None:
                raise ValueError(f"public = {number}: points are spread over declared ranges, and ranges is None")
            public = own.spread(number) if own is not None and number else np.empty((0, dimension))
        known = public if own is None else own.encode(public)
        prepared = learner.prepare(known, functions, public_targets)
        learner.check_private(len(examples[0]))

        def encoded(points: Points) -> Points:
            return points if own is None else own.encode(points)

        def make() -> Release[Any]:
            more = {} if unlabelled is None else {"unlabelled": ListedEntries(encoded(unlabelled))}
            return learner.release(prepared, encoded(examples[0]), examples[1], draw.randomness, **more)

        request = {
            "estimator": type(self).__name__,
            "learner": registry.specification("learners", learner),
            "functions": functions.specification(),
            "public": stored.digest(known, public_targets),
            "scaling": own and own.description(),
            "sizes": [len(examples[0]), 0 if unlabelled is None else len(unlabelled)],
            **law,
        }
        records = [*examples, *([] if unlabelled is None else [unlabelled])]
        self.scaling_ = own
        self.release_ = draw.release(make, request, lambda: learner.event, records)
        return self

    # ------------------------------------------------------------------ after a fit
    @property
    def guarantee_(self) -> Guarantee | None:
        """The guarantee of this one fit, by the mechanism; None without privacy.

        Drawn by a ``Simulation`` it protects nobody who knows the seed: ``release_.certified()`` refuses it.
        """
        check_is_fitted(self, "release_")
        return self.release_.guarantee

    def _output(self, X: Any) -> Any:
        """Return the values of what was released, (n,), at rows (n, d), each scaled and clipped by itself."""
        check_is_fitted(self, "release_")
        points = validate_data(self, X, reset=False, dtype=np.float64)
        functions: Any = self.release_.output.functions
        clip: Callable[[Points], Points] = getattr(functions, "clipped", lambda points: points)
        return self.release_.output.predict(clip(points if self.scaling_ is None else self.scaling_.encode(points)))

    # ------------------------------------------------------------------ JSON
    def to_json(self) -> str:
        """Return the fitted estimator as JSON: what was released and what reads it, no public points and no ledger.

        ``from_json`` makes an estimator of it that predicts the same.

        Returns:
            The JSON, which holds nothing private but what was released.
        """
        check_is_fitted(self, "release_")
        names = getattr(self, "feature_names_in_", None)
        return stored.to_json(
            {
                "estimator": type(self).__name__,
                "learner": registry.specification("learners", self.configured()),
                "functions": self.release_.output.functions.specification(),
                "features": self.n_features_in_,
                "columns": None if names is None else names.tolist(),
                "scaling": self.scaling_ and self.scaling_.description(),
                "release": stored.described(self.release_),
                **self._more(),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the fitted estimator of ``to_json``.

        Args:
            text: what ``to_json`` returned.

        Returns:
            A fitted estimator that predicts the same.

        Raises:
            ValueError: for a text that is none of this type.
        """
        try:
            given = json.loads(text)
            if given["estimator"] != cls.__name__:
                raise ValueError(f"is a {given['estimator']}, must be a {cls.__name__}")
            found: Self = cls(**cls._constructed(given))
            found.n_features_in_ = given["features"]
            if given["columns"] is not None:
                found.feature_names_in_ = np.array(given["columns"], object)
            found.scaling_ = given["scaling"] and Scaling(**given["scaling"])
            found.release_ = stored.restored(given["release"])
            found._restore(given)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"text: is no fitted {cls.__name__} as JSON: {error}") from None
        return found

    def _more(self) -> dict[str, Any]:
        """Return what a subclass needs besides."""
        return {}

    @classmethod
    def _constructed(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the constructor's parameters, of which the learner is configured."""
        return {"learner": registry.specified(given["learner"])}

    def _restore(self, given: Mapping[str, Any]) -> None:
        """Restore what ``_more`` told."""


def configured(learner: Any, epsilon: Any, parameters: Mapping[str, Any] | None) -> AnyLearner:
    """Return a learner given by its name and settings, or configured already.

    Raise ValueError for unknown or missing settings, with the allowed ones, and for settings of a configured learner.
    """
    if isinstance(learner, Learner):
        if epsilon is not None or parameters is not None:
            raise ValueError(f"learner = {learner!r}: is configured, so epsilon and learner_parameters must be None")
        return learner
    settings = dict(parameters or {})
    if epsilon is not None:
        if "epsilon" in settings:
            raise ValueError("learner_parameters: epsilon is there, and given besides")
        settings["epsilon"] = epsilon
    if "name" in settings:
        raise ValueError("learner_parameters: the name is that of the parameter learner")
    found: AnyLearner = registry.build("learners", {"name": learner, **settings})
    return found


def _of_kind(kind: str) -> str:
    found = [name for name in registry.names("learners") if registry.load("learners", name).output_kind == kind]
    return f"learners that release {kind}: {', '.join(found)}"
