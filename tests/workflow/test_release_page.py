"""The worked examples of pages on releases, reports, persons, databases and budgets, each in an empty folder."""

import re
import shlex
from pathlib import Path

import pytest
from places import ROOT

from semipriv.cli import example, main
from semipriv.practice.asking.request import load
from semipriv.practice.engine.preview import simulate
from semipriv.practice.engine.reading import examples, read_public, rows
from semipriv.privacy.budget.ledger import Ledger

TOOK = re.compile(r"took [0-9.e-]+ s")
"""What differs from run to run, and stands in the page as 0.02 s."""
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("semipriv.cli.release.simulate", lambda previewed, _, say: simulate(previewed, 300.0, say))


def run(page: str, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    """Run all blocks of a page, and return what its commands said."""
    outputs: list[tuple[str, str]] = []
    for language, text in BLOCK.findall((ROOT / page).read_text()):
        if language == "python":
            exec(compile(text, page, "exec"), {})
        elif language == "yaml":
            name = re.match(r"# (\S+)\n", text)
            assert name
            Path(name[1]).write_text(text)
        else:
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                command, _, shown = part.partition("\n")
                words = shlex.split(command)
                assert words[0] == "semipriv"
                assert main(words[1:]) == 0, command
                printed = capsys.readouterr().out
                assert shown in ("", TOOK.sub("took 0.02 s", printed)), command
                outputs.append((command, printed))
    return outputs


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = run("docs/release.md", capsys)
    releases = [printed for command, printed in outputs if command == "semipriv release config/release.yaml"]
    assert len(releases) == 2
    assert "drawn (entry 1" in releases[0]
    assert "was drawn before" in releases[1]
    files = {path.name for path in Path("results/releases/malignant").iterdir()}
    assert files == {"model.json", "certificate.json", "certificate.html", "figure.pdf", "figure.png"}


def test_the_page_of_columns_runs(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = run("docs/columns.md", capsys)
    assert "outcome: drawn (entry 1" in dict(outputs)["semipriv release outcome.yaml"]


def test_the_page_of_statistics_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/statistics.md", capsys)
    assert {path.name for path in Path("results/releases").iterdir()} == {"report"}


def test_the_page_of_one_column_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run("docs/one-column.md", capsys)
    assert {path.name for path in Path("results/releases").iterdir()} == {"age"}


def test_the_page_of_persons_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Both ways are paid by one ledger, and both name persons."""
    run("docs/persons.md", capsys)
    assert {path.name for path in Path("results/releases").iterdir()} == {"pressure", "ever"}
    (account,) = Ledger.open(Path("ledgers/visits.jsonl")).summary().standings[0].accounts
    assert (float(account.spent), float(account.left)) == (2.0, 0.0)


def test_the_page_of_databases_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb", reason="databases are an extra: python -m pip install 'semipriv[database]'")
    _, dry, released, verified = (printed for _, printed in run("docs/databases.md", capsys))
    assert "counts      the database, by 1 query; only counts leave it:" in dry
    assert "SELECT" in dry
    assert "ill: drawn (entry 1" in released
    assert "not checked: figure" in verified


def test_the_page_of_budgets_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Its files are there."""
    outputs = run("docs/budget.md", capsys)
    files = sorted(path.name for path in Path("ledgers").iterdir())
    assert len(files) == 3
    assert all(f"| `{name}` |" in (ROOT / "docs/budget.md").read_text() for name in files)
    assert len(outputs) == 3


def test_the_page_of_accounts_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (equal, _), (gaussian, _) = run("docs/budget-accounts.md", capsys)
    assert "--each" in equal
    assert "--gaussian" in gaussian


def test_the_page_of_months_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """No row is outside of its month, and each month has left what the page says."""
    page = (ROOT / "docs/budget-months.md").read_text()
    outputs = run("docs/budget-months.md", capsys)
    looks = [printed for command, printed in outputs if command.startswith("semipriv inspect")]
    assert len(looks) == 2
    assert all("no date in 'day' lies outside of it\n" in printed for printed in looks)
    months = Ledger.open(Path("ledgers/months.jsonl")).summary()
    for standing in months.standings:
        (account,) = standing.accounts
        numbers = (float(number) for number in (account.total, account.spent, account.left))
        assert "| {} | {:g} | {:g} | {:g} |".format(standing.period, *numbers) in page
    assert months.together == (2, 0), "of a patient in both months, whatever is released"
    assert len(outputs) == len(re.findall(r"^\$ ", page, re.M)) == 6


def test_the_request_of_the_worked_example_can_be_read() -> None:
    assert main(["example"]) == 0
    request = load(ROOT / "config/release.yaml")
    public = read_public(request)
    assert public.points.shape == (example.PUBLIC, 2)
    assert rows(request, request.private.parts[0]) == (509, 0)
    (points, labels), *_ = examples(request, public.records, request.private.parts[0])
    assert points.min() >= 0
    assert points.max() <= 1
    assert 0 < labels.sum() < len(labels)
