"""Where plug-ins are: in the rooms of the package, in its papers, and in plug-in folders from outside.

Three places hold files of a room (``semipriv.core.rooms``):

- the folder of the room in its package;
- a folder of that name in a paper: ``papers/abm19/learners/sspp.py`` is the learner ``sspp``;
- a plug-in folder, which has rooms and papers of its own below it: ``mine/learners/my_learner.py`` is imported as
  ``semipriv.learners.my_learner``, ``mine/papers/new26/learners/other.py`` as ``semipriv.papers.new26.learners.other``,
  and files of rooms of the laboratory as modules of its package.

Plug-in folders come from the environment variable ``SEMIPRIV_PLUGINS``, which ``lay`` writes and every job inherits,
and from the entry points of installed distributions in the group ``semipriv.plugins``.
"""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from stat import S_ISDIR
from threading import Event
from types import MappingProxyType
from typing import Any

from semipriv.core import rooms
from semipriv.core.rooms import Room

PACKAGE = Path(__file__).parents[1]
PACKAGES = {rooms.LIBRARY: PACKAGE}
"""Packages that hold rooms, each with its folder: the library, and those that ``declare`` adds."""
VARIABLE = "SEMIPRIV_PLUGINS"
"""Environment variable: plug-in folders, separated as those of PATH are."""
GROUP = "semipriv.plugins"
"""Group of entry points; the value of each is a module or a package whose folder is the plug-in folder."""
PAPERS = "papers"
"""The folder whose folders are papers, in the package and in plug-in folders."""
EXPERIMENTS = "experiments"
"""The room of a plug-in folder that holds experiments, one YAML file each."""

_HELD = Event()
"""Set once the folders of this process are taken to change no more."""


def hold() -> None:
    """List each folder once from now on: this process does not see files that are added later.

    Other processes look at the times of all folders at each access, which makes a million looks of the plan of a run.
    """
    _once.cache_clear()
    _HELD.set()


@contextmanager
def held() -> Iterator[None]:
    """List each folder once while it lasts, as ``hold`` does: a job of many trials builds a learner for each."""
    if _HELD.is_set():
        yield
        return
    hold()
    try:
        yield
    finally:
        _HELD.clear()


def declare(package: str, folder: Path, held: Iterable[Room]) -> None:
    """Add a package that stands beside the library and holds rooms and parts of papers, with its rooms."""
    PACKAGES[package] = folder
    rooms.add(held)


def owner(room: str) -> str:
    """Return the package that has a room, or a folder of a paper such as ``papers/abm19/studies``."""
    if not room.startswith(f"{PAPERS}/"):
        return rooms.package(room.partition("/")[0])
    _, _, *below = room.split("/")
    return rooms.package(below[0] if below else "")


def is_ours(module: str) -> bool:
    """Return whether a dotted name is that of a module in one of the packages."""
    package, _, inside = module.partition(".")
    return bool(inside) and package in PACKAGES


def is_inside(file: Path) -> bool:
    """Return whether a file is in one of the packages, and not in a plug-in folder."""
    return any(map(file.is_relative_to, PACKAGES.values()))


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
        papers()
        for room in rooms.outside():
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
    return _folders(os.environ.get(VARIABLE, ""), tuple(PACKAGES))


@lru_cache(maxsize=1)  # of the last call alone: another value searches other folders
def _folders(given: str, packages: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the plug-in folders, and let Python find modules of the packages in them."""
    listed = [Path(folder) for folder in given.split(os.pathsep) if folder]
    places = tuple(dict.fromkeys([*listed, *_installed()]))
    for folder in places:
        if not folder.is_dir():
            raise ValueError(f"{folder}: is not a folder")
    if places or given:
        for room in rooms.every():
            if room.outside:
                _search(room.package, room.folder, [folder / room.name for folder in places])
        for package in packages:
            _search(package, PAPERS, [folder / PAPERS for folder in places])
    invalidate_caches()
    return places


def _search(package: str, inside: str, others: Iterable[Path]) -> None:
    """Let Python find the modules of a folder of a package there, and in other folders."""
    module: Any = import_module(f"{package}.{inside.replace('/', '.')}")
    module.__path__[:] = map(str, [PACKAGES[package] / inside, *others])


def _check(folder: Path) -> None:
    """Raise ValueError unless a plug-in folder is there and has a room."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: is not a folder")
    allowed = (*rooms.outside(), PAPERS, EXPERIMENTS)
    if not any((folder / room).is_dir() for room in allowed):
        alone = "; rooms of the laboratory need semipriv_lab, in a checkout of semipriv" if len(PACKAGES) == 1 else ""
        raise ValueError(f"{folder}: is not a plug-in folder, it has none of the folders {', '.join(allowed)}{alone}")


@cache
def _installed() -> tuple[Path, ...]:
    """Return the plug-in folders of installed distributions; a look at their files first, a millisecond in all."""
    if not any(map(_declares, sys.path)):
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415  (20 ms, for environments that have plug-ins)
    from importlib.util import find_spec  # noqa: PLC0415

    places = []
    for entry in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            spec = find_spec(entry.module)
        except ImportError:
            spec = None
        if spec is None or (spec.origin is None and not spec.submodule_search_locations):
            raise ValueError(f"entry point {entry.name!r} of {GROUP}: there is no module {entry.module!r}")
        inside = list(spec.submodule_search_locations or ())
        places.append(Path(inside[0]) if inside else Path(str(spec.origin)).parent)
    return tuple(places)


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


def papers() -> Mapping[str, Path]:
    """Return the folders of all papers by name, those of the package first.

    Raise ValueError for a paper that is there twice, naming both folders, and for a half that has no title.
    """
    places = _inside((PACKAGE, *folders()), PAPERS)
    by_name = _papers(*_dated(places))
    _check_halves(frozenset(by_name), *_dated((*places, *_halves())))
    return by_name


def _halves() -> tuple[Path, ...]:
    """Return the folders with the halves of papers that other packages have."""
    return tuple(folder / PAPERS for folder in PACKAGES.values() if folder != PACKAGE)


@lru_cache(maxsize=16)
def _check_halves(known: frozenset[str], places: tuple[Path, ...], changed: tuple[int, ...]) -> None:
    """Raise ValueError for the folder of a paper whose ``__init__.py``, which has its title, is missing."""
    for place in places:
        for folder in sorted(place.glob("*/")):
            if folder.name not in known and any(folder.rglob("*.py")):
                title = (PACKAGE / PAPERS if place in _halves() else place) / folder.name / "__init__.py"
                raise ValueError(f"{folder}: is half of a paper, {title} with its title is missing")


def parts(paper: str | None = None) -> tuple[Path, ...]:
    """Return the folders of a paper, or of all papers: that of ``papers`` first, then those of other packages."""
    named = tuple((name, folder) for name, folder in papers().items() if paper in (None, name))
    return _parts(named, *_dated(_halves()))


@lru_cache(maxsize=256)
def _parts(named: tuple[tuple[str, Path], ...], places: tuple[Path, ...], changed: tuple[int, ...]) -> tuple[Path, ...]:
    """Return the folders of papers, listed once until a folder changes."""
    every = [place for name, first in named for place in (first, *(other / name for other in places))]
    return tuple(place for place in every if place.is_dir())


@lru_cache(maxsize=16)
def _papers(places: tuple[Path, ...], changed: tuple[int, ...]) -> Mapping[str, Path]:
    """Return the folders of papers, listed once until a folder changes."""
    by_name: dict[str, Path] = {}
    for place in places:
        for path in sorted(place.glob("*/__init__.py")):
            paper = path.parent
            if paper.name in by_name:
                raise ValueError(f"{paper}: a paper of this name already exists, {by_name[paper.name]}")
            by_name[paper.name] = paper
    return MappingProxyType(by_name)


def _dated(places: Iterable[Path]) -> tuple[tuple[Path, ...], tuple[int, ...]]:
    """Return folders, each with the time of its last change, 0 for one that is missing."""
    listed = tuple(places)
    return listed, tuple(map(_changed, listed))


def _changed(place: Path) -> int:
    """Return the time of the last change of a folder, 0 if there is none."""
    try:
        state = os.stat(place)
    except OSError:
        return 0
    return state.st_mtime_ns if S_ISDIR(state.st_mode) else 0


@lru_cache(maxsize=256)
def _inside(roots: tuple[Path, ...], room: str) -> tuple[Path, ...]:
    """Return the folders of a room; the same values each time, as what is looked up by them is found faster."""
    return tuple(root / room for root in roots)


def files(room: str) -> Mapping[str, Path]:
    """Return the files of the plug-ins of a room by name, sorted.

    room: a room, or a folder of a paper such as ``papers/abm19/figures``.  Raise ValueError for a file that is
    there twice, naming both.
    """
    return _once(room, folders(), tuple(PACKAGES)) if _HELD.is_set() else _listed(room)


@cache
def _once(room: str, outside: tuple[Path, ...], packages: tuple[str, ...]) -> Mapping[str, Path]:
    """Return the files of a room as they were at the first look; they depend on plug-in folders and packages."""
    return _listed(room)


def _listed(room: str) -> Mapping[str, Path]:
    """Return the files of a room as they are now."""
    if room.startswith(f"{PAPERS}/"):
        _, paper, rest = room.split("/", 2)
        return _files(*_dated([folder / rest for folder in parts(paper)]))
    outside = folders() if room in rooms.outside() else ()
    inside = _inside((*parts(), *outside), room)
    return _files(*_dated((*_inside(tuple(PACKAGES.values()), rooms.folder(room)), *inside)))


@lru_cache(maxsize=256)
def _files(places: tuple[Path, ...], changed: tuple[int, ...]) -> Mapping[str, Path]:
    """Return the files of plug-ins, listed once until a folder changes."""
    by_name: dict[str, Path] = {}
    for place in places:
        for path in sorted(place.glob("*.py")):
            if path.stem in by_name and path.stem != "__init__":
                raise ValueError(f"{path}: a file of this name already exists, {by_name[path.stem]}")
            by_name[path.stem] = path
    plugins = {name: by_name[name] for name in sorted(by_name) if not name.startswith("_") and name != "base"}
    return MappingProxyType(plugins)


def module_of(file: Path) -> str:
    """Return the dotted name of the module that a file of the package, or of a plug-in folder, is imported as.

    Raise ValueError for a file that is in neither.
    """
    for package, root in PACKAGES.items():
        if file.is_relative_to(root):
            return ".".join([package, *file.relative_to(root).with_suffix("").parts])
    for root in folders():
        if file.is_relative_to(root):
            inside = file.relative_to(root).with_suffix("")
            room = inside.parent.as_posix()
            return ".".join([owner(room), *rooms.folder(room).split("/"), inside.name])
    raise ValueError(f"{file}: is neither in the package nor in a plug-in folder")


def room_of(module: str) -> str:
    """Return the room of a module by its dotted name: ``learners`` for ``semipriv.papers.abm19.learners.sspp``."""
    _, *parts, _ = module.split(".") if "." in module else ("", "")
    if parts[:1] == [PAPERS]:
        return "/".join(parts[2:])
    return rooms.at("/".join(parts))


def source(module: str) -> Path | None:
    """Return the file of a module of a plug-in folder, by its dotted name; None if it is in none of them."""
    _, *parts = module.split(".")
    if parts[:1] == [PAPERS]:
        paths = [folder.joinpath(*parts) for folder in folders()]
        files = [file for path in paths for file in (path.with_suffix(".py"), path / "__init__.py")]
    elif (room := room_of(module)) in rooms.outside():
        files = [folder / room / f"{parts[-1]}.py" for folder in folders()]
    else:
        return None
    return next((file for file in files if file.is_file()), None)


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
        fault = "is missing" if listed is None else f"= {listed!r}"
        raise ValueError(f"{path}: __all__ {fault}: must list the one type that the file is for")
    return getattr(plugin, listed[0])


_IMPORTED: dict[str, str] = {}
"""SHA-256 of the files of plug-in folders when they were imported, by module."""


def _imported(module: str) -> Any:
    """Import a module, and note the digests of all files of plug-in folders that this imports."""
    before = set(sys.modules)
    plugin = import_module(module)
    for path, name in ((source(name), name) for name in sys.modules.keys() - before if is_ours(name)):
        if path is not None:
            _IMPORTED[name] = _digest(path)
    return plugin


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(modules: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of the files of those modules that come from plug-in folders, by path below their folder.

    Raise ValueError for a file that is not what was imported.
    """
    digest_of = {}
    for name, path in outside(modules).items():
        digest_of[name] = _digest(path)
        if digest_of[name] != _IMPORTED.get(module_of(path), digest_of[name]):
            raise ValueError(f"{path}: was changed after it was imported: start again")
    return digest_of


def outside(modules: Iterable[str]) -> dict[str, Path]:
    """Return the files of those modules that come from plug-in folders, by path below their folder."""
    paths = filter(None, map(source, sorted(modules))) if folders() else ()
    return {inside(path): path for path in paths}


def module_below(name: str) -> str:
    """Return the dotted name of a module by the path of its file below a plug-in folder; ``inside`` gives that path.

    Raise ValueError if no plug-in folder has the file.
    """
    for folder in folders():
        if (folder / name).is_file():
            return module_of(folder / name)
    raise ValueError(f"{name}: is not in a plug-in folder")


def inside(file: Path) -> str:
    """Return the path of a file below its plug-in folder; raise ValueError if it is in none of them."""
    for folder in folders():
        if file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    raise ValueError(f"{file}: is not in a plug-in folder")


def experiments(folder: Path) -> dict[str, Path]:
    """Return the files of experiments by name: those of a folder, and those of plug-in folders.

    Raise ValueError for a name that is there twice, naming both files.
    """
    by_name: dict[str, Path] = {}
    for place in (folder, *(plugin_folder / EXPERIMENTS for plugin_folder in folders())):
        for path in sorted(place.glob("*.yaml")):
            if path.stem in by_name:
                raise ValueError(f"{path}: an experiment of this name already exists, {by_name[path.stem]}")
            by_name[path.stem] = path
    return dict(sorted(by_name.items()))
