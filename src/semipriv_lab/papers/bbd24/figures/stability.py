"""How far one record moves the minimisers of algorithms 2 and 3, against eta, with the paper's bounds and ours."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv.papers.bbd24.bounds.stability import printed_expected_distance
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "Minimisers are more stable than the printed bound"

SLOPES = "distance of the minimisers, slopes"
BALL = "largest distance of the minimisers, linear ball, squared loss"
SIGNS = "distance of the expected minimisers x eta, two signs"
CHAIN = "distance of the expected minimisers x eta, chain of 9"
WIDTH = float(np.sqrt(2 / np.pi))
"""E sup w of the two signs; sqrt(2 / pi) / eta is also Stein's bound."""


def draw(results: Results) -> Figure:
    """Left: algorithm 3, ||f - f'||_m of neighbours.  Slopes attain min(1/sqrt(eta), lambda K/eta) from eta = 1/4 on.

    Points: linear regressors in the unit ball of dimension p with squared loss, 200 public points, the worst of
    adversarial and random neighbours.  Dotted: the paper's 2 / sqrt(eta).  Right: algorithm 2, ||E f - E f'||_m of the
    two signs, and of a chain of 9 thresholds.  Dashed: sqrt(2/pi) / eta, by Stein's identity.  Dotted: the paper's
    bound of the expected distance (lemma 7) for the two signs.
    """
    rows = results["measurements"]
    printed, stein = (rows[rows["claim"] == claim] for claim in ("BBD24-L2", "BBD24-L1-stein"))
    figure, (left, right) = plt.subplots(1, 2, figsize=page(2.8))
    slopes = printed[printed["quantity"] == SLOPES].sort_values("eta")
    left.plot(slopes["eta"], slopes["measured"], "o-", markersize=3, color=PALETTE[0], label="slopes, attained")
    left.plot(slopes["eta"], slopes["bound"], ":", color="black", label="printed bound")
    ball = printed[(printed["quantity"] == BALL) & (printed["m"] == 200)].groupby("p")
    for (p, part), colour, marker in zip(ball, PALETTE[1:], MARKERS[1:], strict=False):
        curve = part.sort_values("eta")
        left.plot(curve["eta"], curve["measured"], f"{marker}-", markersize=3, color=colour, label=f"ball, $p = {p:g}$")
    signs = stein[stein["quantity"] == SIGNS].sort_values("eta")
    chain = stein[(stein["quantity"] == CHAIN) & (stein["place"] == 4)].sort_values("eta")
    right.plot(signs["eta"], signs["measured"] / signs["eta"], "s-", markersize=3, color=PALETTE[4], label="two signs")
    right.plot(chain["eta"], chain["measured"] / chain["eta"], "v-", markersize=3, color=PALETTE[5], label="chain of 9")
    right.plot(signs["eta"], signs["bound"] / signs["eta"], "--", color="black", label="Stein's bound")
    lemma = [printed_expected_distance(eta, WIDTH) for eta in signs["eta"]]
    right.plot(signs["eta"], lemma, ":", color="black")
    left.set(xscale="log", yscale="log", xlabel="$\\eta$", ylabel="$\\|f - f'\\|_m$, algorithm 3")
    right.set(xscale="log", yscale="log", xlabel="$\\eta$", ylabel="$\\|E f - E f'\\|_m$, algorithm 2")
    shared_legend(figure, columns=4)
    return figure
