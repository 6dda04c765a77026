"""``agnostic_labels``: labels of round 1 against 1 / alpha."""

from drawn import PanelText, Shown, curve, rows


def shown(tables) -> list[Shown]:
    table = rows(tables["measurements"], claim="BNS15-T4.16")
    judged = rows(table, quantity="P[excess error of round 1 > alpha]").sort_values("alpha")
    least = rows(table, quantity="least kept labels with P[excess error of round 1 > alpha] <= beta")
    least = least.sort_values("alpha")
    control = rows(table, quantity="control: P[excess error of round 1 > alpha] with the labels of the realisable rate")
    return [
        curve(0, 1 / judged["alpha"], judged["kept_labelled"], "judged here"),
        curve(0, 1 / least["alpha"], least["measured"], "least that suffice"),
        curve(0, 1 / control["alpha"], control["kept_labelled"], "realisable rate, must fail"),
    ]


def texts(tables) -> list[PanelText]:
    return [PanelText("", "$1/\\alpha$", "labels that round 1 keeps", "log log")]
