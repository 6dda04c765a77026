"""Nothing that was read of a private table is ever repeated: every cell, headers included, is a marker.

Over all kinds of fault, as the private table or the unlabelled one, no marker is in an error with its whole chain, on a
terminal, in a log, a warning or a file.  Sums over parts are private files, and are not looked at.
"""

import logging
import os
import shutil
import struct
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from releases import THRESHOLDS, lay_out

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.engine import charging
from semipriv.practice.engine import jobs as rules
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.preview import preview
from semipriv.practice.engine.whole import release
from semipriv.practice.sources.files import Files

MARKS = ("MARKER", "713131")
"""In each text, and in each number, of a private table."""
WIDE = {"x": {"range": [0, 1e7], "unknown": "refuse"}}
DATES = {"x": {"range": ["2000-01-01", "2300-01-01"], "unit": "second", "unknown": "refuse"}}
TOTAL = {"column": "y", "one": ["yes"], "zero": ["no"], "unknown": 0}
LONGEST = 1000
"""Letters of a message, most of which are paths of tests."""
Lines = list[str]


def number(i: int) -> str:
    return f"713131{i}.25"


def text(i: int) -> str:
    return f"MARKER{i}"


HEADER = f"x,y,who,{text(0)}"
GOOD = [f"{number(i)},{'yes' if i % 3 else 'no'},private,{text(i)}" for i in range(1, 30)]
BARE = [",".join([number(i), text(i), text(i + 100), text(i + 200)]) for i in range(30)]


def csv(lines: Lines, header: str | None = HEADER, end: str = "\n") -> bytes:
    return end.join([*([] if header is None else [header]), *lines, ""]).encode()


def with_row(row: str) -> bytes:
    return csv([*GOOD[:5], row, *GOOD[5:]])


TEXTS: dict[str, bytes] = {
    "healthy": csv(GOOD),
    "no header": csv(BARE, None),
    "no header, and names among the cells": csv([f"x,{text(1)},{text(2)},{text(3)}", *BARE], None),
    "one line": ",".join(BARE).encode(),
    "one long line": ",".join(BARE * 5000).encode(),
    "one word": text(1).encode(),
    "a header twice": csv(GOOD, "x,y,who,x"),
    "a marker twice": csv(BARE, f"{text(1)},{text(1)},y,who"),
    "header only": csv([]),
    "empty": b"",
    "blank lines": b"\n\n\n",
    "no label": csv(GOOD, f"x,{text(1)},who,{text(2)}"),
    "no status": csv(GOOD, f"x,y,{text(1)},{text(2)}"),
    "other separator": csv([line.replace(",", ";") for line in GOOD], HEADER.replace(",", ";")),
    "other ends of lines": csv(GOOD, end="\r"),
    "a longer row of bytes": with_row("@@").replace(b"@@", b"MARKER\xff,MARKER,MARKER,MARKER,MARKER"),
    "a longer row": with_row(BARE[3] + "," + text(7)),
    "a shorter row": with_row(f"{number(3)},{text(3)}"),
    "an open quote": with_row(f'"{number(3)},{text(3)},{text(4)},{text(5)}'),
    "an open quote in the header": csv(GOOD, f'"x,y,who,{text(0)}'),
    "a text for a number": with_row(f"{text(3)},yes,private,{text(5)}"),
    "another label": with_row(f"{number(3)},{text(4)},private,{text(5)}"),
    "no number": with_row(f",yes,private,{text(5)}"),
    "a number without end": with_row(f"{number(3) * 100},yes,private,{text(5)}"),
    "bad bytes in a cell": with_row("@@").replace(b"@@", b"MARKER\xff\xfe,MARKER\xff,private,MARKER\xff"),
    "bad bytes in the header": csv(GOOD).replace(b"x,y", b"MARKER\xff,y"),
    "a byte order mark": b"\xef\xbb\xbf" + csv(GOOD),
    "a byte order mark without a header": b"\xef\xbb\xbf" + csv(BARE, None),
    "sixteen bits": csv(GOOD).decode().encode("utf-16"),
    "zero bytes": with_row(f"{text(3)}\0,{text(4)}\0,{text(5)},{text(6)}"),
    "zero bytes in the header": csv(GOOD, f"{text(1)}\0,y,who,{text(0)}"),
    "a huge row": with_row(f"{number(3)},{text(4) * 10**6},private,{text(5)}"),
}


def typed(**columns: Any) -> pa.Table:
    """A good table, with some columns replaced or added."""
    x, y, who, rest = ([line.split(",")[i] for line in GOOD] for i in range(4))
    plain = {"x": list(map(float, x)), "y": y, "who": who, text(0): rest}
    return pa.table({name: column for name, column in {**plain, **columns}.items() if column is not None})


N = len(GOOD)
NUMBERS = [float(number(i)) for i in range(N)]
COLUMNS: dict[str, pa.Table] = {
    "healthy": typed(),
    "names of others": typed(x=None).append_column(text(1), pa.array(NUMBERS)),
    "a column twice": typed().append_column("x", pa.array(NUMBERS)),
    "a structure": typed(x=pa.array([{text(1): n} for n in NUMBERS])),
    "a structure as label": typed(y=pa.array([{text(1): text(2)}] * N)),
    "a list": typed(x=pa.array([[n] for n in NUMBERS])),
    "a map": typed(y=pa.array([[(text(1), text(2))]] * N, pa.map_(pa.string(), pa.string()))),
    "a dictionary": typed(y=pa.array([text(i % 3) for i in range(N)]).dictionary_encode()),
    "a time zone": typed(x=pa.array(range(N), pa.timestamp("s", tz=text(1)))),
    "a time": typed(x=pa.array(range(7131310000, 7131310000 + N), pa.timestamp("s"))),
    "a duration": typed(x=pa.array(range(N), pa.duration("s"))),
    "numbers as labels": typed(y=NUMBERS),
    "numbers as statuses": typed(who=NUMBERS),
    "bytes of one length": typed(y=pa.array([b"MARKER1"] * N, pa.binary(7))),
    "texts for numbers": typed(x=[text(i) for i in range(N)]),
    "no cell": typed(x=pa.nulls(N)),
    "no row": typed()[:0],
    "no column": pa.table({}),
    "metadata": typed().replace_schema_metadata({text(1): text(2)}),
    "infinite numbers": typed(x=[float("inf"), *NUMBERS[1:]]),
    "bytes that are no text": typed(y=pa.array([b"MARKER\xff"] * N)),
}


def footer_of_nobody(content: bytes) -> bytes:
    return content[:-8] + struct.pack("<I", 2**31 - 1) + b"PAR1"


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut off": lambda content: content[:-20],
    "no footer": footer_of_nobody,
    "another footer": lambda content: content[:-300] + b"MARKER" * 40 + content[-60:],
    "damaged pages": lambda content: content[:20] + b"MARKER" * 60 + content[380:],
    "the name alone": lambda content: b"PAR1" + b"MARKER" * 20 + b"PAR1",
    "text": lambda content: csv(BARE, None),
    "nothing": lambda content: b"",
}


def written(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path, compression="none", use_dictionary=False)
    return path


def laid(folder: Path, fault: str) -> Path:
    """Write a table with a fault."""
    kind, _, name = fault.partition(": ")
    path = folder / ("table.csv" if kind == "text" else "table.parquet")
    if kind == "text":
        path.write_bytes(TEXTS[name])
    elif kind == "type":
        written(COLUMNS[name], path)
    elif kind == "damage":
        path.write_bytes(DAMAGE[name](written(typed(), path).read_bytes()))
    else:
        path = folder / "parts"
        path.mkdir()
        written(typed(), path / "0.parquet")
        if kind == "part of type":
            written(COLUMNS[name], path / "1.parquet")
        elif kind == "part with damage":
            (path / "1.parquet").write_bytes(DAMAGE[name]((path / "0.parquet").read_bytes()))
        else:
            shutil.copy(path / "0.parquet", path / "1.parquet")
    return path


FAULTS = [
    *(f"text: {name}" for name in TEXTS),
    *(f"type: {name}" for name in COLUMNS),
    *(f"damage: {name}" for name in DAMAGE),
    *(f"part of type: {name}" for name in COLUMNS),
    *(f"part with damage: {name}" for name in DAMAGE),
    "the same part twice",
]
DISCRETE = {
    "features": {"x": {"integers": [0, 15], "unknown": "refuse"}},
    "class": {"name": "discrete_thresholds", "bits": 4},
    "learner": {"name": "generic_learner", "epsilon": 1, "sanitizer": {"name": "net"}, "size": 2, "n_unlabelled": 2},
    "public": None,
}
STATUS = {"public": {"column": "who", "value": "public"}}
HELD = {"held_out": {"share": 0.5, "epsilon": 1}}


def roles(table: Path) -> dict[str, dict[str, Any]]:
    """Requests in which the table is private."""
    given = {"private": {"path": str(table)}}
    return {
        "private": {**THRESHOLDS, **given, "features": WIDE},
        "dates": {**THRESHOLDS, **given, "features": DATES},
        "with statuses": {**THRESHOLDS, **given, **STATUS, "features": {"x": {"range": "public"}}},
        "held out": {
            **THRESHOLDS,
            **given,
            **HELD,
            "label": TOTAL,
            "features": {"x": {"range": [0, 1e7], "unknown": 5}},
        },
        "unlabelled": {**DISCRETE, "unlabelled": given["private"]},
    }


# ---------------------------------------------------------------------------------------------------- what is said
class Heard:
    """All that was said: errors with their chains, logs, warnings, what was printed, and files."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.longest = 0

    def calling(self, call: Callable[[], object]) -> None:
        """Call, and hear the error."""
        try:
            self.texts.append(repr(call()))
        except (Exception, SystemExit) as error:
            self.texts.append("".join(traceback.format_exception(error, chain=True)))
            self.texts += [str(error), repr(error), str(vars(error))]
            self.longest = max(self.longest, len(str(error)))

    def reading(self, folder: Path, private: Path) -> None:
        """Hear names and bytes of all files beside the private table and the sums over its parts."""
        for path in sorted(folder.rglob("*")):
            self.texts.append(str(path.relative_to(folder)))
            if path.is_file() and private not in (path, path.parent) and path.suffix != ".npz":
                self.texts.append(path.read_bytes().decode("latin-1"))

    def marks(self) -> list[str]:
        return [text for text in self.texts if any(mark in text for mark in MARKS)]


@pytest.fixture
def heard(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Heard]:
    """What is heard during a test; figures are drawn by tests of their own."""
    heard, handler = Heard(), logging.Handler()
    handler.emit = lambda record: heard.texts.append(record.getMessage())  # type: ignore[method-assign]
    monkeypatch.setattr("semipriv.cli.release._figures", lambda *_: [])
    monkeypatch.setattr("os.fsync", lambda *_: None)  # no test here is about a power cut
    logging.getLogger().addHandler(handler)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield heard
    logging.getLogger().removeHandler(handler)
    heard.texts += [str(warning.message) for warning in warned]
    heard.texts += capfd.readouterr()
    assert heard.marks() == []
    assert heard.longest < LONGEST


def ways(request: Path, folder: Path) -> dict[str, Callable[[], object]]:
    """All that may be done with a request; the last ones as Snakemake does it."""

    def step(rule: Callable[..., object], *given: object) -> Callable[[], object]:
        def job() -> None:
            with rules.errors_logged(folder / f"results/logs/{rule.__name__}.log"):
                rule(request, *given)

        return job

    sums = str(folder / "results/releases/visits/private/0.npz")
    return {
        "load": lambda: load(request),
        "dry run": lambda: preview(load(request)).to_dict(),
        "dry run on the line": lambda: main(["release", str(request), "--dry-run", "--json"]),
        "charge": step(rules.charge, folder / "results/charged.json"),
        "tally": step(rules.tally, 0, sums),
        "release": lambda: release(load(request)).to_dict(),
        "release on the line": lambda: main(["release", str(request)]),
        "draw": step(rules.draw, [sums]),
    }


def check(folder: Path, heard: Heard, fault: str, role: str, fewer: Sequence[str] = ()) -> None:
    """Do all that may be done with a table with this fault in this role, and hear what is said."""
    table, own = laid(folder, fault), folder / "own"
    request = lay_out(own, roles(table)[role])
    for name, call in ways(request, own).items():
        if name not in fewer:
            heard.calling(call)
    heard.reading(own, table)
    assert len(heard.texts) > 10


@pytest.mark.exhaustive
@pytest.mark.parametrize("role", roles(Path()))
@pytest.mark.parametrize("fault", FAULTS)
def test_no_marker_is_repeated_of_any_fault_in_any_role(tmp_path: Path, heard: Heard, fault: str, role: str) -> None:
    check(tmp_path, heard, fault, role)


BY_TURNS = [(fault, list(roles(Path()))[i % 5]) for i, fault in enumerate(FAULTS) if not fault.startswith("part")]
"""Each fault in one role."""


@pytest.mark.parametrize(("fault", "role"), BY_TURNS)
def test_no_marker_is_repeated(tmp_path: Path, heard: Heard, fault: str, role: str) -> None:
    check(tmp_path, heard, fault, role, ["load", "dry run on the line", "release on the line"])


@pytest.mark.parametrize("fault", ["text: no header", "text: one line", "part of type: names of others"])
def test_no_marker_is_repeated_on_the_line(tmp_path: Path, heard: Heard, fault: str) -> None:
    check(tmp_path, heard, fault, "private")


def test_a_table_without_a_fault_is_released_and_its_picture_drawn(tmp_path: Path, capfd, heard: Heard) -> None:
    table = laid(tmp_path, "text: healthy")
    request = lay_out(tmp_path / "own", roles(table)["private"])
    from semipriv.practice.engine.figure import draw_release

    assert main(["release", str(request)]) == 0, capfd.readouterr()
    assert [path.suffix for path in draw_release(request)] == [".pdf", ".png"]
    heard.reading(tmp_path / "own", table)


CHANGES: dict[str, Callable[[Path], object]] = {
    "another table": lambda path: path.write_bytes(csv(BARE, None)),
    "more rows": lambda path: path.write_bytes(csv([*GOOD, *GOOD])),
    "other cells": lambda path: path.write_bytes(csv(GOOD[::-1])),
    "gone": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "not to be read": lambda path: (path.unlink(), path.symlink_to(path)),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "step",
    ["judged", *(pytest.param(x, marks=pytest.mark.exhaustive) for x in ("check_possible", "mac", "examples"))],
)
def test_no_marker_of_a_table_that_is_changed_meanwhile(
    tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch, change: str, step: str
) -> None:
    table = laid(tmp_path, "text: healthy")
    request = lay_out(tmp_path / "own", roles(table)["held out"])
    owner = {"mac": Files, "check_possible": charging}.get(step, engine)
    honest = getattr(owner, step)

    def changing(*given: Any, **options: Any) -> Any:
        if table.is_file():
            CHANGES[change](table)
        return honest(*given, **options)

    monkeypatch.setattr(owner, step, changing)
    heard.calling(lambda: main(["release", str(request)]))
    heard.calling(lambda: release(load(request)))
    heard.reading(tmp_path / "own", table)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A table, and a request for it."""
    folder = tmp_path_factory.mktemp("random")
    return folder / "table.csv", lay_out(folder / "own", roles(folder / "table.csv")["private"])


INSTEAD = st.sampled_from([b"", b"\n", b",", b'"', b"\0", b"\xff", b"\r"])
EDITS = st.tuples(st.integers(0, 1200), st.integers(0, 9), INSTEAD)


@settings(max_examples=60)
@given(st.lists(EDITS, min_size=1, max_size=4), st.booleans())
def test_no_marker_after_cuts_and_insertions(place: tuple[Path, Path], edits: list[Any], bare: bool) -> None:
    table, request = place
    content = csv(BARE, None) if bare else csv(GOOD)
    for start, length, instead in edits:
        content = content[:start] + instead + content[start + length :]
    table.write_bytes(content)
    heard = Heard()

    def read() -> None:
        asked = load(request)
        public = engine.read_public(asked)
        for _ in engine.examples(asked, public.records, table):
            pass

    heard.calling(lambda: preview(load(request)).to_dict())
    heard.calling(read)
    assert heard.marks() == []


@pytest.mark.parametrize("role", ["private", "unlabelled", "public"])
@pytest.mark.parametrize("kind", ["pipe.parquet", "pipe.csv", "device.csv", "folder/part.parquet"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str, role: str) -> None:
    path = tmp_path / kind
    path.parent.mkdir(exist_ok=True)
    if kind.startswith("device"):
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)
    what = roles(tmp_path / "own/private.csv")["unlabelled" if role == "unlabelled" else "private"]
    named = {"path": str(path if path.parent == tmp_path else path.parent)}
    with pytest.raises(
        ValueError, match=r"(part|pipe|device)\.\w+: must be a file: it is a folder, pipe, socket or dev"
    ):
        load(lay_out(tmp_path / "own", {**what, role: named}))


def test_markers_are_heard(tmp_path: Path) -> None:
    """These tests can fail."""

    def refuse() -> None:
        try:
            raise ValueError(text(7))
        except ValueError:
            raise ValueError("x") from OSError("y")

    heard = Heard()
    heard.calling(refuse)
    assert not heard.marks(), "a cause hides the context"
    (tmp_path / "log").write_text(f"17 {number(4)}\n")
    heard.calling(lambda: int(text(4)))
    heard.reading(tmp_path, tmp_path / "table.csv")
    assert len(heard.marks()) == 4
