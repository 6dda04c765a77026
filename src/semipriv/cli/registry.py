"""``semipriv registry``: write a release as an entry of the OpenDP and NIST registry of deployments."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from semipriv.practice.deployment import deployment
from semipriv.practice.verify import read_certificate


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "registry",
        allow_abbrev=False,
        help="write a release as an entry of the OpenDP and NIST registry of deployments",
        description="Prints the entry as YAML, with the keys of tier 3.  What a release cannot know is left empty.",
    )
    parser.add_argument("folder", help="folder of the release, with certificate.json")
    parser.set_defaults(run=_registry)


def _registry(options: argparse.Namespace, rest: Sequence[str]) -> int:
    if rest:
        raise ValueError(f"{rest[0]!r}: is not an option of `semipriv registry`")
    certificate = read_certificate(Path(options.folder))
    print(yaml.safe_dump(deployment(certificate), sort_keys=False, allow_unicode=True, width=100), end="")
    return 0
