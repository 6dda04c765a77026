"""``against_epsilon``: labels, private examples and errors of each learner; a level without epsilon."""

from drawn import PanelText, Shown, band, curve, level, rows


def shown(tables) -> list[Shown]:
    marks = []
    for panel, measure in enumerate(("labels_asked", None, "population_error")):
        table = rows(tables["summary"], measure=measure or "population_error")
        for title, part in table.sort_values("epsilon").groupby("title"):
            mean, low, high = ("n_private",) * 3 if measure is None else ("mean", "low", "high")
            if part["epsilon"].isna().any():
                marks += [level(panel, value, title) for value in part[mean]]
                continue
            marks.append(curve(panel, part["epsilon"], part[mean], title))
            marks.append(band(panel, part["epsilon"], part[low], part[high]))
    return marks


def texts(tables) -> list[PanelText]:
    x = "privacy parameter $\\varepsilon$"
    scales = {"labels asked for": "log", "private examples": "log", "excess error": "linear"}
    return [PanelText("", x, y, f"log {scale}") for y, scale in scales.items()]
