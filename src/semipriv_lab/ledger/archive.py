"""The results of a run as one archive with digests: from it numbers are cited without running anything.

The archive is a file ``.tar.gz`` of one folder.  Its first member, ``SHA256SUMS``, has the SHA-256 of every other
member, in the form that ``sha256sum --check`` reads.  Names are sorted, and times and owners are fixed, so that equal
files have equal bytes.
"""

import gzip
import hashlib
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from semipriv.core.files import atomic

FOLDER = "semipriv-results"
"""The folder that all members are in."""
DIGESTS = "SHA256SUMS"
SUFFIX = ".tar.gz"
LARGEST = 2**32
"""Most bytes that are taken out of an archive: more is no archive of results."""
_BLOCK = 2**20
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def write(contents: Mapping[str, bytes], target: str | Path) -> str:
    """Write files to an archive, whole or not at all; return the SHA-256 of the archive.

    contents: bytes by name, with slashes between folders.
    """
    names = sorted(contents)
    digests = "".join(f"{hashlib.sha256(contents[name]).hexdigest()}  {name}\n" for name in names).encode()
    with atomic(target) as path:
        with (
            path.open("wb") as file,
            gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for name, data in [(DIGESTS, digests), *((name, contents[name]) for name in names)]:
                member = tarfile.TarInfo(f"{FOLDER}/{name}")
                member.size, member.mode = len(data), 0o644
                archive.addfile(member, BytesIO(data))
        return digest(path)


def digest(path: str | Path) -> str:
    """Return the SHA-256 of a file, by which an archive is cited."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_archive(path: str | Path) -> bool:
    """Return whether a path names an archive, by its suffix."""
    return str(path).endswith(SUFFIX)


@contextmanager
def opened(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder with the files of an archive.

    Raise ValueError, naming the archive and what is wrong, if it is damaged or truncated, has a member that is no file
    in its folder, or one that does not have its digest.  Nothing is read before the whole archive was checked.
    """
    if not Path(path).is_file():
        raise ValueError(f"{path}: does not exist; `make archive` writes an archive of results")
    with TemporaryDirectory(prefix="semipriv-") as folder:
        try:
            _unpack(path, Path(folder))
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{path}: is damaged or truncated, and was not used ({error})") from None
        yield Path(folder)


def _unpack(path: str | Path, folder: Path) -> None:
    """Unpack an archive into an empty folder, member by member, each checked against its digest."""
    taken = 0
    with gzip.open(path) as packed:
        with tarfile.open(fileobj=packed, mode="r|") as archive:
            expected: dict[str, str] | None = None
            for member in archive:
                name = _name(path, member)
                taken += member.size
                if taken > LARGEST:
                    raise ValueError(f"{path}: holds more than {LARGEST:,} bytes: it is no archive of results")
                data = archive.extractfile(member)
                assert data is not None
                if expected is None:
                    expected = _digests(path, name, data)
                    continue
                if name not in expected:
                    raise ValueError(f"{path}: {name}: is not listed in {DIGESTS}, or is there twice")
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                if _copied(data, target) != expected.pop(name):
                    raise ValueError(f"{path}: {name}: does not have the digest that {DIGESTS} gives; it was altered")
        while packed.read(_BLOCK):  # up to the end, where the sum over all bytes stands
            pass
    if expected is None or expected:
        lacking = next(iter(expected or [DIGESTS]))
        raise ValueError(f"{path}: {lacking}: is missing; the archive is not whole")


def _name(path: str | Path, member: tarfile.TarInfo) -> str:
    """Return the name of a member inside of the folder of the archive; refuse all but files in it."""
    parts = PurePosixPath(member.name).parts
    plain = member.name == "/".join(parts) and "\\" not in member.name and ".." not in parts
    if not member.isreg() or not plain or len(parts) < 2 or parts[0] != FOLDER:
        raise ValueError(f"{path}: {member.name!r}: is no file in {FOLDER}/; nothing of the archive was used")
    return "/".join(parts[1:])


def _digests(path: str | Path, name: str, data: IO[bytes]) -> dict[str, str]:
    """Return the digests by name that the first member lists."""
    if name != DIGESTS:
        raise ValueError(f"{path}: must begin with {FOLDER}/{DIGESTS}: it is no archive of `make archive`")
    lines = [_LINE.fullmatch(line) for line in data.read().decode("utf-8", "replace").splitlines()]
    if not all(lines):
        raise ValueError(f"{path}: {DIGESTS}: has a line that is no digest with a name")
    return {line[2]: line[1] for line in lines if line}


def _copied(data: IO[bytes], target: Path) -> str:
    """Write data to a new file; return the SHA-256."""
    sum_ = hashlib.sha256()
    with target.open("xb") as file:
        while block := data.read(_BLOCK):
            sum_.update(block)
            file.write(block)
    return sum_.hexdigest()
