"""``teaching_scale``: what scales of Laplace weights use of epsilon, and mean errors."""

from drawn import Said, Shown, curve, level, like, rows

SCALES = {
    "2 m / epsilon": "scale $2m/\\varepsilon$",
    "4 / epsilon": "scale $4/\\varepsilon$",
    "2 / epsilon": "scale $2/\\varepsilon$",
}
CODES = {"all labelings, parity": "all labelings, parity", "all labelings, hamming": "all labelings, Hamming code"}


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    losses = rows(table, quantity="largest |log ratio| of neighbours / epsilon", epsilon=1.0)
    found = [level(0, 1.0)]
    for name, label in SCALES.items():
        claim = "BBD24-T8" if name == "2 m / epsilon" else "BBD24-T8-teaching"
        own = rows(rows(losses, claim=claim), **{"class": "thresholds"})
        own = own if name == "2 m / epsilon" else rows(own, scale=name)
        worst = own.groupby("m")["measured"].max()
        found.append(curve(0, worst.index, worst, like(label)))
        errors = rows(rows(table, quantity="mean error, exact"), scale=name)
        found.append(curve(1, errors["m"], errors["measured"], label))
    for name, label in CODES.items():
        own = rows(losses, claim="BBD24-T8", **{"class": name})
        found.append(curve(0, own["m"], own["measured"], label))
    return found


def said(tables) -> list[Said]:
    return [
        Said("", "public points $m$", "largest |log ratio| / $\\varepsilon$", "log linear"),
        Said("", "public points $m$", "mean error", "log linear"),
    ]
