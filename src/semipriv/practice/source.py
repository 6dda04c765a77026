"""Files of a table: CSV, Parquet, or a folder of Parquet parts, read in chunks of bounded memory."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from semipriv.fields import value
from semipriv.practice.schema import Chunk


@value
class Source:
    """A table by its path: a CSV file, a Parquet file, or a folder of Parquet files with the same columns, its parts."""

    path: Path

    @cached_property
    def parts(self) -> tuple[Path, ...]:
        """Files in the order of their names; raise ValueError if there is none."""
        raise NotImplementedError

    def check(self, columns: Sequence[str]) -> None:
        """Raise ValueError if a part is missing, empty or lacks a column.  Reads headers only, no record."""

    def rows(self, part: Path | None = None) -> int:
        """Return the number of rows of a part, or of all; it is public."""
        raise NotImplementedError

    def chunks(self, part: Path, columns: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows of a part in order, some 100,000 at a time; raise PrivateTableError where it is malformed."""
        raise NotImplementedError

    def digest(self) -> str:
        """Return the SHA-256 of the bytes; of a folder, that of names and digests.  For public data only."""
        raise NotImplementedError
