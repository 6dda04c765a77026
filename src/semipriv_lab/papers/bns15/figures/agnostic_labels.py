"""Labels that LabelBoost's first round needs where no threshold has the labels, against the accuracy."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results

__all__ = ["draw"]

HEADLINE = "Fewer labels suffice than the rate allows"


def draw(results: Results) -> Figure:
    """Labels that round 1 keeps, against 1 / alpha, on the distribution 'coin'; failure is an excess error above alpha.

    Line: .5 ln(1 / (alpha beta)) / alpha^2, at which failures are judged.  Points: the least number whose share of
    failures is at most beta = .2, to a ninth.  Cross: the realisable rate, which must fail where it is drawn.
    """
    rows = results["measurements"]
    rows = rows[rows["claim"] == "BNS15-T4.16"]
    figure, axes = plt.subplots(figsize=page(2.6))
    judged = rows[rows["quantity"] == "P[excess error of round 1 > alpha]"].sort_values("alpha")
    least = rows[rows["quantity"].str.startswith("least kept labels")].sort_values("alpha")
    control = rows[rows["quantity"].str.startswith("control")]
    axes.plot(1 / judged["alpha"], judged["kept_labelled"], "-", color=PALETTE[0], label="judged here")
    axes.plot(1 / least["alpha"], least["measured"], "o", color=PALETTE[2], label="least that suffice")
    axes.plot(1 / control["alpha"], control["kept_labelled"], "x", color=PALETTE[3], label="realisable rate, must fail")
    axes.set(xscale="log", yscale="log", xlabel="$1/\\alpha$", ylabel="labels that round 1 keeps")
    axes.legend()
    return figure
