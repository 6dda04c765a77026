"""Numbers in pages come from tables of a run: a name behind a number says of which row it is.

    The error is .221<!--=cautious--> there, and .035±.004<!--=error@0.1--> at epsilon .1.

A reader does not see the name.  ``docs/numbers.yaml`` says what each name stands for:

    cautious: {table: rand_scale/summary, where: {case: cautious, name: sspp, epsilon: 0.1}, format: .3f}
    error: {table: rand_scale/summary, where: {case: good, name: sspp}, by: epsilon, format: ±.3f}
    excess: {claim: BBD24-T2, quantity: excess, where: {n: 20}, column: high, of_several: greatest, format: ",.0f"}

table: a Parquet file of the results without its ending; a claim and a quantity, or its beginning, stand for rows of
``measurements``.  where: values of columns or settings; a list allows any of them.  by: the column or setting whose
value stands behind the @ of a name.  column: by default ``measured``, ``mean`` or ``error``; ``half`` is half of the
interval from low to high, ``over_bound`` what is measured divided by its bound; a setting may be a column.  of_several:
``least`` or ``greatest``, if rows differ.  format: as Python writes it; with ± before it ``half`` follows the number.
There is no 0 before a point.  command: what makes the table, if it is not the run; its numbers stay until it is there.

``python -m semipriv_lab.reference.numbers RESULTS [FOLDER]`` writes the numbers of a finished run into the pages of a
folder, ``docs`` by default, and says which changed.  With ``--check`` it writes nothing, and exits with 1 if any do.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from semipriv.core.files import atomic
from semipriv.core.registry import check_name

NAMED = re.compile(r"(?P<number>[-\d.,e+%±]*)<!--=(?P<name>[\w-]+(?:@[-\w.]+)?)-->")
SEVERAL = {"least": min, "greatest": max}


@dataclass(frozen=True)
class Number:
    """Which rows a number is of, and how it is written."""

    format: str
    table: str = "measurements"
    claim: str = ""
    quantity: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    column: str = ""
    of_several: str = ""
    by: str = ""
    command: str = ""

    def at(self, place: str) -> "Number":
        """Return the number with a value for ``by``, as it stands in a name."""
        return replace(self, by="", where={**self.where, self.by: yaml.safe_load(place)})


def declared(folder: Path) -> dict[str, Number]:
    """Return the numbers by name that ``numbers.yaml`` in a folder declares; none without such a file."""
    file = folder / "numbers.yaml"
    entries = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name, entry in entries.items():
        for key in entry:
            check_name(f"key of {name} in {file}", key, [attribute.name for attribute in fields(Number)])
    return {name: Number(**entry) for name, entry in entries.items()}


class Tables:
    """The tables of a run, read once each."""

    def __init__(self, results: Path) -> None:
        """results: folder of a finished run."""
        self.results = results
        self._tables: dict[str, pd.DataFrame] = {}

    def has(self, name: str) -> bool:
        """Return whether a table is there."""
        return (self.results / f"{name}.parquet").exists()

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a table; settings and parameters are columns, too, beside ``half`` and ``over_bound``."""
        if name not in self._tables:
            table = pd.read_parquet(self.results / f"{name}.parquet")
            for texts in [key for key in ("settings", "parameters") if key in table]:
                settings = pd.DataFrame([json.loads(text) for text in table[texts]], index=table.index)
                table = table.join(settings[[key for key in settings if key not in table]])
            if "low" in table:
                table["half"] = (table["high"] - table["low"]) / 2
            if {"bound", "measured"} <= {*table}:
                table["over_bound"] = table["measured"] / table["bound"]
            self._tables[name] = table
        return self._tables[name]

    def rows(self, number: Number) -> pd.DataFrame:
        """Return the rows of a number; raise ValueError if there are none."""
        table = self[number.table]
        chosen = np.ones(len(table), bool)
        if number.claim:
            chosen &= np.array(table["claim"] == number.claim)
            same = np.array(table["quantity"] == number.quantity)
            chosen &= same if (chosen & same).any() else np.array(table["quantity"].str.startswith(number.quantity))
        for key, value in number.where.items():
            check_name(f"column of {number.table}", key, list(table))
            chosen &= np.array(table[key].isin(value) if isinstance(value, list) else table[key] == value)
        if not chosen.any():
            raise ValueError(f"{number.table}: has no row with {number}")
        return table[chosen]

    def text(self, number: Number) -> str:
        """Return a number as it stands in a page."""
        if number.format.startswith("±"):
            both = replace(number, format=number.format[1:])
            return f"{self.text(both)}±{self.text(replace(both, column='half'))}"
        rows = self.rows(number)
        column = number.column or next((name for name in ("measured", "mean", "error") if name in rows), "")
        values = [float(value) for value in rows[check_name(f"column of {number.table}", column, list(rows))]]
        if len(set(values)) > 1 and not number.of_several:
            raise ValueError(f"{number.table}: {len(values)} rows with {number}: say of_several: least or greatest")
        value = SEVERAL[number.of_several](values) if number.of_several else values[0]
        return re.sub(r"e(-?)\+?0*(?=\d)", r"e\1", re.sub(r"^(-?)0\.", r"\1.", format(value, number.format)))


def named(name: str, numbers: Mapping[str, Number]) -> Number:
    """Return the number of a name in a page; raise ValueError if it is not declared, or its value is missing."""
    first, at, place = name.partition("@")
    number = numbers[check_name("number", first, list(numbers))]
    if bool(at) != bool(number.by):
        raise ValueError(f"{name}: {f'say which {number.by}, {first}@...' if number.by else 'has no by'}")
    return number.at(place) if at else number


def filled(text: str, numbers: Mapping[str, Number], tables: Tables) -> str:
    """Return the text of a page with the numbers of a run."""

    def replaced(match: re.Match[str]) -> str:
        number = named(match["name"], numbers)
        if number.command and not tables.has(number.table):
            return match[0]
        return f"{tables.text(number)}<!--={match['name']}-->"

    return NAMED.sub(replaced, text)


def main(given: Sequence[str] | None = None) -> int:
    """Write the numbers of a run into pages, or compare them; return 1 if they were compared and one differs."""
    parser = argparse.ArgumentParser(
        prog="python -m semipriv_lab.reference.numbers",
        allow_abbrev=False,
        description="Write the numbers of a finished run into the pages that name them.",
        epilog="exit codes: 0 written, or all are equal; 1 one differs (--check), or a row is gone",
    )
    parser.add_argument("results", type=Path, help="folder of the results")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs"), help="pages, and numbers.yaml")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a number differs")
    options = parser.parse_args(given)
    numbers, tables = declared(options.folder), Tables(options.results)
    looked = moved = 0
    for page in sorted(options.folder.rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        try:
            new = filled(old, numbers, tables)
        except (ValueError, OSError) as error:
            raise SystemExit(f"{page}: {error}") from None
        for (was, name), (now, _) in zip(NAMED.findall(old), NAMED.findall(new), strict=True):
            looked += 1
            if was != now:
                moved += 1
                print(f"{page}: {name}: {was or 'nothing'} {'is' if options.check else 'becomes'} {now}")
        if new != old and not options.check:
            with atomic(page) as path:
                path.write_text(new, encoding="utf-8")
    commands = {number.command: number.table for number in numbers.values() if number.command}
    for command, table in commands.items():
        if not tables.has(table):
            print(f"left as they are: numbers of {table}, which `{command}` makes")
    print(f"{moved} of {looked} numbers {'differ' if options.check else 'changed'}")
    return int(options.check and moved > 0)


if __name__ == "__main__":
    sys.exit(main())
