"""What the value of a key may be: types of pydantic that check by the functions of ``core.checks`` and the registry.

Of a number the field tells the JSON schema its limits, and the check tells the reader, in its words.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from semipriv.core import checks, registry, rooms
from semipriv.settings.checking import HERE, built, plugin
from semipriv_lab.experiments.config import measure_label, measure_of
from semipriv_lab.experiments.papers import titles


def _number(check: Callable[[str, Any], Any]) -> BeforeValidator:
    """Validate a number by a function of its name and value; text is refused."""

    def validate(value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError(f"{HERE} = {value!r}: is text, must be a number")
        return check(HERE, value)

    return BeforeValidator(validate)


Count = Annotated[int, Field(ge=1), _number(checks.size)]
Natural = Annotated[int, Field(ge=0), _number(partial(checks.size, minimum=0))]
Positive = Annotated[float, Field(gt=0), _number(checks.positive)]
Factor = Annotated[float, Field(gt=0, le=1000), _number(partial(checks.between, low=0, high=1000, closed="h"))]
Probability = Annotated[float, Field(gt=0, lt=1), _number(partial(checks.between, low=0, high=1))]
Number = Annotated[float, _number(checks.real)]


def known(what: str, options: list[str]) -> BeforeValidator:
    """Validate one of the given names; the message lists the nearest and all."""
    return BeforeValidator(lambda value: registry.check_name(what, value, options))


def enum(options: list[str]) -> Any:
    """Say the given names in the JSON schema."""
    return Field(json_schema_extra={"enum": list(options)})


def _distinct(value: list[Any]) -> list[Any]:
    for item in value:
        if value.count(item) > 1:
            raise ValueError(f"{HERE}: {item!r} is given twice")
    return value


Names = Annotated[list[str], AfterValidator(_distinct), Field(json_schema_extra={"uniqueItems": True})]


_PLUGIN = WithJsonSchema({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
Class = Annotated[dict[str, Any], plugin(rooms.of("class")), _PLUGIN]
Marginal = Annotated[dict[str, Any], plugin("distributions/marginals"), _PLUGIN]
Labeling = Annotated[dict[str, Any], plugin("distributions/labelings"), _PLUGIN]
Response = Annotated[dict[str, Any], plugin("distributions/responses"), _PLUGIN]
Shift = Annotated[dict[str, Any], plugin("distributions/shifts"), _PLUGIN]
Statuses = Annotated[dict[str, Any], plugin("distributions/statuses"), _PLUGIN]
Learner = Annotated[dict[str, Any], plugin("learners"), _PLUGIN]


def _measure(value: Any) -> Any:
    """Check the name of a measure, or a mapping of its name and parameters, by building it."""
    if isinstance(value, dict):
        return built(measure_of, value)
    return registry.check_name("measure", value, registry.names("measures"))


def _distinct_measures(value: list[Any]) -> list[Any]:
    _distinct([measure_label(measure_of(measure)) for measure in value])
    return value


MEASURES = registry.names("measures")
_MEASURE = {
    "anyOf": [
        {"type": "string", "enum": MEASURES},
        {"type": "object", "properties": {"name": {"enum": MEASURES}}, "required": ["name"]},
    ]
}
Measures = Annotated[
    list[Annotated[Any, BeforeValidator(_measure), WithJsonSchema(_MEASURE)]],
    AfterValidator(_distinct_measures),
    Field(min_length=1, json_schema_extra={"uniqueItems": True}),
]


def _figure(value: Any) -> Any:
    if not isinstance(value, dict) or "name" not in value:
        raise ValueError(f"figures: each needs a 'name', got {value!r}")
    return value


def file_of(figure: Mapping[str, Any]) -> str:
    """Return what the file of a figure is called behind the experiment: ``file``, or the name of the figure."""
    return str(figure.get("file", figure["name"]))


def _distinct_figures(value: list[Any]) -> list[Any]:
    for figure in value:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", file_of(figure)):
            raise ValueError(f"figures: file must be a word of a-z, 0-9 and _, got {figure['file']!r}")
    _distinct([file_of(figure) for figure in value])
    return value


Figure = Annotated[dict[str, Any], BeforeValidator(_figure), _PLUGIN]
Figures = Annotated[list[Figure], AfterValidator(_distinct_figures)]
Learners = Annotated[list[Learner], Field(min_length=1)]
Paper = Annotated[
    str,
    BeforeValidator(lambda value: registry.check_name("paper", value, list(titles()))),
    Field(json_schema_extra=lambda schema: schema.update(enum=list(titles()))),
]
"""Id of a paper, the names being those of the moment: plug-in folders may have papers of their own."""


def _folder(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{HERE} = {value!r}: must be the name of a folder")
    return value


Folder = Annotated[str, Field(min_length=1), BeforeValidator(_folder)]


def _pair(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{HERE} = {value!r}: must be [low, high]")
    low, high = (checks.real(HERE, end) for end in value)
    if not low < high:
        raise ValueError(f"{HERE} = {value!r}: low must be < high")
    return value


Pair = Annotated[list[Number], BeforeValidator(_pair), Field(min_length=2, max_length=2)]
