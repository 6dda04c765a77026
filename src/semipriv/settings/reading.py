"""Reading configuration files: YAML without its traps."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")


_DEEPEST = 100
"""Levels of lists and mappings in one another that are read: libyaml would end the process at ten thousands of them."""
_LARGEST = 2**25
"""Bytes of a file that are read."""
_MOST = 5_000_000
"""Values that a file may have, each as often as an alias repeats it."""
_PLAIN = re.compile("0|-?[1-9][0-9]*")
"""An integer that every reader takes for the same number, and whose text is that number."""
_READ_AS = {"bool": "true or false", "int": "a number", "float": "a number", "null": "nothing", "timestamp": "a date"}
"""What YAML reads words without quotes as, by the end of their tag."""


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names the file, the key, the value and what is allowed."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # libyaml's, where there is one
    """YAML in which 1:30 is text, and a key that is given twice, or is no text, and 02134 and 0x10 are errors.

    YAML itself would take the last one, no for false, 1:30 for 90, 02134 for 1116 and 0x10 for 16.
    """

    def get_single_node(self) -> yaml.Node | None:
        """Read the document, before mappings are merged into others.

        Raises ConfigError with the key and both lines if a mapping gives a key twice, and with the line for a word that
        YAML reads as another value than it says.
        """
        root: yaml.Node | None = super().get_single_node()
        if root is not None:
            _check_size(root)
        left, seen = [root], set()
        while left:
            node = left.pop()
            if isinstance(node, yaml.ScalarNode):
                _check_integer(node)
            if not isinstance(node, yaml.CollectionNode) or id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, yaml.MappingNode):
                _check_keys(node)
                left.extend(part for pair in reversed(node.value) for part in reversed(pair))
            else:
                left.extend(reversed(node.value))
        return root


def _check_size(root: yaml.Node) -> None:
    """Raise ConfigError for a document that aliases make too large, or that holds itself; RecursionError if deep."""
    sizes: dict[int, tuple[int, int] | None] = {}

    def size(node: yaml.Node) -> tuple[int, int]:
        """Return the number of values, and of levels, below a node and with it."""
        if not isinstance(node, yaml.CollectionNode):
            return 1, 0
        if id(node) in sizes:
            known = sizes[id(node)]
            if known is None:
                raise ConfigError(f"line {node.start_mark.line + 1}: an alias is inside of what it stands for")
            return known
        sizes[id(node)] = None
        parts = [child for pair in node.value for child in pair] if isinstance(node, yaml.MappingNode) else node.value
        values, levels = 1, 0
        for child in parts:
            inner, below = size(child)
            values, levels = values + inner, max(levels, below)
        if levels >= _DEEPEST:
            raise RecursionError
        if values > _MOST:
            raise ConfigError(f"line {node.start_mark.line + 1}: has more than {_MOST:,} values, with aliases")
        sizes[id(node)] = values, levels + 1
        return values, levels + 1

    size(root)


def _tag(node: yaml.ScalarNode) -> str:
    return str(node.tag).removeprefix("tag:yaml.org,2002:")


def _check_integer(node: yaml.ScalarNode) -> None:
    """Raise ConfigError for an integer that is not spelt plainly, as a code with a zero in front."""
    if _tag(node) == "int" and ":" not in node.value and not _PLAIN.fullmatch(node.value):
        raise ConfigError(
            f"line {node.start_mark.line + 1}: {node.value} is no plain integer: write text, as a code, in quotes, as "
            f'"{node.value}", and a number in decimal digits, as 10 or -10'
        )


def _check_keys(mapping: yaml.MappingNode) -> None:
    """Raise ConfigError with the key and both lines if the mapping gives a key twice, or one that is no text."""
    lines: dict[tuple[str, str], int] = {}
    for key, _ in mapping.value:
        if isinstance(key, yaml.ScalarNode):
            name, line = (key.tag, key.value), key.start_mark.line + 1
            if (read_as := _READ_AS.get(_tag(key))) and (read_as != "a number" or ":" not in key.value):
                raise ConfigError(
                    f'line {line}: the key {key.value} is read as {read_as}: write it in quotes, as "{key.value}"'
                )
            if name in lines:
                raise ConfigError(f"key {key.value!r} is given twice, in lines {lines[name]} and {line}")
            lines[name] = line


def _load(text: str) -> Any:
    """Return what the text holds; raise RecursionError if it is nested too deeply."""
    depth = 0
    for event in yaml.parse(text, _Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise RecursionError
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return yaml.load(text, _Loader)


def _whole_or_text(loader: _Loader, node: yaml.ScalarNode) -> int | str:
    return str(node.value) if ":" in node.value else int(loader.construct_yaml_int(node))


def _number_or_text(loader: _Loader, node: yaml.ScalarNode) -> float | str:
    return str(node.value) if ":" in node.value else float(loader.construct_yaml_float(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _whole_or_text)
_Loader.add_constructor("tag:yaml.org,2002:float", _number_or_text)


def _content(path: Path) -> bytes:
    """Return the bytes of a file; raise ConfigError for more than are read."""
    with path.open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ConfigError(f"has more than {_LARGEST // 2**20} MiB")
    return content


def read_settings(path: Path) -> dict[str, Any]:
    """Read one YAML file.

    Raises ConfigError naming the file if it cannot be read, is empty, is not a mapping, gives a key twice, or holds a
    word that is not read as it stands there.
    """
    try:
        settings = _load(_content(path).decode())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not text in UTF-8") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: is not valid YAML ({' '.join(str(error).split())})") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply to be read") from None
    except (ValueError, LookupError) as error:  # of a value that is none of its type, or of the path
        raise ConfigError(f"{path}: holds a value that cannot be read ({' '.join(str(error).split())})") from None
    if settings is None:
        raise ConfigError(f"{path}: is empty, must be a mapping of keys to values")
    if not isinstance(settings, dict):
        raise ConfigError(f"{path}: must be a mapping of keys to values")
    return settings


def check_files(paths: Iterable[str | Path]) -> None:
    """Raise ConfigError for the first of the files that cannot be read as ``read_settings`` does.

    Snakemake has read the files by then, and taken the last of equal keys.  A file that is not there is passed over:
    without ``config/config.yaml`` in the working folder, the files of the command line are all there is.
    """
    for path in map(Path, paths):
        if path.exists():
            read_settings(path)


def given_in(paths: Iterable[str | Path], key: str) -> str:
    """Return the last of the files that gives a key of the run, whose value counts; "config" if none does."""
    files = [path for path in map(Path, paths) if path.exists() and key in read_settings(path)]
    return str(files[-1]) if files else "config"


def numbers(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Turn numbers that YAML 1.1 reads as text because they lack a dot (1e-6, 1e5) into numbers.

    Raises ValueError naming the key if a number is not finite.
    """
    return {key: _numbers(value, str(key)) for key, value in settings.items()}


def _numbers(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(item, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item, f"{path}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = plain_numbers(float(value))
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{path} = {value!r}: must be finite")
    return value


def plain_numbers(value: Any) -> Any:
    """Turn floating-point numbers that are integers into integers, so that 1e5 and 100000 name the same stream."""
    if isinstance(value, dict):
        return {key: plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@contextmanager
def located(place: str) -> Iterator[None]:
    """Raise ConfigError instead of a ValueError or TypeError: its message with where it happened."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{place}: {error}") from error
