"""``private_need``: exact needs with theorem 3.1 above, the gain of permute-and-flip below."""

from drawn import PanelText, Shown, curve, like, rows


def shown(tables) -> list[Shown]:
    marks = []
    for i, claim in enumerate(("ABM19-T3.1-agnostic", "ABM19-T3.1-realizable")):
        needs = rows(tables["measurements"], claim=claim, quantity="private examples needed")
        for epsilon, part in needs.groupby("epsilon"):
            own = rows(part, mechanism="exponential")
            label = f"A_SSPP, $\\varepsilon={epsilon:g}$"
            marks.append(curve(i, own["alpha"], own["measured"], label))
            marks.append(curve(i, own["alpha"], own["bound"], like(label)))
            both = own.merge(rows(part, mechanism="permute_and_flip"), on="alpha")
            marks.append(curve(2 + i, both["alpha"], both["measured_y"] / both["measured_x"], like(label)))
        free = rows(needs, mechanism="minimum").groupby("alpha")["measured"].max()
        marks.append(curve(i, free.index, free, "ERM, not private"))
    return marks


def texts(tables) -> list[PanelText]:
    panels = []
    for i, (claim, distribution) in enumerate((("agnostic", "two constants"), ("realizable", "two hypotheses"))):
        part = rows(tables["measurements"], claim=f"ABM19-T3.1-{claim}", mechanism="exponential")
        exponents = rows(part, quantity="exponent in alpha")
        notes = [f"${row.measured:.2f}\\;(\\varepsilon={row.epsilon:g})$" for row in exponents.itertuples()]
        title, y = f"{claim}: {distribution}\nexponents {', '.join(notes)}", "" if i else "private examples needed"
        panels.append(PanelText(title, "", y, "log log", legend=("theorem 3.1, two hypotheses",)))
    ratio = "permute-and-flip /\nexponential"
    return panels + [PanelText("", "excess error $\\alpha$", y, "log linear") for y in (ratio, "")]
