"""Parquet files in object storage, by addresses as s3://BUCKET/FOLDER: read where they are, in chunks."""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.fs as pa_fs
import pyarrow.parquet as pq

from semipriv.core.errors import PublicError
from semipriv.core.fields import checked, value
from semipriv.practice.columns.schema import Chunk, PrivateTableError
from semipriv.practice.sources.files import BATCH
from semipriv.practice.sources.source import Identity, Part, Source, identity_of_file
from semipriv.practice.sources.versions import check_one_version

SCHEMES = ("s3", "gs", "file")
_OPTIONS = ("region", "endpoint_override", "scheme", "tls_ca_file_path", "retry_limit_seconds")
"""What an address may tell after its question mark."""
_BLOCK = 2**22
"""Bytes that are moved at once for a digest."""

T = TypeVar("T")


def is_address(given: str) -> bool:
    """Return whether a path is an address in object storage."""
    return "://" in given


def _address(name: str, given: Any) -> str:
    parts = urlsplit(str(given))
    if parts.scheme not in SCHEMES:
        allowed = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise PublicError(f"{name}: must be a file, a folder, or start with {allowed}")
    if parts.username is not None or parts.password is not None:
        raise PublicError(f"{name}: must not hold a key: keys are read from the environment or the storage's own files")
    if any(key not in _OPTIONS for key, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise PublicError(f"{name}: may tell {', '.join(_OPTIONS)} after the question mark, and nothing else")
    return str(given)


@value
class Objects(Source):
    """A Parquet file, or a folder of Parquet files of the same columns, its parts, in object storage.

    address: with ``region``, ``endpoint_override`` and ``scheme`` after a question mark if these are needed.  Keys come
    from the environment, as AWS_ACCESS_KEY_ID, or from the files of the storage's own tools.
    """

    address: str = checked(_address)

    @property
    def name(self) -> str:
        """The address, without what is after the question mark."""
        return self.address.partition("?")[0]

    @cached_property
    def _place(self) -> tuple[Any, str]:
        """The storage, and the path there."""
        storage, path = self._asked(lambda: pa_fs.FileSystem.from_uri(self.address))
        return storage, path

    def _asked(self, work: Callable[[], T]) -> T:
        """Return what work makes of the storage; raise ValueError, without the storage's words, if it refuses."""
        try:
            return work()
        except (OSError, pa.ArrowException):
            pass
        raise PublicError(f"{self.name}: cannot be reached, or is not there, or may not be read")

    @cached_property
    def parts(self) -> Sequence[Part]:
        """Paths in the order of their names; raise ValueError if there is none."""
        storage, path = self._place
        info = self._asked(lambda: storage.get_file_info(path))
        single = info.type == pa_fs.FileType.File
        check_one_version(self.name, [path.rpartition("/")[0] if single else path], self._listed)
        if single:
            return (path,)
        listed = self._asked(lambda: storage.get_file_info(pa_fs.FileSelector(path)))
        names = [entry.path for entry in listed if entry.extension == "parquet" and not entry.base_name.startswith(".")]
        if not names:
            raise PublicError(f"{self.name}: has no file *.parquet")
        return tuple(sorted(names))

    def _listed(self, folder: str) -> list[str] | None:
        """Return the names in a folder; None if there is none, or if it may not be looked at."""
        try:
            listed = self._place[0].get_file_info(pa_fs.FileSelector(folder))
        except (OSError, pa.ArrowException):
            return None
        return [entry.base_name for entry in listed]

    def _opened(self, part: Part) -> Any:
        return self._asked(lambda: self._place[0].open_input_file(str(part)))

    def _parquet(self, part: Part) -> pq.ParquetFile:
        try:
            return pq.ParquetFile(self._opened(part))
        except (OSError, pa.ArrowException):
            pass
        raise PublicError(f"{part}: is not a readable Parquet file")

    def schema(self, part: Part) -> Sequence[tuple[str, pa.DataType]]:
        """Return names and types of the columns of a part."""
        schema = self._parquet(part).schema_arrow
        return list(zip(schema.names, schema.types, strict=True))

    def without(self, part: Part) -> str:
        """Say how many columns there are."""
        return f"none of its {len(self.schema(part))} columns has this name"

    def rows(self, part: Part | None = None) -> int:
        """Return the number of rows of a part, or of all, as footers tell it."""
        if part is None:
            return sum(map(self.rows, self.parts))
        return int(self._parquet(part).metadata.num_rows)

    def chunks(self, part: Part, columns: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows of a part in order; raise PrivateTableError if it cannot be read to its end."""
        start, file = 1, self._parquet(part)
        batches = file.iter_batches(BATCH, columns=list(dict.fromkeys(columns)), use_threads=False)
        while (batch := _next(batches, part)) is not None:
            if batch.num_rows:
                yield Chunk(str(part), pa.Table.from_batches([batch]), np.arange(start, start + batch.num_rows))
            start += batch.num_rows

    def mac(self, key: bytes, part: Part) -> bytes:
        """Return the HMAC-SHA-256 of the bytes of a part, all of which are moved for it."""
        digest = hmac.new(key, digestmod=hashlib.sha256)
        with self._opened(part) as file:
            while block := self._asked(lambda: file.read(_BLOCK)):
                digest.update(block)
        return digest.digest()

    def identities(self) -> list[Identity]:
        """Return the identities of the parts: local addresses are files; objects are known by storage and path."""
        storage, _ = self._place
        if storage.type_name == "local":
            return [identity_of_file(Path(part), self._rows_of(part)) for part in self.parts]
        infos = self._asked(lambda: storage.get_file_info(list(self.parts)))
        kind = storage.type_name
        return [
            Identity(f"{kind}://{part}", (kind, part), info.size, self._opener(part), self._rows_of(part))
            for part, info in zip(self.parts, infos, strict=True)
        ]

    def _opener(self, part: Part) -> Callable[[], Any]:
        return lambda: self._opened(part)

    @property
    def suffix(self) -> str:
        """Parquet."""
        return ".parquet"


def _next(batches: Iterator[pa.RecordBatch], part: Part) -> pa.RecordBatch | None:
    try:
        return next(batches, None)
    except (OSError, pa.ArrowException):  # their messages may hold cells
        pass
    raise PrivateTableError(f"{part}: is damaged, or cannot be read any more")
