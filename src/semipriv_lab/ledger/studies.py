"""The studies, as their files declare them: none is imported, and no table lists them.

A study is a module ``papers/<paper>/studies/<name>.py`` with a function for each claim that it measures, declared by
``@claim("ABM19-L3.2", ...)`` (``semipriv_lab.ledger.claim``).  If a figure shows its measurements, the module
declares the plot in ``papers/<paper>/figures/``, ``FIGURE = "private_need"``.  If it takes more than some seconds, it
declares about how many, ``SECONDS = 20``: longer studies start first.
"""

import ast
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from semipriv.core import source
from semipriv_lab.experiments.papers import papers
from semipriv_lab.ledger.claims import claims

ROOM = "studies"


@dataclass(frozen=True)
class Study:
    """A study as its file declares it.

    paper: the folder of its paper.  figure: None without one.  summary: the first line of its docstring.  seconds:
    about how long it takes on one core at effort 1.
    """

    paper: str
    name: str
    claims: tuple[str, ...]
    figure: str | None
    summary: str
    seconds: float = 5.0

    @property
    def id(self) -> str:
        """Paper and name, as in ``abm19_privacy``; it names the study's files and its random stream."""
        return f"{self.paper}_{self.name}"

    @property
    def module(self) -> str:
        """Dotted name of its module."""
        return f"semipriv_lab.papers.{self.paper}.{ROOM}.{self.name}"


def studies() -> dict[str, Study]:
    """Return all studies by id, in the order of their first claims in the list of claims."""
    return _declared(tuple(folder for paper in papers().values() for folder in paper.folders))


@lru_cache(maxsize=4)
def _declared(folders: tuple[Path, ...]) -> dict[str, Study]:
    return declared(folders)


def declared(folders: Iterable[Path]) -> dict[str, Study]:
    """Return the studies in folders of papers, as ``studies`` does.

    Raises ValueError with the name of a module that declares no claims, an unknown claim, or a claim of another study.
    """
    place = {claim: i for i, claim in enumerate(claims())}
    by_id: dict[str, Study] = {}
    owner: dict[str, str] = {}
    for file in sorted(file for folder in folders for file in folder.glob(f"{ROOM}/*.py")):
        if file.stem.startswith("_"):
            continue
        study = _study(file)
        if not study.claims:
            raise ValueError(
                f'{study.module}: measures no claim: declare one by @claim("ID", ...), with the id written out'
            )
        for claim in study.claims:
            if claim not in place:
                raise ValueError(f"{study.module}: claim {claim!r} is not in the list of claims")
            if claim in owner:
                raise ValueError(f"{study.module}: claim {claim!r} is measured by {owner[claim]} already")
            owner[claim] = study.id
        by_id[study.id] = study
    return dict(sorted(by_id.items(), key=lambda item: place[item[1].claims[0]]))


def _study(file: Path) -> Study:
    """Return what the source of a study declares."""
    module = source.parsed(file)
    constants = source.constants(module)
    return Study(
        paper=file.parents[1].name,
        name=file.stem,
        claims=_claims(module),
        figure=constants.get("FIGURE"),
        summary=source.docstring(module).partition("\n")[0],
        seconds=float(constants.get("SECONDS", Study.seconds)),
    )


def _claims(module: ast.Module) -> tuple[str, ...]:
    """Return the first arguments of the calls of ``claim`` that are written out, in their order.

    They are carried out when the module is imported: what stands inside of functions is not looked at.
    """
    inside = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    parts = (part for node in module.body for part in (node.decorator_list if isinstance(node, inside) else [node]))
    calls = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Call) and node.args)
    named = [node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "claim"]
    ids = [node.args[0] for node in sorted(named, key=lambda node: node.lineno)]
    return tuple(one.value for one in ids if isinstance(one, ast.Constant) and isinstance(one.value, str))


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
