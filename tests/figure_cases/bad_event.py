"""``bad_event``: a column for each class; frequencies above, radii on the atoms below."""

import numpy as np
from drawn import PanelText, Shown, bars, curve, level, like, rows

from semipriv.papers.abm19.bounds.sizes import bad_probability_bound, cover_points


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="ABM19-E1").sort_values("n_public")
    names = list(dict.fromkeys(own.sort_values(["d", "class"])["class"]))
    marks = []
    for i, name in enumerate(names):
        own_rows, below = rows(own, **{"class": name}), len(names) + i
        atoms = own_rows["distribution"].str.contains("atoms")
        for distribution, part in (("continuous", own_rows[~atoms]), ("atoms", own_rows[atoms])):
            bad = rows(part, quantity="P[Bad]")
            some, none = bad[bad["measured"] > 0], bad[bad["measured"] == 0]
            marks.append(curve(i, some["n_public"], some["measured"], distribution))
            marks.append(
                bars(
                    i,
                    some["n_public"],
                    np.minimum(np.maximum(some["low"], 5e-4), some["measured"]),
                    some["high"],
                    like(distribution),
                )
            )
            marks.append(curve(i, none["n_public"], none["high"], f"{distribution}: never seen, upper limit"))
        d, alpha = int(own_rows["d"].iloc[0]), own_rows["alpha"].iloc[0]
        sizes = np.unique(np.geomspace(max(1, d / 2), own_rows["n_public"].max(), 200).astype(int))
        marks.append(curve(i, sizes, [bad_probability_bound(int(m), alpha, d) for m in sizes], "bound (1)"))
        marks.append(level(below, alpha, "$\\alpha$"))
        for quantity, quantile, label in (
            ("covering radius", 0.5, "covering radius, median"),
            ("covering radius", 0.95, "covering radius, 95 %"),
            ("Bad diameter", 0.95, "Bad diameter, 95 %"),
        ):
            part = rows(own_rows[atoms], quantity=quantity, quantile=quantile)
            part = part[(part["measured"] > 0) | (quantity == "Bad diameter")]
            marks.append(curve(below, part["n_public"], part["measured"], label))
    return marks


def texts(tables) -> list[PanelText]:
    own = rows(tables["measurements"], claim="ABM19-E1").sort_values("n_public")
    names = list(dict.fromkeys(own.sort_values(["d", "class"])["class"]))
    above, below = [], []
    for i, name in enumerate(names):
        part = rows(own, **{"class": name})
        d, alpha = part["d"].iloc[0], part["alpha"].iloc[0]
        words = f"{name[:-5]}$d={name[-1]}$" if "d = " in name else name
        slack = _slack(part[~part["distribution"].str.contains("atoms")], int(d), alpha)
        title = f"{words}\nVC dimension {d:g}, $\\alpha={alpha:g}$\n{slack}"
        above.append(PanelText(title, "", "" if i else "frequency of Bad", "log log", cut=True))
        mass = "" if i else "mass where\ntwo rules differ"
        below.append(PanelText("", "public points", mass, "log log", cut=True))
    return above + below


def _slack(part, d: int, alpha: float) -> str:
    """Points of the bound for probability 0.05 over those at which the least frequency so far comes down to it."""
    bad = rows(part, quantity="P[Bad]")
    bad = bad[bad["measured"] > 0]
    least = bad["measured"].cummin().tolist()
    if len(least) < 2 or not least[-1] <= 0.05 <= least[0]:
        return ""
    n = np.exp(np.interp(np.log(0.05), np.log(least[::-1]), np.log(bad["n_public"].to_numpy(float)[::-1])))
    return f"asks for {cover_points(alpha, 0.05, d) / n:.0f} times the need"
