"""Excess errors of the planner's tasks are those of many disturbed labels, and targets are right about most of them."""

import json

import numpy as np
import pytest

from semipriv.cli import main
from semipriv.core.randomness import Simulation
from semipriv.core.registry import build
from semipriv.practice.planner.population import Population
from semipriv.practice.planner.tasks import Numbers, SeveralLabels, Task, TwoLabels, task_of

ATOMS = np.random.default_rng(1).normal(3.0, 5.0, (40, 3))
DRAWS = 4000
CLASSES = {
    "two": {"room": "classes", "name": "halfspaces", "dimension": 3},
    "three": {"room": "classifiers", "name": "linear_rules", "dimension": 3, "classes": 3},
    "seven": {"room": "classifiers", "name": "linear_rules", "dimension": 3, "classes": 7},
    "numbers": {"room": "regressors", "name": "linear", "dimension": 3},
    "numbers of a ball": {"room": "regressors", "name": "linear_ball", "dimension": 3},
}


def setting_of(what: str) -> tuple[Task, Population]:
    room, parameters = CLASSES[what]["room"], {k: v for k, v in CLASSES[what].items() if k != "room"}
    atoms = ATOMS / 50 if what.endswith("ball") else ATOMS
    population = Population(build(room, parameters), "atoms", atoms)
    return task_of(population.hypothesis_class), population


@pytest.mark.parametrize("what", CLASSES)
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4])
def test_an_excess_error_is_that_of_many_disturbed_labels(what: str, noise: float) -> None:
    """By brute force: the mean error of a prediction less that of the best one, over repeated labels."""
    task, population = setting_of(what)
    truth = task.truth(population, Simulation(2))
    predicted = np.roll(truth, 7)
    assert isinstance(task, TwoLabels | SeveralLabels | Numbers)
    labels = np.stack([task.disturbed(truth, noise, Simulation(i)) for i in range(DRAWS)])
    if isinstance(task, Numbers):
        best = (1 - noise) * truth
        excesses = np.mean((predicted - labels) ** 2 - (best - labels) ** 2, axis=1)
    else:
        excesses = np.mean(predicted != labels, axis=1) - np.mean(truth != labels, axis=1)
    error = 5 * excesses.std() / np.sqrt(DRAWS) + 1e-12
    assert abs(excesses.mean() - task.excess(predicted, truth, noise)) < error
    assert task.excess(truth * (1 - noise) if isinstance(task, Numbers) else truth, truth, noise) == pytest.approx(0)


@pytest.mark.parametrize("what", CLASSES)
def test_labels_are_replaced_as_often_as_it_is_said(what: str) -> None:
    task, population = setting_of(what)
    truth = np.repeat(task.truth(population, Simulation(3)), 500)
    seen = task.disturbed(truth, 0.25, Simulation(4))
    assert abs(np.mean(seen != truth) - 0.25) < 0.02
    assert set(np.unique(seen[seen != truth])) <= ({-1, 1} if isinstance(task, Numbers) else set(range(7)))


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    assert main([*words, "--epsilon", "1", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


RULES = ("--class", "linear_rules", "--dimension", "2", "--classes", "3")
LINEAR = ("--class", "linear", "--dimension", "2")
BALL = ("--class", "linear_ball", "--dimension", "5")


@pytest.mark.parametrize(
    ("words", "learner"),
    [(RULES, "public_metric_multiclass"), (LINEAR, "public_gram_regression"), (BALL, "public_gram_regression")],
)
def test_a_plan_of_several_labels_and_of_numbers(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], learner: str
) -> None:
    """More rows help, and labels of public rows are of the population."""
    sizes = [("--n-public", "100", "--n-private", str(n)) for n in (300, 30_000)]
    few, many = (asked(capsys, "plan", *words, "--learner", learner, *n, "--beta", "0.3") for n in sizes)
    assert many["proven"]["sizes"] is None
    assert 0 < many["empirical"]["upper_limit"] < few["empirical"]["upper_limit"]


def test_a_comparison_of_learners_of_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    printed = asked(capsys, "compare", *LINEAR, "--alpha", "0.1", "--beta", "0.3", "--n-public", "50", "--most", "4000")
    names = {row["learner"]["name"] for row in printed["rows"]}
    assert names == {"public_gram_regression", "public_ridge_regression"}
    assert not any(row["reference"] for row in printed["rows"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("plan", *RULES, "--alpha", "0.1"), "A_SSPP learns labels 0 and 1, name a --learner"),
        (
            ("compare", *RULES, "--alpha", "0.1", "--learners", "sspp,public_metric_multiclass"),
            "learners that do: public_metric_multiclass, public_m",
        ),
        (
            ("compare", *LINEAR, "--alpha", "0.1", "--learners", "public_metric_multiclass"),
            "public_gram_regression, public_least_squares",
        ),
        (("plan", *LINEAR, "--learner", "public_gram_regression", "--alpha", "0.1"), "n_public: must be given"),
    ],
)
def test_a_learner_of_another_kind_is_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main([*words, "--epsilon", "1"]) != 0
    assert message in capsys.readouterr().err
