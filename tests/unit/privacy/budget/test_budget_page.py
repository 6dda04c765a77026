"""Each command of the page on budgets runs, and its refusal is what the ledger says."""

import shlex
from fractions import Fraction
from pathlib import Path

import pytest
from places import ROOT

from semipriv.cli import main
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.refusal import refusal
from semipriv.privacy.events import Pure

PAGE = (ROOT / "docs/budget.md").read_text()


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.yaml").write_text(PAGE.partition("```yaml\n")[2].partition("```")[0])
    commands = [shlex.split(line[2:]) for line in PAGE.splitlines() if line.startswith("$ ")]
    assert [command[:2] for command in commands].count(["semipriv", "budget"]) == 4
    for command in commands:
        assert main(command[1:]) == 0, command
    capsys.readouterr()
    made = sorted(path.name for path in Path("ledgers").glob("clinic*"))
    assert all(f"| `{name}` |" in PAGE for name in made)
    assert len(made) == 3


def test_the_refusal_is_what_the_ledger_says() -> None:
    error = refusal(Budget(1), Budget(1).accounts([Pure(Fraction("0.8"))]), Pure(Fraction("0.5")))
    assert str(error) in PAGE.splitlines()
