"""``private_need``: exact needs with theorem 3.1 above, the gain of permute-and-flip below."""

from drawn import Shown, curve, rows


def shown(tables) -> list[Shown]:
    found = []
    for i, claim in enumerate(("ABM19-T3.1-agnostic", "ABM19-T3.1-realizable")):
        needs = rows(tables["measurements"], claim=claim, quantity="private examples needed")
        for epsilon, part in needs.groupby("epsilon"):
            own = rows(part, mechanism="exponential")
            found.append(curve(i, own["alpha"], own["measured"], f"A_SSPP, $\\varepsilon={epsilon:g}$"))
            found.append(curve(i, own["alpha"], own["bound"]))
            both = own.merge(rows(part, mechanism="permute_and_flip"), on="alpha")
            found.append(curve(2 + i, both["alpha"], both["measured_y"] / both["measured_x"]))
        free = rows(needs, mechanism="minimum").groupby("alpha")["measured"].max()
        found.append(curve(i, free.index, free, "ERM, not private"))
    return found
