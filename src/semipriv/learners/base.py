"""The two stages that every learner has."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import Cover, HypothesisClass, Parameters, Predictors
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Randomness
from semipriv.samples import StatusModel


class Protection(StrEnum):
    """What a learner does with the private sample."""

    PRIVATE = "private"
    """Reads it through a mechanism with a proven guarantee, or not at all."""
    NONE = "none"
    """Reads it without privacy: a baseline of simulations, never part of a release."""


@dataclass(frozen=True, eq=False)
class Law:
    """Exact output law: parameters of the possible hypotheses (k, p) and their log-probabilities (k,)."""

    parameters: Parameters
    log_probabilities: NDArray[np.float64]


@dataclass(frozen=True)
class Learner(ABC):
    """A learning algorithm in two stages: ``prepare`` sees public data only, ``release`` alone sees private data."""

    protection: ClassVar[Protection] = Protection.PRIVATE
    needs_public_labels: ClassVar[bool] = False

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee | None:
        """What the release guarantees; None for a baseline without privacy."""

    @property
    def preparation(self) -> tuple[str, ...]:
        """Names the public stage: learners with equal names share what it makes."""
        return ("cover", "midpoint")

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules found by name at run time, beyond the static imports, on which results depend."""
        return ()

    def check(self, hypothesis_class: HypothesisClass) -> None:  # noqa: B027  (nothing to check by default)
        """Raise ValueError where this learner cannot learn the class."""

    def predictors(self, hypothesis_class: HypothesisClass) -> Predictors:
        """What the parameters of its hypotheses are parameters of: the class, unless the learner is improper."""
        return hypothesis_class

    @abstractmethod
    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> Cover:
        """Public stage: (m, d) public points -> candidate hypotheses.

        public_labels: (m,) for the learners that need labelled public points; the others refuse them.
        """

    @abstractmethod
    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """Private stage: (n, d) private points and (n,) labels -> a hypothesis with its guarantee."""


class FiniteOutput(ABC):
    """A learner whose output law can be computed: what the exact audit reads."""

    @abstractmethod
    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Exact output law on a private sample."""


def refuse_labels(public_labels: ArrayLike | None) -> None:
    """Raise where a learner for unlabelled public points is handed labels."""
    if public_labels is not None:
        raise ValueError("public_labels: this learner uses unlabelled public points only")


def status_model(learner: Learner) -> StatusModel:
    """Which pairs of label and status a learner takes: its parameter ``privacy``; all of them where it has none."""
    return StatusModel(getattr(learner, "privacy", StatusModel.ANY))
