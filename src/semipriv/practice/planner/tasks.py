"""What is learned on a population: targets, disturbed labels, and the exact excess error of a prediction.

With probability ``noise``, a label or a response is replaced.  Targets are drawn so that the best prediction is known,
and with it the excess error of every other one, exactly on the population.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from semipriv.classes.classifiers.base import Classifier, Classifiers
from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.core.randomness import Simulation
from semipriv.core.types import Floats
from semipriv.practice.planner.population import Population


class Task(ABC):
    """Labels or responses of one kind.

    kind: of the outputs of its learners.  labelled: what is learned, target: what the truth is, replaced: what noise
    does, unit: that of an error, in words.
    """

    kind: ClassVar[str]
    labelled: ClassVar[str] = "labels"
    target: ClassVar[str] = "a random hypothesis of the class"
    replaced: ClassVar[str]
    unit: ClassVar[str] = ""

    @abstractmethod
    def truth(self, population: Population, randomness: Simulation) -> NDArray[Any]:
        """Draw a target, and return its labels or values on the atoms, (N,)."""

    @abstractmethod
    def disturbed(self, labels: NDArray[Any], noise: float, randomness: Simulation) -> NDArray[Any]:
        """Replace each of the labels (n,) with probability noise."""

    @abstractmethod
    def excess(
        self, predicted: NDArray[Any], truth: NDArray[Any], noise: float, weights: Floats | None = None
    ) -> float:
        """Return the exact excess error of predictions on the atoms, (N,), over the best ones.

        weights: (N,), the distribution of the atoms; None: uniform.
        """


class TwoLabels(Task):
    """Labels 0 and 1 of a hypothesis; noise flips them.

    A hypothesis that differs from the target on a share p of the population has error noise + (1 - 2 noise) p, and the
    target is best.
    """

    kind = "hypothesis"
    replaced = "flipped"

    def truth(self, population: Population, randomness: Simulation) -> NDArray[Any]:
        """Return the labels of a random hypothesis of the class."""
        return population.target(randomness).predict(population.atoms).astype(np.int8)

    def disturbed(self, labels: NDArray[Any], noise: float, randomness: Simulation) -> NDArray[Any]:
        """Flip."""
        return labels ^ (randomness.generator.random(len(labels)) < noise)

    def excess(
        self, predicted: NDArray[Any], truth: NDArray[Any], noise: float, weights: Floats | None = None
    ) -> float:
        """Return (1 - 2 noise) p."""
        return (1 - 2 * noise) * float(np.average(predicted != truth, weights=weights))


class SeveralLabels(Task):
    """Labels 0, ..., K - 1 of a random linear rule; noise puts one of the K - 1 others instead of a label.

    Where a prediction differs from the target, it errs with probability 1 - noise / (K - 1) instead of noise.  So one
    that differs on a share p has excess error (1 - noise K / (K - 1)) p, and the target is best.

    >>> SeveralLabels(3).excess(np.array([0, 1, 2, 2]), np.array([0, 1, 2, 1]), 0.2)
    0.175
    """

    kind = Classifier.kind
    replaced = "replaced by one of the others"

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def truth(self, population: Population, randomness: Simulation) -> NDArray[Any]:
        """Return the labels of a rule whose scores are random linear functions, 0 at the mean of the atoms."""
        weights = randomness.generator.standard_normal((population.atoms.shape[1], self.classes))
        return np.argmax(population.atoms @ weights, axis=1).astype(np.int8)

    def disturbed(self, labels: NDArray[Any], noise: float, randomness: Simulation) -> NDArray[Any]:
        """Move on by 1, ..., K - 1 labels."""
        generator = randomness.generator
        moved = (labels + generator.integers(1, self.classes, len(labels))) % self.classes
        return np.where(generator.random(len(labels)) < noise, moved, labels).astype(np.int8)

    def excess(
        self, predicted: NDArray[Any], truth: NDArray[Any], noise: float, weights: Floats | None = None
    ) -> float:
        """Return (1 - noise K / (K - 1)) p."""
        return (1 - noise * self.classes / (self.classes - 1)) * float(np.average(predicted != truth, weights=weights))


class Numbers(Task):
    """Values in [-1, 1] of a random linear function; noise puts a fair coin's -1 or 1 instead of a response.

    The mean of a response is (1 - noise) times the target.  So the squared error of a prediction exceeds that of the
    best one by the mean of its squared distance from this.

    >>> round(Numbers().excess(np.array([0.5, 0.0]), np.array([1.0, 0.0]), 0.5), 3)
    0.0
    """

    kind = Regressor.kind
    labelled = "responses"
    target = "a random linear function, moved into [-1, 1]"
    replaced = "replaced by -1 or 1"
    unit = ", a squared error of responses moved to [-1, 1]"

    def truth(self, population: Population, randomness: Simulation) -> NDArray[Any]:
        """Return a linear function of standard deviation about 1/2 on standardised columns, 0 at their mean."""
        dimension = population.atoms.shape[1]
        weights = randomness.generator.standard_normal(dimension) / (2 * np.sqrt(dimension))
        return np.clip(population.atoms @ weights, -1.0, 1.0)

    def disturbed(self, labels: NDArray[Any], noise: float, randomness: Simulation) -> NDArray[Any]:
        """Toss."""
        generator = randomness.generator
        coins = generator.choice([-1.0, 1.0], len(labels))
        return np.where(generator.random(len(labels)) < noise, coins, labels)

    def excess(
        self, predicted: NDArray[Any], truth: NDArray[Any], noise: float, weights: Floats | None = None
    ) -> float:
        """Return the mean squared distance from (1 - noise) times the target."""
        return float(np.average((predicted - (1 - noise) * truth) ** 2, weights=weights))


def task_of(hypothesis_class: Any) -> Task:
    """Return what is learned with a class."""
    if isinstance(hypothesis_class, Classifiers):
        return SeveralLabels(hypothesis_class.classes)
    return Numbers() if isinstance(hypothesis_class, Regressors) else TwoLabels()
