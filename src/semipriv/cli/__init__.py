"""The command line, ``semipriv SUBCOMMAND ...``.  Each subcommand is a module with ``add``, listed in SUBCOMMANDS."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from semipriv.cli import claim, figures, plan, studies

SUBCOMMANDS = (plan, claim, studies, figures)

REFUSED = 2
"""Exit code if the input is refused."""


class _Parser(argparse.ArgumentParser):
    """A parser that raises ValueError for wrong input instead of ending the program."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code.  If the input is refused: 2, with one line on stderr."""
    parser = _Parser(
        prog="semipriv", allow_abbrev=False, description="Differentially private learning assisted by public data."
    )
    commands = parser.add_subparsers(title="subcommands", metavar="subcommand", required=True)
    for subcommand in SUBCOMMANDS:
        subcommand.add(commands)
    try:
        options, rest = parser.parse_known_args(argv)
        run: Callable[[argparse.Namespace, list[str]], int] = options.run
        return run(options, rest)
    except (ValueError, OSError) as error:
        print(f"semipriv: {' '.join(str(error).split())}", file=sys.stderr)
        return REFUSED
    except SystemExit as leaving:  # --help
        return int(leaving.code or 0)
