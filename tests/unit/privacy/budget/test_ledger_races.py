"""Writers of one ledger exclude each other whatever happens to its names: removed, linked, replaced, copied."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import BudgetError, DamagedError, Ledger, LedgerError
from semipriv.privacy.events import Pure
from semipriv.privacy.guarantee import Neighbours

EXAMPLE = Neighbours.REPLACE_PRIVATE_EXAMPLE
STEPS = ["write", "fsync", "replace", "open", "close"]


def charged(path: Path, request: object) -> bool:
    """Ask for the whole budget; return whether it was granted.  A refusal must be one that says why."""
    try:
        Ledger.open(path).reserve({"n": request}, Pure(1), EXAMPLE)
    except (BudgetError, LedgerError):
        return False
    return True


def in_processes(works: list[Callable[[], bool]]) -> list[bool]:
    """Return what each work says, in processes that run at once; an error is not one of the answers."""
    children = []
    for work in works:
        pid = os.fork()
        if pid == 0:
            code = 2
            try:
                code = int(work())
            finally:
                os._exit(code)
        children.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    assert set(codes) <= {0, 1}
    return [bool(code) for code in codes]


@contextmanager
def drawing(ledger: Ledger) -> Iterator[list[BaseException]]:
    """Let a thread hold the ledger while it draws; yield what its draw raises in the end."""
    begun, go_on, raised = threading.Event(), threading.Event(), list[BaseException]()

    def make() -> bytes:
        begun.set()
        assert go_on.wait(30)
        return b"drawn"

    def draw() -> None:
        try:
            ledger.reserve({"n": 0}, Pure(0.5), EXAMPLE).draw(make)
        except LedgerError as error:
            raised.append(error)

    thread = threading.Thread(target=draw)
    thread.start()
    assert begun.wait(30)
    try:
        yield raised
    finally:
        go_on.set()
        thread.join()


def test_no_file_beside_the_ledger_is_the_lock(tmp_path: Path) -> None:
    """Whatever is removed or made beside it while one writes, another waits."""
    path = tmp_path / "clinic.jsonl"
    ledger = Ledger.create(path, Budget(1))
    ended = tmp_path / "ended"
    with drawing(ledger):
        for other in tmp_path.iterdir():
            if other not in (path, tmp_path / "clinic.jsonl.head", tmp_path / "clinic.jsonl.key"):
                other.unlink()
        (tmp_path / "clinic.jsonl.lock").touch()
        pid = os.fork()
        if pid == 0:
            with suppress(BudgetError):
                Ledger.open(path).reserve({"n": 1}, Pure(1), EXAMPLE)
            ended.touch()
            os._exit(0)
        time.sleep(0.2)
        assert not ended.exists()
    os.waitpid(pid, 0)
    assert ended.exists()
    assert [entry.kind for entry in ledger.entries] == ["opened", "reserved", "released"]


def test_a_second_name_is_refused(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.jsonl", Budget(1))
    other = tmp_path / "folder/b.jsonl"
    other.parent.mkdir()
    os.link(ledger.path, other)
    before = ledger.path.read_bytes()
    for path in (ledger.path, other):
        for end in ("head", "key"):
            if path == other:
                shutil.copy(f"{ledger.path}.{end}", f"{other}.{end}")
        with pytest.raises(LedgerError, match=r"has 2 names \(hard links\), must have one.*make copies instead"):
            Ledger.open(path)
    for use in (lambda: ledger.entries, lambda: ledger.recognise("aa"), lambda: ledger.reserve({}, Pure(1), EXAMPLE)):
        with pytest.raises(LedgerError, match="has 2 names"):
            use()
    assert ledger.path.read_bytes() == before
    other.unlink()
    assert charged(ledger.path, 1)


def test_a_name_that_is_given_while_one_draws_stores_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.jsonl", Budget(1))
    with drawing(ledger) as raised:
        os.link(ledger.path, tmp_path / "b.jsonl")
    assert "has 2 names" in str(raised[0])
    (tmp_path / "b.jsonl").unlink()
    assert ledger.reserve({"n": 0}, Pure(0.5), EXAMPLE).draw(lambda: b"again") == b"again"


def test_what_replaces_a_ledger_while_one_draws_is_not_written(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "a.jsonl", Budget(1))
    with drawing(ledger) as raised:
        shutil.copy(ledger.path, tmp_path / "copy")
        before = ledger.path.read_bytes()
        (tmp_path / "copy").rename(ledger.path)
    assert "was replaced by another file while it was written, nothing was charged or stored" in str(raised[0])
    assert ledger.path.read_bytes() == before
    assert ledger.reserve({"n": 0}, Pure(0.5), EXAMPLE).draw(lambda: b"again") == b"again"


@pytest.mark.parametrize("how", ["hard link", "symbolic link", "copy over it"])
def test_a_race_through_two_names_grants_once(tmp_path: Path, how: str) -> None:
    for n in range(6):
        path, other = tmp_path / f"{n}.jsonl", tmp_path / f"{n}_other.jsonl"
        Ledger.create(path, Budget(1))

        def name(path: Path = path, other: Path = other) -> bool:
            if how == "hard link":
                os.link(path, other)
                shutil.copy(f"{path}.head", f"{other}.head")
            elif how == "symbolic link":
                other.symlink_to(path)
            else:
                shutil.copy(path, other)
                os.replace(other, path)
            return False

        def ask(k: int, path: Path = path, other: Path = other) -> bool:
            return charged(other if k % 2 and other.exists() else path, k)

        granted = in_processes(
            [*(lambda k=k: ask(k) for k in range(4)), name, *(lambda k=k: ask(k) for k in range(4, 7))]
        )
        assert sum(granted) <= 1
        if how == "hard link":
            other.unlink()
        try:
            kinds = [entry.kind for entry in Ledger.open(path).entries]
        except DamagedError:  # the copy forgot the charge, and the head knows
            assert how == "copy over it"
            assert sum(granted) == 1
            continue
        assert kinds.count("reserved") == sum(granted) or how == "copy over it"
        assert kinds.count("reserved") <= 1


def at_moment(moment: int, act: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Do something at a moment of this thread, before or after a call of the system; return [moments left]."""
    left, me = [moment], threading.get_ident()

    def tick() -> None:
        if threading.get_ident() == me:
            left[0] -= 1
            if left[0] == -1:
                act()

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **others: Any) -> Any:
            tick()
            result = real(*values, **others)
            tick()
            return result

        return call

    for name in STEPS:
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    return left


@pytest.mark.parametrize("copied", ["before", "now"])
def test_a_ledger_replaced_at_any_moment_is_never_charged_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: str
) -> None:
    """Put a copy in its place at any moment of a charge, and ask for the whole budget there: not both are granted."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    moment, both, second = 0, [], []
    while True:
        folder = tmp_path / str(moment)
        path, copy = folder / "clinic.jsonl", folder / "copy"
        Ledger.create(path, Budget(1))
        shutil.copy(path, copy)
        answers: list[bool] = []

        def replace(path: Path = path, copy: Path = copy, answers: list[bool] = answers) -> None:
            def work() -> None:
                if copied == "now":
                    shutil.copy(path, copy)
                copy.rename(path)
                answers.append(charged(path, "second"))

            thread = threading.Thread(target=work)
            thread.start()
            thread.join(30)

        with monkeypatch.context() as patched:
            left = at_moment(moment, replace, patched)
            first = charged(path, "first")
        if left[0] >= 0:
            break
        second += answers
        both.append(first and answers[0])
        moment += 1
    assert len(both) > 30, "there are that many moments"
    assert any(second), "before the first one is there, the second is granted"
    assert not any(both)


def test_two_who_open_at_any_moment_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another opens the same at any moment of an opening: one whole ledger comes of it, and one is told."""
    moment, collected = 0, []
    monkeypatch.setattr("test_ledger_races.STEPS", [*STEPS, "link"])
    while True:
        path = tmp_path / str(moment) / "clinic.jsonl"
        opened: list[str] = []

        def create(who: str, path: Path = path, opened: list[str] = opened) -> None:
            with suppress(FileExistsError):
                Ledger.create(path, Budget(1), who)
                opened.append(who)

        def other(create: Callable[[str], None] = create) -> None:
            thread = threading.Thread(target=create, args=("second",))
            thread.start()
            thread.join(30)

        with monkeypatch.context() as patched:
            left = at_moment(moment, other, patched)
            create("first")
        if left[0] >= 0:
            break
        ledger = Ledger.open(path)
        assert opened == [ledger.summary().about]
        assert len(ledger.key) == 32
        assert charged(path, 1)
        collected.append(opened[0])
        moment += 1
    assert set(collected) == {"first", "second"}
