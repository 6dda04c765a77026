"""``average_draws``: calls of the oracle against eta, by two calibrations."""

from drawn import PanelText, Shown, curve, rows

CURVES = {"McDiarmid": "McDiarmid's inequality", "the smaller one": "the smaller of two calibrations"}


def shown(tables) -> list[Shown]:
    every = rows(tables["measurements"], claim="BBD24-L1-bernstein")
    parts = {label: rows(every, calibration=name) for name, label in CURVES.items()}
    return [curve(0, part["eta"], part["measured"], label) for label, part in parts.items()]


def texts(tables) -> list[PanelText]:
    return [PanelText("", "$\\eta$", "calls of the oracle $J$", "log log")]
