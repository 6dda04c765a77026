"""Holds plug-in files to the properties of their rooms, and tells property by property what was found.

The properties are the tests beside this module.  Of them run those that are about the plug-in: one of their parameters
is its name, or a value that needs its module.
"""

import inspect
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from semipriv.audit.properties._cases import PROPERTIES, Plugin, Property
from semipriv.core import overlay, registry, rooms
from semipriv.core.extras import extra

NO_EXAMPLES = (
    "examples() is missing or returns nothing: no property that needs an example is checked, which is nearly all"
)
NOT_LISTED = (
    "it has no `output_distribution` (FiniteOutput), so its privacy is not enumerated: only that neighbours look alike "
    "beside its mechanisms, whose scores move by their sensitivity"
)
REST = {
    "learners": "its error: bounds are held to be smaller for more examples, not to be true",
    "distributions/marginals": "population errors in closed form under it",
    "distributions/labelings": "`errors` and `best_error` in closed form",
    "distributions/responses": "a hand-made restatement of its distribution",
    "distributions/statuses": "a hand-made restatement of its definition",
}
"""By room: what no property says of plug-ins from outside, beside examples() that do not show it."""
_FOLDER = Path(__file__).parent
_TESTS_FAILED = (0, 1)
"""Exit codes of pytest if tests ran."""


@contextmanager
def plugin_at(path: str | Path, room: str | None) -> Iterator[Plugin]:
    """Lay the folder of a plug-in file, and yield the plug-in.

    room: by default that of the folder in which the file is, or else that of the base class of its type.  Raise
    ValueError if the file is missing, is no plug-in, or its room has no properties.
    """
    file = Path(path).absolute()
    if file.suffix != ".py" or not file.is_file():
        raise ValueError(f"{path}: is no Python file")
    place = file.parent.as_posix()
    above = next((known_room for known_room in rooms.outside() if place.endswith(f"/{known_room}")), None)
    with ExitStack() as stack:
        if above is None or room not in (None, above):
            room = room or _room_of(file)
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            (folder / room).mkdir(parents=True)
            file = Path(shutil.copy2(file, folder / room))
        else:
            room, folder = above, file.parents[len(Path(above).parts)]
            if folder.parent.name == overlay.PAPERS and (folder / "__init__.py").is_file():
                folder = folder.parents[1]
        if room not in PROPERTIES:
            raise ValueError(f"{path}: the room {room!r} has no properties (those with some: {', '.join(PROPERTIES)})")
        if folder not in overlay.PACKAGES.values():
            stack.enter_context(overlay.laid(folder))
        yield Plugin(file, room, _type(room, file, path))


def _type(room: str, file: Path, path: str | Path) -> Any:
    """Return the type of a plug-in; raise ValueError with the path that was given, not that of a copy."""
    try:
        return registry.load(room, file.stem)
    except ValueError as error:
        raise ValueError(str(error).replace(str(file), str(path))) from error


def _room_of(file: Path) -> str:
    """Return the room of the base class of a file's type; raise ValueError if there is none."""
    spec = spec_from_file_location("_plugin_to_check", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # no file that is imported ends the program
        raise ValueError(f"{file}: cannot be imported ({type(error).__name__}: {error})") from error
    kind = getattr(module, str(next(iter(getattr(module, "__all__", ())), "")), None)
    for base in inspect.getmro(kind) if inspect.isclass(kind) else ():
        for room in rooms.outside():
            if base.__module__.endswith(".base") and overlay.room_of(base.__module__) == room:
                return room
    raise ValueError(
        f"{file}: its room is not known: put it in a folder named as its room, or give --room "
        f"(allowed: {', '.join(PROPERTIES)}); its type must be in __all__"
    )


def check(plugins: Sequence[Plugin], say: Callable[[str], None], only: Sequence[str] = ()) -> list[Property]:
    """Check the properties of plug-ins, tell of each property when it is checked, and return them all.

    only: words, one of which the name of a property must have; without any, all properties are checked.

    Raise ValueError if pytest is not installed, or if the properties cannot be run.
    """
    with extra("check", "property tests"):
        import pytest

        from semipriv.audit.properties._watcher import Watcher

    begun: set[Path] = set()

    def tell(held: Property) -> None:
        if held.plugin.path not in begun:
            say(f"{held.plugin.path}: {held.plugin.kind.__name__}, of the room {held.plugin.room}")
        begun.add(held.plugin.path)
        for line in described(held):
            say(line)

    say(f"collecting the properties of {', '.join(dict.fromkeys(plugin.room for plugin in plugins))}")
    watcher = Watcher(plugins, tell, only)
    files = dict.fromkeys(f"{_FOLDER / module}.py" for plugin in plugins for module in PROPERTIES[plugin.room])
    arguments = [*files, "-c", str(_FOLDER / "check.ini"), "--rootdir", str(_FOLDER), "-p", "no:cacheprovider"]
    before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # others' settings of pytest are not those of the properties
    try:
        code = int(pytest.main(arguments, plugins=[watcher]))
    finally:
        if before is None:
            del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
    if watcher.broken or code not in _TESTS_FAILED:
        raise ValueError(f"the properties cannot be checked: {watcher.broken or f'pytest ended with {code}'}")
    return list(watcher.properties.values())


MOST_LINES = 12
"""Lines of a counterexample that are shown."""


def described(held: Property) -> Iterator[str]:
    """Yield the lines on a property: passed or broken, and for a broken one what it says and a counterexample."""
    cases = f"{held.cases} case{'s' * (held.cases != 1)}"
    if not held.failed:
        yield f"  ok      {held.name} ({cases})"
        return
    yield f"  BROKEN  {held.name} ({held.failed} of {cases})"
    if held.says:
        yield f"          the property: {held.says}"
    case, text = min(held.failures.items(), key=lambda failure: len(failure[1]))
    if case:
        yield f"          for {case}:"
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    yield from (f"            {line}" for line in lines[:MOST_LINES])


def unchecked(plugin: Plugin) -> list[str]:
    """Return what is not checked of a plug-in, a line each."""
    if not has_examples(plugin.kind):
        return [NO_EXAMPLES]
    lines = [REST[plugin.room]] if plugin.room in REST else []
    if plugin.room == "learners" and not hasattr(plugin.kind, "output_distribution"):
        lines.append(NOT_LISTED)
    return lines


def has_examples(kind: Any) -> bool:
    """Return whether a type names values on which properties are checked."""
    make = getattr(kind, "examples", None)
    return make is not None and bool(make())
