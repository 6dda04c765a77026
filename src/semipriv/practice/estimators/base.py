"""What the estimators share: configured learners, public data, scaling, one draw, and JSON."""

import inspect
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import Any, ClassVar, Self, cast

import attrs
import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from semipriv.classes.base import as_class
from semipriv.core import checks, registry, rooms
from semipriv.core.entries import ListedEntries
from semipriv.core.errors import PublicError
from semipriv.core.persons import Persons
from semipriv.core.roles import Role
from semipriv.core.samples import Points, StatusModel, as_points
from semipriv.learners.base import AnyLearner, Learner, status_model
from semipriv.learners.stages.nothing import Nothing
from semipriv.practice.asking.choosing import Choice
from semipriv.practice.asking.releasable import check_box, weighs
from semipriv.practice.columns.schema import Records
from semipriv.practice.columns.strict import canonical
from semipriv.practice.estimators import chosen, door, stored
from semipriv.practice.estimators.covers import FitGuarantee, Who, guarantee_of
from semipriv.practice.estimators.declared import check_columns, declared_columns, described_columns
from semipriv.practice.estimators.draws import Draw
from semipriv.practice.estimators.groups import check_counting, columns_of, guarantee_by_person, persons_of
from semipriv.practice.estimators.scaling import PUBLIC, Scaling, scaling
from semipriv.practice.estimators.twice import check_other
from semipriv.practice.sums.by_person import summed_by_person
from semipriv.privacy.budget.amounts import parameter, positive_amount
from semipriv.privacy.guarantee import Release


class SemiPrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """Parameters as scikit-learn has them, and a fit that is one release of a learner.

    A fitted estimator keeps the release and public values only.  The release is read back from its JSON, so that it
    cannot refer to a private array.
    """

    output_kinds: ClassVar[tuple[str, ...]]
    """The kinds of outputs of the learners that it takes."""
    gives: ClassVar[str]
    """Where its sets of functions are."""

    # parameters that all have
    learner: Any
    epsilon: Any
    learner_parameters: Mapping[str, Any] | None
    public: Any
    ranges: Any
    columns: Any
    rows: Any
    randomness: Any
    ledger: Any
    request: str | None
    period: str | Sequence[str] | None
    # what a fit leaves
    n_features_in_: int
    release_: Release[Any]
    choice_: Choice | None
    learner_: AnyLearner
    scaling_: Scaling | None
    records_: Records | None
    who_: Who | None

    # ------------------------------------------------------------------ parameters
    def configured(self) -> AnyLearner:
        """Return the learner that the parameters name.

        Returns:
            The learner.

        Raises:
            ValueError: for unknown or missing settings, with the allowed ones.
        """
        if not chosen.is_auto(self.learner):
            return self._built(self.learner, self.learner_parameters)
        if not hasattr(self, "n_features_in_"):
            raise ValueError(f"learner: {chosen.AUTO} takes one for rows: ask ``choice(X)``, or fit first")
        return self._taken(self._choice(self.n_features_in_))

    def _taken(self, choice: Choice | None) -> AnyLearner:
        """Return the learner that the public rule takes; None if the parameters name one."""
        if choice is None:
            return self.configured()
        return self._built(choice.learner["name"], choice.settings(dict(self.learner_parameters or {})))

    def choice(self, X: Any) -> Choice | None:
        """Return the learner and the class that the public rule takes for such rows, and why; None if the parameters
        name one.

        Only the number of columns of private rows is read.

        Args:
            X: (n, d), an array or a DataFrame.

        Returns:
            The choice: ``learner``, ``hypothesis_class`` and ``because``.

        Raises:
            ValueError: where the rule has no learner, with what can be done.
            PublicError: for an array that has no columns.
        """
        if not chosen.is_auto(self.learner):
            return None
        shape = (0, len(self.columns)) if self.columns is not None else door.array_of(X, "X").shape
        if len(shape) != 2 or not shape[1]:
            raise PublicError("X: Expected 2D array, must have shape (n, d), d >= 1")
        return self._choice(shape[1])

    def _choice(self, columns: int) -> Choice:
        """Return what the public rule takes for rows of so many columns."""
        task, labels, targets = self._asked_of_rule()
        return chosen.choice_of(self, task, columns, labels, targets)

    @abstractmethod
    def _asked_of_rule(self) -> tuple[str, int, Any]:
        """Return the task, the number of labels, and labels or responses of public rows, or None."""

    def _built(self, given: Any, parameters: Mapping[str, Any] | None) -> AnyLearner:
        epsilon = self.epsilon
        if epsilon is not None and self.ledger is not None:
            epsilon = parameter(positive_amount("epsilon", epsilon))  # a tenth is charged as a tenth
        learner = configured(given, epsilon, parameters)
        if learner.output_kind not in self.output_kinds:
            raise ValueError(
                f"learner: {registry.name_of(learner)} releases {learner.output_kind}, {type(self).__name__} takes "
                f"{_of_kinds(self.output_kinds)}"
            )
        return learner

    def _functions(self, given: Any, learner: AnyLearner, dimension: int, **others: Any) -> Any:
        """Return the functions to learn: a value, or a name, which gets the dimension of the rows.

        others: further parameters, for functions that take them.
        """
        if isinstance(given, str):
            room = registry.room_of(rooms.of("class", self.gives), given)
            known = inspect.signature(registry.load(room, given)).parameters
            needed = {key: value for key, value in {"dimension": dimension, **others}.items() if key in known}
            given = registry.build(room, {"name": given, **needed})
        functions = as_class(given, learner.public_stage.learns)
        if functions.dimension != dimension:
            raise ValueError(f"X: has {dimension} feature(s), {functions!r} takes {functions.dimension}")
        return functions

    def _draw(self, learner: AnyLearner, *, by_person: bool) -> Draw:
        """Return how a release is drawn; raise ValueError if randomness or ledger do not fit the learner.

        by_person: whether persons are protected, with all their rows.
        """
        check_counting(self.rows, by_person)
        return Draw.of(
            self.randomness,
            self.ledger,
            self.request,
            guarantee_by_person(learner) if by_person else learner.guarantee,
            learner.releasable,
            learner.title,
            lambda: releasable(self.output_kinds),
            period=self.period,
        )

    # ------------------------------------------------------------------ fit
    def _rows(self, learner: AnyLearner, X: Any) -> tuple[Points, Points | None]:
        """Return private points (n, d), and the public points as far as these are declared columns.

        Raise ValueError, naming a row and no cell.
        """
        self.records_ = None
        if self.columns is None:
            return door.points(self, X, reset=True), None
        if not (self.ranges is None or (isinstance(self.ranges, str) and self.ranges == PUBLIC)):
            raise ValueError("ranges: the ends of declared columns are in columns; leave it, or None for no scaling")
        self.records_, public = declared_columns(self.columns, self.public, one_hot=weighs(learner))
        check_columns(self.records_, X, "X")
        points = self.records_.points(X, "X")
        self.feature_names_in_ = np.array([feature.column for feature in self.records_.features], object)
        self.n_features_in_ = len(self.feature_names_in_)
        if len(points) == 0:
            raise PublicError("X: has no row")
        return points, public

    def _fit(
        self,
        learner: AnyLearner,
        functions: Any,
        examples: tuple[Points, ArrayLike],
        public_targets: ArrayLike | None,
        *,
        handed: Any,
        groups: Any,
        rows: Points,
        box: tuple[float, float],
        public: Points | None = None,
        unlabelled: Points | None = None,
        identity: Mapping[str, Any],
    ) -> Self:
        """Prepare the public data, charge, draw one release, and keep it.

        examples: points (n, d) and targets (n,).  public_targets: (m,) or None.  handed: the private rows as they came.
        groups: (n,) names of persons, or None.  rows: all of them, (n, d), with a label or not.  public: those of
        declared columns, (m, d).  unlabelled: (u, d), None for a learner that takes none.  identity: what
        else decides the distribution of the release, as values of JSON.
        """
        draw = self._draw(learner, by_person=groups is not None)
        persons = None if groups is None else persons_of(groups, len(examples[0]))
        who = None if persons is None else Who(persons.count, columns_of(groups))
        size = len(examples[0]) if who is None else who.count  # the public number
        dimension = functions.dimension
        if self.records_ is not None:
            box_scaling = None if self.ranges is None else Scaling(*self.records_.box, *box)
            identity = {**identity, "columns": self.records_.description()}
        else:
            columns = getattr(self, "feature_names_in_", None)
            names = None if columns is None else [str(column) for column in columns]
            public = points_of(self.public, dimension, names)
            box_scaling = None if self.ranges is None else scaling(self.ranges, public, dimension, names, box)
        if self.records_ is not None and self.public is None:
            as_number(None, learner)
        if public is None:
            number = as_number(self.public, learner)
            if number and box_scaling is None:
                raise ValueError(f"public = {number}: points are spread over declared ranges, and ranges is None")
            public = box_scaling.spread(number) if box_scaling is not None and number else np.empty((0, dimension))
        known = public if box_scaling is None else box_scaling.encode(public)
        check_other(self.public, handed, None if self.columns is None else list(self.columns))
        prepared = learner.prepare(known, functions, public_targets)
        learner.check_release(prepared, size)

        def encoded(given: Points) -> Points:
            return given if box_scaling is None else box_scaling.encode(given)

        if self.records_ is not None:
            check_box(self.records_, functions, encoded)
        places = encoded(rows)
        _check_inside(functions, places)
        _check_statuses(learner, examples[1])
        points, entries = places, None
        if unlabelled is not None:
            points, entries, reading = encoded(examples[0]), encoded(unlabelled), cast(Any, learner)
            reading.check_sizes(len(points), len(entries), functions)

        make = self._maker(learner, prepared, (points, examples[1]), persons, entries, draw)
        request = {
            "estimator": type(self).__name__,
            "learner": registry.specification("learners", learner),
            "functions": functions.specification(),
            "public": stored.digest(known, public_targets),
            "scaling": box_scaling and box_scaling.description(),
            "sizes": [size, 0 if unlabelled is None else len(unlabelled)],
            **({} if who is None else {"person": who.described(self.rows)}),
            **identity,
        }
        records = [*examples, *([] if unlabelled is None else [unlabelled])]
        records += [] if persons is None else [persons.place]
        self.scaling_, self.who_, self.learner_ = box_scaling, who, learner
        self.release_ = draw.release(make, request, lambda: learner.release_event(prepared, size), records)
        return self

    def _maker(
        self,
        learner: AnyLearner,
        prepared: Any,
        examples: tuple[Points, ArrayLike],
        persons: Persons | None,
        entries: Points | None,
        draw: Draw,
    ) -> Callable[[], Release[Any]]:
        """Return what draws the release, once it is paid for; raise PublicError for what cannot be summed by person."""
        if persons is None:
            options: dict[str, Any] = {} if entries is None else {"unlabelled": ListedEntries(entries)}
            return lambda: learner.release(prepared, *examples, draw.randomness, **options)
        summed = door.withheld(
            lambda: summed_by_person(learner, prepared, *examples, persons, draw.randomness, self.rows),
            "X: the rows of persons cannot be summed",
        )
        return lambda: summed.release(draw.randomness)

    # ------------------------------------------------------------------ after a fit
    @property
    def guarantee_(self) -> FitGuarantee | None:
        """The guarantee of this one fit, the last step only; None without privacy.

        It covers the rows that ``fit`` gets.  A step before it that reads private rows, such as a scaler in a pipeline,
        is not covered (``PublicPreprocessor`` is a step that reads public rows only).  Drawn by a ``Simulation`` it is
        a ``SimulatedGuarantee``, which protects nobody: ``release_.certified()`` refuses it.
        """
        check_is_fitted(self, "release_")
        return guarantee_of(self.release_, self.who_)

    def _output(self, X: Any) -> Any:
        """Return the values of what was released, (n,), at rows (n, d), each scaled and clipped by itself."""
        points = self._points(X)  # asks first whether it is fitted
        return self.release_.output.predict(points)

    def _points(self, X: Any) -> Points:
        """Return rows as the points (n, d) that the released function takes."""
        check_is_fitted(self, "release_")
        if self.records_ is None:
            points = door.points(self, X, reset=False)
        else:
            check_columns(self.records_, X, "X")
            points = self.records_.points(X, "X")
        functions: Any = self.release_.output.functions
        clip: Callable[[Points], Points] = getattr(functions, "clipped", lambda points: points)
        return clip(points if self.scaling_ is None else self.scaling_.encode(points))

    # ------------------------------------------------------------------ JSON
    def to_json(self) -> str:
        """Return the fitted estimator as JSON: the release and how to apply it, no public points and no ledger.

        ``from_json`` makes an estimator of it that predicts the same.

        Returns:
            The JSON, which holds nothing private but what was released.
        """
        check_is_fitted(self, "release_")
        names = getattr(self, "feature_names_in_", None)
        return canonical(
            {
                "estimator": type(self).__name__,
                "learner": registry.specification("learners", self.learner_),
                "functions": self.release_.output.functions.specification(),
                "features": self.n_features_in_,
                "columns": None if names is None else names.tolist(),
                "scaling": self.scaling_ and self.scaling_.description(),
                "release": stored.described(self.release_),
                **({} if self.records_ is None else {"records": self.records_.description()}),
                **({} if self.who_ is None else {"persons": attrs.asdict(self.who_)}),
                **self._more(),
            }
        ).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the fitted estimator of ``to_json``.

        Args:
            text: what ``to_json`` returned.

        Returns:
            A fitted estimator that predicts the same.

        Raises:
            ValueError: for any other text.
        """
        try:
            stored_values = json.loads(text)
            if stored_values["estimator"] != cls.__name__:
                raise ValueError(f"is a {stored_values['estimator']}, must be a {cls.__name__}")
            estimator: Self = cls(**cls._constructed(stored_values))
            estimator.n_features_in_, estimator.learner_ = stored_values["features"], estimator.configured()
            if stored_values["columns"] is not None:
                estimator.feature_names_in_ = np.array(stored_values["columns"], object)
            estimator.scaling_ = stored_values["scaling"] and Scaling(**stored_values["scaling"])
            estimator.release_ = stored.restored(stored_values["release"])
            records = stored_values.get("records")
            estimator.records_ = records and Records.restored(records)
            estimator.who_ = Who.restored(stored_values.get("persons"))
            estimator.columns = None if estimator.records_ is None else described_columns(estimator.records_)
            estimator._restore(stored_values)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"text: is not a fitted {cls.__name__} as JSON: {error}") from None
        return estimator

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
    return registry.build("learners", {"name": learner, **settings})


def releasable(kinds: tuple[str, ...]) -> list[str]:
    """Return the names of the learners that ``Secure`` draws, and that read private rows.

    A learner that can be released with some parameters and not with others counts by its example.
    """
    return [
        name
        for name in registry.names("learners")
        if (known := registry.load("learners", name)).output_kind in kinds and _is_released(known.examples())
    ]


def _is_released(examples: Sequence[AnyLearner]) -> bool:
    return any(
        learner.releasable and learner.guarantee is not None and learner.guarantee.epsilon > 0 for learner in examples
    )


def _of_kinds(kinds: tuple[str, ...]) -> str:
    names = [name for name in registry.names("learners") if registry.load("learners", name).output_kind in kinds]
    return f"learners that release {' or '.join(kinds)}: {', '.join(names)}"


# ---------------------------------------------------------------------- private examples, before the charge
# What a learner checks on its examples is asked here, without a draw: after that, public numbers alone refuse,
# which ``check_release`` knows.
def _check_inside(functions: Any, points: Points) -> None:
    """Raise PublicError, with the row alone, for the first of points (n, d) outside of the domain of the functions."""
    known = shorten(repr(functions), 80, placeholder="...")
    door.check_each(points, functions.validated, "X: ", f"is outside of the domain of {known}")


def _check_statuses(learner: AnyLearner, targets: Any) -> None:
    """Raise PublicError, with the row alone, for the first of labels (n,) that no private example may have."""
    model = status_model(learner)
    if model is not StatusModel.ANY:
        allowed = model.allows(np.asarray(targets), np.ones(len(targets), bool))
        if not allowed.all():
            raise PublicError(f"y: row {int(np.argmin(allowed))}: under {model.value} {model.rule}")


# ---------------------------------------------------------------------- public points
def points_of(given: Any, dimension: int, columns: Sequence[str] | None) -> Points | None:
    """Return the public points (m, d) of an array or a DataFrame; None for a number of points, and for none.

    Raise ValueError for columns other than those of the private rows, and for anything but finite numbers.
    """
    if given is None or np.ndim(given) == 0:
        return None
    if hasattr(given, "columns"):
        if columns is not None:
            _check_columns(list(given.columns), list(columns))
        given = given.to_numpy()
    return as_points(given, dimension, "public")


def _check_columns(names: list[Any], expected: list[str]) -> None:
    for name in expected:
        if name not in names:
            near = [
                given
                for given in names
                if isinstance(given, str) and registry.plain(given) == registry.plain(str(name))
            ]
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"public: column {name!r} of the private rows is missing (public columns: {names}){hint}")
    for name in names:
        if name not in expected:
            raise ValueError(f"public: column {name!r} is not a column of the private rows (their columns: {expected})")
    if names != expected:
        raise ValueError(f"public: columns are in the order {names}, must be {expected}")


def as_number(given: Any, learner: AnyLearner) -> int:
    """Return the number of points to spread over the ranges where no public points are given.

    Raise ValueError if there is no number and the learner uses public points.
    """
    if given is not None:
        return checks.size("public", given)
    if isinstance(learner.public_stage, Nothing) or learner.role is Role.NO_PUBLIC:
        return 0
    raise ValueError(
        f"public: {learner.short_title} learns from public points; give an array or a DataFrame of them, or a number "
        "of points to spread over declared ranges"
    )
