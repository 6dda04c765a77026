"""Worst error of A_PAP over all thresholds against public points, for several numbers of private records."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import SYMBOLS, Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "With private records public points go further"

MEAN = "mean error over all thresholds"
EXPECTED = "expected error over all thresholds"
EXACT, ALONE = "exact private answers", "public means"


def draw(results: Results) -> Figure:
    """Left: mean of the largest error over all thresholds (labels -1 and 1), an atomless distribution, by n_private.

    A_PAP with MWEM, 95 % limits; its bound, twice the expected largest gap plus the mean error over the cover (dotted).
    Black: n_private = infinity, where the error is twice the largest gap, and public means alone, twice the
    Kolmogorov-Smirnov distance, both exact; and theorem 10's alpha, whose public need is m (dashed), below 1.  Right:
    means over that of public means; above 1 these alone are better.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BCM20-T10-public"].sort_values("n_public")
    means = rows[(rows["quantity"] == MEAN) & (rows["way"] == "MWEM")]
    expected = rows[rows["quantity"] == EXPECTED]
    exact, alone = (expected[expected["way"] == way].set_index("n_public")["measured"] for way in (EXACT, ALONE))
    theorem = rows[rows["quantity"].str.startswith("theorem 10's alpha")]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.0))
    for colour, marker, (n, part) in zip(PALETTE, MARKERS, means.groupby("n_private"), strict=False):
        own = part.set_index("n_public")["measured"]
        errors = [part["measured"] - part["low"], part["high"] - part["measured"]]
        look = {"markersize": 3.5, "linewidth": 1, "color": colour}
        label = f"A_PAP, ${SYMBOLS['n_private']}=10^{{{len(str(int(n))) - 1}}}$"
        left.errorbar(own.index, own, errors, fmt=f"{marker}-", label=label, **look)
        left.plot(part["n_public"], part["bound"], ":", linewidth=1, color=colour)
        right.plot(own.index, own / alone, f"{marker}-", **look)
    left.plot([], [], ":", linewidth=1, color="grey", label="bound: twice the gap, plus error over the cover")
    left.plot(exact.index, exact, "k-", linewidth=1.2, label=f"A_PAP, ${SYMBOLS['n_private']}=\\infty$, exact")
    right.plot(exact.index, exact / alone, "k-", linewidth=1.2)
    left.plot(alone.index, alone, "k-.", linewidth=1.2, label="public means alone, exact")
    left.plot(theorem["n_public"], theorem["measured"], "k--", linewidth=1, label="$\\alpha$ of theorem 10 at this $m$")
    right.axhline(1, color="black", linestyle="-.", linewidth=1.2)
    left.set_ylabel("worst error over all thresholds")
    right.set_ylabel("error / public means alone")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlabel=f"public points ${SYMBOLS['n_public']}$")
    shared_legend(figure, columns=2)
    return figure
