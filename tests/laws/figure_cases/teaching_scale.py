"""``teaching_scale``: what scales of Laplace weights use of epsilon, and mean errors."""

from drawn import Said, Shown, curve, level, like, rows

SCALES = ("2 m / epsilon", "4 / epsilon", "2 / epsilon")


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    losses = rows(table, quantity="largest |log ratio| of neighbours / epsilon", epsilon=1.0)
    found = [level(0, 1.0)]
    for name in SCALES:
        claim = "BBD24-T8" if name == SCALES[0] else "BBD24-T8-teaching"
        own = rows(rows(losses, claim=claim), **{"class": "thresholds"})
        own = own if name == SCALES[0] else rows(own, scale=name)
        worst = own.groupby("m")["measured"].max()
        found.append(curve(0, worst.index, worst, like(name)))
        errors = rows(rows(table, quantity="mean error, exact"), scale=name)
        found.append(curve(1, errors["m"], errors["measured"], name))
    for name in ("all labelings, parity", "all labelings, hamming"):
        own = rows(losses, claim="BBD24-T8", **{"class": name})
        found.append(curve(0, own["m"], own["measured"], f"left: {name}"))
    return found


def said(tables) -> list[Said]:
    return [
        Said("", "public points $m$", "largest |log ratio| / $\\varepsilon$", "log linear"),
        Said("", "public points $m$", "mean error", "log linear"),
    ]
