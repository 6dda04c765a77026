"""Plug-ins are found by file name; a wrong name or parameter is answered with the nearest and all allowed ones."""

import inspect
import re
import sys
from pathlib import Path

import pytest

import semipriv
from semipriv.core import registry, rooms

SOURCE = Path(semipriv.__file__).parent
LIBRARY = [room for room in rooms.every() if room.package == rooms.LIBRARY]
ASKED = re.compile(
    r"\b(?:registry\.(?:names|module|load|build|completed|required|specification)|named|plug_in)\(\s*\"([a-z]+(?:/[a-z]+)?)\""
)
"""A call that names a room."""


@pytest.mark.parametrize("room", LIBRARY, ids=lambda room: room.name)
def test_names_are_the_files(room):
    folders = [SOURCE / room.folder, *SOURCE.glob(f"papers/*/{room.name}")]
    files = [path.stem for folder in folders for path in folder.glob("*.py")]
    assert registry.names(room.name) == sorted(f for f in files if f != "base" and not f.startswith("_"))
    assert registry.names(room.name)


def test_no_code_asks_for_a_room_that_is_not_declared():
    """Its plug-ins would be none, without an error."""
    asked = {room for path in SOURCE.rglob("*.py") for room in ASKED.findall(path.read_text())}
    assert {"classes", "learners", "mechanisms/selection", "queries/sanitizers"} < asked
    assert asked - {"cli"} <= {room.name for room in LIBRARY}


@pytest.mark.parametrize(
    ("room", "name"), [(room.name, name) for room in LIBRARY if room.outside for name in registry.names(room.name)]
)
def test_every_plugin_offers_one_documented_type_named_after_its_file(room, name):
    plugin = registry.load(room, name)
    assert plugin.__module__ == registry.module(room, name)
    assert name.replace("_", "") in plugin.__name__.lower()
    assert sys.modules[plugin.__module__].__all__ == [plugin.__name__]
    assert not inspect.isabstract(plugin)
    made_by_dataclass = plugin.__name__ + str(inspect.signature(plugin)).replace(" -> None", "")
    assert plugin.__doc__ not in (None, "", made_by_dataclass)


def test_build_gives_parameters():
    built = registry.build("classes", {"name": "decision_stumps", "dimension": 3, "signs": "positive"})
    assert (built.dimension, built.signs) == (3, "positive")
    marginal = registry.build("distributions/marginals", {"name": "normal", "dimension": 2, "sd": "1e-3"})
    assert (marginal.dimension, marginal.sd) == (2, 1e-3)


def test_the_nearest_names_come_first_and_all_are_listed():
    with pytest.raises(registry.UnknownNameError) as caught:
        registry.check_name("fruit", "aple", ["pear", "plum", "apple", "fig"])
    text = str(caught.value)
    assert "did you mean 'apple' or " in text
    assert "(allowed: pear, plum, apple, fig)" in text
    assert registry.check_name("fruit", "fig", ["pear", "fig"]) == "fig"
