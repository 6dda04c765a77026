"""``python -m semipriv_lab.reference.first_figure RESULTS PNG``: draw the README's figure from a finished run."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from semipriv.core import tables
from semipriv.drawing.files import save
from semipriv.drawing.fitting import fit, shared_legend, ticks_at
from semipriv.drawing.style import SCREEN, STYLES, in_force, page
from semipriv_lab.experiments.schemas import SUMMARY
from semipriv_lab.figures.base import AXES, band, learner_names, learners

CASES = {"good": "The ranges of both columns are known", "cautious": "Nobody knows the scale of the dollars"}
SHOWN = ("sspp", "fixed_grid", "log_grid", "public_labelled")
"""The learners of ``rand_scale`` that are drawn."""


def draw(results: Path, target: Path) -> None:
    """Draw held-out error against epsilon: a panel for what is known of the ranges, four learners."""
    summary = tables.read_frame(results / "rand_scale/summary.parquet", SUMMARY)
    summary = summary[summary["name"].isin(SHOWN) & summary["case"].isin(CASES)]
    summary = summary.assign(shown=learner_names(summary))
    known = learners(summary)
    with in_force(STYLES[SCREEN], STYLES[SCREEN].text):
        figure, panels = plt.subplots(1, len(CASES), figsize=page(2.9), sharey=True)
        for axes, (case, title) in zip(panels, CASES.items(), strict=True):
            axes.set(xscale="log", title=title, xlabel=AXES["epsilon"])
            for shown in known.order:
                part = summary[(summary["case"] == case) & (summary["shown"] == shown)]
                if part["epsilon"].notna().all() and len(part):
                    band(axes, part, "epsilon", shown, known.colours[shown], known.looks[shown])
                elif len(part):
                    axes.axhline(part["mean"].iloc[0], color=known.colours[shown], label=shown, linestyle="--")
            ticks_at(axes, summary["epsilon"].dropna())
        panels[0].set_ylabel(AXES["error"])
        shared_legend(figure, columns=2)
        fit(figure, STYLES[SCREEN].height)
        save(figure, target)
        plt.close(figure)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
