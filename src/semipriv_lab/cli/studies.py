"""``semipriv studies``: list the studies with the claims that they measure."""

import argparse
import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from semipriv_lab.ledger.studies import Study, studies

WIDTH, INDENT = 110, 10


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "studies",
        allow_abbrev=False,
        help="list the studies: their papers, the claims that they measure, their figures",
        description="Lists the studies.  `semipriv claim` runs the study of a claim.",
    )
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    parser.set_defaults(run=_studies)


def _studies(options: argparse.Namespace) -> int:
    every = studies().values()
    if options.json:
        print(json.dumps([{"study": study.id, "module": study.module} | _row(study) for study in every], indent=2))
    else:
        print("\n".join(line for study in every for line in _lines(study)))
    return 0


def _row(study: Study) -> dict[str, Any]:
    return asdict(study) | {"paper": study.paper.upper(), "summary": study.summary}


def _lines(study: Study) -> Iterator[str]:
    """Yield the lines on one study."""
    row = _row(study)
    yield study.id
    for title, text in (
        ("paper", row["paper"]),
        ("claims", ", ".join(study.claims)),
        ("figure", study.figure or "-"),
        ("what", study.summary),
    ):
        wrapped = textwrap.wrap(text, WIDTH - INDENT, break_long_words=False, break_on_hyphens=False)
        yield from (f"  {'' if i else title:<{INDENT - 2}}{part}" for i, part in enumerate(wrapped))
