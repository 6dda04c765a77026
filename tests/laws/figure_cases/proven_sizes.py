"""``proven_sizes``: a line of quantiles for each run beside the proven alpha of its case."""

import numpy as np
from drawn import Shown, curve, rows

from semipriv.figures.plots.abm19.proven_sizes import LOWEST, ROW


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="ABM19-T3.1", representative="midpoint")
    own = own[own["trials"] == own.groupby(ROW)["trials"].transform("max")]
    found = []
    whole = (own["part"] == 1) & (own["public_part"] == 1)
    for panel, part in enumerate((own[whole], own[~whole])):
        for place, (_, case) in enumerate(part.groupby(ROW, sort=False)):
            found.append(curve(panel, [case["alpha"].iloc[0]] * 2, (place - 0.4, place + 0.4), "proven $\\alpha$"))
            runs = list(case.groupby(["epsilon", "mechanism"]))
            heights = place + 0.27 * (2 * np.arange(1, len(runs) + 1) / (len(runs) + 1) - 1)
            for height, ((epsilon, mechanism), run) in zip(heights, runs, strict=True):
                quantiles = rows(run, quantity="quantile of the excess error")
                values = np.maximum(quantiles["measured"], LOWEST)
                found.append(curve(panel, values, [height] * len(values)))
                for level in (0.5, 0.95, 1.0):
                    value = quantiles.loc[quantiles["quantile"] == level, "measured"].iloc[0]
                    name = {"exponential": "A_SSPP", "permute_and_flip": "permute-and-flip"}[mechanism]
                    label = f"{name}, $\\varepsilon={epsilon:g}$" if level == 0.5 and value >= LOWEST else None
                    found.append(curve(panel, [max(value, LOWEST)], [height], label))
    return found
