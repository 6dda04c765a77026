"""``semipriv verify``: check model, certificate and ledger of a release against each other."""

import argparse
import json
from typing import Any

import attrs

from semipriv.practice.published.verify import remarks, verify


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "verify",
        allow_abbrev=False,
        help="check model, certificate and ledger of a release against each other",
        description="Checks a published release.  Each check prints one line: ok or FAILED.  "
        "Exit code 0: all hold; 2: one fails.",
    )
    parser.add_argument("folder", help="folder of the release, with certificate.json")
    parser.add_argument(
        "--ledger",
        metavar="PATH",
        help="budget ledger that paid; without it, only the files are compared with each other",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> int:
    checks = verify(options.folder, options.ledger)
    notes = remarks(options.folder, with_ledger=options.ledger is not None)
    if options.json:
        print(json.dumps({"checks": [attrs.asdict(check) for check in checks], "remarks": list(notes)}, indent=2))
    else:
        print("\n".join([*map(str, checks), *notes]))
    failed = sum(not check.passed for check in checks)
    if failed:
        raise ValueError(f"{options.folder}: {failed} of {len(checks)} checks failed")
    return 0
