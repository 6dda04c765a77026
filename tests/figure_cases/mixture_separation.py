"""``mixture_separation``: needs against bits with a line of the proven slope; errors against n."""

from drawn import PanelText, Shown, bars, curve, level, like, rows


def shown(tables, epsilon=1.0) -> list[Shown]:
    table = tables["measurements"]
    needs = table[table["quantity"].str.startswith("examples needed")].sort_values("bits")
    slopes = rows(table, quantity="slope of the need in b")
    marks = []
    for (learner, budget), part in needs.groupby(["learner", "epsilon"]):
        marks.append(curve(0, part["bits"], part["measured"], f"{learner}, $\\varepsilon={budget:g}$"))
        marks.append(bars(0, part["bits"], part["low"], part["high"], like(f"{learner}, $\\varepsilon={budget:g}$")))
        for bound in rows(slopes, learner=learner, epsilon=budget)["bound"].dropna():
            line = part["measured"].iloc[0] + bound * (part["bits"] - part["bits"].min())
            marks.append(curve(0, part["bits"], line, "$4\\ln 2/\\varepsilon$ a bit"))
    errors = rows(table, quantity="mean empirical error", epsilon=epsilon)
    marks += [curve(1, part["n"], part["measured"]) for _, part in errors.groupby(["learner", "bits"])]
    return [*marks, level(1, errors["bound"].iloc[0], f"error {errors['bound'].iloc[0]:g}")]


def texts(tables, epsilon=1.0) -> list[PanelText]:
    table = tables["measurements"]
    slopes = rows(table, quantity="slope of the need in b").dropna(subset="bound")
    exponents = [f"{row.measured:.2f} ($\\varepsilon={row.epsilon:g}$)" for row in slopes.itertuples()]
    bits = sorted(rows(table, quantity="mean empirical error", epsilon=epsilon)["bits"].unique())
    notes = tuple(f"${b:g}$" if i else f"$b={b:g}$" for i, b in enumerate(bits))
    return [
        PanelText(f"slopes, all private: {', '.join(exponents)}", "bits $b$ of the domain", "examples needed"),
        PanelText(
            f"{len(bits)} sizes of the domain, $\\varepsilon={epsilon:g}$",
            "examples $n$",
            "mean empirical error",
            "log linear",
            notes,
        ),
    ]
