"""Files that are written whole: at once by many, after a kill, and without a part that stays."""

import os
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from semipriv.core import files
from semipriv.core.files import atomic, remove_if_abandoned


def test_threads_that_write_one_file_do_not_take_each_others_parts(tmp_path: Path) -> None:
    path, together = tmp_path / "deep/table.csv", Barrier(4)

    def write(n: int) -> None:
        for _ in range(20):
            together.wait()
            with atomic(path) as temporary:
                temporary.write_text(str(n))
                assert temporary.suffix == ".csv"

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert path.read_text() in "0123"
    assert list(path.parent.iterdir()) == [path]


def test_names_tell_nothing_of_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers share process ids, and may share a folder."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with atomic(tmp_path / "a") as first, atomic(tmp_path / "a") as other:
        assert first != other
        first.write_text("one")
        other.write_text("other")
    assert (tmp_path / "a").read_text() == "one", "the last to end"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_the_part_of_a_kill_is_removed_at_the_next_write_and_none_that_is_written(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    pid = os.fork()
    if pid == 0:
        with atomic(path) as temporary:
            temporary.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
    (abandoned,) = tmp_path.iterdir()
    other = tmp_path / abandoned.name.replace("table", "other")
    other.write_text("of another file")
    with atomic(path) as slow:
        assert not abandoned.exists()
        slow.write_text("slow")
        with atomic(path) as quick:
            quick.write_text("quick")
        assert path.read_text() == "quick"
        remove_if_abandoned(slow)
        assert slow.exists()
    assert path.read_text() == "slow"
    assert sorted(tmp_path.iterdir()) == [other, path]
    remove_if_abandoned(path)
    remove_if_abandoned(other)
    assert list(tmp_path.iterdir()) == [path]


def test_where_nothing_can_be_locked_parts_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(files, "flock", refuse)
    with atomic(tmp_path / "a") as slow:
        with atomic(tmp_path / "a") as quick:
            quick.write_text("quick")
        slow.write_text("slow")
    assert (tmp_path / "a").read_text() == "slow"


def test_a_private_file_is_private_from_its_first_byte(tmp_path: Path) -> None:
    with atomic(tmp_path / "key", 0o600) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_what_cannot_be_written_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file/deep", tmp_path / ("n" * 250)):
        with pytest.raises(OSError, match=r"Not a directory|File exists|File name too long") as caught, atomic(path):
            pass
        assert ".part" not in str(caught.value)
    with pytest.raises(RuntimeError), atomic(tmp_path / "new"):
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
