"""Certificates: what is in them, what must not be, and that no edit passes `semipriv verify`."""

import json
import math
import re
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
import yaml
from releases import CHOICE, lay_out, release_of, rows

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.engine.whole import release
from semipriv.practice.published import words
from semipriv.practice.published.certificate import certificate, covers, sha256, to_bytes
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import Budget, Ledger
from semipriv.privacy.events import Approximate, Composed, Concentrated, Parallel, Pure
from semipriv.privacy.guarantee import Guarantee, Neighbours

FOLDER = Path("results/releases/visits")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    release_of(folder)
    return folder


@pytest.fixture
def copy(base: Path, tmp_path: Path) -> Path:
    shutil.copytree(base, tmp_path / "copy")
    return tmp_path / "copy"


def read(folder: Path) -> dict[str, Any]:
    return json.loads((folder / FOLDER / "certificate.json").read_text())


def write(folder: Path, statement: dict[str, Any]) -> None:
    (folder / FOLDER / "certificate.json").write_bytes(to_bytes(statement))
    (folder / FOLDER / "certificate.html").unlink(missing_ok=True)  # it would contradict an edited certificate


def failed(folder: Path, ledger: Path | None = None) -> list[str]:
    checks = verify(folder / FOLDER, ledger or folder / "ledger.jsonl")
    assert len(checks) > 3
    return [check.what for check in checks if not check.passed]


# ---------------------------------------------------------------------------------------------------- contents
def test_an_untouched_release_passes(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert failed(base) == []
    assert main(["verify", str(base / FOLDER), "--ledger", str(base / "ledger.jsonl")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 16
    assert all(line.startswith("ok ") for line in lines)
    assert main(["verify", str(base / FOLDER)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("not checked: the ledger (--ledger PATH)")
    assert main(["verify", str(base / FOLDER), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert all(check["passed"] for check in printed["checks"])
    assert printed["remarks"][-1].startswith("not checked: the ledger")


def test_it_says_what_was_done_for_whom_and_from_which_public_data(base: Path) -> None:
    predicate = read(base)["predicate"]
    assert predicate["guarantee"]["epsilon"] == 0.5
    assert predicate["guarantee"]["neighbours"] == "replace_private_example"
    assert "62.3 %" in predicate["guarantee"]["for_one_person"]
    assert predicate["event"] == {"event": "Pure", "epsilon": "1/2"} or predicate["event"]["event"] == "BoundedRange"
    assert predicate["sizes"]["n_private"] == 40
    assert predicate["public_data"] == {
        "digest": sha256((base / "public.csv").read_bytes()),
        "source": "a register",
        "licence": "CC0",
        "date": "2026-01-01",
        "chosen": "a table of its own, declared public by whoever asked for the release",
    }
    assert predicate["ledger"]["identity"] == Ledger.open(base / "ledger.jsonl").identity
    assert read(base)["subject"] == [
        {"name": "model.json", "digest": {"sha256": sha256((base / FOLDER / "model.json").read_bytes())}}
    ]


def test_no_digest_of_the_private_table_no_path_no_time(base: Path) -> None:
    text = (base / FOLDER / "certificate.json").read_text()
    ledger = Ledger.open(base / "ledger.jsonl")
    macs = [entry.payload["table"] for entry in ledger.entries if "table" in entry.payload]
    assert macs
    assert sha256((base / "private.csv").read_bytes()) not in text
    assert all(mac not in text for mac in macs)
    assert ledger.key.hex() not in text
    assert str(base) not in text
    assert "private.csv" not in text
    assert not any(entry.time in text for entry in ledger.entries)
    assert re.findall(r"\d\d:\d\d|T\d\d|seconds", text) == []


def test_it_is_the_same_whenever_it_is_written(copy: Path) -> None:
    before = (copy / FOLDER / "certificate.json").read_bytes()
    shutil.rmtree(copy / "results")
    request = yaml.safe_load((copy / "release.yaml").read_text())
    moved = {key: value.replace(str(Path(value).parent), str(copy)) for key, value in request["private"].items()}
    request |= {"private": moved, "ledger": str(copy / "ledger.jsonl"), "results": str(copy / "results")}
    request["public"]["path"] = str(copy / "public.csv")
    (copy / "release.yaml").write_text(yaml.safe_dump(request))
    assert release(load(copy / "release.yaml")).replayed
    assert (copy / FOLDER / "certificate.json").read_bytes() == before


def test_what_was_declared_at_the_draw_stays_and_another_word_is_told(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (copy / FOLDER / "certificate.json").read_bytes()
    path = copy / "release.yaml"
    request = yaml.safe_load(path.read_text())
    request |= {"ledger": str(copy / "ledger.jsonl"), "results": str(copy / "results")}
    request["public"]["licence"] = "none"
    path.write_text(yaml.safe_dump(request))
    assert main(["release", str(path)]) == 0
    assert "WARNING: the certificate keeps source, licence and date" in capsys.readouterr().out
    assert (copy / FOLDER / "certificate.json").read_bytes() == before


def test_one_sentence_for_every_relation_and_odds_of_randomised_response() -> None:
    assert set(words.NEIGHBOURS) == set(Neighbours)
    for epsilon in (0.1, 1.0, 3.0):  # the mechanism that tells the truth with probability e^eps / (1 + e^eps)
        exact = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert exact <= words.chance(Guarantee(epsilon)) <= exact + 0.001
    assert words.chance(Guarantee(0.0, 0.125)) == 0.563


# ---------------------------------------------------------------------------------------------------- tampering
def edited_model(folder: Path) -> None:
    path = folder / FOLDER / "model.json"
    model = json.loads(path.read_text())
    name = next(iter(model["output"]["arrays"]))
    model["output"]["arrays"][name]["values"] = [0.123]
    path.write_text(json.dumps(model))


def edited_model_and_digest(folder: Path) -> None:
    edited_model(folder)
    statement = read(folder)
    statement["subject"][0]["digest"]["sha256"] = sha256((folder / FOLDER / "model.json").read_bytes())
    write(folder, statement)


def edited(*path: str | int, to: Any) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        statement = read(folder)
        place = statement["predicate"]
        for key in path[:-1]:
            place = place[key]
        assert place[path[-1]] != to
        place[path[-1]] = to
        write(folder, statement)

    return edit


def cheaper_in_words_and_numbers(folder: Path) -> None:
    from semipriv.practice.published.certificate import guaranteed
    from semipriv.privacy.events import restored

    statement = read(folder)
    statement["predicate"]["guarantee"] = guaranteed(
        restored(statement["predicate"]["event"]), Guarantee(0.1), marked=False
    )
    write(folder, statement)


def cheaper_throughout(folder: Path) -> None:
    """Event and guarantee lowered together, words too: consistent in itself."""
    from semipriv.practice.published.certificate import guaranteed
    from semipriv.privacy.events import described

    statement = read(folder)
    statement["predicate"]["event"] = described(Pure(0.1))
    statement["predicate"]["guarantee"] = guaranteed(Pure(0.1), Guarantee(0.1), marked=False)
    write(folder, statement)
    assert failed(folder)
    assert all(check.passed for check in verify(folder / FOLDER)), "files alone cannot tell"


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (edited_model, "model.json has the certified digest"),
        (edited_model_and_digest, "the model is what the ledger stores"),
        (edited("guarantee", "epsilon", to=0.1), "guarantee follows from the events"),
        (edited("guarantee", "exact", "epsilon", to="1/10"), "guarantee follows from the events"),
        (edited("guarantee", "for_one_person", to="All is well."), "guarantee follows from the events"),
        (edited("guarantee", "neighbours", to="replace_entry"), "the neighbours are those of the budget"),
        (edited("event", to={"event": "Pure", "epsilon": "1/10"}), "the charge is for the certified events"),
        (edited("event", to={"event": "Magic"}), "guarantee follows from the events"),
        (cheaper_in_words_and_numbers, "guarantee follows from the events"),
        (cheaper_throughout, "the charge is for the certified events"),
        (edited("ledger", "identity", to="0" * 32), "the ledger is the certified one"),
        (edited("ledger", "request_digest", to="0" * 64), "the ledger was charged for this release"),
        (edited("ledger", "entry", to=7), "the ledger was charged for this release"),
        (edited("released_digest", to="0" * 64), "the ledger stores what is certified"),
        (edited("sizes", "n_private", to=4_000_000), "all else follows from the ledger"),
        (edited("public_data", "digest", to="0" * 64), "all else follows from the ledger"),
        (edited("unprotected", to=[]), "all else follows from the ledger"),
        (edited("mechanism", "candidates", 0, "learner", "name", to="rrspm"), "all else follows from the ledger"),
        (edited("versions", "semipriv", to="9.9"), "all else follows from the ledger"),
        (lambda folder: (folder / FOLDER / "model.json").unlink(), "model.json has the certified digest"),
    ],
)
def test_no_edit_passes(copy: Path, edit: Callable[[Path], None], what: str) -> None:
    edit(copy)
    assert what in failed(copy)
    assert main(["verify", str(copy / FOLDER), "--ledger", str(copy / "ledger.jsonl")]) == 2


def test_another_ledger_and_one_without_the_entry(copy: Path, tmp_path: Path) -> None:
    Ledger.create(tmp_path / "other.jsonl", Budget(10))
    assert failed(copy, tmp_path / "other.jsonl") == [
        "the ledger is the certified one",
        "the ledger was charged for this release",
    ]


def test_a_truncated_and_an_edited_ledger(copy: Path) -> None:
    path = copy / "ledger.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:1]))
    assert failed(copy) == ["the ledger is whole"]
    path.write_bytes(whole.replace(b'"epsilon": "1/2"', b'"epsilon": "1/9"', 1))
    assert path.read_bytes() != whole
    assert failed(copy) == ["the ledger is whole"]


def test_what_is_no_certificate_is_refused_in_one_line(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copy / FOLDER / "certificate.json"
    for content in ("{", "[]", '{"_type": "other"}'):
        path.write_text(content)
        assert main(["verify", str(copy / FOLDER)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert str(path) in line
    path.unlink()
    assert main(["verify", str(copy / FOLDER)]) == 2
    printed = capsys.readouterr().err
    assert "cannot be read" in printed


def test_covers_rounds_up_and_knows_every_account() -> None:
    third = Fraction(1, 3)
    assert covers(Guarantee(third), Pure(third))
    assert not covers(Guarantee(math.nextafter(Guarantee(third).epsilon, 0)), Pure(third))
    assert covers(Guarantee(1.0), Parallel([Composed([(Pure(0.5), 2)]), Pure(0.75)]))
    assert not covers(Guarantee(0.875), Parallel([Composed([(Pure(0.5), 2)]), Pure(0.75)]))
    assert not covers(Guarantee(9.0), Concentrated(Fraction(1, 8))), "no delta, no guarantee"
    assert covers(Guarantee(3.0, 1e-6), Concentrated(Fraction(1, 8)))
    assert not covers(Guarantee(1.0, 1e-6), Concentrated(Fraction(1, 8)))
    assert not covers(Guarantee(1.0, 1e-9), Approximate(1.0, Fraction("1e-8")))


TABLE = {
    "features": {"sex": {"categories": ["F", "M"]}, "age": {"integers": [0, 3]}},
    "label": None,
    "learner": {"name": "table_release", "epsilon": 1, "delta": "1e-6", "ways": 1},
}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_synthetic_table_follows_from_the_model(tmp_path: Path, suffix: str) -> None:
    path = lay_out(tmp_path, TABLE)
    request = yaml.safe_load(path.read_text())
    for name in ("private", "public"):
        cells = [(s, a) for s in "FM" for a in range(4)] * (4 if name == "private" else 1)
        table = pa.table({"sex": [s for s, _ in cells], "age": pa.array([a for _, a in cells], pa.int16())})
        request[name]["path"] = str(tmp_path / f"{name}{suffix}")
        (pa_csv.write_csv if suffix == ".csv" else pq.write_table)(table, request[name]["path"])
    path.write_text(yaml.safe_dump(request))
    outcome = release(load(path))
    (synthetic,) = (tmp_path / FOLDER).glob("synthetic.*")
    assert synthetic.suffix == suffix
    assert outcome.released.guarantee.delta == 1e-6
    assert failed(tmp_path) == []
    assert read(tmp_path)["predicate"]["guarantee"]["variant"] == "zero-concentrated differential privacy"
    rows = pa_csv.read_csv(synthetic) if suffix == ".csv" else pq.read_table(synthetic)
    other = rows.set_column(0, "sex", pa.array(["F" if s == "M" else "M" for s in rows["sex"].to_pylist()]))
    (pa_csv.write_csv if suffix == ".csv" else pq.write_table)(other, synthetic)
    assert failed(tmp_path) == [
        f"{synthetic.name} has the certified digest",
        f"{synthetic.name} follows from the model",
        "the certificate speaks of the model",
        "all else follows from the ledger",
    ]


# ---------------------------------------------------------------------------------------------------- quality
def test_a_choice_is_charged_drawn_and_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = release_of(tmp_path, CHOICE)
    assert outcome.released.guarantee == Guarantee(0.75)
    entry = Ledger.open(tmp_path / "ledger.jsonl").entries[outcome.entry]
    assert entry.payload["cost"]["pure"] == "3/4"
    assert entry.payload["event"]["event"] == "Parallel"
    predicate = read(tmp_path)["predicate"]
    assert predicate["sizes"] == {"n_public": 6, "n_private": 32, "n_held_out": 8}
    quality = predicate["quality"]
    assert quality["noisy_mistakes"] == outcome.released.extras["held_out"]["mistakes"]
    assert quality["chosen_candidate"] in (0, 1)
    assert f"candidate {quality['chosen_candidate'] + 1} of 2" in predicate["tuning"]
    assert 0 <= quality["low"] <= quality["accuracy"] <= quality["high"] <= 1
    assert failed(tmp_path) == []
    assert release(load(tmp_path / "release.yaml")).replayed
    edited("quality", "accuracy", to=2.0)(tmp_path)
    assert failed(tmp_path) == ["all else follows from the ledger"]


def test_the_unpaid_diagnostic_marks_the_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = rows()
    outcome = release_of(tmp_path, {**CHOICE["candidates"][0], "unprotected_diagnostic": True}, lines)
    diagnostic = outcome.released.extras["unprotected_diagnostic"]
    assert (diagnostic["rows"], diagnostic["of"]) == (40, "training rows")
    from semipriv.practice.published.model import Model

    model = Model.load(tmp_path / FOLDER / "model.json")
    x, y = zip(*(line.split(",") for line in lines), strict=True)
    predicted = model.predict({"x": list(map(float, x))})
    assert diagnostic["exact_mistakes"] == sum(p != own for p, own in zip(predicted, y, strict=True))
    predicate = read(tmp_path)["predicate"]
    assert predicate["guarantee"]["for_one_person"].endswith(words.OUTSIDE)
    assert any("unprotected_diagnostic" in line for line in predicate["unprotected"])
    assert main(["verify", str(tmp_path / FOLDER), "--ledger", str(tmp_path / "ledger.jsonl")]) == 0
    assert "WARNING" in capsys.readouterr().out
    edited("unprotected_diagnostic", to=None)(tmp_path)
    assert failed(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"held_out": {"share": 0.2, "epsilon": 0.1}}, "held_out.choice"),
        ({"held_out": {"share": 0.2, "epsilon": 0.1, "choice": 0}}, "held_out.choice"),
        ({"held_out": {"share": 0.3, "epsilon": 0.1, "choice": 1}}, "1/k"),
        ({"held_out": {"share": 0.2, "epsilon": -1, "choice": 1}}, "held_out.epsilon"),
        ({"held_out": None}, "held_out"),
        ({"candidates": CHOICE["candidates"][:1]}, "at least two"),
    ],
)
def test_a_choice_without_a_price_is_refused_before_anything_is_read(tmp_path, change, message) -> None:
    path = lay_out(tmp_path, CHOICE | change)
    with pytest.raises(ValueError, match=re.escape(message)):
        load(path)


def test_a_certificate_is_a_function_of_what_it_is_given(base: Path) -> None:
    ledger = Ledger.open(base / "ledger.jsonl")
    from semipriv.practice.published.certificate import entry_of
    from semipriv.privacy.budget.ledger import Reservation

    entry = ledger.entries[1]
    stored = Reservation(ledger, 1).stored
    assert stored is not None
    files = {"model.json": (base / FOLDER / "model.json").read_bytes()}
    again = certificate(
        stored, entry_of(ledger.identity, entry, ledger.mark(entry.number, entry.digest, sha256(stored))), files
    )
    assert to_bytes(again) == (base / FOLDER / "certificate.json").read_bytes()
