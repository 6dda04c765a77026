"""Published files, read strictly: regular files of their folder, and JSON that says each thing once.

A file may come from anybody: a message repeats only a key or a place of it, shortened and in ASCII.
"""

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any, NoReturn

import attrs

from semipriv.core.errors import PublicError

_SHOWN, _DIGITS = 60, 4_000
_LARGE = re.compile(rb"(?<![0-9])[0-9]{100}|[0-9][eE][+]?[0-9]{3}")
"""What is found in each text with a number that is refused: others are at most 10^100 times 10^99."""
LARGEST = 2**31
"""Bytes that a published file may have."""


class FileError(PublicError):
    """A file that does not have the expected form; the message names it and repeats nothing of its content."""


def contents(path: Path, *, links: bool = False) -> bytes:
    """Return the bytes of a file; raise FileError if there is none, or a link out of its folder, unless ``links``."""
    try:
        if not links and not path.resolve(strict=True).is_relative_to(path.parent.resolve()):
            raise FileError(f"{path}: is a link out of its folder")
        if not path.is_file():
            raise FileError(f"{path}: is not a file")
        if path.stat().st_size > LARGEST:
            raise FileError(f"{path}: has more than {LARGEST // 2**30} GiB")
        return path.read_bytes()
    except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links
        reason = getattr(error, "strerror", None) or "links in a circle"
    raise FileError(f"{path}: cannot be read ({reason})")


def loads(content: bytes) -> Any:
    """Return values of JSON in UTF-8.

    Raise ValueError for what is not JSON, a key that an object has twice, NaN, numbers beyond the largest float, and
    nesting too deep to be read.

    >>> loads(b'{"epsilon": 0.1, "epsilon": 9}')
    Traceback (most recent call last):
    ValueError: has the key 'epsilon' twice in one object
    """
    numbers = (_finite, _whole) if _LARGE.search(content) else (None, None)  # a call for each number
    try:
        return json.loads(
            content.decode(),
            object_pairs_hook=_once,
            parse_constant=_constant,
            parse_float=numbers[0],
            parse_int=numbers[1],
        )
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError("is not JSON") from None


def read(path: Path, *, links: bool = False) -> Any:
    """Return the values of JSON in a file; raise FileError for whatever ``contents`` and ``loads`` refuse."""
    content = contents(path, links=links)
    try:
        return loads(content)
    except ValueError as error:
        problem = str(error)
    raise FileError(f"{path}: {problem}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"has the key {ascii(twice)[:_SHOWN]} twice in one object")
    return values


def _constant(text: str) -> NoReturn:
    raise ValueError(f"has {text}, which is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("has a number beyond the largest float")
    return number


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError("has a number of too many digits")
    return int(text)


@attrs.frozen
class Maybe:
    """The form of a key that may be missing."""

    form: Any


def misfit(value: Any, form: Any, path: str = "") -> str | None:
    """Return the first place at which a value of JSON has another form, None if there is none.

    form: a type (None: null); a tuple of forms, one of which fits; a list of one form, that of each item; a function
    that says whether the value fits; a mapping of all keys to their forms.  In a mapping the key ``str`` stands for all
    keys, ``...`` for further ones of any form.

    >>> misfit({"a": [1, "x"]}, {"a": [int]})
    'a.1'
    """
    if isinstance(form, tuple):
        return None if any(misfit(value, allowed) is None for allowed in form) else path
    if isinstance(form, list):
        return _first(enumerate(value), lambda _: form[0], path) if isinstance(value, list) else path
    if isinstance(form, Mapping):
        return _misfit_of_object(value, form, path)
    if form is None or isinstance(form, type):
        return None if type(value) is (form or NoneType) else path
    return None if form(value) else path


def _misfit_of_object(value: Any, form: Mapping[Any, Any], path: str) -> str | None:
    if not isinstance(value, dict):
        return path
    if str in form:
        return _first(value.items(), lambda _: form[str], path)
    named = {key: form_of_key for key, form_of_key in form.items() if key is not ...}
    for key, form_of_key in named.items():
        if key not in value and not isinstance(form_of_key, Maybe):
            return _at(path, key)
    forms = {
        key: form_of_key.form if isinstance(form_of_key, Maybe) else form_of_key for key, form_of_key in named.items()
    }
    rest: Callable[[Any], bool] = lambda _: ... in form  # noqa: E731
    return _first(value.items(), lambda key: forms.get(key, rest), path)


def _first(items: Any, form_of: Callable[[Any], Any], path: str) -> str | None:
    places = (misfit(value, form_of(key), _at(path, key)) for key, value in items)
    return next((place for place in places if place is not None), None)


def _at(path: str, key: Any) -> str:
    shown = ascii(key)[1:-1][:_SHOWN] if isinstance(key, str) else str(key)
    return f"{path}.{shown}" if path else shown


def canonical(value: Any) -> bytes:
    """Return values of JSON as text: equal values give equal bytes.

    >>> canonical({"b": 0.1, "a": [1, True, None]})
    b'{"a":[1,true,null],"b":0.1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
