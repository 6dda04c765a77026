"""Releases as JSON: what a fitted estimator keeps, and what a ledger stores."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semipriv.core.arrays import TYPES, Arrays
from semipriv.core.randomness import Source
from semipriv.learners.outputs import base as outputs
from semipriv.privacy.guarantee import Guarantee, Release


def to_json(value: Any) -> str:
    """Return canonical JSON: keys sorted, no number that JSON does not have."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def described(release: Release[Any]) -> dict[str, Any]:
    """Return a release as values of JSON; ``restored`` inverts this, to the bit."""
    given = release.guarantee
    return {
        "output": json.loads(outputs.described(release.output)),
        "arrays": arrays_described(release.output.arrays()),
        "guarantee": given and {"epsilon": given.epsilon, "delta": given.delta, "neighbours": given.neighbours.value},
        "randomness": release.randomness.value,
        "cost": {name: float(cost) for name, cost in release.cost.items()},
    }


def restored(description: Mapping[str, Any]) -> Release[Any]:
    """Return the release with this description."""
    given = description["guarantee"]
    output = outputs.restored(json.dumps(description["output"]), arrays_restored(description["arrays"]))
    return Release(output, given and Guarantee(**given), Source(description["randomness"]), dict(description["cost"]))


def arrays_described(arrays: Arrays) -> dict[str, Any]:
    """Return arrays as values of JSON: type, shape, numbers; an infinite one is the text 'inf' or '-inf'."""
    return {
        name: {
            "type": np.asarray(array).dtype.name,
            "shape": list(np.shape(array)),
            "values": [each if math.isfinite(each) else str(each) for each in np.ravel(array).tolist()],
        }
        for name, array in arrays.items()
    }


def arrays_restored(description: Mapping[str, Any]) -> Arrays:
    """Return the arrays with this description."""
    return {
        name: np.array(
            [float(each) if isinstance(each, str) else each for each in one["values"]], TYPES[one["type"]]
        ).reshape(one["shape"])
        for name, one in description.items()
    }


def digest(points: NDArray[Any], targets: Any) -> str:
    """Return the SHA-256 of public points (m, d) and their labels, if there are any."""
    found = hashlib.sha256(repr(points.shape).encode() + np.ascontiguousarray(points).tobytes())
    if targets is not None:
        found.update(np.ascontiguousarray(targets).tobytes())
    return found.hexdigest()
