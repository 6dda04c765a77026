"""Releases that protect persons with all of their rows: the same sums from any files, and no number of rows is told."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
import releases
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.cli import main
from semipriv.core.persons import Persons, shares
from semipriv.practice.asking.persons import CellNames
from semipriv.practice.asking.request import load
from semipriv.practice.engine import jobs
from semipriv.practice.engine.counting import counted
from semipriv.practice.engine.stages import Stage, stage
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.events import Pure
from semipriv.privacy.guarantee import Neighbours

PERSON: dict[str, Any] = {"one_row_a_person": None, "person": {"columns": ["pid"]}}
STUMPS = {"class": {"name": "decision_stumps", "dimension": 2}, "learner": {"name": "sspp", "epsilon": 0.5}}
TABLE = {
    **releases.EVERY_RULE,
    "learner": {"name": "table_release", "epsilon": 0.5, "delta": 0},
}
WEIGHTS = {"learner": {"name": "public_metric_discriminant", "epsilon": 0.5}}
CANDIDATES = (releases.THRESHOLDS, releases.INTERVALS)
BUDGET = {"epsilon": 9, "neighbours": Neighbours.REPLACE_PERSON}


def visits(persons: int = 30, seed: int = 0, most: int = 9) -> pd.DataFrame:
    """People with one to ``most`` rows each, in any order."""
    g = np.random.default_rng(seed)
    pid = np.repeat(np.arange(persons), g.integers(1, most + 1, persons))
    return releases.people(len(pid), seed).assign(pid=pid).sample(frac=1, random_state=seed)


def project(folder: Path, table: pd.DataFrame, **changes: Any) -> Path:
    path = releases.project(folder, budget=BUDGET, **{**PERSON, **changes})
    table.to_csv(folder / "clinic.csv", index=False)
    return path


def sums(staged: Stage, place: int = 0) -> Statistic:
    """The sums of all parts."""
    whole = staged.statistics()[place]
    for part in range(len(staged.request.private.parts)):
        for points, labels, units in staged.records_of(part, place, whole):
            whole.add(points, labels, units)
    assert whole.whole(staged.sizes["n_private"])
    return whole


@pytest.mark.parametrize("changes", [STUMPS, TABLE, releases.THRESHOLDS | {"features": {"age": {"range": [0, 100]}}}])
def test_sums_do_not_depend_on_parts_or_on_the_order_of_rows(tmp_path: Path, changes: dict[str, Any]) -> None:
    table = visits()
    path = project(tmp_path, table, **changes)
    arrays = sums(stage(load(path))).arrays()
    (tmp_path / "parts").mkdir()
    mixed = table.sample(frac=1, random_state=5)
    for i, part in enumerate((mixed[:20], mixed[20:30], mixed[30:])):
        part.to_csv(tmp_path / f"parts/{i}.csv", index=False)
    other = releases.request(tmp_path, "parts.yaml", **PERSON, **changes, private={"path": str(tmp_path / "parts")})
    again = stage(load(other))
    assert again.digest == stage(load(path)).digest, "where a table is does not decide what is drawn"
    apart = sums(again).arrays()
    assert arrays.keys() == apart.keys()
    assert all(np.array_equal(arrays[key], apart[key]) for key in arrays)
    assert again.sizes == {"n_public": 9, "n_private": 30}


def by_hand(table: pd.DataFrame, key: str, units: int) -> np.ndarray:
    """Units of (age, ill) by a loop over persons: the negative control of what the engine does with files."""
    code = {"yes": 0, "no": 1}
    ages = np.clip(table["age"].to_numpy(), 0, 100)
    cells = np.column_stack([[a if a == int(a) else 50 for a in ages], [code[cell] for cell in table["ill"]]])
    total = np.zeros((101, 2), np.int64)
    for name, rows in table.assign(place=np.arange(len(table))).groupby("pid")["place"]:
        own = cells[rows.to_numpy()].astype(np.int64)
        alone = shares(Persons.of([str(name)] * len(own)), own, units, key)
        np.add.at(total, tuple(own.T), alone)
    return total


def test_sums_are_those_of_a_loop_over_persons(tmp_path: Path) -> None:
    table = visits(seed=3)
    staged = stage(load(project(tmp_path, table, **TABLE)))
    whole = sums(staged)
    assert whole.units == 65536
    expected = by_hand(table, staged.digest, whole.units)
    for group, counts in zip(staged.prepared[0].workload.groups, by_group(whole), strict=True):
        others = tuple(axis for axis in (0, 1) if axis not in group)
        assert np.array_equal(counts, expected.sum(axis=others).ravel())


def by_group(whole: Statistic) -> list[np.ndarray]:
    """The counts of each marginal."""
    workload = whole.prepared.workload
    sizes = [np.prod([workload.schema.sizes[axis] for axis in group]) for group in workload.groups]
    return np.split(whole.arrays()["sums"], np.cumsum(sizes)[:-1])


def replaced(table: pd.DataFrame, person: int, rows: pd.DataFrame) -> pd.DataFrame:
    """The table in which one person is another one, with other rows."""
    return pd.concat([table[table["pid"] != person], rows.assign(pid=1_000)])


@settings(max_examples=15, deadline=None)
@given(person=st.integers(0, 29), count=st.integers(1, 40), seed=st.integers(0, 99))
def test_a_replaced_person_moves_a_table_by_two_units(
    person: int, count: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = visits()
    other = replaced(table, person, releases.people(count, seed))
    counts = []
    for neighbour in (table, other):
        staged = stage(load(project(tmp_path_factory.mktemp("visits"), neighbour, **TABLE)))
        staged.__dict__["digest"] = "key"
        counts.append(sums(staged))
    n = counts[0].units
    for before, after in zip(*map(by_group, counts), strict=True):
        assert np.abs(before - after).sum() <= 2 * n
        assert before.sum() == after.sum() == 30 * n


@pytest.mark.parametrize(
    "changes",
    [
        STUMPS,
        TABLE,
        WEIGHTS,
        {**STUMPS, "held_out": {"share": 0.2, "epsilon": 1}},
        {"person": {"columns": ["pid"], "rows": "one"}},
    ],
)
def test_what_is_published_does_not_tell_how_many_rows_there_are(
    tmp_path: Path, changes: dict[str, Any], capsys: Any
) -> None:
    """Persons with one row each, and with up to 97: what is told besides the draws is the same."""
    printed = []
    for i, most in enumerate((1, 97)):
        folder = tmp_path / str(i)
        folder.mkdir()
        path = project(folder, visits(most=most), **changes)
        assert main(["release", str(path), "--dry-run", "--json"]) == 0
        plan = json.loads(capsys.readouterr().out)
        assert main(["release", str(path), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        certificate = json.loads((folder / "results/releases/visits/certificate.json").read_text())["predicate"]
        printed.append(
            [plan["sizes"], plan["event"], answer["sizes"], answer["guarantee"]]
            + [certificate[key] for key in ("sizes", "guarantee", "event", "unprotected", "persons", "mechanism")]
        )
        assert certificate["guarantee"]["neighbours"] == "replace_person"
    assert json.dumps(printed[0]) == json.dumps(printed[1])


def test_persons_are_held_out_whole(tmp_path: Path) -> None:
    changes = {**STUMPS, "held_out": {"share": 0.2, "epsilon": 1}}
    table = visits()
    staged = stage(load(project(tmp_path, table, **changes)))
    sharing = staged.sharing
    assert sharing is not None
    assert staged.sizes == {"n_public": 9, "n_private": 24, "n_held_out": 6}
    training, judging = sharing.training(0, staged.statistics()[0]), sharing.judging()
    pid = table["pid"].to_numpy()
    judged = set(pid[judging > 0])
    assert len(judged) == judging.sum() == 6, "of each person who is held out one row judges"
    assert not judged & set(pid[training > 0])
    assert len(set(pid[training > 0]) | judged) == 30


def test_what_is_told_of_held_out_persons_speaks_of_persons(tmp_path: Path, capsys: Any) -> None:
    """Choice, error, groups and words of the noise, in the terminal and in the certificate, which verifies."""
    held = {**releases.CHOICE["held_out"], "groups": {"column": "ill", "categories": ["yes", "no"], "unknown": "no"}}
    held["groups"]["epsilon"] = 0.1
    changes = {"class": None, "learner": None, "features": {"age": {"range": [0, 100]}}, "candidates": [*CANDIDATES]}
    path = project(tmp_path, visits(), **changes, held_out=held)
    assert main(["release", str(path), "--dry-run", "--no-simulation"]) == 0
    judges = "judges      6 held-out persons, by a row of each: noise moves the error by up to 5 (95 %)"
    assert judges in capsys.readouterr().out
    assert main(["release", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "on 6 held-out persons, by a row of each, with noise; from 0.000 to 1.000 on new persons (95 %)" in printed
    assert "ill = yes: " in printed
    assert "held-out rows" not in printed
    assert "to 6 rows" not in printed
    predicate = json.loads((tmp_path / "results/releases/visits/certificate.json").read_text())["predicate"]
    assert predicate["tuning"].endswith("mistakes on held-out persons, by a row of each; all were paid for")
    assert "replacing a person, " in predicate["quality"]["groups"]["noise"]
    assert main(["verify", str(tmp_path / "results/releases/visits")]) == 0


def test_who_is_held_out_depends_on_names_and_the_secret_alone(tmp_path: Path) -> None:
    """A person who takes the place of another one takes it on one side: no third person moves but for the count."""
    changes = {**STUMPS, "held_out": {"share": 0.2, "epsilon": 1}}

    def held(table: pd.DataFrame, folder: Path, secret: bytes) -> set[int]:
        staged = stage(load(project(folder, table, **changes)))
        staged.__dict__["digest"] = "key"
        sharing = staged.sharing
        assert sharing is not None
        sharing._secret = lambda: secret
        names = sharing.persons.names
        assert isinstance(names, CellNames)
        return set(map(int, names.at(np.flatnonzero(sharing._held))))

    folders = iter([tmp_path / str(i) for i in range(9)])

    def of(table: pd.DataFrame, secret: bytes = b"a") -> set[int]:
        folder = next(folders)
        folder.mkdir()
        return held(table, folder, secret)

    table = visits()
    before = of(table)
    assert of(table.sample(frac=1, random_state=7)) == before
    assert of(table, b"b") != before, "whoever has not the secret cannot tell"
    other = of(replaced(table, 3, releases.people(50, 1)))
    assert len(other) == len(before) == 6
    assert len(other ^ before) <= 2


@pytest.mark.parametrize(
    ("change", "changes", "message"),
    [
        (
            lambda t: t.assign(pid=t["pid"] + 0.5),
            {},
            "column 'pid' has the type double, must be integers, texts or dates",
        ),
        (
            lambda t: t.assign(pid=pd.to_datetime("2026-01-01")),
            {},
            "column 'pid' has the type timestamp: a time of day is nearly never the same for two rows of a person",
        ),
        (lambda t: t.assign(pid=t["pid"] > 3), {}, "column 'pid' has the type bool, must be integers"),
        (None, {"person": {"columns": ["age"]}}, "person.columns: 'age' is also a feature, a label or a group"),
        (None, {"person": {"columns": ["who"]}}, "column 'who' is missing"),
        (None, {"person": {"columns": []}}, "must be a list of names of columns"),
        (None, {"person": {"columns": ["pid", "pid"]}}, "has a name twice"),
        (None, {"person": {"columns": "pid"}}, "must be a list of names of columns"),
        (None, {"person": {"columns": ["pid"], "rows": "two"}}, "person.rows"),
        (None, {"one_row_a_person": True}, "and not both"),
        (None, {"unprotected_diagnostic": True}, "no number of rows is told"),
        (None, {"public": {"column": "ill", "value": "no"}}, "give public rows as a table"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_paid(
    tmp_path: Path,
    change: Callable[[pd.DataFrame], pd.DataFrame] | None,
    changes: dict[str, Any],
    message: str,
    capsys: Any,
) -> None:
    path = project(tmp_path, visits(), private={"path": str(tmp_path / "clinic.parquet")}, **changes)
    (visits() if change is None else change(visits())).to_parquet(tmp_path / "clinic.parquet")
    assert main(["release", str(path)]) == 2
    assert message in capsys.readouterr().err
    kinds = [json.loads(line)["kind"] for line in (tmp_path / "ledgers/clinic.jsonl").read_text().splitlines()]
    assert kinds == ["opened"]


@pytest.mark.parametrize(
    "names", [["a"] * 40, [None] * 40, ["a", None] * 20, [" a", "a "] * 20, list(map(str, range(40)))]
)
def test_no_name_ends_a_release(tmp_path: Path, names: list[str | None]) -> None:
    table = releases.people(40, 0).assign(pid=names)
    path = project(tmp_path, table, **STUMPS)
    outcome = releases.release(load(path))
    persons = len({None if name is None else name.strip() for name in names})
    assert outcome.released.sizes["n_private"] == persons
    assert outcome.released.guarantee.neighbours is Neighbours.REPLACE_PERSON


def test_two_columns_name_a_person_in_a_period(tmp_path: Path) -> None:
    table = visits()
    days = pd.to_datetime("2026-01-01") + pd.to_timedelta(np.arange(len(table)) % 3, "D")
    table = table.assign(day=days.date)
    path = project(
        tmp_path, table, **STUMPS, person={"columns": ["pid", "day"]}, private={"path": str(tmp_path / "c.parquet")}
    )
    table.to_parquet(tmp_path / "c.parquet")
    staged = stage(load(path))
    assert staged.sizes["n_private"] == len(table.groupby(["pid", "day"]))
    assert sums(staged).units > 1


def test_the_number_of_a_person_s_rows_is_told_to_the_holder_alone(tmp_path: Path, capsys: Any) -> None:
    table = visits()
    path = project(tmp_path, table, **STUMPS)
    public = releases.people(9, 1).assign(pid=[*range(28, 37)])
    public.to_csv(tmp_path / "public.csv", index=False)
    assert main(["inspect", str(path), "--json"]) == 0
    persons = json.loads(capsys.readouterr().out)["persons"]
    rows = table["pid"].value_counts()
    assert (persons["persons"], persons["repeated"], persons["most"]) == (30, int((rows > 1).sum()), rows.max())
    assert persons["quantiles"]["50%"] == sorted(rows)[14]
    assert persons["public"] == 2
    assert main(["inspect", str(path)]) == 0
    assert "persons: 30, of whom" in capsys.readouterr().out


def test_units_are_told_by_the_digest_of_the_request(tmp_path: Path) -> None:
    """It is public and known before a row is read."""
    staged = stage(load(project(tmp_path, visits(), **STUMPS)))
    assert staged.sharing is not None
    assert staged.sharing.key == staged.digest
    assert staged.identity["person"] == attrs.asdict(staged.request.person)


def test_a_public_person_with_several_rows_is_one_public_row(tmp_path: Path, capsys: Any) -> None:
    """Where public rows have no such column each row is public, as before."""
    path = project(tmp_path, visits(), **STUMPS)
    assert stage(load(path)).sizes["n_public"] == 9
    public = visits(7, 5)
    public.to_csv(tmp_path / "public.csv", index=False)
    staged = stage(load(path))
    assert staged.sizes["n_public"] == 7
    rows = {(row.age / 100, row.dollars / 1000): row.pid for row in public.itertuples()}
    assert len({rows[tuple(point)] for point in staged.public.points.tolist()}) == 7
    assert main(["release", str(path), "--dry-run"]) == 0
    assert "7 public rows, one of each public person" in capsys.readouterr().out


def duckdb_of(folder: Path) -> Any:
    """A connection to its file of DuckDB."""
    return pytest.importorskip("duckdb").connect(str(folder / "clinic.duckdb"))


def database(folder: Path, table: pd.DataFrame) -> None:
    """Put a table with numbers of rows into a file of DuckDB."""
    duckdb = pytest.importorskip("duckdb", reason="databases are an extra: python -m pip install 'semipriv[database]'")
    table.assign(row=np.arange(len(table))).to_parquet(folder / "table.parquet")
    with duckdb.connect(str(folder / "clinic.duckdb")) as connection:
        connection.execute(f"create table visits as select * from '{folder / 'table.parquet'}'")


MANY_CUTS = {
    "class": {"name": "thresholds"},
    "features": {"age": {"range": [0, 100], "unknown": 50}},
    "learner": {"name": "sspp", "epsilon": 0.5},
}


def counted_sums(staged: Stage) -> tuple[dict[str, np.ndarray], bool]:
    """The sums, and whether rows were read for them."""
    statistics = staged.statistics()
    waiting, _ = counted(staged.request, staged.public.records, statistics, staged.named)
    whole = statistics[0] if not waiting else sums(staged)
    assert whole.whole(staged.sizes["n_private"])
    return dict(whole.arrays()), bool(waiting)


def test_a_dry_run_shortens_long_queries(tmp_path: Path, capsys: Any) -> None:
    """No line fills a screen, and with --json the whole text is there."""
    table = visits(40)
    private = {"database": f"duckdb://{tmp_path / 'clinic.duckdb'}", "table": "visits"}
    path = project(tmp_path, table, **MANY_CUTS, private=private)
    releases.people(60, 1).to_csv(tmp_path / "public.csv", index=False)
    database(tmp_path, table)
    assert main(["release", str(path), "--dry-run", "--no-simulation", "--json"]) == 0
    (query,) = json.loads(capsys.readouterr().out)["queries"]
    assert len(query.splitlines()) > 100
    assert max(map(len, query.splitlines())) >= 130
    assert main(["release", str(path), "--dry-run", "--no-simulation"]) == 0
    text = capsys.readouterr().out
    printed = text[text.index("SELECT") :].splitlines()
    assert max(map(len, printed)) < 130
    assert len(printed) < 70
    assert f"--json tells all {len(query):,} letters" in text
    assert query.startswith(printed[0])


@pytest.mark.parametrize(("changes", "streamed"), [(MANY_CUTS, False), (TABLE, False), (WEIGHTS, True)])
def test_a_database_gives_the_sums_of_files(tmp_path: Path, changes: dict[str, Any], streamed: bool) -> None:
    table = visits(40, most=30)
    path = project(tmp_path, table, **changes)
    releases.people(60, 1).to_csv(tmp_path / "public.csv", index=False)
    database(tmp_path, table)
    private = {"database": f"duckdb://{tmp_path / 'clinic.duckdb'}", "table": "visits", "order": "row"}
    other = releases.request(tmp_path, "stored.yaml", **PERSON, **changes, private=private)
    staged, stored = stage(load(path)), stage(load(other))
    stored.__dict__["digest"] = staged.digest
    expected, (counted, read) = sums(staged).arrays(), counted_sums(stored)
    stored.request.private.close()
    assert read is streamed
    assert stored.sizes == staged.sizes
    assert expected.keys() == counted.keys()
    assert all(np.array_equal(expected[key], counted[key]) for key in expected)
    if streamed:
        assert sum(int(units.sum()) for _, _, units in stored.records(0)) == 40 * stored.statistics()[0].units


@pytest.mark.parametrize(
    "changes", [MANY_CUTS, WEIGHTS, {**WEIGHTS, "learner": {"name": "pattern_vote", "epsilon": 0.5, "delta": 1e-6}}]
)
def test_who_is_left_out_by_a_query_counts_as_a_public_record(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Else the total would tell how many have a row that passes."""
    table = visits(40, most=3)
    project(tmp_path, table, **changes)
    database(tmp_path, table)
    sizes = []
    for query in ("select * from visits where age < 30", "select * from visits where age < 60"):
        private = {"database": f"duckdb://{tmp_path / 'clinic.duckdb'}", "query": query, "order": "row"}
        path = releases.request(tmp_path, "stored.yaml", **PERSON, **changes, private=private)
        staged = stage(load(path))
        counted, _ = counted_sums(staged)
        units = staged.statistics()[0].units
        total = sum(int(units.sum()) for _, _, units in staged.records(0))
        assert total == 40 * units
        staged.request.private.close()
        sizes.append(staged.sizes)
        assert counted is not None
    assert sizes[0] == sizes[1] == {"n_public": 9, "n_private": 40}


def test_rows_of_persons_that_are_streamed_need_an_order(tmp_path: Path, capsys: Any) -> None:
    project(tmp_path, visits(), **WEIGHTS)
    database(tmp_path, visits())
    private = {"database": f"duckdb://{tmp_path / 'clinic.duckdb'}", "table": "visits"}
    path = releases.request(tmp_path, "stored.yaml", **PERSON, **WEIGHTS, private=private)
    assert main(["release", str(path)]) == 2
    assert "give private.order" in capsys.readouterr().err
    for column in ("ill", "age"):
        tied = {**private, "table": "visits", "order": column}
        path = releases.request(tmp_path, "stored.yaml", **PERSON, **WEIGHTS, private=tied)
        with duckdb_of(tmp_path) as connection:
            connection.execute(f"update visits set {column} = null where row < 9")
        assert main(["release", str(path)]) == 2, "an order with ties tells rows in another order at each reading"
        assert f"column {column!r} must have another value in each row" in capsys.readouterr().err
    private = {"database": private["database"], "query": "select * from visits where age < 30", "order": "row"}
    held = {"held_out": {"share": 0.2, "epsilon": 1}}
    path = releases.request(tmp_path, "stored.yaml", **PERSON, **WEIGHTS, **held, private=private)
    assert main(["release", str(path)]) == 2
    assert "give a table" in capsys.readouterr().err


def test_jobs_of_parts_draw_from_all_of_them(tmp_path: Path) -> None:
    """Each job reads the names in all parts, so that sums of parts add up to N W."""
    table = visits()
    path = project(tmp_path, table, **TABLE, private={"path": str(tmp_path / "parts")})
    (tmp_path / "parts").mkdir()
    for i, part in enumerate((table[:20], table[20:30], table[30:])):
        part.to_csv(tmp_path / f"parts/{i}.csv", index=False)
    private = tmp_path / "results/releases/visits/private"
    files = [str(private / f"{part}.npz") for part in range(3)]
    for part, file in enumerate(files):
        jobs.tally(path, part, file)
    jobs.draw(path, files)
    assert (tmp_path / "results/releases/visits/certificate.json").exists()
    assert not private.exists()


def test_a_request_is_not_added_to_fits_of_persons_without_a_name(tmp_path: Path, capsys: Any) -> None:
    """An estimator's charge says how rows count, and names no column if it was handed an array."""
    path = project(tmp_path, visits(), **STUMPS)
    fit = {"estimator": "SemiPrivateClassifier", "person": {"rows": None}}
    releases.ledger(tmp_path).reserve(fit, Pure(Fraction(1, 10)), Neighbours.REPLACE_PERSON).draw(lambda: b"{}")
    assert main(["release", str(path)]) == 2
    assert "protect persons by an array without a name, this one by pid: they do not add up" in capsys.readouterr().err
    assert len(releases.ledger(tmp_path).charges) == 1


def test_a_ledger_takes_persons_by_one_choice_of_columns(tmp_path: Path, capsys: Any) -> None:
    """A patient in a month is not a patient: over k months a patient would pay k times what is added up."""
    table = visits().assign(month=1)
    path = project(tmp_path, table, **STUMPS)
    assert main(["release", str(path)]) == 0
    assert "neighbours replace_person, persons by pid" in capsys.readouterr().out
    persons = json.loads((tmp_path / "results/releases/visits/certificate.json").read_text())["predicate"]["persons"]
    assert persons["are"].startswith("a person is who the column 'pid' names")
    other = {"release": "months", "person": {"columns": ["pid", "month"]}, "changed_table": "accept"}
    assert main(["release", str(releases.request(tmp_path, "months.yaml", **{**PERSON, **STUMPS, **other}))]) == 2
    assert "its releases protect persons by pid, this one by pid, month" in capsys.readouterr().err
    again = {**other, "release": "again", "person": {"columns": ["pid"], "rows": "one"}}
    assert main(["release", str(releases.request(tmp_path, "again.yaml", **{**PERSON, **STUMPS, **again}))]) == 0
