"""``own_persons``: mean losses with limits against the largest number of rows a person, one panel for each learner."""

from drawn import Said, Shown, bars, curve, rows

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
    found = []
    for panel, learner in enumerate(PANELS):
        own = rows(tables["measurements"], claim="OWN-PERSON-flat", quantity="mean loss", learner=learner)
        for label, arm in ARMS.items():
            part = [rows(own, arm=arm, most_rows=most).iloc[0] for most in X]
            found.append(curve(panel, X, [one["measured"] for one in part], label))
            found.append(bars(panel, X, [one["low"] for one in part], [one["high"] for one in part]))
    return found


def said(tables) -> list[Said]:
    below = "largest number of rows a person, $R$"
    return [
        Said(title, below if panel > 1 else "", height, "log linear")
        for panel, (title, height) in enumerate(PANELS.items())
    ]
