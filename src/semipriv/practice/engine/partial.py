"""What one job reads of a private table: sums over the rows of a part, in a private file."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import attrs
import numpy as np

from semipriv.core.arrays import Arrays
from semipriv.core.errors import PublicError
from semipriv.core.files import atomic

_OWN = ("digest", "mac", "salt", "told")
"""Names in a file beside those of the sums."""


@attrs.frozen(eq=False)
class Partial:
    """Private sums over a part for each candidate, and the HMAC that recognises the part (``Source.mac``).

    digest: of the request, in hexadecimal digits; sums of another request are refused.  access: what the
    certificate says of how the part was read, as values of JSON.
    """

    digest: str
    mac: bytes
    sums: Sequence[Arrays]
    access: Mapping[str, Any] = attrs.field(factory=dict)

    def write(self, path: str | Path) -> None:
        """Write a file that its owner alone can read, whole or not at all.

        It also holds random bytes, so that a digest of the file, which Snakemake keeps of its inputs, reveals nothing.
        """
        path = Path(path)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        arrays: dict[str, Any] = {f"{i}/{name}": x for i, sums in enumerate(self.sums) for name, x in sums.items()}
        marks = (bytes.fromhex(self.digest), self.mac, secrets.token_bytes(32), json.dumps(self.access).encode())
        content = BytesIO()
        arrays |= {name: np.frombuffer(x, np.uint8) for name, x in zip(_OWN, marks, strict=True)}
        np.savez(content, **arrays)
        with atomic(path, 0o600) as temporary:
            temporary.write_bytes(content.getbuffer())

    @classmethod
    def read(cls, path: str | Path, digest: str, candidates: int) -> "Partial":
        """Read a file; raise ValueError with its name if it is damaged, or of another request than the digest's."""
        try:
            with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            marks = {name: arrays.pop(name).tobytes() for name in _OWN}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            raise PublicError(f"{path}: cannot be read; delete it and run again") from None
        if marks["digest"] != bytes.fromhex(digest):
            raise PublicError(f"{path}: is of another request; delete it and run again")
        sums: list[dict[str, Any]] = [{} for _ in range(candidates)]
        for name, array in arrays.items():
            place, _, own_name = name.partition("/")
            sums[int(place)][own_name] = array
        return cls(digest, marks["mac"], sums, json.loads(marks["told"]))


def mac_of_parts(key: bytes, parts: Iterable[bytes]) -> str:
    """Return the HMAC of a table by those of its parts in order, in hexadecimal digits."""
    return hmac.new(key, b"".join(parts), hashlib.sha256).hexdigest()
