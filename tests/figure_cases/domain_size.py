"""``domain_size``: errors against the size of the domain and against private records."""

from drawn import PanelText, Shown, curve, like, rows


def shown(tables) -> list[Shown]:
    table = rows(tables["measurements"], claim="BCM20-T10-domain")
    pap = rows(table, quantity="A_PAP, largest error over all thresholds, mean").sort_values("n_private")
    compared = rows(table, quantity="A_PAP, largest error over all thresholds, on the compared points")
    compared = compared.sort_values("bits")
    least = table["n_private"].min()
    marks = [curve(0, compared["bits"], compared["measured"], like("A_PAP, $m=300$"))]
    for m, part in pap.groupby("n_public"):
        marks.append(curve(1, part["n_private"], part["measured"], f"A_PAP, $m={m:g}$"))
    tree = rows(table, quantity="tree, largest noise of a prefix, mean, exact").sort_values("bits")
    marks.append(curve(0, tree["bits"], tree["measured"], TREE))
    grid = rows(table, quantity="fixed grid of 1024 bins without noise, largest error").sort_values("bits")
    marks.append(curve(0, grid["bits"], grid["measured"], "fixed grid of 1024 bins"))
    sizes = sorted(pap["n_private"].unique())
    marks.append(curve(1, sizes, [tree["measured"].iloc[-1] * least / n for n in sizes], like(TREE)))
    return marks


def texts(tables) -> list[PanelText]:
    return [
        PanelText("$n=10{,}000$", "$k$, $\\log_2$ of the domain", "error", "linear log"),
        PanelText("domain of $2^{64}$", "$n$", "", "log log"),
    ]


TREE = "dyadic tree, largest noise"
