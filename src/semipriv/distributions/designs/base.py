"""The contract of a design.  A design is one file of this room; its fields are the size keys of configurations."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from attrs import field, fields, frozen

from semipriv.core import checks
from semipriv.core.randomness import Simulation
from semipriv.core.samples import ClassSample, RegressionSample, Sample
from semipriv.core.types import Bools, Floats, Indices

Ranges = Sequence[tuple[float, float]]
"""Ends [low, high] of each feature, known in advance."""


@frozen
class Recipe:
    """A private sample that is not drawn yet: n examples, and the random stream that draws them."""

    n: int
    stream: Simulation


@frozen(eq=False)
class PartlyDrawn:
    """Private data of which a part is labelled: the examples, or their recipe, and a recipe of unlabelled entries.

    Unlabelled entries are drawn where they are read: there may be more than fit in memory.
    """

    labelled: Sample | Recipe
    unlabelled: Recipe


Examples = Sample | ClassSample | RegressionSample
"""Examples with labels 0 and 1, with several labels, or with real responses."""
Private = Examples | Recipe | PartlyDrawn
"""The private part of a simulated trial."""


@frozen(eq=False)
class Parts:
    """How a table is split: rows of the public, private and held-out part, and a linear map of the features.

    The map is (x - centre) / scale, with centre and scale (d,).  unlabelled: further private rows, without their
    labels; None: the design has none.
    """

    public: Indices
    private: Indices
    held: Indices
    centre: Floats
    scale: Floats
    unlabelled: Indices | None = None


@frozen
class Design(ABC):
    """Sizes of one cell of an experiment: integers, one field for each size key.

    statuses: whether every example has a privacy status, which the distribution or the table gives.  any_target:
    whether examples may have several labels or real responses instead of labels 0 and 1.  groups: whether public rows
    of a table may be drawn from a group of their own.  axes: what figures and slopes may have as x.  title: the design
    in words.  refusal: why the sizes of other designs are refused.
    """

    statuses: ClassVar[bool]
    any_target: ClassVar[bool] = False
    groups: ClassVar[bool] = False
    axes: ClassVar[tuple[str, ...]]
    title: ClassVar[str]
    refusal: ClassVar[str]

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """Return the size keys and their meanings, in the order of the fields."""
        return {attribute.name: str(attribute.metadata["meaning"]) for attribute in fields(cls)}

    @classmethod
    def minima(cls) -> dict[str, int]:
        """Return the least value of each size key."""
        return {attribute.name: int(attribute.metadata["minimum"]) for attribute in fields(cls)}

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes by key."""
        return {key: getattr(self, key) for key in self.meanings()}

    def held_out(self, rows: int, group: int | None = None) -> int:
        """Return how many rows of a table are held out.

        group: of the rows, how many are in the group of public rows, if it has one.
        """
        return rows - sum(self.sizes.values())

    def check_held_out(self, rows: int, group: int | None = None) -> None:
        """Raise ValueError unless a table of so many rows has rows left to hold out."""
        if self.held_out(rows) < 1:
            total = sum(self.sizes.values())
            raise ValueError(f"{' + '.join(self.sizes)} = {total}: must leave rows of the table's {rows} to hold out")

    @abstractmethod
    def draw(self, distribution: Any, stream: Simulation, materialise: int) -> tuple[Examples, Private]:
        """Draw the public and the private part of a simulated trial.

        distribution: a distribution of examples of the kind that the design has.  materialise: a private part of fixed
        size with more examples becomes a recipe.
        """

    @abstractmethod
    def split(self, sample: Any, ranges: Ranges | None, stream: Simulation, group: Bools | None = None) -> Parts:
        """Split a table, whose rows are examples of the kind that the design has, at random.

        ranges: ends of the features, known in advance, if there are any.  group: (n,), whether a row is in the group of
        public rows; None: no row is, or the design knows no groups.

        Raises ValueError if no row would be left to hold out.
        """


def size(key: str, meaning: str, minimum: int = 1) -> Any:
    """Return the field of a size key: an integer >= minimum."""
    check: Callable[[Any], int] = partial(checks.size, key, minimum=minimum)
    return field(converter=check, metadata={"meaning": meaning, "minimum": minimum})
