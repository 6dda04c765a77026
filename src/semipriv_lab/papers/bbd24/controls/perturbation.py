"""Negative controls of algorithms 2 and 3 of BBD24: functions fitted, released with noise, and projected."""

from collections.abc import Callable
from typing import Any

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core.losses import loss
from semipriv.core.samples import RegressionSample
from semipriv.papers.bbd24.learners.regularised import GAP, Regularised
from semipriv.papers.bbd24.perturbation.calibration import laplace_scale
from semipriv.papers.bbd24.perturbation.perturb import nearest
from semipriv.papers.bbd24.perturbation.public_values import BallValues
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

ETA = 4.0
LEARNER = Regularised(1.0, 0.0, ETA, "absolute", "laplace")
"""On one public point its bound on the stability is attained: 1 / (2 eta)."""
LINE: Any = LinearBall(1)
"""The functions: linear ones on the line."""
RECORDS = [(0.0, 0.0), (1.0, 1.0), (1.0, -1.0)]
"""(x, y): one that says nothing, and the two that pull most."""
EDGES = np.linspace(-1.0, 1.0, 9)
"""Released weights are told apart by the cells between these, -1 and 1 apart: that is post-processing."""
MIDDLES = np.concatenate([[-1.0], (EDGES[1:] + EDGES[:-1]) / 2, [1.0]])


def _fitted(data: DataSet, clipped: bool = True) -> float:
    """Return the weight of the regularised minimiser over the linear functions on the line, public point 1."""
    prepared = LEARNER.prepare([[1.0]], LINE)
    assert isinstance(prepared, BallValues)
    points = np.array([[x] for x, _ in data])
    x = prepared.functions.clipped(points) if clipped else points
    sample = RegressionSample(x, np.array([y for _, y in data]))
    return float(prepared.regularised(sample, loss("absolute"), ETA, len(data) * GAP).parameters[0, 0])


def _scale(n: int) -> float:
    """Return the learner's scale of noise."""
    return LEARNER.mechanism(LEARNER.prepare([[1.0]], LINE), n).scale


def _below(at: np.ndarray, centre: float, scale: float) -> np.ndarray:
    """Return P[centre + noise <= at] for Laplace noise."""
    away = (at - centre) / scale
    tail = np.exp(-np.abs(away)) / 2
    return np.where(away < 0, tail, 1 - tail)


def _shares(centre: float, scale: float) -> np.ndarray:
    """Return the chances of the cells: of -1, between edges, of 1."""
    below = _below(EDGES, centre, scale)
    return np.concatenate([below[:1], np.diff(below), 1 - below[-1:]])


def _distribution(shares: np.ndarray) -> LogProbabilities:
    return dict(enumerate(np.log(shares).tolist()))


def _released(fit: Callable[[DataSet], float] = _fitted, part: float = 1.0) -> DistributionOf:
    """Return the distribution of the released cell, with a part of the noise."""
    return lambda data: _distribution(_shares(fit(data), part * _scale(len(data))))


def _control(breaks: str, broken: DistributionOf, records: list[tuple[float, float]] = RECORDS) -> Control:
    return Control(breaks, LEARNER.epsilon, [list(records)] * 2, _released(), broken)


@registered
def regularised_noise_halved() -> Control:
    """Public values with half the noise."""
    return _control("gamma / 2 instead of gamma", _released(part=0.5))


@registered
def regularised_eta_of_a_mean() -> Control:
    """The regulariser stands beside the sum of losses, the noise is for one beside their mean."""

    def broken(data: DataSet) -> LogProbabilities:
        of_mean = Regularised(1.0, 0.0, len(data) * ETA, "absolute", "laplace")
        noise = of_mean.mechanism(of_mean.prepare([[1.0]], LINE), len(data))
        return _distribution(_shares(_fitted(data), noise.scale))

    return _control("noise for n eta, a minimiser with eta", broken)


@registered
def regularised_record_not_clipped() -> Control:
    """A point outside of the ball pulls four times as much."""
    broken = _released(lambda data: _fitted(data, clipped=False))
    return _control("a record with ||x|| = 4 as it is", broken, [*RECORDS, (4.0, 1.0)])


@registered
def regularised_best_iterate() -> Control:
    """Of two releases the one with the smaller private loss."""

    def broken(data: DataSet) -> LogProbabilities:
        x, y = np.clip(np.array(data).T, -1.0, 1.0)
        losses = np.round(np.abs(MIDDLES[:, None] * x - y).sum(axis=1), 9)
        shares = _shares(_fitted(data), _scale(len(data)))
        worse, alike = losses[None] > losses[:, None], losses[None] == losses[:, None]
        return _distribution(shares * (2 * worse @ shares + alike @ shares))

    return _control("the better of two draws, by its private loss", broken)


@registered
def perturbed_search_from_the_fit() -> Control:
    """Search for the nearest function from the private fit: it stays where public points show no difference."""
    functions, epsilon = FiniteFunctions([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]]), 1.0
    every, public = functions.listed(), np.array([[0.0]])
    values, scale = functions.values(every, public), laplace_scale(epsilon, 1, 2.0)

    def distribution(stays: bool) -> DistributionOf:
        def of(data: DataSet) -> LogProbabilities:
            points, responses = np.array(data).T
            sums = loss("absolute").of(functions.values(every, points[:, None]), responses).sum(axis=1)
            fit = int(np.argmin(sums))
            low = float(np.log(_below(np.zeros(1), float(values[fit, 0]), scale))[0])
            chances: dict[int, float] = {}
            for target, chance in ((-1.0, low), (1.0, float(np.log(-np.expm1(low))))):
                chosen = nearest(values, [target])
                chances[fit if stays and values[fit, 0] == values[chosen, 0] else chosen] = chance
            return dict(chances)

        return of

    slots = [[(float(x), y) for x in (0, 1) for y in (-1.0, 1.0)]] * 2
    return Control("Frank-Wolfe started from the private fit", epsilon, slots, distribution(False), distribution(True))
