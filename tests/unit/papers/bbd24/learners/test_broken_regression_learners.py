"""The property of same coins finds learners of responses with one leak."""

import numpy as np
import pytest

from semipriv.audit.properties.test_learners import suits
from semipriv.audit.properties.test_same_coins import REAL, assert_found, real_differences
from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.core.samples import RegressionSample
from semipriv.learners.base import Learner
from semipriv.papers.bbd24.learners import _perturbing
from semipriv.papers.bbd24.learners.perturbed_average import PerturbedAverage
from semipriv.papers.bbd24.learners.regularised import Regularised


class ReturnsTheFit(Regularised):
    """The fit comes out, not what is nearest to its noisy values."""

    def _fit(self, prepared, sample, randomness):
        object.__setattr__(self, "fit", super()._fit(prepared, sample, randomness))
        return self.fit

    def _project(self, prepared, target):
        return self.fit


class StartsAtTheMean(PerturbedAverage):
    """The search for the nearest mean starts at the private one, and stays: functions that agree on Z keep weights."""

    def _fit(self, prepared, sample, randomness):
        object.__setattr__(self, "fit", super()._fit(prepared, sample, randomness))
        return self.fit

    def _project(self, prepared, target):
        project, calls = super()._project(prepared, target)
        start = self.fit[0]
        parameters = np.vstack([start.parameters, project.parameters])
        return Regressor(start.functions, parameters, np.append(start.weights, project.weights) / 2), calls


class Amplified(Regularised):
    """Its noise is that of a hundred times the regulariser, as if eta stood beside a mean of losses."""

    def stability(self, prepared, n_private):
        return super().stability(prepared, n_private) / 100


REAL_CONTROLS = {
    ReturnsTheFit(1.0, 1e-3, 1.0): "output: ",
    StartsAtTheMean(1.0, 1e-2, 5.0, 50, output="hull"): "output: ",
    Amplified(1.0, 1e-3, 1.0): "a score moves by",
}


@pytest.mark.parametrize("control", REAL_CONTROLS, ids=lambda value: type(value).__name__)
def test_a_broken_learner_of_responses_is_caught(control: Learner) -> None:
    assert_found(
        real_differences(control, REAL[0] if suits(control, REAL[0]) else REAL[1], secure=False)[0],
        REAL_CONTROLS[control],
    )


def test_records_that_are_not_clipped_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(functions: Regressors, points: np.ndarray, responses: np.ndarray) -> RegressionSample:
        return RegressionSample(np.clip(points, -1e3, 1e3), np.clip(responses, -1e3, 1e3))

    monkeypatch.setattr(_perturbing, "clipped", whole)
    assert_found(real_differences(Regularised(1.0, 1e-3, 20.0), REAL[0], secure=False)[0], "a score moves by")
