"""The guarantee of a fit, which says what it covers: this fit alone, and nobody if a simulation drew it."""

from typing import Any

from semipriv.privacy.guarantee import Guarantee, Release

LAST_STEP = "the last step only: this fit, given the rows it was handed; no step before it, no score, no other fit"
NOBODY = "nobody: a Simulation drew it, and whoever knows its seed draws it again; Secure() releases"


class FitGuarantee(Guarantee):
    """The guarantee of one fit.  It equals a ``Guarantee`` of the same numbers and neighbours.

    >>> FitGuarantee(1.0)  # doctest: +ELLIPSIS
    FitGuarantee(epsilon=1.0, delta=0.0, neighbours='replace_private_example', covers='the last step only: ...')
    """

    covers = LAST_STEP

    def __repr__(self) -> str:
        numbers = f"epsilon={self.epsilon!r}, delta={self.delta!r}, neighbours={self.neighbours.value!r}"
        return f"{type(self).__name__}({numbers}, covers={self.covers!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Guarantee):
            return NotImplemented
        return (self.epsilon, self.delta, self.neighbours) == (other.epsilon, other.delta, other.neighbours)

    __hash__ = Guarantee.__hash__


class SimulatedGuarantee(FitGuarantee):
    """What the mechanism of a simulated fit would guarantee if ``Secure()`` drew it.  It protects nobody.

    >>> SimulatedGuarantee(1.0).covers
    'nobody: a Simulation drew it, and whoever knows its seed draws it again; Secure() releases'
    """

    covers = NOBODY


def guarantee_of(release: Release[Any]) -> FitGuarantee | None:
    """Return the guarantee of a fit by its release; None without privacy."""
    given = release.guarantee
    if given is None:
        return None
    kind = SimulatedGuarantee if release.simulated else FitGuarantee
    return kind(given.epsilon, given.delta, given.neighbours)
