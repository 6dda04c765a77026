"""A stream of a table that is larger than memory for its pages keeps few of them, and the limit ends with it."""

import os
from pathlib import Path

import pytest

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
duckdb = pytest.importorskip("duckdb", reason=WHY)


def test_pages_that_were_read_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault that was met: DuckDB kept all pages of the file, 3.7 GB of one of 3.5 GB."""
    from semipriv.practice.databases import duckdb as own

    monkeypatch.setattr(own, "_PAGES", "16 MiB")
    numbers = ", ".join(f"random() as c{i}" for i in range(10))
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"create table t as select {numbers} from range(1000000)")  # some 70 MB
    session = own.DuckDB.opened(f"duckdb://{tmp_path}/t.duckdb", 60.0)

    def asked(sql: str) -> str:
        return str(session.backend.con.execute(sql).fetchone()[0])

    before = asked("select current_setting('memory_limit')")
    rows = sum(batch.num_rows for batch in session.stream(session.table("t", None).rows))
    kept = int(asked("select memory_usage_bytes from duckdb_memory() where tag = 'BASE_TABLE'"))
    assert rows == 10**6
    assert kept <= 16 * 2**20
    assert asked("select current_setting('memory_limit')") == before
    session.close()


def test_rows_that_a_sort_spills_can_be_read_by_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault that was met: DuckDB wrote rows into the working folder, in files that everybody could read."""
    from semipriv.practice.databases import duckdb as own

    monkeypatch.chdir(tmp_path)
    first, second = (own.DuckDB.opened("duckdb://", 60.0) for _ in range(2))
    database = first.backend.con
    folder = Path(database.execute("select current_setting('temp_directory')").fetchone()[0])
    database.execute("set memory_limit = '20MB'; set threads = 1")
    rows = database.execute("select 'x' || i as x from range(1000000) t(i) order by hash(i)").to_arrow_reader(1000)
    assert rows.read_next_batch().num_rows
    spilled = list(folder.iterdir())
    assert spilled
    assert folder.stat().st_mode & 0o077 == 0
    assert not list(tmp_path.iterdir())
    del rows
    second.close()
    assert folder.exists(), "another database has another folder"
    first.close()
    assert not folder.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes fork on POSIX systems")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_leaves_the_folder_of_its_parent() -> None:
    """The fault that was met: a forked process that ended removed the folder in which its parent was sorting."""
    from semipriv.practice.databases import duckdb as own

    spilled = own.Spilled()
    if not (child := os.fork()):
        del spilled  # the last reference, as at the end of a process
        os._exit(0)
    os.waitpid(child, 0)
    assert Path(spilled.folder).exists()
