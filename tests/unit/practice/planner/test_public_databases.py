"""Plans and comparisons on public rows of a database are those on a file of the same rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from semipriv.classes.thresholds import Thresholds
from semipriv.cli import main
from semipriv.core.tables import TableError
from semipriv.practice.planner.population import read_population
from semipriv.practice.sources.stored import Stored

duckdb = pytest.importorskip("duckdb", reason="databases are an extra: python -m pip install 'semipriv[database]'")


def visits(folder: Path) -> str:
    """Visits of persons, sorted in a file and in another order in a database, whose address is returned."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"age": rng.integers(0, 50, 300) / 2, "patient": rng.integers(0, 40, 300)})
    table.sort_values(["age", "patient"]).to_parquet(folder / "visits.parquet", index=False)
    with duckdb.connect(str(folder / "v.duckdb")) as connection:
        shuffled = table  # noqa: F841  (DuckDB finds it by its name)
        connection.execute("create table visits as select patient, age, 'x' as note from shuffled")
    return f"duckdb://{folder / 'v.duckdb'}"


def test_the_population_is_that_of_the_file(tmp_path: Path) -> None:
    """With persons or without, whatever the order is in which a database tells its rows."""
    address = visits(tmp_path)
    for source in (Stored(address, "visits"), Stored(address, query="select age, patient from visits")):
        for person in (None, ["patient"]):
            population = read_population(Thresholds(), tmp_path / "visits.parquet", ["age"], person)
            other = read_population(Thresholds(), source, ["age"], person)
            assert np.array_equal(population.atoms, other.atoms)
            if population.persons is not None:
                assert other.persons is not None
                assert np.array_equal(
                    population.persons.rows[population.persons.place], other.persons.rows[other.persons.place]
                )
                assert (
                    len(set(zip(population.persons.place, other.persons.place, strict=True)))
                    == population.persons.count
                )
    with pytest.raises(TableError, match="column 'weight' is missing"):
        read_population(Thresholds(), Stored(address, "visits"), ["weight"])
    with pytest.raises(TableError, match="column 'note'"):
        read_population(Thresholds(), Stored(address, "visits"), ["note"])


@pytest.mark.parametrize("command", ["plan", "compare"])
def test_commands_answer_as_on_the_file(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = visits(tmp_path)
    words = [command, "--class", "thresholds", "--alpha", "0.45", "--beta", "0.45", "--epsilon", "9", "--json"]
    words += ["--features", "age"]
    if command == "compare":
        words += ["--learners", "sspp", "--n-public", "9", "--most", "9", "--person", "patient"]
    populations: list[Any] = []
    for place in ([str(tmp_path / "visits.parquet")], [address, "--table", "visits"]):
        assert main([*words, "--public", *place]) == 0
        printed = capsys.readouterr().out
        assert address not in printed
        populations.append(json.loads(printed.replace(place[0], "HERE").replace("duckdb table visits", "HERE")))
    assert populations[0] == populations[1]


REFUSED: dict[str, tuple[list[str], str]] = {
    "no table": (["ADDRESS"], "--public: is a database, and needs --table, or --query, and not both"),
    "both": (["ADDRESS", "--table", "v", "--query", "select 1"], "needs --table, or --query, and not both"),
    "a schema of a query": (["ADDRESS", "--query", "select 1", "--schema", "main"], "--schema: is of a table"),
    "a table of a file": (
        ["points.csv", "--table", "v"],
        "--table: is of a database, so --public must start with duck",
    ),
    "a password": (["postgresql://me:s3cr3t@h/d", "--table", "v"], "must not hold a password"),
    "a password elsewhere": (
        ["mysql://me:s3cr3t@h/d"],
        "--public: must be a file, a folder, or start with one of s3://",
    ),
    "a query that mixes rows": (["ADDRESS", "--query", "select max(age) over () as age from visits"], "query: "),
    "no such table": (["ADDRESS", "--table", "others"], "has no such table"),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_what_is_refused(tmp_path: Path, wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    given, message = REFUSED[wrong]
    address = visits(tmp_path)
    words = ["plan", "--class", "thresholds", "--alpha", "0.4", "--epsilon", "1", "--public"]
    assert main([*words, *(address if word == "ADDRESS" else word for word in given)]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert "s3cr3t" not in printed
