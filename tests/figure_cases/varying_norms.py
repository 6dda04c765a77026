"""``varying_norms``: theorem 5's event against its radius."""

from drawn import PanelText, Shown, curve, rows


def shown(tables) -> list[Shown]:
    own = rows(tables["measurements"], claim="BBD24-T5-literal", quantity="P[E], norms that vary, against r^2")
    fourth, second = (rows(own, power=power).sort_values("r2") for power in (4, 2))
    return [
        curve(0, fourth["r2"], fourth["measured"], "P[E], at least"),
        curve(0, fourth["r2"], fourth["bound"], "printed bound, $r^{-4}$"),
        curve(0, second["r2"], second["bound"], "printed bound, $r^{-2}$"),
    ]


def texts(tables) -> list[PanelText]:
    return [PanelText("", "$r^2$", "probability", "log log")]
