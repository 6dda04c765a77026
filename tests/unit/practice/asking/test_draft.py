"""A request drafted from a header: somebody fills it in and releases; no cell is read for it."""

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import yaml

from semipriv.cli import main
from semipriv.practice.asking.draft import OPEN, check_filled, draft
from semipriv.practice.asking.request import load
from semipriv.practice.sources.files import Files


def test_a_draft_is_filled_in_and_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    releases.people(300, 0).to_csv("clinic.csv", index=False)
    releases.people(60, 1).drop(columns="ill").to_csv("public.csv", index=False)
    with monkeypatch.context() as patched:
        patched.setattr(Files, "chunks", None)
        assert main(["release", "--example", "clinic.csv"]) == 0
    text = capsys.readouterr().out
    Path("request.yaml").write_text(text)
    assert main(["release", "request.yaml"]) != 0
    assert f"public.path: is still {OPEN}" in capsys.readouterr().err
    for old, new in (
        (f"path: {OPEN}", "path: public.csv"),
        (f"one_row_a_person: {OPEN}", "one_row_a_person: true"),
        (f"age: {{categories: {OPEN}}}", "age: {range: [0, 100]}"),
        (f"dollars: {{categories: {OPEN}}}", "dollars: {range: [0, 1000]}"),
        (f"  ill: {{categories: {OPEN}}}", "  #"),
        (f"column: {OPEN}", "column: ill"),
        (f"one: [{OPEN}]", 'one: ["yes"]'),
        (f"zero: [{OPEN}]", 'zero: ["no"]'),
        (f"unknown: {OPEN}", "unknown: refuse"),
        (f"epsilon: {OPEN}", "epsilon: 1"),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    Path("request.yaml").write_text(text)
    assert main(["budget", "open", "ledgers/clinic.jsonl", "--epsilon", "1"]) == 0
    assert main(["release", "request.yaml"]) == 0


def test_names_of_all_kinds_are_read_back(tmp_path: Path) -> None:
    names = ["plain", "two words", "yes", "a: b", 'say "x"', "#1", "ä", "1st", "- x", "{x}", "null", " padded "]
    pq.write_table(pa.table({name: [1.5] for name in names}), tmp_path / "t.parquet")
    found = yaml.safe_load(draft(str(tmp_path / "t.parquet")))
    assert list(found["features"]) == names
    assert found["private"]["path"] == str(tmp_path / "t.parquet")


def test_types_say_what_may_be_declared(tmp_path: Path) -> None:
    cells = {"a": [1], "b": [1.5], "c": ["x"], "d": [True], "e": [datetime.date(2020, 1, 1)], "f": [[1]]}
    pq.write_table(pa.table(cells), tmp_path / "t.parquet")
    found = yaml.safe_load(draft(str(tmp_path / "t.parquet")))["features"]
    assert [sorted(one) for one in found.values()] == [
        ["range"], ["range"], ["categories"], ["categories"], ["range", "unit"], [OPEN],
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"features\.a\.range: is still"):
        check_filled({"features": found})


def test_what_is_no_table_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", "--example", str(tmp_path / "nothing.csv")]) != 0
    assert "there is no such file" in capsys.readouterr().err
    path = releases.project(tmp_path, release=OPEN)
    with pytest.raises(ValueError, match=r"release: is still TODO"):
        load(path)
