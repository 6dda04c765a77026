"""All that a release reads of a database is of one state, whoever writes meanwhile, and whatever is killed."""

import copy
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import postgres
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import spark_here

from semipriv.audit.properties.entropy import Seeded
from semipriv.core.persons import shares
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.asking.request import load
from semipriv.practice.columns.coding import Listed
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.engine.charging import reserve
from semipriv.practice.engine.reading import read_public
from semipriv.practice.engine.stages import draw, partials_of, stage
from semipriv.practice.engine.whole import release
from semipriv.practice.published import words
from semipriv.practice.published.certificate import to_bytes
from semipriv.practice.published.verify import verify
from semipriv.practice.sources.stored import Stored

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)
psycopg = pytest.importorskip("psycopg", reason=WHY)
base = pytest.importorskip("semipriv.practice.databases.base", reason=WHY)
GENERIC: dict[str, Any] = {
    "features": {"age": {"integers": [0, 7], "unknown": 0}, "dollars": {"integers": [0, 7], "unknown": "refuse"}},
    "class": {"name": "discrete_rectangles", "bits": 3},
    "learner": {"name": "generic_learner", "epsilon": 1, "sanitizer": {"name": "strips"}, "size": 2, "n_unlabelled": 3},
}
"""A learner that reads unlabelled entries."""
SSPP: dict[str, Any] = {
    "features": releases.COLUMNS,
    "class": {"name": "halfspaces"},
    "learner": {"name": "sspp", "epsilon": 1},
    "unlabelled": None,
}
QUESTIONS = 50
"""About as many as a small release asks."""
TABLES = ("clinic", "more", "volunteers")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.programs() is None:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (Debian: postgresql)")
    with postgres.server() as address:
        yield address


def people(name: str) -> pd.DataFrame:
    rows = releases.people(60, len(name)).assign(number=np.arange(60))
    rows[["age", "dollars"]] = rows[["age", "dollars"]].round()
    return rows


def into_duckdb(path: Path) -> str:
    with duckdb.connect(str(path)) as connection:
        for name in TABLES:
            frame = people(name)  # noqa: F841  (DuckDB finds it by its name)
            connection.execute(f"create table {name} as select * from frame order by dollars")
    return f"duckdb://{path}"


def into_postgres(address: str) -> str:
    with psycopg.connect(address, autocommit=True) as connection:
        for name in TABLES:
            connection.execute(f"drop table if exists {name}")
            connection.execute(f"create table {name} (age float8, dollars float8, ill text, number int)")
            with connection.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:
                for row in people(name).sort_values("dollars").itertuples(index=False):
                    copy.write_row(list(row))
    return address


def asked(folder: Path, address: str, second: str | None = None, **changes: Any) -> dict[str, Any]:
    """Keys of a request whose three tables are in a database; second: another address of it."""
    if not (folder / "ledgers").exists():
        releases.project(folder, budget={"epsilon": 9, "neighbours": "replace_entry"})
    return {
        "private": {"database": address, "table": "clinic", "order": "number"},
        "public": {"database": second or address, "table": "volunteers"},
        "unlabelled": {"database": second or address, "table": "more", "order": "number"},
        **GENERIC,
        **changes,
    }


@pytest.mark.parametrize("engine", ["duckdb", "postgresql", "postgresql by two addresses"])
def test_a_writer_between_two_tables_is_not_seen(tmp_path: Path, request: pytest.FixtureRequest, engine: str) -> None:
    """Public rows are read first; what is read of the other tables later is of the same moment."""
    address = (
        into_duckdb(tmp_path / "c.duckdb") if engine == "duckdb" else into_postgres(request.getfixturevalue("server"))
    )
    second = f"{address}&connect_timeout=7" if "two" in engine else None
    path = releases.request(tmp_path, **asked(tmp_path, address, second, **SSPP))
    loaded = load(path)
    unlabelled = Stored(second or address, "more", order="number", beside=loaded.private.beside)  # type: ignore[attr-defined]
    read = read_public(loaded)
    if engine == "duckdb":  # a writer in another process cannot open the file
        writer = f"import duckdb; duckdb.connect({str(tmp_path / 'c.duckdb')!r})"
        refused = subprocess.run([sys.executable, "-c", writer], capture_output=True, text=True, check=False)
        assert "lock" in refused.stderr
    else:
        with psycopg.connect(address, autocommit=True) as connection:
            for name in TABLES:
                connection.execute(f"update {name} set age = 1 where number = 3")
                connection.execute(f"insert into {name} select age, dollars, ill, number + 60 from {name}")
    for name, source in (("clinic", loaded.private), ("more", unlabelled)):
        rows = [row for chunk in source.chunks(source.name, ["age", "number"]) for row in chunk.table.to_pylist()]
        assert rows == people(name)[["age", "number"]].to_dict("records")
    unlabelled.close()
    loaded.close()
    if engine != "duckdb":
        again = load(path)
        assert read_public(again).digest != read.digest
        assert again.private.rows() == 120
        again.close()


def test_a_file_that_is_put_in_the_place_of_another_one_is_refused(tmp_path: Path) -> None:
    """After the request was read, and after its public rows were."""
    address = into_duckdb(tmp_path / "c.duckdb")
    request = load(releases.request(tmp_path, **asked(tmp_path, address, **SSPP)))
    read_public(request)
    into_duckdb(tmp_path / "d.duckdb")
    (tmp_path / "d.duckdb").replace(tmp_path / "c.duckdb")
    with pytest.raises(ValueError, match="is read from other tables or files than when the request was read"):
        request.private.rows()
    request.close()


def test_unlabelled_rows_are_those_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order that is declared, with the same release; and they may be behind an address."""
    monkeypatch.setattr("semipriv.practice.engine.stages.Secure", lambda: Seeded(5))
    given = asked(tmp_path, into_duckdb(tmp_path / "c.duckdb"), public=None)
    people("more").to_parquet(tmp_path / "more.parquet", index=False)
    file = tmp_path / "more.parquet"
    places = [{"path": str(file)}, {"path": f"file://{file}"}, given["unlabelled"]]
    released = []
    for i, place in enumerate(places):
        ledger = tmp_path / f"ledgers/{i}.jsonl"
        releases.Ledger.create(ledger, releases.Budget(epsilon=2, neighbours="replace_entry"), "a clinic")
        path = releases.request(
            tmp_path, **{**given, "unlabelled": place, "ledger": str(ledger), "results": str(tmp_path / f"{i}")}
        )
        model = json.loads(release(load(path)).released.to_bytes())
        model["more"].pop("database")
        assert set(model["more"].pop("sources", {})) == ({"unlabelled"} if "database" in place else set())
        released.append(model)
    assert released[1:] == released[:1] * 2
    wrong = {**given["unlabelled"], "order": None}
    with pytest.raises(ValueError, match=r"give unlabelled\.order"):
        load(releases.request(tmp_path, **{**given, "unlabelled": wrong}))
    with pytest.raises(ValueError, match=r"private: .* and unlabelled: .* are one table"):
        load(releases.request(tmp_path, **{**given, "unlabelled": given["private"]}))
    mixing = {"database": given["private"]["database"], "query": "select max(age) over () as age, dollars from more"}
    with pytest.raises(ValueError, match=r"unlabelled\.query: "):
        load(releases.request(tmp_path, **{**given, "unlabelled": {**mixing, "order": "dollars"}}))


def test_the_certificate_tells_where_all_rows_were_read(tmp_path: Path) -> None:
    """Of one engine with a state that stays, and of files that it reads where they are; and no word may be another."""
    people("volunteers").to_parquet(tmp_path / "volunteers.parquet", index=False)
    changes = {
        "features": {"age": {"range": [0, 100]}},
        **releases.THRESHOLDS,
        "held_out": {"share": 0.25, "epsilon": 1},
    }
    given = asked(tmp_path, into_duckdb(tmp_path / "c.duckdb"), unlabelled=None, **changes)
    given["public"] = {"database": "duckdb://", "query": f"select * from '{tmp_path / 'volunteers.parquet'}'"}
    releases.Ledger.create(tmp_path / "own.jsonl", releases.Budget(epsilon=2), "a clinic")
    request = release(
        load(releases.request(tmp_path, **{**given, "ledger": str(tmp_path / "own.jsonl")}))
    ).staged.request
    path = request.folder / "certificate.json"
    statement = json.loads(path.read_text())
    sources = statement["predicate"]["sources"]
    engine = f"DuckDB {duckdb.__version__}"
    assert {role: (source["engine"], source["state"] == words.ONE_STATE) for role, source in sources.items()} == {
        "public": (engine, False),
        "held_out": (engine, True),
    }
    assert all(check.passed for check in verify(request.folder, request.ledger))
    page = (request.folder / "certificate.html").read_text()
    assert "held-out rows" in page
    assert page.count(engine) == 3, "private, public and held-out rows"
    (request.folder / "certificate.html").unlink()
    edits = [
        ("held_out", "state", words.NO_STATE + "."),
        ("public", "same_rows", words.ROW_HASHES),
        ("unlabelled", "engine", engine),
    ]
    for role, key, text in edits:
        edited = copy.deepcopy(statement)
        edited["predicate"]["sources"].setdefault(role, {})[key] = text
        path.write_bytes(to_bytes(edited))
        try:
            assert not all(check.passed for check in verify(request.folder))
        except ValueError as error:
            assert "predicate.sources" in str(error)  # noqa: PT017  (refused by form, or by its words)


@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=pytest.mark.spark)])
@pytest.mark.parametrize("what", ["counted", "unlabelled"])
def test_files_that_change_between_queries_are_found(
    tmp_path: Path, engine: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that reads Parquet files where they are has no state of them.  Asked again, the request draws."""
    if engine == "spark":
        spark_here.prepare()
    for name in TABLES:
        people(name).to_parquet(tmp_path / f"{name}.parquet", index=False)

    def of(name: str) -> dict[str, Any]:
        file = tmp_path / f"{name}.parquet"
        if engine == "spark":
            return {"database": spark_here.LOCAL, "query": f"select * from parquet.`{file}`", "order": "number"}
        return {"database": "duckdb://", "query": f"select * from '{file}'", "order": "number"}

    changes = {"private": of("clinic"), "unlabelled": of("more"), "public": None}
    if what == "counted":
        changes = {
            "private": of("clinic"),
            "unlabelled": None,
            "public": {"path": str(tmp_path / "public.csv")},
            "label": releases.LABEL,
            **releases.THRESHOLDS,
            "features": {"age": {"range": [0, 100]}},
        }
    neighbours = {"neighbours": "replace_entry"} if what == "unlabelled" else {}
    releases.project(tmp_path, budget={"epsilon": 9, **neighbours})
    path = releases.request(tmp_path, **{**GENERIC, **changes})
    staged = stage(load(path))
    reservation = reserve(staged)
    changed = people("clinic" if what == "counted" else "more").assign(age=1.0)

    def change() -> None:
        changed.to_parquet(tmp_path / f"{'clinic' if what == 'counted' else 'more'}.parquet", index=False)

    if what == "counted":
        read, state = base.Database.read, {"done": False}

        def reading(self: Any, asked: Any) -> Any:
            answer = read(self, asked)
            if "GROUP BY" in self.sql(asked) and not state["done"]:
                state["done"] = True
                change()
            return answer

        monkeypatch.setattr(base.Database, "read", reading)
        if engine == "spark":
            spark = type(staged.request.private.session.database)  # type: ignore[attr-defined]
            read = spark.read
            monkeypatch.setattr(spark, "read", reading)
        with pytest.raises(ValueError, match="was changed while the release was made"):
            partials_of(staged, reservation)
        assert state["done"]
    else:
        partials = partials_of(staged, reservation)
        chunks = Stored.chunks

        def chunking(self: Stored, part: Any, columns: Any) -> Any:
            change()
            return chunks(self, part, columns)

        monkeypatch.setattr(Stored, "chunks", chunking)
        with pytest.raises(ValueError, match="was changed while the release was made"):
            draw(staged, reservation, partials)
    monkeypatch.undo()
    staged.request.close()
    if what == "unlabelled":  # the ledger knows the table already
        people("more").to_parquet(tmp_path / "more.parquet", index=False)
    release(load(path))
    assert releases.kinds(tmp_path).count("reserved") == releases.kinds(tmp_path).count("released") == 1


# ---------------------------------------------------------------------------------------------------- kills
@pytest.fixture(scope="module")
def started() -> Iterator[Callable[[dict[str, Any]], list[int]]]:
    """Function that releases in a process of its own, which may be killed, and returns its exit code."""
    script = [sys.executable, str(Path(releases.__file__).with_name("releaser.py"))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdin
        assert process.stdout

        def ask(task: dict[str, Any]) -> list[int]:
            assert process.stdin
            assert process.stdout
            process.stdin.write(json.dumps({"children": 1, **task}) + "\n")
            process.stdin.flush()
            return list(json.loads(process.stdout.readline()))

        yield ask
        process.stdin.close()


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_kills_at_random_questions_cost_one_charge_and_one_draw(
    tmp_path: Path, started: Callable[[dict[str, Any]], list[int]], kills: int
) -> None:
    """At any question to the database, before it or after its answer: whoever asks again gets the one draw."""
    generator = np.random.default_rng(kills)
    database = into_duckdb(tmp_path / "c.duckdb")
    releases.project(tmp_path, budget={"epsilon": 10**3})
    changes = {
        "features": {"age": {"range": [0, 100]}},
        **releases.THRESHOLDS,
        "held_out": {"share": 0.25, "epsilon": 1},
    }
    private = {"database": database, "table": "clinic", "order": "number"}
    stages = set()
    for i in range(kills):
        name = f"r{i}"
        path = releases.request(tmp_path, f"{name}.yaml", release=name, private=private, **changes)
        entries_before = len(releases.kinds(tmp_path))
        call = 1 + int((i + generator.random()) * QUESTIONS / kills)
        kill = {"module": "semipriv.practice.databases.duckdb:DuckDB", "name": "guarded", "call": call}
        (code,) = started({"path": str(path), **kill, "later": bool(generator.integers(2))})
        assert code in (0, -9)
        stages.add((code, *releases.kinds(tmp_path)[entries_before:]))
        before = [kind for kind in releases.kinds(tmp_path)[entries_before:] if kind == "released"]
        assert started({"path": str(path)}) == [0]
        kinds = releases.kinds(tmp_path)[entries_before:]
        assert kinds.count("reserved") == kinds.count("released") == 1
        assert len(before) <= 1
    assert len(stages) > 1, "kills came before the charge, and after it"


# ---------------------------------------------------------------------------------------------------- skewed persons
def skewed(n: int) -> pa.Table:
    """One person has half of all rows; the others have a few each."""
    rng = np.random.default_rng(2)
    person = np.where(np.arange(n) < n // 2, 0, rng.integers(1, max(2, n // 8), n))
    return pa.table({"p": rng.permutation(person), "sex": rng.choice(["F", "M", "?"], n)})


def shared(folder: Path, cells: pa.Table) -> tuple[Any, float]:
    """Units by code in DuckDB, and the seconds of processor time that they took."""
    pq.write_table(cells, folder / "t.parquet")
    (folder / "t.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(f"create table t as select * from '{folder / 't.parquet'}'")
    source = Stored(f"duckdb://{folder / 't.duckdb'}", "t")
    session, sex = source.session, Listed({"F": 0, "M": 1}, 2)
    begun = time.process_time()
    query = session.database.sharing(session.table, ["p"], [("sex", sex)], [[0]], 16, "key")
    (counted,) = query.read(session.database.read(query.asked))
    seconds = time.process_time() - begun
    source.close()
    return dict(zip(counted.codes[0].tolist(), counted.units.tolist(), strict=True)), seconds


def test_a_person_with_half_of_all_rows_has_the_units_of_one(tmp_path: Path) -> None:
    cells = skewed(4000)
    read, _ = shared(tmp_path, cells)
    persons = PersonColumns(["p"]).of([Chunk("t", cells, np.arange(1, 4001))])
    codes = np.array([{"F": 0, "M": 1, "?": 2}[cell] for cell in cells["sex"].to_pylist()])
    units = shares(persons, codes[:, None], 16, "key")
    assert read == {code: int(units[codes == code].sum()) for code in range(3)}
    assert sum(read.values()) == 16 * persons.count


@pytest.mark.exhaustive
def test_time_grows_with_the_rows_of_one_person_alone(tmp_path: Path) -> None:
    """From 2e5 to 3.2e6 rows, half of them of one person: at most n^1.3."""
    shared(tmp_path, skewed(1000))
    seconds = [min(shared(tmp_path, skewed(n))[1] for _ in range(2)) for n in (200_000, 3_200_000)]
    assert seconds[1] <= 16**1.3 * seconds[0], seconds
