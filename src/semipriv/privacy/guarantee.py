"""The guarantee that travels with every release."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

import attrs
from numpy.typing import NDArray

from semipriv.core import checks
from semipriv.core.randomness import Source
from semipriv.core.rounding import above


class Neighbours(StrEnum):
    """The pairs of data sets that a guarantee speaks of.  Sizes and public data are equal in both and known.

    `semipriv.privacy.slots` tells which data sets an exact audit enumerates for each.
    """

    REPLACE_PRIVATE_EXAMPLE = "replace_private_example"
    """One private example (features and label) is replaced by another: ABM19, BCM20, BBD24."""
    REPLACE_PRIVATE_FEATURES = "replace_private_features"
    """The features of one private example are replaced, its status and label stay: BMN20."""
    REPLACE_ENTRY = "replace_entry"
    """One entry, labelled or unlabelled, is replaced; which slots are labelled is public: BNS15."""
    REPLACE_PERSON = "replace_person"
    """All rows of one person, at least one, are replaced by all rows of another, however many; the number of persons is
    public, that of rows is not."""
    REPLACE_LABEL = "replace_label"
    """The label of one private example is replaced; the features of all examples, in their order, are public."""


def _epsilon(value: Any) -> float:
    epsilon = above("epsilon", value)
    if epsilon < 0:
        raise ValueError(f"epsilon = {value!r}: must be >= 0")
    return epsilon


def _delta(value: Any) -> float:
    checks.delta("delta", value)
    return checks.delta("delta", above("delta", value))


@attrs.frozen
class Guarantee:
    """(epsilon, delta)-differential privacy: P[M(S) in O] <= e^epsilon P[M(S') in O] + delta for all neighbours S, S'.

    Fractions and integers that are not floats are rounded up.  At epsilon = 0 the distributions of the output on
    neighbours differ by at most delta in total variation; only if delta = 0, too, are they the same, so that the output
    tells nothing of the private data.

    Args:
        epsilon: finite and >= 0.
        delta: in [0, 1).
        neighbours: the pairs of data sets of which it speaks.
    """

    epsilon: float = attrs.field(converter=_epsilon)
    delta: float = attrs.field(default=0.0, converter=_delta)
    neighbours: Neighbours = attrs.field(default=Neighbours.REPLACE_PRIVATE_EXAMPLE, converter=Neighbours)


def common_neighbours(*relations: Neighbours) -> Neighbours:
    """Return the relation that all guarantees share.

    Raises ValueError naming two that differ, and if none is given.

    Guarantees for different neighbours do not add up: two data sets may be neighbours for one guarantee and not for the
    other.
    """
    if not relations:
        raise ValueError("nothing to compose: the neighbours of no guarantee are unknown")
    for relation in relations:
        if relation is not relations[0]:
            raise ValueError(f"neighbours differ: {relations[0].value} and {relation.value} do not compose")
    return relations[0]


def by_person(guarantee: Guarantee) -> Guarantee:
    """Return a guarantee for replacing an example as one for replacing a person, whose units count as one example.

    Raises ValueError for other neighbours: of a person, all rows may be replaced, whatever they are.

    >>> by_person(Guarantee(1.0)).neighbours
    <Neighbours.REPLACE_PERSON: 'replace_person'>
    """
    if guarantee.neighbours is not Neighbours.REPLACE_PRIVATE_EXAMPLE:
        raise ValueError(f"neighbours: {guarantee.neighbours.value} does not extend to persons")
    return attrs.evolve(guarantee, neighbours=Neighbours.REPLACE_PERSON)


def by_label(guarantee: Guarantee) -> Guarantee:
    """Return a guarantee for replacing an example as one for replacing its label: fewer data sets are neighbours.

    Raises ValueError for other neighbours.

    >>> by_label(Guarantee(1.0)).neighbours
    <Neighbours.REPLACE_LABEL: 'replace_label'>
    """
    if guarantee.neighbours is not Neighbours.REPLACE_PRIVATE_EXAMPLE:
        raise ValueError(f"neighbours: {guarantee.neighbours.value} does not imply that labels are protected alone")
    return attrs.evolve(guarantee, neighbours=Neighbours.REPLACE_LABEL)


class Output(ABC):
    """What a learner publishes.  It knows its kind, and goes to disk as a description and named arrays."""

    kind: ClassVar[str]
    """Name of the module of ``semipriv.learners.outputs`` that restores it."""

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """Return what it is, besides its kind and its arrays, as values of JSON.

        Returns:
            A mapping of values of JSON.
        """

    @abstractmethod
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Return its numbers by name.

        Returns:
            Arrays by name.
        """


Published = TypeVar("Published", bound=Output)


@dataclass(frozen=True)
class Release(Generic[Published]):
    """An output, the guarantee of the mechanism that drew it, which randomness it drew from, and what it cost.

    The guarantee averages over the draw.  Whoever knows the seed of a ``Simulation`` draws again, and tells the sample
    from its neighbours: a simulated release has the guarantee of its mechanism and protects nobody.  So certificates,
    and budgets that are spent on real data, take their guarantees from ``certified``.

    Args:
        output: what is published.
        guarantee: that of the mechanism; None: not private, a baseline.
        randomness: the source of the draw.
        cost: named numbers; they depend on nothing private but the output.

    Examples:
        >>> Release("h", Guarantee(1.0), Source.SIMULATION).certified()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: release: drawn by a Simulation, whoever knows its seed draws it again; ...
    """

    output: Published
    guarantee: Guarantee | None
    randomness: Source
    cost: dict[str, float] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether the guarantee is that of the mechanism only: all but ``Secure`` draws are simulated."""
        return self.randomness is not Source.SECURE

    def certified(self) -> Guarantee:
        """Return the guarantee as that of this release.

        Returns:
            The guarantee.

        Raises:
            ValueError: for a simulated release, and for one without a guarantee.
        """
        if self.guarantee is None:
            raise ValueError("release: has no guarantee, it is a baseline without privacy")
        if self.simulated:
            raise ValueError(
                "release: drawn by a Simulation, whoever knows its seed draws it again; release real data with Secure()"
            )
        return self.guarantee
