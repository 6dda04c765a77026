"""``assisted_error``: means by number of records with limits and bounds, exact curves, and ratios to one."""

from drawn import PanelText, Shown, bars, curve, level, like, rows

CLAIM = "BCM20-T10-public"
MEAN = "mean error over all thresholds"
EXPECTED = "expected error over all thresholds"
POWERS = {1_000: 3, 10_000: 4, 100_000: 5, 1_000_000: 6}
INFINITE, ALONE = "A_PAP, $n_{\\mathrm{private}}=\\infty$, exact", "public means alone, exact"
THEOREM = "$\\alpha$ of theorem 10 at this $m$"
BOUND = "bound: twice the gap, plus error over the cover"


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim=CLAIM).sort_values("n_public")
    means = rows(own, quantity=MEAN, way="MWEM")
    exact, alone = (rows(own, quantity=EXPECTED, way=way) for way in ("exact private answers", "public means"))
    base = alone["measured"].to_numpy()
    theorem = own[own["quantity"].str.contains("its public need")]
    marks = [
        level(1, 1.0),
        curve(0, exact["n_public"], exact["measured"], INFINITE),
        curve(0, alone["n_public"], alone["measured"], ALONE),
        curve(0, theorem["n_public"], theorem["measured"], THEOREM),
        curve(1, exact["n_public"], exact["measured"] / base),
    ]
    for n, part in means.groupby("n_private"):
        name = f"A_PAP, $n_{{\\mathrm{{private}}}}=10^{{{POWERS[n]}}}$"
        marks += [
            curve(0, part["n_public"], part["measured"], name),
            bars(0, part["n_public"], part["low"], part["high"]),
            curve(0, part["n_public"], part["bound"], like(name)),
            curve(1, part["n_public"], part["measured"] / base, like(name)),
        ]
    return marks


def texts(tables) -> list[PanelText]:
    axis = "public points $n_{\\mathrm{public}}$"
    return [
        PanelText("", axis, "worst error over all thresholds", "log log", legend=(BOUND,)),
        PanelText("", axis, "error / public means alone", "log log"),
    ]
