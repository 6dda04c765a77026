"""Files of a ledger: one ledger whatever its path, no key lost, nothing left of what was refused."""

import os
import shutil
from errno import ENOSPC
from fractions import Fraction
from pathlib import Path

import pytest

from semipriv.cli import REFUSED, main
from semipriv.core.randomness import Secure
from semipriv.practice.estimators.draws import Draw
from semipriv.privacy.budget import chain
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import DamagedError, Ledger, LedgerError
from semipriv.privacy.events import Pure
from semipriv.privacy.guarantee import Guarantee, Neighbours

EXAMPLE = Neighbours.REPLACE_PRIVATE_EXAMPLE


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


def test_a_key_that_is_there_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "clinic.jsonl"
    key = Ledger.create(path, Budget(1)).key
    for end in ("", ".head"):
        Path(f"{path}{end}").unlink()
    before = contents(tmp_path)
    assert main(["budget", "open", str(path), "--epsilon", "1"]) == REFUSED
    printed = capsys.readouterr().err
    assert "there is a key already, of a ledger that is gone: restore it" in printed
    assert str(chain.beside(path, "key")) in printed
    chain.beside(path, "key").write_text("no key at all")
    assert main(["budget", "open", str(path), "--epsilon", "1"]) == REFUSED
    chain.beside(path, "key").write_bytes(before[f"{path}.key"])
    assert contents(tmp_path) == before
    assert key.hex() in before[f"{path}.key"].decode()


def test_what_a_kill_left_of_opening_goes_on_with_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, left = tmp_path / "clinic.jsonl", {}
    real = os.link

    def no_room_for_the_ledger(source: Path, target: Path) -> None:
        if target == path:
            left.update(contents(tmp_path))
            raise OSError(ENOSPC, "No space left on device")
        real(source, target)

    with monkeypatch.context() as full:
        full.setattr(os, "link", no_room_for_the_ledger)
        with pytest.raises(OSError, match="No space left"):
            Ledger.create(path, Budget(1))
    assert {str(chain.beside(path, end)) for end in ("head", "key")} < set(left)
    again = Ledger.create(path, Budget(2))
    assert again.key.hex() in left[f"{path}.key"].decode()
    assert again.identity in left[f"{path}.head"].decode()
    assert again.rule == Budget(2)
    path.unlink()
    with pytest.raises(DamagedError, match="is gone"):
        Ledger.create(path, Budget(2))


def test_a_ledger_has_one_head_whatever_its_path(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "real/clinic.jsonl", Budget(1))
    (tmp_path / "folder").symlink_to(tmp_path / "real")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "folder/clinic.jsonl")
    for path in (tmp_path / "link.jsonl", tmp_path / "folder/clinic.jsonl"):
        linked = Ledger.open(path)
        assert linked == ledger
        assert linked.key == ledger.key
    linked.reserve({"n": 1}, Pure(Fraction(1, 2)), EXAMPLE).draw(lambda: b"drawn")
    linked.recognise("aa")
    assert ledger.summary().accounts[0].spent == Fraction(1, 2)
    with pytest.raises(RuntimeError, match="is being written by this very call"):
        ledger.reserve({"n": 2}, Pure(0.5), EXAMPLE).draw(lambda: linked.recognise("bb", accept=True) or b"")
    with pytest.raises(FileExistsError, match="a budget is opened once"):
        Ledger.create(tmp_path / "link.jsonl", Budget(1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link.jsonl", "real"]
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == [
        f"clinic.jsonl{end}" for end in ("", ".head", ".key")
    ]
    (tmp_path / "new.jsonl").symlink_to(tmp_path / "there.jsonl")
    assert Ledger.create(tmp_path / "new.jsonl", Budget(1)).path == tmp_path / "there.jsonl"


def test_a_relative_path_is_told_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Ledger.create("ledgers/clinic.jsonl", Budget(1)).path == Path("ledgers/clinic.jsonl")


def test_what_looks_for_a_ledger_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "nowhere"
    coins = Draw.of(Secure(), str(path), None, Guarantee(0.5), True, "a learner")
    with pytest.raises(ValueError, match="make one first: semipriv budget open"):
        coins.release(lambda: None, {}, lambda: Pure(0.5), [])
    assert main(["budget", "show", str(path)]) == REFUSED
    assert contents(tmp_path) == {}
    ledger = Ledger.create(tmp_path / "deep/clinic.jsonl", Budget(1))
    shutil.rmtree(tmp_path / "deep")
    (tmp_path / "deep").mkdir()
    for use in (
        lambda: ledger.reserve({"n": 1}, Pure(0.5), EXAMPLE),
        lambda: ledger.recognise("aa"),
        lambda: ledger.entries,
    ):
        with pytest.raises(FileNotFoundError, match="there is no ledger"):
            use()
    assert list((tmp_path / "deep").iterdir()) == []


@pytest.mark.parametrize("wrong", ["--epsilon 0", "--epsilon -1", "--epsilon inf", "--epsilon 1 --delta 1e-400", ""])
def test_a_budget_that_is_refused_leaves_nothing(tmp_path: Path, wrong: str) -> None:
    assert main(["budget", "open", str(tmp_path / "ledgers/clinic.jsonl"), *wrong.split()]) == REFUSED
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".", "is a folder, must be the file of a ledger"),
        ("", "must be the path of a ledger"),
        ("folder", "is a folder"),
        ("new/", "is a folder"),
        ("a\0b", "must be the path of a ledger"),
        ("a\nb.jsonl", "must be the path of a ledger"),
        ("link", "is a folder"),
        ("file/clinic.jsonl", "is not a folder, a ledger cannot be made in it"),
    ],
)
@pytest.mark.parametrize("action", ["open", "show"])
def test_what_is_no_path_of_a_ledger(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    action: str,
    path: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("folder")
    before = contents(tmp_path)
    assert main(["budget", action, path, *(["--epsilon", "1"] if action == "open" else [])]) == REFUSED
    printed = capsys.readouterr().err
    assert len(printed.splitlines()) == 1
    assert any(word in printed for word in [*message.split("|"), *(["there is no ledger"] if action == "show" else [])])
    assert contents(tmp_path) == before


def test_two_who_open_at_once_make_one(tmp_path: Path) -> None:
    """One of them wins, the others are told; whoever fails takes no lock away from another."""
    path, children = tmp_path / "clinic.jsonl", []
    for n in range(6):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                Ledger.create(path, Budget(n + 1))
                code = 0
            except FileExistsError:
                code = 3
            finally:
                os._exit(code)
        children.append(pid)
    ends = sorted(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children)
    assert ends == [0, 3, 3, 3, 3, 3]
    ledger = Ledger.open(path)
    assert len(ledger.key) == 32
    with pytest.raises(LedgerError):
        Ledger.open(path).reserve({}, Pure(0.5), Neighbours.REPLACE_ENTRY)
