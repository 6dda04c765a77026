"""``growth``: the mean of each case, and the mean times public points over the dimension."""

from drawn import PanelText, Shown, band, curve, level, like


def shown(tables, strips=None) -> list[Shown]:
    marks, strips = [], strips or {}
    for (case, role), part in tables["summary"].groupby(["case", "role"]):
        if role not in ("paper", "variant"):
            continue
        n, d = part["n_public"], part["vc_dimension"]
        slopes = tables["slopes"]
        slope = slopes[(slopes["case"] == case) & (slopes["role"] == "paper")]["slope"]
        label = f"{case}, $d={d.max():g}$" + "".join(f", slope {value:.2f}" for value in slope[:1])
        for panel, factor in ((0, 1), (1, n / d)):
            marks.append(curve(panel, n, factor * part["mean"], label if role == "paper" else None))
            marks.append(band(panel, n, factor * part["low"], factor * part["high"], like(label)))
        if role == "paper" and case in strips:
            limit = (1 - strips[case] ** 2 / 4) / 2
            marks += [curve(0, n, limit * d / n, like(label)), level(1, limit, like(label))]
    return marks


def texts(tables, strips=None) -> list[PanelText]:
    limit = ("limit, $(1-s^2/4)\\,d/(2n_{\\mathrm{public}})$",) * bool(strips)
    points = "public points $n_{\\mathrm{public}}$"
    product = "excess error $\\times\\; n_{\\mathrm{public}} / d$"
    return [
        PanelText("", points, "excess error", "log log"),
        PanelText("", points, product, "log linear", legend=("permute-and-flip", *limit)),
    ]
