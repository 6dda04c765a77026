"""Configuration of a run: read, merged, checked before any work is done.

Every error names the file, the key, the value and what is allowed.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semipriv.classes.classifiers.base import Classifier, Classifiers
from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.core import checks, overlay, registry, rooms
from semipriv.distributions.designs._inference import alternatives, designs, inferred, size_keys
from semipriv.distributions.designs.base import Design
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import status_model
from semipriv.settings.checking import check_part, checked
from semipriv.settings.reading import ConfigError, given_in, located, numbers, read_settings
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.experiments.config import Cell, Experiment, merge
from semipriv_lab.experiments.keys import CellKeys, ExperimentKeys, RunKeys

PLOTS = "figures/plots"
"""The room of the figures that experiments name."""
BY_CASE = {"alphas", "titles", "guides"}
"""Options of figures that are mappings from cases."""


@dataclass(frozen=True)
class Run:
    """A checked configuration: its experiments by name, the claims to measure, and the effort spent on each claim."""

    experiments: dict[str, Experiment]
    claims: list[str]
    effort: float
    results: str
    seed: int
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the folder of samples; it differs for different folders of results."""
        return "__".join(part for part in Path(self.results).parts if part != Path(self.results).anchor) or "here"

    @property
    def samples(self) -> str:
        """Folder of the samples of simulations."""
        return f"data/synthetic/{self.name}"

    @property
    def splits(self) -> str:
        """Folder of the parts of real tables."""
        return f"data/split/{self.name}"


def load_run(config: Mapping[str, Any], folder: Path, *, files: Sequence[str | Path] = (), check: bool = True) -> Run:
    """Check the configuration of a run and read its experiments from ``folder``, or from the run's plug-in folders.

    files: from which the configuration was merged, which errors name; files that are not there are passed over.
    check: check experiments too, and build every class, distribution and learner of every cell, so that all errors come
    before any work; jobs that only re-read a checked configuration leave it out.  Raises ConfigError.
    """
    parts = {path: read_settings(path) for path in map(Path, files) if path.exists()}
    for path, part in parts.items():
        with located(str(path)):
            check_part(RunKeys, numbers(part))
    together = " and ".join(map(str, files)) or "config"
    with located(together):
        settings = numbers(config)
        run = checked(RunKeys, settings)
    with located(given_in(files, "plugins")):
        overlay.lay(run.plugins)
        available = overlay.experiments(folder)
    for path, part in parts.items():
        with located(str(path)):
            _check_names(part, list(available))
    with located(together):
        _check_names(settings, list(available))
    experiments = {}
    for name in run.experiments:
        path = available[name]
        part = read_settings(path)
        with located(f"{path}, with overrides.{name}" if name in run.overrides else str(path)):
            specification = numbers(merge(part, run.overrides.get(name, {})))
            experiment = _experiment(name, specification, run, check=check)
            if check:
                check_experiment(experiment)
        experiments[name] = experiment
    return Run(experiments, run.claims, run.effort, run.results, run.seed, settings)


def _check_names(settings: Mapping[str, Any], available: list[str]) -> None:
    """Raise ValueError for the name of an experiment that is not there."""
    for name in settings.get("experiments", ()):
        registry.check_name("experiment", name, available)
    for name in settings.get("overrides", ()):
        registry.check_name("experiment in 'overrides'", name, available)


def _experiment(name: str, specification: dict[str, Any], run: RunKeys, *, check: bool) -> Experiment:
    """Build an experiment from its keys and those of the run; check: check its keys."""
    if check:
        checked(ExperimentKeys, specification)
    specification["trials"] = _scaled(int(specification["trials"]), run.trials_factor, run.trials)
    blocks = run.blocks or specification.get("blocks", ExperimentKeys.model_fields["blocks"].default)
    return Experiment(name, specification, run.seed, int(blocks), run.beta, run.materialise)


def _scaled(trials: int, factor: float, limit: int | None) -> int:
    """Return trials times a factor, rounded, at least 1 and at most the limit.

    >>> _scaled(200, 10.0, None), _scaled(200, 10.0, 500), _scaled(200, 0.001, None)
    (2000, 500, 1)
    """
    scaled = max(1, round(trials * factor))
    return scaled if limit is None else min(scaled, limit)


def check_writable(folder: str) -> None:
    """Raise ConfigError unless a folder can be written, or its nearest parent that is there."""
    place = Path(folder).absolute()
    while not place.exists():
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise ConfigError(f"config: {folder!r} cannot be written, {place} is not a writable folder")


def check_experiment(experiment: Experiment) -> None:
    """Build everything that an experiment names.  Raises ValueError with the key that is wrong."""
    source = "distribution" if experiment.kind == "simulation" else "table"
    for cell in experiment.cells:
        with located(_where(cell)):
            checked(CellKeys, cell.settings)
    if not all(source in cell.settings for cell in experiment.cells):
        raise ValueError(f"key {source!r} is missing")
    _check_sizes(experiment, source)
    for cell in experiment.cells:
        with located(_where(cell)):
            _check_target(cell, source)
            _check_learners(cell)
            _ = cell.learners
            _check_measures(experiment, cell)
            if experiment.kind == "simulation":
                _check_distribution(experiment, cell)
            else:
                _check_table(cell)
            _check_statuses(cell)
            _check_entries(cell)
    _check_figures(experiment)
    if experiment.slopes is not None:
        registry.check_name("x of slopes", experiment.slopes["x"], list(experiment.design.axes))
        _check_varies(experiment, "slopes", experiment.slopes["x"])
    _ = experiment.description


def _where(cell: Cell) -> str:
    return f"case {cell.case!r}, cell {cell.index}"


def _check_sizes(experiment: Experiment, source: str) -> None:
    """Raise ValueError unless all cells have all sizes of one design, and no others.  source: where statuses are."""
    if len({cell.statuses for cell in experiment.cells}) > 1:
        raise ValueError(f"{source}.privacy: must be given in all cells or in none")
    sizes = [[key for key in size_keys() if key in cell.settings] for cell in experiment.cells]
    for keys, cell in zip(sizes, experiment.cells, strict=True):
        if (
            keys
            and not cell.statuses
            and not any(key in plain.meanings() for key in keys for plain in _without_statuses())
        ):
            instead = f"give {alternatives(_without_statuses())} instead"
            value = cell.settings[keys[0]]
            raise ValueError(f"{_where(cell)}: {keys[0]} = {value!r}: needs {source}.privacy, {instead}")
    kinds = list({inferred(keys, cell.statuses): None for keys, cell in zip(sizes, experiment.cells, strict=True)})
    if len(kinds) > 1:
        raise ValueError(
            f"sizes: must be those of one design in all cells, not {' and '.join(kinds[0].meanings())} in "
            f"some, {' and '.join(kinds[1].meanings())} in others"
        )
    needed = kinds[0].meanings()
    for keys, cell in zip(sizes, experiment.cells, strict=True):
        for key in [key for key in keys if key not in needed]:
            others = [design for design in designs() if key in design.meanings()]
            lacking = all(design.statuses for design in others) and not cell.statuses
            why = f"needs {source}.privacy" if lacking else kinds[0].refusal
            instead = f"give {' and '.join(needed)} instead"
            raise ValueError(f"{_where(cell)}: {key} = {cell.settings[key]!r}: {why}, {instead}")
    for key in needed:
        if not all(key in keys for keys in sizes):
            raise ValueError(f"key {key!r} is missing")


def _without_statuses() -> list[type[Design]]:
    return [design for design in designs() if not design.statuses]


def _check_figures(experiment: Experiment) -> None:
    """Raise ValueError for a figure whose options are wrong, or that does not suit the experiment."""
    design = experiment.design
    for figure in experiment.figures:
        name = figure["name"]
        allowed = {"headline": False, "file": False, **registry.options(PLOTS, name)}
        for key in figure.keys() - {"name"}:
            registry.check_name(f"option of figure {name!r}", key, list(allowed))
        for key in [key for key, required in allowed.items() if required and key not in figure]:
            raise ValueError(f"figure {name!r} needs {key}")
        if "x" in figure:
            registry.check_name(f"x of figure {name!r}", figure["x"], list(design.axes))
        for key in BY_CASE & figure.keys():
            for case in checks.mapping(f"{key} of figure {name!r}", figure[key]):
                registry.check_name(f"case in {key} of figure {name!r}", case, experiment.cases)
        if not design.meanings().keys() >= set(registry.constants(PLOTS, name).get("SIZES", ())):
            raise ValueError(f"figure {name!r} does not suit {design.title}")
        _check_shows(experiment, figure)
        usual = ("table",) if name.startswith("table_") else ("simulation",)
        if experiment.kind not in registry.constants(PLOTS, name).get("KINDS", usual):
            raise ValueError(f"figure {name!r} does not suit an experiment of kind {experiment.kind!r}")
        for x in [*registry.constants(PLOTS, name).get("VARY", ()), *([figure["x"]] if "x" in figure else [])]:
            _check_varies(experiment, f"figure {name!r}", x)


def _check_shows(experiment: Experiment, figure: Mapping[str, Any]) -> None:
    """Raise ValueError for a figure that does not show the measures of the experiment, or draw its outputs."""
    name = figure["name"]
    drawn = registry.constants(PLOTS, name).get("OUTPUTS")
    for learner in (learner for cell in experiment.cells for learner in cell.learners.values()):
        if drawn is not None and learner.output_kind not in drawn:
            raise ValueError(
                f"figure {name!r} does not draw what learner {registry.name_of(learner)!r} releases: "
                f"{learner.output_kind!r} (it draws {', '.join(drawn)})"
            )
    shown = registry.constants(PLOTS, name).get("MEASURES")
    for label, measure in experiment.measures.items():
        if shown is not None and registry.name_of(measure) not in shown:
            raise ValueError(f"figure {name!r} does not suit the measure {label!r}, it shows {shown[0]!r}")
    if "measure" in figure:
        registry.check_name(f"measure of figure {name!r}", figure["measure"], list(experiment.measures))


def _check_varies(experiment: Experiment, what: str, x: str) -> None:
    """Raise ValueError unless x takes two values in some case."""
    values: dict[str, set[Any]] = {}
    for cell in experiment.cells:
        values.setdefault(cell.case, set()).add(cell.axis(x))
    if max(map(len, values.values())) < 2:
        cells = "every cell of a case" if len(values) > 1 else "every cell"
        raise ValueError(f"{what}: {x} is {values.popitem()[1].pop()} in {cells}, give it several values in 'sweep'")


def _check_target(cell: Cell, source: str) -> None:
    """Raise ValueError unless class, distribution or table, and sizes are for the same labels, or all for responses."""
    name, functions = cell.settings["class"]["name"], cell.hypothesis_class
    real, several = isinstance(functions, Regressors), isinstance(functions, Classifiers)
    if real is not cell.responses:
        target = "label" if source == "table" else "labeling"
        needed, present = ("response", target) if real else (target, "response")
        rooms_of_it = rooms.of("class", rooms.LABELS if real else rooms.RESPONSES)
        allowed = ", ".join(name for room in rooms_of_it for name in registry.names(room))
        raise ValueError(
            f"class = {name!r}: {functions.labels} need {source}.{needed}, got {source}.{present}; or take "
            f"a class for it (allowed: {allowed})"
        )
    if several and source == "distribution":
        raise ValueError(
            f"class = {name!r}: {functions.labels} are learned from tables, as simulated labels are 0 and 1: give "
            "kind: table"
        )
    if source == "table" and (label := cell.table.label) is not None:
        labels = BUNDLED[cell.table.name].classes.get(label, 2)
        if labels != cell.classes:
            raise ValueError(f"table.label = {label!r}: has {labels} labels, class = {name!r} has {cell.classes}")
    if (real or several) and not cell.design.any_target:
        suiting = alternatives([design for design in designs() if design.any_target])
        what = f"{source}.response" if real else f"class = {name!r}"
        raise ValueError(f"{what}: does not suit {cell.design.title}, give {suiting}")


def _check_learners(cell: Cell) -> None:
    """Raise ValueError for a learner of functions to other values than those of the class."""
    functions = cell.hypothesis_class
    allowed = _learners(functions)
    for specification in cell.settings["learners"]:
        known = registry.check_name("learner", specification["name"], registry.names("learners"))
        if known not in allowed:
            raise ValueError(
                f"learners: {known!r} does not learn {functions.labels}, which class = "
                f"{cell.settings['class']['name']!r} has (allowed: {', '.join(allowed)})"
            )


_RELEASED = {Regressors: Regressor.kind, Classifiers: Classifier.kind}
"""Kinds of outputs of the learners of functions to other values than 0 and 1, which learn nothing else."""


def _learners(functions: Any) -> list[str]:
    """Return the names of the learners of functions to the same values."""
    kind = next((kind for values, kind in _RELEASED.items() if isinstance(functions, values)), None)
    released = {name: registry.load("learners", name).output_kind for name in registry.names("learners")}
    return [name for name, own in released.items() if (own if own in _RELEASED.values() else None) == kind]


def _check_table(cell: Cell) -> None:
    if len(cell.table.features) != cell.hypothesis_class.dimension:
        raise ValueError(f"table: the class needs {cell.hypothesis_class.dimension} features")
    if cell.table.public is not None and not cell.design.groups:
        raise ValueError(f"table.public = {cell.table.public!r}: does not suit {cell.design.title}")
    cell.design.check_held_out(BUNDLED[cell.table.name].rows, cell.table.group)


def _check_statuses(cell: Cell) -> None:
    """Raise ValueError if the data can hold a pair of label and status that a learner does not take."""
    for learner in cell.learners.values():
        takes = status_model(learner)
        if not takes.includes(cell.status_model):
            raise ValueError(
                f"learner {registry.name_of(learner)!r}, privacy = {takes.value!r}: {takes.rule}, "
                f"but the data may hold more ({cell.status_model.value!r})"
            )


def _check_entries(cell: Cell) -> None:
    """Raise ValueError unless a learner gets as many labelled examples and unlabelled entries as it needs."""
    for learner in cell.learners.values():
        if cell.labelled is not None:
            learner.check_private(cell.labelled)
        if isinstance(learner, PartlyLabelledLearner):
            sizes = cell.design.sizes
            if "n_unlabelled" not in sizes:
                raise ValueError(
                    f"learner {registry.name_of(learner)!r} reads unlabelled private entries: give n_labelled and "
                    "n_unlabelled instead of other sizes"
                )
            learner.check_sizes(sizes["n_labelled"], sizes["n_unlabelled"], cell.hypothesis_class)


def _check_measures(experiment: Experiment, cell: Cell) -> None:
    """Raise ValueError for a measure that does not fit what a learner releases, or needs a known distribution."""
    for name, measure in experiment.measures.items():
        if experiment.kind == "table" and measure.held_out_title is None:
            raise ValueError(f"measures: {name!r} needs a known distribution, kind: simulation")
        for learner in cell.learners.values():
            if learner.output_kind not in measure.kinds:
                raise ValueError(
                    f"learner {registry.name_of(learner)!r} releases {learner.output_kind!r}, which the measure "
                    f"{name!r} does not measure (it measures {', '.join(measure.kinds)})"
                )


def _check_distribution(experiment: Experiment, cell: Cell) -> None:
    dimension = cell.distribution.dimension
    if dimension != cell.hypothesis_class.dimension:
        raise ValueError(
            f"distribution.marginal.dimension = {dimension}: the class has dimension {cell.hypothesis_class.dimension}"
        )
    cell.hypothesis_class.validated(
        cell.distribution.extreme_points(), "distribution.marginal: points that it can draw"
    )
    for measure in experiment.measures.values():
        measure.best(cell.distribution, cell.hypothesis_class)
