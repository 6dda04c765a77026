"""A plan as a picture: sizes against the excess error, proven and simulated."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from semipriv.drawing.fitting import shared_legend
from semipriv.drawing.style import PALETTE, apply_style, page
from semipriv.learners._planned import ProvenSizes
from semipriv.practice.planner.plan import ExcessPlan, SizePlan

POINTS = 25
"""Number of values of alpha at which the proven sizes are drawn."""


def draw(plan: SizePlan | ExcessPlan) -> Figure:
    """Draw proven n_public (left) and n_private (right) against alpha on logarithmic axes, with the answer.

    If alpha was given: circles are the proven sizes for it, diamonds the simulated ones.  If sizes were given: a dotted
    horizontal line at each size, with the proven excess error (circles) and the simulated one (diamond) on it.  The
    line crosses a proven curve at the alpha for which this size alone would suffice.
    """
    apply_style()
    blue, orange, green = PALETTE[:3]
    alphas = _alphas(plan)
    proven = [plan.proven_sizes(alpha) for alpha in alphas]
    figure, (left, right) = plt.subplots(1, 2, figsize=page(3.2), sharex=True)
    theorem, best, simulated = "ABM19 theorem 3.1", "best split of the same proof (ours)", "simulated, not a proof"
    _curve(left, alphas, proven, lambda sizes: sizes.n_public, blue, theorem)
    _curve(right, alphas, proven, lambda sizes: sizes.n_private, blue, theorem)
    _curve(right, alphas, proven, lambda sizes: sizes.n_private_optimised, orange, best)
    if isinstance(plan, SizePlan):
        _mark(left, plan.alpha, plan.proven.n_public, "o", blue)
        _mark(right, plan.alpha, plan.proven.n_private, "o", blue)
        _mark(right, plan.alpha, plan.proven.n_private_optimised, "o", orange)
        if plan.empirical is not None:
            _mark(left, plan.alpha, plan.empirical.n_public, "D", green, simulated)
            _mark(right, plan.alpha, plan.empirical.n_private, "D", green, simulated)
    else:
        for axes, size in ((left, plan.n_public), (right, plan.n_private)):
            axes.axhline(size, color="black", linewidth=0.8, linestyle=":", label="given size")
            for bound, colour in ((plan.proven.theorem, blue), (plan.proven.optimised, orange)):
                if bound is not None:
                    _mark(axes, bound, size, "o", colour)
            if plan.empirical is not None and plan.empirical.upper_limit > 0:
                _mark(axes, plan.empirical.upper_limit, size, "D", green, simulated)
    name = type(plan.hypothesis_class).__name__
    for axes, label in (
        (left, "public points $n_{\\mathrm{public}}$"),
        (right, "private examples $n_{\\mathrm{private}}$"),
    ):
        axes.set(xscale="log", yscale="log", xlabel="excess error $\\alpha$", ylabel=label)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    kind = ", realizable" if plan.realizable else ""
    figure.suptitle(
        f"{name}, VC dimension {plan.vc_dimension}{kind}; $\\beta={plan.beta:g}$, $\\varepsilon={plan.epsilon:g}$",
        fontsize="small",
    )
    shared_legend(figure)
    return figure


def _alphas(plan: SizePlan | ExcessPlan) -> list[float]:
    """Return values of alpha in about a decade around the answer, inside (0, 1)."""
    if isinstance(plan, SizePlan):
        marks = [plan.alpha]
    else:
        seen = [] if plan.empirical is None else [plan.empirical.upper_limit]
        bounds = (plan.proven.theorem, plan.proven.optimised)
        marks = [mark for mark in (*bounds, *seen) if mark is not None and mark > 0] or [0.1]
    low, high = max(min(marks) / 4, 1e-4), min(max(marks) * 4, 0.9)
    return [float(alpha) for alpha in np.geomspace(min(low, high / 2), high, POINTS)]


def _curve(
    axes: Axes,
    alphas: list[float],
    proven: list[ProvenSizes],
    size: Callable[[ProvenSizes], int],
    colour: object,
    label: str,
) -> None:
    axes.plot(alphas, [size(sizes) for sizes in proven], color=colour, linewidth=1.2, label=label)


def _mark(axes: Axes, alpha: float, size: int, marker: str, colour: object, label: str | None = None) -> None:
    axes.plot([alpha], [size], marker, color=colour, markersize=6, label=label)
