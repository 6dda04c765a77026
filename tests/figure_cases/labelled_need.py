"""``labelled_need``: needs of LabelBoost and of its base learner against the bits."""

from drawn import PanelText, Shown, curve, rows

CURVES = {
    "base learner, formula": "labelled examples of the base learner, by its formula",
    "base learner, by counts": "labelled examples of the base learner, by counts on CORNER",
    "LabelBoost, paper's constants": "labelled examples at which the rounds end, the paper's constants",
    "LabelBoost, scaled constants": "labelled examples at which the rounds end, the rule",
    "whole block": "labelled examples with which a round of a whole block succeeds, by counts on TWO-ATOMS",
}


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BNS15-T4.13-labelled")
    parts = {label: rows(own, quantity=quantity) for label, quantity in CURVES.items()}
    return [curve(0, part["bits"], part["measured"], label) for label, part in parts.items()]


def texts(tables) -> list[PanelText]:
    return [PanelText("", "bits $b$ of an integer", "labelled examples", "log log")]
