"""Queries whose rows are rows of one table, each by itself: a projection and a filter, and nothing else.

A guarantee speaks of one row of the table.  If a query mixes rows, one person's cell may be in all of its rows, or one
person may have many of them.  So a query is parsed, and each part of it must be on a list of parts that are known to
look at one row alone.  What the database gets is written from what was parsed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import sqlglot
from sqlglot import exp

from semipriv.core.errors import PublicError

WAY_OUT = (
    "a query may take only columns and rows of one table, each row by itself (SELECT ... FROM ... WHERE ...): "
    "take it out"
)
_SHOWN = 60
"""Letters of a name that a message holds at most."""


def _classes(names: str) -> frozenset[type]:
    """Return sqlglot's classes of these names; a version may lack some."""
    return frozenset(getattr(exp, name) for name in names.split() if hasattr(exp, name))


_PARTS: Mapping[type, frozenset[str]] = {
    exp.Select: frozenset({"with_", "expressions", "from_", "where", "kind"}),
    exp.Subquery: frozenset({"this", "alias"}),
    exp.With: frozenset({"expressions"}),
    exp.CTE: frozenset({"this", "alias", "materialized"}),
    exp.From: frozenset({"this"}),
    exp.Table: frozenset({"this", "db", "catalog", "alias", "only"}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.In: frozenset({"this", "expressions"}),
}
"""What may stand in the clauses of a query."""
_ALLOWED = frozenset(_PARTS) | _classes(
    # names, literals, types
    "Where Identifier Column Star Alias Paren Literal Boolean Null DataType DataTypeParam Var Interval Array Any All "
    # comparisons and choices
    "And Or Xor Not EQ NEQ GT GTE LT LTE Is NullSafeEQ NullSafeNEQ Between Case If Coalesce Nullif Greatest Least "
    # texts
    "Like ILike RegexpLike RegexpILike SimilarTo Escape DPipe Concat ConcatWs Lower Upper Initcap Trim Length "
    "Substring SubstringIndex Left Right Replace Reverse StrPosition StartsWith EndsWith Contains Pad Translate "
    "Overlay RegexpReplace RegexpExtract SplitPart "
    # numbers
    "Add Sub Mul Div IntDiv Mod Neg Pow Abs Sign Round Floor Ceil Trunc Sqrt Cbrt Exp Ln Log Sin Cos Tan Asin Acos "
    "Atan Atan2 Degrees Radians BitwiseAnd BitwiseOr BitwiseXor BitwiseNot IsNan IsInf WidthBucket "
    # dates and times
    "Extract Year Month Day Hour Minute Second Quarter Week DayOfWeek DayOfWeekIso DayOfMonth DayOfYear WeekOfYear "
    "DateTrunc TimestampTrunc DateDiff DateAdd DateSub TimestampDiff TimeToStr StrToTime StrToDate TimeToUnix Date "
    "DateFromParts AtTimeZone "
    # types
    "Cast TryCast"
)
_NAMED = frozenset({"isfinite", "isnan", "date_part", "make_date", "epoch", "lpad", "rpad", "btrim", "ltrim", "rtrim"})
"""Functions of one row that sqlglot does not know by a class of their own."""
_TYPES = (
    "BOOLEAN TINYINT SMALLINT MEDIUMINT INT BIGINT INT128 UTINYINT USMALLINT UINT UBIGINT UINT128 FLOAT DOUBLE DECIMAL "
    "TEXT VARCHAR CHAR NCHAR BPCHAR DATE TIME TIMETZ TIMESTAMP TIMESTAMPTZ TIMESTAMPNTZ TIMESTAMPLTZ TIMESTAMP_S "
    "TIMESTAMP_MS TIMESTAMP_NS DATETIME INTERVAL UUID ARRAY"
)
"""Types that a cell may be cast to: those of the database itself."""
_SYSTEM = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"})
"""Columns of PostgreSQL that depend on where and when rows were written."""
_WRITES = _classes("DML DDL Drop Alter Command Into Copy Lock Set TruncateTable")
_PARQUET = frozenset({"read_parquet", "parquet_scan"})
_CLAUSES = {
    "joins": "a join, or several tables",
    "laterals": "LATERAL",
    "group": "GROUP BY",
    "having": "HAVING",
    "qualify": "QUALIFY",
    "windows": "a window (WINDOW)",
    "distinct": "DISTINCT",
    "order": "ORDER BY (if rows need places, give private.order)",
    "sort": "SORT BY",
    "limit": "LIMIT or FETCH",
    "offset": "OFFSET",
    "sample": "sampling",
    "pivots": "PIVOT or UNPIVOT",
    "recursive": "WITH RECURSIVE",
    "query": "a query inside an expression",
    "when": "an older version of the table",
    "version": "an older version of the table",
}
_NODES = {
    "Window": "a window function (OVER)",
    "Filter": "an aggregate (FILTER)",
    "Rand": "random numbers, RANDOM()",
    "Randn": "random numbers",
    "Lateral": "LATERAL, or a function in place of a table",
    "TableSample": "sampling",
    "Values": "VALUES",
    "Exists": "a query inside an expression (EXISTS)",
    "Explode": "UNNEST, or another function that makes rows",
    "Unnest": "UNNEST",
    "Dot": "a name with a dot that is no column, as a function of a schema",
    "Operator": "an operator of a schema (OPERATOR)",
    "Columns": "COLUMNS(): name the columns",
    "PositionalColumn": "a column by its number: name it",
    "Placeholder": "a placeholder",
    "Parameter": "a placeholder",
    "CurrentDate": "the date of today",
    "CurrentTimestamp": "the time of now",
}


def projection(text: str, dialect: str, what: str = "query") -> exp.Select:
    """Return a query that is a projection and a filter of one table, with all that WITH names put where it is used.

    Raise ValueError, which names what was found, for any other.

    >>> projection("with r as (select a, b from t) select a from r where b > 1", "duckdb").sql("duckdb")
    'SELECT a FROM (SELECT a, b FROM t) AS r WHERE b > 1'
    >>> projection("select max(a) over () as a from t", "duckdb")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    semipriv.core.errors.PublicError: query: has a window function (OVER), and a query may take ...
    """
    statement = _statement(text, dialect, what)
    while isinstance(statement, exp.Subquery) and not set(_given(statement)) - {"this"}:
        statement = statement.this
    for node in statement.walk():
        wrong = _found(node)
        if wrong:
            raise PublicError(f"{what}: has {wrong}, and {WAY_OUT}")
    assert isinstance(statement, exp.Select)
    return _unfolded(statement, {})


def relation(query: exp.Select) -> exp.Table:
    """Return the one table of a projection."""
    (table,) = query.find_all(exp.Table)
    return table


def put(query: exp.Select, source: exp.Expression) -> None:
    """Put another table, or a query, in the place of the one table of a projection, by the same name."""
    table = relation(query)
    alias = table.args.get("alias")
    source = source.copy()
    if alias is not None:
        columns = alias.args.get("columns") or (source.args["alias"].args.get("columns") if source.alias else None)
        source.set("alias", exp.TableAlias(this=alias.this.copy(), columns=columns))
    if table.args.get("only"):
        source.set("only", True)
    table.replace(source)


def unfiltered(query: exp.Select) -> exp.Select:
    """Return a projection of all rows: without WHERE, wherever it stands.

    >>> unfiltered(projection("select a from (select a, b from t where b > 1) as r where a > 0", "duckdb")).sql()
    'SELECT a FROM (SELECT a, b FROM t) AS r'
    """
    every = query.copy()
    for select in every.find_all(exp.Select):
        select.set("where", None)
    return every


def takes_cells(query: exp.Select) -> bool:
    """Return whether a projection takes cells as they are, and all rows, so that no cell can make it fail."""
    if query.args.get("where") is not None:
        return False
    columns = [expression.this if isinstance(expression, exp.Alias) else expression for expression in query.expressions]
    if not all(isinstance(column, exp.Column | exp.Star) and not any(_given_but_except(column)) for column in columns):
        return False
    source = query.args["from_"].this
    return not isinstance(source, exp.Subquery) or takes_cells(_bare(source))


def check_names(query: exp.Select, columns: Sequence[str], dialect: str, what: str = "query") -> list[str]:
    """Raise ValueError unless each name in a projection is a column of what it selects from; return its own columns.

    columns: those of the relation.  PostgreSQL reads t.count as count(t), an aggregate, where t has no such column; a
    row as a whole, and what a database keeps beside the columns of a row, are no columns, either.
    """

    def plain(name: exp.Identifier | str) -> str:
        exact = dialect == "postgres" and (isinstance(name, str) or name.quoted)
        text = name if isinstance(name, str) else name.name
        return text if exact else text.lower() if dialect == "postgres" else text.casefold()

    source = query.args["from_"].this
    inside = _bare(source) if isinstance(source, exp.Subquery) else None
    given = list(columns) if inside is None else check_names(inside, columns, dialect, what)
    alias = source.args.get("alias")
    renamed = [identifier.name for identifier in alias.args.get("columns") or ()] if alias is not None else []
    given = [*renamed, *given[len(renamed) :]]
    known = {plain(name) for name in given}
    if dialect != "postgres":  # a name that the query gives may be used beside it
        known |= {
            plain(expression.output_name) for expression in query.expressions if isinstance(expression, exp.Alias)
        }
    ours = {
        plain(identifier)
        for identifier in (None if alias is None else alias.this, source.this)
        if isinstance(identifier, exp.Identifier)
    }
    below = set() if inside is None else set(map(id, source.walk()))
    for node in query.walk():
        if not isinstance(node, exp.Column) or id(node) in below or isinstance(node.this, exp.Star):
            continue
        parts = [plain(part) for part in node.parts]
        while len(parts) > 1 and parts[0] in ours | {plain(schema) for schema in _schemas(source)}:
            parts = parts[1:]
        if parts[0] not in known:
            raise PublicError(f"{what}: {node.sql(dialect)[:_SHOWN]} is no column of what it selects from; {WAY_OUT}")
    return [
        name
        for expression in query.expressions
        for name in ([expression.output_name] if expression.output_name != "*" else given)
    ]


def _schemas(source: exp.Expression) -> list[exp.Identifier]:
    return [part for part in (source.args.get("db"), source.args.get("catalog")) if isinstance(part, exp.Identifier)]


def view_of(text: str, dialect: str) -> tuple[str, list[exp.Identifier]]:
    """Return the SELECT of a CREATE VIEW, and the names that it gives to the columns; raise ValueError for others."""
    view = sqlglot.parse_one(text, read=dialect)
    inside = view.args.get("expression") if isinstance(view, exp.Create) else None
    if inside is None:
        raise PublicError("a view: is not SQL that can be read")
    named = view.this.expressions if isinstance(view.this, exp.Schema) else []
    return str(inside.sql(dialect)), [exp.to_identifier(identifier.name, quoted=True) for identifier in named]


def parquet(table: exp.Table) -> list[str] | None:
    """Return the files of Parquet that stand in the place of a table, by patterns; None for a table by its name.

    Raise ValueError for another function in this place, and for options that mix files.
    """
    inside = table.this
    if isinstance(inside, exp.Identifier):
        named = inside.quoted and table.args.get("db") is None and inside.name.lower().endswith((".parquet", ".pq"))
        return [inside.name] if named else None
    if _function(inside) not in _PARQUET:
        return None
    first, *options = inside.expressions or [None]
    files = first.expressions if isinstance(first, exp.Array) else [first]
    for option in options:
        key = option.this.name.lower() if isinstance(option, exp.EQ) else ""
        if key not in ("union_by_name", "hive_partitioning") or not isinstance(option.expression, exp.Boolean):
            raise PublicError("query: of the options of read_parquet, union_by_name and hive_partitioning may be given")
    if not files or not all(isinstance(file, exp.Literal) and file.is_string for file in files):
        raise PublicError("query: read_parquet needs a path in quotes, or a list of such")
    return [file.name for file in files]


def _statement(text: str, dialect: str, what: str) -> exp.Expression:
    """Return the one statement of a text, which reads."""
    statements = None
    with suppress(sqlglot.errors.SqlglotError, RecursionError):
        statements = sqlglot.parse(text, read=dialect)
    if statements is None:
        raise PublicError(f"{what}: is not SQL that can be read")
    if len(statements) != 1 or statements[0] is None:
        raise PublicError(f"{what}: must be one statement")
    (statement,) = statements
    if not isinstance(statement, exp.Query):
        raise PublicError(f"{what}: must be a SELECT")
    wrote = next((type(node).__name__.upper() for node in statement.walk() if isinstance(node, tuple(_WRITES))), None)
    if wrote is not None:
        raise PublicError(f"{what}: must only read, and holds {wrote}")
    return statement


def _given(node: exp.Expression) -> Iterator[str]:
    """Yield the names of the parts that a node has."""
    return (key for key, value in node.args.items() if value)


def _given_but_except(node: exp.Expression) -> Iterator[str]:
    """Yield the parts of a star by which it computes something."""
    star = node if isinstance(node, exp.Star) else node.this
    return (key for key in _given(star) if key == "replace")


def _function(node: exp.Expression | None) -> str:
    """Return the name of a function, in small letters."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return "" if not isinstance(node, exp.Func) else node.sql_name().lower()


def _found(node: exp.Expression) -> str | None:
    """Return what a node is, if it may be no part of a query; None if it may."""
    kind = type(node)
    if isinstance(node, exp.Table):
        wrong = _in_place_of_a_table(node)
        if wrong:
            return wrong
    elif isinstance(node.parent, exp.Table) and _function(node) in _PARQUET:
        return None
    elif isinstance(node, exp.Anonymous):
        if _function(node) not in _NAMED:
            return f"the function {_function(node)[:_SHOWN]}(), which is not one of those known to look at one row"
        return None
    if kind not in _ALLOWED:
        return _named(node)
    if kind in _PARTS:
        surplus = [key for key in _given(node) if key not in _PARTS[kind]]
        if surplus:
            return _CLAUSES.get(surplus[0], surplus[0].strip("_").upper())
    if isinstance(node, exp.Select):
        return _select(node)
    if isinstance(node, exp.Subquery | exp.CTE) and not isinstance(node.this, exp.Select | exp.Subquery):
        return _found(node.this) or "parentheses around a table"
    if isinstance(node, exp.DataType) and getattr(node.this, "name", None) not in _TYPES.split():
        return "a type that is not one of the database itself"
    if isinstance(node, exp.Column) and node.name.lower() in _SYSTEM:
        return f"{node.name.lower()}, which depends on other rows"
    return None


def _select(node: exp.Select) -> str | None:
    """Return what is wrong with the place of a SELECT, or with its clauses."""
    parent = node.parent
    while isinstance(parent, exp.Subquery):
        parent = parent.parent
    if parent is not None and not isinstance(parent, exp.From | exp.CTE):
        return "a query inside an expression"
    if node.args.get("kind"):
        return f"SELECT AS {node.args['kind']}"
    if node.args.get("from_") is None:
        return "no table (FROM)"
    return None


def _in_place_of_a_table(node: exp.Table) -> str | None:
    """Return what is wrong with what stands in the place of a table."""
    inside = node.this
    if isinstance(inside, exp.Identifier) or _function(inside) in _PARQUET:
        return None
    name = _function(inside)
    if name in ("read_csv", "read_csv_auto", "read_json", "read_json_auto"):
        return f"{name}(), which guesses from some rows how others are read: give such a file as private.path"
    return f"the function {name[:_SHOWN]}() in place of a table" if name else "something else in place of a table"


def _named(node: exp.Expression) -> str:
    """Return what a node is called in SQL."""
    kind = type(node).__name__
    if kind in _NODES:
        return _NODES[kind]
    if isinstance(node, exp.SetOperation):
        return kind.upper()
    if isinstance(node, exp.AggFunc):
        return f"an aggregate, {_function(node).upper()}()"
    if isinstance(node, exp.Func):
        return f"the function {_function(node)}(), which is not one of those known to look at one row"
    return kind.upper()


# ---------------------------------------------------------------------------------------------------- WITH
def _unfolded(query: exp.Select, named: Mapping[str, exp.Select]) -> exp.Select:
    """Return a query without WITH: what it names stands where it is used, of which there is one place."""
    query = query.copy()
    inside = query.args.pop("with_", None)
    named = dict(named)
    for cte in [] if inside is None else inside.expressions:
        columns = cte.args["alias"].args.get("columns")
        body = _unfolded(_bare(cte.this), named)
        named[_key(cte.args["alias"].this)] = body if not columns else _renamed(body, cte.args["alias"])
    source = query.args["from_"].this
    if isinstance(source, exp.Subquery):
        inner = _unfolded(_bare(source), named)
        source.replace(exp.Subquery(this=inner, alias=_outer_alias(source)))
    elif source.args.get("db") is None and isinstance(source.this, exp.Identifier) and _key(source.this) in named:
        alias = source.args.get("alias") or exp.TableAlias(this=source.this.copy())
        source.replace(exp.Subquery(this=named[_key(source.this)].copy(), alias=alias))
    return query


def _bare(query: exp.Expression) -> exp.Select:
    """Return a query without its parentheses."""
    while isinstance(query, exp.Subquery):
        query = query.this
    assert isinstance(query, exp.Select)
    return query


def _outer_alias(query: exp.Subquery) -> exp.TableAlias:
    """Return the name of a query in FROM, which not all databases ask for."""
    alias = query.args.get("alias")
    return exp.TableAlias(this=exp.to_identifier("q")) if alias is None else alias.copy()


def _renamed(body: exp.Select, alias: exp.TableAlias) -> exp.Select:
    """Return a query with other names of its columns."""
    return exp.select("*").from_(exp.Subquery(this=body, alias=alias.copy()))


def _key(name: exp.Identifier) -> str:
    return str(name.name if name.quoted else name.name.lower())
