"""All that the pages describe, as the files of a checkout declare it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from semipriv.core import fingerprint, overlay, registry
from semipriv.core.overlay import PACKAGE, PACKAGES
from semipriv_lab.experiments.config import Experiment, expanded
from semipriv_lab.experiments.loading import Run, load_run
from semipriv_lab.figures.catalogue import Drawing, drawings
from semipriv_lab.ledger.claims import Claim, claims
from semipriv_lab.ledger.studies import ROOM, Study, studies
from semipriv_lab.reference.sources import Place, Source, places

SOURCES = PACKAGE.parent
"""The folder of the packages."""
EXPERIMENTS = Path("config/experiments")
_ONE_TYPE = re.compile(r'^__all__ = \["([A-Z]\w*)"\]$', re.MULTILINE)


def room_at(file: str) -> str:
    """Return the room of a file by its path below ``src``.

    >>> room_at("semipriv/papers/abm19/learners/sspp.py"), room_at("semipriv_lab/measures/worst_query_error.py")
    ('learners', 'measures')
    """
    return overlay.room_of(".".join(Path(file).with_suffix("").parts))


def path_of(module: str) -> str:
    """Return the path of a module below ``src``.

    >>> path_of("semipriv.papers.abm19.learners.sspp"), path_of("semipriv.learners")
    ('semipriv/papers/abm19/learners/sspp.py', 'semipriv/learners/__init__.py')
    """
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if (SOURCES / path).is_dir() else f"{path}.py"


@dataclass(frozen=True)
class PlugIn:
    """A module with exactly one type in ``__all__``, which is named by its file.

    file: its path below the folder of the package.  type: the name of its type.
    """

    file: str
    type: str

    @property
    def room(self) -> str:
        """Its room, as ``mechanisms/noise``."""
        return room_at(self.file)

    @property
    def name(self) -> str:
        """Its name in configurations."""
        return Path(self.file).stem

    @property
    def page(self) -> str:
        """The page that describes it: one for each room of the package."""
        return f"{self.room.partition('/')[0]}.md"

    @property
    def anchor(self) -> str:
        """The place on that page."""
        return "-".join([*self.room.split("/")[1:], self.name])


@dataclass(frozen=True)
class Declared:
    """What the package declares, and the experiments of a checkout.

    checkout: its folder.  package: the folder in which plug-ins are looked for.
    """

    checkout: Path
    package: Path = SOURCES

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """The claims by id."""
        return claims()

    @cached_property
    def studies(self) -> dict[str, Study]:
        """The studies by id."""
        return studies()

    @cached_property
    def study_of(self) -> dict[str, Study]:
        """The study of each claim that is measured."""
        return {claim: study for study in self.studies.values() for claim in study.claims}

    @cached_property
    def experiments(self) -> dict[str, Experiment]:
        """The experiments of the checkout by name."""
        return self._run.experiments

    @cached_property
    def figures(self) -> dict[str, Drawing]:
        """The figures of all experiments and studies, by the stem of their files."""
        return drawings(self._run, list(self.studies))

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """What docstrings name as their sources."""
        return places(self.package)

    @cached_property
    def plugins(self) -> tuple[PlugIn, ...]:
        """The plug-ins, room by room."""
        return tuple(sorted(_plugins(self.package), key=lambda plugin: (plugin.room, plugin.name)))

    @cached_property
    def used(self) -> dict[str, frozenset[str]]:
        """By experiment, the package's files for its classes, distributions, learners and measures."""
        return {
            name: frozenset(path_of(module) for value in _made_of(experiment) for module in registry.modules(value))
            for name, experiment in self.experiments.items()
        }

    @cached_property
    def run_by(self) -> dict[str, frozenset[str]]:
        """By study, the files of the package that it imports, by itself or by a helper in its folder."""
        return {study.id: frozenset(map(path_of, _imported(study))) for study in self.studies.values()}

    @cached_property
    def algorithms(self) -> dict[str, frozenset[Source]]:
        """By study, the algorithms of its paper that it measures.

        They are those that its docstring names.  If that names none, they are those that the files that it imports
        belong to, and those that its functions name.
        """
        return {study.id: frozenset(self._measured(study)) for study in self.studies.values()}

    def _measured(self, study: Study) -> Iterator[Source]:
        file = path_of(study.module)
        named = [place for place in self.places if place.file == file and place.source.kind == "algorithm"]
        sources = [place.source for place in named if not place.name]
        if sources:
            yield from sources
            return
        yield from (place.source for place in named)
        imported = {file for file in self.run_by[study.id] if not file.endswith("/base.py")}
        for place in self.places:
            matches = place.source.kind == "algorithm" and place.source.paper == study.paper.upper()
            if matches and place.implements and place.file in imported:
                yield place.source

    @cached_property
    def _run(self) -> Run:
        folder = self.checkout / EXPERIMENTS
        names = sorted(file.stem for file in folder.glob("*.yaml"))
        keys = {"seed": 0, "results": "results", "experiments": names, "claims": []}
        return load_run(keys, folder, check=False)


def _plugins(package: Path) -> Iterator[PlugIn]:
    """Yield the modules with one type in ``__all__``; their sources are read, none is imported."""
    for file in (path for name in PACKAGES for path in (package / name).rglob("*.py")):
        if file.stem != "base" and not file.stem.startswith("_"):
            match = _ONE_TYPE.search(file.read_text(encoding="utf-8"))
            if match is not None:
                yield PlugIn(file.relative_to(package).as_posix(), match[1])


def _imported(study: Study) -> set[str]:
    """Return the modules that a study imports, and those that the helpers in its folder import for it."""
    reached: set[str] = set()
    todo = [study.module]
    while todo:
        modules = fingerprint.imports(SOURCES / path_of(todo.pop()))
        todo += [module for module in modules - reached if overlay.room_of(module) == ROOM]
        reached |= modules
    return reached


def _made_of(experiment: Experiment) -> Iterator[Any]:
    """Yield the classes, distributions, learners and measures of all cells; what differs in numbers alone, once."""
    yield from experiment.measures.values()
    seen: set[str] = set()
    for cell in experiment.cells:
        if _new(cell.settings["class"], seen):
            yield cell.hypothesis_class
        if cell.settings.get("distribution") is not None and _new(cell.settings["distribution"], seen):
            yield cell.distribution
        for learner in cell.settings["learners"]:
            for chosen in expanded(learner):
                if _new(chosen, seen):
                    yield registry.build("learners", chosen)


def _new(specification: Any, seen: set[str]) -> bool:
    """Return whether a specification names something else than those seen, beside numbers; from now on it is seen."""
    text = json.dumps(_words(specification), sort_keys=True)
    known = text in seen
    seen.add(text)
    return not known


def _words(value: Any) -> Any:
    """Return a specification without its numbers."""
    if isinstance(value, dict):
        return {key: _words(item) for key, item in value.items()}
    return value if isinstance(value, str) else None
