"""What learners of BBD24 refuse: the call, and the words of the error."""

import numpy as np
import refused

from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.regressors.finite_functions import FiniteFunctions
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.classes.thresholds import Thresholds
from semipriv.papers.bbd24.learners.perturbed_average import PerturbedAverage
from semipriv.papers.bbd24.learners.regularised import Regularised
from semipriv.papers.bbd24.learners.rrspm import RRSPM
from semipriv.papers.bbd24.learners.rspm import RSPM

PLANE, BALL = np.array([[0.0, 0], [1, 3], [2, 1]]), LinearBall(3)


REFUSED = [
    (
        lambda: Regularised(1.0, 0.1, 1.0, noise="laplace"),
        "delta = 0.1: must be 0 for laplace noise, which is pure",
    ),
    (lambda: Regularised(1.0, 0.0, 1.0), "delta = 0.0: must be > 0 for gaussian noise"),
    (lambda: Regularised(1.0, 0.1, 0.2), "eta = 0.2: must be >= 0.25"),
    (lambda: PerturbedAverage(1.0, 0, 1.0, 5), r"delta = 0: must be in \(0, 1\)"),
    (lambda: PerturbedAverage(1.0, 0.1, 1.0, 0), "draws = 0: must be >= 1"),
    (lambda: PerturbedAverage(1.0, 0.1, 1.0, 5, "square"), "unknown loss 'square'"),
    (lambda: PerturbedAverage(1.0, 0.1, 1.0, 5, noise="normal"), "unknown noise 'normal'"),
    (
        lambda: Regularised(1.0, 0.1, 1.0).prepare([[0.0]], FiniteFunctions([[1.0]])),
        "functions: must be convex, .* got FiniteFunctions",
    ),
    (
        lambda: PerturbedAverage(1.0, 0.1, 1.0, 5, "absolute").prepare([[1.0]], LinearBall(1)),
        "loss = 'absolute': must be 'squared' for linear functions",
    ),
    (
        lambda: Regularised(1.0, 0.1, 1.0).prepare(np.empty((0, 1)), LinearBall(1)),
        "public points: there is none",
    ),
    (lambda: RRSPM(0), "epsilon = 0: must be > 0"),
    (lambda: RRSPM(1, 1e-6), "delta = 1e-06: must be 0 for laplace weights"),
    (lambda: RRSPM(1, weights="gaussian", scale="union"), "delta = 0.0: must be > 0 for gaussian weights"),
    (
        lambda: RRSPM(1, 1e-6, "gaussian"),
        r"unknown scale of gaussian weights 'paper'.* \(allowed: union, closed, width, teaching\)",
    ),
    (lambda: RRSPM(1, scale="union"), "unknown scale of laplace weights 'union'.*paper, teaching"),
    (lambda: RRSPM(1, weights="cauchy"), "unknown weights of RRSPM 'cauchy'.*laplace, discrete_laplace"),
    (lambda: RRSPM(1, oracle="logistics"), "unknown oracle 'logistics': did you mean 'logistic'"),
    (lambda: RRSPM(1, oracle="logistic").prepare([[0.0]], Thresholds()), "oracle: Logistic finds halfspaces"),
    (lambda: RRSPM(1, patterns="some"), "unknown patterns of RRSPM 'some'.*all, nonempty"),
    (
        lambda: RRSPM(1, patterns="nonempty").prepare([[0.0], [1.0]], FiniteClass([(0, 0, 1), (0, 0, 0)])),
        "public points: no hypothesis of FiniteClass.* labels one of them 1",
    ),
    (lambda: RSPM(1).prepare([[0.0]], Thresholds()), r"Thresholds\(.*RSPM needs a finite domain that is listed"),
    (
        lambda: RRSPM(1, weights="discrete_laplace").output_distribution(
            RRSPM(1, weights="discrete_laplace").prepare(np.arange(4.0), Thresholds()), [[0.0]], [1]
        ),
        "has no listed distribution, which takes discrete Laplace noise on 1 to 3 points",
    ),
]


@refused.each({"learners of BBD24": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
