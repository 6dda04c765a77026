"""What all figures share: their inputs, one style, and files with reproducible bytes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv import registry, tables
from semipriv.claims.ledger import MEASUREMENTS
from semipriv.experiments.schemas import SAMPLES, SLOPES, SUMMARY, TRIALS

WIDTH = 7.0
"""Width of a full-width figure in inches."""

NAMES = {
    "sspp": "A_SSPP",
    "sspp, permute_and_flip": "A_SSPP with permute-and-flip",
    "empirical_risk_minimiser, class": "ERM, not private",
    "empirical_risk_minimiser, cover": "ERM over the cover, not private",
    "public_labelled": "ERM on labelled public points",
    "fixed_grid": "fixed grid, no public data",
    "discard_private": "discard the private sample",
    "logistic_regression": "logistic regression, not private",
}
"""How learners are called in figures, in the order of legends and colours."""

_LOOK: dict[str, Any] = {"linewidth": 1.2, "marker": "o", "markersize": 3}
_LOOKS: dict[str, dict[str, Any]] = {
    NAMES["empirical_risk_minimiser, cover"]: {"linewidth": 4, "alpha": 0.5},
    NAMES["sspp, permute_and_flip"]: {"linewidth": 1.2, "linestyle": (0, (2, 3)), "marker": "^", "markersize": 2},
}
"""A wide pale line below A_SSPP, and dashes above it: the three often lie on one another, which is the point."""

AXES = {
    "n_public": "public points $n_{\\mathrm{public}}$",
    "n_private": "private examples $n_{\\mathrm{private}}$",
    "sigma": "smoothness $\\sigma$ of the private law",
    "epsilon": "privacy parameter $\\varepsilon$",
    "excess": "excess error",
    "error": "error on the held-out part",
}


SCHEMAS = {
    "summary": SUMMARY,
    "slopes": SLOPES,
    "trials": TRIALS,
    "public": SAMPLES,
    "held": SAMPLES,
    "measurements": MEASUREMENTS,
}


@dataclass(frozen=True, eq=False)
class Results:
    """Tables of results by name, as far as the figure's rule hands them over; a list of files is one table."""

    paths: Mapping[str, str | Path | Sequence[str | Path]]

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Read a table as a data frame; the settings of measurements become a column each."""
        found = self.paths[name]
        files = [found] if isinstance(found, (str, Path)) else found
        frame = pd.concat([tables.read(path, SCHEMAS[name]).to_pandas() for path in files], ignore_index=True)
        if "settings" not in frame:
            return frame
        settings = pd.DataFrame([json.loads(text) for text in frame["settings"]], index=frame.index)
        return frame.drop(columns="settings").join(settings)


def draw_figure(
    specification: str,
    inputs: Mapping[str, str | Path | Sequence[str | Path]],
    pdf: str | Path,
    png: str | Path,
) -> None:
    """Draw the figure that a specification names (JSON: its name and options) and save it."""
    apply_style()
    options = {key: value for key, value in json.loads(specification).items() if key != "name"}
    draw = registry.load("figures", json.loads(specification)["name"])
    save(draw(Results(inputs), **options), pdf, png)


def apply_style() -> None:
    """One style for all figures: seaborn's paper context, colour-blind safe, embedded fonts."""
    sns.set_theme(context="paper", style="ticks", palette="colorblind", font_scale=0.85)
    mpl.rcParams.update(
        {
            "pdf.fonttype": 42,
            "axes.grid": True,
            "grid.linewidth": 0.4,
            "grid.alpha": 0.5,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.constrained_layout.use": True,
            "legend.frameon": False,
        }
    )


def learner_names(frame: pd.DataFrame) -> pd.Series:
    """How the learners of a summary or trials table are called in figures: one name for each learner but for epsilon.

    Variants of one learner side by side carry their parameters; an unknown learner goes by its own name.
    """

    def name(row: pd.Series) -> str:
        key = str(row["name"])
        if "permute_and_flip" in row["variant"]:
            key += ", permute_and_flip"
        if key == "empirical_risk_minimiser":
            key += ", cover" if "over=cover" in row["variant"] else ", class"
        return NAMES.get(key, key)

    shown = frame.apply(name, axis=1)
    variants = frame.groupby(shown)["variant"].transform("nunique")
    return shown.where(variants == 1, shown + " (" + frame["variant"] + ")")


def order(shown: pd.Series) -> list[str]:
    """The names in a table: those that all figures know first, A_SSPP last, so that it is drawn on top."""
    known = [name for name in NAMES.values() if name in set(shown)]
    names = known + sorted(set(shown) - set(known))
    return sorted(names, key=lambda name: name.startswith(NAMES["sspp"]))


def colours(shown: pd.Series) -> dict[str, tuple[float, float, float]]:
    """A colour for each name: the same in every figure for those that all figures know."""
    known = dict(zip(NAMES.values(), sns.color_palette("colorblind", len(NAMES)), strict=True))
    others = [name for name in order(shown) if name not in known]
    return known | dict(zip(others, sns.husl_palette(len(others), s=0.6), strict=True))


def band(axes: Axes, frame: pd.DataFrame, x: str, label: str, colour: object) -> None:
    """Mean with its 95 % limits against x, on a logarithmic axis.

    Means that are not positive are left out; a lower limit below mean / 50 is drawn there.
    """
    rows = frame[frame["mean"] > 0].sort_values(x)
    axes.plot(rows[x], rows["mean"], color=colour, label=label, **_LOOKS.get(label, _LOOK))
    low = np.maximum(rows["low"], rows["mean"] / 50)
    axes.fill_between(rows[x], low, rows["high"], color=colour, alpha=0.2, linewidth=0)


def shared_legend(figure: Figure, columns: int = 3) -> None:
    """One legend below all panels, each entry once."""
    entries: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    handles: list[Artist] = list(entries.values())
    figure.legend(handles, list(entries), loc="outside lower center", ncols=columns)


def save(figure: Figure, pdf: str | Path, png: str | Path) -> None:
    """Write a figure as PDF and PNG without dates, so that equal figures have equal bytes."""
    for path in (pdf, png):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(pdf, metadata={"CreationDate": None, "ModDate": None})
    figure.savefig(png, dpi=200, metadata={"Software": None})
    plt.close(figure)
