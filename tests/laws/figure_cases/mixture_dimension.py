"""``mixture_dimension``: mistakes beyond the least against ln|G|; ln|G| over d^2 ln m."""

import numpy as np
from drawn import Shown, bars, curve, level


def shown(tables, epsilon=1.0) -> list[Shown]:
    table = tables["measurements"]
    own = table[table["quantity"].str.startswith("mean number") & (table["epsilon"] == epsilon)]
    found = []
    for d, part in own.groupby("d"):
        main, others = part[part["n_public"] == 10], part[part["n_public"] != 10]
        found.append(curve(0, main["log_size"], main["measured"], f"$d={d:g}$, 10 public"))
        found.append(bars(0, main["log_size"], main["low"], main["high"]))
        found.append(curve(0, others["log_size"], others["measured"], f"$d={d:g}$, others"))
    line = np.linspace(0, own["log_size"].max() * 1.05, 20)
    found.append(curve(0, line, 2 / epsilon * line, "$(2/\\varepsilon)\\ln|G|$"))
    found.append(curve(0, line, 0.4 / epsilon * line, "a fifth of it"))
    sizes = table[table["quantity"].str.startswith("ln|G| of points")]
    found += [curve(1, m["d"], m["measured"] / m["against"]) for _, m in sizes.groupby("n_public")]
    return [*found, level(1, 1)]
