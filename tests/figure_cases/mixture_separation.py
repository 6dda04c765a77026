"""``mixture_separation``: needs against bits with a line of the proven slope; errors against n."""

from drawn import Said, Shown, bars, curve, level, like, rows


def shown(tables, epsilon=1.0) -> list[Shown]:
    table = tables["measurements"]
    needs = table[table["quantity"].str.startswith("examples needed")].sort_values("bits")
    slopes = rows(table, quantity="slope of the need in b")
    found = []
    for (learner, budget), part in needs.groupby(["learner", "epsilon"]):
        found.append(curve(0, part["bits"], part["measured"], f"{learner}, $\\varepsilon={budget:g}$"))
        found.append(bars(0, part["bits"], part["low"], part["high"], like(f"{learner}, $\\varepsilon={budget:g}$")))
        for bound in rows(slopes, learner=learner, epsilon=budget)["bound"].dropna():
            line = part["measured"].iloc[0] + bound * (part["bits"] - part["bits"].min())
            found.append(curve(0, part["bits"], line, "$4\\ln 2/\\varepsilon$ a bit"))
    errors = rows(table, quantity="mean empirical error", epsilon=epsilon)
    found += [curve(1, part["n"], part["measured"]) for _, part in errors.groupby(["learner", "bits"])]
    return [*found, level(1, errors["bound"].iloc[0], f"error {errors['bound'].iloc[0]:g}")]


def said(tables, epsilon=1.0) -> list[Said]:
    table = tables["measurements"]
    slopes = rows(table, quantity="slope of the need in b").dropna(subset="bound")
    told = [f"{row.measured:.2f} ($\\varepsilon={row.epsilon:g}$)" for row in slopes.itertuples()]
    bits = sorted(rows(table, quantity="mean empirical error", epsilon=epsilon)["bits"].unique())
    notes = tuple(f"${b:g}$" if i else f"$b={b:g}$" for i, b in enumerate(bits))
    return [
        Said(f"slopes, all private: {', '.join(told)}", "bits $b$ of the domain", "examples needed"),
        Said(
            f"{len(bits)} sizes of the domain, $\\varepsilon={epsilon:g}$",
            "examples $n$",
            "mean empirical error",
            "log linear",
            notes,
        ),
    ]
