"""Mappings of known keys, checked by pydantic, with what is wrong said in the words of this package.

Jobs read configurations that are checked already, so this module, and pydantic with it, is imported by what checks
settings only.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from semipriv.core import registry
from semipriv.settings.faults import FaultsError

HERE = "<key>"
"""Stands for the key in messages of validators, which do not know where they are."""


class Keys(BaseModel):
    """A mapping of known keys.  what: how messages call one of them; needs: what they say of one that is missing."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    what: ClassVar[str] = "key"
    needs: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def between(cls, given: Mapping[str, Any]) -> Iterator[str]:
        """Yield what is wrong between keys that are given, each by itself right or not; none if nothing is said."""
        yield from ()


Model = TypeVar("Model", bound=Keys)


def checked(model: type[Model], settings: Mapping[Any, Any]) -> Model:
    """Return the settings as a value of the model.

    Raises ValueError naming each wrong key with its value and what is allowed; unknown keys come first.
    """
    if wrong := [message for _, message in faults(model, settings)]:
        raise FaultsError(wrong)
    return model.model_validate(dict(settings))


def check_part(model: type[Keys], settings: Mapping[Any, Any]) -> None:
    """Raise ValueError as ``checked`` does for the wrong keys that are given; keys may be missing."""
    if wrong := [_message(model, entry) for entry in _errors(model, settings) if entry["type"] != "missing"]:
        raise FaultsError(wrong)


def faults(model: type[Keys], settings: Mapping[Any, Any]) -> list[tuple[str, str]]:
    """Return each key that is wrong, with what is wrong; nothing for the key where several are at odds."""
    wrong = []
    for entry in _errors(model, settings):
        inner = entry.get("ctx", {}).get("error")
        if isinstance(inner, FaultsError):  # of a mapping whose keys were looked at one by one
            wrong += [(message.partition(":")[0], message) for message in inner.faults]
        else:
            wrong.append((_path(entry["loc"]), _message(model, entry)))
    return wrong + [("", message) for message in model.between({str(key): value for key, value in settings.items()})]


def _errors(model: type[Keys], settings: Mapping[Any, Any]) -> list[Any]:
    """Return what pydantic finds, unknown keys first."""
    try:
        model.model_validate(dict(settings))
    except ValidationError as error:
        return sorted(error.errors(include_url=False), key=lambda entry: _ORDER.get(entry["type"], 1))
    return []


_ORDER = {"extra_forbidden": 0, "invalid_key": 0, "missing": 2}
"""Unknown keys first, which may be a missing one misspelt; missing ones last, which a wrong value may explain."""


def _message(model: type[Keys], error: Any) -> str:
    """Say in the words of this package what pydantic found."""
    place = error["loc"]
    path = _path(place)
    match error["type"]:
        case "extra_forbidden" | "invalid_key":
            inner = _model_at(model, place[:-1])
            try:
                registry.check_name(inner.what, place[-1], sorted(_keys(inner)))
            except ValueError as unknown:
                return str(unknown)
        case "missing":
            inside, hint = _path(place[:-1]), _model_at(model, place[:-1]).needs.get(str(place[-1]), "")
            return f"{inside}: needs {place[-1]}{hint}" if inside else f"key {place[-1]!r} is missing{hint}"
        case "value_error":
            return str(error["ctx"]["error"]).replace(HERE, path)
        case "too_short":
            return f"{path}: is an empty list, must have at least one entry"
    needed = {"dict_type": "a mapping of keys to values", "list_type": "a list", "string_type": "text"}
    needed |= {"model_type": needed["dict_type"], "literal_error": str(error.get("ctx", {}).get("expected"))}
    needed |= dict.fromkeys(("bool_type", "bool_parsing"), "true or false")
    return f"{path} = {error['input']!r}: must be {needed.get(error['type'], error['msg'])}"


def _path(place: tuple[Any, ...]) -> str:
    """Write a place as dotted keys and positions in lists: ``table.ranges[1]``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


def _keys(model: type[Keys]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_at(model: type[Keys], place: tuple[Any, ...]) -> type[Keys]:
    """Return the model of the mapping at a place."""
    kind: Any = model
    for part in place:
        if get_origin(kind) in (dict, list):
            kind = get_args(kind)[-1]
        else:
            fields = kind.model_fields.items()
            kind = next(field.annotation for name, field in fields if part in (name, field.alias))
        if type(None) in get_args(kind):
            kind = get_args(kind)[0]
    at: type[Keys] = kind
    return at


def built(build: Callable[[Any], Any], value: Any) -> Any:
    """Return a value that can be built."""
    try:
        build(value)
    except ValueError as error:
        raise ValueError(f"{HERE}: {error}") from None
    return value


def plugin(room: str | tuple[str, ...]) -> BeforeValidator:
    """Validate that a value is a mapping with a name; its parameters are checked when it is built."""

    def validate(value: Any) -> Any:
        named = isinstance(value, dict) and isinstance(value.get("name"), str)
        return value if named else built(partial(registry.build, room), value)

    return BeforeValidator(validate)
