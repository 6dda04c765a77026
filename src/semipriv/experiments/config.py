"""Configuration of a run: read, merged, checked before any work is done.

An experiment is one YAML file.  Its cells are the product of its named ``cases`` and its ``sweep``, each a change of
the base settings.  Every error names the file, the key, the value and what is allowed.
"""

import itertools
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

import yaml

from semipriv import checks, registry
from semipriv.classes.base import HypothesisClass
from semipriv.distributions.problem import Distribution
from semipriv.experiments.catalogue import BUNDLED
from semipriv.learners.base import Learner, Protection
from semipriv.randomness import Simulation

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
]
EXPERIMENT_KEYS = [
    "cases", "class", "description", "distribution", "figures", "kind", "learners", "n_private", "n_public", "slopes",
    "sweep", "table", "trials",
]  # fmt: skip
CELL_KEYS = ["class", "distribution", "learners", "n_private", "n_public", "table"]
KINDS = ["simulation", "table"]
SIZES = ["n_private", "n_public", "sigma"]
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names the file, the key, the value and what is allowed."""


@dataclass(frozen=True)
class Table:
    """Which columns of which table a table experiment uses."""

    name: str
    features: tuple[str, ...]
    label: str

    @classmethod
    def from_config(cls, specification: Mapping[str, Any]) -> "Table":
        """Build from {"name", "features", "label"}."""
        allowed = [f.name for f in fields(cls)]
        for key in specification:
            registry.check_name("key of a table", key, allowed)
        for key in allowed:
            if key not in specification:
                raise ValueError(f"a table needs {key}")
        registry.check_name("table", specification["name"], list(BUNDLED))
        bundled = BUNDLED[specification["name"]]
        for column in _a_list("features", specification["features"]):
            registry.check_name("feature", column, list(bundled.features))
        registry.check_name("label", specification["label"], [bundled.label])
        return cls(str(specification["name"]), tuple(map(str, specification["features"])), str(specification["label"]))


@dataclass(frozen=True)
class Cell:
    """One point of an experiment's grid: what is learned, from which law, at which sizes, by which learners."""

    index: int
    case: str
    settings: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """What the data of this cell depend on, as canonical text: the name of its random streams."""
        data = {key: self.settings.get(key) for key in CELL_KEYS if key != "learners"}
        return canonical(_plain_numbers({"case": self.case, **data}))

    @property
    def n_public(self) -> int:
        """Number of public points."""
        return checks.size("n_public", self.settings["n_public"])

    @property
    def n_private(self) -> int:
        """Number of private examples."""
        return checks.size("n_private", self.settings["n_private"])

    @cached_property
    def hypothesis_class(self) -> HypothesisClass:
        """The class."""
        built: HypothesisClass = registry.build("classes", self.settings["class"])
        return built

    @cached_property
    def distribution(self) -> Distribution:
        """The law of a simulated cell."""
        return Distribution.from_config(self.settings["distribution"])

    @cached_property
    def best_error(self) -> float:
        """Infimum of the population error over the class."""
        return self.distribution.best_error(self.hypothesis_class)

    @cached_property
    def table(self) -> Table:
        """The table of a table cell."""
        return Table.from_config(self.settings["table"])

    @property
    def sigma(self) -> float:
        """Smoothness of the private law with respect to the public one; 1 without shift."""
        shift = (self.settings.get("distribution") or {}).get("shift")
        return 1.0 if shift is None else float(shift["sigma"])

    @cached_property
    def learners(self) -> dict[str, Learner]:
        """The learners by label; a parameter given as a list stands for one learner each."""
        found: dict[str, Learner] = {}
        for specification in _a_list("learners", self.settings["learners"]):
            _a_mapping("learners: each", specification)
            lists = {key: value for key, value in specification.items() if isinstance(value, list)}
            for key, choices in lists.items():
                if not choices:
                    raise ValueError(f"learners: {key} of {specification['name']!r} is an empty list")
            for values in itertools.product(*lists.values()):
                chosen = {**specification, **dict(zip(lists, values, strict=True))}
                learner: Learner = registry.build("learners", chosen)
                learner.check(self.hypothesis_class)
                if learner.protection is Protection.PRIVATE and learner.guarantee is None:
                    raise ValueError(f"learner {chosen['name']!r} claims protection but gives no guarantee")
                found[label(chosen["name"], learner)] = learner
        return found


@dataclass(frozen=True)
class Experiment:
    """A checked experiment of a run."""

    name: str
    specification: dict[str, Any]
    seed: int
    blocks: int
    beta: float = 0.05
    materialise: int = 5_000

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The grid in the order of the file: cases, then the sweep, last key fastest."""
        base = {key: self.specification[key] for key in CELL_KEYS if key in self.specification}
        cases = _a_mapping("cases", self.specification.get("cases") or {"all": {}})
        sweep = _a_mapping("sweep", self.specification.get("sweep") or {})
        for key, values in sweep.items():
            if not _a_list(f"sweep.{key}", values):
                raise ValueError(f"sweep.{key}: is an empty list")
        cells: list[Cell] = []
        for case, changes in cases.items():
            for values in itertools.product(*sweep.values()):
                settings = merge(base, _a_mapping(f"cases.{case}", changes or {}))
                for key, value in zip(sweep, values, strict=True):
                    settings = merge(settings, {key: value})
                cells.append(Cell(len(cells), str(case), settings))
        return tuple(cells)

    @property
    def kind(self) -> str:
        """'simulation' or 'table'."""
        return str(self.specification.get("kind", "simulation"))

    @property
    def trials(self) -> int:
        """Independent repetitions of each cell."""
        return checks.size("trials", self.specification["trials"])

    @property
    def figures(self) -> list[dict[str, Any]]:
        """Specifications of the figures to draw."""
        return list(self.specification.get("figures", []))

    @property
    def slopes(self) -> dict[str, Any] | None:
        """Which log-log slopes to fit: {"x": column, "low": least x, "high": greatest x}."""
        return self.specification.get("slopes")

    @property
    def number_of_blocks(self) -> int:
        """Blocks of work: never more than trials."""
        return min(self.blocks, self.trials)

    def units(self, block: int) -> Iterator[tuple[Cell, int]]:
        """(cell, trial) pairs of a block: of every cell the trials that are ``block`` modulo the number of blocks."""
        for cell in self.cells:
            for trial in range(block, self.trials, self.number_of_blocks):
                yield cell, trial

    def stream(self, cell: Cell, trial: int | str) -> Simulation:
        """Random stream of one trial of one cell: independent of blocks, cores and other cells."""
        return Simulation(self.seed).spawn(self.name, cell.key, trial)

    def to_json(self, *, without: tuple[str, ...] = ()) -> str:
        """The experiment as text, the parameter of rules; the order of its keys, which orders the cells, is kept."""
        specification = {key: value for key, value in self.specification.items() if key not in without}
        data = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in without}
        return json.dumps({**data, "specification": specification}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Experiment":
        """Inverse of ``to_json``."""
        return cls(**json.loads(text))


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


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal settings have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def label(name: str, learner: Learner) -> str:
    """Label of a learner: its name and all its parameters, defaults included.

    >>> from semipriv.learners.sspp import SSPP
    >>> label("sspp", SSPP(1))
    'sspp(epsilon=1.0, mechanism=exponential, representative=midpoint)'
    """
    parameters = ", ".join(f"{f.name}={getattr(learner, f.name)}" for f in fields(learner))
    return f"{name}({parameters})"


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return base with changes, whose keys may be dotted; mappings merge, but one with a ``name`` is a new plug-in.

    >>> merge({"a": {"name": "x", "k": 1}}, {"a.k": 2})
    {'a': {'name': 'x', 'k': 2}}
    >>> merge({"a": {"name": "x", "k": 1}}, {"a": {"name": "y"}})
    {'a': {'name': 'y'}}
    """
    result = dict(base)
    for key, value in changes.items():
        head, *rest = str(key).split(".")
        nested = reduce(lambda inner, part: {part: inner}, reversed(rest), value)
        result[head] = _merged(result.get(head), nested)
    return result


def _merged(old: Any, new: Any) -> Any:
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)) or "name" in new:
        return new
    return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}


def load_experiment(path: Path) -> dict[str, Any]:
    """Read one experiment file; raises ConfigError naming the file where it is missing or not a mapping."""
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
        blocks = checks.size("blocks", config.get("blocks", 4))
        beta = checks.between("beta", config.get("beta", 0.05), 0, 1)
        materialise = checks.size("materialise", config.get("materialise", 5_000), 0)
        effort = checks.positive("effort", config.get("effort", 1.0))
        limit = None if config.get("trials") is None else checks.size("trials", config["trials"])
        results = config.get("results", "results")
        if not isinstance(results, str) or not results:
            raise ValueError(f"results = {results!r}: must be the name of a folder")
        available = sorted(path.stem for path in folder.glob("*.yaml"))
        names = _distinct("experiments", config.get("experiments") or [])
        for name in names:
            registry.check_name("experiment", name, available)
        overrides = _a_mapping("overrides", config.get("overrides") or {})
        for name, changes in overrides.items():
            registry.check_name("experiment in 'overrides'", name, available)
            _a_mapping(f"overrides.{name}", changes)
        claims = _distinct("claims", config.get("claims") or [])
    experiments = {}
    for name in names:
        path = folder / f"{name}.yaml"
        with _located(f"{path}, with overrides.{name}" if name in overrides else str(path)):
            specification = _as_numbers(merge(load_experiment(path), overrides.get(name, {})))
            if limit is not None and "trials" in specification:
                specification["trials"] = min(checks.size("trials", specification["trials"]), limit)
            experiment = Experiment(name, specification, seed, blocks, beta, materialise)
            if check:
                check_experiment(experiment)
        experiments[name] = experiment
    return Run(experiments, [str(c) for c in claims], effort, results, seed, dict(config))


def _distinct(what: str, value: Any) -> list[Any]:
    """Return value if it is a list without repetition; else raise ValueError."""
    for item in _a_list(what, value):
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
    source = "distribution" if kind == "simulation" else "table"
    for key in ("class", source, "n_public", "n_private", "trials", "learners"):
        if key not in specification and not all(key in cell.settings for cell in experiment.cells):
            raise ValueError(f"key {key!r} is missing")
    _ = experiment.trials
    for cell in experiment.cells:
        with _located(f"case {cell.case!r}, cell {cell.index}"):
            for key in cell.settings:
                registry.check_name("key", key, CELL_KEYS)
            _ = cell.n_public, cell.n_private
            if not _a_list("learners", cell.settings["learners"]):
                raise ValueError("learners: must be a list of at least one learner")
            _ = cell.learners
            if kind == "simulation":
                _check_law(cell)
            else:
                _check_table(cell)
    _check_presentation(experiment)


def _check_presentation(experiment: Experiment) -> None:
    figures = _a_list("figures", experiment.specification.get("figures") or [])
    for figure in figures:
        if not isinstance(figure, dict) or "name" not in figure:
            raise ValueError(f"figures: each needs a 'name', got {figure!r}")
        name = figure["name"]
        allowed = registry.options("figures", name)
        for key in figure.keys() - {"name"}:
            registry.check_name(f"option of figure {name!r}", key, list(allowed))
        for key in [key for key, required in allowed.items() if required and key not in figure]:
            raise ValueError(f"figure {name!r} needs {key}")
        if "x" in figure:
            registry.check_name(f"x of figure {name!r}", figure["x"], SIZES)
        if name.startswith("table_") != (experiment.kind == "table"):
            raise ValueError(f"figure {name!r} does not suit an experiment of kind {experiment.kind!r}")
    _distinct("figures", [figure["name"] for figure in figures])
    if experiment.slopes is not None:
        for key in _a_mapping("slopes", experiment.slopes):
            registry.check_name("key of slopes", key, ["high", "low", "x"])
        for key in ("x", "low", "high"):
            if key not in experiment.slopes:
                raise ValueError(f"slopes: needs {key}")
        registry.check_name("x of slopes", experiment.slopes["x"], SIZES)
        low, high = (checks.positive(key, experiment.slopes[key]) for key in ("low", "high"))
        if low >= high:
            raise ValueError(f"slopes: low = {low:g} must be < high = {high:g}")


def _check_table(cell: Cell) -> None:
    if len(cell.table.features) != cell.hypothesis_class.dimension:
        raise ValueError(f"table: the class needs {cell.hypothesis_class.dimension} features")
    rows = BUNDLED[cell.table.name].rows
    if cell.n_public + cell.n_private >= rows:
        total = cell.n_public + cell.n_private
        raise ValueError(f"n_public + n_private = {total}: must leave rows of the table's {rows} to hold out")


def _check_law(cell: Cell) -> None:
    _a_mapping("distribution", cell.settings["distribution"])
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


def _a_mapping(what: str, value: Any) -> dict[str, Any]:
    """Return value if it is a mapping; else raise ValueError."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} = {value!r}: must be a mapping of keys to values")
    return value


def _a_list(what: str, value: Any) -> list[Any]:
    """Return value if it is a list; else raise ValueError."""
    if not isinstance(value, list):
        raise ValueError(f"{what} = {value!r}: must be a list")
    return value


def _plain_numbers(value: Any) -> Any:
    """Integers written as floating-point numbers become integers, so that 1e5 and 100000 name the same stream."""
    if isinstance(value, dict):
        return {key: _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_numbers(value: Any) -> Any:
    """Numbers that YAML 1.1 reads as text because they lack a dot (1e-6, 1e5) become numbers."""
    if isinstance(value, dict):
        return {key: _as_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_numbers(item) for item in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return _plain_numbers(float(value))
    return value
