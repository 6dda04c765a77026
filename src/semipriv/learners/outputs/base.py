"""Outputs on disk: a description, and named arrays."""

import json
from typing import Any

from semipriv.core import registry
from semipriv.core.arrays import Arrays
from semipriv.privacy.guarantee import Output


def described(output: Output) -> str:
    """Return the description of an output, its kind first, as JSON."""
    return json.dumps({"kind": output.kind, **output.description()})


def restored(description: str, arrays: Arrays) -> Any:
    """Return the output with this description and these arrays; raise ValueError for an unknown kind."""
    content = json.loads(description)
    return registry.load("outputs", content.pop("kind"))(content, arrays)
