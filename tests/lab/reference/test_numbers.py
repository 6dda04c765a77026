"""Numbers in pages: each is that of its row, and one whose row is gone is refused by name."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from places import ROOT, matching

from semipriv.core import registry
from semipriv_lab.experiments.loading import load_run
from semipriv_lab.reference.numbers import NAMED, Number, Tables, declared, filled, main, named

MEASURED = [
    ("A-T1", "excess of the mean", {"n": 20, "output": "nearest, p = 2"}, 0.1124, 0.1, 0.13),
    ("A-T1", "excess of the mean", {"n": 40, "output": "nearest, p = 2"}, 12345.6, 1.0, 2.0),
    ("A-T2", "excess", {"n": 20}, -0.25, 0.0, 0.0),
    ("A-T2", "excess of the mean", {"n": 20, "parameters": "any"}, 9.0, 0.0, 0.0),
]


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    columns = ["claim", "quantity", "settings", "measured", "low", "high", "bound"]
    rows = [(claim, quantity, json.dumps(settings), *values, 0.5) for claim, quantity, settings, *values in MEASURED]
    pd.DataFrame(rows, columns=columns).to_parquet(tmp_path / "measurements.parquet")
    (tmp_path / "grid").mkdir()
    summary = {"case": ["a", "a", "b"], "epsilon": [0.1, 1.0, 1.0], "mean": [0.5, 0.25, 3.0], "low": 0.0, "high": 0.04}
    pd.DataFrame(summary).to_parquet(tmp_path / "grid/summary.parquet")
    return Tables(tmp_path)


T1: dict[str, Any] = {"claim": "A-T1", "quantity": "excess"}
GRID = {"table": "grid/summary"}


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (T1 | {"where": {"n": 20}, "format": ".3f"}, ".112"),
        (T1 | {"where": {"n": 20, "output": "nearest, p = 2"}, "column": "high", "format": ".0%"}, "13%"),
        (T1 | {"where": {"n": 40}, "format": ",.0f"}, "12,346"),
        (T1 | {"of_several": "greatest", "format": ".0f"}, "12346"),
        (T1 | {"where": {"n": [20, 30]}, "of_several": "greatest", "format": ".1f"}, ".1"),
        (T1 | {"of_several": "least", "column": "n", "format": ".0f"}, "20"),
        ({"claim": "A-T2", "quantity": "excess", "format": ".2f"}, "-.25"),
        (GRID | {"where": {"case": "a", "epsilon": 0.1}, "format": ".2f"}, ".50"),
        (GRID | {"where": {"case": "b"}, "column": "half", "format": ".3f"}, ".020"),
        (GRID | {"where": {"case": "b"}, "format": "±.2f"}, "3.00±.02"),
        ({"claim": "A-T2", "quantity": "excess", "column": "over_bound", "format": ".1f"}, "-.5"),
        (T1 | {"where": {"n": 40}, "format": ".1e"}, "1.2e4"),
        (T1 | {"where": {"n": 20}, "format": ".0e"}, "1e-1"),
        (GRID | {"where": {"case": "b"}, "format": ".0e"}, "3e0"),
    ],
)
def test_a_number_is_that_of_its_row(tables: Tables, entry: dict[str, Any], text: str) -> None:
    numbers = {"one": Number(**entry)}
    assert filled("is 7<!--=one-->, so", numbers, tables) == f"is {text}<!--=one-->, so"
    assert filled("is <!--=one-->", numbers, tables) == f"is {text}<!--=one-->"


def test_a_value_behind_an_at_chooses_the_row(tables: Tables) -> None:
    numbers = {"one": Number(**GRID, where={"case": "a"}, by="epsilon", format=".2f"), "all": Number(format=".2f")}
    assert filled("1<!--=one@0.1--> 2<!--=one@1-->", numbers, tables) == ".50<!--=one@0.1--> .25<!--=one@1-->"
    for wrong, message in (("one", "say which epsilon, one@"), ("all@3", "all@3: has no by"), ("one@7", "has no row")):
        with pytest.raises(ValueError, match=message):
            filled(f"1<!--={wrong}-->", numbers, tables)


def test_numbers_of_another_command_stay_until_its_table_is_there(tables: Tables) -> None:
    numbers = {"one": Number(table="beside/grid", command="make bench", format=".2f")}
    assert filled("is .7<!--=one-->", numbers, tables) == "is .7<!--=one-->"
    (tables.results / "beside").mkdir()
    pd.DataFrame({"error": [0.25]}).to_parquet(tables.results / "beside/grid.parquet")
    assert filled("is .7<!--=one-->", numbers, tables) == "is .25<!--=one-->"
    gone = {"one": Number(table="beside/other", format=".2f")}
    with pytest.raises(OSError, match=r"other\.parquet"):
        filled("is .7<!--=one-->", gone, tables)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"claim": "A-T9", "format": ".3f"}, "has no row with"),
        (T1 | {"where": {"n": 21}, "format": ".3f"}, "has no row with"),
        (T1 | {"format": ".3f"}, "2 rows with.*: say of_several"),
        (GRID | {"where": {"learner": "x"}, "format": ".3f"}, "unknown column of grid/summary 'learner'"),
    ],
)
def test_a_row_that_is_gone_is_told(tables: Tables, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        filled("7<!--=one-->", {"one": Number(**entry)}, tables)


def test_pages_get_the_numbers_of_a_run(tables: Tables, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "numbers.yaml").write_text("a: {table: grid/summary, where: {case: a, epsilon: 1}, format: .2f}\n")
    (docs / "page.md").write_text("From .5<!--=a--> on.\n")
    given = [str(tables.results), str(docs)]
    assert main([*given, "--check"]) == 1
    assert "a: .5 is .25\n1 of 1 numbers differ" in capsys.readouterr().out
    assert (docs / "page.md").read_text() == "From .5<!--=a--> on.\n"
    assert main(given) == 0
    assert (docs / "page.md").read_text() == "From .25<!--=a--> on.\n"
    assert "a: .5 becomes .25" in capsys.readouterr().out
    assert main([*given, "--check"]) == 0
    (docs / "page.md").write_text("<!--=b-->")
    with pytest.raises(SystemExit, match=r"page\.md: unknown number 'b'"):
        main([str(tables.results), str(docs)])
    (docs / "numbers.yaml").write_text("a: {tabel: grid/summary, format: .2f}\n")
    with pytest.raises(ValueError, match=r"key of a in .*numbers\.yaml 'tabel': did you mean 'table'"):
        main([str(tables.results), str(docs)])


def test_numbers_of_experiments_are_of_cells_that_the_default_run_has() -> None:
    """A case, a learner or a size that is gone, or renamed, leaves a number without a row."""
    numbers = {name: number for name, number in declared(ROOT / "docs").items() if not (number.claim or number.command)}
    wanted = sorted({number.table.removesuffix("/summary") for number in numbers.values()})
    settings = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    assert set(wanted) <= set(settings["experiments"])
    run = load_run(settings | {"experiments": wanted, "claims": []}, ROOT / "config/experiments", check=False)
    rows = {
        name: [
            registry.parameters(learner)
            | {"case": cell.case, "learner": label, "name": registry.name_of(learner), "title": learner.title}
            | {"measure": measure, "sigma": cell.sigma, **cell.sizes}
            for cell in experiment.cells
            for label, learner in cell.learners.items()
            for measure in experiment.measures
        ]
        for name, experiment in run.experiments.items()
    }
    pages = "\n".join(page.read_text() for page in matching(ROOT, "docs/**/*.md"))
    names = {name for _, name in NAMED.findall(pages) if name.partition("@")[0] in numbers}
    assert names
    for name in names:
        number = named(name, numbers)
        cells = rows[number.table.removesuffix("/summary")]
        assert any(number.where.items() <= row.items() for row in cells), name


def test_names_in_pages_are_declared_and_used() -> None:
    numbers = declared(ROOT / "docs")
    assert numbers
    pages = "\n".join(page.read_text() for page in matching(ROOT, "docs/**/*.md"))
    assert {name.partition("@")[0] for _, name in NAMED.findall(pages)} == set(numbers)
    for _, name in NAMED.findall(pages):
        named(name, numbers)


ELSEWHERE = re.compile(
    r"by hand|by (its |the |their )?formulas?|measured once|not part of the run|exact|proof|QED|counterexample", re.I
)
"""Words by which a paragraph says that its numbers are of no table."""
CLAIM = re.compile(r"`[A-Z]{3}\d\d-")
REFERENCE = re.compile(
    r"(?:theorem|lemma|claim|corollary|observation|remark|algorithm)s? [A-Z]?[\d.]+(?:(?:,| and|,? to) [\d.]+)*", re.I
)


def test_findings_say_where_their_numbers_are_from() -> None:
    """A paragraph that names a claim and holds decimals has a name behind one of them, or the words of the rule.

    The rule is CONTRIBUTING's; which of several numbers are measured only a reader can tell.
    """
    silent = []
    for paragraph in (ROOT / "docs/findings.md").read_text().split("\n\n"):
        text = REFERENCE.sub("", re.sub(r"`[^`]*`", "", paragraph))
        numbers = re.search(r"(?<![\w.])\d*\.\d+", text)
        if CLAIM.search(paragraph) and numbers and not NAMED.search(paragraph) and not ELSEWHERE.search(paragraph):
            silent.append(paragraph[:80])
    assert not silent, f"docs/findings.md: of which table are the numbers of {silent}? See CONTRIBUTING.md"
