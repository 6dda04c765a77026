"""Configuration of a run: read, merged, checked before any work is done.

Every error names the file, the key, the value and what is allowed.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from semipriv import checks, registry
from semipriv.experiments.catalogue import BUNDLED
from semipriv.experiments.config import CELL_KEYS, Cell, Experiment, merge, plain_numbers
from semipriv.learners.base import status_model
from semipriv.papers import PAPERS

RUN_KEYS = [
    "beta",
    "blocks",
    "claims",
    "effort",
    "experiments",
    "materialise",
    "overrides",
    "results",
    "seed",
    "trials",
    "trials_factor",
]
EXPERIMENT_KEYS = [
    "blocks", "cases", "class", "description", "distribution", "figures", "kind", "learners", "n", "n_private",
    "n_public", "paper", "slopes", "sweep", "table", "trials",
]  # fmt: skip
KINDS = ["simulation", "table"]
SIZES = {False: ["n_private", "n_public", "sigma"], True: ["n", "private_zeros"]}
"""What a figure may have on its x axis: where public and private sizes are fixed, and for mixed samples."""
SEPARATE = ["growth", "heat_map"]
"""Figures of public and private sizes."""
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names the file, the key, the value and what is allowed."""


@dataclass(frozen=True)
class Run:
    """A checked configuration: its experiments by name, the claims to measure and the effort spent on each."""

    experiments: dict[str, Experiment]
    claims: list[str]
    effort: float
    results: str
    seed: int
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the folder of samples: runs with different folders of results keep their samples apart."""
        return "__".join(part for part in Path(self.results).parts if part != Path(self.results).anchor) or "here"

    @property
    def samples(self) -> str:
        """Folder of the samples of simulations."""
        return f"data/synthetic/{self.name}"

    @property
    def splits(self) -> str:
        """Folder of the parts of real tables."""
        return f"data/split/{self.name}"


def read_settings(path: Path) -> dict[str, Any]:
    """Read one YAML file; raises ConfigError naming it where it is missing or not a mapping."""
    try:
        found = yaml.safe_load(path.read_text())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: is not valid YAML ({error})") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: must be a mapping of keys to values")
    return found


def load_run(config: Mapping[str, Any], folder: Path, *, check: bool = True) -> Run:
    """Check the configuration of a run and read its experiments from ``folder``.

    check: build every class, law and learner of every cell, so that all errors come before any work; jobs that only
    re-read a checked configuration leave it out.
    """
    config = dict(_as_numbers(dict(config)))
    with _located("config"):
        for key in config:
            registry.check_name("key", key, RUN_KEYS)
        seed = checks.size("seed", config.get("seed", 0), 0)
        blocks = checks.size("blocks", config.get("blocks", 2))
        beta = checks.between("beta", config.get("beta", 0.05), 0, 1)
        materialise = checks.size("materialise", config.get("materialise", 5_000), 0)
        effort = checks.positive("effort", config.get("effort", 1.0))
        limit = None if config.get("trials") is None else checks.size("trials", config["trials"])
        factor = checks.positive("trials_factor", config.get("trials_factor", 1.0))
        results = config.get("results", "results")
        if not isinstance(results, str) or not results:
            raise ValueError(f"results = {results!r}: must be the name of a folder")
        available = sorted(path.stem for path in folder.glob("*.yaml"))
        names = _distinct("experiments", config.get("experiments") or [])
        for name in names:
            registry.check_name("experiment", name, available)
        overrides = checks.mapping("overrides", config.get("overrides") or {})
        for name, changes in overrides.items():
            registry.check_name("experiment in 'overrides'", name, available)
            checks.mapping(f"overrides.{name}", changes)
        claims = _distinct("claims", config.get("claims") or [])
    experiments = {}
    for name in names:
        path = folder / f"{name}.yaml"
        with _located(f"{path}, with overrides.{name}" if name in overrides else str(path)):
            specification = _as_numbers(merge(read_settings(path), overrides.get(name, {})))
            if "trials" in specification:
                specification["trials"] = _scaled(checks.size("trials", specification["trials"]), factor, limit)
            own = min(blocks, checks.size("blocks", specification.get("blocks", blocks)))
            experiment = Experiment(name, specification, seed, own, beta, materialise)
            if check:
                check_experiment(experiment)
        experiments[name] = experiment
    return Run(experiments, [str(c) for c in claims], effort, results, seed, dict(config))


def _scaled(trials: int, factor: float, limit: int | None) -> int:
    """Trials times a factor, rounded, at least 1 and at most the limit.

    >>> _scaled(200, 10.0, None), _scaled(200, 10.0, 500), _scaled(200, 0.001, None)
    (2000, 500, 1)
    """
    scaled = max(1, round(trials * factor))
    return scaled if limit is None else min(scaled, limit)


def _distinct(what: str, value: Any) -> list[Any]:
    """Return value if it is a list without repetition; else raise ValueError."""
    for item in checks.listing(what, value):
        if value.count(item) > 1:
            raise ValueError(f"{what}: {item!r} stands there twice")
    return list(value)


def check_writable(folder: str) -> None:
    """Raise ConfigError unless the nearest existing parent of a folder is a folder that can be written."""
    place = Path(folder).absolute()
    while not place.exists():
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise ConfigError(f"config: {folder!r} cannot be written, {place} is not a writable folder")


def check_experiment(experiment: Experiment) -> None:
    """Build everything an experiment names; raises ValueError with the key that is wrong."""
    specification = experiment.specification
    for key in specification:
        registry.check_name("key", key, EXPERIMENT_KEYS)
    kind = registry.check_name("kind", experiment.kind, KINDS)
    if experiment.paper is not None:
        registry.check_name("paper", experiment.paper, list(PAPERS))
    source = "distribution" if kind == "simulation" else "table"
    if len({cell.mixed for cell in experiment.cells}) > 1:
        raise ValueError(f"{source}.privacy: must be given in all cells or in none")
    mixed = experiment.mixed
    own, others = (("n",), ("n_public", "n_private")) if mixed else (("n_public", "n_private"), ("n",))
    for key in ("class", source, *own, "trials", "learners"):
        if key not in specification and not all(key in cell.settings for cell in experiment.cells):
            raise ValueError(f"key {key!r} is missing")
    _ = experiment.trials
    for cell in experiment.cells:
        with _located(f"case {cell.case!r}, cell {cell.index}"):
            for key in cell.settings:
                registry.check_name("key", key, CELL_KEYS)
            for key in others:
                if key in cell.settings:
                    why = "the sizes of a mixed sample's parts are random" if mixed else f"needs {source}.privacy"
                    raise ValueError(f"{key} = {cell.settings[key]!r}: {why}, give {' and '.join(own)} instead")
            _ = [getattr(cell, key) for key in own]
            if not checks.listing("learners", cell.settings["learners"]):
                raise ValueError("learners: must be a list of at least one learner")
            _ = cell.learners
            if kind == "simulation":
                _check_law(cell)
            else:
                _check_table(cell)
            _check_statuses(cell)
    _check_presentation(experiment)


def _check_presentation(experiment: Experiment) -> None:
    figures = checks.listing("figures", experiment.specification.get("figures") or [])
    for figure in figures:
        if not isinstance(figure, dict) or "name" not in figure:
            raise ValueError(f"figures: each needs a 'name', got {figure!r}")
        name = figure["name"]
        allowed = registry.options("figures/plots", name)
        for key in figure.keys() - {"name"}:
            registry.check_name(f"option of figure {name!r}", key, list(allowed))
        for key in [key for key, required in allowed.items() if required and key not in figure]:
            raise ValueError(f"figure {name!r} needs {key}")
        if "x" in figure:
            registry.check_name(f"x of figure {name!r}", figure["x"], SIZES[experiment.mixed])
        if experiment.mixed and name in SEPARATE:
            raise ValueError(f"figure {name!r} does not suit mixed samples, whose public and private sizes are random")
        if name.startswith("table_") != (experiment.kind == "table"):
            raise ValueError(f"figure {name!r} does not suit an experiment of kind {experiment.kind!r}")
    _distinct("figures", [figure["name"] for figure in figures])
    if experiment.slopes is not None:
        for key in checks.mapping("slopes", experiment.slopes):
            registry.check_name("key of slopes", key, ["high", "low", "x"])
        for key in ("x", "low", "high"):
            if key not in experiment.slopes:
                raise ValueError(f"slopes: needs {key}")
        registry.check_name("x of slopes", experiment.slopes["x"], SIZES[experiment.mixed])
        low, high = (checks.positive(key, experiment.slopes[key]) for key in ("low", "high"))
        if low >= high:
            raise ValueError(f"slopes: low = {low:g} must be < high = {high:g}")


def _check_table(cell: Cell) -> None:
    if len(cell.table.features) != cell.hypothesis_class.dimension:
        raise ValueError(f"table: the class needs {cell.hypothesis_class.dimension} features")
    rows = BUNDLED[cell.table.name].rows
    if cell.mixed:
        if cell.n >= rows:
            raise ValueError(f"n = {cell.n}: must leave rows of the table's {rows} to hold out")
    elif cell.n_public + cell.n_private >= rows:
        total = cell.n_public + cell.n_private
        raise ValueError(f"n_public + n_private = {total}: must leave rows of the table's {rows} to hold out")


def _check_statuses(cell: Cell) -> None:
    """Raise ValueError for a learner that does not take all pairs of label and status that the data can hold."""
    for learner in cell.learners.values():
        takes = status_model(learner)
        if not takes.includes(cell.status_model):
            raise ValueError(
                f"learner {registry.name_of(learner)!r}, privacy = {takes.value!r}: {takes.rule}, "
                f"but the data may hold more ({cell.status_model.value!r})"
            )


def _check_law(cell: Cell) -> None:
    checks.mapping("distribution", cell.settings["distribution"])
    dimension = cell.distribution.marginal.dimension
    if dimension != cell.hypothesis_class.dimension:
        raise ValueError(
            f"distribution.marginal.dimension = {dimension}: the class has dimension {cell.hypothesis_class.dimension}"
        )
    _ = cell.best_error


class _located:  # noqa: N801  (a context manager, used like a function)
    """Prefix the message of a ValueError with where it happened."""

    def __init__(self, place: str) -> None:
        self.prefix = f"{place}: "

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (ValueError, TypeError)):
            raise ConfigError(self.prefix + str(error)) from error


def _as_numbers(value: Any) -> Any:
    """Numbers that YAML 1.1 reads as text because they lack a dot (1e-6, 1e5) become numbers."""
    if isinstance(value, dict):
        return {key: _as_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_numbers(item) for item in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return plain_numbers(float(value))
    return value
