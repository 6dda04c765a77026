"""What every learner offers: two stages, a guarantee, and what it tells of itself."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv.classes.base import HypothesisClass, Parameters
from semipriv.fields import value
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Randomness
from semipriv.roles import Role
from semipriv.samples import StatusModel
from semipriv.stages.base import P, PublicStage


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


@value(eq=False)
class Setting:
    """What a bound on the excess error may depend on: no data, and nothing that a learner chooses.

    sizes: by their names, such as n_public; None for those that are not fixed.  beta: failure probability.  sigma:
    smoothness of the private law with respect to the public one, 1 without shift.  best_error: infimum of the
    population error over the class.  statuses: which pairs of label and status the data can hold.
    """

    hypothesis_class: HypothesisClass
    sizes: Mapping[str, int | None]
    beta: float
    sigma: float
    best_error: float
    statuses: StatusModel


class Learner(ABC, Generic[P]):
    """A learning algorithm in two stages: the public stage sees public data only, ``release`` alone sees private data.

    A learner is a frozen value of its parameters, and tells of itself all that configurations, figures and tests need.
    """

    # ------------------------------------------------------------------ what it tells of itself
    @property
    @abstractmethod
    def guarantee(self) -> Guarantee | None:
        """What the release guarantees; None for a baseline without privacy."""

    @property
    @abstractmethod
    def public_stage(self) -> PublicStage[P]:
        """The first stage."""

    @property
    @abstractmethod
    def role(self) -> Role:
        """What it is in a comparison."""

    @property
    @abstractmethod
    def short_title(self) -> str:
        """What it is called in figures, without its remark."""

    @property
    def remark(self) -> str:
        """What figures add to the title; empty for nothing."""
        return ""

    @property
    def title(self) -> str:
        """What it is called in figures."""
        return f"{self.short_title}, {self.remark}" if self.remark else self.short_title

    @classmethod
    @abstractmethod
    def examples(cls) -> "tuple[Learner[P], ...]":
        """Return learners on which the law suite checks its laws, at least one."""

    @property
    def protection(self) -> Protection:
        """What it does with the private sample: a learner without a guarantee reads it without privacy."""
        return Protection.NONE if self.guarantee is None else Protection.PRIVATE

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError if this learner cannot learn the class."""
        self.public_stage.check(hypothesis_class)

    def excess_bound(self, setting: Setting) -> float | None:
        """Return the excess error that the theory allows with probability 1 - beta, which may exceed 1.

        None if the theory says nothing of this learner in this setting.
        """
        return None

    # ------------------------------------------------------------------ the two stages
    @final
    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> P:
        """Carry out the public stage: (m, d) public points -> what the private stage starts from.

        public_labels: (m,), if the public stage needs them; others refuse them.
        """
        self.public_stage.check_labels(public_labels)
        self.check(hypothesis_class)
        return self.public_stage.prepare(public_points, hypothesis_class, public_labels)

    @abstractmethod
    def release(self, prepared: P, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release[Any]:
        """Carry out the private stage: (n, d) private points and (n,) labels -> an output with its guarantee."""


AnyLearner = Learner[Any]


class FiniteOutput(ABC):
    """A learner whose output law can be computed: what the exact audit reads."""

    @abstractmethod
    def law(self, prepared: Any, points: ArrayLike, labels: ArrayLike) -> Law:
        """Return the exact output law on a private sample."""


def status_model(learner: AnyLearner) -> StatusModel:
    """Return which pairs of label and status a learner takes: its parameter ``privacy``; all of them if it has none."""
    return StatusModel(getattr(learner, "privacy", StatusModel.ANY))
