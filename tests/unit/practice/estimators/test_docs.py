"""What docs/estimators.md shows works as it stands."""

import re

from places import ROOT

from semipriv.privacy.budget.ledger import Ledger


def test_the_page_runs(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/estimators.md").read_text(), re.DOTALL)
    assert len(blocks) == 7
    known: dict[str, object] = {}
    for block in blocks:
        exec(block, known)
    assert known["model"].predict([[30.0, 50.0], [70.0, 50.0]]).tolist() == ["well", "ill"]
    assert known["pipeline"].predict([[30.0, 50.0], [70.0, 50.0]]).tolist() == ["well", "ill"]
    assert known["visits"].guarantee_.neighbours == "replace_person"
    assert set(known["mixed"].predict(known["people"])) == {"ill", "well"}
    assert known["synthetic"].dtypes.equals(known["known"].dtypes)
    assert abs(known["report"]["value"][:4].sum() - 5000) < 1e-6, "n is exact"
    assert sum(entry.kind == "reserved" for entry in Ledger.open("clinic.jsonl").entries) == 1
    first = blocks[0].split("\n\n", 1)[1]
    assert len([line for line in first.splitlines() if line]) <= 12, "twelve lines to start"
