"""The three probabilities of lemma 4.4 of ABM19 against their constants."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "The reduction fails as rarely as the theorems say"

_COLOURS = PALETTE
_NEEDED, _EARLY, _SUBSTITUTED, _DISTANCE = _COLOURS[0], _COLOURS[1], _COLOURS[2], _COLOURS[4]
_SECOND, _FIRST, _WITHOUT = _COLOURS[3], _COLOURS[9], _COLOURS[5]


def draw(results: Results) -> Figure:
    """Left: P[exhausted] over n~, exact, in both readings of the loop, and runs of PrivSamp.

    Middle: P[the public sample has an example of D] over n_public, exact and simulated, and the total variation of
    labelled public samples for equal marginals.  Both panels show theorems, which hold for every D, D0 and A.  Right:
    P[err(B) > 100 n_public alpha].  A's accuracy alpha was measured, at failure probabilities 1/21 and 1/18; a second A
    has alpha = 1/1000 by its sample size.  This panel is an illustration, on the distributions of the ledger only.
    """
    rows = results["measurements"]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=page(3.0))
    _exhaustion(left, rows[rows["claim"].isin(["ABM19-E2", "ABM19-E2-literal"])])
    _substitution(middle, rows[rows["claim"] == "ABM19-E3"])
    _accuracy(right, rows[rows["claim"].isin(["ABM19-C4.6", "ABM19-L4.4"])])
    shared_legend(figure, columns=2)
    return figure


def _points(
    axes: Axes, rows: pd.DataFrame, x: str, label: str, colour: str | tuple[float, float, float], marker: str
) -> None:
    """Draw measured values with their limits."""
    errors = [rows["measured"] - rows["low"], rows["high"] - rows["measured"]]
    axes.errorbar(
        rows[x], rows["measured"], errors, fmt=marker, markersize=4, linewidth=1, capsize=2, color=colour, label=label
    )


def _constant(axes: Axes, value: float, label: str) -> None:
    axes.axhline(value, linestyle="--", linewidth=1, color="black", label=label)


def _exhaustion(axes: Axes, rows: pd.DataFrame) -> None:
    exact = rows[rows["own_size"] <= 5]
    largest = exact.groupby(["quantity", "own_size"], as_index=False)["measured"].max()
    for quantity, label, colour, marker in (
        ("P[exhausted]", "exhausted: a further example was needed", _NEEDED, "o"),
        ("P[loop left early]", "exhausted as printed: loop left early", _EARLY, "s"),
    ):
        part = largest[largest["quantity"] == quantity]
        axes.plot(
            part["own_size"], part["measured"], f"{marker}-", markersize=3, linewidth=1, color=colour, label=label
        )
    runs = rows[rows["quantity"] == "P[exhausted], runs of PrivSamp"]
    _points(axes, runs, "own_size", "runs of PrivSamp, of the coupled draw", "black", "x")
    _constant(axes, 0.01, "the paper's constant")
    axes.set(yscale="log", xlabel="private sample of B, $\\tilde n$", ylabel="P[exhausted]", ylim=(5e-6, 0.3))
    axes.set_xticks(sorted(largest["own_size"].unique()))
    axes.set_title("theorem: B's sample exhausted")


def _substitution(axes: Axes, rows: pd.DataFrame) -> None:
    for quantity, label, colour, marker in (
        ("P[public example substituted]", "an example of $D$ among the public ones", _SUBSTITUTED, "v"),
        (
            "total variation of labelled public samples, equal marginals",
            "total variation of public samples, equal marginals",
            _DISTANCE,
            "^",
        ),
    ):
        part = rows[(rows["quantity"] == quantity) & (rows["n_public"] <= 1000)].sort_values("n_public")
        axes.plot(
            part["n_public"], part["measured"], f"{marker}-", markersize=3, linewidth=1, color=colour, label=label
        )
    runs = rows[rows["quantity"] == "P[public example substituted], coupled"]
    _points(axes, runs, "n_public", "runs of PrivSamp, of the coupled draw", "black", "x")
    _constant(axes, 0.01, "the paper's constant")
    axes.set(xscale="log", ylim=(0, 0.016), xlabel="public points $n_{\\mathrm{public}}$")
    axes.set_ylabel("probability, or total variation")
    axes.set_title("theorem: public sample shifted")


def _accuracy(axes: Axes, rows: pd.DataFrame) -> None:
    own = rows[rows["quantity"] == "P[err(B) > 100 n_public alpha]"]
    for premise, marker, colour in (("1/21", "p", _FIRST), ("1/18", "h", _SECOND)):
        part = own[own["premise"] == premise]
        _points(axes, part, "accuracy", f"A_SSPP, A fails with probability {premise}", colour, marker)
    marked = own[own["premise"] == "1/21"].sort_values("accuracy")
    for i, (_, row) in enumerate(marked.iterrows()):
        label = f"{row['n_public']:g}" if i else f"$n_{{\\mathrm{{public}}}}={row['n_public']:g}$"
        axes.annotate(
            label, (row["accuracy"], row["low"]), (2, -12), textcoords="offset points", ha="right", fontsize="x-small"
        )
    second = rows[rows["quantity"] == "P[err(B) > 100 n_public alpha], A without public points"]
    second = second.assign(accuracy=100 * second["n_public"] * second["alpha"])
    _points(axes, second, "accuracy", "A without public points, $\\alpha=1/1000$", _WITHOUT, "D")
    _constant(axes, 1 / 16, "the paper's constant")
    axes.set_ylabel("P[err(B) > $100\\,n_{\\mathrm{public}}\\,\\alpha$]")
    axes.axvline(0.5, linestyle=":", linewidth=1, color="grey", label="lemma 4.4 says nothing from 1/2 on")
    axes.set(xscale="log", xlim=(0.015, 1), ylim=(0, 0.07), xlabel="accuracy $100\\,n_{\\mathrm{public}}\\,\\alpha$")
    axes.set_title("illustration: B less accurate")
