"""The study, the figure and the figure's case of docs/adding-a-paper.md do what the page says."""

import re
from typing import Any

import pandas as pd
from drawn import check_looks, check_marks, check_words
from runs import ROOT

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict

PAGE = ROOT / "docs" / "adding-a-paper.md"


def test_the_example_of_the_page_is_a_study() -> None:
    study, plot, case = map(_module, re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.S))
    found = study["findings"](Simulation(1), 0.25)
    assert study["CLAIMS"] == tuple(found)
    finding = found["WAR65-E1"]
    assert finding.verdict is Verdict.HOLDS
    assert len(finding.measurements) == len(study["EPSILONS"])
    rows = [
        {"measured": row.measured.value, "bound": row.bound, "claim": "WAR65-E1", **row.settings}
        for row in finding.measurements
    ]
    tables = {"measurements": pd.DataFrame(rows)}
    figure = plot["draw"](tables)
    check_marks("share", figure, case["shown"](tables))
    check_words("share", figure, case["said"](tables), "")
    check_looks("share", figure)


def _module(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(source, str(PAGE), "exec"), names)
    return names
