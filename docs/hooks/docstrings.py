"""What a static reader of the code does not see: parameters of frozen values, and that docstrings are plain text."""

import inspect
import re
from enum import Enum
from importlib import import_module
from typing import Any

import attrs
import griffe

VALUE = "semipriv.core.fields.value"
"""The decorator that makes the constructor of a type from its fields."""
CODE = re.compile(r"(``[^`]+``|`[^`]+`|^ *>>> .*(?:\n.+)*|(?<=\n\n) {4}.*(?:\n {4}.*)*)", re.M)
SESSION = re.compile(r"^(>>> .*(?:\n.+)*)", re.M)
KINDS = {kind.value: kind for kind in griffe.ParameterKind}


class Plain(griffe.Extension):
    """Give frozen values their parameters, and let docstrings say what they say."""

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Add the signature of a type whose fields make its constructor."""
        if all(decorator.callable_path != VALUE for decorator in cls.decorators):
            return
        documented = getattr(import_module(cls.module.path), cls.name, None)
        if documented is None or inspect.isabstract(documented):
            return
        types = {field.alias: inspect.formatannotation(field.type) for field in attrs.fields(documented)}
        parameters = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
        for name, parameter in inspect.signature(documented).parameters.items():
            kind, shown = KINDS[parameter.kind.description], re.sub(r"\b[\w.]+\.(?=\w)", "", types.get(name, ""))
            default = None if parameter.default is inspect.Parameter.empty else _shown(parameter.default)
            parameters.append(griffe.Parameter(name, annotation=shown or None, kind=kind, default=default))
        cls.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*parameters)))

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Keep a docstring from being read as Markdown or HTML where it is neither."""
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)


def plain(text: str) -> str:
    """Return a docstring in which no formula makes a tag, a quotation or a link; sessions are code.

    Sections are left as they are: griffe makes code of the sessions of ``Examples`` by itself.
    """
    parts = CODE.split(text)
    parts[::2] = [
        re.sub(r"(?<=\w)\]\[", r"]\\[", part.replace("<", "&lt;").replace(">", "&gt;")) for part in parts[::2]
    ]
    return SESSION.sub(r"```pycon\n\1\n```", "".join(parts))


def _shown(default: Any) -> str:
    """Return a default as it is written: functions and types by their names."""
    if isinstance(default, Enum):
        return f"{type(default).__name__}.{default.name}"
    return str(getattr(default, "__name__", None) or repr(default))
