"""A table that a request names: files, or a table that stays in a database."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import IO

import attrs
import pyarrow as pa

from semipriv.core.errors import PublicError
from semipriv.practice.columns.cells import ColumnTypeError, Declared
from semipriv.practice.columns.schema import Chunk
from semipriv.settings.faults import together

Part = Path | str
"""A file, or the name of a table in a database; what messages call it is its text."""
_SPELT_OTHERWISE = "its name there has other capitals, or blanks around it"


@attrs.frozen(eq=False)
class Identity:
    """Which people a part of a table is about, however it is named.

    name: what messages call the part.  key: equal for parts that are the same, and for no others.  size, opened:
    number of bytes of a file, and how it is opened; None for what has no bytes that can be compared.  rows: returns
    its number of rows.
    """

    name: str
    key: Hashable
    size: int | None = None
    opened: Callable[[], IO[bytes]] | None = None
    rows: Callable[[], int] | None = None


def identity_of_file(path: Path, rows: Callable[[], int] | None = None) -> Identity:
    """Return the identity of a file: device and inode, which all of its names have in common."""
    status = path.stat()
    return Identity(str(path), ("file", status.st_dev, status.st_ino), status.st_size, lambda: path.open("rb"), rows)


class Source(ABC):
    """A table in parts, each read in chunks of bounded memory.

    No message repeats what is read, neither names of columns nor cells.
    """

    @property
    def ordered(self) -> bool:
        """Whether a row has a place that does not depend on what is in the rows."""
        return True

    @property
    @abstractmethod
    def name(self) -> str:
        """What messages call the table."""

    @property
    def steady(self) -> bool:
        """Whether a part is the same when it is read again, or is checked whenever it is read again."""
        return True

    @property
    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """Parts in a fixed order; raise ValueError if there is none."""

    @abstractmethod
    def schema(self, part: Part) -> Sequence[tuple[str, pa.DataType]]:
        """Return names and types of the columns of a part."""

    @abstractmethod
    def without(self, part: Part) -> str:
        """Return a description of a part in which a column is missing, without any name that is in it."""

    @abstractmethod
    def rows(self, part: Part | None = None) -> int:
        """Return the number of rows of a part, or of all; it is public."""

    @abstractmethod
    def chunks(self, part: Part, columns: Sequence[str]) -> Iterator[Chunk]:
        """Yield the rows of a part in order, some 100,000 at a time; raise PrivateTableError where it is malformed."""

    def persons(self, columns: Sequence[str]) -> int | None:
        """Return how many persons these columns name, if that is known without their names; None if it is not."""
        return None

    def dropped(self, columns: Sequence[str]) -> int:
        """Return how many persons have no row because the query of the table leaves out all of their rows; private."""
        return 0

    @abstractmethod
    def mac(self, key: bytes, part: Part) -> bytes:
        """Return an HMAC by which a holder of the key recognises the part; it differs for another state of the part."""

    def identities(self) -> list[Identity]:
        """Return the identities of the parts, whatever their names: for files, device and inode.

        A part that is made of others, as a view or a query, has the identities of these.
        """
        return [identity_of_file(Path(part), self._rows_of(part)) for part in self.parts]

    def _rows_of(self, part: Part) -> Callable[[], int]:
        return lambda: self.rows(part)

    def rehearse(self, columns: Sequence[str]) -> None:
        """Do on no row all that is done with the columns; raise ValueError for what is refused, before the charge."""
        for part in self.parts:
            self.types(part)

    @property
    @abstractmethod
    def suffix(self) -> str:
        """Suffix of the file in which a synthetic table of the same columns is written."""

    def names(self, part: Part) -> list[str]:
        """Return the names of the columns of a part."""
        return [name for name, _ in self.schema(part)]

    def types(self, part: Part) -> dict[str, pa.DataType]:
        """Return the types of the columns of a part by their names."""
        return dict(self.schema(part))

    def check(self, declared: Sequence[Declared]) -> None:
        """Raise ValueError if a part is missing, empty or lacks a column, or if a column has a type that cannot be.

        Names and types are read, no record.
        """
        for part in self.parts:
            schema = self.schema(part)
            wrong = [
                f"{part}: column {column.column!r} {reason}"
                for column in declared
                if (reason := self._wrong(part, schema, column))
            ]
            if wrong:
                raise PublicError(together(wrong))

    def _wrong(self, part: Part, schema: Sequence[tuple[str, pa.DataType]], column: Declared) -> str:
        """Return what is wrong with a column of a part, nothing if nothing is."""
        names = [name for name, _ in schema]
        if column.column not in names:
            near = _plain(column.column) in map(_plain, names)
            return f"is missing: {_SPELT_OTHERWISE if near else self.without(part)}"
        if names.count(column.column) > 1:
            return "occurs twice"
        try:
            column.check_type(dict(schema)[column.column])
        except ColumnTypeError as error:
            return str(error)
        return ""

    def close(self) -> None:  # noqa: B027  (files hold nothing)
        """Let go of what is held open."""

    def check_unchanged(self, key: bytes, macs: Sequence[bytes]) -> None:
        """Raise ValueError for the first part whose ``mac`` has changed."""
        for part, mac in zip(self.parts, macs, strict=True):
            if self.mac(key, part) != mac:
                raise PublicError(f"{part}: was changed while the release was made")


def _plain(name: str) -> str:
    return name.strip().casefold()
