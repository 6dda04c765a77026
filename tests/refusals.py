"""Which arguments out of range the functions of bounds, of privacy and the like refuse.

Each function is called with the values of SANE, of which one is replaced by one of BAD.  ``tests/unit/refusals.json``
holds what it refused with ValueError when it was written: what is checked stays checked.  A function that checks
nothing, as inner ones do, has no entry.  ``python tests/refusals.py`` writes the file anew.
"""

import inspect
import json
import math
import pkgutil
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "unit" / "refusals.json"
ROOMS = ("bounds", "perturbation", "privacy", "semisupervised")
SANE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("alpha", "beta", "gap", "noise", "rho"), (0.1,)),
    **dict.fromkeys(("d", "vc", "vc_dimension", "bits", "t", "k", "size", "levels"), (2,)),
    **dict.fromkeys(("m", "n", "n_public", "n_private", "n_labelled", "n_unlabelled", "domain", "points"), (100,)),
    **{"p": (2, 0.5), "epsilon": (1.0,), "delta": (1e-6,), "gamma": (0.5,), "eta": (1.0,), "q": (8,)},
    **{
        "log_cover": (3.0,),
        "log_size": (3.0,),
        "sigma": (2.0,),
        "sensitivity": (1.0,),
        "buckets": (16,),
        "mechanism": ("exponential",),
        "loss": (1.0,),
    },
}
"""Arguments by name; of several values the first with which the function does not refuse is taken."""
BAD = {"0": 0, "1": 1.0, "-1": -1, "1.5": 1.5, "nan": math.nan}
SECONDS = 0.3
"""CPU time after which a function that is given nonsense is left alone while the file is written."""


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions of the rooms whose needed arguments have sane values, by name."""
    for name, function in (one for room in ROOMS for one in public(room)):
        if all(one in SANE for one in _needed(function)):
            yield name, function


def public(room: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions of a room, by name."""
    for info in _modules(f"semipriv.{room}"):
        if not info.ispkg and not info.name.rpartition(".")[2].startswith("_"):
            for name, function in [*vars(import_module(info.name)).items()]:
                if inspect.isfunction(function) and function.__module__ == info.name and not name.startswith("_"):
                    yield f"{info.name.removeprefix('semipriv.')}.{name}", function


def _modules(package: str) -> Iterator[pkgutil.ModuleInfo]:
    return pkgutil.walk_packages(import_module(package).__path__, f"{package}.")


def _needed(function: Callable[..., Any]) -> list[str]:
    return [one.name for one in inspect.signature(function).parameters.values() if one.default is one.empty]


def sane(function: Callable[..., Any]) -> dict[str, Any] | None:
    """Return arguments that the function does not refuse, of those it needs; None if it refuses all."""
    for place in range(2):
        given = {name: SANE[name][min(place, len(SANE[name]) - 1)] for name in _needed(function)}
        if not refuses(function, given):
            return given
    return None


def refuses(function: Callable[..., Any], given: dict[str, Any]) -> bool:
    """Tell whether ValueError is raised."""
    try:
        function(**given)
    except ValueError:
        return True
    except ArithmeticError:
        return False
    return False


class _Late(Exception):  # noqa: N818
    """The time is over."""


def _stop(*_: Any) -> None:
    raise _Late


def _found(function: Callable[..., Any]) -> dict[str, list[str]]:
    given = sane(function)
    refused: dict[str, list[str]] = {}
    for name in given or ():
        for told, bad in BAD.items():
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            try:
                if refuses(function, (given or {}) | {name: bad}):
                    refused.setdefault(name, []).append(told)
            except (_Late, TypeError):
                continue
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return refused


def main() -> None:
    """Write the file."""
    signal.signal(signal.SIGVTALRM, _stop)
    known = {name: _found(function) for name, function in functions()}
    FILE.write_text(json.dumps({name: found for name, found in known.items() if found}, indent=0) + "\n")


if __name__ == "__main__":
    main()
