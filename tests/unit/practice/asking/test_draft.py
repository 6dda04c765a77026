"""A request drafted from a header: somebody fills it in and releases; no cell is read for it."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
import yaml

from semipriv.cli import main
from semipriv.practice.asking.draft import OPEN, check_filled, draft
from semipriv.practice.asking.request import load
from semipriv.practice.columns.features import feature
from semipriv.practice.sources.files import Files
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger


def test_a_draft_is_filled_in_and_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    releases.people(300, 0).to_csv("clinic.csv", index=False)
    releases.people(60, 1).drop(columns="ill").to_csv("public.csv", index=False)
    assert main(["release", "--example", "clinic.csv"]) == 0
    text = capsys.readouterr().out
    Path("request.yaml").write_text(text)
    assert main(["release", "request.yaml"]) != 0
    assert "public.path, one_row_a_person, features.age.categories" in (printed := capsys.readouterr().err)
    assert f"are still {OPEN}" in printed
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


def cells(n: int, seed: int) -> pd.DataFrame:
    """Columns of every kind that the rule tells apart."""
    draws = np.random.default_rng(seed)
    codes = np.minimum(draws.geometric(0.03, n), 299)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(draws.integers(0, 300, n), "D")
    table = pd.DataFrame({
        "age": draws.integers(18, 90, n).astype(str),
        "sex": draws.choice(["F", "M", 'no "answer"'], n),
        "smoker": draws.integers(0, 2, n),
        "code": [f"C{code:03d}" for code in codes],
        "zip": draws.choice(["01234", "02345", "10115"], n),
        "day": days.strftime("%Y-%m-%d"),
        "hour": days.strftime("%Y-%m-%d 10:00"),
        "born": days.strftime("%d.%m.%Y"),
        "name": [f"p{seed} {row}" for row in range(n)],
        "same": "x",
        "gap": "",
    })  # fmt: skip
    table.loc[3, "age"] = "NA"
    return table


def test_public_rows_say_what_to_declare_and_no_private_row_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cells(300, 1).to_csv("public.csv", index=False)
    cells(500, 2).assign(ill=["yes", "no"] * 250).to_csv("clinic.csv", index=False)
    text = draft("clinic.csv", "public.csv")
    read, chunks = [], Files.chunks
    monkeypatch.setattr(Files, "chunks", lambda self, *given: read.append(self.name) or chunks(self, *given))
    header = Path("clinic.csv").read_text().partition("\n")[0]
    Path("other").mkdir()
    for rows in ("", "\n".join(["SECRET" + ",7" * 11] * 9), '"SECRET\n'):  # none, other ones, and damaged ones
        Path("other/clinic.csv").write_text(f"{header}\n{rows}")
        assert draft("other/clinic.csv", "public.csv").replace("other/", "") == text
    assert set(read) == {"public.csv"}
    drafted = yaml.safe_load(text)
    assert {
        name: declaration
        for name, declaration in drafted["features"].items()
        if OPEN not in declaration and name != "code"
    } == {
        "age": {"range": "public"},
        "sex": {"categories": ["F", "M", 'no "answer"']},
        "smoker": {"categories": [0, 1]},
        "zip": {"categories": ["01234", "02345", "10115"]},
        "day": {"range": "public", "unit": "day"},
        "hour": {"range": "public", "unit": "hour"},
    }
    assert len(drafted["features"]["code"]["categories"]) == 20
    assert (drafted["features"]["code"]["unknown"], drafted["label"]["column"]) == ("other", "ill")
    reasons = {line.split(":")[0].strip(): line for line in text.splitlines() if f"{{{OPEN}" in line}
    for name, reason in (
        ("born", 'dates: "%d.%m.%Y"'), ("name", "remove the line"), ("same", "the same"), ("gap", "no public row"),
    ):  # fmt: skip
        assert reason in reasons.pop(name)
    assert reasons == {}
    kept = [line for line in text.splitlines() if f"{{{OPEN}" not in line]  # what is left to say is no public fact
    for old, new in (
        (f"one_row_a_person: {OPEN}", "one_row_a_person: true"),
        (f"one: [{OPEN}]", 'one: ["yes"]'),
        (f"zero: [{OPEN}]", 'zero: ["no"]'),
        (f"unknown: {OPEN}", "unknown: refuse"),
        (f"epsilon: {OPEN}", "epsilon: 1"),
    ):
        kept = [line.replace(old, new) for line in kept]
    Path("request.yaml").write_text("\n".join(kept))
    assert main(["budget", "open", "ledgers/clinic.jsonl", "--epsilon", "1"]) == 0
    assert main(["release", "request.yaml", "--dry-run", "--no-simulation"]) == 0, capsys.readouterr().err


def test_a_private_type_that_cannot_hold_it_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "public.csv").write_text("a,b,c\n" + "x,1.5,7\ny,2.5,8\n" * 9)
    private = pa.table({"a": pa.nulls(1, pa.int64()), "b": pa.nulls(1, pa.date32()), "c": pa.nulls(1, pa.int64())})
    pq.write_table(private, tmp_path / "t.parquet")
    text = draft(str(tmp_path / "t.parquet"), str(tmp_path / "public.csv"))
    features = yaml.safe_load(text)["features"]
    assert features == {"a": {OPEN: OPEN}, "b": {OPEN: OPEN}, "c": {"categories": [7, 8]}}
    assert "has the type int64" in text
    assert "has the type date32" in text


def test_a_draft_becomes_a_request_of_a_synthetic_table_without_public_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way of a person who was stopped twice: by public rows, and by a delta that no line named."""
    monkeypatch.chdir(tmp_path)
    releases.people(300, 0).to_csv("clinic.csv", index=False)
    Path("ledgers").mkdir()
    Ledger.create("ledgers/clinic.jsonl", Budget(1))
    lines = draft("clinic.csv").splitlines()
    head, tail = lines[: lines.index("label:")], lines[lines.index("label:") :]
    (asked,) = (line.removeprefix("# ") for line in tail if "name: table_release" in line)
    kept = [line for line in head if not line.startswith("public:")]
    text = "\n".join([*kept, asked.replace("...", "1")]).replace(f"a_person: {OPEN}", "a_person: true")
    for name, declared in (("age", "{integers: [0, 99], unknown: 0}"), ("dollars", "{integers: [0, 999], unknown: 0}")):
        text = text.replace(f"{name}: {{categories: {OPEN}}}", f"{name}: {declared}")
    Path("request.yaml").write_text(
        text.replace(f"ill: {{categories: {OPEN}}}", 'ill: {categories: ["yes", "no"], unknown: "no"}')
    )
    assert load("request.yaml").candidate.delta == 0


def test_names_of_all_kinds_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["plain", "two words", "yes", "a: b", 'say "x"', "#1", "ä", "1st", "- x", "{x}", "null", " padded "]
    pq.write_table(pa.table({name: [1.5] for name in names}), tmp_path / "t.parquet")
    monkeypatch.setattr(Files, "chunks", None)  # of Parquet no cell is read
    drafted = yaml.safe_load(draft(str(tmp_path / "t.parquet")))
    assert list(drafted["features"]) == names
    assert drafted["private"]["path"] == str(tmp_path / "t.parquet")


def test_types_say_what_may_be_declared(tmp_path: Path) -> None:
    cells = {"a": [1], "b": [1.5], "c": ["x"], "d": [True], "e": [datetime.date(2020, 1, 1)], "f": [[1]]}
    table = pa.table(cells)
    for name, kind in {"g": pa.large_string(), "h": pa.string_view(), "i": pa.binary(), "j": pa.null()}.items():
        table = table.append_column(name, pa.nulls(1, kind))  # pandas 3 writes texts as large_string
    table = table.append_column("k", pa.nulls(1, pa.timestamp("ns"))).append_column("l", pa.array(["x"]))
    table = table.set_column(11, "l", table.column("l").dictionary_encode())
    table = table.append_column("m", pa.nulls(1, pa.timestamp("s", "UTC")))
    pq.write_table(table, tmp_path / "t.parquet")
    features = yaml.safe_load(draft(str(tmp_path / "t.parquet")))["features"]
    assert [sorted(declaration) for declaration in features.values()] == [
        ["range"], ["range"], ["categories"], ["categories"], ["range", "unit"], [OPEN],
        *[["categories"]] * 4, ["range", "unit"], ["categories"], [OPEN],
    ]  # fmt: skip
    for name in features:  # what may be declared of a column is what its reader takes
        declared = {"range": "public", **({"unit": "day"} if "unit" in features[name] else {})}
        if OPEN not in features[name]:
            column = feature(name, declared if "range" in features[name] else {"categories": ["true", "x"]})
            Files(tmp_path / "t.parquet").check([column])
    with pytest.raises(ValueError, match=r"features\.a\.range, .*: are still"):
        check_filled({"features": features})


def test_what_is_no_table_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", "--example", str(tmp_path / "nothing.csv")]) != 0
    assert "there is no such file" in capsys.readouterr().err
    path = releases.project(tmp_path, release=OPEN)
    with pytest.raises(ValueError, match=r"release: is still TODO"):
        load(path)


RECORDS = {
    "numbers": "37,F,12.5\n41,M,3\n",
    "texts and a number": "Smith,Boston,34\nJones,Chicago,41\n",
    "texts alone": "Smith,Boston,ill\nJones,Chicago,well\nMiller,Denver,sick\n",
    "values that come back": "Smith,north,ill\nJones,south,well\nMiller,north,ill\nX,south,well\n",
    "texts of which others are there twice": "Smith,ill\nJones,well\nMiller,well\n",
    "a date": "Smith,31.01.2023,ill\nJones,01.02.2023,well\n",
    "a date with a letter": "Smith,2023-01-31T10:30,ill\n",
    "a gap": "Smith,,ill\nJones,3,well\n",
    "a gap in words": "Smith,NA,ill\nJones,3,well\n",
    "a code": "Smith,1A,ill\nJones,2B,well\n",
    "one line": "Smith,Boston,ill\n",
    "one cell": "Smith\nJones\n",
    "twice": "Smith,smith\n1,2\n",
    "an address": "smith@clinic.org,x\nother,3\n",
    "a line break": '"Smith\nJohn",x\na,3\n',
    "semicolons": "Smith;34\nJones;35\n",
    "tabs": "Smith\t34\nJones\t35\n",
    "signs": "Smith,-3\nJones,4\n",
    "decimal commas": 'Smith,"1,5"\nJones,"2,5"\n',
    "long": "Smith" * 20 + ",x\nb,3\n",
}


@pytest.mark.parametrize("kind", RECORDS)
def test_nothing_is_shown_of_a_first_line_that_may_be_a_row(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fault that was met: the first person of a table without a header was printed as names of columns."""
    path = tmp_path / "t.csv"
    path.write_text(RECORDS[kind])
    assert main(["release", "--example", str(path)]) != 0
    shown = "".join(capsys.readouterr()).replace(str(tmp_path), "")  # whose name may have a 34
    assert "its first line may be a row" in shown
    assert "header: false" in shown
    assert not any(word in shown for word in ("Smith", "smith@", "Boston", "34", "37", "2023", "north"))


@pytest.mark.parametrize("kind", RECORDS)
def test_public_rows_do_not_make_a_row_a_header(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text(RECORDS[kind])
    (tmp_path / "public.csv").write_text("age,name,city\n" + "37,a,b\n" * 3)
    assert main(["release", "--example", str(tmp_path / "t.csv"), "--public", str(tmp_path / "public.csv")]) != 0
    shown = "".join(capsys.readouterr())
    assert "its first line may be a row" in shown
    assert not any(word in shown for word in ("Smith", "smith@", "Boston", "34", "37", "2023", "north"))


def test_public_rows_are_for_an_example_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", "request.yaml", "--public", "public.csv"]) != 0
    assert "--public: is for --example" in capsys.readouterr().err


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_header_is_shown_with_what_separates_it(tmp_path: Path, separator: str) -> None:
    path = tmp_path / ("t.txt" if separator == "|" else "t.csv")
    releases.people(30, 0).to_csv(path, sep=separator, index=False)
    drafted = yaml.safe_load(draft(str(path)))
    assert list(drafted["features"]) == ["age", "dollars", "ill"]
    assert drafted["private"] == {"path": str(path)} | ({} if separator == "," else {"separator": separator})
    path.write_text("sex,day\n" + "F,2023-01-31\nM,2023-01-31\n")
    assert list(yaml.safe_load(draft(str(path)))["features"]) == ["sex", "day"]
