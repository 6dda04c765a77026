"""``tracing``: shares traced with their predictions; rates of four releases with the bound of the private one."""

from drawn import Said, Shown, curve, level, like, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    found = [level(0, 0.01)]
    for (p, alpha), part in rows(table, claim="BCM20-T14", quantity=TRACED).groupby(["p", "alpha"]):
        name = f"$p={p:g}$, $\\alpha={alpha:g}$"
        found.append(curve(0, part["factor"], part["measured"], name))
        found.append(curve(0, part["factor"], part["bound"], like(name)))
    attacks = rows(table, claim="BCM20-T13-dp", quantity="true-positive rate")
    for release, label in LABELS.items():
        part = rows(attacks, release=release)
        found.append(curve(1, part["rate"], part["measured"], label))
    own = rows(attacks, release="Gaussian")
    found.append(curve(1, own["rate"], own["bound"], "bound $e^\\varepsilon\\,$FPR$\\,+\\,\\delta$"))
    found.append(curve(1, own["rate"], own["rate"], "guessing"))
    few = rows(table, claim="BCM20-T13-dp", quantity=FEW)
    for panel, p in ((2, 12), (3, 6)):
        part = rows(few, p=p).sort_values("n")
        found.append(level(panel, 0.01, "guessing"))
        for release, label in RELEASES.items():
            own = rows(part, release=release)
            found.append(curve(panel, own["n"], own["measured"], label))
        own = rows(part, release="A_PAP, MWEM")
        found.append(curve(panel, own["n"], own["bound"], "bound $e^\\varepsilon\\,$FPR$\\,+\\,\\delta$"))
    return found


def said(tables) -> list[Said]:
    left = ("uniform noise, 1 % false positives", "$n\\,\\alpha/\\sqrt{p}$", "private records traced", "log linear")
    right = ("a private release", "false-positive rate", "true-positive rate", "log log")
    below = ("private records $n$", "private records traced", "log linear")
    few = [Said(f"answers to {p} stumps, 1 % false positives", *below) for p in (12, 6)]
    return [Said(*left, legend=("predicted",)), Said(*right), *few]


TRACED = "true-positive rate at 1 % false positives"
FEW = f"{TRACED}, few stumps"
RELEASES = {
    "exact means": "exact means",
    "Gaussian means": "Gaussian, $\\varepsilon=1$, $\\delta=1/(4n)$",
    "Laplace means": "Laplace, $\\varepsilon=1$",
    "private and public means mixed": "Gaussian and public means mixed",
    "A_PAP, MWEM": "A_PAP, MWEM",
    "A_PAP, PMW": "A_PAP, PMW",
    "A_PAP, Gaussian noise": "A_PAP, Gaussian noise",
}
LABELS = {
    "exact": "exact means",
    "Gaussian, noise / 16": "Gaussian, noise / 16",
    "Gaussian, noise / 4": "Gaussian, noise / 4",
    "Gaussian": "Gaussian, $\\varepsilon=1$, $\\delta=1/(4n)$",
}
