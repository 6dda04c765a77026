"""``reduction``: the probabilities of exhaustion, of substitution, and of a B less accurate."""

from drawn import PanelText, Shown, bars, curve, level, like, rows


def shown(tables) -> list[Shown]:
    table = tables["measurements"]
    marks = [level(0, 0.01, CONSTANT), level(1, 0.01, CONSTANT), level(2, 1 / 16, CONSTANT)]
    marks.append(curve(2, (0.5, 0.5), (0, 1), "lemma 4.4 says nothing from 1/2 on"))
    first = table[table["claim"].isin(["ABM19-E2", "ABM19-E2-literal"])]
    for quantity, label in (
        ("P[exhausted]", "exhausted: a further example was needed"),
        ("P[loop left early]", "exhausted as printed: loop left early"),
    ):
        exact = rows(first, quantity=quantity)
        most = exact[exact["own_size"] <= 5].groupby("own_size")["measured"].max()
        marks.append(curve(0, most.index, most, label))
    marks += _runs(0, rows(first, quantity="P[exhausted], runs of PrivSamp"), "own_size", RUNS)
    second = rows(table, claim="ABM19-E3")
    small = second[second["n_public"] <= 1000]
    for quantity, label in (
        ("P[public example substituted]", "an example of $D$ among the public ones"),
        (
            "total variation of labelled public samples, equal marginals",
            "total variation of public samples, equal marginals",
        ),
    ):
        part = rows(small, quantity=quantity)
        marks.append(curve(1, part["n_public"], part["measured"], label))
    marks += _runs(1, rows(second, quantity="P[public example substituted], coupled"), "n_public", RUNS)
    third = table[table["claim"].isin(["ABM19-C4.6", "ABM19-L4.4"])]
    wrong = rows(third, quantity="P[err(B) > 100 n_public alpha]")
    for premise in ("1/21", "1/18"):
        part = rows(wrong, premise=premise)
        marks += _runs(2, part, "accuracy", f"A_SSPP, A fails with probability {premise}")
    part = rows(third, quantity="P[err(B) > 100 n_public alpha], A without public points")
    part = part.assign(accuracy=100 * part["n_public"] * part["alpha"])
    return marks + _runs(2, part, "accuracy", "A without public points, $\\alpha=1/1000$")


CONSTANT, RUNS = "the paper's constant", "runs of PrivSamp, of the coupled draw"


def _runs(panel: int, part, x: str, label: str) -> list[Shown]:
    return [
        curve(panel, part[x], part["measured"], label),
        bars(panel, part[x], part["low"], part["high"], like(label)),
    ]


def texts(tables) -> list[PanelText]:
    own = rows(tables["measurements"], quantity="P[err(B) > 100 n_public alpha]", premise="1/21")
    sizes = own.sort_values("accuracy")["n_public"]
    notes = tuple(f"{n:g}" if i else f"$n_{{\\mathrm{{public}}}}={n:g}$" for i, n in enumerate(sizes))
    accuracy, probability = "accuracy $100\\,n_{\\mathrm{public}}\\,\\alpha$", "probability, or total variation"
    worse = "P[err(B) > $100\\,n_{\\mathrm{public}}\\,\\alpha$]"
    public = "public points $n_{\\mathrm{public}}$"
    return [
        PanelText("theorem: B's sample exhausted", "private sample of B, $\\tilde n$", "P[exhausted]", "linear log"),
        PanelText("theorem: public sample shifted", public, probability, "log linear"),
        PanelText("illustration: B less accurate", accuracy, worse, "log linear", notes),
    ]
