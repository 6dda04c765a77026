"""Every key of a configuration, declared once: its type, its limits, its default and its meaning.

The checks, the JSON schemas and the tables of ``config/README.md`` follow from these models.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, create_model, model_validator

from semipriv.core import registry
from semipriv.core.samples import StatusModel
from semipriv.distributions.designs._inference import designs, size_keys
from semipriv.settings.checking import HERE, Keys
from semipriv_lab.experiments.catalogue import BUNDLED, Bundled
from semipriv_lab.experiments.config import DEFAULT_MEASURES
from semipriv_lab.experiments.values import (
    Class,
    Count,
    Factor,
    Figures,
    Folder,
    Labeling,
    Learners,
    Marginal,
    Measures,
    Names,
    Natural,
    Pair,
    Paper,
    Positive,
    Probability,
    Response,
    Shift,
    Statuses,
    enum,
    known,
)

KINDS = ["simulation", "table"]
MODELS = [model.value for model in StatusModel]
AXES = sorted({axis for design in designs() for axis in design.axes})
_ABSENT: Any = None
"""Default of a key that may be left out, but must not be null."""


class RunKeys(Keys):
    """Configuration of a run."""

    seed: Natural = Field(description="all random streams derive from it")
    results: Folder = Field(description="folder of everything computed")
    experiments: Names = Field(description="names of files in `experiments/`, without `.yaml`")
    claims: Names = Field(
        description="ids of claims to measure, or of papers for all of theirs; each study measures all its claims; the "
        "ledger lists the others as not part of the run or not implemented"
    )
    blocks: Count = Field(
        _ABSENT,
        description="blocks of work of every experiment, instead of its own `blocks`; results do not depend on it",
    )
    beta: Probability = Field(0.05, description="failure probability of bounds, quantile 1 - beta of figures")
    materialise: Natural = Field(
        5000, description="private samples of more examples are stored as a recipe (their random stream), not as rows"
    )
    effort: Factor = Field(1.0, description="factor on the Monte-Carlo trials of claims; 1 for the ledger")
    trials_factor: Factor = Field(
        1.0,
        description="factor on the trials of every experiment; the first trials of a cell stay what they were",
    )
    trials: Count = Field(_ABSENT, description="upper limit on the trials of every experiment, after the factor")
    overrides: dict[str, dict[Any, Any]] = Field({}, description="by experiment: keys to replace")
    plugins: Names = Field(
        [],
        description="plug-in folders: learners, classes, distributions and experiments from outside the repository: "
        "[docs/adding.md](../docs/adding.md); relative to the working folder",
    )


class DistributionKeys(Keys):
    """Distribution of a simulation."""

    what: ClassVar[str] = "key of a distribution"

    marginal: Marginal = Field(description="distribution of public points")
    labeling: Labeling | None = Field(
        None, description="distribution of the label of a point, for a hypothesis class; give it or `response`"
    )
    response: Response | None = Field(
        None, description="distribution of the response in [-1, 1] to a point, for a class of functions to [-1, 1]"
    )
    shift: Shift | None = Field(None, description="how the private population differs, if it does")
    privacy: Statuses | None = Field(None, description="who is private, if public and private examples are one sample")

    @model_validator(mode="after")
    def _one_distribution(self) -> Self:
        """Check that there are labels or responses, and statuses beside labels only."""
        if (self.labeling is None) == (self.response is None):
            raise ValueError(f"{HERE}: needs labeling or response, and not both")
        if self.response is not None and self.privacy is not None:
            raise ValueError(f"{HERE}.privacy: needs labeling, got response")
        return self


class TableKeys(Keys):
    """Columns of a real table."""

    what: ClassVar[str] = "key of a table"

    name: Annotated[str, known("table", list(BUNDLED)), enum(list(BUNDLED))] = Field(
        description="name of a bundled table"
    )
    features: Annotated[Names, Field(min_length=1)] = Field(
        description="names of columns, as many as the class has dimensions"
    )
    label: str | None = Field(
        None,
        description="name of the column of labels: 0 and 1, or 0, ..., K - 1 for a class of K labels; give it or "
        "`response`",
    )
    response: str | None = Field(
        None, description="name of the column of real responses, for a class of functions to [-1, 1]"
    )
    response_range: Pair | None = Field(
        None, description="with a response: its ends [low, high], known in advance, that are mapped to -1 and 1"
    )
    privacy: Annotated[str, known("privacy model", MODELS), enum(MODELS)] | None = Field(
        None,
        description="for mixed samples: the privacy model of the rows (`private_ones`: private rows have label 1)",
    )
    status: str | None = Field(
        None,
        description="for mixed samples: name of a column of 0 and 1 (1: private); without it the status is the label, "
        "which needs `label_determined`",
    )
    ranges: list[Pair] | None = Field(
        None,
        description="ends [low, high] of each feature, known in advance, that are mapped to 0 and 1; without it the "
        "features of mixed samples stay as they are (a mixed table is never scaled by its rows: a private one could "
        "move the scale), others are scaled by mean and standard deviation of the public rows.  With a response they "
        "are needed, and the box of d ranges goes into the unit ball, each to [-1/sqrt(d), 1/sqrt(d)]",
    )
    public: str | None = Field(
        None,
        description="for public rows of another population: name of a column of 0 and 1; public rows are drawn from "
        "those with 1, private and held-out ones from the others",
    )

    @model_validator(mode="after")
    def _columns(self) -> Self:
        """Check the columns against the table, and what is for mixed samples only."""
        bundled = BUNDLED[self.name]
        for column in self.features:
            registry.check_name("feature", column, list(bundled.features))
        self._check_target(bundled)
        if self.privacy is None:
            if self.status is not None:
                raise ValueError(f"{HERE}.status: only a table with 'privacy' has it")
        elif self.status is not None:
            registry.check_name("status column", self.status, [*bundled.features, *bundled.labels])
        elif self.privacy != StatusModel.LABEL_DETERMINED:
            raise ValueError(f"{HERE}.privacy = {self.privacy!r}: needs 'status', a column that tells who is private")
        if self.public is not None:
            registry.check_name("column of a group", self.public, list(bundled.groups))
        if self.ranges is not None and len(self.ranges) != len(self.features):
            raise ValueError(
                f"{HERE}.ranges: must be {len(self.features)} pairs [low, high], one for each feature, "
                f"got {len(self.ranges)}"
            )
        return self

    def _check_target(self, bundled: Bundled) -> None:
        """Check the column of labels or responses, and what goes with it."""
        if (self.label is None) == (self.response is None):
            raise ValueError(f"{HERE}: needs label or response, and not both")
        if self.label is not None:
            registry.check_name("label", self.label, [*bundled.labels, *bundled.classes])
            if self.response_range is not None:
                raise ValueError(f"{HERE}.response_range: needs response, got label")
            return
        registry.check_name("response", self.response, list(bundled.responses))
        if self.response in self.features:
            raise ValueError(f"{HERE}.response = {self.response!r}: is one of the features, must be none")
        if self.privacy is not None:
            raise ValueError(f"{HERE}.privacy: needs label, got response")
        for key in ("ranges", "response_range"):
            if getattr(self, key) is None:
                raise ValueError(f"{HERE}: needs {key} with a response, its ends must be known in advance")


class SlopesKeys(Keys):
    """Log-log slopes to fit.  A curve that both rises and falls, at 95 % confidence, gets none."""

    what: ClassVar[str] = "key of slopes"

    x: Annotated[str, enum(AXES)] = Field(
        description="what varies, a size or parameter that the design of the samples has; nothing else may vary"
    )
    low: Positive = Field(description="least x")
    high: Positive = Field(description="greatest x")

    @model_validator(mode="after")
    def _increasing(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"{HERE}: low = {self.low:g} must be < high = {self.high:g}")
        return self


class _CellKeys(Keys):
    """What is learned, from which distribution or table, by which learners."""

    hypothesis_class: Class = Field(
        _ABSENT,
        alias="class",
        description="hypothesis class, or class of functions to several labels or to [-1, 1], see below",
    )
    distribution: DistributionKeys = Field(_ABSENT, description="for simulations: the distribution, see below")
    table: TableKeys = Field(_ABSENT, description="for tables: which columns of which table, see below")
    learners: Learners = Field(
        _ABSENT,
        description="each a mapping; a parameter given as a list stands for one learner each: "
        "`{name: sspp, epsilon: [0.1, 1]}`",
    )


def _meaning(name: str) -> str | None:
    """Return the meaning of a key of cells, for a file, which must have it."""
    return _CellKeys.model_fields[name].description


class _FileKeys(_CellKeys):
    """What an experiment says beside its cells."""

    hypothesis_class: Class = Field(alias="class", description=_meaning("hypothesis_class"))
    learners: Learners = Field(description=_meaning("learners"))
    trials: Count = Field(description="independent repetitions of every cell")
    description: str = Field("", description="free text")
    kind: Annotated[Literal["simulation", "table"], known("kind", KINDS)] = Field(
        "simulation", description="data from a known distribution, or a real table, split again and again"
    )
    paper: Paper = Field(_ABSENT, description="id of the paper that it is about: where the report files its figures")
    blocks: Count = Field(
        1, description="blocks of work into which it is cut: more than one if it takes minutes; never more than trials"
    )
    seconds: Positive = Field(
        10.0,
        description="about how many seconds of one core all its jobs take, until a run has timed them: longer ones "
        "start first, and the time left follows from it; results do not depend on it",
    )
    cases: dict[str, dict[Any, Any]] = Field(
        _ABSENT,
        description="named changes of the keys of cells, one panel each; keys may be dotted (`distribution.labeling`)",
    )
    sweep: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        _ABSENT, description="dotted key -> list of values; cells are cases x sweep"
    )
    measures: Measures = Field(
        list(DEFAULT_MEASURES),
        description="the measures of what the learners release, each a name, or a mapping of a `name` and parameters, "
        "see below; tables and figures call it by its name, with the parameters that are no defaults: "
        "`expected_loss(loss=absolute)`",
    )
    slopes: SlopesKeys = Field(_ABSENT, description="log-log slopes to fit, see below")
    figures: Figures = Field([], description="each a `name` and its options, see below")


def _sizes() -> dict[str, Any]:
    """Return the fields of the size keys, with the meanings that the designs give them."""
    meanings = {key: meaning for design in designs() for key, meaning in design.meanings().items()}
    minima = {key: minimum for design in designs() for key, minimum in design.minima().items()}
    kinds = {0: Natural, 1: Count}
    return {key: (kinds[minima[key]], Field(_ABSENT, description=meanings[key])) for key in size_keys()}


CellKeys: type[Keys] = create_model("CellKeys", __base__=_CellKeys, **_sizes())
"""Keys of one cell, which are those that cases and the sweep may change."""
ExperimentKeys: type[Keys] = create_model("ExperimentKeys", __base__=_FileKeys, **_sizes())
"""Keys of an experiment."""
ExperimentKeys.__doc__ = "One experiment."
