"""Plug-in folders: files from outside the package, laid over its rooms.

A plug-in folder has rooms below it that are named as in the package: ``mine/learners/my_learner.py`` is found as
``src/semipriv/learners/my_learner.py`` would be, and is imported as ``semipriv.learners.my_learner``.  Folders come
from the environment variable ``SEMIPRIV_PLUGINS``, which ``lay`` writes and every job inherits, and from the entry
points of installed distributions in the group ``semipriv.plugins``.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import MappingProxyType
from typing import Any

PACKAGE = Path(__file__).parent
VARIABLE = "SEMIPRIV_PLUGINS"
"""Environment variable: plug-in folders, separated as those of PATH are."""
GROUP = "semipriv.plugins"
"""Group of entry points; the value of each is a module or a package whose folder is the plug-in folder."""
ROOMS = {
    "classes": "class",
    "learners": "learner",
    "mechanisms/selection": "mechanism",
    "mechanisms/noise": "noise",
    "distributions/marginals": "marginal",
    "distributions/labelings": "labeling",
    "distributions/shifts": "shift",
    "distributions/statuses": "law of privacy",
    "queries/methods": "method of query release",
    "queries/sanitizers": "sanitizer",
    "oracles": "oracle",
    "measures": "measure",
    "regressors": "class of functions",
    "distributions/responses": "law of responses",
    "figures/plots": "figure",
}
"""Rooms that a plug-in folder may have, each with the word for one plug-in of it."""
EXPERIMENTS = "experiments"
"""The room of a plug-in folder that holds experiments, one YAML file each."""


def lay(folders: Iterable[str | Path]) -> None:
    """Add plug-in folders, for this process and all that it starts.

    Raise ValueError for a folder that is missing or has no room, and for a file that is there twice, naming both.
    """
    before = os.environ.get(VARIABLE)
    added = [str(Path(folder).absolute()) for folder in folders]
    if not added:
        return
    for folder in added:
        if os.pathsep in folder:
            raise ValueError(f"{folder}: the path of a plug-in folder must not contain {os.pathsep!r}")
        _check(Path(folder))
    os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*filter(None, (before or "").split(os.pathsep)), *added]))
    try:
        for room in ROOMS:
            files(room)
    except ValueError:
        _put(before)
        raise


@contextmanager
def laid(folder: str | Path) -> Iterator[None]:
    """Add a plug-in folder while it lasts."""
    before = os.environ.get(VARIABLE)
    lay([folder])
    try:
        yield
    finally:
        _put(before)


def _put(value: str | None) -> None:
    """Set the environment variable, or remove it."""
    os.environ.pop(VARIABLE, None)
    os.environ.update({} if value is None else {VARIABLE: value})


def folders() -> tuple[Path, ...]:
    """Return the plug-in folders, those of ``lay`` first."""
    return _folders(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=1)  # of the last call alone: another value searches other folders
def _folders(given: str) -> tuple[Path, ...]:
    listed = [Path(folder) for folder in given.split(os.pathsep) if folder]
    found = tuple(dict.fromkeys([*listed, *_installed()]))
    for folder in found:
        _check(folder)
    for room in ROOMS if found or given else ():
        package: Any = import_module(f"semipriv.{room.replace('/', '.')}")
        package.__path__[:] = [str(folder / room) for folder in (PACKAGE, *found)]
    invalidate_caches()
    return found


def _check(folder: Path) -> None:
    """Raise ValueError unless a plug-in folder is there and has a room."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: is no folder, so no plug-in folder")
    if not any((folder / room).is_dir() for room in (*ROOMS, EXPERIMENTS)):
        raise ValueError(
            f"{folder}: is no plug-in folder, it has none of the folders {', '.join((*ROOMS, EXPERIMENTS))}"
        )


@cache
def _installed() -> tuple[Path, ...]:
    """Return the plug-in folders of installed distributions; a look at their files first, a millisecond in all."""
    if not any(map(_declares, sys.path)):
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415  (20 ms, for environments that have plug-ins)
    from importlib.util import find_spec  # noqa: PLC0415

    found = []
    for entry in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        try:
            spec = find_spec(entry.module)
        except ImportError:
            spec = None
        if spec is None or (spec.origin is None and not spec.submodule_search_locations):
            raise ValueError(f"entry point {entry.name!r} of {GROUP}: there is no module {entry.module!r}")
        inside = list(spec.submodule_search_locations or ())
        found.append(Path(inside[0]) if inside else Path(str(spec.origin)).parent)
    return tuple(found)


def _declares(place: str) -> bool:
    """Return whether a distribution that is installed in a folder declares plug-ins."""
    try:
        names = os.listdir(place or ".")
    except OSError:
        return False
    for name in names:
        if name.endswith((".dist-info", ".egg-info")):
            try:
                text = Path(place, name, "entry_points.txt").read_bytes()
            except OSError:
                continue
            if GROUP.encode() in text:
                return True
    return False


def files(room: str) -> Mapping[str, Path]:
    """Return the files of the plug-ins of a room by name, sorted; of a room outside ``ROOMS`` those of the package.

    Raise ValueError for a file that is there twice, naming both.
    """
    places = tuple(folder / room for folder in (PACKAGE, *(folders() if room in ROOMS else ())))
    return _files(places, tuple(place.stat().st_mtime_ns if place.is_dir() else 0 for place in places))


@lru_cache(maxsize=256)
def _files(places: tuple[Path, ...], changed: tuple[int, ...]) -> Mapping[str, Path]:
    """Return the files of plug-ins, listed once until a folder changes."""
    found: dict[str, Path] = {}
    for place in places:
        for path in sorted(place.glob("*.py")):
            if path.stem in found and path.stem != "__init__":
                raise ValueError(f"{path}: there is a file of this name already, {found[path.stem]}")
            found[path.stem] = path
    own = {name: found[name] for name in sorted(found) if not name.startswith("_") and name != "base"}
    return MappingProxyType(own)


def source(module: str) -> Path | None:
    """Return the file of a module of a plug-in folder, by its dotted name; None if it is in none of them."""
    _, *parts = module.split(".")
    paths = (folder.joinpath(*parts).with_suffix(".py") for folder in folders())
    return next((path for path in paths if path.is_file()), None) if "/".join(parts[:-1]) in ROOMS else None


def loaded(module: str, path: Path) -> Any:
    """Import a file of a plug-in folder and return its type, or its function.

    Raise ValueError, naming the file, if it cannot be imported, or if its ``__all__`` does not list exactly one.
    """
    known = sys.modules.get(module)
    if known is not None and getattr(known, "__file__", None) != str(path):
        del sys.modules[module]
    try:
        plugin = sys.modules[module] if module in sys.modules else _imported(module)
    except (Exception, SystemExit) as error:  # no file that is imported ends the program
        raise ValueError(f"{path}: cannot be imported ({type(error).__name__}: {error})") from error
    listed = getattr(plugin, "__all__", None)
    if not isinstance(listed, list | tuple) or len(listed) != 1 or not callable(getattr(plugin, str(listed[0]), None)):
        told = "is missing" if listed is None else f"= {listed!r}"
        raise ValueError(f"{path}: __all__ {told}: must list the one type that the file is for")
    return getattr(plugin, listed[0])


_IMPORTED: dict[str, str] = {}
"""SHA-256 of the files of plug-in folders when they were imported, by module."""


def _imported(module: str) -> Any:
    """Import a module, and note the digests of all files of plug-in folders that this imports."""
    before = set(sys.modules)
    plugin = import_module(module)
    for path, name in ((source(name), name) for name in sys.modules.keys() - before if name.startswith("semipriv.")):
        if path is not None:
            _IMPORTED[name] = _digest(path)
    return plugin


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(modules: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of the files of those modules that come from plug-in folders, by room and name.

    Raise ValueError for a file that is not what was imported.
    """
    found = {}
    for name, path in outside(modules).items():
        found[name] = _digest(path)
        if found[name] != _IMPORTED.get("semipriv." + name.removesuffix(".py").replace("/", "."), found[name]):
            raise ValueError(f"{path}: was changed after it was imported: start again")
    return found


def outside(modules: Iterable[str]) -> dict[str, Path]:
    """Return the files of those modules that come from plug-in folders, by room and name."""
    found = {name: source(name) for name in sorted(modules)} if folders() else {}
    return {"/".join(name.split(".")[1:]) + ".py": path for name, path in found.items() if path is not None}


def experiments(folder: Path) -> dict[str, Path]:
    """Return the files of experiments by name: those of a folder, and those of plug-in folders.

    Raise ValueError for a name that is there twice, naming both files.
    """
    found: dict[str, Path] = {}
    for place in (folder, *(one / EXPERIMENTS for one in folders())):
        for path in sorted(place.glob("*.yaml")):
            if path.stem in found:
                raise ValueError(f"{path}: there is an experiment of this name already, {found[path.stem]}")
            found[path.stem] = path
    return dict(sorted(found.items()))
