"""The command line, ``semipriv SUBCOMMAND ...``.

Each subcommand is one module of this folder with a function ``add``.  The first line of its docstring says what it
does, after a colon.  Only the module of the subcommand that was asked for is imported.  ``add`` sets ``run``, a
function of the parsed options; with ``takes_rest=True`` it also reads ``options.rest``, the words that the parser does
not know.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

from semipriv import __version__
from semipriv.core import machine
from semipriv.core.overlay import files, lay
from semipriv.core.registry import UnknownNameError, check_name, module
from semipriv.core.source import docstring, parsed

REFUSED = 2
"""Exit code if the input is refused."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as that of shells: 128 and the number of the signal."""
LEFT = 141
"""Exit code if the reader of the output left before its end, as that of shells."""
PLUGINS = "plug-in folder with learners, classes or property tests of your own; may be repeated"
LABORATORY = "semipriv_lab"
"""The package that brings further subcommands.  It is in a checkout, and never in a wheel."""


class _Parser(argparse.ArgumentParser):
    """A parser that raises ValueError for wrong input instead of ending the program."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code.  If the input is refused: 2, with one line on stderr."""
    machine.pin(one_core=False)
    words = list(sys.argv[1:] if argv is None else argv)
    parser = _Parser(
        prog="semipriv", allow_abbrev=False, description="Differentially private learning assisted by public data."
    )
    outer = _Parser(add_help=False, allow_abbrev=False)
    for has_plugins in (parser, outer):
        has_plugins.add_argument("--plugins", metavar="FOLDER", action="append", default=[], help=PLUGINS)
    parser.set_defaults(takes_rest=False)
    parser.add_argument("--version", action="version", version=f"semipriv {__version__}")
    commands = parser.add_subparsers(title="subcommands", dest="subcommand", metavar="subcommand", required=True)
    try:
        outer_options, words = outer.parse_known_args(words)
        if find_spec(LABORATORY) is not None:
            import_module(LABORATORY)
        if words and not words[0].startswith("-"):
            _check_known(words[0])
        lay(outer_options.plugins)
        for name in files("cli"):
            _add(name, commands, asked=name in words[:1])
        options, rest = parser.parse_known_args(words)
        options.rest = rest
        _check_options(options, words[0])
        run: Callable[[argparse.Namespace], int] = options.run
        return run(options)
    except BrokenPipeError:  # `semipriv claim --list | head`: what is left to say goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return LEFT
    except (ValueError, OSError) as error:
        print(f"semipriv: {' '.join(str(error).split())}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt as error:
        print(f"semipriv: {error or 'interrupted'}", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as leaving:  # --help, --version, and what a plug-in does
        if isinstance(leaving.code, str):
            print(f"semipriv: {leaving.code}", file=sys.stderr)
            return REFUSED
        return int(leaving.code or 0)


def _check_known(name: str) -> None:
    """Raise ValueError, with the nearest names, for a subcommand that is not there."""
    try:
        check_name("subcommand", name, files("cli"))
    except UnknownNameError as error:
        elsewhere = "; those that measure the papers are in a checkout of semipriv, with semipriv[workflow] installed"
        raise ValueError(str(error) + elsewhere * (LABORATORY not in sys.modules)) from None


def _check_options(options: argparse.Namespace, first: str) -> None:
    """Raise ValueError for options before the subcommand, and for unknown ones unless the subcommand reads them."""
    if first != options.subcommand:
        raise ValueError(
            f"{first!r}: stands before {options.subcommand!r}; options of a subcommand come after its name"
        )
    if options.rest and not options.takes_rest:
        raise ValueError(f"{options.rest[0]!r}: is not an option of `semipriv {options.subcommand}`")


def _add(name: str, commands: Any, *, asked: bool) -> None:
    """Add a subcommand: whole if it was asked for, else by its name and its first line alone."""
    if asked:
        import_module(module("cli", name)).add(commands)
        return
    line = docstring(parsed(files("cli")[name])).partition("\n")[0]
    commands.add_parser(name, help=line.partition(": ")[2].rstrip("."))
