"""``sanitizer_need``: exact needs of three distributions, with the proven size; local exponents, with controls."""

from drawn import PanelText, Shown, curve, level, like, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BNS15-A.3-rate")
    needs = rows(own, quantity="private points needed").sort_values("bits")
    marks = [level(1, 1.0)]
    for distribution, part in needs.groupby("distribution"):
        marks.append(curve(0, part["bits"], part["measured"], distribution))
        for quantity in ("local exponent in b", "local exponent in b, negative control with epsilon / b"):
            steps = rows(own, quantity=quantity, distribution=distribution).sort_values("bits")
            marks.append(curve(1, steps["bits"], steps["measured"], like(distribution)))
    bound = needs.groupby("bits")["bound"].max()
    return [*marks, curve(0, bound.index, bound, "size with a proof")]


def texts(tables) -> list[PanelText]:
    (alpha,) = set(rows(tables["measurements"], claim="BNS15-A.3-rate", quantity="private points needed")["alpha"])
    return [
        PanelText("", "bits $b$ of a point", f"private points, $\\alpha={alpha:g}$", "log log"),
        PanelText("", "bits $b$ of a point", "local exponent in $b$", "log linear"),
    ]
