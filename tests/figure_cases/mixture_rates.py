"""``mixture_rates``: errors against n on three distributions, and the empirical excess against epsilon."""

import numpy as np
from drawn import PanelText, Shown, band, bars, curve, level, like, rows

NAME = "A_LearnHalf"


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    first = rows(table, claim="BMN20-T4.6-realizable-rate")
    plane = rows(first, distribution="normal", share=0.25)
    return [*_errors(0, rows(first, distribution="uniform")), *_errors(1, plane), *_hard(table), *_price(table)]


def _errors(panel: int, part) -> list[Shown]:
    means = rows(part, quantity="mean excess error")
    marks = []
    for epsilon, own in rows(means, learner=NAME).groupby("epsilon"):
        if len(own) < 3:
            continue
        label = f"{NAME}, $\\varepsilon={epsilon:g}$"
        marks.append(curve(panel, own["n"], own["measured"], label))
        marks.append(band(panel, own["n"], np.maximum(own["low"], own["measured"] / 50), own["high"], like(label)))
        marks.append(curve(panel, own["n"], own["bound"], like(label)))
    for learner, epsilon in (("ERM, not private", 0), ("all private", 1), ("public only", 0)):
        own = rows(means, learner=learner, epsilon=epsilon)
        marks.append(curve(panel, own["n"], own["measured"], learner))
    return marks


def _hard(table) -> list[Shown]:
    wrong = rows(table, distribution="two atoms", quantity="mean number of wrongly labelled atoms")
    marks = [level(2, rows(wrong, learner="blind to data")["measured"].iloc[0])]
    for epsilon, own in rows(wrong, learner=NAME).groupby("epsilon"):
        n = {0.3: 0.93, 1.0: 1.0, 3.0: 1.07}[epsilon] * own["n"]
        label = f"{NAME}, $\\varepsilon={epsilon:g}$"
        marks.append(curve(2, n, own["measured"], label))
        below, above = own["measured"] - own["low"], own["high"] - own["measured"]  # lengths are what a figure is told
        marks.append(bars(2, n, own["measured"] - below, own["measured"] + above, like(label)))
        marks.append(curve(2, own["n"], own["bound"], like(label)))
    return marks


def _price(table) -> list[Shown]:
    excess = rows(table, quantity="mean empirical excess over the best halfspace")
    counts = excess.groupby("n")["epsilon"].nunique()
    excess = rows(excess, n=counts.idxmax())
    floor = 0.5 * excess.loc[excess["measured"] > 0, "measured"].min()
    marks = []
    for i, ((share, rate), own) in enumerate(excess.groupby(["share", "rate"])):
        above, below = own[own["measured"] > 0], own[own["measured"] <= 0]
        label = f"P[$x_1<t$] = {share:g}, {100 * rate:g} % flips"
        marks.append(curve(3, above["epsilon"], above["measured"], label))
        marks.append(curve(3, (0.94 + 0.04 * i) * below["epsilon"], [floor] * len(below), like(label)))
        marks.append(curve(3, own["epsilon"], own["bound"], like(label)))
    last = own.sort_values("epsilon").iloc[0]
    epsilons = excess["epsilon"].unique()
    return [*marks, curve(3, epsilons, last["measured"] * last["epsilon"] / epsilons, "$1/\\varepsilon$")]


def texts(tables) -> list[PanelText]:
    table = tables["measurements"]
    first, size = rows(table, claim="BMN20-T4.6-realizable-rate"), "size $n$ of the mixed sample"
    falls = [
        _exponents(part, "mean error")
        for part in (rows(first, distribution="uniform"), rows(first, distribution="normal", share=0.25))
    ]
    hard = _exponents(rows(table, distribution="two atoms"), "it")
    excess = rows(table, quantity="mean empirical excess over the best halfspace")
    n = excess.groupby("n")["epsilon"].nunique().idxmax()
    return [
        PanelText(
            f"uniform on the line{falls[0]}", size, "mean error", "log log", legend=("theorem 4.6, 95 % quantile",)
        ),
        PanelText(f"normal in the plane, $P[y=0]=1/4${falls[1]}", size, "mean error", "log log"),
        PanelText(
            f"hard distribution: excess error = wrong labels / $(2\\sqrt{{n}})${hard}",
            size,
            "mean number of wrong labels",
            "log linear",
            ("blind to the data",),
        ),
        PanelText(
            f"price of privacy in the plane, $n={n:g}$",
            "privacy parameter $\\varepsilon$",
            "mean empirical excess error",
            "log log",
            legend=("at most 0", "claim 4.5"),
            cut=True,
        ),
    ]


def _exponents(part, of: str) -> str:
    exponents = rows(part, quantity="exponent in n")
    notes = [f"${row.measured:.2f}\\;(\\varepsilon={row.epsilon:g})$" for row in exponents.itertuples()]
    return f"\n{of} falls with exponent {', '.join(notes)}" * bool(notes)
