"""Which claims are measured, and where: a study is a module of this folder that measures one claim or several."""

from collections.abc import Sequence

from semipriv import registry
from semipriv.claims.ledger import claims

STUDIES: dict[str, tuple[str, ...]] = {
    "abm19_bad_event": ("ABM19-E1", "ABM19-E1-exact", "ABM19-D2.7", "ABM19-L3.3"),
    "abm19_public_need": ("ABM19-L3.3-rate", "ABM19-NAIVE", "ABM19-T4.1-pair"),
    "abm19_privacy": ("ABM19-L3.2",),
    "abm19_learning": ("ABM19-T3.1",),
    "abm19_private_need": ("ABM19-T3.1-agnostic", "ABM19-T3.1-realizable"),
    "abm19_reduction": (
        "ABM19-C4.5",
        "ABM19-C4.6-printed",
        "ABM19-C4.6",
        "ABM19-E2",
        "ABM19-E3",
        "ABM19-L4.4",
    ),
    "abm19_lower_bound": ("ABM19-T4.1", "ABM19-T4.2", "ABM19-T4.2-growth"),
    "bmn20_privacy": ("BMN20-L4.1",),
    "bmn20_geometry": (
        "BMN20-O4.2",
        "BMN20-O4.2-literal",
        "BMN20-L4.3",
        "BMN20-C4.4",
        "BMN20-GSTAR",
        "BMN20-GSIZE",
    ),
    "bmn20_excess": ("BMN20-CL4.5",),
    "bmn20_bounds": ("BMN20-T4.6-compression", "BMN20-T4.6-realizable", "BMN20-T4.6-agnostic"),
    "bmn20_rates": ("BMN20-T4.6-realizable-rate", "BMN20-T4.6-agnostic-rate"),
    "bmn20_dimension": ("BMN20-DIM",),
    "bmn20_separation": ("BMN20-SEP",),
    "bmn20_relaxations": ("BMN20-RELAX-i", "BMN20-RELAX-ii"),
    "bmn20_subsample": ("BMN20-SUBSAMPLE",),
}
"""Claims by study; each study has ``findings(randomness, effort)``, the findings by claim."""

STUDY = {claim: study for study, measured in STUDIES.items() for claim in measured}
"""The study of each measurable claim."""


def studies(asked: Sequence[str]) -> list[str]:
    """Studies that measure the given claims; the id of a paper stands for all its measurable claims.

    Raises ValueError for an id that is neither in the list of claims nor that of a paper, or has no study yet.
    """
    known = claims()
    papers = list(dict.fromkeys(claim.paper for claim in known.values()))
    wanted: set[str] = set()
    for name in asked:
        registry.check_name("claim or paper", name, [*papers, *known])
        found = [claim for claim in STUDY if name in (claim, known[claim].paper)]
        if not found:
            raise ValueError(f"{name!r} has no experiment yet (measurable: {', '.join(STUDY)})")
        wanted.update(STUDY[claim] for claim in found)
    return [study for study in STUDIES if study in wanted]
