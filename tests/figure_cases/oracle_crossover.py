"""``oracle_crossover``: patterns against calls of the oracle, and errors of both learners."""

from drawn import PanelText, Shown, curve, rows

PATTERNS, SEARCHED = "patterns of the public points", "dichotomies of all points, among which an exact oracle searches"


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BBD24-ORACLE")
    calls, marks = rows(own, quantity="calls of the oracle")["measured"].max(), []
    for panel, (name, x) in enumerate((("halfspaces", "features"), ("rectangles", "m"))):
        counts = rows(own, quantity=PATTERNS, **{"class": name}).sort_values(x)
        marks.append(curve(panel, counts[x], counts["measured"], "patterns that A_SSPP scores"))
        marks.append(curve(panel, counts[x], [calls] * len(counts), "calls of RRSPM's oracle"))
    searched = rows(own, quantity=SEARCHED).sort_values("features")
    label = "dichotomies that an exact oracle searches"
    marks.append(curve(0, searched["features"], searched["measured"], label))
    for learner in ("RRSPM", "RRSPM, paper", "A_SSPP"):
        excess = rows(own, quantity="excess error, mean", learner=learner).sort_values("features")
        marks.append(curve(2, excess["features"], excess["measured"], learner))
    return marks


def texts(tables) -> list[PanelText]:
    return [
        PanelText("halfspaces", "features $d$", "patterns, calls", "linear log"),
        PanelText("rectangles", "public points $m$", "patterns, calls", "log log"),
        PanelText("halfspaces", "features $d$", "mean excess error", "linear linear"),
    ]
