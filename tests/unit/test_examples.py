"""Examples of plug-ins, on which properties are checked: no two are the same."""

import pytest

from semipriv.core import registry, rooms

FOUND = [
    pytest.param(room, name, id=f"{room}-{name}")
    for room in (room.name for room in rooms.every() if room.package == rooms.LIBRARY and room.outside)
    for name in registry.names(room)
    if hasattr(registry.load(room, name), "examples")
]


@pytest.mark.parametrize(("room", "name"), FOUND)
def test_no_example_is_there_twice(room: str, name: str) -> None:
    shown = [repr(example) for example in registry.load(room, name).examples() or ()]
    assert len(set(shown)) == len(shown), (
        f"{room}/{name}: properties would be checked on the same value twice, instead of on another"
    )
