"""Parts in object storage are read as files are; a local S3 server, where one is installed, is asked for them."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases

from semipriv.practice.asking.request import load
from semipriv.practice.engine.charging import reserve
from semipriv.practice.engine.stages import partials_of, stage
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.objects import Objects

ASKED = {
    "features": {"age": {"range": [0, 100]}},
    "class": {"name": "thresholds"},
    "learner": {"name": "sspp", "epsilon": 0.5},
}


def parts(folder: Path) -> Path:
    """The clinic's table in two Parquet parts, and a file that is none."""
    parts = folder / "parts"
    parts.mkdir()
    cells = pa.Table.from_pandas(releases.people(60, 0))
    pq.write_table(cells.slice(0, 25), parts / "a.parquet")
    pq.write_table(cells.slice(25), parts / "b.parquet")
    (parts / "notes.txt").write_text("not a part")
    return parts


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the parts in a bucket of a server that ends with the test."""
    server = pytest.importorskip(
        "moto.server", reason="NOT TESTED: no local S3 server (python -m pip install 'moto[server,s3]')"
    )
    from pyarrow.fs import S3FileSystem

    for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(key, "x")
    running = server.ThreadedMotoServer("127.0.0.1", 0)
    running.start()
    host, port = running.get_host_and_port()
    options = {"endpoint_override": f"{host}:{port}", "scheme": "http", "region": "us-east-1"}
    storage = S3FileSystem(allow_bucket_creation=True, **options)
    storage.create_dir("clinic")
    for file in parts(tmp_path).iterdir():
        with storage.open_output_stream(f"clinic/parts/{file.name}") as stream:
            stream.write(file.read_bytes())
    yield "s3://clinic/parts?" + "&".join(f"{key}={value}" for key, value in options.items())
    running.stop()


def sums(path: Path) -> list[np.ndarray]:
    staged = stage(load(path))
    return [partial.sums[0]["sums"] for partial in partials_of(staged, reserve(staged))]


def same(folder: Path, address: str) -> None:
    """Parts are tallied as those of a folder, recognised by the same digest, and released."""
    path = releases.project(folder, **ASKED, private={"path": str(folder / "parts")})
    first = sums(path)
    release(load(path))
    later = releases.request(folder, "later.yaml", **{**ASKED, "private": {"path": address}, "release": "later"})
    assert len(first) == 2
    assert all(map(np.array_equal, first, sums(later)))
    assert release(load(later)), "the ledger knows the table"


def test_parts_by_an_address_are_those_of_the_folder(tmp_path: Path) -> None:
    same(tmp_path, f"file://{parts(tmp_path)}")


def test_parts_in_a_bucket_are_those_of_the_folder(tmp_path: Path, bucket: str) -> None:
    same(tmp_path, bucket)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("https://h/x.parquet", "private.address: must be a file, a folder, or start with s3://"),
        ("s3://key:secret@bucket/x", "must not hold a key"),
        ("file:///nowhere/at/all", "cannot be reached, or is not there"),
    ],
)
def test_a_wrong_address_is_refused_before_the_charge(tmp_path: Path, address: str, message: str) -> None:
    path = releases.project(tmp_path, **ASKED, private={"path": address})
    with pytest.raises(ValueError, match=message) as raised:
        release(load(path))
    assert "secret" not in str(raised.value)
    assert releases.kinds(tmp_path) == ["opened"]


def test_a_folder_without_parts_and_a_part_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match=r"has no file \*\.parquet"):
        Objects(f"file://{tmp_path / 'none'}").rows()
    (tmp_path / "none/a.parquet").write_bytes(os.urandom(100))
    with pytest.raises(ValueError, match="is not a readable Parquet file"):
        Objects(f"file://{tmp_path / 'none'}").rows()
