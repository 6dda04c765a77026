"""Public points that A_PAP needs on thresholds against alpha, beside public data alone."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "For small errors private records save public points"

ALONE = "public data alone"
LINES = {"theorem 10, any class": "--", "theorem 10, exact": "-", "A_PAP, n = infinity": "-", ALONE: "-"}
LABELS = {
    "theorem 10, any class": "theorem 10, class of VC dimension 1",
    "theorem 10, exact": "theorem 10, thresholds, exact",
    "A_PAP, n = infinity": "A_PAP, private answers exact",
}


def draw(results: Results) -> Figure:
    """Left: least public points for error alpha (labels -1 and 1) with probability 1 - beta, exact, with exponents.

    Dashed: the size that suffices for every class of VC dimension 1, by a double sample.  Right: the points over those
    of public data alone; below 1 (dotted) private data save public points.  What they cost in private records is in the
    claim's row.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BCM20-SAVING"]
    needs = rows[rows["quantity"] == "public points needed"].sort_values("alpha")
    exponents = rows[rows["quantity"] == "exponent in alpha"].set_index("way")["measured"]
    alone = needs[needs["way"] == ALONE].set_index("alpha")["measured"]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.8))
    for (way, line), colour, marker in zip(LINES.items(), PALETTE, MARKERS, strict=False):
        part = needs[needs["way"] == way].set_index("alpha")["measured"]
        look = {"markersize": 3.5, "color": colour}
        exponent = f", exponent {exponents[way]:.2f}" if way in exponents else ""
        left.plot(part.index, part, f"{marker}{line}", label=f"{LABELS.get(way, way)}{exponent}", **look)
        if way != ALONE:
            right.plot(part.index, part / alone, f"{marker}{line}", **look)
    right.axhline(1, color="black", linestyle=":", linewidth=1)
    left.set_ylabel(f"public points, probability {1 - needs['beta'].iloc[0]:g}")
    right.set_ylabel("points / public data alone")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlabel="error $\\alpha$")
    shared_legend(figure, columns=2)
    return figure
