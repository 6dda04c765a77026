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
from pathlib import Path
from typing import Any

import pytest
from releases import CHOICE, THRESHOLDS, lay_out, rows
from runs import ROOT

from semipriv.audit.laws.same_coins import Watch, watched_mechanisms
from semipriv.cli import main
from semipriv.core.samples import as_points
from semipriv.practice.engine import messages
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.messages import message
from semipriv.practice.engine.tallies import Statistic

RRSPM = {"class": {"name": "thresholds"}, "learner": {"name": "rrspm", "epsilon": 0.5, "weights": "discrete_laplace"}}
PRACTICE = sorted(path for part in messages._ROOMS for path in (ROOT / "src/semipriv/practice" / part).glob("*.py"))
PRIVATE = (
    "apart", "base", "cells", "coding", "counting", "dates", "duckdb", "stages", "features", "files", "judging",
    "labels", "objects", "partial", "postgresql", "reading", "responses", "schema", "source", "spark", "stored",
    "tallies",
)  # fmt: skip
"""Modules that see private cells."""


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
    """What is put into messages of errors, as it stands in the code, with its line."""
    found = {}
    for node, _ in raises(ast.parse(source)):
        for part in ast.walk(node):
            if isinstance(part, ast.FormattedValue):
                found[ast.unparse(part.value)] = node.lineno
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in ("str", "repr"):
                found[ast.unparse(part)] = node.lineno
    return found


SPEAKING = {"print", "warn", "warning", "info", "debug", "error", "exception", "critical", "log", "track", "getLogger"}


def speaking(source: str) -> list[int]:
    """Lines that print, log, warn or tell progress."""
    called = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [
        one.lineno for one in called if (one.id if isinstance(one, ast.Name) else getattr(one, "attr", "")) in SPEAKING
    ]


SAID = {
    "apart": {"_named(first, second)", "others"},
    "cells": {"type_name(kind)"},
    "dates": {"type_name(kind)", "name", "given", "str(given)", "RULE"},
    "base": {"self.where", "wrong"},
    "coding": set(),
    "counting": {"source.name", "name", "rule"},
    "duckdb": {"path"},
    "stages": {"made.request.private.name", "request.private.name"},
    "features": {
        "name", "given", "one", "self.unknown", "self.column", "', '.join(self.values)", "column",
        "', '.join(KINDS)", "rule", "error", "self.rule", "self.hint", "self.interval", "shown", "', '.join(UNITS)",
        "self.unit", "dates.RULE", "ends", "_QUOTED", "key", "_WHY_NOT[key]",
    },
    "files": {
        "name", "str(path)", "str(path)[:_SHOWN]", "', '.join(SUFFIXES)", "self.path", "part", "what", "wrong",
        "str(error)", "row", "len(names)",
    },
    "judging": {"part", "request.private.name"},
    "labels": {
        "name", "word", "str(bound)", "dict(given)", "', '.join(_COMPARISONS)", "given", "both",
        "MOST_CLASSES", "self.unknown",
    },
    "objects": {
        "name", "', '.join((f'{one}://' for one in SCHEMES))", "one", "self.name", "part", "len(self.schema(part))",
    },
    "partial": {"path", "str(path)", "str(error)", "part"},
    "reading": {
        "source.name", "wrong", "chunks[0].file", "feature.column", "where", "feature.interval",
        "feature.rule", "feature.hint", "count", "rows",
    },
    "responses": {"name", "given", "low", "high", "self.unknown"},
    "schema": {
        "self.file", "column", "row", "rule", "feature.column", "chunk.file", "of.column", "wrong", "what", "error",
        "', '.join(self._names)", "other", "chunks[0].file",
    },
    "postgresql": {"wrong"},
    "source": {"part", "one.column", "what", "wrong"},
    "spark": set(),
    "stored": {
        "', '.join((f'{one}://' for one in schemes()))", "one", "error", "self.name", "self.source.name", "order",
        "wrong",
    },
    "tallies": {"type(self).__name__", "n_private", "type(learner).__name__", "most", "dimension", "adding"},
}  # fmt: skip
"""What messages of the private path may hold, each looked at: settings, paths, columns, numbers of rows, types.

'error' of schema is the name of a missing column, of partial an error of the operating system, of files a type,
of stored what is wrong with an address.
"""


def unlooked(stem: str, source: str) -> set[str]:
    return set(formatted(source)) - SAID[stem]


@pytest.mark.parametrize("path", PRACTICE, ids=lambda p: p.stem)
def test_no_module_hangs_an_error_on_another_or_speaks(path: Path) -> None:
    source = path.read_text()
    assert chained(source) == []
    said = speaking(source)
    assert said == [] or (path.name == "jobs.py" and len(said) == 1), "the one line of a refusal"


@pytest.mark.parametrize("path", [p for p in PRACTICE if p.stem in PRIVATE], ids=lambda p: p.stem)
def test_messages_of_the_private_path_hold_what_was_looked_at(path: Path) -> None:
    assert unlooked(path.stem, path.read_text()) == set(), "may it hold a cell? if not, add it above"


def test_these_tests_can_fail() -> None:
    schema = (ROOT / "src/semipriv/practice/columns/schema.py").read_text()
    assert unlooked("schema", schema) == set()
    for bad in ("raise ValueError(f'{chunk.table[0]}')", "raise ValueError('cell ' + str(points[3]))"):
        assert unlooked("schema", f"{schema}\n{bad}\n")
    bad = "try:\n    f()\nexcept ValueError as error:\n    raise ValueError('x')"
    assert chained(bad) == chained(f"{bad} from error") == [4]
    assert chained(f"{bad} from None") == []
    for line in ("print(points)", "logging.info('%s', labels)", "_log.debug(points)", "warnings.warn(str(labels))"):
        assert speaking(line) == [1]


@pytest.mark.parametrize(
    ("module", "is_told"),
    [
        ("semipriv.practice.engine.reading", True),
        ("semipriv.privacy.budget.ledger", True),
        ("semipriv.practice.engine.jobs", False),
        ("semipriv.practice.estimators.classifier", False),
        ("semipriv.practice.planner.plan", False),
        ("semipriv.papers.abm19.learners.sspp", False),
        ("semipriv.core.checks", False),
    ],
)
def test_once_rows_are_read_few_modules_are_told(module: str, is_told: bool) -> None:
    """By the module that raises, below a step of the engine that reads private rows."""
    raising: dict[str, Any] = {"__name__": module}
    exec("def fail():\n    raise ValueError('cell 17.25')", raising)
    engine_like: dict[str, Any] = {"__name__": "semipriv.practice.engine.stages", "fail": raising["fail"]}
    exec("def tally():\n    fail()", engine_like)
    with pytest.raises(ValueError, match="cell") as found:
        engine_like["tally"]()
    assert ("17.25" in message(found.value)) is is_told


def test_errors_of_modules_that_simulations_use_are_withheld_once_rows_are_read(tmp_path, monkeypatch, capsys) -> None:
    def release(*_: Any) -> None:
        as_points([[17.25, float("nan")]])

    monkeypatch.setattr(Statistic, "release", release)
    assert main(["release", str(lay_out(tmp_path))]) == 2
    said = "".join(capsys.readouterr())
    with pytest.raises(ValueError, match="nan"):
        release()
    assert "nan" not in said
    assert "withheld" in said


@pytest.mark.parametrize("cell", ["secret17", "nan", "inf", ""])
@pytest.mark.parametrize("column", [0, 1])
def test_a_bad_cell_is_named_by_its_place_alone(tmp_path: Path, capsys, cell: str, column: int) -> None:
    lines = rows()
    cells = lines[6].split(",")
    cells[column] = cell
    lines[6] = ",".join(cells)
    assert main(["release", str(lay_out(tmp_path, lines=lines))]) == 2
    said = "".join(capsys.readouterr())
    assert "row 7" in said
    assert f"'{'xy'[column]}'" in said
    assert "secret17" not in said
    assert lines[6] not in said
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
    found = {"code": str(code), "said": out.getvalue(), "logged": "\n".join(records)}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "private.csv"):
        name = str(path.relative_to(folder))
        if path.suffix in (".png", ".pdf"):
            found[name] = str(path.stat().st_size if path.suffix == ".png" else "")
        elif path.suffix == ".jsonl":
            entries = [json.loads(line) for line in path.read_text().splitlines()]
            found[name] = str([(e["number"], e["kind"], blind(e["payload"])) for e in entries])
        elif path.name.endswith((".head", ".key")):
            found[name] = str(len(path.read_bytes()))
        else:
            found[name] = path.read_bytes().hex()
    found["asked"] = "; ".join(entry.what for entry in watch.run.entries)
    return found, watch.run.outputs


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
    for path in re.findall(r"\]\(([^)#h]+)\)", page):
        assert (ROOT / "docs" / path).exists(), path
