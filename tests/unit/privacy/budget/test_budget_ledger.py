"""The ledger: one charge and one draw for a request, whatever happens on the way; damage is refused."""

import hashlib
import json
import os
import resource
import shutil
import signal
import tempfile
import threading
import traceback
from collections.abc import Callable
from errno import ENOSPC
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semipriv.privacy.budget import chain
from semipriv.privacy.budget.ledger import Budget, BudgetError, DamagedError, EqualReleases, Ledger, LedgerError
from semipriv.privacy.budget.lines import FIRST, line_of
from semipriv.privacy.events import Approximate, Concentrated, Pure
from semipriv.privacy.guarantee import Guarantee, Neighbours

EXAMPLE = Neighbours.REPLACE_PRIVATE_EXAMPLE
REQUEST = {"release": "visits", "epsilon": "0.5"}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "clinic.jsonl", Budget("1"), "visits to the clinic")


def half(ledger: Ledger, request: dict[str, Any] = REQUEST):
    return ledger.reserve(request, Pure(0.5), EXAMPLE)


def spent(ledger: Ledger) -> Fraction:
    return Ledger.open(ledger.path).summary().accounts[0].spent


def kinds(ledger: Ledger) -> list[str]:
    return [entry.kind for entry in Ledger.open(ledger.path).entries]


def never() -> bytes:
    raise AssertionError("must not draw")


# ---------------------------------------------------------------------------------------------------- what it does
def test_a_request_is_charged_once_and_drawn_once(ledger: Ledger) -> None:
    own_pending = half(ledger)
    assert own_pending.stored is None
    assert half(ledger, {"epsilon": "0.5", "release": "visits"}) == own_pending, "the order of keys is none"
    assert spent(ledger) == Fraction(1, 2)
    assert own_pending.draw(lambda: b"\x00model") == b"\x00model"
    again = half(Ledger.open(ledger.path))
    assert again.stored == again.draw(never) == b"\x00model"
    assert kinds(ledger) == ["opened", "reserved", "released"]
    half(ledger, {**REQUEST, "release": "other"})
    with pytest.raises(BudgetError, match=r"total epsilon 1; .*spent 1, asked 0\.5, left 0; .*would fit: epsilon 0$"):
        half(ledger, {**REQUEST, "release": "third"})
    assert spent(ledger) == 1
    assert half(ledger).draw(never) == b"\x00model", "over budget, replays go on"


def test_the_identity_tells_nothing_of_the_data(tmp_path: Path) -> None:
    first, two = (Ledger.create(tmp_path / name, Budget(1)) for name in ("a.jsonl", "b.jsonl"))
    assert len(first.identity) == 32
    assert first.identity != two.identity
    assert first.key != two.key
    assert first.key.hex() not in first.path.read_text()


def test_entries_keep_their_kinds_apart(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.jsonl", Budget(2, "1e-5", failures="1e-6"))
    ledger.reserve({"n": 1}, Pure(0.1), EXAMPLE)
    ledger.reserve({"n": 2}, Concentrated(Fraction("0.001")), EXAMPLE)
    ledger.reserve({"n": 3}, Approximate(0.1, 1e-7), EXAMPLE)
    costs = [entry.payload["cost"] for entry in ledger.entries[1:]]
    assert [cost["pure"] is None for cost in costs] == [False, True, False]
    assert [cost["delta"] == "0" for cost in costs] == [True, True, False]
    assert costs[1]["rho"] == "1/1000"
    accounts = {account.name: account for account in ledger.summary().accounts}
    assert accounts["epsilon"].spent is None
    assert accounts["failures"].spent == Fraction(1e-7)
    assert accounts["renyi"].left < accounts["renyi"].total


def test_a_request_charged_for_another_event_is_not_drawn(ledger: Ledger) -> None:
    half(ledger)
    with pytest.raises(LedgerError, match="entry 1 charged this request for another event"):
        ledger.reserve(REQUEST, Pure(0.75), EXAMPLE)
    half(ledger).draw(lambda: b"drawn")
    assert ledger.reserve(REQUEST, Pure(0.75), EXAMPLE).stored == b"drawn"


def test_other_neighbours_do_not_add_up(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match=r"neighbours replace_private_example, the request's .*replace_entry"):
        ledger.reserve(REQUEST, Pure(0.5), Neighbours.REPLACE_ENTRY)


@pytest.mark.parametrize("request_", [{"a": float("nan")}, {"a": {1, 2}}, {"a": b"x"}])
def test_a_request_is_json(ledger: Ledger, request_: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="request: must be values of JSON"):
        half(ledger, request_)
    assert kinds(ledger) == ["opened"]


def test_equal_releases_end_at_their_number(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l.jsonl", EqualReleases(Guarantee(0.1), 2, "1e-6"))
    assert Ledger.open(ledger.path).rule == ledger.rule
    for n in range(2):
        ledger.reserve({"n": n}, Pure(0.1), EXAMPLE)
    with pytest.raises(BudgetError, match="releases: total 2, spent 2, asked 1, left 0"):
        ledger.reserve({"n": 2}, Pure(0.1), EXAMPLE)


def test_a_draw_that_fails_leaves_the_charge(ledger: Ledger) -> None:
    with pytest.raises(ZeroDivisionError):
        half(ledger).draw(lambda: bytes(1 // 0))
    assert spent(ledger) == Fraction(1, 2)
    assert half(ledger).draw(lambda: b"second") == b"second"


def test_a_draw_may_not_write_the_ledger(ledger: Ledger) -> None:
    with pytest.raises(RuntimeError, match="is being written by this very call"):
        half(ledger).draw(lambda: half(ledger, {"release": "other"}).draw(never))
    assert half(ledger).draw(lambda: bytes(len(ledger.entries))) == bytes(2), "it may read it"


# ---------------------------------------------------------------------------------------------------- the table
def test_a_changed_table_is_refused_unless_accepted(ledger: Ledger) -> None:
    for _ in range(2):
        ledger.recognise("aa")
    with pytest.raises(LedgerError, match=r"the table changed since .* \(entry 1\): .*changed_table: accept"):
        ledger.recognise("bb")
    assert kinds(ledger) == ["opened", "noted"]
    ledger.recognise("bb", accept=True)
    ledger.recognise("bb")
    with pytest.raises(LedgerError, match="the table changed"):
        ledger.recognise("aa")


def test_the_key_is_secret(ledger: Ledger) -> None:
    path = chain.beside(ledger.path, "key")
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(ledger.key) == 32
    path.chmod(0o640)
    with pytest.raises(LedgerError, match=r"others can read the key \(mode 640\): chmod 600"):
        _ = ledger.key
    path.chmod(0o600)
    other = Ledger.create(ledger.path.with_name("other.jsonl"), Budget(1))
    shutil.copy(chain.beside(other.path, "key"), path)
    with pytest.raises(LedgerError, match="is the key of another ledger"):
        _ = ledger.key
    path.write_text("{}")
    with pytest.raises(LedgerError, match="not the key of a ledger"):
        _ = ledger.key
    path.unlink()
    with pytest.raises(LedgerError, match="the key is missing"):
        _ = ledger.key


# ---------------------------------------------------------------------------------------------------- damage
def rewritten(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """Damage the file of the ledger."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def with_head(text: str) -> Callable[[Path], object]:
    return lambda path: chain.beside(path, "head").write_text(text)


def recomputed(path: Path) -> None:
    """Edit a line and the sums after it: the head still knows."""
    lines, before = [], FIRST
    for line in path.read_bytes().replace(b'"1/2"', b'"1/9"').splitlines():
        content = {**json.loads(line), "before": before}
        lines.append(json.dumps(content).encode())
        before = hashlib.sha256(lines[-1]).hexdigest()
    path.write_bytes(b"\n".join(lines) + b"\n")


def more_lines(path: Path) -> None:
    for _ in range(2):
        before = hashlib.sha256(path.read_bytes().splitlines()[-1]).hexdigest()
        number = len(path.read_bytes().splitlines())
        path.write_bytes(path.read_bytes() + line_of(number, before, "noted", {}, "2026") + b"\n")


def other_head(path: Path) -> None:
    other = Ledger.create(path.with_name("other.jsonl"), Budget(1))
    other.recognise("aa")
    other.recognise("bb", accept=True)
    shutil.copy(chain.beside(other.path, "head"), chain.beside(path, "head"))


def piped_head(path: Path) -> None:
    chain.beside(path, "head").unlink()
    os.mkfifo(chain.beside(path, "head"))


NO_HEAD = "not the head of a ledger"
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "without its last line": (
        rewritten(lambda data: b"".join(data.splitlines(keepends=True)[:-1])),
        "it has 2 whole lines, and 3 were written",
    ),
    "without its last byte": (
        rewritten(lambda data: data[:-1]),
        "it has 2 whole lines and part of one, and 3 were written",
    ),
    "edited": (
        rewritten(lambda data: data.replace(b'"1/2"', b'"1/9"')),
        "line 3 is not what was written after",
    ),
    "last line edited": (
        rewritten(lambda data: data[:-7] + b"A" + data[-6:]),
        "line 3 is not the last one that clinic.jsonl.head knows",
    ),
    "sums computed anew": (recomputed, "line 3 is not the last one"),
    "more lines": (more_lines, "line 3 is not the last one"),
    "brackets": (rewritten(lambda _: b"[" * 10**5 + b"\n"), "line 1 is not what was written"),
    "emptied": (rewritten(lambda _: b""), "it has 0 whole lines, and 3 were written"),
    "a note by hand": (rewritten(lambda data: data + b"a note by hand\n"), "line 4 is not what was written"),
    "no head": (lambda path: chain.beside(path, "head").unlink(), "its head .* is missing"),
    "head of nothing": (with_head("{}"), NO_HEAD),
    "head of brackets": (with_head("[" * 10**5), NO_HEAD),
    "head without end": (with_head('{"identity": "a", "number": 1e999, "digest": "a"}'), NO_HEAD),
    "head that is a pipe": (piped_head, NO_HEAD),
    "head of another": (other_head, "is the head of a ledger other than"),
}


@pytest.mark.parametrize("case", DAMAGES)
def test_damage_is_refused_and_never_reset(ledger: Ledger, case: str) -> None:
    damage, actual_damage = DAMAGES[case]
    half(ledger).draw(lambda: b"drawn")
    damage(ledger.path)
    files = {path: path.read_bytes() for path in ledger.path.parent.iterdir() if path.is_file()}
    for use in (
        lambda: Ledger.open(ledger.path),
        lambda: half(ledger),
        lambda: half(ledger, {"release": "other"}),
        lambda: ledger.recognise("aa"),
        ledger.summary,
    ):
        with pytest.raises(DamagedError, match=actual_damage):
            use()
    with pytest.raises(FileExistsError, match="a budget is opened once"):
        Ledger.create(ledger.path, Budget(1))
    assert {path: path.read_bytes() for path in ledger.path.parent.iterdir() if path.is_file()} == files


def test_a_ledger_that_is_gone_is_not_begun_anew(ledger: Ledger) -> None:
    half(ledger)
    ledger.path.unlink()
    with pytest.raises(DamagedError, match=r"is gone, and .* says that it had entries"):
        Ledger.create(ledger.path, Budget(1))
    with pytest.raises(FileNotFoundError, match="there is no ledger"):
        Ledger.open(ledger.path)


def test_another_ledger_in_its_place_is_refused(ledger: Ledger) -> None:
    other = Ledger.create(ledger.path.with_name("other.jsonl"), Budget(9))
    for end in ("", ".head", ".key"):
        shutil.copy(f"{other.path}{end}", f"{ledger.path}{end}")
    with pytest.raises(LedgerError, match="is not the ledger that was opened"):
        half(ledger)


def test_a_clock_that_was_set_back_decides_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "_now", lambda: "1999-12-31T00:00:00Z")
    assert half(ledger).draw(lambda: b"drawn") == b"drawn"
    entries = Ledger.open(ledger.path).entries
    assert "was set back, entry 0" in entries[1].payload["clock"]
    assert "clock" not in entries[2].payload
    assert spent(ledger) == Fraction(1, 2)


# ---------------------------------------------------------------------------------------------------- accidents
def in_child(work: Callable[[], None]) -> int:
    """Run in a process of its own, without the tests' clean-up; return the signal that ended it, or minus its code."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status)


STEPS = ["write", "fsync", "link", "replace", "open", "ftruncate", "close"]
"""What the ledger asks of the system; a process is killed before and after each call, and in the middle of a write."""


def killed_at(moment: int) -> None:
    """Let this process kill itself at a moment, counted in calls: two moments a call, three a write."""
    left = moment

    def tick() -> None:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

    def dying(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **others: Any) -> Any:
            nonlocal left
            tick()
            if name == "write":
                if left == 0:
                    real(values[0], values[1][: len(values[1]) // 2])
                tick()
            result = real(*values, **others)
            tick()
            return result

        return call

    for name in STEPS:
        setattr(os, name, dying(name, getattr(os, name)))


def test_a_kill_at_any_moment_neither_spends_twice_nor_loses_what_was_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open, reserve, recognise, draw, publish: killed at every moment; then the same again, and another request."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a kill loses nothing that was written: only a disk is waited for
    moment, ends = 0, []
    while not ends or ends[-1] == signal.SIGKILL:
        folder = tmp_path / str(moment)
        folder.mkdir()
        path, drawn, published = folder / "clinic.jsonl", folder / "drawn", folder / "published"

        def make(drawn: Path = drawn) -> bytes:
            with drawn.open("a") as file:
                file.write("drawn\n")
            return f"draw {len(drawn.read_text().splitlines())}".encode()

        def work(path: Path = path, published: Path = published, make: Callable[[], bytes] = make) -> bytes:
            ledger = Ledger.open(path) if path.exists() else Ledger.create(path, Budget(1))
            own_pending = half(ledger)
            ledger.recognise("aa")
            actual_drawn = own_pending.draw(make)
            published.write_bytes(actual_drawn)
            return actual_drawn

        ends.append(in_child(lambda work=work, moment=moment: (killed_at(moment), work())))
        shown = published.read_bytes() if published.exists() else b""
        stored = path.exists() and any(entry.kind == "released" for entry in Ledger.open(path).entries)
        draws = len(drawn.read_text().splitlines()) if drawn.exists() else 0
        again = work()
        assert again.startswith(shown), "what was published is what is replayed"
        after = len(drawn.read_text().splitlines())
        assert after == (draws if stored else draws + 1)
        assert work() == again
        ledger = Ledger.open(path)
        assert spent(ledger) == Fraction(1, 2)
        assert [kind for kind in kinds(ledger) if kind != "noted"] == ["opened", "reserved", "released"]
        half(ledger, {"release": "other"})
        with pytest.raises(BudgetError):
            half(ledger, {"release": "third"})
        names = {f"clinic.jsonl{end}" for end in ("", ".head", ".key")} | {"drawn", "published"}
        assert {file.name for file in folder.iterdir()} <= names, "the next writer removes what a kill left"
        moment += 1
    assert ends[-1] == 0
    assert len(ends) > 60, "there are that many moments"
    notes = [entry.payload for folder in tmp_path.iterdir() for entry in Ledger.open(folder / "clinic.jsonl").entries]
    assert any("cut" in payload for payload in notes), "some left part of a line"


def test_a_charge_that_was_acknowledged_is_on_the_disk(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines and heads are synchronised before they count, and so are their names."""
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    half(ledger)
    folder = str(ledger.path.parent)
    assert synced[0] == str(ledger.path)
    assert ".part" in synced[1]
    assert synced[2] == folder


def test_two_processes_at_once_charge_and_draw_once(ledger: Ledger) -> None:
    """Four with the same request, and four that want a half each of what is left."""
    drawn = ledger.path.with_name("drawn")

    def make() -> bytes:
        with drawn.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return f"{os.getpid()}".encode()

    def run(n: int) -> None:
        own_opened = Ledger.open(ledger.path)
        try:
            actual_drawn = half(own_opened, REQUEST if n % 2 else {"release": n}).draw(
                make if n % 2 else lambda: b"other"
            )
        except BudgetError:
            actual_drawn = b"refused"
        ledger.path.with_name(f"found_{n}").write_bytes(actual_drawn)

    half(ledger)
    children = []
    for n in range(8):
        pid = os.fork()
        if pid == 0:
            try:
                run(n)
            finally:
                os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    written_bytes = [ledger.path.with_name(f"found_{n}").read_bytes() for n in range(8)]
    assert len(set(written_bytes[1::2])) == 1
    assert len(drawn.read_text().splitlines()) == 1
    assert sorted(written_bytes[::2]) == [b"other", b"refused", b"refused", b"refused"]
    assert spent(ledger) == 1


def test_threads_wait_for_each_other(ledger: Ledger) -> None:
    all_draws: list[bytes] = []
    threads = [
        threading.Thread(target=lambda n=n: all_draws.append(half(ledger).draw(lambda: bytes(n)))) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(all_draws)) == 1
    assert kinds(ledger) == ["opened", "reserved", "released"]


def test_reading_does_not_wait_for_a_draw(ledger: Ledger) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def make() -> bytes:
        begun.set()
        assert go_on.wait(30)
        return b"drawn"

    thread = threading.Thread(target=lambda: half(ledger).draw(make))
    thread.start()
    assert begun.wait(30)
    assert spent(ledger) == Fraction(1, 2)
    go_on.set()
    thread.join()


@pytest.mark.parametrize("room", [0, 1, 40, 300])
def test_a_full_disk_charges_nothing_and_is_noted_nowhere(ledger: Ledger, room: int) -> None:
    """No file may grow by more than so many bytes: the line is written in part, and taken back."""
    before = ledger.path.read_bytes()

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit = len(before) + room
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with pytest.raises(OSError, match="nothing was charged or stored") as caught:
            half(ledger)
        assert caught.value.filename == str(ledger.path)

    assert in_child(work) == 0
    assert ledger.path.read_bytes() == before
    assert half(ledger).draw(lambda: b"drawn") == b"drawn"


def test_a_full_disk_that_cannot_even_be_taken_back(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(descriptor: int, data: bytes, real: Callable[..., int] = os.write) -> int:
        if len(data) < 100:
            raise OSError(ENOSPC, "No space left on device")
        return real(descriptor, data[:100])

    def ftruncate(descriptor: int, size: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "write", write)
        full.setattr(os, "ftruncate", ftruncate)
        with pytest.raises(OSError, match="No space left on device, nothing was charged"):
            half(ledger)
    assert spent(ledger) == 0
    assert half(ledger).draw(lambda: b"drawn") == b"drawn"
    assert kinds(ledger) == ["opened", "noted", "reserved", "released"]
    assert ledger.entries[1].payload["cut"] > 0


def test_a_disk_full_at_the_head_keeps_the_charge(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*values: Any) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as head:
        head.setattr(os, "replace", full)
        with pytest.raises(OSError, match=r"entry 1 \(reserved\) is in the ledger, run the same again"):
            half(ledger)
    assert spent(ledger) == Fraction(1, 2)
    assert half(ledger).draw(lambda: b"drawn") == b"drawn"
    assert spent(ledger) == Fraction(1, 2)
    assert sorted(path.name for path in ledger.path.parent.iterdir()) == [
        f"clinic.jsonl{end}" for end in ("", ".head", ".key")
    ]


def test_a_head_that_is_behind_again_and_again_is_no_damage(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each writer puts the head in order before it appends, so it is never behind by two."""
    real, calls = os.replace, [0]

    def every_second_works(*values: Any) -> None:
        calls[0] += 1
        if calls[0] % 2:
            raise OSError(ENOSPC, "No space left on device")
        real(*values)

    with monkeypatch.context() as head:
        head.setattr(os, "replace", every_second_works)
        for name in ("one", "two"):
            with pytest.raises(OSError, match="is in the ledger"):
                ledger.reserve({"release": name}, Pure(0.25), EXAMPLE)
    assert spent(ledger) == Fraction(1, 2)
    assert kinds(ledger) == ["opened", "reserved", "reserved"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
def test_a_read_only_folder_is_an_error_and_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # folders of pytest are closed to others
        ledger = Ledger.create(Path(folder) / "clinic.jsonl", Budget("1"))
        half(ledger).draw(lambda: b"drawn")
        before = {path: path.read_bytes() for path in ledger.path.parent.iterdir()}

        def work() -> None:
            os.seteuid(65534)
            own_opened = Ledger.open(ledger.path)
            assert own_opened.summary().accounts[0].spent == Fraction(1, 2)
            assert half(own_opened).stored == b"drawn"
            with pytest.raises(OSError, match="Permission denied, nothing was charged"):
                half(own_opened, {"release": "other"})
            with pytest.raises(PermissionError):
                Ledger.create(ledger.path.with_name("new.jsonl"), Budget(1))

        assert in_child(work) == 0
        assert {path: path.read_bytes() for path in ledger.path.parent.iterdir()} == before
