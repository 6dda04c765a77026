"""A headline says what is seen, above the figure; not where a measurement turned out otherwise."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure
from test_captions import DRAWINGS

from semipriv.core import tables
from semipriv_lab.figures import base
from semipriv_lab.figures.base import Results, draw_figure
from semipriv_lab.ledger.table import MEASUREMENTS

HEADLINE = "It falls"
SPECIFICATION = json.dumps({"room": "figures/plots", "name": "made_up", "headline": HEADLINE})


def draw(results: Results, title: str = "") -> Figure:
    figure, axes = plt.subplots(figsize=(4, 2))
    axes.plot(results["measurements"]["measured"])
    if title:
        figure.suptitle(title)
    return figure


def saved(verdicts: list[str | None], folder: Path, monkeypatch: pytest.MonkeyPatch, **options: str) -> Figure:
    """The figure of measurements with these verdicts, as it is saved."""
    path, kept = folder / "measurements.parquet", list[Figure]()
    row = dict.fromkeys(MEASUREMENTS.names) | {"claim": "A", "quantity": "q", "settings": "{}", "trials": 0}
    tables.write(path, MEASUREMENTS, [row | {"measured": 1.0, "verdict": verdict} for verdict in verdicts])
    monkeypatch.setattr(base.registry, "load", lambda *_: draw)
    monkeypatch.setattr(base, "save", lambda figure, *_: kept.append(figure))
    draw_figure(json.dumps(json.loads(SPECIFICATION) | options), {"measurements": path})
    return kept[0]


@pytest.mark.parametrize(
    ("verdicts", "shown"),
    [
        (["holds", None], HEADLINE),
        (["refuted", "holds"], HEADLINE),
        ([None], HEADLINE),
        (["holds", "violated"], ""),
        (["inconclusive"], ""),
    ],
)
def test_it_is_left_out_if_a_gate_fails(
    verdicts: list[str | None], shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert saved(verdicts, tmp_path, monkeypatch).get_suptitle() == shown


def test_the_setting_stands_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert saved(["holds"], tmp_path, monkeypatch, title="the setting").get_suptitle() == f"{HEADLINE}\nthe setting"


def test_headlines_fit_a_line_and_are_sentences() -> None:
    headlines = [drawing.options["headline"] for drawing in DRAWINGS.values() if "headline" in drawing.options]
    assert len(headlines) == len(DRAWINGS)
    for headline in headlines:
        assert len(headline) <= 85
        assert headline[0] in "$6" or headline[0].isupper()
        assert headline[-1] not in ".;:"
