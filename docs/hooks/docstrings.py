"""What a static reader of the code does not see: parameters of frozen values, and that docstrings are plain text."""

import inspect
import re
from importlib import import_module
from typing import Any

import griffe

ROOMS = re.compile(
    r"semipriv\.(classes|regressors|learners|mechanisms|privacy|queries|estimators|distributions|geometry)\."
)
"""Modules whose types are imported for their parameters: those of the package's face."""
SESSION = re.compile(r"^(>>> .*(?:\n.+)*)", re.M)
KINDS = {kind.value: kind for kind in griffe.ParameterKind}


class Plain(griffe.Extension):
    """Give frozen values their parameters, and keep brackets of docstrings from being read as links."""

    def on_class(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Add the signature of a type whose fields make its constructor (``semipriv.fields.value``)."""
        if not any(str(decorator.value) == "value" for decorator in cls.decorators) or not ROOMS.match(cls.path):
            return
        found = getattr(import_module(cls.module.path), cls.name, None)
        if found is None or inspect.isabstract(found):
            return
        parameters = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
        for name, parameter in inspect.signature(found).parameters.items():
            default = None if parameter.default is inspect.Parameter.empty else _shown(parameter.default)
            parameters.append(griffe.Parameter(name, kind=KINDS[parameter.kind.description], default=default))
        cls.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*parameters)))

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Keep ``table[i][j]`` from being read as a link, and show sessions outside of sections as code."""
        if obj.docstring is not None:
            text = obj.docstring.value
            if "Examples:" not in text:
                text = SESSION.sub(r"```pycon\n\1\n```", text)
            obj.docstring.value = re.sub(r"(?<=\w)\]\[", r"]\\[", text)


def _shown(default: Any) -> str:
    """Return a default as it is written: functions and types by their names."""
    return str(getattr(default, "__name__", None) or repr(default))
