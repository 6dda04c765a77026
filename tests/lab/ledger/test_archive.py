"""An archive of results: equal bytes of equal files; what was altered is refused; its numbers are those of the run."""

import gzip
import hashlib
import io
import json
import subprocess
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
from lab_fixtures import MICRO
from places import ROOT

from semipriv.cli import main
from semipriv.core import tables
from semipriv_lab.cli import claim as command
from semipriv_lab.ledger import archive
from semipriv_lab.ledger.table import CLAIMS, shown_verdict

CONTENTS = {"summary.txt": b"3 claims", "figures/a.png": bytes(range(256)) * 40, "claims.parquet": b""}


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "a.tar.gz"
    archive.write(CONTENTS, path)
    return path


def unpacked(path: Path) -> dict[str, bytes]:
    with archive.opened(path) as folder:
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_bytes_depend_on_the_files_alone(packed: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "b.tar.gz"
    digest = archive.write(dict(reversed(CONTENTS.items())), other)
    assert other.read_bytes() == packed.read_bytes()
    assert digest == hashlib.sha256(packed.read_bytes()).hexdigest()
    assert unpacked(packed) == CONTENTS


def test_others_can_check_it_with_common_tools(packed: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", packed], cwd=tmp_path, check=True)
    inside = tmp_path / archive.FOLDER
    subprocess.run(["sha256sum", "--check", "--strict", archive.DIGESTS], cwd=inside, check=True, capture_output=True)


def test_cut_anywhere_it_is_refused(packed: Path) -> None:
    whole = packed.read_bytes()
    for length in [*range(0, len(whole), 40), len(whole) - 1]:
        packed.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"^\S+a\.tar\.gz: "):
            unpacked(packed)


def test_altered_anywhere_it_is_refused(packed: Path) -> None:
    """But in the header of gzip, which has no sum: then what is read is what was written."""
    whole = packed.read_bytes()
    for place in range(0, len(whole), 9):
        packed.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        if place < 10:
            with suppress(ValueError):
                assert unpacked(packed) == CONTENTS
            continue
        with pytest.raises(ValueError, match=r"^\S+a\.tar\.gz: "):
            unpacked(packed)


def forged(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as file:
        for member, data in members:
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


def listed(**contents: bytes) -> tuple[tarfile.TarInfo, bytes]:
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in contents.items())
    return member(f"{archive.FOLDER}/{archive.DIGESTS}"), lines.encode()


@pytest.mark.parametrize(
    ("name", "kind", "link"),
    [
        ("../escaped", tarfile.REGTYPE, ""),
        ("/tmp/escaped", tarfile.REGTYPE, ""),
        (f"{archive.FOLDER}/../../escaped", tarfile.REGTYPE, ""),
        (f"{archive.FOLDER}/./a", tarfile.REGTYPE, ""),
        (f"{archive.FOLDER}\\..\\escaped", tarfile.REGTYPE, ""),
        (f"{archive.FOLDER}/a", tarfile.SYMTYPE, "/etc/passwd"),
        (f"{archive.FOLDER}/a", tarfile.LNKTYPE, "/etc/passwd"),
        (f"{archive.FOLDER}/a", tarfile.FIFOTYPE, ""),
        (f"{archive.FOLDER}/a", tarfile.DIRTYPE, ""),
        (archive.FOLDER, tarfile.REGTYPE, ""),
        ("elsewhere/a", tarfile.REGTYPE, ""),
    ],
)
def test_what_is_no_file_of_its_folder_is_refused(tmp_path: Path, name: str, kind: bytes, link: str) -> None:
    path = forged(tmp_path / "a.tar.gz", listed(a=b""), (member(name, kind, link), b""))
    with pytest.raises(ValueError, match="is no file in semipriv-results/"):
        unpacked(path)
    assert [file.name for file in tmp_path.iterdir()] == ["a.tar.gz"]


def test_members_and_digests_must_agree(tmp_path: Path) -> None:
    path, inside = tmp_path / "a.tar.gz", f"{archive.FOLDER}/a"
    cases = [
        ([(member(inside), b"")], "must begin with semipriv-results/SHA256SUMS"),
        ([listed(a=b"1"), (member(inside), b"2")], "a: does not have the digest"),
        ([listed(a=b"1")], "a: is missing"),
        ([listed(), (member(inside), b"")], "a: is not listed"),
        ([listed(a=b""), (member(inside), b""), (member(inside), b"")], "is there twice"),
        ([(member(f"{archive.FOLDER}/{archive.DIGESTS}"), b"no digest\n")], "has a line that is no digest"),
    ]
    for members, why in cases:
        with pytest.raises(ValueError, match=why):
            unpacked(forged(path, *members))
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(ValueError, match=r"a\.tar\.gz: "):
        unpacked(path)
    with pytest.raises(ValueError, match="does not exist"):
        unpacked(tmp_path / "b.tar.gz")


def test_more_bytes_than_results_have_are_refused(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST", 5000)
    with pytest.raises(ValueError, match="holds more than 5,000 bytes"):
        unpacked(packed)


def test_numbers_of_a_run_are_cited_from_its_archive(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(command._Run, "measure", None)  # nothing runs
    path = str(tmp_path / "run.tar.gz")
    config = ["--configfile", str(MICRO), "--directory", str(finished)]
    assert main(["archive", "--into", path, *config]) == 0
    text = capsys.readouterr().out
    assert f"sha256 {hashlib.sha256(Path(path).read_bytes()).hexdigest()}" in text
    assert "left out" in text
    again = tmp_path / "again.tar.gz"
    assert main(["archive", "--into", str(again), *config]) == 0
    assert again.read_bytes() == Path(path).read_bytes()
    results = finished / "results"
    files = unpacked(Path(path))
    assert all((results / name).read_bytes() == data for name, data in files.items() if name != "versions.json")
    assert json.loads(files["versions.json"])["packages"]["numpy"]
    capsys.readouterr()
    for before, after in [(path, str(results)), (str(results), path), (path, path)]:
        assert main(["diff", before, after]) == 0
    rows = tables.read_rows(results / "claims.parquet", CLAIMS)
    for row in (
        next(entry for entry in rows if entry["experiment"]),
        next(entry for entry in rows if not entry["experiment"]),
    ):
        capsys.readouterr()
        code = main(["claim", row["claim"], "--results", path, "--json", "--measurements"])
        printed = json.loads(capsys.readouterr().out)
        assert code == (0 if row["experiment"] or row["kind"] == "cited" else command.REFUSED)
        assert printed["verdict"] == shown_verdict(row)
        assert {name: printed[name] for name in ("measured", "bound", "statement")} == {
            name: row[name] for name in ("measured", "bound", "statement")
        }
        assert bool(printed["cells"]) == bool(row["experiment"])
    assert main(["claim", "ABM19-E9", "--results", path]) == 2
    assert "unknown claim 'ABM19-E9': did you mean" in capsys.readouterr().err
    assert main(["claim", "ABM19-E1", "--results", path, "--effort", "1"]) == 2
    assert main(["claim", "ABM19-E1", "--results", str(results)]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["archive", "--configfile", str(MICRO), "--directory", str(tmp_path / "empty")]) == 2
    assert "summary.txt: does not exist" in capsys.readouterr().err
