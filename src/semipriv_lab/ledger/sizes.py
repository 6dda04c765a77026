"""The sizes of a study: constants that are numbers.  A claim may be measured at others, outside of the ledger.

The body of the study's module is carried out with the sizes given, so that what it makes of them follows: bounds,
derived sizes, how a claim says that it was measured.  Sizes as arguments of each function would have to be handed on
through every helper of the module; carrying out the body rules out that one of them is forgotten.

``sizes`` reads the source, so that a command line is checked, and help printed, without importing the study.

>>> read("SIZES", "400", (100, 200))
(400,)
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

from semipriv.core import source
from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.claim import Claim, Run
from semipriv_lab.ledger.findings import Finding
from semipriv_lab.ledger.studies import Study

__all__ = ["Body", "measured_at", "module_at", "read", "sizes"]


def sizes(module: str) -> dict[str, Any]:
    """Return the public constants of a module that are written as numbers, or as tuples or dictionaries of numbers."""
    constants = source.constants(source.of_module(module))
    return {
        name: value for name, value in constants.items() if re.fullmatch("[A-Z][A-Z0-9_]*", name) and _is_numeric(value)
    }


def _is_numeric(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value) and _is_numeric(tuple(value)) and _is_numeric(tuple(value.values()))
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_numeric, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def read(name: str, text: str, usual: Any) -> Any:
    """Return the value that a text gives to a size; raise ValueError unless it is of the kind of the usual one."""
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        value = None
    if isinstance(usual, tuple) and not isinstance(value, tuple):
        value = (value,)
    if not _alike(value, usual):
        raise ValueError(f"--set {name}={text}: must be written like {name}={_written(usual)}")
    return value


def _alike(value: Any, usual: Any) -> bool:
    """Return whether two values have the same kinds of numbers; an integer stands for a float."""
    if not _is_numeric(value) or isinstance(value, tuple | dict) != isinstance(usual, tuple | dict):
        return False
    if isinstance(usual, dict):
        return isinstance(value, dict) and _alike(tuple(value.values()), tuple(usual.values()))
    if isinstance(usual, tuple):
        return isinstance(value, tuple) and all(any(_alike(item, other) for other in usual) for item in value)
    return isinstance(value, int) or isinstance(usual, float)


def _written(value: Any) -> str:
    return ",".join(map(repr, value)) if isinstance(value, tuple) and len(value) > 1 else repr(value)


@dataclass(frozen=True)
class Body:
    r"""The names of a module whose body is carried out with some of them given: these keep their values.

    >>> module = ModuleType("study")
    >>> exec("TRIALS = 2000\nHOW = f'{TRIALS} trials'", vars(module), Body(vars(module), {"TRIALS": 5}))
    >>> module.HOW
    '5 trials'
    """

    names: dict[str, Any]
    given: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.given[name] if name in self.given else self.names[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.names[name] = self.given.get(name, value)

    def __delitem__(self, name: str) -> None:
        del self.names[name]


def module_at(name: str, values: Mapping[str, Any]) -> ModuleType:
    """Return a second module of a study, made with other sizes; the one that others import stays as it is."""
    spec = find_spec(name)
    assert spec is not None, name
    module, code = module_from_spec(spec), spec.loader.get_code(name)  # type: ignore[union-attr]
    exec(code, vars(module), Body(vars(module), values))  # type: ignore[arg-type]  # items are all that it uses
    return module


def measured_at(study: Study, claim: str, values: Mapping[str, Any], seed: int, effort: float = 1.0) -> Finding:
    """Measure one claim of a study at other sizes; with none it is what the ledger has.

    Raise ValueError if the study cannot be carried out at them.
    """
    randomness = Simulation(seed).spawn("study", study.id)
    try:
        module = module_at(study.module, values)
        (measuring,) = (
            candidate for candidate in vars(module).values() if isinstance(candidate, Claim) and candidate.id == claim
        )
        return measuring(Run(randomness, effort))
    except (ValueError, ArithmeticError, LookupError, AssertionError) as error:
        if not values:
            raise
        raise ValueError(f"{claim} cannot be measured at these sizes: {error or type(error).__name__}") from error
