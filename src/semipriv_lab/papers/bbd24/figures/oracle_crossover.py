"""Patterns that a cover has against calls of an oracle, and the errors that both learners reach."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "RRSPM makes few calls, A_SSPP errs less"

PATTERNS, SEARCHED = "patterns of the public points", "dichotomies of all points, among which an exact oracle searches"
CALLS, EXCESS = "calls of the oracle", "excess error, mean"
LEARNERS = ("RRSPM", "RRSPM, paper", "A_SSPP")


def draw(results: Results) -> Figure:
    """Counts, not times.  Left: halfspaces of R^d, 40 public points: patterns that A_SSPP scores, calls of RRSPM.

    Dotted: dichotomies of the 40 public and 200 private points together, among which an exact oracle searches: more
    than A_SSPP lists.  Middle: patterns by rectangles of the plane, against public points; an exact oracle takes
    O(N^2 log N) for N points in all.  Right: mean excess error of both on the same data, epsilon = 2, 20 public points,
    400 private examples (100 for three features), 10 % label noise; RRSPM with the noise of teaching sets, and with
    the paper's, which for three features is the same.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BBD24-ORACLE"]
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=page(2.8))
    scored = {"marker": "o", "markersize": 3, "linewidth": 1, "color": PALETTE[0]}
    asked = {"linestyle": "--", "linewidth": 1, "color": PALETTE[1]}
    for axes, name, x in ((left, "halfspaces", "features"), (middle, "rectangles", "m")):
        curve = rows[(rows["class"] == name) & (rows["quantity"] == PATTERNS)].sort_values(x)
        axes.plot(curve[x], curve["measured"], label="patterns that A_SSPP scores", **scored)
        calls = rows[rows["quantity"] == CALLS]["measured"].max()
        axes.plot(curve[x], [calls] * len(curve), label="calls of RRSPM's oracle", **asked)
        axes.set(yscale="log", ylabel="patterns, calls")
    searched = rows[rows["quantity"] == SEARCHED].sort_values("features")
    left.plot(
        searched["features"], searched["measured"], ":", color="grey", label="dichotomies that an exact oracle searches"
    )
    left.set(xlabel="features $d$", title="halfspaces")
    middle.set(xscale="log", xlabel="public points $m$", title="rectangles")
    for name, colour, marker in zip(LEARNERS, PALETTE[2:], MARKERS[1:], strict=False):
        curve = rows[(rows["quantity"] == EXCESS) & (rows["learner"] == name)].sort_values("features")
        look = {"marker": marker, "markersize": 3, "linewidth": 1, "color": colour}
        right.plot(curve["features"], curve["measured"], label=name, **look)
    right.set(xlabel="features $d$", ylabel="mean excess error", ylim=(0, None), xticks=(1, 2, 3), title="halfspaces")
    shared_legend(figure, columns=3)
    return figure
