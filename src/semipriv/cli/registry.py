"""``semipriv registry``: write a release as an entry of the OpenDP and NIST registry of deployments."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import yaml

from semipriv.practice.published.deployment import CURATORS, SECTORS, TO_FILL_IN, Sender, deployment
from semipriv.practice.published.verify import read_certificate


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "registry",
        allow_abbrev=False,
        help="write a release as an entry of the OpenDP and NIST registry of deployments",
        description="Prints the entry as YAML, with the keys of tier 3.  Options give what the release does not "
        f"know.  {TO_FILL_IN} marks what is missing.",
    )
    parser.add_argument("folder", help="folder of the release, with certificate.json")
    parser.add_argument("--curator", metavar="NAME", help="who publishes the release")
    parser.add_argument("--curator-type", metavar="TYPE", help=f"of the curator: {', '.join(CURATORS)}")
    parser.add_argument("--use", metavar="TEXT", help="what the release is for")
    parser.add_argument("--region", metavar="TEXT", help="where the people are, or whose laws apply")
    parser.add_argument("--sector", help=f"optional: {', '.join(SECTORS)}")
    parser.add_argument("--date", help="of publication, as 2026-11-30")
    parser.add_argument("--author", metavar="NAME", help="of the entry")
    parser.add_argument("--justification", metavar="TEXT", help="why these settings were chosen")
    parser.add_argument("--json", action="store_true", help="JSON, with the same keys, for programs")
    parser.set_defaults(run=_registry)


def _registry(options: argparse.Namespace) -> int:
    sender = Sender(
        options.curator,
        options.curator_type,
        options.use,
        options.region,
        options.sector,
        options.date,
        options.author,
        options.justification,
    )
    entry = deployment(read_certificate(Path(options.folder)), sender)
    if options.json:
        print(json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(yaml.safe_dump(entry, sort_keys=False, allow_unicode=True, width=100), end="")
    if sender.missing:
        print(f"the registry refuses {TO_FILL_IN}: give {', '.join(sender.missing)}", file=sys.stderr)
    return 0
