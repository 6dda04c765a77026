"""Releases as JSON: what a fitted estimator keeps, and what a ledger stores."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from semipriv.core.arrays import Arrays
from semipriv.core.randomness import Source
from semipriv.learners.outputs import base as outputs
from semipriv.practice.published.released import read
from semipriv.privacy.guarantee import Guarantee, Release


def described(release: Release[Any]) -> dict[str, Any]:
    """Return a release as values of JSON; ``restored`` inverts this, to the bit."""
    return {
        "output": json.loads(outputs.described(release.output)),
        "arrays": arrays_described(release.output.arrays()),
        "guarantee": release.guarantee and attrs.asdict(release.guarantee),
        "randomness": release.randomness.value,
        "cost": {name: float(cost) for name, cost in release.cost.items()},
    }


def restored(description: Mapping[str, Any]) -> Release[Any]:
    """Return the release with this description."""
    guarantee = description["guarantee"]
    output = outputs.restored(json.dumps(description["output"]), read(description["arrays"]))
    return Release(
        output, guarantee and Guarantee(**guarantee), Source(description["randomness"]), dict(description["cost"])
    )


def arrays_described(arrays: Arrays) -> dict[str, Any]:
    """Return arrays as ``semipriv.practice.published.released.written`` does; NaN is a text, too."""
    return {
        name: {
            "type": np.asarray(array).dtype.name,
            "shape": list(np.shape(array)),
            "values": [value if math.isfinite(value) else str(value) for value in np.ravel(array).tolist()],
        }
        for name, array in arrays.items()
    }


def digest(points: NDArray[Any], targets: Any) -> str:
    """Return the SHA-256 of public points (m, d) and their labels, if there are any."""
    sha256 = hashlib.sha256(repr(points.shape).encode() + np.ascontiguousarray(points).tobytes())
    if targets is not None:
        sha256.update(np.ascontiguousarray(targets).tobytes())
    return sha256.hexdigest()
