"""The studies there are, from what their files declare: none is imported, and no table lists them.

A study is a module ``studies/<paper>/<name>.py`` with a function ``findings(randomness, effort)``, the findings by
claim.  It declares the claims that it measures, ``CLAIMS = ("ABM19-L3.2",)``, and, if its measurements are drawn, the
plot in ``figures/plots/<paper>/`` that draws them, ``FIGURE = "private_need"``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from semipriv import registry
from semipriv.ledger.claims import claims

ROOM = "studies"


@dataclass(frozen=True)
class Study:
    """A study as its file declares it: its paper's folder, its name, its claims, its figure if it has one."""

    paper: str
    name: str
    claims: tuple[str, ...]
    figure: str | None

    @property
    def id(self) -> str:
        """Paper and name, as in ``abm19_privacy``: names its files and its random stream."""
        return f"{self.paper}_{self.name}"

    @property
    def module(self) -> str:
        """Dotted name of its module."""
        return registry.module(f"{ROOM}/{self.paper}", self.name)


@cache
def studies() -> dict[str, Study]:
    """All studies by id, in the order of their first claims in the list of claims.

    Raises ValueError naming the file that declares no claims, one that is not in the list, or one of another study.
    """
    place = {claim: i for i, claim in enumerate(claims())}
    found: list[Study] = []
    for folder in sorted(path for path in Path(__file__).parent.iterdir() if (path / "__init__.py").is_file()):
        for name in registry.names(f"{ROOM}/{folder.name}"):
            found.append(_declared(folder.name, name, place))
    owner: dict[str, str] = {}
    for study in found:
        for claim in study.claims:
            if owner.setdefault(claim, study.id) != study.id:
                raise ValueError(f"{study.module}: CLAIMS: {claim!r} is measured by {owner[claim]} already")
    return {study.id: study for study in sorted(found, key=lambda study: place[study.claims[0]])}


def _declared(paper: str, name: str, known: dict[str, int]) -> Study:
    said = registry.constants(f"{ROOM}/{paper}", name)
    study = Study(paper, name, said.get("CLAIMS", ()), said.get("FIGURE"))
    if not study.claims:
        raise ValueError(f"{study.module}: must declare CLAIMS, the ids of the claims that it measures")
    for claim in study.claims:
        if claim not in known:
            raise ValueError(f"{study.module}: CLAIMS: {claim!r} is not in the list of claims")
    return study


def study_of() -> dict[str, str]:
    """The id of the study of each claim that can be measured."""
    return {claim: study.id for study in studies().values() for claim in study.claims}


def studies_for(asked: Sequence[str]) -> list[str]:
    """Ids of the studies that measure the given claims; the id of a paper stands for all its measurable claims.

    Raises ValueError for an id that is neither in the list of claims nor that of a paper, or has no study yet.
    """
    known, measurable = claims(), study_of()
    papers = list(dict.fromkeys(claim.paper for claim in known.values()))
    wanted: set[str] = set()
    for name in asked:
        registry.check_name("claim or paper", name, [*papers, *known])
        found = [claim for claim in measurable if name in (claim, known[claim].paper)]
        if not found:
            raise ValueError(f"{name!r} has no experiment yet (measurable: {', '.join(measurable)})")
        wanted.update(measurable[claim] for claim in found)
    return [study for study in studies() if study in wanted]
