"""``noise_scale``: the paper's noise over the least, against m."""

from drawn import PanelText, Shown, curve, level, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BBD24-L3")
    marks = [level(0, 1.0)]
    for epsilon, part in rows(own, quantity="the paper's gamma / the least").groupby("epsilon"):
        ordered = part.sort_values("m")
        marks.append(curve(0, ordered["m"], ordered["measured"], f"Gaussian, $\\varepsilon = {epsilon:g}$"))
    laplace = rows(own, quantity="the paper's Laplace scale / the least").sort_values("m")
    return [*marks, curve(0, laplace["m"], laplace["measured"], "Laplace")]


def texts(tables) -> list[PanelText]:
    return [PanelText("", "public points $m$", "the paper's noise / least", "log log")]
