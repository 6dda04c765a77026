"""What users, files and laws rely on: options of the command line, columns of tables, and examples of plug-ins.

Of each option of each subcommand: its names, default, what it may be, how often it stands, and what excludes it.  Of
each table: its columns with their types and meanings, where units stand.  Of each plug-in: the examples on which laws
are checked.  ``tests/unit/declared.json`` holds all as they were when it was written, so that none changes by accident:
a change of options or columns is one for users, and belongs into the changelog.  ``python tests/declared.py`` writes
the file anew; read the difference.
"""

import argparse
import contextlib
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import semipriv
from semipriv import registry, tables

FILE = Path(__file__).parent / "unit" / "declared.json"
ROOMS = ("classes", "learners", "regressors", "distributions/marginals", "distributions/responses")
"""Rooms whose plug-ins have examples."""


def declared() -> dict[str, dict[str, Any]]:
    """Return the options by subcommand, the columns by table, and the examples by plug-in."""
    return {"options": _options(), "tables": _tables(), "examples": _examples()}


def _options() -> dict[str, list[str]]:
    found = {}
    for name in registry.names("cli"):
        commands = argparse.ArgumentParser(prog="semipriv").add_subparsers()
        import_module(f"semipriv.cli.{name}").add(commands)
        for command, parser in commands.choices.items():
            found |= _of(command, parser)
    return found


def _of(command: str, parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return the options of a subcommand, and of those below it."""
    told, below = [f"abbreviations {parser.allow_abbrev}, {_told(parser._defaults)}"], {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, own in action.choices.items():
                below |= _of(f"{command} {name}", own)
        elif not isinstance(action, argparse._HelpAction):
            what = {
                "kind": type(action).__name__.strip("_").removesuffix("Action"),
                "default": action.default,
                "const": action.const,
                "type": action.type,
                "choices": action.choices and [*action.choices],
                "nargs": action.nargs,
                "required": action.required,
                "metavar": action.metavar,
            }
            name = " ".join(action.option_strings) or action.dest
            told.append(f"{name}: {_told({key: value for key, value in what.items() if value not in (None, False)})}")
    for group in parser._mutually_exclusive_groups:
        names = ", ".join(" ".join(action.option_strings) for action in group._group_actions)
        told.append(f"{'exactly one' if group.required else 'at most one'} of {names}")
    return {command: told} | below


def _told(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} {getattr(value, '__name__', None) or repr(value)}" for key, value in values.items())


def _tables() -> dict[str, list[str]]:
    """Return the columns of the schemas that are names of modules."""
    found = {}
    root = Path(semipriv.__file__).parent
    for file in sorted(root.rglob("*.py")):
        if "Schema(" in file.read_text(encoding="utf-8") and file.name != "__init__.py":
            module = import_module(".".join(("semipriv", *file.relative_to(root).with_suffix("").parts)))
            for schema in vars(module).values():
                if isinstance(schema, tables.Schema):
                    columns = [f"{one.name} {one.type}: {one.meaning}" for one in schema.columns]
                    found[schema.name] = [schema.meaning, *columns]
    return found


def _examples() -> dict[str, list[str]]:
    """Return the examples of the plug-ins that have any."""
    plugins = ((room, name, registry.load(room, name)) for room in ROOMS for name in registry.names(room))
    return {
        f"{room}/{name}": [" ".join(repr(one).split()) for one in plugin.examples() or ()]
        for room, name, plugin in plugins
        if hasattr(plugin, "examples")
    }


def main() -> None:
    """Write the file."""
    with contextlib.suppress(FileNotFoundError):
        FILE.unlink()
    FILE.write_text(json.dumps(declared(), indent=0) + "\n")


if __name__ == "__main__":
    main()
