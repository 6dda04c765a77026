"""The studies, as the tables ``studies.csv`` of the papers list them: no module of a study is imported or read.

A study is a module ``papers/<paper>/studies/<name>.py`` with a function for each claim that it measures, declared by
``@claim("ABM19-L3.2", ...)`` (``semipriv_lab.ledger.claim``).  Its line in ``papers/<paper>/studies.csv`` has its name;
the claims, separated by blanks; the plot in ``papers/<paper>/figures/`` that shows its measurements, if one does; and
about how many seconds it takes, if more or less than the usual ones: longer studies start first.
"""

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from semipriv.core import source
from semipriv_lab.experiments.papers import papers
from semipriv_lab.ledger.claims import claims, listed

ROOM = "studies"
COLUMNS = ["study", "claims", "figure", "seconds"]
"""The columns of a list of studies."""


@dataclass(frozen=True)
class Study:
    """A study as its paper lists it.

    paper: the folder of its paper.  figure: None without one.  seconds: about how long it takes on one core at effort
    1.
    """

    paper: str
    name: str
    claims: tuple[str, ...]
    figure: str | None = None
    seconds: float = 5.0

    @property
    def id(self) -> str:
        """Paper and name, as in ``abm19_privacy``; it names the study's files and its random stream."""
        return f"{self.paper}_{self.name}"

    @property
    def module(self) -> str:
        """Dotted name of its module."""
        return f"semipriv_lab.papers.{self.paper}.{ROOM}.{self.name}"

    @property
    def documentation(self) -> str:
        """The docstring of its module, which is not imported."""
        return source.docstring(source.of_module(self.module))

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return self.documentation.partition("\n")[0]


def studies() -> dict[str, Study]:
    """Return all studies by id, in the order of their first claims in the list of claims."""
    return _declared(tuple(folder for paper in papers().values() for folder in paper.folders))


@lru_cache(maxsize=4)
def _declared(folders: tuple[Path, ...]) -> dict[str, Study]:
    return declared(folders)


def declared(folders: Iterable[Path]) -> dict[str, Study]:
    """Return the studies in folders of papers, as ``studies`` does.

    Raise ValueError, naming the file and the line, for a study that is listed twice, has no module or no claims, for an
    unknown claim, a claim of another study, or seconds that are no positive number; and for a module without a line.
    """
    place = {claim: i for i, claim in enumerate(claims())}
    by_id: dict[str, Study] = {}
    owner: dict[str, str] = {}
    for folder in folders:
        names = sorted(file.stem for file in folder.glob(f"{ROOM}/[!_]*.py"))
        for row_place, row in listed(folder / "studies.csv", COLUMNS):
            study = _study(folder, row, row_place)
            if study.id in by_id:
                raise ValueError(f"{row_place}: study = {study.name!r}: is listed twice")
            if study.name not in names:
                raise ValueError(f"{row_place}: study = {study.name!r}: {folder / ROOM} has no such module")
            names.remove(study.name)
            for claim in study.claims:
                if claim not in place:
                    raise ValueError(f"{row_place}: claim {claim!r} is not in the list of claims")
                if claim in owner:
                    raise ValueError(f"{row_place}: claim {claim!r} is measured by {owner[claim]} already")
                owner[claim] = study.id
            by_id[study.id] = study
        if names:
            raise ValueError(f"{folder / ROOM / names[0]}.py: list the study, with its claims, in {folder}/studies.csv")
    return dict(sorted(by_id.items(), key=lambda item: place[item[1].claims[0]]))


def _study(folder: Path, row: Mapping[str, str], place: str) -> Study:
    """Return the study of a line."""
    measured = tuple(row["claims"].split())
    if not measured:
        raise ValueError(f"{place}: {row['study']!r} measures no claim: list their ids, separated by blanks")
    try:
        seconds = float(row["seconds"] or Study.seconds)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ValueError(f"{place}: seconds = {row['seconds']!r}: must be a number > 0, or empty")
    return Study(folder.name, row["study"], measured, row["figure"] or None, seconds)


def study_of() -> dict[str, str]:
    """Return the id of the study of each claim that can be measured."""
    return {claim: study.id for study in studies().values() for claim in study.claims}


def studies_for(asked: Sequence[str]) -> list[str]:
    """Return the ids of the studies that measure the given claims; the id of a paper stands for its measurable claims.

    Raises ValueError for an id that is neither in the list of claims nor that of a paper, or has no study yet.
    """
    known, measurable = claims(), study_of()
    ids = list(papers())
    wanted: set[str] = set()
    for name in asked:
        if name not in known and name not in ids:
            nearest = difflib.get_close_matches(name.upper(), [*ids, *known], n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(map(repr, nearest))}? " if nearest else ""
            raise ValueError(f"claims: unknown claim or paper {name!r}: {hint}`semipriv claim --list` lists all")
        asked_for = [claim for claim in measurable if name in (claim, known[claim].paper)]
        if not asked_for:
            raise ValueError(f"claims: nothing measures {name!r}: `semipriv claim --list` tells what is measured")
        wanted.update(measurable[claim] for claim in asked_for)
    return [study for study in studies() if study in wanted]
