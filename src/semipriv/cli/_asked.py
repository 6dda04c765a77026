"""What ``semipriv plan`` and ``semipriv compare`` ask alike: a class, a learner's parameters, a population."""

import argparse
import inspect
import json
import sys
from typing import Any

from semipriv.core import checks, registry, rooms
from semipriv.core.randomness import Simulation
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.population import default_population, read_population


def add_class(group: Any) -> None:
    """Add the options that name the class."""
    names = ", ".join(name for room in rooms.of("class") for name in registry.names(room))
    group.add_argument("--class", dest="name", required=True, help="hypothesis class: " + names)
    group.add_argument("--parameter", action="append", default=[], metavar="KEY=VALUE", help="parameter of the class")


def add_population(group: Any) -> None:
    """Add the options of the population and the seed."""
    group.add_argument(
        "--public",
        metavar="TABLE",
        help="PUBLIC table (a file, a folder, or an address as s3://...), its rows the population; never private rows",
    )
    group.add_argument("--features", metavar="A,B", help="columns of the table in order (default: all)")
    group.add_argument("--noise", help="probability that a label is replaced (default 0.1; 0 if realizable)")
    group.add_argument("--seed", default="0", help="seed of the simulation (default 0)")


def class_parameters(
    parser: argparse.ArgumentParser, options: argparse.Namespace, rest: list[str], room: str
) -> dict[str, Any]:
    """Return the parameters of the class: from --parameter KEY=VALUE and from options unknown to the parser."""
    settings, words = list(options.parameter), list(rest)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise ValueError(f"{word!r}: is not an option")
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if not equals and not words:
            raise ValueError(f"--{key}: needs a value")
        settings.append(f"{key}={value if equals else words.pop(0)}")
    known = list(inspect.signature(registry.load(room, options.name)).parameters)
    return keyed("parameter", settings, known + [action.option_strings[-1][2:] for action in parser._actions])


def keyed(option: str, given: list[str], known: list[str] | None = None) -> dict[str, Any]:
    """Return the values of KEY=VALUE entries; raise ValueError for other entries, repeated keys and unknown ones."""
    values: dict[str, Any] = {}
    for entry in given:
        key, equals, text = entry.partition("=")
        if not equals:
            raise ValueError(f"--{option} {entry}: must be KEY=VALUE")
        if known is not None:
            registry.check_name("option", key, known)
        if key in values:
            raise ValueError(f"--{key}: is given twice")
        values[key] = value(text)
    return values


def value(word: str) -> Any:
    """Return the number or list that a word is in JSON; other words as they are."""
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word


def scenario(
    options: argparse.Namespace,
    hypothesis_class: Any,
    atoms: int,
    mechanism: str = "exponential",
    person: list[str] | None = None,
) -> Scenario:
    """Return the scenario to simulate; atoms: of the default population; person: columns that name persons."""
    seed = checks.size("seed", options.seed, 0)
    if options.public is not None:
        features = None if options.features is None else options.features.split(",")
        population = read_population(hypothesis_class, options.public, features, person)
    elif options.features is not None:
        raise ValueError("--features: names columns of --public, which is not given")
    else:
        population = default_population(hypothesis_class, atoms, Simulation(seed).spawn("population"))
    noise = (0.0 if options.realizable else 0.1) if options.noise is None else checks.real("noise", options.noise)
    trials = None if options.trials is None else checks.size("trials", options.trials)
    return Scenario(population, mechanism, noise, trials, seed)


def progress(line: str) -> None:
    """Print a line on stderr."""
    print(line, file=sys.stderr, flush=True)
