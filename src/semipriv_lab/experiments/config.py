"""Experiments as values: a specification becomes cells, a cell and a trial become a random stream.

The cells of an experiment are the product of its named ``cases`` and its ``sweep``, each a change of the base settings.
"""

import inspect
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from typing import Any

from semipriv.classes.classifiers.base import Classifiers
from semipriv.core import registry, rooms
from semipriv.core.randomness import Simulation
from semipriv.core.samples import StatusModel
from semipriv.distributions.designs._inference import design_of, size_keys, sizes_in_columns
from semipriv.distributions.designs.base import Design
from semipriv.distributions.problem import Distribution
from semipriv.distributions.regression import RegressionDistribution
from semipriv.learners.base import AnyLearner
from semipriv.settings.reading import plain_numbers
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.measures.base import AnyMeasure

DEFAULT_MEASURES = ("population_error",)
"""What is measured if an experiment does not say it."""
OWN_KEYS = ("class", "distribution", "learners", "table")
"""Keys of a cell's settings beside the sizes of its design."""
_IN_EVERY_NAME = ("class", "distribution", "n_private", "n_public", "table")
"""Keys that stand in the name of every cell, with null if they are not given: names of streams never change."""


@dataclass(frozen=True)
class Table:
    """Which columns of which table a table experiment uses, and which of its rows are private.

    label: name of the column of labels; or response: that of a column of real responses, with response_range: its ends,
    known in advance, that are mapped to -1 and 1.  privacy: the privacy model of a mixed sample; None: public and
    private rows are chosen at random.  status: name of a column of 0 and 1 (1: private); without it the status is the
    label, which is what 'label_determined' says.  ranges: ends [low, high] of each feature, known in advance, that are
    mapped to 0 and 1, or with a response into the unit ball.  public: name of a column of 0 and 1; public rows are
    drawn from those with 1, private and held-out ones from the others.
    """

    name: str
    features: tuple[str, ...]
    label: str | None = None
    privacy: StatusModel | None = None
    status: str | None = None
    ranges: tuple[tuple[float, float], ...] | None = None
    response: str | None = None
    response_range: tuple[float, float] | None = None
    public: str | None = None

    @property
    def group(self) -> int | None:
        """Number of rows that public ones are drawn from; None: from all rows."""
        return None if self.public is None else BUNDLED[self.name].groups[self.public]

    @classmethod
    def from_config(cls, specification: Mapping[str, Any]) -> "Table":
        """Build from the checked value of the key ``table``."""
        values = {key: value for key, value in specification.items() if value is not None}
        values["features"] = tuple(values["features"])
        if "privacy" in values:
            values["privacy"] = StatusModel(values["privacy"])
        if "ranges" in values:
            values["ranges"] = tuple((float(low), float(high)) for low, high in values["ranges"])
        if "response_range" in values:
            values["response_range"] = tuple(map(float, values["response_range"]))
        return cls(**values)


@dataclass(frozen=True)
class Cell:
    """One point of an experiment's grid: class, distribution, sizes and learners."""

    index: int
    case: str
    settings: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """Name of its random streams: all that its data depend on, as canonical text."""
        sizes = [key for key in size_keys() if key in self.settings]
        data = {key: self.settings.get(key) for key in (*_IN_EVERY_NAME, *sizes)}
        return canonical(plain_numbers({"case": self.case, **data}))

    @property
    def statuses(self) -> bool:
        """Whether the distribution or the table says which examples are private."""
        sources = (self.settings.get(key) for key in ("distribution", "table"))
        return any(isinstance(source, dict) and source.get("privacy") is not None for source in sources)

    @property
    def status_model(self) -> StatusModel:
        """Which pairs of label and status the data can hold; all of them if nothing says who is private."""
        if self.settings.get("table") is not None:
            return self.table.privacy or StatusModel.ANY
        distribution = self.distribution
        return (
            StatusModel.ANY
            if isinstance(distribution, RegressionDistribution) or distribution.privacy is None
            else distribution.privacy.model
        )

    @cached_property
    def design(self) -> Design:
        """The sizes of its samples, and how they are drawn and split."""
        return design_of(self.settings, self.statuses)

    @property
    def sizes(self) -> dict[str, int | None]:
        """The sizes by key, those of other designs too, which are None."""
        return sizes_in_columns(self.design)

    @property
    def labelled(self) -> int | None:
        """Number of labelled private examples; None if it is random."""
        return next((n for key in ("n_labelled", "n_private") if (n := self.sizes.get(key)) is not None), None)

    @cached_property
    def hypothesis_class(self) -> Any:
        """The hypothesis class, or the class of functions to several labels or to [-1, 1]."""
        return registry.build(rooms.of("class"), self.settings["class"])

    @property
    def classes(self) -> int:
        """Number of labels of its examples, if they have labels."""
        return self.hypothesis_class.classes if isinstance(self.hypothesis_class, Classifiers) else 2

    @property
    def responses(self) -> bool:
        """Whether its examples have real responses instead of labels."""
        source = self.settings.get("table") or self.settings.get("distribution") or {}
        return source.get("response") is not None

    @property
    def vc_dimension(self) -> int | None:
        """VC dimension of the class; None if it is not known, and for functions to [-1, 1]."""
        try:
            dimension: int | None = getattr(self.hypothesis_class, "vc_dimension", None)
        except ValueError:
            return None
        return dimension

    @property
    def bits(self) -> int | None:
        """Bits of a point of the class; None if its domain is not one of so many bits."""
        return getattr(self.hypothesis_class, "bits", None)

    @cached_property
    def distribution(self) -> Distribution | RegressionDistribution:
        """The distribution of a simulated cell."""
        if self.responses:
            return RegressionDistribution.from_config(self.settings["distribution"])
        return Distribution.from_config(self.settings["distribution"]).written_for(self.hypothesis_class)

    @cached_property
    def table(self) -> Table:
        """The table of a table cell."""
        return Table.from_config(self.settings["table"])

    @property
    def held_out(self) -> int | None:
        """Number of rows of the table that are held out; None for simulations."""
        if self.settings.get("table") is None:
            return None
        return self.design.held_out(BUNDLED[self.table.name].rows, self.table.group)

    @property
    def private_zeros(self) -> float | None:
        """P[private | label 0]; None if nothing says who is private, or if it is not known."""
        if self.settings.get("table") is not None:
            return None if self.status_model is StatusModel.ANY else 0.0
        return None if isinstance(self.distribution, RegressionDistribution) else self.distribution.private_zeros()

    @property
    def sigma(self) -> float:
        """Smoothness of the private distribution with respect to the public one; 1 without shift."""
        shift = (self.settings.get("distribution") or {}).get("shift")
        return 1.0 if shift is None else float(shift["sigma"])

    def axis(self, x: str) -> float | None:
        """Return the value of an axis of figures and slopes: a size, ``bits``, ``private_zeros`` or ``sigma``."""
        value: float | None = self.sizes[x] if x in self.sizes else getattr(self, x)
        return value

    @cached_property
    def learners(self) -> dict[str, AnyLearner]:
        """The learners by label; a parameter given as a list stands for one learner each."""
        by_label: dict[str, AnyLearner] = {}
        for specification in self.settings["learners"]:
            for chosen in expanded(specification):
                learner: AnyLearner = registry.build("learners", chosen)
                learner.check(self.hypothesis_class)
                by_label[label(learner)] = learner
        return by_label


def flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return single values by dotted key; lists are left out.

    >>> flat({"n": 3, "table": {"name": "x", "features": ["a", "b"]}})
    {'n': 3, 'table.name': 'x'}
    """
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            values |= {f"{key}.{inner}": item for inner, item in flat(value).items()}
        elif not isinstance(value, list):
            values[str(key)] = value
    return values


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
        """The grid: cases in the order of the file, and for each the sweep, whose last key varies fastest."""
        base = {key: self.specification[key] for key in (*OWN_KEYS, *size_keys()) if key in self.specification}
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
    def design(self) -> type[Design]:
        """The design of its samples, which all cells share."""
        return type(self.cells[0].design)

    @property
    def trials(self) -> int:
        """Independent repetitions of each cell."""
        return int(self.specification["trials"])

    @property
    def paper(self) -> str | None:
        """Id of its paper; None if it is about none."""
        paper: str | None = self.specification.get("paper")
        return paper

    @cached_property
    def measures(self) -> dict[str, AnyMeasure]:
        """The measures of what its learners release, by label."""
        measures = map(measure_of, self.specification.get("measures", DEFAULT_MEASURES))
        return {measure_label(measure): measure for measure in measures}

    @property
    def seconds(self) -> float:
        """About how many seconds of one core its jobs take."""
        return float(self.specification.get("seconds", 10.0))

    @property
    def cases(self) -> list[str]:
        """Names of the cases, in the order of the file."""
        return list(dict.fromkeys(cell.case for cell in self.cells))

    @property
    def description(self) -> str:
        """What the experiment is about, with the numbers of this run."""
        return str(self._filled(self.specification.get("description", ""), self.cells))

    @property
    def figures(self) -> list[dict[str, Any]]:
        """Specifications of the figures to draw, with the numbers of this run in their texts."""
        return [self._figure(figure) for figure in self.specification.get("figures", [])]

    def _figure(self, figure: dict[str, Any]) -> dict[str, Any]:
        titles = figure.get("titles")
        filled = {key: self._filled(value, self.cells, figure) for key, value in figure.items() if key != "titles"}
        if not isinstance(titles, dict):
            return {**filled, **({} if titles is None else {"titles": titles})}
        cells = {case: [cell for cell in self.cells if cell.case == case] for case in titles}
        return {**filled, "titles": {case: self._filled(text, cells[case], figure) for case, text in titles.items()}}

    def _filled(self, text: Any, cells: Sequence[Cell], figure: Mapping[str, Any] | None = None) -> Any:
        """Return a text in which ``<key>`` is replaced by the value of a key; other values as they are.

        A key is ``trials``, ``held`` (rows of a table that are held out), an option of the figure, or a key of the
        settings of the cells, dotted; all cells must agree on it.  Raise ValueError for another key.
        """
        if not isinstance(text, str):
            return text
        common = {"trials": self.trials} | flat(figure or {})

        def value(place: re.Match[str]) -> str:
            known = [{**flat(cell.settings), "held": cell.held_out, **common} for cell in cells]
            values = {row.get(place[1]) for row in known} or {None}
            if len(values) > 1 or None in values:
                why = "varies" if len(values) > 1 else "is no key with a value here"
                raise ValueError(f"{text!r}: <{place[1]}> {why}")
            number = values.pop()
            return f"{number:,}" if isinstance(number, int) else str(number)

        return re.sub(r"<([a-z][\w.]*)>", value, text)

    @property
    def slopes(self) -> dict[str, Any] | None:
        """Which log-log slopes to fit: {"x": column, "low": least x, "high": greatest x}."""
        return self.specification.get("slopes")

    @property
    def number_of_blocks(self) -> int:
        """Number of blocks of work, never more than trials."""
        return min(self.blocks, self.trials)

    def units(self, block: int) -> Iterator[tuple[Cell, int]]:
        """Yield the (cell, trial) pairs of a block: from each cell the trials equal to ``block`` modulo the blocks."""
        for cell in self.cells:
            for trial in range(block, self.trials, self.number_of_blocks):
                yield cell, trial

    def stream(self, cell: Cell, trial: int | str) -> Simulation:
        """Return the random stream of one trial of one cell; it depends on neither blocks, cores nor other cells."""
        return Simulation(self.seed).spawn(self.name, cell.key, trial)

    def to_json(self, *, without: tuple[str, ...] = ()) -> str:
        """Return the experiment as text, the parameter of rules.

        The order of keys is kept, because it is the order of the cells.
        """
        specification = {key: value for key, value in self.specification.items() if key not in without}
        data = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in without}
        return json.dumps({**data, "specification": specification}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Experiment":
        """Read what ``to_json`` returned."""
        return cls(**json.loads(text))


def expanded(specification: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the learners that a specification with lists stands for; an inner ``learner`` may have lists too."""
    lists = {key: value for key, value in specification.items() if isinstance(value, list)}
    if isinstance(specification.get("learner"), dict):
        lists["learner"] = list(expanded(specification["learner"]))
    for key, choices in lists.items():
        if not choices:
            raise ValueError(f"learners: {key} of {specification.get('name')!r} is an empty list")
    for values in itertools.product(*lists.values()):
        yield {**specification, **dict(zip(lists, values, strict=True))}


def canonical(value: Any) -> str:
    """Return JSON with sorted keys and no spaces: equal settings have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def label(learner: AnyLearner) -> str:
    """Return the label of a learner: its name and all its parameters, defaults included.

    It names the learner's random stream, and never changes.

    >>> from semipriv.papers.abm19.learners.sspp import SSPP
    >>> label(SSPP(1))
    'sspp(epsilon=1.0, mechanism=exponential, representative=midpoint)'
    """
    parameters = ", ".join(f"{name}={getattr(learner, name)}" for name in registry.fields_of(learner))
    return f"{registry.name_of(learner)}({parameters})"


def measure_of(specification: str | Mapping[str, Any]) -> AnyMeasure:
    """Return the measure of a name, which has its default parameters, or of ``{"name": ..., parameter: value}``."""
    values = {"name": specification} if isinstance(specification, str) else dict(specification)
    measure: AnyMeasure = registry.build("measures", values)
    return measure


def measure_label(measure: AnyMeasure) -> str:
    """Return the label of a measure in tables: its name, and those of its parameters that are no defaults.

    >>> measure_label(measure_of("expected_loss"))
    'expected_loss'
    >>> measure_label(measure_of({"name": "expected_loss", "loss": "absolute"}))
    'expected_loss(loss=absolute)'
    """
    defaults = {name: parameter.default for name, parameter in inspect.signature(type(measure)).parameters.items()}
    values = {name: getattr(measure, name) for name in registry.fields_of(measure)}
    other = ", ".join(f"{name}={value}" for name, value in values.items() if value != defaults[name])
    return registry.name_of(measure) + (f"({other})" if other else "")


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return base with changes, whose keys may be dotted.

    Mappings are merged, but one with a ``name`` is a new plug-in and replaces the old one.

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
