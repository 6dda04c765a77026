"""``mixture_separation``: needs against bits with a line of the proven slope; errors against n."""

from drawn import Shown, bars, curve, level, rows


def shown(tables, epsilon=1.0) -> list[Shown]:
    table = tables["measurements"]
    needs = table[table["quantity"].str.startswith("examples needed")].sort_values("bits")
    slopes = rows(table, quantity="slope of the need in b")
    found = []
    for (learner, budget), part in needs.groupby(["learner", "epsilon"]):
        found.append(curve(0, part["bits"], part["measured"], f"{learner}, $\\varepsilon={budget:g}$"))
        found.append(bars(0, part["bits"], part["low"], part["high"]))
        for bound in rows(slopes, learner=learner, epsilon=budget)["bound"].dropna():
            line = part["measured"].iloc[0] + bound * (part["bits"] - part["bits"].min())
            found.append(curve(0, part["bits"], line, "$4\\ln 2/\\varepsilon$ a bit"))
    errors = rows(table, quantity="mean empirical error", epsilon=epsilon)
    found += [curve(1, part["n"], part["measured"]) for _, part in errors.groupby(["learner", "bits"])]
    return [*found, level(1, errors["bound"].iloc[0], f"error {errors['bound'].iloc[0]:g}")]
