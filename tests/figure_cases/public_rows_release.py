"""``public_rows_release``: errors with limits against kappa and bias, public rows alone, and noisy marginals alone."""

from drawn import PanelText, Shown, bars, curve, level, like, rows

CLAIM = "BCM20-TABLES"
WRITTEN, ALONE = "mean L1 error of the rows written", "mean L1 error of the public rows alone"
NOISY = "mean L1 error of all marginals with noise, no public rows"
PUBLIC_ALONE = "public rows alone"
KAPPA = "$\\kappa=n_{\\mathrm{public}}$"


def _with_limits(panel: int, part, x: str, label: str | None) -> list[Shown]:
    own = part.sort_values(x)
    return [curve(panel, own[x], own["measured"], label), bars(panel, own[x], own["low"], own["high"])]


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim=CLAIM)
    alone = rows(own, quantity=ALONE)
    noisy = rows(own, quantity=NOISY)["measured"].iloc[0]
    marks = [level(panel, noisy, "noisy marginals alone") for panel in (0, 1)]
    for bias in (0.0, 0.3, 1.0):
        name = f"bias {bias:g}"
        marks += _with_limits(0, rows(own, quantity=WRITTEN, marginals=15, bias=bias), "kappa_over_n_public", name)
        marks.append(level(0, rows(alone, bias=bias)["measured"].iloc[0], like(name)))
    for number in (15, 105):
        part = rows(own, quantity=WRITTEN, marginals=number, kappa_over_n_public=1)
        marks += _with_limits(1, part, "bias", f"{number} marginals, {KAPPA}")
    return marks + _with_limits(1, alone, "bias", like(PUBLIC_ALONE))


def texts(tables) -> list[PanelText]:
    axis = "$\\kappa\\,/\\,n_{\\mathrm{public}}$"
    return [
        PanelText("15 marginals", axis, "mean $L_1$ error", "log log", legend=(PUBLIC_ALONE,)),
        PanelText("", "bias of the public rows", "", "linear log"),
    ]
