"""The list of studies."""

import json
import subprocess
import sys

import pytest

from semipriv.cli import main
from semipriv_lab.ledger.studies import studies


def test_every_study_with_its_claims_and_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studies"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(studies())
    assert max(map(len, lines)) <= 120
    start = lines.index("abm19_private_need")
    assert lines[start + 1 : start + 6] == [
        "  paper   ABM19",
        "  claims  ABM19-T3.1-agnostic, ABM19-T3.1-realizable",
        "  figure  private_need",
        "  what    Private examples that A_SSPP needs (ABM19 algorithm 1, theorem 3.1), exactly on hard families of "
        "two",
        "          hypotheses.",
    ]
    assert "  figure  -" in lines, "the audits have no figure"


def test_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studies", "--json"]) == 0
    rows = {row["study"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == list(studies())
    for name, study in studies().items():
        row = rows[name]
        assert (tuple(row["claims"]), row["figure"], row["module"]) == (study.claims, study.figure, study.module)
        assert row["paper"] in ("ABM19", "BMN20", "BCM20", "BNS15", "BBD24", "OWN")
        assert row["summary"].endswith((".", "!")), "one sentence on one line"


def test_help_and_completion_know_the_commands_of_the_laboratory(capsys: pytest.CaptureFixture[str]) -> None:
    """And only the one that was asked for is imported."""
    code = "import sys; from semipriv.cli import main; main(['--help']); print('snakemake' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "measure one claim by its id" in done.stdout
    assert done.stdout.endswith("False\n")
    assert main(["completion", "fish"]) == 0
    assert "-l format -xa 'pdf png'" in capsys.readouterr().out
