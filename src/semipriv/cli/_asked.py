"""Options that ``semipriv plan`` and ``semipriv compare`` share: a class, a learner's parameters, a population."""

import argparse
import inspect
import json
import sys
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from typing import Any

from semipriv.core import checks, registry, rooms
from semipriv.core.randomness import Simulation
from semipriv.core.work import USUAL, Limits, Works, limits
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.population import default_population, read_population
from semipriv.practice.sources.objects import SCHEMES
from semipriv.practice.sources.source import Source
from semipriv.practice.sources.stored import Stored, schemes

LIMITS = ("minutes", "memory")
"""Options of ``add_limits``."""


def add_class(group: Any) -> None:
    """Add the options that name the class."""
    names = ", ".join(name for room in rooms.of("class") for name in registry.names(room))
    group.add_argument("--class", dest="name", required=True, help="hypothesis class: " + names)
    group.add_argument("--parameter", action="append", default=[], metavar="KEY=VALUE", help="parameter of the class")


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the options that limit the time and the memory of a piece of work."""
    group = parser.add_argument_group("limits of a piece of work, by an estimate of public numbers")
    group.add_argument("--minutes", help=f"of one core, above which it is refused (default {Limits.minutes:g})")
    group.add_argument("--memory", metavar="GIB", help=f"above which it is refused (default {Limits.memory:g} GiB)")


def limits_of(options: argparse.Namespace, otherwise: Limits = USUAL) -> Limits:
    """Return the limits that options give; all others are those of ``otherwise``."""
    given = {name: checks.positive(name, text) for name in LIMITS if (text := getattr(options, name)) is not None}
    return replace(otherwise, **given)


def limited(options: argparse.Namespace) -> AbstractContextManager[Works]:
    """Allow work as much as the options say, inside a ``with`` block."""
    return limits(**asdict(limits_of(options)))


def add_population(group: Any) -> None:
    """Add the options of the population and the seed."""
    group.add_argument(
        "--public",
        metavar="TABLE",
        help="PUBLIC table, its rows the population; never private rows.  A file, a folder, an address as s3://..., or "
        "that of a database, as duckdb://clinic.duckdb or postgresql://HOST/NAME, with --table or --query",
    )
    group.add_argument("--table", metavar="NAME", help="table or view of the database that --public names")
    group.add_argument("--schema", metavar="NAME", help="its schema, if it is not the usual one")
    group.add_argument("--query", metavar="SELECT", help="or one SELECT of columns and rows of one of its tables")
    group.add_argument("--features", metavar="A,B", help="columns of the table in order (default: all)")
    group.add_argument("--noise", help="probability that a label is replaced (default 0.1; 0 if realizable)")
    group.add_argument("--seed", default="0", help="seed of the simulation (default 0)")


def class_parameters(parser: argparse.ArgumentParser, options: argparse.Namespace, room: str) -> dict[str, Any]:
    """Return the parameters of the class: from --parameter KEY=VALUE and from options unknown to the parser."""
    settings, words = list(options.parameter), list(options.rest)
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
    if "table" in known and options.table is not None and not _in_database(options):
        settings.append(f"table={options.table}")  # a finite class is given by its table
        options.table = None
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
    check_place(options)
    if options.public is not None:
        features = None if options.features is None else options.features.split(",")
        population = read_population(hypothesis_class, _public(options), features, person)
    elif options.features is not None:
        raise ValueError("--features: names columns of --public, which is not given")
    else:
        population = default_population(hypothesis_class, atoms, Simulation(seed).spawn("population"))
    noise = (0.0 if options.realizable else 0.1) if options.noise is None else checks.real("noise", options.noise)
    trials = None if options.trials is None else checks.size("trials", options.trials)
    return Scenario(population, mechanism, noise, trials, seed)


def _in_database(options: argparse.Namespace) -> bool:
    """Return whether --public is the address of a database."""
    scheme, colon, _ = (options.public or "").partition("://")
    return bool(colon) and scheme in schemes()


def check_place(options: argparse.Namespace) -> None:
    """Raise ValueError unless --public is a readable place, with one table or query if it is a database."""
    scheme, colon, _ = (options.public or "").partition("://")
    if colon and scheme not in (*SCHEMES, *schemes()):
        allowed = ", ".join(f"{known}://" for known in (*SCHEMES, *schemes()))
        raise ValueError(f"--public: must be a file, a folder, or start with one of {allowed}")
    given = [f"--{key}" for key in ("table", "schema", "query") if getattr(options, key) is not None]
    if not _in_database(options):
        if given:
            allowed = ", ".join(f"{known}://" for known in schemes())
            raise ValueError(f"{given[0]}: is of a database, so --public must start with {allowed}")
    elif (options.table is None) == (options.query is None):
        raise ValueError("--public: is a database, and needs --table, or --query, and not both")
    elif options.query is not None and options.schema is not None:
        raise ValueError("--schema: is of a table, a query names its own")


def _public(options: argparse.Namespace) -> str | Source:
    """Return the public table, or its path."""
    if not _in_database(options):
        return str(options.public)
    try:
        return Stored(options.public, options.table, options.schema, options.query)
    except ValueError as error:
        raise ValueError(f"--public: {error}") from None


def progress(line: str) -> None:
    """Print a line on stderr."""
    print(line, file=sys.stderr, flush=True)
