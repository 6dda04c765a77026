"""Examples needed against the bits of the domain: all private, and with the zeros public."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "Learning with all examples private takes more for each bit"

STYLES = {
    "exponential mechanism over all thresholds, all private": "o-",
    "A_LearnHalf, zeros public": "^-",
}


def draw(results: Results, epsilon: float = 1.0) -> Figure:
    """Left: least n with a mean empirical error of at most 0.1 (dashed on the right), thresholds on 2^b points, with
    simultaneous limits.

    Dotted: 4 ln 2 / epsilon examples a bit, through the need at the least b.  Right: mean empirical error against n;
    beside curves: b.  One pure mechanism without public data, not a lower bound.
    """
    rows = results["measurements"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.9))
    colours = dict(zip(STYLES, PALETTE, strict=False))
    _needs(left, rows, colours)
    errors = rows[(rows["quantity"] == "mean empirical error") & (rows["epsilon"] == epsilon)]
    _errors(right, errors, colours)
    right.set_title(f"{errors['bits'].nunique()} sizes of the domain, $\\varepsilon={epsilon:g}$", fontsize="small")
    shared_legend(figure, columns=2)
    return figure


def _needs(axes: Axes, rows: pd.DataFrame, colours: dict[str, tuple[float, float, float]]) -> None:
    needs = rows[rows["quantity"].str.startswith("examples needed")].sort_values("bits")
    slopes = rows[(rows["quantity"] == "slope of the need in b") & rows["bound"].notna()]
    for (learner, epsilon), part in needs.groupby(["learner", "epsilon"]):
        full = epsilon == needs["epsilon"].max()
        label = f"{learner}, $\\varepsilon={epsilon:g}$"
        errors = np.array([part["measured"] - part["low"], part["high"] - part["measured"]])
        axes.errorbar(
            part["bits"],
            part["measured"],
            errors,
            fmt=STYLES[str(learner)],
            markersize=3,
            linewidth=1,
            color=colours[str(learner)],
            alpha=1.0 if full else 0.5,
            label=label,
        )
        for slope in slopes[(slopes["learner"] == learner) & (slopes["epsilon"] == epsilon)].itertuples():
            line = part["measured"].iloc[0] + slope.bound * (part["bits"] - part["bits"].iloc[0])
            axes.plot(part["bits"], line, ":", color="black", linewidth=1, label="$4\\ln 2/\\varepsilon$ a bit")
    texts = [f"{row.measured:.2f} ($\\varepsilon={row.epsilon:g}$)" for row in slopes.itertuples()]
    axes.set_title(f"slopes, all private: {', '.join(texts)}", fontsize="small")
    axes.set_xticks(np.unique(needs["bits"]))
    axes.set(xlabel="bits $b$ of the domain", ylabel="examples needed")
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])


def _errors(axes: Axes, rows: pd.DataFrame, colours: dict[str, tuple[float, float, float]]) -> None:
    for (learner, bits), part in rows.groupby(["learner", "bits"]):
        curve = part.sort_values("n")
        axes.plot(
            curve["n"], curve["measured"], STYLES[str(learner)], markersize=3, linewidth=1, color=colours[str(learner)]
        )
        if learner in list(STYLES)[:1]:
            before = curve[curve["measured"] > 2 * curve["bound"]]  # before the error falls
            last = (curve if before.empty else before).iloc[-1]
            words = f"$b={bits:g}$" if bits == rows["bits"].min() else f"${bits:g}$"
            axes.annotate(words, (last["n"], last["measured"]), (2, 4), textcoords="offset points", ha="left")
    error = rows["bound"].iloc[0]
    axes.axhline(error, color="black", linewidth=0.8, linestyle="--", label=f"error {error:g}")
    axes.set(xscale="log", xlabel="examples $n$", ylabel="mean empirical error")
    ticks_at(axes, rows["n"])
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
