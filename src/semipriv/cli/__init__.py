"""The command line, ``semipriv SUBCOMMAND ...``; a subcommand is one module with ``add``, listed in SUBCOMMANDS."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from semipriv.cli import claim, figures, plan, studies

SUBCOMMANDS = (plan, claim, studies, figures)

REFUSED = 2
"""Exit code where the question is refused."""


class _Parser(argparse.ArgumentParser):
    """Raises ValueError instead of printing the usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code: 0, or 2 with one line on stderr where the input is refused."""
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
