"""The ledger: verdicts of claims, what was not measured, how often it may be wrong by accident, and its page."""

import json
import re
from pathlib import Path

import pytest
from browser import CHROMIUM, browse, too_wide

from semipriv.core import tables
from semipriv.core.fingerprint import closure
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Interval, Verdict
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.findings import Finding, Measurement
from semipriv_lab.ledger.page import COLOURS, write_ledger_page
from semipriv_lab.ledger.studies import studies, studies_for, study_of
from semipriv_lab.ledger.table import CLAIMS, MEASUREMENTS, counts, false_alarms, write_findings
from semipriv_lab.ledger.writing import write_ledger
from semipriv_lab.workflow.measure_study import measure
from semipriv_lab.workflow.summary import summarise

EXACT = Measurement("a size", {"alpha": 0.1}, Interval.exact(5.0), 10.0, 0, Verdict.HOLDS)
BROKEN = Measurement("error", {"n": 3, "class": "x"}, Interval(0.5, 0.4, 0.6), 0.1, 100, Verdict.VIOLATED)
UNMEASURED = "BBD24-ORACLE"
"""Stands for a claim that no study measures yet."""
RECORD = Measurement("for the record", {}, Interval(0.5, 0.4, 0.6), None, 100)


def ledger(folder: Path, findings: dict[str, Finding]) -> Path:
    write_findings(findings, folder / "rows.parquet", folder / "m.parquet")
    files = [folder / name for name in ("rows.parquet", "m.parquet", "claims.parquet", "all.parquet")]
    write_ledger(files[:1], files[1:2], [claim for claim in study_of() if claim != UNMEASURED], *files[2:])
    return folder


@pytest.fixture
def written(tmp_path: Path) -> Path:
    findings = {
        "ABM19-T3.1": Finding("a broken measurement", Verdict.VIOLATED, BROKEN, (BROKEN, BROKEN, RECORD)),
        "ABM19-E3": Finding("an exact one", Verdict.HOLDS, EXACT, (EXACT,), constants="repaired", reason="a < b & c"),
    }
    return ledger(tmp_path, findings)


def test_every_study_measures_claims_of_the_list() -> None:
    assert set(study_of()) <= set(claims())
    assert len(study_of()) == sum(map(len, (s.claims for s in studies().values()))), "a claim has one study"
    for study in studies():
        assert studies()[study].module in closure([studies()[study].module])


def test_no_claim_of_the_first_paper_is_missing() -> None:
    missing = {claim.id for claim in claims().values() if claim.paper == "ABM19"} - set(study_of())
    assert missing == {"ABM19-T4.3", "ABM19-L2.5", "ABM19-L2.6"}
    assert {claims()[claim].kind for claim in missing} == {"cited"}


def test_ledger(written: Path) -> None:
    rows = {row["claim"]: row for row in tables.read_rows(written / "claims.parquet", CLAIMS)}
    assert list(rows) == list(claims())
    row = rows["ABM19-T3.1"]
    assert (row["verdict"], row["bound"], row["low"], row["trials"], row["gates"]) == ("violated", 0.1, 0.4, 100, 2)
    assert (rows["ABM19-E3"]["constants"], rows["ABM19-E3"]["gates"]) == ("repaired", 0)
    assert (rows["ABM19-T4.3"]["verdict"], rows["ABM19-E2"]["reason"]) == ("cited", "not part of this run")
    assert (rows[UNMEASURED]["verdict"], rows[UNMEASURED]["reason"]) == ("inconclusive", "not implemented")
    counted = counts(rows.values())["ABM19"]
    assert (counted["holds"], counted["violated"], counted["cited"], counted["not implemented"]) == (1, 1, 3, 0)
    assert counted["not part of this run"] == sum(claim.startswith("ABM19") for claim in study_of()) - 2
    assert counted["inconclusive"] == 0
    measured = tables.read_rows(written / "all.parquet", MEASUREMENTS)
    assert len(measured) == 4
    assert json.loads(measured[0]["settings"]) == {"n": 3, "class": "x"}


def test_false_alarms(written: Path) -> None:
    """Only claims with simulated gates count, each with the level that its gates share."""
    assert false_alarms(tables.read_rows(written / "claims.parquet", CLAIMS)) == (1, 1e-4)


def test_page(written: Path) -> None:
    write_ledger_page(written / "claims.parquet", written / "all.parquet", written / "claims.html")
    page = (written / "claims.html").read_text()
    assert page.count('<tr id="') == len(claims())
    assert "0.5 [0.4, 0.6]" in page
    assert "a &lt; b &amp; c" in page
    assert f'style="background: {COLOURS["violated"]}">violated' in page
    assert "verdicts of 1 rest on simulations" in page
    assert "at most about 0.01 %, assuming: 2 simulated gates, those of a claim at" in page
    assert page.count(">not part of this run</td>") == len(study_of()) - 3, "two are measured, one has no study"
    assert ">inconclusive</td>" not in page.partition("<h2")[2], "nothing that was measured is"


def opened(document: str) -> set[str]:
    """The claims that a browser shows."""
    return set(re.findall(r'<tr id="([^"]+)"(?! [^>]*hidden)[^>]*>', document))


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")
def test_a_browser_filters_and_opens_a_claim_from_the_disk(written: Path) -> None:
    write_ledger_page(written / "claims.parquet", written / "all.parquet", written / "claims.html")
    page = (written / "claims.html").as_uri()
    document, console, addresses = browse(f"{page}#?verdict=violated", written)
    assert console == []
    assert {address.partition("#")[0] for address in addresses} <= {page}
    assert opened(document) == {"ABM19-T3.1"}
    assert f"1 of {len(claims())} claims" in document
    document, _, _ = browse(f"{page}#?paper=BMN20&kind=cited&word=no%20such", written)
    assert opened(document) == set()
    document, console, _ = browse(f"{page}#ABM19-T3.1", written)
    assert console == []
    assert opened(document) == set(claims())
    cells = re.findall(r'<div data-cells="ABM19-T3.1">(.*?)</div>', document)[0]
    assert cells.count("<tr>") == 1 + 3
    assert "n = 3, class = x" in cells
    assert "0.4 to 0.6" in cells


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")
def test_the_page_fits_a_phone_and_a_screen(written: Path) -> None:
    write_ledger_page(written / "claims.parquet", written / "all.parquet", written / "claims.html")
    wide = written / "wide.html"
    wide.write_text(f"<p style='white-space: nowrap'>{'a wide page ' * 40}<pre><code>x</code></pre>")
    offending = too_wide([written / "claims.html", wide], (400, 1300), written)
    assert [(Path(page).name, width) for page, width, *_ in offending] == [("wide.html", 400), ("wide.html", 1300)]


def test_summary(written: Path) -> None:
    summarise(written / "claims.parquet", written / "all.parquet", [], [], [], [], written / "summary.txt")
    text = (written / "summary.txt").read_text()
    line = next(line for line in text.splitlines() if line.startswith("  ABM19"))
    assert line.split()[1:3] == ["1", "1"]
    assert re.search(r"^    ABM19-T3\.1 +violated", text, flags=re.MULTILINE)
    assert "at most about 0.01 %, assuming: 2 simulated gates, those of a claim at" in text
    assert "ABM19-E3" not in text, "what holds is counted"
    assert "ABM19-E2" not in text, "what is not part of the run is counted, and no verdict on it is listed"


def test_studies_by_claim_and_by_paper() -> None:
    assert studies_for(["ABM19-E3", "ABM19-L3.2"]) == ["abm19_privacy", "abm19_reduction"]
    assert studies_for(["ABM19"]) == [study for study in studies() if study.startswith("abm19_")]
    both = [study for study in studies() if study.startswith(("abm19_", "bmn20_"))]
    assert studies_for(["BMN20", "ABM19"]) == both
    assert studies_for([]) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "ABM19-L33",
            r"unknown claim or paper 'ABM19-L33': did you mean .*ABM19-L3.3'.*\? `semipriv claim --list` lists",
        ),
        ("abm19-l3.3", r"unknown claim or paper 'abm19-l3.3': did you mean 'ABM19-L3.3'"),
        ("typo", r"^claims: unknown claim or paper 'typo': `semipriv claim --list` lists all$"),
        ("ABM19-T4.3", r"nothing measures 'ABM19-T4.3': `semipriv claim --list` tells what is measured"),
    ],
)
def test_unknown_claims(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        studies_for([name])


def test_at_most_three_names_are_suggested_the_nearest_first() -> None:
    for name in ("ABM19-L3", "BMN20-T4", "BCM20-T1", "BNS15-L4"):
        with pytest.raises(ValueError, match="did you mean") as caught:
            studies_for([name])
        assert len(re.findall("'[^']+'", str(caught.value).partition("did you mean")[2].partition("?")[0])) == 3


def test_the_ledger_says_what_the_list_of_claims_says_now(written: Path) -> None:
    rows = tables.read_rows(written / "rows.parquet", CLAIMS)
    outdated = [row | {"statement": "as it was worded before"} for row in rows]
    tables.write(written / "rows.parquet", CLAIMS, outdated)
    write_ledger([written / "rows.parquet"], [], study_of(), written / "claims.parquet", written / "all.parquet")
    by_claim = {row["claim"]: row for row in tables.read_rows(written / "claims.parquet", CLAIMS)}
    assert {row["claim"]: row["statement"] for row in rows} == {
        row["claim"]: by_claim[row["claim"]]["statement"] for row in rows
    }


def test_a_violated_measurement_shows_in_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a broken formula through the study to the row: the ledger says violated."""
    from semipriv_lab.papers.abm19.studies import private_need as abm19_private_need

    def linear(alpha: float, epsilon: float, beta: float, mechanism: str = "exponential") -> int:
        return round(300 / alpha)

    monkeypatch.setattr(abm19_private_need, "private_points_two_point", linear)
    ledger(tmp_path, measure("abm19_private_need", studies()["abm19_private_need"].claims, Simulation(0)))
    rows = {row["claim"]: row for row in tables.read_rows(tmp_path / "claims.parquet", CLAIMS)}
    assert rows["ABM19-T3.1-agnostic"]["verdict"] == "violated"
    assert rows["ABM19-T3.1-realizable"]["verdict"] == "inconclusive"  # its control is made of the broken formula
