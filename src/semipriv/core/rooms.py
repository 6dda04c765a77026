"""Rooms, each declared once: a room is a name, such as ``learners``, for plug-ins of one kind.

Papers and plug-in folders name a folder after its room.  The laboratory adds rooms of its own when it is imported.

>>> of("class")
('classes', 'classifiers', 'regressors')
>>> folder("oracles"), at("learners/oracles"), word("oracles")
('learners/oracles', 'oracles', 'oracle')
"""

from collections.abc import Iterable
from dataclasses import dataclass

LIBRARY = "semipriv"
"""The package whose rooms are declared here."""
LABELS, RESPONSES = "labels", "responses"
"""What functions give for a point: one of a few labels, or a number in [-1, 1]."""


@dataclass(frozen=True)
class Room:
    """What is known of a room.

    name: that of its folder in papers and in plug-in folders.  word: what messages call one plug-in.  inside: its
    folder in its package, where this has another name.  package: the package that has it.  key: the key by which
    configurations name a plug-in, dotted; empty if there is none.  gives: what its plug-ins give for a point, if they
    are functions or sets of functions; else empty.  face: whether its plug-ins are names of ``semipriv``.  outside:
    whether plug-in folders may have it.
    """

    name: str
    word: str
    inside: str = ""
    package: str = LIBRARY
    key: str = ""
    gives: str = ""
    face: bool = False
    outside: bool = True

    @property
    def folder(self) -> str:
        """Its folder in its package."""
        return self.inside or self.name


_ROOMS: dict[str, Room] = {}


def add(rooms: Iterable[Room]) -> None:
    """Declare rooms."""
    _ROOMS.update({room.name: room for room in rooms})


add(
    (
        Room("classes", "class", key="class", gives=LABELS, face=True),
        Room("classifiers", "class of many labels", "classes/classifiers", key="class", gives=LABELS, face=True),
        Room("regressors", "class of functions", "classes/regressors", key="class", gives=RESPONSES, face=True),
        Room("predictors", "set of functions", "classes/predictors", gives=LABELS, outside=False),
        Room("regions", "set of regions", gives=LABELS, outside=False),
        Room("distributions/marginals", "marginal", key="distribution.marginal"),
        Room("distributions/labelings", "labeling", key="distribution.labeling"),
        Room("distributions/responses", "distribution of responses", key="distribution.response"),
        Room("distributions/shifts", "shift", key="distribution.shift"),
        Room("distributions/statuses", "distribution of privacy statuses", key="distribution.privacy"),
        Room("designs", "design", "distributions/designs", outside=False),
        Room("learners", "learner", key="learners", face=True),
        Room("stages", "public stage", "learners/stages", outside=False),
        Room("outputs", "kind of output", "learners/outputs", outside=False),
        Room("oracles", "oracle", "learners/oracles"),
        Room("mechanisms/selection", "mechanism", face=True),
        Room("mechanisms/noise", "noise", face=True),
        Room("queries/methods", "method of query release", key="learners.method"),
        Room("queries/sanitizers", "sanitizer"),
    )
)


def every() -> tuple[Room, ...]:
    """Return all rooms that are declared."""
    return tuple(_ROOMS.values())


def of(key: str, gives: str | None = None) -> tuple[str, ...]:
    """Return the names of the rooms whose plug-ins a key of configurations names; gives: of those that give this."""
    return tuple(room.name for room in every() if room.key == key and gives in (None, room.gives))


def functions() -> tuple[str, ...]:
    """Return the names of the rooms of functions, and of sets of functions."""
    return tuple(room.name for room in every() if room.gives)


def outside() -> tuple[str, ...]:
    """Return the names of the rooms that plug-in folders may have."""
    return tuple(room.name for room in every() if room.outside)


def word(name: str) -> str:
    """Return what messages call a plug-in of a room; of a folder that is no room, its name."""
    return _ROOMS[name].word if name in _ROOMS else name


def folder(name: str) -> str:
    """Return the folder of a room in its package; of a folder that is no room, its name."""
    return _ROOMS[name].folder if name in _ROOMS else name


def at(folder: str) -> str:
    """Return the name of the room of a folder of a package; of a folder that is no room, its path."""
    return next((room.name for room in every() if room.folder == folder), folder)


def package(first: str) -> str:
    """Return the package that has a folder, and the rooms below it: the library, if no other has declared one."""
    return next((room.package for room in every() if room.name.partition("/")[0] == first), LIBRARY)
