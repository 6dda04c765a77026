"""A negative control: a broken step of a privacy proof, which the exact audit must tell from its honest sibling."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from semipriv.audit.exact import DistributionOf
from semipriv.privacy.slots import Record


@dataclass(frozen=True, eq=False)
class Control:
    """An honest and a broken output distribution that claim the same.

    breaks: the broken step of the proof; epsilon: the claim; slots: the possible records of each position.
    """

    breaks: str
    epsilon: float
    slots: list[list[Record]]
    honest: DistributionOf
    broken: DistributionOf


Controls = dict[str, Callable[[], Control]]
"""Negative controls by name, made when they are asked for."""


def registered(make: Callable[[], Control]) -> Callable[[], Control]:
    """Add a negative control to ``CONTROLS`` under the name of its function."""
    CONTROLS[make.__name__] = make
    return make


def controls_of(*modules: ModuleType) -> Controls:
    """Return the negative controls of some modules, in the order of the modules and of their lines."""
    members = {name: make for module in modules for name, make in vars(module).items()}
    return {name: make for name, make in members.items() if name in CONTROLS and CONTROLS[name] is make}


CONTROLS: Controls = {}
"""The registry, by name; modules fill it as they are imported."""
