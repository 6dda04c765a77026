"""Experiments as values: a specification becomes cells, a cell and a trial become a random stream.

The cells of an experiment are the product of its named ``cases`` and its ``sweep``, each a change of the base settings.
"""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from typing import Any

from semipriv import checks, registry
from semipriv.classes.base import HypothesisClass
from semipriv.distributions.problem import Distribution
from semipriv.experiments.catalogue import BUNDLED
from semipriv.learners.base import Learner, Protection
from semipriv.randomness import Simulation
from semipriv.samples import StatusModel

CELL_KEYS = ["class", "distribution", "learners", "n", "n_private", "n_public", "table"]


@dataclass(frozen=True)
class Table:
    """Which columns of which table a table experiment uses, and which of its rows are private.

    privacy: the privacy model of a mixed sample; None: public and private rows are chosen at random.  status: name of a
    column of 0 and 1 (1: private); without it the status is the label, which is what 'label_determined' says.  ranges:
    a-priori ends [low, high] of each feature, mapped to 0 and 1.
    """

    name: str
    features: tuple[str, ...]
    label: str
    privacy: StatusModel | None = None
    status: str | None = None
    ranges: tuple[tuple[float, float], ...] | None = None

    @classmethod
    def from_config(cls, specification: Mapping[str, Any]) -> "Table":
        """Build from {"name", "features", "label"} and, for mixed samples, "privacy", "status", "ranges"."""
        given = {key: value for key, value in specification.items() if value is not None}
        for key in specification:
            registry.check_name("key of a table", key, [f.name for f in fields(cls)])
        for key in ("name", "features", "label"):
            if key not in given:
                raise ValueError(f"a table needs {key}")
        registry.check_name("table", given["name"], list(BUNDLED))
        bundled = BUNDLED[given["name"]]
        for column in checks.listing("features", given["features"]):
            registry.check_name("feature", column, list(bundled.features))
        registry.check_name("label", given["label"], [bundled.label])
        table = cls(str(given["name"]), tuple(map(str, given["features"])), str(given["label"]))
        if "privacy" not in given:
            for key in {"status", "ranges"} & given.keys():
                raise ValueError(f"table.{key}: only a table with 'privacy' has it")
            return table
        model = StatusModel(registry.check_name("privacy model", given["privacy"], [m.value for m in StatusModel]))
        if "status" in given:
            registry.check_name("status column", given["status"], [*bundled.features, bundled.label])
        elif model is not StatusModel.LABEL_DETERMINED:
            raise ValueError(f"table.privacy = {model.value!r}: needs 'status', a column that tells who is private")
        ranges = _ranges(given["ranges"], len(table.features)) if "ranges" in given else None
        return replace(table, privacy=model, status=given.get("status"), ranges=ranges)


def _ranges(value: Any, features: int) -> tuple[tuple[float, float], ...]:
    """Ends [low, high] of each feature, low < high."""
    if len(checks.listing("table.ranges", value)) != features:
        raise ValueError(f"table.ranges: must be {features} pairs [low, high], one for each feature, got {len(value)}")
    found = []
    for j, ends in enumerate(value):
        if len(checks.listing(f"table.ranges[{j}]", ends)) != 2:
            raise ValueError(f"table.ranges[{j}] = {ends!r}: must be [low, high]")
        low, high = (checks.real(f"table.ranges[{j}]", end) for end in ends)
        if not low < high:
            raise ValueError(f"table.ranges[{j}] = {ends!r}: low must be < high")
        found.append((low, high))
    return tuple(found)


@dataclass(frozen=True)
class Cell:
    """One point of an experiment's grid: what is learned, from which law, at which sizes, by which learners."""

    index: int
    case: str
    settings: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """What the data of this cell depend on, as canonical text: the name of its random streams."""
        data = {key: self.settings.get(key) for key in CELL_KEYS if key not in ("learners", "n")}
        mixed = {"n": self.settings["n"]} if "n" in self.settings else {}
        return canonical(plain_numbers({"case": self.case, **data, **mixed}))

    @property
    def mixed(self) -> bool:
        """Whether the data are one sample of a mixed population: the law or the table says who is private."""
        sources = (self.settings.get(key) for key in ("distribution", "table"))
        return any(isinstance(source, dict) and source.get("privacy") is not None for source in sources)

    @property
    def status_model(self) -> StatusModel:
        """Which pairs of label and status the data can hold; all of them where public and private are drawn apart."""
        if self.settings.get("table") is not None:
            return self.table.privacy or StatusModel.ANY
        law = self.distribution.privacy
        return StatusModel.ANY if law is None else law.model

    @property
    def n(self) -> int:
        """Number of examples of a mixed sample."""
        return checks.size("n", self.settings["n"])

    @property
    def n_public(self) -> int:
        """Number of public points, where it is fixed."""
        return checks.size("n_public", self.settings["n_public"])

    @property
    def n_private(self) -> int:
        """Number of private examples, where it is fixed."""
        return checks.size("n_private", self.settings["n_private"])

    @cached_property
    def hypothesis_class(self) -> HypothesisClass:
        """The class."""
        built: HypothesisClass = registry.build("classes", self.settings["class"])
        return built

    @property
    def vc_dimension(self) -> int | None:
        """VC dimension of the class; None where it is not known."""
        try:
            return self.hypothesis_class.vc_dimension
        except ValueError:
            return None

    @cached_property
    def distribution(self) -> Distribution:
        """The law of a simulated cell."""
        return Distribution.from_config(self.settings["distribution"])

    @cached_property
    def best_error(self) -> float:
        """Infimum of the population error over the class."""
        return self.distribution.best_error(self.hypothesis_class).value

    @cached_property
    def table(self) -> Table:
        """The table of a table cell."""
        return Table.from_config(self.settings["table"])

    @property
    def private_zeros(self) -> float | None:
        """P[private | label 0] of a mixed population; None where it is not one, or not known."""
        if not self.mixed:
            return None
        if self.settings.get("table") is not None:
            return None if self.status_model is StatusModel.ANY else 0.0
        return self.distribution.private_zeros()

    @property
    def sigma(self) -> float:
        """Smoothness of the private law with respect to the public one; 1 without shift."""
        shift = (self.settings.get("distribution") or {}).get("shift")
        return 1.0 if shift is None else float(shift["sigma"])

    @cached_property
    def learners(self) -> dict[str, Learner]:
        """The learners by label; a parameter given as a list stands for one learner each."""
        found: dict[str, Learner] = {}
        for specification in checks.listing("learners", self.settings["learners"]):
            for chosen in _choices(specification):
                learner: Learner = registry.build("learners", chosen)
                learner.check(self.hypothesis_class)
                if learner.protection is Protection.PRIVATE and learner.guarantee is None:
                    raise ValueError(f"learner {chosen['name']!r} claims protection but gives no guarantee")
                found[label(learner)] = learner
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
        cases = checks.mapping("cases", self.specification.get("cases") or {"all": {}})
        sweep = checks.mapping("sweep", self.specification.get("sweep") or {})
        for key, values in sweep.items():
            if not checks.listing(f"sweep.{key}", values):
                raise ValueError(f"sweep.{key}: is an empty list")
        cells: list[Cell] = []
        for case, changes in cases.items():
            for values in itertools.product(*sweep.values()):
                settings = merge(base, checks.mapping(f"cases.{case}", changes or {}))
                for key, value in zip(sweep, values, strict=True):
                    settings = merge(settings, {key: value})
                cells.append(Cell(len(cells), str(case), settings))
        return tuple(cells)

    @property
    def kind(self) -> str:
        """'simulation' or 'table'."""
        return str(self.specification.get("kind", "simulation"))

    @property
    def mixed(self) -> bool:
        """Whether its data are mixed samples, public and private examples of one population."""
        return any(cell.mixed for cell in self.cells)

    @property
    def trials(self) -> int:
        """Independent repetitions of each cell."""
        return checks.size("trials", self.specification["trials"])

    @property
    def paper(self) -> str | None:
        """Id of the paper that it is about, if it is about one."""
        found: str | None = self.specification.get("paper")
        return found

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


def _choices(specification: Any) -> Iterator[dict[str, Any]]:
    """The learners that a specification with lists stands for; an inner ``learner`` may have lists too."""
    checks.mapping("learners: each", specification)
    lists = {key: value for key, value in specification.items() if isinstance(value, list)}
    if isinstance(specification.get("learner"), dict):
        lists["learner"] = list(_choices(specification["learner"]))
    for key, choices in lists.items():
        if not choices:
            raise ValueError(f"learners: {key} of {specification.get('name')!r} is an empty list")
    for values in itertools.product(*lists.values()):
        yield {**specification, **dict(zip(lists, values, strict=True))}


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal settings have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def plugin_name(learner: Learner) -> str:
    """Name of a learner in configurations: that of its module."""
    return type(learner).__module__.rpartition(".")[2]


def variant(learner: Learner) -> str:
    """Parameters of a learner other than epsilon, defaults included, as text; of a learner inside it likewise."""

    def shown(value: Any) -> str:
        return f"{plugin_name(value)}({variant(value)})" if isinstance(value, Learner) else str(value)

    return ", ".join(f"{f.name}={shown(getattr(learner, f.name))}" for f in fields(learner) if f.name != "epsilon")


def label(learner: Learner) -> str:
    """Label of a learner: its name and all its parameters, defaults included.

    >>> from semipriv.learners.sspp import SSPP
    >>> label(SSPP(1))
    'sspp(epsilon=1.0, mechanism=exponential, representative=midpoint)'
    """
    parameters = ", ".join(f"{f.name}={getattr(learner, f.name)}" for f in fields(learner))
    return f"{plugin_name(learner)}({parameters})"


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


def plain_numbers(value: Any) -> Any:
    """Integers written as floating-point numbers become integers, so that 1e5 and 100000 name the same stream."""
    if isinstance(value, dict):
        return {key: plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
