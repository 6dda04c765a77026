"""``semipriv diff``: compare two ledgers: which verdicts and numbers moved."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from semipriv.core import tables
from semipriv_lab.ledger import archive, golden
from semipriv_lab.ledger.difference import NUMBERS, TEXTS, Change, Difference, difference
from semipriv_lab.ledger.table import CLAIMS, LEFT_OUT, MEASUREMENTS, shown_verdict

_BOTH = ("first", "second")
MOVED = 1
"""Exit code if a verdict differs, or a claim is in one ledger alone."""


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "diff",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="compare two ledgers: which verdicts and numbers moved",
        description=(
            "Compares the ledgers of two runs, claim by claim.  First come claims whose verdict differs, then claims\n"
            "of which only numbers or texts differ.  A folder stands for the file claims.parquet in it, and so does\n"
            "an archive of `make archive`.\n\n"
            "If one of the two is a golden file (tests/golden.csv), the command lists claims whose verdict, number of\n"
            "rows or of judged rows, or cells differ."
        ),
        epilog=(
            "exit codes: 0 all verdicts (of golden files: all lines) are equal; 1 one differs, or a claim is in one\n"
            "ledger alone; 2 refused"
        ),
    )
    parser.add_argument("before", help="folder of results, archive of one, a file claims.parquet, or a golden file")
    parser.add_argument("after", help="the same for the other run")
    parser.add_argument("--verdicts", action="store_true", help="omit claims whose verdict is the same")
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    parser.set_defaults(run=_diff)


def _diff(options: argparse.Namespace) -> int:
    if any(path.endswith(".csv") for path in (options.before, options.after)):
        return _golden(options)
    before, after = map(_rows, (options.before, options.after))
    moves = difference(before, after)
    print(json.dumps(_plain(moves), indent=2) if options.json else _text(moves, verdicts=options.verdicts))
    moved = any(change.verdict for change in moves.changes)
    return MOVED if moved or moves.only_before or moves.only_after else 0


def _golden(options: argparse.Namespace) -> int:
    before, after = (_lines(path) for path in (options.before, options.after))
    claims = golden.moved(before, after)
    alone = {
        "only_before": [claim for claim in before if claim not in after],
        "only_after": [claim for claim in after if claim not in before],
    }
    same = len(before.keys() & after.keys()) - len(claims)
    if options.json:
        print(json.dumps({"moved": claims, **alone, "same": same}, indent=2))
    else:
        lost = [
            f"only in the {run}: {', '.join(entries)}"
            for run, entries in zip(_BOTH, alone.values(), strict=True)
            if entries
        ]
        counted = f"{len(claims)} claims differ in what was looked at or in their verdict, {same} equal"
        print(*claims, *lost, counted, sep="\n")
    return MOVED if claims or any(alone.values()) else 0


def _lines(given: str) -> dict[str, golden.Line]:
    """Return the lines of a golden file, or of the claims that a run measured."""
    if given.endswith(".csv"):
        if not Path(given).is_file():
            raise ValueError(f"{given}: does not exist")
        return golden.read(given)
    with _ledger(given) as ledger:
        beside = ledger.with_name("measurements.parquet")
        if not beside.is_file():
            raise ValueError(f"{beside}: does not exist; `snakemake` writes it beside claims.parquet")
        rows = [row for row in tables.read_rows(ledger, CLAIMS) if shown_verdict(row) not in LEFT_OUT]
        return golden.lines(rows, tables.read_rows(beside, MEASUREMENTS))


def _rows(given: str) -> list[dict[str, Any]]:
    """Return the rows of a ledger."""
    with _ledger(given) as ledger:
        return tables.read_rows(ledger, CLAIMS)


@contextmanager
def _ledger(given: str) -> Iterator[Path]:
    """Yield the file claims.parquet of a folder of results or of an archive, or the file itself."""
    if archive.is_archive(given):
        with archive.opened(given) as folder:
            yield folder / "claims.parquet"
        return
    path = Path(given)
    file = path / "claims.parquet" if path.is_dir() else path
    if not file.is_file():
        raise ValueError(f"{file}: does not exist; `snakemake` writes it")
    yield file


def _plain(difference: Difference) -> dict[str, Any]:
    changes = {
        change.claim: {name: list(pair) for name, pair in change.changed.items()} for change in difference.changes
    }
    lists = {"only_before": list(difference.only_before), "only_after": list(difference.only_after)}
    return {"changes": changes, **lists, "same": difference.same}


def _text(difference: Difference, *, verdicts: bool) -> str:
    moved = [change for change in difference.changes if change.verdict]
    rest = [change for change in difference.changes if not change.verdict]
    lines = [line for change in [*moved, *([] if verdicts else rest)] for line in _change(change)]
    for run, claims in (("first", difference.only_before), ("second", difference.only_after)):
        if claims:
            lines.append(f"only in the {run} ledger: {', '.join(claims)}")
    counted = (
        f"{len(moved)} verdicts differ, {len(rest)} claims differ in numbers or texts alone, {difference.same} equal"
    )
    return "\n".join([*lines, counted])


def _change(change: Change) -> list[str]:
    """Return the lines on one claim; long texts are only said to differ."""
    changed = dict(change.changed)
    old, new = changed.pop("verdict", (None, None))
    lines = [f"{change.claim}  {old} -> {new}" if change.verdict else change.claim]
    lines += [f"    {name}  {_number(a)} -> {_number(b)}" for name, (a, b) in changed.items() if name in NUMBERS]
    texts = [name for name in changed if name in TEXTS]
    return [*lines, f"    {', '.join(texts)}: another text"] if texts else lines


def _number(given: float | None) -> str:
    return "none" if given is None else f"{given:.6g}"
