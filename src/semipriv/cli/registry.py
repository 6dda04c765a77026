"""``semipriv registry``: write a release as an entry of the OpenDP and NIST registry of deployments."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from semipriv.practice.published.deployment import deployment
from semipriv.practice.published.verify import read_certificate


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "registry",
        allow_abbrev=False,
        help="write a release as an entry of the OpenDP and NIST registry of deployments",
        description="Prints the entry as YAML, with the keys of tier 3.  What a release cannot know is left empty.",
    )
    parser.add_argument("folder", help="folder of the release, with certificate.json")
    parser.add_argument("--json", action="store_true", help="JSON, with the same keys, for programs")
    parser.set_defaults(run=_registry)


def _registry(options: argparse.Namespace, rest: Sequence[str]) -> int:
    if rest:
        raise ValueError(f"{rest[0]!r}: is not an option of `semipriv registry`")
    entry = deployment(read_certificate(Path(options.folder)))
    if options.json:
        print(json.dumps(entry, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(yaml.safe_dump(entry, sort_keys=False, allow_unicode=True, width=100), end="")
    return 0
