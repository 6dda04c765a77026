"""The golden file: every decision that changes changes the line of its claim, and nothing else does."""

from dataclasses import replace
from pathlib import Path

import golden as preregistered
import pytest
from traced import Rule, Trace

from semipriv.cli import main
from semipriv.core.statistics import Interval
from semipriv_lab.ledger import golden
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.findings import Finding, at_most, conclude, largest, recorded, within
from semipriv_lab.ledger.table import write_findings
from semipriv_lab.ledger.writing import write_ledger

CLAIM, OTHER = "ABM19-E1", "ABM19-E2"


def finding(value: float = 0.25, alpha: float = 0.1, bound: float = 1.0, rows: int = 3) -> Finding:
    """A claim with a row for each size, the last for the record."""
    cells = [at_most("error", {"n": 10**i, "alpha": alpha}, Interval.exact(value), bound) for i in range(rows - 1)]
    return conclude("how", [*cells, recorded("need", {"alpha": alpha}, value)], deciding=largest)


def ledger(folder: Path, row: Finding) -> str:
    """Write the ledger of a run that measured two claims, and return its folder."""
    folder.mkdir()
    rows, measured = folder / "rows", folder / "measured"
    write_findings({CLAIM: row, OTHER: finding()}, rows, measured)
    write_ledger([rows], [measured], [], folder / "claims.parquet", folder / "measurements.parquet")
    return str(folder)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The golden file of a ledger of the finding as it is by default."""
    folder = tmp_path_factory.mktemp("golden")
    lines = preregistered.of_run(ledger(folder / "before", finding()))
    golden.write(folder / "golden.csv", lines)
    assert golden.read(folder / "golden.csv") == lines
    return folder / "golden.csv"


@pytest.mark.parametrize(
    ("finding", "message"),
    [
        (finding(value=0.5), None),  # another number, the same decisions
        (finding(alpha=0.1 + 1e-15), None),
        (finding(alpha=0.2), "other cells"),
        (finding(rows=4), "rows 3 -> 4; gates 2 -> 3; other cells"),
        (finding(bound=0.1), "holds -> violated; other cells"),
        (replace(finding(), measurements=finding().measurements[::-1]), None),
        (
            replace(finding(), measurements=tuple(replace(row, verdict=None) for row in finding().measurements)),
            "gates 2 -> 0; other cells",
        ),
    ],
)
def test_a_decision_that_changes_moves_the_line_of_its_claim(
    tmp_path: Path, known: Path, capsys: pytest.CaptureFixture[str], finding: Finding, message: str | None
) -> None:
    assert main(["diff", str(known), ledger(tmp_path / "after", finding)]) == (message is not None)
    moved = [f"{CLAIM}  {message}"] * (message is not None)
    equal = 2 + sum(claim.kind == "cited" for claim in claims().values()) - len(moved)
    last = f"{len(moved)} claims differ in what was looked at or in their verdict, {equal} equal"
    assert [line for line in capsys.readouterr().out.splitlines() if "only in" not in line] == [*moved, last]


def test_a_window_is_part_of_the_small_run() -> None:
    def small(low: float, judged: bool = True) -> dict[str, str]:
        given = {"quantity": "slope", "settings": {}, "measured": 0.5, "low": low, "high": 1.0, "judged": judged}
        row = within(**given)
        return preregistered.small(
            Trace({CLAIM: conclude("how", [row], deciding=row)}, rules=[Rule("within", given, row)])
        )

    assert small(0.3) == small(0.1 + 0.2)
    assert len({small(0.3)[CLAIM], small(0.4)[CLAIM], small(0.3, judged=False)[CLAIM]}) == 3


def test_every_claim_has_a_line() -> None:
    assert list(golden.read(preregistered.FILE)) == list(claims())


def test_what_is_no_golden_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "golden.csv"
    for text in ("", "claim,verdict\nA,holds\n", "a\n"):
        path.write_text(text)
        assert main(["diff", str(path), str(path)]) == 2
        assert "is not a golden file of a ledger, whose first line is claim,verdict" in capsys.readouterr().err
    assert main(["diff", str(tmp_path / "gone.csv"), str(path)]) == 2
    assert "gone.csv: does not exist" in capsys.readouterr().err
    (tmp_path / "claims.parquet").touch()
    golden.write(path, {CLAIM: golden.Line("holds", 1, 1, "abc")})
    assert main(["diff", str(path), str(tmp_path)]) == 2
    assert "measurements.parquet: does not exist" in capsys.readouterr().err
