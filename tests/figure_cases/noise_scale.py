"""``noise_scale``: the paper's noise over the least, against m."""

from drawn import Said, Shown, curve, level, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BBD24-L3")
    found = [level(0, 1.0)]
    for epsilon, part in rows(own, quantity="the paper's gamma / the least").groupby("epsilon"):
        ordered = part.sort_values("m")
        found.append(curve(0, ordered["m"], ordered["measured"], f"Gaussian, $\\varepsilon = {epsilon:g}$"))
    laplace = rows(own, quantity="the paper's Laplace scale / the least").sort_values("m")
    return [*found, curve(0, laplace["m"], laplace["measured"], "Laplace")]


def said(tables) -> list[Said]:
    return [Said("", "public points $m$", "the paper's noise / least", "log log")]
