"""What the pages on estimators show works as it stands."""

import re

from places import ROOT

from semipriv.privacy.budget.ledger import Ledger


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


def test_the_guide_runs_and_then_the_page_of_details(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    guide, details = blocks("estimators.md"), blocks("estimators-reference.md")
    assert (len(guide), len(details)) == (4, 1)
    known: dict[str, object] = {}
    for block in [*guide, *details]:
        exec(block, known)
    assert known["model"].predict([[30.0, 50.0], [70.0, 50.0]]).tolist() == ["well", "ill"]
    assert known["pipeline"].predict([[30.0, 50.0], [70.0, 50.0]]).tolist() == ["well", "ill"]
    assert known["visits"].guarantee_.neighbours == "replace_person"
    assert set(known["mixed"].predict(known["people"])) == {"ill", "well"}
    assert sum(entry.kind == "reserved" for entry in Ledger.open("clinic.jsonl").entries) == 1
    first = guide[0].split("\n\n", 1)[1]
    assert len([line for line in first.splitlines() if line]) <= 12, "twelve lines to start"


def test_the_page_of_tables_runs() -> None:
    known: dict[str, object] = {}
    for block in blocks("estimators-tables.md"):
        exec(block, known)
    assert known["synthetic"].dtypes.equals(known["known"].dtypes)
    assert abs(known["report"]["value"][:4].sum() - 5000) < 1e-6, "n is exact"
