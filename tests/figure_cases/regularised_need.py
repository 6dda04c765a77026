"""``regularised_need``: explicit sizes of algorithm 3 by two routes, and its exact need."""

from drawn import PanelText, Shown, curve, rows

CURVES = {
    "explicit, stability $1/\\sqrt{\\eta}$": ("explicit n", "slopes, 1 / sqrt(eta)"),
    "explicit, stability $\\lambda K_Z/\\eta$": ("explicit n", "slopes, known spread"),
    "needed, exactly": ("least n with P[excess > alpha] <= .05, exactly", "slopes"),
}


def shown(tables) -> list[Shown]:
    marks = []
    for label, (quantity, route) in CURVES.items():
        own = rows(tables["measurements"], claim="BBD24-T7", quantity=quantity, route=route)
        marks.append(curve(0, own["1 / alpha"], own["measured"], label))
    return marks


def texts(tables) -> list[PanelText]:
    return [PanelText("", "$1/\\alpha$", "private records $n$", "log log")]
