"""``against_epsilon``: labels, private examples and errors of each learner; a level without epsilon."""

from drawn import Said, Shown, band, curve, level, rows


def shown(tables) -> list[Shown]:
    found = []
    for panel, measure in enumerate(("labels_asked", None, "population_error")):
        table = rows(tables["summary"], measure=measure or "population_error")
        for title, part in table.sort_values("epsilon").groupby("title"):
            mean, low, high = ("n_private",) * 3 if measure is None else ("mean", "low", "high")
            if part["epsilon"].isna().any():
                found += [level(panel, value, title) for value in part[mean]]
                continue
            found.append(curve(panel, part["epsilon"], part[mean], title))
            found.append(band(panel, part["epsilon"], part[low], part[high]))
    return found


def said(tables) -> list[Said]:
    x = "privacy parameter $\\varepsilon$"
    scales = {"labels asked for": "log", "private examples": "log", "excess error": "linear"}
    return [Said("", x, y, f"log {scale}") for y, scale in scales.items()]
