"""The same people are not counted twice: a file may be there once, whatever its names."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semipriv.practice.sources.apart import check_apart
from semipriv.practice.sources.files import Files

SECRET = "SECRET-DIAGNOSIS"
Lay = Callable[[Path, Path], object]
WAYS: dict[str, Lay] = {
    "hard link": os.link,
    "symbolic link": lambda old, new: new.symlink_to(old),
    "copy": shutil.copy,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table in one file, and one in two parts of the same size."""
    (tmp_path / "clinic.csv").write_text(f"x,y\n1,{SECRET}\n2,no\n")
    for place in ("parts", "others"):
        (tmp_path / place).mkdir()
    for name, start in (("a", 0), ("b", 100)):
        table = pa.table({"x": list(range(start, start + 9))})
        pq.write_table(table, tmp_path / f"parts/{name}.parquet", compression="none", use_dictionary=False)
    assert len({path.stat().st_size for path in (tmp_path / "parts").iterdir()}) == 1
    return tmp_path


def refused(private: Path, unlabelled: Path | None = None, public: Path | None = None) -> str:
    others = [None if path is None else Files(path) for path in (unlabelled, public)]
    with pytest.raises(ValueError, match="same people would be counted twice") as caught:
        check_apart(Files(private), *others)
    assert caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["unlabelled", "public"])
def test_a_table_is_there_once(folder: Path, way: str, key: str) -> None:
    WAYS[way](folder / "clinic.csv", folder / "other.csv")
    message = refused(folder / "clinic.csv", **{key: folder / "other.csv"})
    assert message.startswith(f"private: {folder}/clinic.csv and {key}: {folder}/other.csv ")
    assert SECRET not in message
    assert refused(folder / "clinic.csv", **{key: folder / "clinic.csv"})


@pytest.mark.parametrize("way", WAYS)
def test_a_part_is_there_once(folder: Path, way: str) -> None:
    check_apart(Files(folder / "parts"), None, None)
    WAYS[way](folder / "parts/a.parquet", folder / "others/z.parquet")
    assert "a.parquet and public: " in refused(folder / "parts", public=folder / "others")
    assert "a.parquet and unlabelled: " in refused(folder / "parts", folder / "others")
    WAYS[way](folder / "parts/a.parquet", folder / "parts/c.parquet")
    assert "a.parquet and private: " in refused(folder / "parts")


def test_unlabelled_rows_are_not_public(folder: Path) -> None:
    shutil.copy(folder / "parts/b.parquet", folder / "others/b.parquet")
    assert refused(folder / "clinic.csv", folder / "parts", folder / "others").startswith("unlabelled: ")


def test_a_folder_under_another_name_is_the_same(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "parts")
    assert refused(folder / "parts", folder / "link")


def test_public_files_and_files_without_rows_may_be_the_same(folder: Path) -> None:
    for name in ("c", "d"):
        pq.write_table(pa.table({"x": pa.array([], pa.int64())}), folder / f"parts/{name}.parquet")
    shutil.copy(folder / "parts/a.parquet", folder / "others/a.parquet")
    os.link(folder / "parts/a.parquet", folder / "others/b.parquet")
    check_apart(Files(folder / "clinic.csv"), Files(folder / "parts"), None)
    check_apart(Files(folder / "clinic.csv"), None, Files(folder / "others"))


def test_files_of_other_sizes_are_not_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "public.csv").write_text("x\n1\n")
    monkeypatch.setattr(Path, "open", None)
    check_apart(Files(folder / "clinic.csv"), None, Files(folder / "public.csv"))
