"""What a release stores in the ledger: one text of canonical JSON, from which every published file follows."""

import json
import platform
from collections.abc import Mapping
from importlib import import_module, metadata
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from semipriv.core.arrays import TYPES, Arrays
from semipriv.learners.outputs.base import described, restored
from semipriv.practice.columns.strict import canonical
from semipriv.privacy import events
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Output, Release

FORMAT = 3
"""Number of this form; another one is refused."""
_ENDS = (float("inf"), float("-inf"))


def written(arrays: Arrays) -> dict[str, Any]:
    """Return arrays as values of JSON; numbers are read back exactly, others are texts: 'inf', '-inf' and 'nan'."""
    return {name: _written(name, np.asarray(array)) for name, array in arrays.items()}


def _written(name: str, array: NDArray[Any]) -> dict[str, Any]:
    if array.dtype.name not in TYPES:
        raise ValueError(f"array {name!r}: has type {array.dtype.name}, must be one of {', '.join(TYPES)}")
    values = [str(number) if number in _ENDS or number != number else number for number in array.ravel().tolist()]  # noqa: PLR0124  (NaN)
    return {"type": array.dtype.name, "shape": list(array.shape), "values": values}


def read(arrays: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays that ``written`` wrote.

    >>> read(written({"x": np.array([[0.1], [np.inf]])}))["x"].tolist()
    [[0.1], [inf]]
    """
    return {
        name: np.array(array["values"], TYPES[array["type"]]).reshape([int(n) for n in array["shape"]])
        for name, array in arrays.items()
    }


def output_json(output: Output) -> dict[str, Any]:
    """Return an output as values of JSON."""
    return {"is": json.loads(described(output)), "arrays": written(output.arrays())}


def output_of(given: Mapping[str, Any]) -> Any:
    """Return the output that ``output_json`` wrote."""
    return restored(json.dumps(given["is"]), read(given["arrays"]))


def versions() -> dict[str, str]:
    """Return the versions of what draws a release."""
    ours = {"semipriv": str(import_module("semipriv").__version__), "python": platform.python_version()}
    return ours | {name: metadata.version(name) for name in ("numpy", "scipy", "pyarrow")}


@attrs.frozen(eq=False)
class Released:
    """What a release drew, and what is public of it.

    event: what was done to the private rows.  guarantee: of all of it.  sizes: public numbers of rows.  cost: what the
    learner says of itself.  extras: what else was drawn, by name (a paid error, a choice), as values of JSON.
    declared: source, licence and date of the public data, as far as the request told them when the release was drawn.
    table: name of the synthetic table, and types of its columns (``tables.table_of``); None if what is released
    predicts.
    """

    output: Output
    event: Event
    guarantee: Guarantee
    sizes: dict[str, int]
    cost: dict[str, float]
    versions: dict[str, str]
    extras: dict[str, Any] = attrs.field(factory=dict)
    declared: dict[str, str] = attrs.field(factory=dict)
    table: dict[str, Any] | None = None

    @classmethod
    def of(
        cls,
        release: Release[Any],
        event: Event,
        sizes: Mapping[str, int],
        extras: Mapping[str, Any],
        declared: Mapping[str, str],
        table: dict[str, Any] | None = None,
    ) -> "Released":
        """Return what is stored of a release; raise ValueError for a simulated one, and for one without a guarantee."""
        guarantee = release.certified()
        public = dict(sizes), release.cost, versions(), dict(extras), dict(declared)
        return cls(release.output, event, guarantee, *public, table)

    def to_bytes(self) -> bytes:
        """Return the text that the ledger keeps; ``from_bytes`` inverts this."""
        return canonical(
            {
                "format": FORMAT,
                "output": output_json(self.output),
                "event": events.described(self.event),
                "guarantee": attrs.asdict(self.guarantee),
                "sizes": self.sizes,
                "cost": {name: float(number) for name, number in self.cost.items()},
                "versions": self.versions,
                "more": self.extras,
                "declared": self.declared,
                "table": self.table,
            }
        )

    @classmethod
    def from_bytes(cls, text: bytes) -> "Released":
        """Return what was stored; raise ValueError for another form."""
        values = json.loads(text)
        if values.get("format") != FORMAT:
            raise ValueError(f"release: its form is {values.get('format')!r}, this version reads form {FORMAT}")
        return cls(
            output_of(values["output"]),
            events.restored(values["event"]),
            Guarantee(**values["guarantee"]),
            values["sizes"],
            values["cost"],
            values["versions"],
            values["more"],
            values["declared"],
            values["table"],
        )
