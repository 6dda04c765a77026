"""A release of a period, by the commands: charged to it, certified with it, verified against it."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import releases
from releases import people, project, request

from semipriv.cli import main
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.budget.periods import Periods


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose ledger has an account for each month."""
    monkeypatch.chdir(tmp_path)
    project(tmp_path)
    for path in (tmp_path / "ledgers").iterdir():
        path.unlink()
    Ledger.create(tmp_path / "ledgers/clinic.jsonl", Budget(1), periods=Periods("month"))
    return tmp_path


def spent(folder: Path) -> dict[str, Fraction]:
    return {standing.period: standing.accounts[0].spent for standing in releases.ledger(folder).summary().standings}


def release(folder: Path, *options: str, **asked: Any) -> int:
    return main(["release", str(request(folder, **asked)), *options])


def test_each_month_is_released_from_its_own_account(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "clinic.csv").rename(folder / "november.csv")
    assert release(folder, "--dry-run", release="a", private={"path": "november.csv"}, period="2026-11") == 0
    assert "charged to  2026-11" in capsys.readouterr().out
    assert release(folder, release="a", private={"path": "november.csv"}, period="2026-11") == 0
    certified = json.loads((folder / "results/releases/a/certificate.json").read_text())["predicate"]
    cost = Fraction(certified["guarantee"]["exact"]["epsilon"])
    assert certified["period"]["names"] == ["2026-11"]
    assert spent(folder) == {"2026-11": cost}
    capsys.readouterr()

    assert release(folder, release="b", private={"path": "november.csv"}, period="2026-12") != 0
    assert "knows the table as that of 2026-11, the request says 2026-12" in capsys.readouterr().err
    assert release(folder, release="b", private={"path": "november.csv"}, period="2026-12", changed_table="accept") != 0
    assert spent(folder) == {"2026-11": cost}, "the same rows are not charged to another month, and nothing is paid"

    people(50, 7).to_csv(folder / "december.csv", index=False)
    assert release(folder, release="b", private={"path": "december.csv"}, period="2026-12") == 0, (
        "another table, another month"
    )
    assert spent(folder) == {"2026-11": cost, "2026-12": cost}
    for name in "ab":
        assert main(["verify", str(folder / "results/releases" / name), "--ledger", "ledgers/clinic.jsonl"]) == 0


def test_a_certificate_with_another_month_does_not_verify(folder: Path) -> None:
    assert release(folder, release="a", period="2026-11") == 0
    path = folder / "results/releases/a/certificate.json"
    path.write_text(path.read_text().replace('"2026-11"', '"2026-12"'))
    assert main(["verify", str(path.parent), "--ledger", "ledgers/clinic.jsonl"]) != 0


@pytest.mark.parametrize(
    ("period", "message"),
    [
        (None, "period: must be said, a month, as 2026-11"),
        ("2026-W48", "period = '2026-W48': must be a month, as 2026-11"),
        (2026, "period = '2026': must be a month, as 2026-11"),
        ([], "period = []: must be a period, as 2026-11, or a list of several"),
        (True, "period = True: must be a period"),
        (["2026-11", "2026-11"], "has one twice"),
    ],
)
def test_what_is_no_month_is_refused_before_anything_is_paid(
    folder: Path, period: Any, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = {} if period is None else {"period": period}
    for dry in ([], ["--dry-run"]):
        assert release(folder, *dry, **changes) != 0
        assert message in capsys.readouterr().err
    assert spent(folder) == {"": 0}


def test_two_months_are_charged_both(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release(folder, release="a", period=["2026-12", "2026-11"]) == 0
    assert set(spent(folder)) == {"2026-11", "2026-12"}
    assert len(set(spent(folder).values())) == 1
    capsys.readouterr()
    assert release(folder, release="a", period=["2026-11", "2026-12"]) == 0, "in another order it is the same request"
    assert len(releases.ledger(folder).charges) == 1


def test_persons_of_a_month_are_charged_to_it(folder: Path) -> None:
    """Persons with several rows in a month; a budget for rows refuses them."""
    table = people(60, 3)
    table.assign(pid=[number // 3 for number in range(60)]).to_csv(folder / "visits.csv", index=False)
    asked = {
        "release": "persons",
        "private": {"path": "visits.csv"},
        "one_row_a_person": None,
        "person": {"columns": ["pid"]},
        "period": "2026-11",
    }
    assert release(folder, **asked) != 0, "the budget is for rows"
    path = str(folder / "ledgers/persons.jsonl")
    words = ["--epsilon", "1", "--period", "month", "--neighbours", "replace_person"]
    assert main(["budget", "open", path, *words]) == 0
    assert release(folder, **asked, ledger=path) == 0
    (standing,) = Ledger.open(path).summary().standings
    assert (standing.period, standing.accounts[0].spent) == ("2026-11", Fraction(1, 2))
    assert main(["verify", str(folder / "results/releases/persons"), "--ledger", path]) == 0


def test_a_ledger_for_all_time_refuses_a_period(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    project(tmp_path)
    assert release(tmp_path, period="2026-11") != 0
    assert "period: the ledger has one account for all time" in capsys.readouterr().err


def test_inspect_counts_the_rows_outside_of_the_period(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a column of dates that is none of the request's; without one it says how to ask."""
    days = ["2026-10-31", "2026-11-01", "2026-11-30T23:59", "2026-12-01", "", "yesterday"] * 10
    people(60, 0).assign(day=days).to_csv(folder / "clinic.csv", index=False)

    def inspect(*options: str, period: Any = "2026-11") -> str:
        assert main(["inspect", str(request(folder, period=period)), *options]) == 0
        return capsys.readouterr().out

    assert "period 2026-11: is your word; --date COLUMN tells how many rows lie outside of it" in inspect()
    assert "period 2026-11: 20 rows have a date in 'day' outside of it; 20 rows tell none: cut" in inspect(
        "--date", "day"
    )
    inspected = json.loads(inspect("--date", "day", "--json", period=["2026-11", "2026-12"]))
    assert inspected["outside_of_the_period"] == {"column": "day", "outside": 10, "undated": 20}
    everything = ["2026-10", "2026-11", "2026-12"]
    assert "no date in 'day' lies outside of it; 20 rows tell" in inspect("--date", "day", period=everything)
    for changes, message in (({}, "has no `period`"), ({"period": "2026-11"}, "column 'days' is missing")):
        assert main(["inspect", str(request(folder, **changes)), "--date", "days"]) == 2
        assert message in capsys.readouterr().err
    assert "no date in 'age' lies outside of it; 60 rows tell none" in inspect("--date", "age")
