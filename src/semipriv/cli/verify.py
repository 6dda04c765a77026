"""``semipriv verify``: check model, certificate and ledger of a release against each other."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from semipriv.practice.verify import read_certificate, verify


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "verify",
        allow_abbrev=False,
        help="check model, certificate and ledger of a release against each other",
        description="Checks a published release, one line a check.  Exit code 0 if all hold, 2 if one does not.",
    )
    parser.add_argument("folder", help="folder of the release, with certificate.json")
    parser.add_argument("--ledger", metavar="PATH", help="budget ledger that paid; without it only files are checked")
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace, rest: Sequence[str]) -> int:
    if rest:
        raise ValueError(f"{rest[0]!r}: is no option of `semipriv verify`")
    checks = verify(options.folder, options.ledger)
    print("\n".join(map(str, checks)))
    told = read_certificate(Path(options.folder))["predicate"]
    if told.get("plugins"):
        names = ", ".join(told["plugins"]["files"])
        print(f"WARNING the guarantee is the word of the author of plug-ins from outside semipriv: {names}")
    if told.get("unprotected_diagnostic") is not None:
        print("WARNING this release holds an unprotected diagnostic: no guarantee speaks of it")
    if options.ledger is None:
        print("not checked: the ledger (--ledger PATH)")
    failed = sum(not check.passed for check in checks)
    if failed:
        raise ValueError(f"{options.folder}: {failed} of {len(checks)} checks failed")
    return 0
