"""What the learners of this project release as epsilon tends to 0, beside what public rows tell alone."""

import math
from functools import cache
from typing import Any

import numpy as np
from sklearn.covariance import LedoitWolf
from sklearn.linear_model import RidgeCV

from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.linear import Linear
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import GATE_LEVEL, Interval, mean_interval, slope_interval
from semipriv.core.types import Floats, Integers
from semipriv.learners.public_gram_regression import PublicGramRegression
from semipriv.learners.public_metric_discriminant import PublicMetricDiscriminant
from semipriv.learners.public_metric_multiclass import PublicMetricMulticlass
from semipriv.learners.public_model_discriminant import PublicModelDiscriminant
from semipriv.learners.public_model_multiclass import PublicModelMulticlass
from semipriv.learners.public_ridge_regression import PublicRidgeRegression
from semipriv.learners.stages.public_ridge import RIDGES
from semipriv.learners.tables.table_release import TableRelease
from semipriv.mechanisms.selection.permute_and_flip import PermuteAndFlip
from semipriv.papers.own.bounds.selection import chance_of_another, one_feature_mistakes
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.own.distributions import CLASSES, DIMENSION, RESPONSES, SCHEMA, Groups
from semipriv_lab.papers.own.transcripts import noted

NONE = "none: no paper has it"
POINTS, FEATURES = 40, 3
LEAST, LEAST_OF_LABEL = 150.0, 10.0
"""n epsilon from which on a gradient is taken; n epsilon over the number of labels."""
SIZES = (1, 2, 40)
PRODUCTS = (1e-9, 0.1, 5.0, 39.9, 149.9)
"""n epsilon."""
MISTAKES = "expected share of private mistakes, exactly"


# ---------------------------------------------------------------------------------------------------- unlabelled
def _points(seed: int, n: int = POINTS) -> Floats:
    return np.random.default_rng(seed).normal(size=(n, FEATURES)) * np.array([1.0, 1e3, 1e-3])


def hostile_labels(points: Floats, classes: int) -> dict[str, Integers]:
    """Return labels of points: all equal, all of the last, alternating, and by one feature."""
    n = len(points)
    by_feature = np.digitize(points[:, 0], np.linspace(-1, 1, classes + 1)[1:-1])
    labelings = {"all 0": np.zeros(n, np.int64), "all of the last": np.full(n, classes - 1)}
    return labelings | {"alternating": np.arange(n) % classes, "by a feature": by_feature}


@claim(
    "OWN-METRIC-ZERO",
    f"the exact distribution of the selection among constants and cuts of {FEATURES} features, at hostile labels",
    constants=NONE,
)
def one_feature(table: Table) -> str:
    """Compare the expected share of private mistakes with both ends, and with candidates of one sign alone."""
    for n in SIZES:
        x = _points(n, n)
        for product in PRODUCTS:
            learner = PublicMetricDiscriminant(product / n)
            prepared = learner.prepare(_points(0), Halfspaces(FEATURES))
            least, most = one_feature_mistakes(n, learner.epsilon)
            for name, y in hostile_labels(x, 2).items():
                distribution = learner.output_distribution(prepared, x, y)
                wrong = prepared.functions.mistakes(distribution.parameters, x, y.astype(np.int8)) / n
                share = float(np.exp(distribution.log_probabilities) @ wrong)
                settings: Settings = {"epsilon": learner.epsilon, "n_private": n, "labels": name}
                table.within(MISTAKES, settings, share, least * (1 - 1e-12), most * (1 + 1e-12), most)
                if name == "all 0" and product == PRODUCTS[0]:
                    half = distribution.parameters[
                        distribution.parameters[:, -1] > np.median(distribution.parameters[:, -1])
                    ]
                    lost = prepared.functions.mistakes(half, x, y.astype(np.int8))
                    chances = np.exp(PermuteAndFlip(learner.epsilon).log_probabilities(-lost))
                    broken = settings | {"broken": "candidates with a large offset alone"}
                    table.exceeding(MISTAKES, broken, float(chances @ lost) / n, most)
    table.show(table(MISTAKES, n_private=SIZES[-1], labels="alternating")[0])
    return "the ends are met: the candidates come in pairs, each of which errs where the other one does not"


@claim(
    "OWN-CLASSES-ZERO",
    f"the exact distribution of the selection among {CLASSES} constants, at hostile labels",
    constants=NONE,
)
def constants(table: Table) -> str:
    """Compare the expected share of private mistakes with both ends, and with a selection of the wrong sign."""
    functions: Any = LinearRules(FEATURES, CLASSES)
    for n in SIZES:
        x = _points(n, n)
        for product in (count for count in PRODUCTS if count < LEAST_OF_LABEL * CLASSES):
            learner = PublicMetricMulticlass(product / n)
            prepared = learner.prepare(_points(0), functions)
            least, most = one_feature_mistakes(n, learner.epsilon, CLASSES)
            for name, y in hostile_labels(x, CLASSES).items():
                distribution = learner.output_distribution(prepared, x, y)
                with noted() as asked:
                    learner.release(prepared, x, y, table.randomness.spawn("constants", n, repr(product), name))
                wrong = -asked[-1].values / n
                share = float(np.exp(distribution.log_probabilities) @ wrong)
                settings: Settings = {"epsilon": learner.epsilon, "n_private": n, "labels": name}
                table.within(MISTAKES, settings, share, least * (1 - 1e-12), most * (1 + 1e-12), most)
                if name == "all 0" and product == PRODUCTS[2]:
                    chances = np.exp(PermuteAndFlip(learner.epsilon).log_probabilities(-asked[-1].values))
                    broken = settings | {"broken": "more mistakes are preferred"}
                    table.exceeding(MISTAKES, broken, float(chances @ wrong), most)
    table.show(table(MISTAKES, n_private=SIZES[-1], labels="alternating")[0])
    return "the ends are met; without a sum only constants are left, of which one at random errs on 1 - 1/K"


# ---------------------------------------------------------------------------------------------------- public model
ANOTHER = "chance that another rule than the public model is released, exactly"
WORSE = "expected share of mistakes of the release less that of the public model, exactly"
MODEL_PRODUCTS = (1e-9, 1e-3, 1e-2, 0.05)


def _separated(classes: int) -> tuple[Floats, Integers]:
    """Return points on a line of three features, and labels that a linear rule separates."""
    x = np.linspace(-2, 2, POINTS + 1)[:-1, None] * np.ones(FEATURES)
    return x, np.digitize(x[:, 0], np.linspace(-1, 1, classes + 1)[1:-1])


def _learner(classes: int, epsilon: float) -> Any:
    return PublicModelDiscriminant(epsilon) if classes == 2 else PublicModelMulticlass(epsilon)


@cache
def _prepared(classes: int) -> Any:
    functions: Any = Halfspaces(FEATURES) if classes == 2 else LinearRules(FEATURES, classes)
    x, y = _separated(classes)
    return _learner(classes, 1.0).prepare(x, functions, y)


def scores(coins: Simulation, epsilon: float, n: int, classes: int, opposed: bool) -> tuple[Floats, Integers]:
    """Return the exact distribution of the selection, the public model first, and the scores.

    Private rows are the first n public ones.  opposed: their labels are none of those that the public model gives.
    """
    x, y = _separated(classes)
    with noted() as asked:
        _learner(classes, epsilon).release(_prepared(classes), x[:n], (y[:n] + opposed) % classes, coins)
    return np.exp(asked[-1].mechanism.log_probabilities(asked[-1].values)), asked[-1].values


@claim(
    "OWN-MODEL-ZERO",
    "the exact distribution of the selection, at private labels that agree and that contradict",
    constants=NONE,
)
def public_model(table: Table) -> str:
    """Compare the chance of another rule than the public model with its bound, and with half of that."""
    for classes in (2, CLASSES):
        for n in SIZES:
            for product in MODEL_PRODUCTS:
                for opposed in (False, True):
                    epsilon = product / n
                    labels = "opposed" if opposed else "same"
                    coins = table.randomness.spawn(classes, n, repr(product), labels)
                    other = float(scores(coins, epsilon, n, classes, opposed)[0][1:].sum())
                    settings: Settings = {"epsilon": epsilon, "n_private": n, "K": classes, "labels": labels}
                    table.at_most(ANOTHER, settings, other, chance_of_another(n, epsilon))
            epsilon = MODEL_PRODUCTS[0] / n
            coins = table.randomness.spawn("control", classes, n)
            other = float(scores(coins, epsilon, n, classes, True)[0][1:].sum())
            broken: Settings = {"epsilon": epsilon, "n_private": n, "K": classes, "broken": "two thirds of the bound"}
            table.exceeding(ANOTHER, broken, other, chance_of_another(n, epsilon) * 2 / 3)
    table.show(table(ANOTHER, K=2, n_private=SIZES[-1], labels="opposed")[0])
    return (
        "the prior on the public model is all that counts in the limit, and tends to 1: the chance of another rule "
        "falls in proportion to n epsilon"
    )


@claim(
    "OWN-MODEL-ZERO-literal",
    f"{POINTS} public and equal private rows that a public model separates: the exact distribution of the selection",
    shown=WORSE,
    constants=NONE,
)
def no_worse_than_public(table: Table) -> str:
    """Find the expected mistakes of a release where the public model makes none."""
    for product in MODEL_PRODUCTS:
        epsilon = product / POINTS
        coins = table.randomness.spawn("literal", repr(product))
        distribution, agreeing = scores(coins.spawn("same"), epsilon, POINTS, 2, False)
        _, opposed = scores(coins.spawn("opposed"), epsilon, POINTS, 2, True)
        wrong = (opposed - agreeing + POINTS) / (2 * POINTS)  # -(n - wrong) + wrong: handicaps are the same
        settings: Settings = {"epsilon": epsilon, "n_private": POINTS, "n_public": POINTS}
        assert wrong[0] == 0
        table.refutable(WORSE, settings, float(distribution @ wrong), 0.0)
    return (
        "the public model makes no mistake, and other rules are released with a chance of at most .0002: their "
        "mistakes become fewer as epsilon falls, and are never none"
    )


# ---------------------------------------------------------------------------------------------------- regression
EPSILONS = (1e-3, 1e-10)
LINEAR: Any = Linear(DIMENSION)
N_PUBLIC = 60
N_PRIVATE = 300
TRIALS = 70
APART = "mean logarithm of the largest difference of predictions from {}"
RIDGE, NOTHING = "scikit-learn's ridge regression of the public rows", "0"
FALLS = "exponent of epsilon in that difference"
FACTOR = 100.0
"""Of epsilon: the difference is at most so much."""


def sklearn_ridge(public: Floats, responses: Floats, points: Floats) -> Floats:
    """Return predictions of scikit-learn's ridge regression in the public features, whitened or as they are.

    Standardised features, moved into [-4, 4]; their covariance by Ledoit and Wolf makes coordinates of variance 1;
    features and penalty are those of the least squared leave-one-out error.
    """
    mean, scale = public.mean(axis=0), public.std(axis=0)
    z, new = (np.clip((part - mean) / scale, -4, 4) for part in (public, points))
    whiten = np.linalg.cholesky(np.linalg.inv(LedoitWolf().fit(z).covariance_))
    fits = [(turn, RidgeCV(alphas=RIDGES).fit(z @ turn, responses)) for turn in (whiten, np.eye(len(whiten)))]
    turn, model = max(fits, key=lambda fit: fit[1].best_score_)
    return np.clip(model.predict(new @ turn), -1, 1)


def differences(randomness: Simulation, name: str, epsilon: float, trials: int) -> tuple[Floats, Floats]:
    """Return largest differences of a release from what it tends to: of the ridge learner, and of the Gram learner.

    Private responses contradict public ones: they have the other sign.
    """
    pairs = []
    for t in range(trials):
        coins = randomness.spawn(name, repr(epsilon), t)
        generator = coins.generator
        (px, py), (x, y) = RESPONSES[name](generator, N_PUBLIC), RESPONSES[name](generator, N_PRIVATE)
        ridge, gram = PublicRidgeRegression(epsilon), PublicGramRegression(epsilon)
        released = ridge.release(ridge.prepare(px, LINEAR, py), x, -y, coins).output
        other = gram.release(gram.prepare(px, LINEAR), x, -y, coins).output
        pairs.append((np.abs(released.predict(x) - sklearn_ridge(px, py, x)).max(), np.abs(other.predict(x)).max()))
    first, second = np.transpose(pairs)
    return first, second


DISTRIBUTIONS = ("correlated features", "heavy tails", "linear")
"""Rare levels are left out: a level that no public row has leaves scikit-learn without a scale."""


def all_differences(randomness: Simulation, effort: float) -> dict[tuple[str, float], tuple[Floats, Floats]]:
    """Return the differences by distribution and epsilon."""
    trials = max(3, round(TRIALS * effort))
    cells = [(name, epsilon) for name in DISTRIBUTIONS for epsilon in EPSILONS]
    return {cell: differences(randomness.spawn("public alone"), *cell, trials) for cell in track(cells, "cells")}


def _falling(table: Table, which: int, to: str) -> None:
    level = GATE_LEVEL / (2 * len(DISTRIBUTIONS) * len(EPSILONS))
    differences_of = table.once(all_differences)
    for name in DISTRIBUTIONS:
        means: list[Interval] = []
        for epsilon in EPSILONS:
            values = np.log(differences_of[name, epsilon][which])
            settings: Settings = {
                "distribution": name,
                "epsilon": epsilon,
                "n_public": N_PUBLIC,
                "n_private": N_PRIVATE,
            }
            means.append(mean_interval(values, level))
            table.at_most(APART.format(to), settings, means[-1], math.log(FACTOR * epsilon), len(values))
        slope = slope_interval([math.log(epsilon) for epsilon in EPSILONS], means)
        every: Settings = {"distribution": name, "n_public": N_PUBLIC, "n_private": N_PRIVATE}
        table.within(FALLS, every, slope, 0.9, math.inf, 1.0, len(differences_of[name, EPSILONS[0]][which]))


@claim(
    "OWN-RIDGE-ZERO",
    f"private responses of the other sign, {N_PRIVATE} rows, three distributions",
    shown=FALLS,
    constants=NONE,
)
def ridge(table: Table) -> str:
    """Compare the release with scikit-learn's ridge regression, as epsilon falls; another model is the control."""
    _falling(table, 0, RIDGE)
    coins = table.randomness.spawn("control").generator
    px, py = RESPONSES["linear"](coins, N_PUBLIC)
    x, _ = RESPONSES["linear"](coins, N_PRIVATE)
    unpenalised = np.linalg.lstsq(np.column_stack([px, np.ones(len(px))]), py, rcond=None)[0]
    apart = np.abs(np.clip(np.column_stack([x, np.ones(len(x))]) @ unpenalised, -1, 1) - sklearn_ridge(px, py, x)).max()
    settings: Settings = {
        "distribution": "linear",
        "broken": "least squares of the public rows instead",
        "n_public": N_PUBLIC,
    }
    table.exceeding(APART.format(RIDGE), settings, math.log(float(apart)), math.log(FACTOR * EPSILONS[-1]))
    return "private rows that contradict the public model move it by less and less, in proportion to epsilon"


@claim("OWN-GRAM-ZERO", f"{N_PRIVATE} private rows, three distributions", shown=FALLS, constants=NONE)
def gram(table: Table) -> str:
    """Compare the release without public responses with 0, the middle of their range."""
    _falling(table, 1, NOTHING)
    coins = table.randomness.spawn("one").generator
    px, _ = RESPONSES["linear"](coins, N_PUBLIC)
    x, y = RESPONSES["linear"](coins, N_PRIVATE)
    learner = PublicGramRegression(10.0)
    moved = learner.release(learner.prepare(px, LINEAR), x, y, table.randomness.spawn("coins")).output
    settings: Settings = {"distribution": "linear", "broken": "epsilon = 10", "n_public": N_PUBLIC}
    table.exceeding(
        APART.format(NOTHING),
        settings,
        math.log(float(np.abs(moved.predict(x)).max())),
        math.log(FACTOR * EPSILONS[-1]),
    )
    return "without public responses nothing else is known: the middle of the declared range is all that is left"


# ---------------------------------------------------------------------------------------------------- tables
TABLES = 36
TABLE_ROWS = 1_000
TABLE_PUBLIC = 100
LEAST_EPSILON = 1e-6
BIASES = (0.0, 1.0)
DELTAS = (0.0, 1e-6)
QUOTIENT = "mean L1 error of the release / that of public rows alone, mean over distributions"
MOST = 1.05


@claim(
    "OWN-TABLE-ZERO",
    f"drawn distributions of {len(SCHEMA.columns)} columns, {TABLE_PUBLIC} public and {TABLE_ROWS:,} private rows",
    shown=QUOTIENT,
    constants=NONE,
)
def public_rows(table: Table) -> str:
    """Compare the error of a release at epsilon = 1e-6 with that of the public rows alone, biased and not."""
    trials = table.trials(TABLES, fewest=3)
    level = GATE_LEVEL / 6
    for bias in BIASES:
        for delta in DELTAS:
            values, broken = [], []
            for t in track(range(trials), "distributions"):
                coins = table.randomness.spawn("tables", repr(bias), repr(delta), t)
                distribution = Groups.drawn(coins.generator)
                public, rows = (
                    distribution.sample(coins.generator, TABLE_PUBLIC, bias),
                    distribution.sample(coins.generator, TABLE_ROWS),
                )
                learner = TableRelease(LEAST_EPSILON, delta)
                prepared = learner.prepare(SCHEMA.table(public), SCHEMA)
                output = learner.release(prepared, SCHEMA.table(rows), coins).output
                workload = prepared.workload
                truth = workload.counts(rows) / len(rows)

                def error(shares: Floats, workload: object = workload, truth: Floats = truth) -> float:
                    return float(workload.totals(np.abs(shares - truth)).mean())  # type: ignore[attr-defined]

                alone = error(workload.counts(public) / len(public))
                values.append(error(workload.shares(output.rows, output.weights)) / alone)
                quarter = workload.counts(public[: len(public) // 4]) / (len(public) // 4)
                broken.append(error(quarter) / alone)
            settings: Settings = {
                "epsilon": LEAST_EPSILON,
                "delta": delta,
                "bias": bias,
                "n_public": TABLE_PUBLIC,
                "n_private": TABLE_ROWS,
            }
            table.at_most(QUOTIENT, settings, mean_interval(values, level), MOST, trials)
            if not bias:
                control = mean_interval(broken, level)
                table.exceeding(QUOTIENT, settings | {"broken": "a quarter of the public rows"}, control, MOST, trials)
    return (
        "the release falls back on the public rows and their tree; judged on average over distributions, not for each"
    )
