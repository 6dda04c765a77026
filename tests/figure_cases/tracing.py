"""``tracing``: shares traced with their predictions; rates of four releases with the bound of the private one."""

from drawn import PanelText, Shown, curve, level, like, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    marks = [level(0, 0.01)]
    for (p, alpha), part in rows(table, claim="BCM20-T14", quantity=TRACED).groupby(["p", "alpha"]):
        name = f"$p={p:g}$, $\\alpha={alpha:g}$"
        marks.append(curve(0, part["factor"], part["measured"], name))
        marks.append(curve(0, part["factor"], part["bound"], like(name)))
    attacks = rows(table, claim="BCM20-T13-dp", quantity="true-positive rate")
    for release, label in LABELS.items():
        part = rows(attacks, release=release)
        marks.append(curve(1, part["rate"], part["measured"], label))
    own = rows(attacks, release="Gaussian")
    marks.append(curve(1, own["rate"], own["bound"], "bound $e^\\varepsilon\\,$FPR$\\,+\\,\\delta$"))
    marks.append(curve(1, own["rate"], own["rate"], "guessing"))
    few = rows(table, claim="BCM20-T13-dp", quantity=FEW)
    for panel, p in ((2, 12), (3, 6)):
        part = rows(few, p=p).sort_values("n")
        marks.append(level(panel, 0.01, "guessing"))
        for release, label in RELEASES.items():
            own = rows(part, release=release)
            marks.append(curve(panel, own["n"], own["measured"], label))
        own = rows(part, release="A_PAP, MWEM")
        marks.append(curve(panel, own["n"], own["bound"], "bound $e^\\varepsilon\\,$FPR$\\,+\\,\\delta$"))
    return marks


def texts(tables) -> list[PanelText]:
    left = ("uniform noise, 1 % false positives", "$n\\,\\alpha/\\sqrt{p}$", "private records traced", "log linear")
    right = ("a private release", "false-positive rate", "true-positive rate", "log log")
    below = ("private records $n$", "private records traced", "log linear")
    few = [PanelText(f"answers to {p} stumps, 1 % false positives", *below) for p in (12, 6)]
    return [PanelText(*left, legend=("predicted",)), PanelText(*right), *few]


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
