"""Numbers in pages come from tables of a run: a name behind a number says of which row it is.

    The error is .221<!--=cautious--> there.

A reader does not see the name.  ``docs/numbers.yaml`` says what each name stands for:

    cautious: {table: rand_scale/summary, where: {case: cautious, name: sspp, epsilon: 0.1}, format: .3f}
    excess: {claim: BBD24-T2, quantity: excess, where: {n: 20}, column: high, of_several: greatest, format: ",.0f"}

table: a Parquet file of the results without its ending; a claim and a quantity stand for rows of ``measurements``, with
settings in ``where``.  column: by default ``measured`` or ``mean``; ``half`` is half of the interval from low to high,
and a setting may stand for a column.  of_several: ``least`` or ``greatest``, if rows differ.  format: as Python writes
it; a number below 1 has no 0 before its point.

``python -m semipriv.cli.reference.numbers RESULTS [FOLDER]`` writes the numbers of a finished run into the pages of a
folder, ``docs`` by default, and says which changed.
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from semipriv.core.files import atomic
from semipriv.core.registry import check_name

NAMED = re.compile(r"(?P<number>[-\d.,e+%]*)<!--=(?P<name>[\w-]+)-->")
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


def declared(folder: Path) -> dict[str, Number]:
    """Return the numbers by name that ``numbers.yaml`` in a folder declares; none without such a file."""
    file = folder / "numbers.yaml"
    entries = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name, entry in entries.items():
        for key in entry:
            check_name(f"key of {name} in {file}", key, [one.name for one in fields(Number)])
    return {name: Number(**entry) for name, entry in entries.items()}


class Tables:
    """The tables of a run, read once each."""

    def __init__(self, results: Path) -> None:
        """results: folder of a finished run."""
        self.results = results
        self._tables: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a table; settings of measurements are columns, too, and ``half`` is (high - low) / 2."""
        if name not in self._tables:
            table = pd.read_parquet(self.results / f"{name}.parquet")
            if "settings" in table:
                settings = pd.DataFrame([json.loads(text) for text in table["settings"]])
                table = table.join(settings[[key for key in settings if key not in table]])
            if "low" in table:
                table["half"] = (table["high"] - table["low"]) / 2
            self._tables[name] = table
        return self._tables[name]

    def rows(self, number: Number) -> pd.DataFrame:
        """Return the rows of a number; raise ValueError if there are none."""
        table = self[number.table]
        chosen = np.ones(len(table), bool)
        if number.claim:
            chosen &= np.array((table["claim"] == number.claim) & table["quantity"].str.startswith(number.quantity))
        for key, value in number.where.items():
            check_name(f"column of {number.table}", key, list(table))
            chosen &= np.array(table[key] == value)
        if not chosen.any():
            raise ValueError(f"{number.table}: has no row with {number}")
        return table[chosen]

    def text(self, number: Number) -> str:
        """Return a number as it stands in a page."""
        column = number.column or ("measured" if number.claim else "mean")
        values = [float(value) for value in self.rows(number)[column]]
        if len(set(values)) > 1 and not number.of_several:
            raise ValueError(f"{number.table}: {len(values)} rows with {number}: say of_several: least or greatest")
        value = SEVERAL[number.of_several](values) if number.of_several else values[0]
        return re.sub(r"^(-?)0\.", r"\1.", format(value, number.format))


def filled(text: str, numbers: Mapping[str, Number], tables: Tables) -> str:
    """Return the text of a page with the numbers of a run."""

    def replaced(found: re.Match[str]) -> str:
        name = check_name("number", found["name"], list(numbers))
        return f"{tables.text(numbers[name])}<!--={name}-->"

    return NAMED.sub(replaced, text)


def main(given: Sequence[str] | None = None) -> None:
    """Write the numbers of a run into pages."""
    parser = argparse.ArgumentParser(
        prog="python -m semipriv.cli.reference.numbers",
        allow_abbrev=False,
        description="Write the numbers of a finished run into the pages that name them.",
    )
    parser.add_argument("results", type=Path, help="folder of the results")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs"), help="pages, and numbers.yaml")
    options = parser.parse_args(given)
    numbers, tables = declared(options.folder), Tables(options.results)
    for page in sorted(options.folder.rglob("*.md")):
        old = page.read_text(encoding="utf-8")
        try:
            new = filled(old, numbers, tables)
        except (ValueError, OSError) as error:
            raise SystemExit(f"{page}: {error}") from None
        for (was, name), (now, _) in zip(NAMED.findall(old), NAMED.findall(new), strict=True):
            if was != now:
                print(f"{page}: {name}: {was or 'nothing'} becomes {now}")
        if new != old:
            with atomic(page) as path:
                path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
