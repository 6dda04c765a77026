"""Keys of a request that say where its tables are, and how files are written."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from semipriv.settings.checking import HERE, Keys


def _text(value: Any) -> Any:
    if isinstance(value, Mapping | list):  # it may hold a password
        raise ValueError(f"{HERE}: must be text, and is a {'list' if isinstance(value, list) else 'mapping'}")
    if isinstance(value, bool) or not isinstance(value, str | int | date):
        raise ValueError(f"{HERE} = {value!r}: must be text (write yes, no, true, false in quotes)")
    return str(value)


Text = Annotated[str, BeforeValidator(_text)]
_FILES = (
    "a file of text (`.csv`, `.tsv`, `.txt`, each also with `.gz` behind it), a Parquet file (`.parquet`, `.pq`), or a "
    "folder of such files of the same columns, of which folders named `key=value` are some"
)
_ANY = WithJsonSchema({"anyOf": [{"type": "array"}, {"type": "string"}, {"type": "number"}]})


class FormKeys(Keys):
    """How a file is written; see docs/files.md."""

    separator: Text | None = Field(
        None, description="of text: the character between cells; `,` in `.csv` and a tab in `.tsv` if nothing is said"
    )
    quote: Text | None = Field(
        None,
        description='of text: the character around cells that hold separators or line breaks, or `none`; `"` if '
        "nothing is said, and none where a tab separates cells",
    )
    encoding: Text | None = Field(
        None, description="of text: UTF-8 if nothing is said; as `latin-1`, `cp1252`, `utf-16`, `shift_jis`"
    )
    header: bool | None = Field(
        None, description="of text: false, if the first line is a row and not the names of the columns; with `names`"
    )
    names: Annotated[Any, WithJsonSchema({"type": "array"})] = Field(
        None, description="names of all columns in order, with `header: false`"
    )
    decimal: Text | None = Field(None, description="the decimal point of numbers that are texts: `.` or `,`")
    thousands: Text | None = Field(
        None, description="what may stand between thousands of numbers that are texts, as `,`, `.`, `'` or a blank"
    )
    missing: Annotated[Any, _ANY] = Field(
        None, description="texts, or numbers, that mean a gap, as `[NA, -9]`; an empty cell is one of a number anyway"
    )
    dates: Text | None = Field(
        None,
        description="how dates and times that are texts are spelt, as `%d.%m.%Y` or `%m/%d/%Y %H:%M`; as 2023-01-31 if "
        "nothing is said",
    )


def _check_place(keys: Any, others: str = "") -> None:
    """Raise ValueError unless a table has one place, with keys of a database, or of a file, for such alone.

    others: what else may be given instead of a path and a database.
    """
    places = [key for key in ("path", "database", others) if key and getattr(keys, key) is not None]
    if len(places) != 1:
        raise ValueError(
            f"{HERE}: needs path, or database, " + (f"or {others}, and one of them alone" if others else "and not both")
        )
    if keys.database is not None and (keys.table is None) == (keys.query is None):
        raise ValueError(f"{HERE}: needs table, or query, and not both")
    if keys.query is not None and keys.schema_name is not None:
        raise ValueError(f"{HERE}.schema: is of a table, a query names its own")
    for key in ("table", "schema_name", "query", "order", "version"):
        if keys.database is None and getattr(keys, key, None) is not None:
            raise ValueError(f"{HERE}.{key.removesuffix('_name')}: is of a database, and {places[0]} is a file")
    for key in FormKeys.model_fields:
        if (keys.path is None or "://" in keys.path) and getattr(keys, key) is not None:
            raise ValueError(f"{HERE}.{key}: is of a file, and there is none")


_ADDRESS = (
    "address of a database: `postgresql://HOST:PORT/NAME`, `duckdb://FILE`, `duckdb://` alone for a `query` over "
    "files, `spark://HOST:PORT`; without a password, which PGPASSWORD or `~/.pgpass` tell"
)


class _PrivatePlace(Keys):
    path: Text | None = Field(
        None,
        description=f"{_FILES}; Parquet may be in object storage: `s3://BUCKET/FOLDER`; or `database`",
    )
    database: Text | None = Field(None, description=_ADDRESS)
    table: Text | None = Field(None, description="name of a table or a view of the database; or `query`")
    schema_name: Text | None = Field(
        None, alias="schema", description="schema of the table, if it is not the usual one"
    )
    query: Text | None = Field(
        None,
        description="one SELECT of columns and rows of one table, each row by itself, whose rows are the private ones",
    )
    order: Text | None = Field(
        None,
        description="column whose values are public and all different, as row numbers: rows have places by it, which "
        "`held_out`, `unlabelled` and some learners need; neighbours differ in the other cells of a row",
    )
    version: Text | None = Field(
        None,
        description="what you call this state of the table, instead of a digest by which the ledger recognises it; it "
        "vouches for this database, table and query alone",
    )
    seconds: Annotated[float, Field(gt=0)] = Field(3600.0, description="time that one query may take")


class PrivateKeys(FormKeys, _PrivatePlace):
    """The private table: files, or a table that stays in a database."""

    what: ClassVar[str] = "key of the private table"

    @model_validator(mode="after")
    def _place(self) -> Self:
        """Check that the table has one place, and that no key is of another one."""
        _check_place(self)
        return self


class UnlabelledKeys(PrivateKeys):
    """A table of private rows whose labels are not read."""

    what: ClassVar[str] = "key of unlabelled rows"


class _PublicPlace(Keys):
    path: Text | None = Field(
        None, description="table of the public rows, as a private one; or `database`, or `column` and `value`"
    )
    database: Text | None = Field(None, description=_ADDRESS)
    table: Text | None = Field(None, description="name of a table or a view of the database; or `query`")
    schema_name: Text | None = Field(
        None, alias="schema", description="schema of the table, if it is not the usual one"
    )
    query: Text | None = Field(None, description="one SELECT, whose rows are the public ones")
    column: Text | None = Field(
        None, description="column of the private table that tells public rows; the statuses of all rows are public then"
    )
    value: Text | None = Field(None, description="what public rows have there; all other rows are private")
    source: Text | None = Field(
        None, description="where the public data came from, for the certificate, as told when it is drawn"
    )
    licence: Text | None = Field(None, description="their licence, for the certificate")
    date: Text | None = Field(None, description="their date, for the certificate")


class PublicKeys(FormKeys, _PublicPlace):
    """Public rows: a table of their own, or the rows of the private table with a value in a column."""

    what: ClassVar[str] = "key of public rows"

    @model_validator(mode="after")
    def _place(self) -> Self:
        """Check that the rows have one place."""
        _check_place(self, "column")
        if (self.column is None) != (self.value is None):
            raise ValueError(f"{HERE}: needs column and value together")
        return self
