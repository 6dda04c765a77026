"""Losses of this project's learners by name, and of the methods tried first, on each distribution."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from pandas import DataFrame

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, page
from semipriv_lab.figures.base import Results
from semipriv_lab.figures.looks import MARKERS

__all__ = ["draw"]

HEADLINE = "With a public model errors are within .07 of those without privacy"

LABELS = (
    "public metric or Gram matrix",
    "public model",
    "A_SSPP on stumps, or statistics",
    "public rows alone",
    "no privacy",
)
"""What the arms of a panel are called, in their order."""
PANELS: dict[str, tuple[str, tuple[str | None, ...]]] = {
    "OWN-HEAD-UNLABELLED": (
        "two labels",
        (
            "public_metric_discriminant",
            "public_model_discriminant",
            "sspp on decision_stumps",
            "public_logistic_regression",
            "logistic_regression",
        ),
    ),
    "OWN-HEAD-CLASSES": (
        "several labels",
        ("public_metric_multiclass", "public_model_multiclass", None, "public logistic", "logistic"),
    ),
    "OWN-HEAD-GRAM": (
        "responses",
        (
            "public_gram_regression",
            "public_ridge_regression",
            "sufficient_statistics",
            "public ridge regression",
            "least squares",
        ),
    ),
}
"""By claim: what is drawn of it, and its arms, by name; None: there is none."""


def draw(results: Results) -> Figure:
    """Mean losses on new rows of the distributions of each kind, 6,000 private and 60 public rows, epsilon 1.

    Two and several labels: share of rows that are predicted wrongly.  Responses: 1 - R^2.  Public model: a logistic or
    ridge regression of labelled public rows, from which the learner of that name starts, and which public rows alone
    give without it.  Bars: 95 % limits.
    """
    rows = results["measurements"]
    rows = rows[(rows["quantity"] == "mean loss") & rows["arm"].notna()]
    figure, panels = plt.subplots(1, 3, figsize=page(3.4))
    for axes, (claim, (title, arms)) in zip(panels, PANELS.items(), strict=True):
        own = rows[rows["claim"] == claim]
        own = own[own["n_private"] == own["n_private"].max()]
        distributions = list(dict.fromkeys(own["distribution"]))
        for place, arm in enumerate(arms):
            if arm is not None:
                _markers(axes, own[own["arm"] == arm], distributions, place)
        axes.set(title=title, ylabel="mean loss" if axes is panels[0] else "")
        axes.set_xticks(range(len(distributions)), distributions, rotation=90)
    shared_legend(figure, columns=3)
    return figure


def _markers(axes: Any, part: DataFrame, distributions: list[str], place: int) -> None:
    """Draw an arm, beside the others of a distribution."""
    own = part.set_index("distribution").loc[distributions]
    x = [distribution + 0.15 * (place - 2) for distribution in range(len(distributions))]
    errors = [own["measured"] - own["low"], own["high"] - own["measured"]]
    looks: dict[str, Any] = {"markersize": 3.5, "elinewidth": 0.6, "color": PALETTE[place]}
    axes.errorbar(x, own["measured"], errors, fmt=MARKERS[place], label=LABELS[place], **looks)
