"""Which design an experiment has: the one that suits its data and of which it gives the sizes."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from semipriv.core import registry
from semipriv.distributions.designs.base import Design

ROOM = "designs"


@cache
def designs() -> tuple[type[Design], ...]:
    """Return all designs, in the order of their names."""
    return tuple(registry.load(ROOM, name) for name in registry.names(ROOM))


@cache
def size_keys() -> tuple[str, ...]:
    """Return the size keys of all designs, sorted."""
    return tuple(sorted({key for design in designs() for key in design.meanings()}))


def inferred(given: Collection[str], statuses: bool) -> type[Design]:
    """Return the design that suits the data and of which most size keys are among the given ones.

    statuses: whether the data say who is private.  Raises ValueError if two designs suit equally well.
    """
    suiting = [design for design in designs() if design.statuses == statuses]
    most = max(len(design.meanings().keys() & set(given)) for design in suiting)
    best = [design for design in suiting if len(design.meanings().keys() & set(given)) == most]
    if len(best) > 1:
        raise ValueError(f"sizes: give {alternatives(best)}")
    return best[0]


def alternatives(suiting: Iterable[type[Design]]) -> str:
    """Return the size keys of designs in words: those of one, or those of another."""
    return ", or ".join(" and ".join(design.meanings()) for design in suiting)


def design_of(settings: Mapping[str, Any], statuses: bool) -> Design:
    """Build the design of a cell from its settings, which give all its sizes."""
    design = inferred([key for key in size_keys() if key in settings], statuses)
    return design(**{key: settings[key] for key in design.meanings()})


def sizes_in_columns(design: Design) -> dict[str, int | None]:
    """Return the sizes for tables of results: those of other designs are None."""
    return {**dict.fromkeys(size_keys()), **design.sizes}
