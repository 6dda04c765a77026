"""A broken twin: one step of a privacy proof is broken, and the exact audit must tell it from its honest sibling."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from semipriv.audit.exact import LawOf
from semipriv.privacy.slots import Record


@dataclass(frozen=True, eq=False)
class Twin:
    """An honest and a broken output law that claim the same.

    breaks: the broken step of the proof; epsilon: the claim; slots: the possible records of each position.
    """

    breaks: str
    epsilon: float
    slots: list[list[Record]]
    honest: LawOf
    broken: LawOf


Twins = dict[str, Callable[[], Twin]]
"""Twins by name, made when they are asked for."""


def registered(make: Callable[[], Twin]) -> Callable[[], Twin]:
    """Add a twin to ``TWINS`` under the name of its function."""
    TWINS[make.__name__] = make
    return make


def twins_of(*modules: ModuleType) -> Twins:
    """Return the twins of some modules, in the order of the modules and of their lines."""
    members = {name: make for module in modules for name, make in vars(module).items()}
    return {name: make for name, make in members.items() if name in TWINS and TWINS[name] is make}


TWINS: Twins = {}
"""The registry, by name; modules fill it as they are imported."""
