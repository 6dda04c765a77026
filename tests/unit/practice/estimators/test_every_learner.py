"""Every learner of hypotheses or functions has an estimator, by its file alone."""

import numpy as np
import pytest

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core import registry
from semipriv.core.randomness import Simulation
from semipriv.core.samples import StatusModel
from semipriv.learners.base import status_model
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.regressor import SemiPrivateRegressor

ESTIMATORS = {
    "hypothesis": SemiPrivateClassifier,
    "classifier": SemiPrivateClassifier,
    "regressor": SemiPrivateRegressor,
}
FUNCTIONS = {
    "classifier": [LinearRules(1, 2)],
    "hypothesis": [Halfspaces(1), DiscreteThresholds(3, "ge")],
    "regressor": [LinearBall(1), FiniteFunctions([[-1.0, 1.0], [1.0, -1.0]])],
}
LEARNERS = [n for n in registry.names("learners") if registry.load("learners", n).output_kind in ESTIMATORS]
LABELLED, ALL = 40, 540
X, Y = (np.arange(ALL) % 2).astype(float)[:, None], np.arange(ALL) % 2


def learns(learner, functions) -> bool:
    try:
        learner.check(functions)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", LEARNERS)
def test_it_fits_and_comes_back_from_json(name) -> None:
    learner = registry.load("learners", name).examples()[0]
    kind = learner.output_kind
    known = next(functions for functions in FUNCTIONS[kind] if learns(learner, functions))
    public, private = 1 - Y[:6], Y.copy()
    if status_model(learner) is not StatusModel.ANY:  # private ones, public zeros
        public, private = 0 * public, 0 * private + 1
    settings = {"public": 1 - X[:6], "ranges": None, "randomness": Simulation(0)}
    targets = public if learner.public_stage.needs_labels else None
    n = getattr(learner, "own_size", LABELLED)
    if kind == "regressor":
        settings |= {"functions": known, "public_responses": targets, "response_range": (0, 1)}
    else:
        settings |= {"hypothesis_class": known, "public_labels": targets}
    if learner.reads_unlabelled:
        settings, n = {**settings, "unlabelled": -1}, ALL
        private[LABELLED:] = -1
    fitted = ESTIMATORS[kind](learner, **settings).fit(X[:n], private[:n])
    again = type(fitted).from_json(fitted.to_json())
    assert again.predict(X[:4]).tolist() == fitted.predict(X[:4]).tolist()
    assert again.to_json() == fitted.to_json()
