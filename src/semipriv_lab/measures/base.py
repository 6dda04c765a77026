"""What every measure offers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from semipriv.core.randomness import Simulation
from semipriv.distributions.best import BestError

Population = TypeVar("Population")
"""The distributions under which a measure is known."""
Class = TypeVar("Class")
"""The classes over which its best value is."""
Held = TypeVar("Held")
"""Held-out examples."""


@dataclass(frozen=True)
class Measured:
    """An error, and its standard error: 0 if it is exact."""

    value: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Released:
    """An output, and what it took.

    cost: named numbers, which depend on nothing private but the output.  n_labelled: how many examples of the private
    sample have labels; None if that is random or not known.
    """

    output: Any
    cost: Mapping[str, float]
    n_labelled: int | None


class Measure(ABC, Generic[Population, Class, Held]):
    """An error of outputs under a known distribution, the smaller the better.  All were released."""

    kinds: ClassVar[tuple[str, ...]]
    """Kinds of outputs that it measures."""
    bounded: ClassVar[bool] = False
    """Whether ``Learner.excess_bound`` bounds its excess."""

    @property
    @abstractmethod
    def excess_title(self) -> str:
        """What figures call it on the axis of a simulation, where its best possible value is subtracted."""

    @property
    def held_out_title(self) -> str | None:
        """What figures call it on held-out examples of a table; None: it needs a known distribution."""
        return None

    @abstractmethod
    def best(self, distribution: Population, hypothesis_class: Class) -> BestError:
        """Return the best possible value.  Raise ValueError if distribution and class do not fit together."""

    @abstractmethod
    def population(
        self,
        outputs: Sequence[Any],
        distribution: Population,
        hypothesis_class: Class,
        randomness: Simulation,
    ) -> list[Measured]:
        """Return the error of each output of one trial under the private distribution.

        randomness: the trial's own; samples of it are shared by the outputs, and none by two trials.
        """

    def of_releases(
        self,
        releases: Sequence[Released],
        distribution: Population,
        hypothesis_class: Class,
        randomness: Simulation,
    ) -> list[Measured]:
        """Return the value of each release of one trial: that of its output, for a measure that looks at nothing else.

        The other arguments are those of ``population``.
        """
        return self.population([release.output for release in releases], distribution, hypothesis_class, randomness)

    def held_out(self, outputs: Sequence[Any], sample: Held) -> list[Measured]:
        """Return the error of each output on held-out examples, for a measure with a ``held_out_title``."""
        raise NotImplementedError(f"{type(self).__name__} needs a known distribution")


AnyMeasure = Measure[Any, Any, Any]
