"""Plug-ins are found by file name; a wrong name or parameter is answered with the nearest and all allowed ones."""

import inspect
import sys
from pathlib import Path

import pytest

import semipriv
from semipriv.core import registry

ROOMS = [
    "classes",
    "mechanisms/selection",
    "distributions/marginals",
    "distributions/labelings",
    "distributions/shifts",
]
PLUGINS = [(room, name) for room in ROOMS for name in registry.names(room)]


@pytest.mark.parametrize("room", ROOMS)
def test_names_are_the_files(room):
    folder = Path(semipriv.__file__).parent / room
    files = {p.name.removesuffix(".py") for p in folder.iterdir() if p.name.endswith(".py")}
    assert registry.names(room) == sorted(f for f in files if f != "base" and not f.startswith("_"))


@pytest.mark.parametrize(("room", "name"), PLUGINS)
def test_every_plugin_offers_one_documented_type_named_after_its_file(room, name):
    plugin = registry.load(room, name)
    assert plugin.__module__ == registry.module(room, name)
    assert plugin.__name__.startswith("".join(word.capitalize() for word in name.split("_")))
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
