"""What a release may say: the code of the private path, read, and a whole release on two neighbours, compared."""

import ast
import contextlib
import io
import itertools
import json
import logging
import re
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from places import ROOT, matching
from releases import CHOICE, THRESHOLDS, lay_out, rows, unrehearsed

import semipriv
from semipriv.audit.properties.same_coins import Watch, watched_mechanisms
from semipriv.cli import main
from semipriv.core.errors import PublicError, PublicOSError
from semipriv.core.samples import as_points
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.engine import jobs
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.messages import CHARGED, message, private_rows_at_hand
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.budget.lines import DamagedError, LedgerError
from semipriv.privacy.budget.rule import BudgetError

RRSPM = {"class": {"name": "thresholds"}, "learner": {"name": "rrspm", "epsilon": 0.5, "weights": "discrete_laplace"}}
PACKAGE = Path(semipriv.__file__).parent
ROOMS = ("asking", "columns", "databases", "engine", "published", "sources", "sums")
"""Rooms of practice through which a release on an own table goes."""
PRACTICE = matching(PACKAGE / "practice", *(f"{room}/*.py" for room in ROOMS))
for _path in (path for path in PRACTICE if path.parent.name != "databases"):  # those need packages of their own
    import_module(".".join(["semipriv", *_path.relative_to(PACKAGE).with_suffix("").parts]))


def subclasses(kind: type) -> Iterator[type]:
    """All types below one, of the package's own modules."""
    for subclass in kind.__subclasses__():
        if subclass.__module__.startswith("semipriv."):
            yield subclass
        yield from subclasses(subclass)


TOLD = [PublicError, *subclasses(PublicError)]
"""Errors whose text is told after private rows were read."""
BY_PATH = ("OSError", "FileNotFoundError", "FileExistsError", "PermissionError", "IsADirectoryError")
"""Errors of which the path is told."""
FAMILY = {kind.__name__ for kind in TOLD} | set(BY_PATH)


# ---------------------------------------------------------------------------------------------------- code
def raises(tree: ast.AST) -> Iterator[tuple[ast.Raise, bool]]:
    """All raises, and whether each is within an except."""

    def walk(node: ast.AST, handled: bool) -> Iterator[tuple[ast.Raise, bool]]:
        for child in ast.iter_child_nodes(node):
            within = handled or isinstance(child, ast.ExceptHandler)
            if isinstance(child, ast.FunctionDef | ast.Lambda):
                within = False
            if isinstance(child, ast.Raise):
                yield child, within
            yield from walk(child, within)

    yield from walk(tree, False)


def chained(source: str) -> list[int]:
    """Lines that raise within an except and hang the error before on the new one, which may hold a cell.

    An OSError may hang on an OSError: the operating system knows no cell.
    """
    return [
        node.lineno
        for node, within in raises(ast.parse(source))
        if within
        and node.exc is not None
        and not (isinstance(node.cause, ast.Constant) and node.cause.value is None)
        and not ast.unparse(node).startswith("raise OSError(error.errno")
    ]


def formatted(source: str) -> dict[str, int]:
    """What is put into messages of errors that are told, as it stands in the code, with its line.

    Of each call of their types, raised or not: all parts of its texts, and every argument that is no plain text.
    """
    interpolated = {}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] not in FAMILY:
            continue
        for given in (*node.args, *(keyword.value for keyword in node.keywords)):
            parts = [part for part in ast.walk(given) if isinstance(part, ast.FormattedValue)]
            plain = isinstance(given, ast.Constant | ast.JoinedStr)
            interpolated |= {ast.unparse(part.value): node.lineno for part in parts}
            interpolated |= {} if plain else {ast.unparse(given): node.lineno}
    return interpolated


def judged_public(source: str) -> set[str]:
    """Functions of a module in which ``public_data_only`` stands, or which it decorates."""
    return {
        function.name
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(node, ast.Name) and node.id == "public_data_only" for node in ast.walk(function))
    }


SPEAKING = {"print", "warn", "warning", "info", "debug", "error", "exception", "critical", "log", "track", "getLogger"}


def speaking(source: str) -> list[int]:
    """Lines that print, log, warn or tell progress."""
    called = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [
        node.lineno
        for node in called
        if (node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")) in SPEAKING
    ]


SAID = {
    "asking/draft": {"source.name", "wrong", "rows.name", "name"},
    "core/files": {"error.errno", "error.strerror or str(error)", "str(path)"},
    "columns/cells": {
        "type_name(kind)",
        "f'has the type {type_name(kind)}, must be numbers' + ('; dates need a `unit`' if dated else '')",
    },
    "columns/dates": {"type_name(kind)"},
    "asking/persons": {
        "type_name(kind)", "INSTANT", "ledger.path", "_called(columns)", "_called(earlier.get('columns'))",
    },
    "columns/schema": {"self.file", "column", "row", "rule", "wrong"},
    "columns/strict": {"path", "reason", "problem", "LARGEST // 2 ** 30"},
    "databases/_rowwise": {"what", "wrote", "wrong", "node.sql(dialect)[:_SHOWN]", "WAY_OUT"},
    "databases/base": {"self.title", "wrong"},
    "databases/postgresql": {"self.title"},
    "databases/spark": {"self.title", "db.name.lower()", "shown", "mixing[0][:_SHOWN]", "WAY_OUT"},
    "engine/counting_plans": {"REFUSED", "source.name", "name", "rule"},
    "engine/judging": {"request.private.name"},
    "engine/partial": {"path"},
    "engine/judged": {"source.name"},
    "engine/reading": {"source.name", "count", "rows", "part"},
    "engine/rollback": {"ledger.path", "number", "path"},
    "engine/charging": {
        "request.private.name",
        "source.name",
    },
    "engine/refused_cells": {"'; '.join(wrong)", "request.private.name", "label.column", "zeros"},
    "engine/rehearsal": {"'; '.join(failed)"},
    "engine/stages": {"request.private.name"},
    "sums/statistic": {"name", "AVERAGE", "ONE"},
    "sums/tallies": {"n_private", "type(learner).__name__", "most", "dimension", "adding"},
    "sums/by_person": {"len(persons.place)", "len(y)", "len(x)"},
    "estimators/base": {"int(np.argmin(allowed))", "model.rule", "model.value"},
    "estimators/classifier": {
        "'some' if several else 'two'", "MOST_CLASSES", "hint", "int(np.argmin(np.isfinite(labels)))", "kind",
        "len(classes)", "name", "row", "tuple(classes.tolist())",
    },
    "estimators/declared": {"feature.column", "hint", "needed", "what"},
    "estimators/door": {
        "[rows, len(cells)]", "_DECLARE", "cells.ndim", "cells.shape", "first_refused(len(rows), accepted)", "held",
        "name", "of", "place(int(np.argmin(finite)))", "rule", "spot", "text",
    },
    "estimators/groups": {
        "_hint(array.type)", "column", "hint", "place", "reason", "texts.index(wrong)", "what", "wrong",
    },
    "estimators/preprocessor": {"type(transformer).__name__", "shape[1]", "self.n_features_in_"},
    "estimators/private_table": {"name", "own.shape", "type(table).__name__"},
    "estimators/twice": {"hint", "name"},
    "published/folder": {"error.errno", "error.strerror or str(error)", "str(folder)"},
    "engine/whole": {"request.folder", "check"},
    "published/tables": {"feature.column"},
    "sources/apart": {"_named(first, second)", "_kind(first)", "others"},
    "sources/delimited": {"part", "wrong", "len(form.names)", "len(line)"},
    "sources/files": {
        "name", "str(path)", "str(path)[:_SHOWN]", "self.path", "part", "what", "wrong", "parts[0]", "path", "folder",
        "', '.join(sorted(kinds))", "', '.join(('*' + ending for ending in (*PARQUET, *SEPARATORS)))",
    },
    "sources/objects": {"name", "allowed", "', '.join(_OPTIONS)", "self.name", "part"},
    "sources/source": {"part", "what", "wrong", "together(wrong)", "table", "log"},
    "sources/stored": {
        "', '.join((f'{known}://' for known in schemes()))", "known", "error", "self.name", "self.source.name", "order",
        "wrong", "column.column", "kind",
    },
    "sources/versions": {"table", "kind", "log"},
}  # fmt: skip
"""What messages may hold that are told after private rows were read, each looked at: settings, paths, names of columns,
numbers of rows, types, suffixes of files.  'error' of stored is what is wrong with an address, 'text' of door the text
of an error that is told, or a type; 'classes' are declared ones."""
ELSEWHERE = (
    "core/errors",
    "core/extras",
    "privacy/budget/chain",
    "privacy/budget/ledger",
    "privacy/budget/lines",
    "privacy/budget/periods",
    "privacy/budget/refusal",
)
"""Modules outside of practice that raise such errors; they see no private cell, and a ledger holds none."""


def unlooked(module: str, source: str) -> set[str]:
    return set(formatted(source)) - SAID.get(module, set())


@pytest.mark.parametrize("path", PRACTICE, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_no_module_hangs_an_error_on_another_or_speaks(path: Path) -> None:
    source = path.read_text()
    assert chained(source) == []
    spoken = speaking(source)
    assert spoken == [] or (path.name == "jobs.py" and len(spoken) == 1), "the one line of a refusal"


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_modules(room: str) -> None:
    """Else the tests above and below would look at nothing, and pass."""
    assert len([path for path in PRACTICE if path.parent.name == room]) > 1


def test_no_room_of_practice_is_left_out() -> None:
    """Estimators and the planner are not reached from a release on an own table."""
    others = {path.parent.name for path in PACKAGE.glob("practice/*/__init__.py")} - set(ROOMS)
    assert others == {"estimators", "planner"}


def test_messages_that_are_told_hold_what_was_looked_at() -> None:
    interpolated = {}
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        if module not in ELSEWHERE and (new := unlooked(module.removeprefix("practice/"), path.read_text())):
            interpolated[module] = new
    assert interpolated == {}, "may one hold a cell? if not, add it above"


AT_NO_PRIVATE_CELL = {
    "practice/engine/possible": {"check_possible"},
    "practice/engine/rehearsal": {"rehearse"},
    "practice/engine/stages": {"prepared", "event", "statistics"},
}
"""Where every error is told, because public rows and public numbers alone are at hand; each looked at."""


def test_public_data_only_stands_where_no_private_cell_is_at_hand() -> None:
    unlisted = {
        path.relative_to(PACKAGE).with_suffix("").as_posix(): names
        for path in PACKAGE.rglob("*.py")
        if path.name != "errors.py" and (names := judged_public(path.read_text()))
    }
    assert unlisted == AT_NO_PRIVATE_CELL


def test_types_that_are_told_are_found_by_themselves() -> None:
    """So a new one below them is looked at, too."""
    assert {PublicOSError, PrivateTableError, DamagedError, BudgetError} < set(TOLD)


def test_these_tests_can_fail() -> None:
    schema = (PACKAGE / "practice/columns/schema.py").read_text()
    assert formatted(schema)
    assert unlooked("columns/schema", schema) == set()
    for bad in (
        "raise PublicError(f'{chunk.table[0]}')",
        "raise PrivateTableError('cell ' + str(points[3]))",
        "raise PublicError('cell %s' % cell)",
        "raise PublicError('{}'.format(cell))",
        "raise errors.PublicError(f'{cell}')",
        "error = PublicError(cell)",
        "raise FileNotFoundError(2, 'x', cell)",
    ):
        assert unlooked("columns/schema", f"{schema}\n{bad}\n")
    bad = "try:\n    f()\nexcept ValueError as error:\n    raise ValueError('x')"
    assert chained(bad) == chained(f"{bad} from error") == [4]
    assert chained(f"{bad} from None") == []
    for line in ("print(points)", "logging.info('%s', labels)", "_log.debug(points)", "warnings.warn(str(labels))"):
        assert speaking(line) == [1]


class StrangeError(Exception):
    """An error of another library."""


@pytest.mark.parametrize(
    ("error", "before", "after"),
    [
        (PublicError("a.csv: row 7"), True, True),
        (LedgerError("a.jsonl: row 7"), True, True),
        (PublicOSError(28, "row 7", "a.jsonl"), True, True),
        (ValueError("row 7"), True, False),
        (OSError("row 7"), True, False),
        (OSError(28, "row 7", "a.jsonl"), True, False),
        (UnicodeDecodeError("utf-8", b"row 7", 0, 1, "row 7"), False, False),
        (ArithmeticError("row 7"), False, False),
        (StrangeError("row 7"), False, False),
    ],
    ids=lambda argument: type(argument).__name__ if isinstance(argument, Exception) else str(argument),
)
def test_types_decide_what_is_told(error: Exception, before: bool, after: bool) -> None:
    """Wherever it is raised: no name of a module or of a folder decides."""
    assert ("row 7" in message(error)) is before
    with pytest.raises(type(error)) as caught, private_rows_at_hand():
        raise error
    assert ("row 7" in message(caught.value)) is after
    assert message(caught.value).endswith(CHARGED)


def test_a_full_disk_is_named_after_private_rows_were_read_too() -> None:
    with pytest.raises(OSError, match="28") as caught, private_rows_at_hand():
        raise OSError(28, "cell 17.25", "results/a.npz")
    assert message(caught.value) == f"[Errno 28] No space left on device: 'results/a.npz'{CHARGED}"


def test_an_interrupt_shows_no_error_that_it_came_upon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text of the error that was being handled would stand in a traceback."""

    def interrupted(*_: Any, **__: Any) -> None:
        try:
            raise ValueError("cell 17.25")
        except ValueError:
            raise KeyboardInterrupt  # noqa: B904  (as a signal does)

    monkeypatch.setattr(engine, "examples", interrupted)
    request = str(lay_out(tmp_path))
    assert main(["release", request]) == 130
    assert capsys.readouterr().err == f"semipriv: interrupted{CHARGED}\n"
    with pytest.raises(SystemExit) as ended, jobs.errors_logged(tmp_path / "log"):
        jobs.tally(request, 0, tmp_path / "sums.npz")
    assert ended.value.code == 1
    assert ended.value.__suppress_context__
    assert capsys.readouterr().err == (tmp_path / "log").read_text().replace("interrupted", "semipriv: interrupted")


def test_an_end_that_a_plug_in_asks_for_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(*_: Any, **__: Any) -> None:
        raise SystemExit("cell 17.25")

    monkeypatch.setattr(engine, "examples", end)
    assert main(["release", str(lay_out(tmp_path))]) == 2
    assert "withheld" in (printed := capsys.readouterr().err)
    assert "17.25" not in printed


def test_sums_that_cannot_be_written_tell_nothing_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **sums: Any) -> None:
        raise ValueError(f"cannot save {sums}")

    monkeypatch.setattr("numpy.savez", fail)
    with pytest.raises(SystemExit), jobs.errors_logged(tmp_path / "log"):
        jobs.tally(str(lay_out(tmp_path)), 0, tmp_path / "sums.npz")
    assert "cannot save" not in (printed := capsys.readouterr().err)
    assert printed.strip().endswith(CHARGED)


STEPS = ("examples", "counted", "judged", "_unlabelled", "mac_of_parts", "Partial")
"""What the steps of a release call once private rows are at hand."""


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", [ValueError, PublicError])
def test_after_the_charge_a_text_is_told_only_if_its_type_vouches_for_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    step: str,
    kind: type[Exception],
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise kind("cell 17.25")

    unrehearsed(monkeypatch)
    monkeypatch.setattr(engine, step, fail)
    assert main(["release", str(lay_out(tmp_path))]) == 2
    printed = "".join(capsys.readouterr())
    assert ("17.25" in printed) is (kind is PublicError)
    assert printed.strip().endswith(CHARGED)


def test_errors_of_modules_that_simulations_use_are_withheld_once_rows_are_read(tmp_path, monkeypatch, capsys) -> None:
    def release(*_: Any) -> None:
        as_points([[17.25, float("nan")]])

    unrehearsed(monkeypatch)
    monkeypatch.setattr(Statistic, "release", release)
    assert main(["release", str(lay_out(tmp_path))]) == 2
    printed = "".join(capsys.readouterr())
    with pytest.raises(ValueError, match="nan"):
        release()
    assert "nan" not in printed
    assert "withheld" in printed


@pytest.mark.parametrize("cell", ["secret17", "nan", "inf", ""])
@pytest.mark.parametrize("column", [0, 1])
def test_a_bad_cell_is_named_by_its_place_alone(tmp_path: Path, capsys, cell: str, column: int) -> None:
    lines = rows()
    cells = lines[6].split(",")
    cells[column] = cell
    lines[6] = ",".join(cells)
    features = {"x": {"range": [0, 100], "unknown": "refuse"}}
    assert main(["release", str(lay_out(tmp_path, {**THRESHOLDS, "features": features}, lines))]) == 2
    printed = "".join(capsys.readouterr())
    assert "row 7" in printed
    assert f"'{'xy'[column]}'" in printed
    assert "secret17" not in printed
    assert lines[6] not in printed
    assert not (tmp_path / "results/releases/visits/model.json").exists()


# ---------------------------------------------------------------------------------------------------- whole runs
def seen(folder: Path, what: dict[str, Any], lines: list[str], frozen: list[Any] | None) -> tuple[dict[str, str], list]:
    """All that a release leaves or says, except for the private table and its HMAC, and what its mechanisms returned.

    Clock, identity and key are the same in all runs.
    """
    shutil.rmtree(folder, ignore_errors=True)
    out, watch = io.StringIO(), Watch(secure=True, seed=5, frozen=frozen)
    names, records = itertools.count(), []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        patch.setattr("semipriv.privacy.budget.chain._now", lambda: "2026-01-01T00:00:00+00:00")
        patch.setattr("secrets.token_hex", lambda n: f"{next(names):0{2 * n}d}")
        if what is not THRESHOLDS:
            patch.setattr("semipriv.cli.release._figures", lambda *_: [])  # one case draws them
        request = lay_out(folder, what, lines)
        logging.getLogger().addHandler(handler)
        try:
            with watched_mechanisms(watch):
                code = main(["release", str(request)])
        finally:
            logging.getLogger().removeHandler(handler)
    observed = {"code": str(code), "said": out.getvalue(), "logged": "\n".join(records)}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "private.csv"):
        name = str(path.relative_to(folder))
        if path.suffix in (".png", ".pdf"):
            observed[name] = str(path.stat().st_size if path.suffix == ".png" else "")
        elif path.suffix == ".jsonl":
            entries = [json.loads(line) for line in path.read_text().splitlines()]
            observed[name] = str([(e["number"], e["kind"], blind(e["payload"])) for e in entries])
        elif path.name.endswith((".head", ".key")):
            observed[name] = str(len(path.read_bytes()))
        else:
            observed[name] = path.read_bytes().hex()
    observed["asked"] = "; ".join(entry.what for entry in watch.run.entries)
    return observed, watch.run.outputs


def blind(payload: dict[str, Any]) -> dict[str, Any]:
    return {key: len(value) if key == "table" else value for key, value in payload.items()}


@pytest.mark.parametrize("what", [THRESHOLDS, CHOICE, RRSPM], ids=["sspp", "choice", "rrspm"])
def test_neighbours_with_frozen_mechanisms_look_the_same(tmp_path: Path, what: dict[str, Any]) -> None:
    lines = rows()
    first, outputs = seen(tmp_path / "a", what, lines, None)
    assert first["code"] == "0", first["said"]
    lines_of = {3: "99,no", 4: "1e300,yes"}  # trained on; held out where there is a choice
    for place, line in [*lines_of.items()][: 1 if what is THRESHOLDS else 2]:
        other = [line if i == place else own for i, own in enumerate(lines)]
        assert other != lines
        second, _ = seen(tmp_path / "a", what, other, outputs)
        assert {key: second[key] for key in first if first[key] != second.get(key)} == {}
        assert first.keys() == second.keys()


LEAKS = {
    "a count on stdout": lambda points, labels: print(int(labels.sum())),
    "a value in a log": lambda points, labels: logging.getLogger("semipriv").warning("largest %s", points.max()),
    "an error by content": lambda points, labels: 1 / int(not (points == 0.99).any()),
}


@pytest.mark.parametrize("name", LEAKS)
def test_leaks_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    honest = engine.examples

    def leaking(*given: Any, **options: Any) -> Iterator[Any]:
        for points, labels in honest(*given, **options):
            LEAKS[name](points, labels)
            yield points, labels

    monkeypatch.setattr(engine, "examples", leaking)
    lines = [line for line in rows() if not line.startswith("99,")]
    first, outputs = seen(tmp_path / "a", {**THRESHOLDS}, lines, None)
    second, _ = seen(tmp_path / "a", {**THRESHOLDS}, ["99,no", *lines[1:]], outputs)
    assert first != second


def test_the_page_names_what_the_code_leaves_open() -> None:
    page = (ROOT / "docs/threat-model.md").read_text()
    for word in (
        "timing", "operating system", "ledger", "key", "refusal", "statuses", "file sizes", "floating point",
        "simulation", "synthetic", "unprotected_diagnostic", "held-out", "neighbours", "backup",
    ):  # fmt: skip
        assert word in page.lower(), word
    links = re.findall(r"\]\(([^)#h]+)\)", page)
    assert links
    for path in links:
        assert (ROOT / "docs" / path).exists(), path
