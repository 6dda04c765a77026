"""``own_persons``: mean losses with limits against the largest number of rows a person, one panel for each learner."""

from drawn import PanelText, Shown, bars, curve, rows

ARMS = {
    "by person, average of rows": "average of a person's rows",
    "by person, one row": "one row a person",
    "cap of 10 rows, noise times 10": "at most 10 rows a person",
    "group privacy": "group privacy",
}
PANELS = {
    "threshold": "excess error",
    "classifier": "error",
    "regression": "$1 - R^2$",
    "synthetic table": "mean $L_1$ error",
}
X = (1, 10, 200)


def shown(tables) -> list[Shown]:
    marks = []
    for panel, learner in enumerate(PANELS):
        own = rows(tables["measurements"], claim="OWN-PERSON-flat", quantity="mean loss", learner=learner)
        for label, arm in ARMS.items():
            part = [rows(own, arm=arm, most_rows=most).iloc[0] for most in X]
            marks.append(curve(panel, X, [row["measured"] for row in part], label))
            marks.append(bars(panel, X, [row["low"] for row in part], [row["high"] for row in part]))
    return marks


def texts(tables) -> list[PanelText]:
    below = "largest number of rows a person, $R$"
    return [
        PanelText(title, below if panel > 1 else "", height, "log linear")
        for panel, (title, height) in enumerate(PANELS.items())
    ]
