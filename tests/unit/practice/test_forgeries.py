"""Published releases with one edit: which are refused with the ledger, which by the files alone, and in which words."""

import copy
import json
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from releases import CHOICE, THRESHOLDS, lay_out, release_of

from semipriv.cli import main
from semipriv.practice.asking.request import load
from semipriv.practice.columns.strict import canonical
from semipriv.practice.engine.whole import release
from semipriv.practice.published import verify as verify_module
from semipriv.practice.published.certificate import sha256, to_bytes
from semipriv.practice.published.deployment import deployment
from semipriv.practice.published.model import Model
from semipriv.practice.published.signing_page import signing_page
from semipriv.practice.published.verify import read_certificate, verify

FOLDER = Path("results/releases/visits")
CERTIFICATE, MODEL, PAGE = "certificate.json", "model.json", "certificate.html"
ROWS = {
    "features": {"x": {"integers": [0, 100]}},
    "label": None,
    "class": None,
    "learner": {"name": "table_release", "epsilon": 1, "delta": "1e-6", "ways": 1},
}
KINDS: dict[str, dict[str, Any]] = {
    "hypothesis": THRESHOLDS,
    "held out": CHOICE,
    "diagnostic": {**THRESHOLDS, "unprotected_diagnostic": True},
    "answers": {**THRESHOLDS, "learner": {"name": "query_release", "epsilon": 0.5}, "label": None},
    "rows": ROWS,
}
FREE = (
    "predicate.mechanism.candidates",
    "predicate.quality",
    "predicate.unprotected_diagnostic",
    "predicate.public_data",
    "predicate.public_predictions",
    "predicate.versions",
    "predicate.ledger",
    "predicate.released_digest",
    "predicate.guarantee.epsilon",
    "predicate.guarantee.delta",
    "predicate.event.parts",
    "predicate.event.changed",
)
"""Of these the files alone do not tell whether they are true.

Epsilon and delta may be larger than what is proven, and parts of an event may be missing that cost no more than others,
as may some of the values to which Gaussian noise was added.
"""
SAMPLE = 25
"""Edits of a file in the ordinary run."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Function that makes a release of a kind, once."""
    known: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in known:
            known[kind] = tmp_path_factory.mktemp("forged")
            release_of(known[kind], KINDS[kind])
        return known[kind]

    return of


class Copy:
    """The folder of a release beside its ledger, of which one file at a time is another one."""

    def __init__(self, base: Path, folder: Path) -> None:
        shutil.copytree(base / FOLDER, folder)
        (folder / PAGE).unlink()  # it would contradict an edited certificate; who edits one leaves it out
        self.folder, self.ledger = folder, base / "ledger.jsonl"

    def read(self, name: str) -> Any:
        return json.loads((self.folder / name).read_bytes())

    def put(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)

    def redigest(self, name: str) -> None:
        """Certify a file as it is now."""
        statement = self.read(CERTIFICATE)
        (subject,) = (subject for subject in statement["subject"] if subject["name"] == name)
        subject["digest"]["sha256"] = sha256((self.folder / name).read_bytes())
        self.put(CERTIFICATE, to_bytes(statement))

    def refused(self, *, ledger: bool = True) -> str | None:
        """Return what is refused, in one line; None if all checks pass."""
        try:
            failed = [check for check in verify(self.folder, self.ledger if ledger else None) if not check.passed]
        except ValueError as error:
            message = str(error)
        else:
            message = "".join(map(str, failed[:1]))
        assert "\n" not in message
        assert len(message) < 500
        return message or None


@pytest.fixture
def forged(base: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Copy]:
    return lambda kind: Copy(base(kind), tmp_path / "release")


# ---------------------------------------------------------------------------------------------------- all single edits
def others(leaf: Any) -> list[Any]:
    """Other values instead of one, of the same type and of others."""
    if isinstance(leaf, bool):
        return [not leaf, int(leaf), None]
    if isinstance(leaf, str):
        return [leaf + "x", leaf[1:], leaf.upper() + " ", 1, None, [leaf], {leaf: leaf}]
    if isinstance(leaf, int):
        return [leaf + 1, -leaf - 1, float(leaf), str(leaf), 10**30, True, None, [leaf]]
    if isinstance(leaf, float):
        return [
            float(np.nextafter(leaf, 9e9)),
            leaf / 2,
            -1.0,
            str(leaf),
            None,
            [leaf],
            *([int(leaf)] * (leaf % 1 == 0)),
        ]
    return [0, "x", {}, []]


TWICE = "\0"
"""At the end of a key: it is written without it, so that the key is there twice."""


def edits(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Callable[[Any], Any]]]:
    """Yield the place of each single edit, and a function from the whole value to the edited one."""

    def inside(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def edit(whole: Any) -> Any:
            if not path:
                return change(whole)
            outer = whole
            for key in path[:-1]:
                outer = outer[key]
            outer[path[-1]] = change(outer[path[-1]])
            return whole

        return edit

    if isinstance(value, dict):
        for key in value:
            yield (*path, key), inside(lambda own, key=key: {k: v for k, v in own.items() if k != key})
            yield (*path, key), inside(lambda own, key=key: {**own, key + TWICE: None})
            yield (*path, key), inside(lambda own, key=key: {**own, key: None, key + TWICE: own[key]})
            yield from edits(value[key], (*path, key))
        yield (*path, "added"), inside(lambda own: {**own, "added": 1})
        yield path, inside(lambda own: list(own.values()))
    elif isinstance(value, list):
        for i, element in enumerate(value[:5]):
            yield (*path, i), inside(lambda own, i=i: own[:i] + own[i + 1 :])
            yield (*path, i), inside(lambda own, i=i: [*own[:i], own[i], *own[i:]])
            yield from edits(element, (*path, i))
        yield path, inside(lambda own: [*own, None])
    else:
        for other in others(value):
            yield path, inside(lambda _, other=other: other)


def texts(value: Any, write: Callable[[Any], bytes], exhaustive: bool) -> Iterator[tuple[str, bytes]]:
    """Yield place and text of single edits, all or some, written as semipriv writes except for that edit."""
    edited, before = list(edits(value)), write(value)
    assert len(edited) > 100
    for path, edit in edited if exhaustive else random.Random(32).sample(edited, SAMPLE):
        text = write(edit(copy.deepcopy(value))).replace(b'\\u0000"', b'"')
        if text != before:
            yield ".".join(map(str, path)), text


def model_bytes(value: Any) -> bytes:
    return canonical(value) + b"\n"


MET = {
    "a lower epsilon before the true one": (CERTIFICATE, b'"epsilon": 0.5', b'"epsilon": 0.0001, "epsilon": 0.5'),
    "a predicate before the true one": (CERTIFICATE, b'"predicate":', b'"predicate": {}, "predicate":'),
    "another spelling of a number": (CERTIFICATE, b'"epsilon": 0.5', b'"epsilon": 5e-1'),
    "another layout": (CERTIFICATE, b"\n", b""),
    "another source of public data": (CERTIFICATE, b"a register", b"a hospital"),
    "a second output": (MODEL, b'"output":', b'"output":{},"output":'),
    "an output after the true one": (MODEL, b',"records":', b',"output":{},"records":'),
    "another format": (MODEL, b"semipriv model 1", b"semipriv model 9"),
    "another key": (MODEL, b'"format":', b'"for":1,"format":'),
    "blanks": (MODEL, b",", b", "),
}
"""Edits that passed all checks once: file, what is there, and what is put there."""


@pytest.mark.parametrize("what", MET)
def test_an_edit_that_passed_once(forged: Callable[[str], Copy], what: str) -> None:
    own = forged("hypothesis")
    name, there, other = MET[what]
    before = (own.folder / name).read_bytes()
    assert there in before
    own.put(name, before.replace(there, other))
    if name == MODEL:
        own.redigest(MODEL)
        assert own.refused(ledger=False) is not None
    assert own.refused() is not None


@pytest.mark.parametrize("key", ["n_public", "n_private"])
def test_a_certificate_without_a_number_of_rows_is_none(forged: Callable[[str], Copy], key: str) -> None:
    """The fault that was met: it was one in form, and the entry for the registry raised KeyError."""
    own = forged("held out")
    given = own.read(CERTIFICATE)
    del given["predicate"]["sizes"][key]
    own.put(CERTIFICATE, to_bytes(given))
    with pytest.raises(ValueError, match=f"predicate.sizes.{key}"):
        read_certificate(own.folder)


HOW_MANY = [False, pytest.param(True, marks=pytest.mark.exhaustive)]


@pytest.mark.parametrize("exhaustive", HOW_MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_of_the_certificate_is_refused(forged: Callable[[str], Copy], kind: str, exhaustive: bool) -> None:
    own = forged(kind)
    assert own.refused() is None
    assert own.refused(ledger=False) is None
    for path, text in texts(own.read(CERTIFICATE), to_bytes, exhaustive):
        own.put(CERTIFICATE, text)
        assert own.refused() is not None, path
        assert own.refused(ledger=False) is not None or path.startswith(FREE), path
        with suppress(ValueError):
            statement = read_certificate(own.folder)
            assert deployment(statement), "what is a certificate in form has an entry for the registry"
            assert signing_page(statement), "and a page"


@pytest.mark.parametrize("exhaustive", HOW_MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_of_the_model_is_refused(forged: Callable[[str], Copy], kind: str, exhaustive: bool) -> None:
    """By its digest; and by the ledger if the certificate has the digest of the edited one."""
    own = forged(kind)
    certified = (own.folder / CERTIFICATE).read_bytes()
    for path, text in texts(own.read(MODEL), model_bytes, exhaustive):
        own.put(CERTIFICATE, certified)
        own.put(MODEL, text)
        assert own.refused(ledger=False) is not None, path
        own.redigest(MODEL)
        assert own.refused() is not None, path


@pytest.mark.parametrize("kind", ["answers", "rows"])
def test_an_edit_of_the_synthetic_table_is_refused_even_if_it_is_certified(
    forged: Callable[[str], Copy], kind: str
) -> None:
    own = forged(kind)
    name = "synthetic.csv"
    lines = (own.folder / name).read_bytes().splitlines(keepends=True)
    other = next(i for i in range(2, len(lines)) if lines[i] != lines[1])
    swapped = [*lines]
    swapped[1], swapped[other] = lines[other], lines[1]
    for text in (
        lines[:-1],
        [*lines, lines[-1]],
        swapped,
        [lines[0].upper(), *lines[1:]],
        [*lines[:-1], b"1e9999\n"],
        [*lines, b"\n"],
        [line.replace(b"\n", b"\r\n") for line in lines],
        [],
    ):
        own.put(name, b"".join(text))
        assert own.refused() is not None
        own.redigest(name)
        assert "synthetic.csv follows from the model" in str(own.refused(ledger=False))


WIDE = {
    "age": {"integers": [0, 100]},
    "sex": {"categories": ["F", "M"]},
    "seen": {"integers": ["2023-01-01T00:00:00", "2023-01-01T00:00:03"], "unit": "second"},
    "income": {"bins": [0, 10, 20]},
}


def parquet(folder: Path, unit: str = "s") -> Copy:
    """A release of a table of integers, texts and times that are Parquet, and a copy of it."""
    row = {**ROWS["learner"], "tree": 0, "rounds": 0}
    path = lay_out(folder, {**ROWS, "learner": row, "features": WIDE})
    text = path.read_text()
    for name, times in (("private", 5), ("public", 1)):
        columns = {
            "age": pa.array([0, 7, 7, 100] * times, pa.int16()),
            "sex": pa.array(["F", "M", "M", "F"] * times).dictionary_encode(),
            "seen": pa.array([0, 1, 2, 3] * times, pa.int64()).cast(pa.timestamp("s")).cast(pa.timestamp(unit)),
            "income": pa.array([1.0, 2.0, 11.0, 12.0] * times, pa.float32()),
        }
        shift = pa.scalar(1672531200, pa.duration("s"))
        columns["seen"] = pc.add(columns["seen"], shift.cast(pa.duration(unit)))
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
        text = text.replace(f"{name}.csv", f"{name}.parquet")
    path.write_text(text)
    release(load(path))
    return Copy(folder, folder / "copy")


def with_column(table: pa.Table, name: str, cells: Any) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, cells)


def with_field(table: pa.Table, name: str, **changes: Any) -> pa.Table:
    place = table.column_names.index(name)
    field = table.schema.field(place)
    for change, given in changes.items():
        field = getattr(field, f"with_{change}")(given)
    return pa.Table.from_arrays(table.columns, schema=table.schema.set(place, field))


def another(column: pa.ChunkedArray) -> pa.Array:
    """The same cells in a dictionary with a category that nobody has."""
    whole = column.combine_chunks()
    return pa.DictionaryArray.from_arrays(whole.indices, pa.array([*whole.dictionary.to_pylist(), "nobody"]))


INT = pa.int32()
FORGERIES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a value": lambda t: with_column(t, "age", pa.array([50, *t["age"].to_pylist()[1:]], pa.int16())),
    "a missing value": lambda t: with_column(t, "age", pa.array([None, *t["age"].to_pylist()[1:]], pa.int16())),
    "the order of rows": lambda t: t.take(list(reversed(range(t.num_rows)))),
    "a row more": lambda t: pa.concat_tables([t, t[:1]]).combine_chunks(),
    "a row less": lambda t: t[1:],
    "no row": lambda t: t[:0],
    "a category that nobody has": lambda t: with_column(t, "sex", another(t["sex"])),
    "texts for a dictionary": lambda t: with_column(t, "sex", t["sex"].cast(pa.string())),
    "an ordered dictionary": lambda t: with_column(
        t, "sex", t["sex"].cast(pa.dictionary(pa.int32(), pa.string(), True))
    ),
    "texts for integers": lambda t: with_column(t, "age", t["age"].cast(pa.string())),
    "wider integers": lambda t: with_column(t, "age", t["age"].cast(pa.int64())),
    "doubles": lambda t: with_column(t, "age", t["age"].cast(pa.float64())),
    "finer times": lambda t: with_column(t, "seen", t["seen"].cast(pa.timestamp("us"))),
    "a time zone": lambda t: with_column(t, "seen", t["seen"].cast(pa.timestamp("ms", "UTC"))),
    "never missing": lambda t: with_field(t, "age", nullable=False),
    "metadata": lambda t: t.replace_schema_metadata({"about": "safe"}),
    "metadata of a column": lambda t: with_field(t, "age", metadata={"about": "safe"}),
    "another name": lambda t: t.rename_columns(["Age", *t.column_names[1:]]),
    "a column more": lambda t: t.append_column("height", pa.array([1] * t.num_rows)),
    "a column twice": lambda t: t.append_column("age", t["age"]),
    "a column less": lambda t: t.drop_columns(["income"]),
    "the order of columns": lambda t: t.select(list(reversed(t.column_names))),
}
"""What another table says than the one that is drawn: refused by any version of pyarrow."""
WRITERS: dict[str, dict[str, Any]] = {
    "compression": {"compression": "zstd"},
    "row groups": {"row_group_size": 3},
    "no dictionaries": {"use_dictionary": False},
    "no statistics": {"write_statistics": False},
    "sizes of pages": {"write_page_index": True},
    "no types of Arrow": {"store_schema": False},
    "another form": {"version": "1.0"},
}
"""The same table in other bytes."""


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_an_honest_table_with_times_of_any_unit_passes(tmp_path: Path, unit: str) -> None:
    own = parquet(tmp_path, unit)
    assert own.refused() is None
    assert own.refused(ledger=False) is None
    schema = pq.read_schema(own.folder / "synthetic.parquet")
    types = own.read(CERTIFICATE)["predicate"]["synthetic_table"]["types"]
    assert {field.name: str(field.type) for field in schema} == types


def test_no_forged_table_of_parquet_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither with the version of pyarrow that wrote it, nor with another one, which asks for all but the bytes."""
    own, name = parquet(tmp_path), "synthetic.parquet"
    table, whole = pq.read_table(own.folder / name), (own.folder / name).read_bytes()
    certified = (own.folder / CERTIFICATE).read_bytes()

    def passes(*, ledger: bool = False) -> bool:
        """With a certificate that is forged as well; the checks with the ledger are these and more."""
        own.put(CERTIFICATE, certified)
        own.redigest(name)
        return own.refused(ledger=ledger) is None

    def by(version: str) -> None:
        monkeypatch.setattr(verify_module.metadata, "version", lambda package: version)

    here = verify_module.metadata.version("pyarrow")
    for what, forge in FORGERIES.items():
        pq.write_table(forge(table), own.folder / name)
        for version in (here, "0.0"):
            by(version)
            assert not passes(), (what, version)
    for what, how in WRITERS.items():
        pq.write_table(table, own.folder / name, **how)
        assert (own.folder / name).read_bytes() != whole, what
        by(here)
        assert not passes(), what
        by("0.0")
        assert passes(ledger=True) == (what != "no types of Arrow"), f"{what}: another version may write other bytes"
    by(here)
    at = random.Random(5).sample(range(len(whole)), 10)
    changed = [whole[:i] + bytes([whole[i] ^ 255]) + whole[i + 1 :] for i in at]
    for content in (*changed, whole + b"more", whole[:4] + b"more" + whole[4:], whole[:-8] + b"more" + whole[-8:]):
        own.put(name, content)
        assert not passes()
    own.put(name, whole)
    assert passes(ledger=True)


def test_the_tables_of_the_request_do_not_decide_what_is_published_again(tmp_path: Path) -> None:
    """Types are stored with the draw: other types of the same public rows change nothing."""
    own, name = parquet(tmp_path), "synthetic.parquet"
    whole = (own.folder / name).read_bytes()
    private = pq.read_table(tmp_path / "private.parquet")
    pq.write_table(with_column(private, "age", private["age"].cast(pa.float64())), tmp_path / "private.parquet")
    assert release(load(tmp_path / "release.yaml")).replayed
    assert (tmp_path / FOLDER / name).read_bytes() == whole


def of_class(**functions: Any) -> Callable[[Any], None]:
    """Put another class into a model."""
    return lambda model: model["output"]["is"].update(functions={"room": "classes", **functions})


def emptied(name: str, shape: list[int]) -> Callable[[Any], None]:
    """Put an array of no number in the place of one of the model."""
    return lambda model: model["output"]["arrays"][name].update(shape=shape, values=[])


def labelled(label: Any) -> Callable[[Any], None]:
    return lambda model: model["records"].update(label=label)


def with_sizes(*sizes: int) -> Callable[[Any], None]:
    return lambda model: model["output"]["is"].update(schema=[["x", [0, size, 1]] for size in sizes])


IMPOSSIBLE: dict[str, tuple[str, Callable[[Any], None]]] = {
    "unknown class": ("hypothesis", of_class(name="nothing")),
    "unknown parameter": ("hypothesis", of_class(name="thresholds", size=3)),
    "huge class": ("hypothesis", of_class(name="halfspaces", dimension=10**9)),
    "class too large": ("answers", of_class(name="discrete_thresholds", bits=10**6)),
    "another dimension": ("answers", of_class(name="halfspaces", dimension=2)),
    "another class": ("hypothesis", of_class(name="intervals")),
    "another room": ("hypothesis", lambda model: model["output"]["is"]["functions"].update(room="learners")),
    "no parameter": ("hypothesis", emptied("parameters", [0, 1])),
    "a shape too large": ("hypothesis", emptied("parameters", [10**12, 10**12])),
    "no weight": ("answers", emptied("weights", [0])),
    "no label": ("hypothesis", labelled(None)),
    "three labels": ("hypothesis", labelled({"column": "y", "classes": ["a", "b", "c"]})),
    "a response": ("hypothesis", labelled({"column": "y", "range": [0.0, 1.0]})),
    "another schema": ("rows", with_sizes(100)),
    "a huge schema": ("rows", with_sizes(10**9)),
    "a column more": ("rows", with_sizes(101, 101)),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_an_impossible_model_is_refused_by_the_files_alone(forged: Callable[[str], Copy], what: str) -> None:
    """In one line that names it, though digest and certificate are forged as well."""
    kind, edit = IMPOSSIBLE[what]
    own = forged(kind)
    model = own.read(MODEL)
    edit(model)
    own.put(MODEL, model_bytes(model))
    own.redigest(MODEL)
    statement = own.read(CERTIFICATE)
    statement["predicate"]["schema"] = model["records"]
    own.put(CERTIFICATE, to_bytes(statement))
    failed = [str(check) for check in verify(own.folder) if not check.passed]
    (line,) = (line for line in failed if line.startswith(f"FAILED  {MODEL} holds a model: "))
    assert len(line.splitlines()) == 1
    with pytest.raises(ValueError, match=re.escape(line.partition(": ")[2])):
        Model.load(own.folder / MODEL)


# ---------------------------------------------------------------------------------------------------- any file
FILES = {
    "empty": b"",
    "binary": bytes(range(256)),
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "many digits": b'{"_type": ' + b"9" * 100_000 + b"}",
    "number": b"7",
    "null": b"null",
    "text": b'"certificate"',
    "list": b"[{}]",
    "object": b"{}",
    "infinite": b'{"epsilon": Infinity}',
    "no number": b'{"epsilon": NaN}',
    "beyond": b'{"epsilon": 1e999}',
    "twice": b'{"epsilon": 1, "epsilon": 2}',
    "byte order": b"\xef\xbb\xbf{}",
    "utf-16": "{}".encode("utf-16"),
    "half": b'{"_type": "https://in-toto.io/Sta',
    "lone surrogate": b'{"\\ud800": 1, "\\ud800": 2}',
}


@pytest.mark.parametrize("name", [CERTIFICATE, MODEL, "synthetic.csv", "ledger"])
def test_any_file_is_refused(forged: Callable[[str], Copy], name: str, tmp_path: Path) -> None:
    own = forged("answers")
    if name == "ledger":
        own.ledger = tmp_path / "other.jsonl"
    for what, content in FILES.items():
        (own.ledger if name == "ledger" else own.folder / name).write_bytes(content)
        assert own.refused() is not None, what
        assert own.refused(ledger=False) is not None or name == "ledger", what


def test_a_refusal_is_one_line_of_the_command(
    forged: Callable[[str], Copy], capsys: pytest.CaptureFixture[str]
) -> None:
    own = forged("answers")
    for name, command in ((MODEL, "verify"), (CERTIFICATE, "verify"), (CERTIFICATE, "registry")):
        for what in ("deep lists", "lone surrogate"):
            own.put(name, FILES[what])
            assert main([command, str(own.folder)]) == 2
            printed = capsys.readouterr()
            assert len(printed.err.splitlines()) == 1
            assert name in printed.out + printed.err
            assert (printed.out + printed.err).isascii()


@pytest.mark.parametrize("name", [CERTIFICATE, MODEL, "synthetic.csv"])
def test_a_folder_a_pipe_and_links_are_no_file_of_a_release(
    forged: Callable[[str], Copy], tmp_path: Path, name: str
) -> None:
    own = forged("rows")
    path, other = own.folder / name, tmp_path / "elsewhere"
    path.rename(other)
    assert own.refused() is not None
    path.symlink_to(other)
    if name == MODEL:
        assert Model.load(path).kind == "grown_rows", "whoever uses a model may keep it anywhere"
    assert "is a link out of its folder" in str(own.refused()) or name != CERTIFICATE
    assert own.refused() is not None
    path.unlink()
    path.symlink_to(path)
    assert own.refused() is not None
    path.unlink()
    path.mkdir()
    assert own.refused() is not None
    path.rmdir()
    os.mkfifo(path)
    assert own.refused() is not None


def test_what_nothing_vouches_for_is_named(forged: Callable[[str], Copy], capsys: pytest.CaptureFixture[str]) -> None:
    own = forged("hypothesis")
    for name in ("figure.png", "figure.pdf", "notes.txt", "a\nok    b"):
        own.put(name, b"x")
    (own.folder / "link").symlink_to("/")
    (own.folder / "private").mkdir()
    assert main(["verify", str(own.folder), "--ledger", str(own.ledger)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[-3] == "WARNING private/ is for sums of private rows, which are not part of a release: never publish it"
    )
    assert lines[-2] == "not checked: figure.pdf, figure.png (pictures): nothing vouches for them"
    assert lines[-1] == (
        "not checked: 'a\\nok    b', link, notes.txt (not part of a release): nothing vouches for them"
    )
    own.put("synthetic.parquet", b"x")
    assert own.refused() == "FAILED  synthetic.parquet is certified"


def test_a_certified_file_that_is_no_part_of_a_release(forged: Callable[[str], Copy]) -> None:
    own = forged("hypothesis")
    for name in ("extra.csv", "synthetic.csv", "../extra.csv", "/etc/hostname"):
        statement = own.read(CERTIFICATE)
        (own.folder / Path(name).name).write_bytes(b"x\n1\n")
        statement["subject"] = [{"name": name, "digest": {"sha256": sha256(b"x\n1\n")}}, *statement["subject"][-1:]]
        own.put(
            CERTIFICATE,
            to_bytes({**statement, "subject": sorted(statement["subject"], key=lambda subject: str(subject["name"]))}),
        )
        assert "the certified files are those of a release" in str(own.refused())


def forged_model(functions: dict[str, Any]) -> dict[str, Any]:
    """A model of one feature, of a hypothesis in other functions."""
    return {
        "format": "semipriv model 1",
        "release": "visits",
        "records": {"features": [{"column": "x", "range": [0, 1]}], "label": None},
        "sizes": {"n_private": 1},
        "output": {
            "is": {"kind": "hypothesis", "functions": functions},
            "arrays": {"parameters": {"type": "float64", "shape": [2], "values": [1.0, 2.0]}},
        },
    }


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ({"room": "cli", "name": "check"}, "is not the model of a release"),
        ({"room": "../../other", "name": "x"}, "is not the model of a release"),
        ({"room": "classes", "name": "../cli/check"}, "unknown here"),
        ({"room": "classes", "name": "X" * 10_000}, "unknown here"),
        ({"room": ["classes"], "name": {}}, "is not the model of a release"),
        ({"room": "regions", "name": "cover"}, "is not the model of a release"),
    ],
)
def test_a_model_imports_classes_alone(tmp_path: Path, functions: dict[str, Any], words: str) -> None:
    (tmp_path / MODEL).write_bytes(model_bytes(forged_model(functions)))
    with pytest.raises(ValueError, match=words) as refused:
        Model.load(tmp_path / MODEL)
    assert len(str(refused.value)) < 500


def test_numbers_that_would_take_for_ever(forged: Callable[[str], Copy]) -> None:
    own = forged("rows")
    model_before = (own.folder / MODEL).read_bytes()
    whole = own.read(CERTIFICATE)
    for event in (
        {"event": "Pure", "epsilon": "1e999999999"},
        {"event": "Composed", "parts": [[{"event": "Pure", "epsilon": "1"}, 10**30]]},
        {"event": "Pure", "epsilon": "9" * 5000},
    ):
        statement = copy.deepcopy(whole)
        statement["predicate"]["event"] = event
        own.put(CERTIFICATE, to_bytes(statement))
        assert "predicate.event" in str(own.refused())
    own.put(CERTIFICATE, to_bytes(whole))
    model = forged_model({"room": "classes", "name": "halfspaces", "dimension": 10**8})
    own.put(MODEL, model_bytes(model))
    with pytest.raises(ValueError, match="is not the model of a release"):
        Model.load(own.folder / MODEL)
    model = json.loads(model_before)
    model["sizes"]["n_private"] = 10**15
    own.put(MODEL, model_bytes(model))
    own.redigest(MODEL)
    assert own.refused() is not None
