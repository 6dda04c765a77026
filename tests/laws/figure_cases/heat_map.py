"""``heat_map``: the quantile of each learner at its two sizes, and the least sizes of the theorem."""

import numpy as np
from drawn import Shown, cells, curve

from semipriv import registry
from semipriv.bounds.abm19.sizes import excess_bound
from semipriv.figures.base import learner_names


def shown(tables, hypothesis_class, levels, title="") -> list[Shown]:
    h = registry.build("classes", hypothesis_class)
    summary = tables["summary"].assign(shown=learner_names(tables["summary"]))
    found = []
    for panel, name in enumerate(dict.fromkeys(summary["shown"])):
        mine = summary[summary["shown"] == name]
        found.append(cells(panel, mine["n_public"], mine["n_private"], np.maximum(mine["quantile"], 1e-4)))
        grid = np.log(np.unique(mine["n_public"]))
        low, high = np.exp((3 * grid[0] - grid[1]) / 2), np.exp((3 * grid[-1] - grid[-2]) / 2)
        sizes = np.unique(np.geomspace(max(1.0, low), high, 400).astype(int))
        for alpha in levels:
            found.append(
                curve(panel, sizes, [_least(int(m), h, *mine[["epsilon", "beta"]].iloc[0], alpha) for m in sizes])
            )
    return found


def _least(m: int, h, epsilon: float, beta: float, alpha: float) -> float:
    """The least number of private examples, by doubling and halving of steps."""
    log_cover = np.log(h.growth(m))
    if excess_bound(m, 2**40, epsilon, beta, h.vc_dimension, log_cover) > alpha:
        return np.nan
    n, step = 0, 2**40
    while step := step // 2:
        if excess_bound(m, n + step, epsilon, beta, h.vc_dimension, log_cover) > alpha:
            n += step
    return n + 1
