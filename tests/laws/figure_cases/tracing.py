"""``tracing``: shares traced with their predictions; rates of four releases with the bound of the private one."""

from drawn import Shown, curve, level, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    found = [level(0, 0.01)]
    for (p, alpha), part in rows(table, claim="BCM20-T14", quantity=TRACED).groupby(["p", "alpha"]):
        found.append(curve(0, part["factor"], part["measured"], f"$p={p:g}$, $\\alpha={alpha:g}$"))
        found.append(curve(0, part["factor"], part["bound"]))
    attacks = rows(table, claim="BCM20-T13-dp", quantity="true-positive rate")
    for release, label in LABELS.items():
        part = rows(attacks, release=release)
        found.append(curve(1, part["rate"], part["measured"], label))
    own = rows(attacks, release="Gaussian")
    found.append(curve(1, own["rate"], own["bound"], "bound $e^\\varepsilon\\,$FPR$\\,+\\,\\delta$"))
    found.append(curve(1, own["rate"], own["rate"], "guessing"))
    return found


TRACED = "true-positive rate at 1 % false positives"
LABELS = {
    "exact": "exact means",
    "Gaussian, noise / 16": "Gaussian, noise / 16",
    "Gaussian, noise / 4": "Gaussian, noise / 4",
    "Gaussian": "Gaussian, $\\varepsilon=1$, $\\delta=1/(4n)$",
}
