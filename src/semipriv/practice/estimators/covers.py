"""The guarantee of a fit: it covers this fit alone, and nobody if a simulation drew it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs

from semipriv.privacy.guarantee import Guarantee, Release

LAST_STEP = "the last step only: this fit, given the rows it was handed; no step before it, no score, no other fit"
NOBODY = "nobody: a Simulation drew it, and whoever knows its seed draws it again; Secure() releases"


def _columns(given: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(given)


@attrs.frozen
class Who:
    """The persons whom a fit protects.

    count: N, their number, which is public.  columns: names of the columns that name a person together; None: an array
    without a name does.

    >>> print(Who(300, ["patient", "month"]))
    one of 300 persons with all of their rows: who the columns 'patient', 'month' name together is a person
    >>> print(Who(300))
    one of 300 persons with all of their rows: who has one name in groups is a person
    """

    count: int = attrs.field(converter=int)
    columns: tuple[str, ...] | None = attrs.field(default=None, converter=_columns)

    @classmethod
    def restored(cls, given: Mapping[str, Any] | None) -> "Who | None":
        """Return the inverse of ``attrs.asdict``, from JSON; None of None."""
        return None if given is None else cls(**given)

    def described(self, rows: str | None) -> dict[str, Any]:
        """Return what a request of a ledger says of persons; rows: how those of a person count."""
        return {"rows": rows} if self.columns is None else {"columns": list(self.columns), "rows": rows}

    def __str__(self) -> str:
        match self.columns:
            case None:
                name = "who has one name in groups"
            case (column,):
                name = f"whom the column {column!r} names"
            case several:
                name = f"who the columns {', '.join(map(repr, several))} name together"
        return f"one of {self.count:,} persons with all of their rows: {name} is a person"


@attrs.frozen(eq=False, repr=False)
class FitGuarantee(Guarantee):
    """The guarantee of one fit.  It equals a ``Guarantee`` of the same numbers and neighbours.

    protects: the persons, in words; '' where it is a row that is protected.

    >>> FitGuarantee(1.0)  # doctest: +ELLIPSIS
    FitGuarantee(epsilon=1.0, delta=0.0, neighbours='replace_private_example', covers='the last step only: ...')
    """

    covers: ClassVar[str] = LAST_STEP
    protects: str = attrs.field(default="", kw_only=True)

    def __repr__(self) -> str:
        numbers = f"epsilon={self.epsilon!r}, delta={self.delta!r}, neighbours={self.neighbours.value!r}"
        who = f", protects={self.protects!r}" if self.protects else ""
        return f"{type(self).__name__}({numbers}{who}, covers={self.covers!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Guarantee):
            return NotImplemented
        return (self.epsilon, self.delta, self.neighbours) == (other.epsilon, other.delta, other.neighbours)

    __hash__ = Guarantee.__hash__


@attrs.frozen(eq=False, repr=False)
class SimulatedGuarantee(FitGuarantee):
    """What the mechanism of a simulated fit would guarantee if ``Secure()`` drew it.  It protects nobody.

    >>> SimulatedGuarantee(1.0).covers
    'nobody: a Simulation drew it, and whoever knows its seed draws it again; Secure() releases'
    """

    covers: ClassVar[str] = NOBODY


def guarantee_of(release: Release[Any], who: Who | None) -> FitGuarantee | None:
    """Return the guarantee of a fit by its release; None without privacy.  who: the persons, None if rows are."""
    given = release.guarantee
    if given is None:
        return None
    kind = SimulatedGuarantee if release.simulated else FitGuarantee
    return kind(given.epsilon, given.delta, given.neighbours, protects="" if who is None else str(who))
