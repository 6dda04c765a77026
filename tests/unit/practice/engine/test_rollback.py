"""A ledger that was set back is not charged: published certificates know what it lacks."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import releases
from releases import kinds, project, request

from semipriv.practice.asking.request import load
from semipriv.practice.engine import charging, whole
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.preview import preview
from semipriv.practice.engine.rollback import check_not_set_back
from semipriv.practice.published.certificate import to_bytes
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import LedgerError


def copied(folder: Path, name: str) -> Callable[[], None]:
    """Copy the folder of ledgers; what is returned puts the copy in its place again."""
    shutil.copytree(folder / "ledgers", folder / name)

    def restore() -> None:
        shutil.rmtree(folder / "ledgers")
        shutil.copytree(folder / name, folder / "ledgers")

    return restore


def test_what_a_copy_forgot_is_not_spent_again(tmp_path: Path) -> None:
    path = project(tmp_path, budget={"epsilon": 2})
    opened = copied(tmp_path, "opened")
    staged = engine.stage(load(path))
    charging.reserve(staged)
    charged = copied(tmp_path, "charged")
    whole.release(load(path))
    newest = copied(tmp_path, "newest")
    other = load(request(tmp_path, "other.yaml", release="other"))
    for back, asked in ((opened, load(path)), (opened, other), (charged, load(path)), (charged, other)):
        back()
        before = kinds(tmp_path)
        for use in (lambda request=asked: preview(request), lambda request=asked: whole.release(request)):
            with pytest.raises(LedgerError, match=r"lacks entry 1 as .*visits/certificate\.json certifies it"):
                use()
        assert kinds(tmp_path) == before, "nothing is charged or drawn"
    newest()
    assert whole.release(load(path)).replayed
    assert preview(other).state == "new"
    whole.release(other)
    assert kinds(tmp_path) == ["opened", *(["reserved", "released"] * 2)]


def test_another_history_is_no_newer_one(tmp_path: Path) -> None:
    path = project(tmp_path, budget={"epsilon": 2})
    opened = copied(tmp_path, "opened")
    whole.release(load(path))
    opened()
    releases.ledger(tmp_path).reserve(
        {"a": 1}, engine.stage(load(path)).event, releases.ledger(tmp_path).rule.neighbours
    )
    with pytest.raises(LedgerError, match="restore the newest copy"):
        preview(load(request(tmp_path, release="third")))


def test_the_mark_is_checked_where_the_key_is(tmp_path: Path) -> None:
    path = project(tmp_path)
    whole.release(load(path))
    folder, ledger = tmp_path / "results/releases/visits", tmp_path / "ledgers/clinic.jsonl"
    assert all(check.passed for check in verify(folder, ledger))
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["predicate"]["ledger"]["mark"] = "0" * 64
    key = ledger.with_name("clinic.jsonl.key")
    content = key.read_bytes()
    key.unlink()
    assert all(check.passed for check in verify(folder, ledger)), "a ledger without its key is still compared"
    (folder / "certificate.json").write_bytes(to_bytes(certificate))
    assert all(check.passed for check in verify(folder, ledger))
    key.write_bytes(content)
    key.chmod(0o600)
    assert [check.what for check in verify(folder, ledger) if not check.passed] == ["all else follows from the ledger"]


def test_a_made_up_certificate_stops_nobody(tmp_path: Path) -> None:
    """Whoever writes below the results knows all that is published, and not the key."""
    path = project(tmp_path, budget={"epsilon": 2})
    whole.release(load(path))
    real = json.loads((tmp_path / "results/releases/visits/certificate.json").read_text())
    forged = {
        "entry": {"entry": 99},
        "digest": {"entry_digest": "0" * 64},
        "mark": {"entry": 99, "mark": "0" * 64},
        "letters": {"entry": 99, "mark": "é"},
        "no mark": {"entry": 99, "mark": None},
        "of the ledger itself": {"identity": releases.ledger(tmp_path).identity, "entry": 3},
    }
    for name, change in forged.items():
        certificate = json.loads(json.dumps(real))
        certificate["predicate"]["ledger"] |= change
        folder = tmp_path / "results/releases" / name
        folder.mkdir()
        (folder / "certificate.json").write_text(json.dumps(certificate))
    released = json.loads(json.dumps(real))
    released["predicate"]["released_digest"] = "0" * 64
    (tmp_path / "results/releases/mark/certificate.json").write_text(json.dumps(released))
    other = load(request(tmp_path, "other.yaml", release="other"))
    assert preview(other).state == "new"
    whole.release(other)
    assert kinds(tmp_path) == ["opened", *(["reserved", "released"] * 2)]


def test_certificates_of_other_ledgers_and_no_certificates_say_nothing(tmp_path: Path) -> None:
    path = project(tmp_path)
    foreign = {"predicate": {"ledger": {"identity": "0", "entry": 9, "entry_digest": "", "request_digest": ""}}}
    texts = ["", "{}", "[]", "null", "[" * 10**5, '{"predicate": 3}', json.dumps(foreign)]
    for number, text in enumerate(texts):
        folder = tmp_path / f"results/releases/{number}"
        folder.mkdir(parents=True)
        (folder / "certificate.json").write_text(text)
    (tmp_path / "results/releases/x/certificate.json").mkdir(parents=True)
    for name in ("pipe", "endless"):
        (tmp_path / f"results/releases/{name}").mkdir()
    os.mkfifo(tmp_path / "results/releases/pipe/certificate.json")
    (tmp_path / "results/releases/endless/certificate.json").symlink_to("/dev/zero")
    assert preview(load(path)).state == "new"
    check_not_set_back(releases.ledger(tmp_path), Path("/".join("a" * 3000)))
