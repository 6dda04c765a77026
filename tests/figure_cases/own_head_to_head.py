"""``own_head_to_head``: mean losses with limits, by distribution and learner, one panel for each kind of rows."""

from drawn import PanelText, Shown, bars, curve, rows

OWN, MODEL, OTHER, ALONE, NONE = (
    "public metric or Gram matrix",
    "public model",
    "A_SSPP on stumps, or statistics",
    "public rows alone",
    "no privacy",
)
PLACES = {OWN: -0.3, MODEL: -0.15, OTHER: 0.0, ALONE: 0.15, NONE: 0.3}
PANELS = (
    (
        "OWN-HEAD-UNLABELLED",
        ["correlated features", "heavy tails", "rare levels", "one cut"],
        {
            OWN: "public_metric_discriminant",
            MODEL: "public_model_discriminant",
            OTHER: "sspp on decision_stumps",
            ALONE: "public_logistic_regression",
            NONE: "logistic_regression",
        },
    ),
    (
        "OWN-HEAD-CLASSES",
        ["ordered labels", "two rare labels"],
        {
            OWN: "public_metric_multiclass",
            MODEL: "public_model_multiclass",
            ALONE: "public logistic",
            NONE: "logistic",
        },
    ),
    (
        "OWN-HEAD-GRAM",
        ["correlated features", "heavy tails", "rare levels", "half at the lower end"],
        {
            OWN: "public_gram_regression",
            MODEL: "public_ridge_regression",
            OTHER: "sufficient_statistics",
            ALONE: "public ridge regression",
            NONE: "least squares",
        },
    ),
)
TITLES = ("two labels", "several labels", "responses")


def shown(tables) -> list[Shown]:
    marks = []
    for panel, (claim, distributions, arms) in enumerate(PANELS):
        own = rows(tables["measurements"], claim=claim, quantity="mean loss", n_private=6_000)
        for label, arm in arms.items():
            part = [rows(own, arm=arm, distribution=distribution).iloc[0] for distribution in distributions]
            x = [k + PLACES[label] for k in range(len(distributions))]
            marks.append(curve(panel, x, [row["measured"] for row in part], label))
            marks.append(bars(panel, x, [row["low"] for row in part], [row["high"] for row in part]))
    return marks


def texts(tables) -> list[PanelText]:
    heights = ("mean loss", "", "")
    return [
        PanelText(title, "", height, "linear linear", ticks=tuple(distributions))
        for title, height, (_, distributions, _) in zip(TITLES, heights, PANELS, strict=True)
    ]
