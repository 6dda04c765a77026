"""Files of a table that keeps its older versions are not read, whoever reads them: people who left would be counted."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import spark_here

from semipriv.practice.asking.request import load
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.objects import Objects
from semipriv.practice.sources.source import Source
from semipriv.practice.sources.stored import Stored

WHY = "databases are an extra: python -m pip install 'semipriv[database]'"
LOGS = {
    "Delta": "_delta_log/00000000000000000000.json",
    "Hudi": ".hoodie/hoodie.properties",
    "Iceberg of a folder": "metadata/v3.metadata.json",
    "Iceberg of a catalogue": "metadata/00002-3c1d6a1e-6d6f-4a3e-9d2c-0a1b2c3d4e5f.gz.metadata.json",
    "a stream of Spark": "_spark_metadata/0",
}


def table(folder: Path, log: str, below: str = "") -> Path:
    """A folder with two files of Parquet, maybe in folders below it, and a file beside them."""
    root = folder / "stays"
    (root / below).mkdir(parents=True)
    cells = pa.Table.from_pandas(releases.people(60, 0))
    pq.write_table(cells.slice(0, 25), root / below / "a.parquet")
    pq.write_table(cells.slice(25), root / below / "b.parquet")
    if log:
        (root / log).parent.mkdir()
        (root / log).write_text("{}")
    return root


def view(folder: Path, files: str) -> Stored:
    duckdb = pytest.importorskip("duckdb", reason=WHY)
    with duckdb.connect(str(folder / "views.duckdb")) as connection:
        connection.execute(f"create view inner_view as select * from read_parquet('{files}')")
        connection.execute("create view outer_view as select * from inner_view")
    return Stored(f"duckdb://{folder}/views.duckdb", table="outer_view")


def query(text: str) -> Stored:
    pytest.importorskip("duckdb", reason=WHY)
    return Stored("duckdb://", query=text)


def linked(folder: Path, root: Path) -> Path:
    (folder / "link.parquet").symlink_to(root / "data/a.parquet")
    return folder / "link.parquet"


READERS: dict[str, Callable[[Path, Path], Source]] = {
    "a folder": lambda _, root: Files(root / "data"),
    "a file": lambda _, root: Files(root / "data/b.parquet"),
    "a link": lambda folder, root: Files(linked(folder, root)),
    "an address of a folder": lambda _, root: Objects(f"file://{root}/data"),
    "an address of a file": lambda _, root: Objects(f"file://{root}/data/a.parquet"),
    "a query": lambda _, root: query(f"select age from read_parquet('{root}/**/*.parquet')"),
    "a query of a file": lambda _, root: query(f"select age from '{root}/data/a.parquet'"),
    "a view of a view": lambda folder, root: view(folder, f"{root}/data/**"),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_reads_its_files(tmp_path: Path, reader: str) -> None:
    """In a folder beside the log."""
    root = table(tmp_path, LOGS["Iceberg of a catalogue"], "data")
    with pytest.raises(ValueError, match="rows that were deleted: give a copy of one version"):
        READERS[reader](tmp_path, root).identities()


@pytest.mark.parametrize("kind", LOGS)
def test_no_kind_is_read(tmp_path: Path, kind: str) -> None:
    root = table(tmp_path, LOGS[kind])
    with pytest.raises(ValueError, match=f"files are of {kind.partition(' of a ')[0]}"):
        Files(root).identities()


@pytest.mark.parametrize("reader", READERS)
def test_other_folders_beside_files_do_not_matter(tmp_path: Path, reader: str) -> None:
    """As one that is called metadata, and holds something else."""
    root = table(tmp_path, "metadata/stays.metadata.json", "data")
    assert READERS[reader](tmp_path, root).identities()


def test_a_folder_of_a_partition_is_one_of_the_table(tmp_path: Path) -> None:
    root = table(tmp_path, LOGS["Delta"], "ward=A/year=2025")
    for path in ("", "ward=A", "ward=A/year=2025"):
        with pytest.raises(ValueError, match="files are of Delta"):
            Files(root / path).identities()


def test_it_is_refused_before_the_charge(tmp_path: Path) -> None:
    root = table(tmp_path, LOGS["Delta"])
    path = releases.project(tmp_path, private={"path": str(root)})
    with pytest.raises(ValueError, match="rows that were deleted"):
        release(load(path))
    assert releases.kinds(tmp_path) == ["opened"]


@pytest.mark.spark
@pytest.mark.parametrize("kind", LOGS)
def test_spark_does_not_read_its_files(tmp_path: Path, kind: str) -> None:
    """By their folder, by a file, or by a view; and reads those of another folder."""
    spark_here.prepare()
    root, other = table(tmp_path, LOGS[kind], "data"), table(tmp_path / "other", "metadata/a.json", "data")
    address = spark_here.view("versioned", root / "data/a.parquet")
    asked = [f"select age from parquet.`{root}/data`", f"select age from parquet.`file:{root}/data/b.parquet`"]
    for source in (*(Stored(address, query=text) for text in asked), Stored(address, table="versioned")):
        with pytest.raises(ValueError, match="rows that were deleted: give a copy of one version"):
            source.identities()
    assert Stored(address, query=f"select age from parquet.`{other}/data`").identities()
