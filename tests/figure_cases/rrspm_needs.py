"""``rrspm_needs``: needs of RRSPM, with their limits."""

from drawn import PanelText, Shown, bars, curve, like, rows

LEFT = {
    "label noise 0.1, weights of scale $2m/\\varepsilon$": ("BBD24-T10", "2 m / epsilon"),
    "label noise 0.1, scale $2/\\varepsilon$": ("BBD24-T10", "2 / epsilon"),
    "no label noise, scale $2m/\\varepsilon$": ("BBD24-R1", "2 m / epsilon"),
    "no label noise, scale $2/\\varepsilon$": ("BBD24-R1", "2 / epsilon"),
}
RIGHT = {"$1/\\sigma$": "1 / sigma", "$1/\\varepsilon$": "1 / epsilon", "VC dimension $d$": "d"}


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], quantity="least n with P[excess > alpha] <= 1/4")
    parts = [(0, label, rows(own, claim=c, scale=s, arm="1 / alpha")) for label, (c, s) in LEFT.items()]
    parts += [(1, label, rows(own, claim="BBD24-T10", arm=arm)) for label, arm in RIGHT.items()]
    return [
        mark
        for panel, label, part in parts
        for mark in (
            curve(panel, part["value"], part["measured"], label),
            bars(panel, part["value"], part["low"], part["high"], like(label)),
        )
    ]


def texts(tables) -> list[PanelText]:
    return [
        PanelText("", "$1/\\alpha$", "private examples needed", "log log"),
        PanelText("", "$1/\\sigma$, $1/\\varepsilon$ or $d$", "", "log log"),
    ]
