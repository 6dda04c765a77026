"""``semipriv check``: hold plug-in files to the laws of their rooms."""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from semipriv.core import machine

BROKEN = 1
"""Exit code if a law is broken."""


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "check",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="hold plug-in files to the laws of their rooms",
        description=(
            "Checks plug-in files by the law suite, on the values that their examples() return, one line a law.\n"
            "The room is that of the folder in which a file is, or of the base class of its type.\n"
            "Exit code 0 if all laws hold, 1 if one is broken, 2 if a file is no plug-in."
        ),
        epilog="example:\n  semipriv check mine/learners/my_learner.py",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="plug-in file")
    parser.add_argument("--room", help="room of the files, such as learners or distributions/marginals")
    parser.add_argument(
        "--law", metavar="WORDS", action="append", default=[], help="only laws with these words in their name"
    )
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace, rest: Sequence[str]) -> int:
    if rest:
        raise ValueError(f"{rest[0]!r}: is not an option of `semipriv check`")
    machine.pin()  # before NumPy and Numba are imported: as many threads as in the workflow
    from semipriv.audit.laws._cases import Plugin  # noqa: PLC0415
    from semipriv.audit.laws.check import check, found, unchecked  # noqa: PLC0415

    with ExitStack() as stack:
        plugins: list[Plugin] = [stack.enter_context(found(file, options.room)) for file in options.files]
        laws = check(plugins, lambda line: print(line, flush=True), options.law)
    broken = 0
    for plugin in plugins:
        held = [law for law in laws if law.plugin is plugin]
        wrong = [law.name for law in held if law.failed]
        for line in unchecked(plugin):
            print(f"{plugin.path}: not checked: {line}")
        cases, seconds = sum(law.cases for law in held), sum(law.seconds for law in held)
        print(f"{plugin.path}: {len(held) - len(wrong)} of {len(held)} laws hold ({cases} cases, {seconds:.0f} s)")
        for name in wrong:
            print(f"{plugin.path}: BROKEN: {name}")
        broken += len(wrong)
    return BROKEN if broken else 0
