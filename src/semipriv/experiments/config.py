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
from semipriv.learners.base import Learner
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
BUNDLED = ["breast_cancer"]
"""Tables that ship with scikit-learn and that the workflow can write."""
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
        registry.check_name("table", specification["name"], BUNDLED)
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
        return canonical({"case": self.case, **data})

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
        for specification in self.settings["learners"]:
            lists = {key: value for key, value in specification.items() if isinstance(value, list)}
            for values in itertools.product(*lists.values()):
                chosen = {**specification, **dict(zip(lists, values, strict=True))}
                learner: Learner = registry.build("learners", chosen)
                learner.check(self.hypothesis_class)
                found[label(chosen["name"], learner)] = learner
        return found


@dataclass(frozen=True)
class Experiment:
    """A checked experiment of a run."""

    name: str
    specification: dict[str, Any]
    seed: int
    blocks: int
    beta: float
    materialise: int

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The grid in the order of the file: cases, then the sweep, last key fastest."""
        base = {key: self.specification[key] for key in CELL_KEYS if key in self.specification}
        cases = self.specification.get("cases") or {"all": {}}
        sweep = self.specification.get("sweep") or {}
        cells: list[Cell] = []
        for case, changes in cases.items():
            for values in itertools.product(*sweep.values()):
                settings = merge(base, changes or {})
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
        data = {f.name: getattr(self, f.name) for f in fields(self)}
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

    @property
    def name(self) -> str:
        """Name of the folder of samples: runs with different folders of results keep their samples apart."""
        return "-".join(part for part in Path(self.results).parts if part != Path(self.results).anchor)


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
    with _located("config"):
        for key in config:
            registry.check_name("key", key, RUN_KEYS)
        seed = checks.size("seed", config.get("seed", 0), 0)
        blocks = checks.size("blocks", config.get("blocks", 4))
        beta = checks.between("beta", config.get("beta", 0.05), 0, 1)
        materialise = checks.size("materialise", config.get("materialise", 5_000), 0)
        effort = checks.positive("effort", config.get("effort", 1.0))
        names = config.get("experiments") or []
        if not isinstance(names, list):
            raise ValueError(f"experiments = {names!r}: must be a list")
        available = sorted(path.stem for path in folder.glob("*.yaml"))
        for name in names:
            registry.check_name("experiment", name, available)
        overrides = config.get("overrides") or {}
        for name in overrides:
            registry.check_name("experiment in 'overrides'", name, available)
        limit = config.get("trials")
        if limit is not None:
            checks.size("trials", limit)
    experiments = {}
    for name in names:
        path = folder / f"{name}.yaml"
        with _located(str(path)):
            specification = _as_numbers(merge(load_experiment(path), overrides.get(name, {})))
            if limit is not None and "trials" in specification:
                trials = checks.size("trials", specification["trials"])
                specification["trials"] = min(trials, checks.size("trials", limit))
            experiment = Experiment(name, specification, seed, blocks, beta, materialise)
            if check:
                check_experiment(experiment)
        experiments[name] = experiment
    claims = config.get("claims") or []
    if not isinstance(claims, list):
        raise ConfigError(f"config: claims = {claims!r}: must be a list of claim ids")
    return Run(experiments, [str(c) for c in claims], effort, str(config.get("results", "results")), seed)


def check_writable(folder: str) -> None:
    """Raise ConfigError where results cannot be written: the nearest existing parent must be a writable folder."""
    place = Path(folder).absolute()
    while not place.exists():
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise ConfigError(f"config: results = {folder!r}: cannot be written, {place} is not a writable folder")


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
        with _located(f"case {cell.case!r}, cell {cell.index}", separator=": "):
            for key in cell.settings:
                registry.check_name("key", key, CELL_KEYS)
            _ = cell.n_public, cell.n_private
            if not isinstance(cell.settings["learners"], list) or not cell.settings["learners"]:
                raise ValueError("learners: must be a list of at least one learner")
            _ = cell.learners
            if kind == "simulation":
                _check_law(cell)
            elif len(cell.table.features) != cell.hypothesis_class.dimension:
                raise ValueError(f"table: the class needs {cell.hypothesis_class.dimension} features")
    _check_presentation(experiment)


def _check_presentation(experiment: Experiment) -> None:
    for figure in experiment.figures:
        if not isinstance(figure, dict) or "name" not in figure:
            raise ValueError(f"figures: each needs a 'name', got {figure!r}")
        allowed = registry.options("figures", figure["name"])
        for key in figure.keys() - {"name"}:
            registry.check_name(f"option of figure {figure['name']!r}", key, allowed)
    if experiment.slopes is not None:
        for key in ("x", "low", "high"):
            if key not in experiment.slopes:
                raise ValueError(f"slopes: needs {key}")
        registry.check_name("x of slopes", experiment.slopes["x"], SIZES)
        checks.positive("low", experiment.slopes["low"])
        checks.positive("high", experiment.slopes["high"])


def _check_law(cell: Cell) -> None:
    dimension = cell.distribution.marginal.dimension
    if dimension != cell.hypothesis_class.dimension:
        raise ValueError(
            f"distribution.marginal.dimension = {dimension}: the class has dimension {cell.hypothesis_class.dimension}"
        )
    cell.distribution.best_error(cell.hypothesis_class)


class _located:  # noqa: N801  (a context manager, used like a function)
    """Prefix the message of a ValueError with where it happened."""

    def __init__(self, place: str, separator: str = ": ") -> None:
        self.prefix = place + separator

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
        return float(value)
    return value
