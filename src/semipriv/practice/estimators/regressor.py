"""Learners of real-valued functions as a scikit-learn regressor."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from semipriv.core import rooms
from semipriv.core.functions import Functions
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Responses
from semipriv.core.types import Floats
from semipriv.practice.estimators import chosen, door
from semipriv.practice.estimators.base import SemiPrivateEstimator
from semipriv.practice.estimators.draws import all_or_nothing
from semipriv.practice.estimators.names import LearnerParameters, RegressingLearner, RespondingName
from semipriv.practice.estimators.scaling import Scaling, scaling
from semipriv.practice.estimators.twice import check_other_targets

__all__ = ["SemiPrivateRegressor"]


class SemiPrivateRegressor(RegressorMixin, SemiPrivateEstimator):  # type: ignore[misc]
    """Any learner of functions to [-1, 1].  Of those with a guarantee, ``public_gram_regression`` and
    ``public_ridge_regression`` draw integers and take ``Secure``; the others are for simulation only.

    The functions of ``linear_ball`` have no intercept: the middle of the box has the middle of the response range.
    Both learners above take ``linear``, too, for rows that are anywhere, and have an intercept in any case.  With
    ``columns`` a category is a coordinate for each of its values, unless its declaration says ``one_hot: false``.

    Args:
        learner: the name of a learner, or a configured one; 'auto': one of both above, by the public rule of
            docs/which-learner.md, see ``choice``.
        epsilon: of a learner that is named, finite and > 0.
        learner_parameters: its other settings, by name; unknown ones are refused.  For 'auto' as in
            ``SemiPrivateClassifier``.
        functions: a value, or a name, which gets the dimension of the rows; None: 'linear' for 'auto', else
            'linear_ball'.
        public: public points, (m, d) or a DataFrame of the same columns; or a number of points to spread over declared
            ranges.
        public_responses: (m,), for a learner that needs them.
        response_range: (low, high), declared; responses are clipped into it and mapped to [-1, 1].
        ranges: as in ``SemiPrivateClassifier``; they are mapped to [-1 / sqrt(d), 1 / sqrt(d)], so that all rows are in
            the unit ball.
        columns: as in ``SemiPrivateClassifier``, with their coordinates so mapped.
        rows: as in ``SemiPrivateClassifier``.
        randomness: Simulation(seed); Secure() for a learner that may be released.
        ledger: path of a budget ledger, which every fit with Secure() charges in full.
        request: a name in the ledger, as in ``SemiPrivateClassifier``.
        period: of which day, week, month, quarter or year the private rows are, for a ledger with periods.

    Examples:
        >>> rows = [[i / 100] for i in range(-100, 101)]
        >>> model = SemiPrivateRegressor("sufficient_statistics", 1.0, learner_parameters={"delta": 1e-6},
        ...                              ranges=(-1, 1), response_range=(-2, 2), randomness=Simulation(0))
        >>> model.fit(rows * 50, [2 * x for x, in rows] * 50).predict([[0.5]]).round(1).tolist()
        [1.0]
    """

    output_kinds: ClassVar[tuple[str, ...]] = ("regressor",)
    gives: ClassVar[str] = rooms.RESPONSES
    responses_: Scaling

    def __init__(
        self,
        learner: RegressingLearner = chosen.AUTO,
        epsilon: Any = None,
        *,
        learner_parameters: LearnerParameters | Mapping[str, Any] | None = None,
        functions: RespondingName | str | Functions | None = None,
        public: Any = None,
        public_responses: Any = None,
        response_range: Any = None,
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
        self.functions = functions
        self.public = public
        self.public_responses = public_responses
        self.response_range = response_range
        self.ranges = ranges
        self.columns = columns
        self.rows = rows
        self.randomness = randomness
        self.ledger = ledger
        self.request = request
        self.period = period

    def __sklearn_tags__(self) -> Any:
        """A bounded linear function fits few tables well."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.non_deterministic = not isinstance(self.randomness, Simulation)
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, groups: Any = None) -> Self:
        """Draw a function from private rows.

        Args:
            X: (n, d) private rows, an array or a DataFrame.
            y: (n,) their responses, clipped into the declared range.
            groups: (n,) whose row each is, where persons have several: integers, texts or dates; or a DataFrame of
                columns that name a person together.  Rows without a name are together one person.  Every person
                counts as one example, ``guarantee_`` is for replacing a person with all rows, and the number of
                persons is public, that of rows is not.  None: each row is protected by itself.

        Returns:
            The estimator itself, fitted.

        Raises:
            ValueError: before the ledger is charged, without a response range, for settings that do not go together,
                public data of other columns, and anything but finite numbers.
        """
        with all_or_nothing(self):
            return self._fitted(X, y, groups)

    def _fitted(self, X: ArrayLike, y: ArrayLike, groups: Any) -> Self:
        """Check, charge, draw, and keep the release."""
        self.choice_ = self.choice(X)
        learner = self._taken(self.choice_)
        self._draw(learner, by_person=groups is not None)
        if self.response_range is None or np.ndim(self.response_range) != 1:
            raise ValueError(
                f"response_range = {self.response_range!r}: must be (low, high), declared before any response is seen"
            )
        responses = scaling([tuple(self.response_range)], None, 1, ["response_range"], (-1.0, 1.0))
        if learner.public_stage.needs_labels:
            if self.public_responses is None:
                raise ValueError(f"public_responses: {learner.title} reads the responses of the public rows")
            check_other_targets(self.public_responses, y, "public_responses")
        points, known = self._rows(learner, X)
        targets = door.responses(y, len(points))
        functions = self._functions(self._function_of(), learner, points.shape[1])

        def mapped(given: Responses) -> Floats:
            return responses.encode(given.reshape(-1, 1))[:, 0]

        self.responses_ = responses
        side = 1 / math.sqrt(points.shape[1])
        return self._fit(
            learner,
            functions,
            (points, mapped(targets)),
            None
            if self.public_responses is None or (self.choice_ is not None and not learner.public_stage.needs_labels)
            else mapped(door.responses(self.public_responses, None, "public_responses")),
            handed=X,
            groups=groups,
            rows=points,
            box=(-side, side),
            public=known,
            identity={"responses": responses.description()},
        )

    def _asked_of_rule(self) -> tuple[str, int, Any]:
        return "a number", 2, self.public_responses

    def _function_of(self) -> Any:
        """Return what is learned, where it is left out that which the rule takes."""
        if self.functions is not None:
            return self.functions
        return "linear_ball" if self.choice_ is None else self.choice_.hypothesis_class["name"]

    def predict(self, X: ArrayLike) -> Floats:
        """Predict the response of rows.

        Args:
            X: (n, d), an array or a DataFrame of the same columns.

        Returns:
            A number of the response range for each row, (n,).
        """
        values = self._output(X)
        low, high = self.responses_.low[0], self.responses_.high[0]
        share = (values + 1) / 2
        return np.clip((1 - share) * low + share * high, low, high)  # rounding leaves the range by a last digit

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return R^2, the coefficient of determination.  Of private rows it is exact, and not private.

        Args:
            X: (n, d), an array or a DataFrame of the same columns.
            y: (n,) their responses.
            sample_weight: (n,) what each row counts; None: all count the same.

        Returns:
            R^2, at most 1.
        """
        predicted = self.predict(X)
        true = door.responses(y, len(predicted))
        weights = None if sample_weight is None else door.responses(sample_weight, len(predicted), "sample_weight")
        return float(r2_score(true, predicted, sample_weight=weights))

    def _more(self) -> dict[str, Any]:
        return {"responses": self.responses_.description()}

    def _restore(self, given: Mapping[str, Any]) -> None:
        self.responses_ = Scaling(**given["responses"])
        self.response_range = (self.responses_.low.item(), self.responses_.high.item())
        self.functions = self.release_.output.functions
