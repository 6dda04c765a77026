"""The learners of the head-to-head by name, and the methods tried first: losses on equal draws of OWN.

Every arm gets the same rows.  What standardises nothing by itself gets features in units of the public standard
deviation about the public mean, moved into [-4, 4], as the learners of this project do it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.linear import Linear
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core import registry
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv_lab.papers.own.distributions import CLASSES, DIMENSION, RESPONSES, SEVERAL_LABELS, TWO_LABELS, DrawnRows

__all__ = [
    "CELLS",
    "DELTA",
    "EPSILON",
    "FEW",
    "FEWER",
    "MORE",
    "N_PUBLIC",
    "OTHER_LABELS",
    "Losses",
    "labels",
    "numbers",
    "several",
]

N_PUBLIC = 60
N_NEW = 5_000
EPSILON = 1.0
FEWER = 1_000
MORE = 6_000
CELLS = (1_000, 6_000)
"""Private rows."""
FEW = 100
"""Private rows of controls."""
DELTA = 1e-6
"""Of sufficient statistics, which need one."""
OTHER_LABELS = ", public labels the other way round"
NORM = 0.95
"""Quantile of public norms at which rows are shortened to norm 1, for what learns on a ball."""

Losses = dict[tuple[str, int, str], Floats]
"""By distribution, private rows and arm: a loss for each trial, of draws that all arms of a distribution share."""
Rows = tuple[Floats, Floats]


class Draw:
    """Rows of one trial of a distribution: public, private (as many as the largest cell has) and new ones.

    labelled: public rows with their own targets; units: what standardises points.
    """

    def __init__(self, distribution: DrawnRows, coins: Simulation) -> None:
        """Draw them."""
        self.public, self.private = distribution(coins.generator, N_PUBLIC), distribution(coins.generator, max(CELLS))
        self.new = distribution(coins.generator, N_NEW)
        self.coins = coins
        mean, scale = self.public[0].mean(axis=0), self.public[0].std(axis=0)
        self._units = mean, np.where(scale > 0, scale, 1.0)
        self._prepared: dict[str, Any] = {}

    def units(self, points: Floats) -> Floats:
        """Return points in public units, moved into [-4, 4]."""
        return np.clip((points - self._units[0]) / self._units[1], -4, 4)

    def ball(self, points: Floats) -> Floats:
        """Return points in public units, divided by a public quantile of norms, those beyond shortened to norm 1."""
        scaled = self.units(points) / np.quantile(np.linalg.norm(self.units(self.public[0]), axis=1), NORM)
        return scaled / np.maximum(np.linalg.norm(scaled, axis=1), 1.0)[:, None]

    def fitted(
        self,
        specification: Mapping[str, Any],
        functions: Any,
        n: int,
        view: Callable[[Floats], Floats] = lambda points: points,
        public: Floats | None = None,
    ) -> Floats:
        """Return predictions on the new rows of a learner by name.

        view: how it gets points.  public: other targets of the public rows.
        """
        learner = registry.build("learners", dict(specification))
        key = f"{specification['name']} {public is None} {functions!r}"
        if key not in self._prepared:
            targets = self.public[1] if public is None else public
            given = [targets] if learner.public_stage.needs_labels else []
            self._prepared[key] = learner.prepare(view(self.public[0]), functions, *given)
        points, targets = self.private[0][:n], self.private[1][:n]
        coins = self.coins.spawn(key, n, repr(sorted(specification.items())))
        return np.asarray(
            learner.release(self._prepared[key], view(points), targets, coins).output.predict(view(self.new[0]))
        )


def _runs(
    distributions: Mapping[str, DrawnRows],
    arms: Callable[[Draw, int], dict[str, Floats]],
    trials: int,
    coins: Simulation,
) -> Losses:
    """Return the losses of all arms: shares of new rows that are predicted wrongly, or 1 - R^2."""
    losses_of: dict[tuple[str, int, str], list[float]] = {}
    for name, distribution in track(distributions.items(), "distributions", total=len(distributions)):
        for t in range(trials):
            draw = Draw(distribution, coins.spawn(name, t))
            for n in (FEW, *CELLS):
                for arm, predictions in arms(draw, n).items():
                    losses_of.setdefault((name, n, arm), []).append(_loss(draw.new[1], predictions))
    return {key: np.array(losses) for key, losses in losses_of.items()}


def _loss(truth: Floats, predictions: Floats) -> float:
    if np.issubdtype(truth.dtype, np.integer):
        return float(np.mean(predictions != truth))
    return float(np.mean((np.clip(predictions, -1, 1) - truth) ** 2) / truth.var())


# ---------------------------------------------------------------------------------------------------- two labels
def _two(draw: Draw, n: int) -> dict[str, Floats]:
    own, metric = Halfspaces(DIMENSION), "public_metric_discriminant"
    predictions = {metric: draw.fitted({"name": metric, "epsilon": EPSILON}, own, n)}
    if n == FEW:
        return predictions
    model = {"name": "public_model_discriminant", "epsilon": EPSILON}
    predictions["public_model_discriminant"] = draw.fitted(model, own, n)
    predictions["public_model_discriminant" + OTHER_LABELS] = draw.fitted(model, own, n, public=1 - draw.public[1])
    trusting = model | {"same_population": True}
    predictions["same_population" + OTHER_LABELS] = draw.fitted(trusting, own, n, public=1 - draw.public[1])
    stumps = {"name": "sspp", "epsilon": EPSILON}
    predictions["sspp on decision_stumps"] = draw.fitted(stumps, DecisionStumps(DIMENSION), n, draw.units)
    for name in ("public_logistic_regression", "logistic_regression"):
        predictions[name] = draw.fitted({"name": name}, own, n, draw.units)
    predictions["public_logistic_regression" + OTHER_LABELS] = 1 - predictions["public_logistic_regression"]
    return predictions


def labels(randomness: Simulation, effort: float) -> Losses:
    """Return the losses on two labels."""
    distributions = {
        name: TWO_LABELS[name] for name in ("correlated features", "heavy tails", "rare levels", "one cut")
    }
    return _runs(distributions, _two, max(3, round(24 * effort)), randomness.spawn("two labels"))


# ---------------------------------------------------------------------------------------------------- several labels
def _several(draw: Draw, n: int) -> dict[str, Floats]:
    own: Any = LinearRules(DIMENSION, CLASSES)
    metric, model = "public_metric_multiclass", "public_model_multiclass"
    predictions = {metric: draw.fitted({"name": metric, "epsilon": EPSILON}, own, n)}
    if n == FEW:
        return predictions
    predictions[model] = draw.fitted({"name": model, "epsilon": EPSILON}, own, n)
    first = draw.private[0][:n], draw.private[1][:n]
    return predictions | {"public logistic": _sklearn(draw, draw.public), "logistic": _sklearn(draw, first)}


def _sklearn(draw: Draw, given: Rows) -> Floats:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (half a second, for one study)

    model = LogisticRegression(max_iter=1_000).fit(draw.units(given[0]), given[1])
    return np.asarray(model.predict(draw.units(draw.new[0])))


def several(randomness: Simulation, effort: float) -> Losses:
    """Return the losses on several labels."""
    distributions = {name: SEVERAL_LABELS[name] for name in ("ordered labels", "two rare labels")}
    return _runs(distributions, _several, max(3, round(12 * effort)), randomness.spawn("several labels"))


# ---------------------------------------------------------------------------------------------------- responses
def _numbers(draw: Draw, n: int) -> dict[str, Floats]:
    own: Any = Linear(DIMENSION)
    predictions = {
        name: draw.fitted({"name": name, "epsilon": EPSILON}, own, n)
        for name in ("public_gram_regression", "public_ridge_regression")
    }
    ridge = {"name": "public_ridge_regression", "epsilon": EPSILON}
    predictions["public_ridge_regression" + OTHER_LABELS] = draw.fitted(ridge, own, n, public=-draw.public[1])
    statistics = {"name": "sufficient_statistics", "epsilon": EPSILON, "delta": DELTA}
    predictions["sufficient_statistics"] = draw.fitted(
        statistics, LinearBall(DIMENSION + 1), n, lambda x: _with_one(draw, x)
    )
    alone = {"name": "public_ridge_regression", "epsilon": 1e-9}  # what it tends to: OWN-RIDGE-ZERO
    predictions["public ridge regression"] = draw.fitted(alone, own, n)
    predictions["public ridge regression" + OTHER_LABELS] = draw.fitted(alone, own, n, public=-draw.public[1])
    old, new = (np.column_stack([draw.units(x), np.ones(len(x))]) for x in (draw.private[0][:n], draw.new[0]))
    predictions["least squares"] = new @ np.linalg.lstsq(old, draw.private[1][:n], rcond=None)[0]
    return predictions


def _with_one(draw: Draw, points: Floats) -> Floats:
    """Return points for a ball, with a constant coordinate, as the class has no intercept."""
    return np.column_stack([draw.ball(points), np.full(len(points), 0.5)]) / np.sqrt(1.25)


def numbers(randomness: Simulation, effort: float) -> Losses:
    """Return the losses on responses."""
    distributions = {name: RESPONSES[name] for name in RESPONSES if name != "linear"}
    return _runs(distributions, _numbers, max(3, round(60 * effort)), randomness.spawn("responses"))
