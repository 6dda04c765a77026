"""``oracle_crossover``: patterns against calls of the oracle, and errors of both learners."""

from drawn import Said, Shown, curve, rows

PATTERNS, SEARCHED = "patterns of the public points", "dichotomies of all points, among which an exact oracle searches"


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BBD24-ORACLE")
    calls, found = rows(own, quantity="calls of the oracle")["measured"].max(), []
    for panel, (name, x) in enumerate((("halfspaces", "features"), ("rectangles", "m"))):
        counts = rows(own, quantity=PATTERNS, **{"class": name}).sort_values(x)
        found.append(curve(panel, counts[x], counts["measured"], "patterns that A_SSPP scores"))
        found.append(curve(panel, counts[x], [calls] * len(counts), "calls of RRSPM's oracle"))
    searched = rows(own, quantity=SEARCHED).sort_values("features")
    label = "dichotomies that an exact oracle searches"
    found.append(curve(0, searched["features"], searched["measured"], label))
    for learner in ("RRSPM", "RRSPM, paper", "A_SSPP"):
        excess = rows(own, quantity="excess error, mean", learner=learner).sort_values("features")
        found.append(curve(2, excess["features"], excess["measured"], learner))
    return found


def said(tables) -> list[Said]:
    return [
        Said("halfspaces", "features $d$", "patterns, calls", "linear log"),
        Said("rectangles", "public points $m$", "patterns, calls", "log log"),
        Said("halfspaces", "features $d$", "mean excess error", "linear linear"),
    ]
