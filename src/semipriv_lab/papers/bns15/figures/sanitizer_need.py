"""Private points that the net mechanism needs against the bits of a point, beside the size with a proof."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend, ticks_at
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "The need grows like the bits, below the proven size"


def draw(results: Results) -> Figure:
    """Left: least n with which shares of all prefixes are off by less than alpha with probability 1 - beta, exactly.

    Fixed data at the quantiles of three distributions; dashed: the size with a proof, for all data.  Right: local
    exponents in b, between one b and the next; the claim is that none exceeds 1 (dotted).  Hollow: a control with
    epsilon / b in the weight, whose need grows like b^2.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BNS15-A.3-rate"]
    needs = rows[rows["quantity"] == "private points needed"].sort_values("bits")
    exponents = rows[rows["quantity"] == "local exponent in b"].sort_values("bits")
    controls = rows[rows["quantity"] == "local exponent in b, negative control with epsilon / b"].sort_values("bits")
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.8))
    for distribution, colour, marker in zip(sorted(needs["distribution"].unique()), PALETTE, MARKERS, strict=False):
        look = {"markersize": 3.5, "color": colour, "linewidth": 1}
        part, steps, broken = (table[table["distribution"] == distribution] for table in (needs, exponents, controls))
        left.plot(part["bits"], part["measured"], f"{marker}-", label=distribution, **look)
        right.plot(steps["bits"], steps["measured"], f"{marker}-", **look)
        right.plot(broken["bits"], broken["measured"], f"{marker}:", markerfacecolor="none", **look)
    bound = needs.groupby("bits")["bound"].max()
    left.plot(bound.index, bound, "--", color="black", linewidth=1, label="size with a proof")
    right.axhline(1, color="black", linestyle=":", linewidth=1)
    left.set(yscale="log", ylabel=f"private points, $\\alpha={needs['alpha'].iloc[0]:g}$")
    right.set(ylabel="local exponent in $b$")
    for axes in (left, right):
        axes.set(xscale="log", xlabel="bits $b$ of a point")
        ticks_at(axes, needs["bits"])
    shared_legend(figure, columns=4)
    return figure
