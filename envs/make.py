"""Make an environment from a lock: ``python envs/make.py FOLDER LOCK [--editable]``, as the Makefile does.

The folder is emptied first, so a link, and a folder that somebody else made, are refused before anything is touched.  A
folder is ours if it is stamped: ``.semipriv`` as soon as there is a folder, ``.complete`` when all is installed.  So an
installation that was interrupted is made again.  The standard library alone is used, on whichever Python there is.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

OLDEST = (3, 11)
PLAIN = re.compile(r"[\w/.,+@=~-]*")
"""Paths that every shell, and every program that starts another by a line of text, reads as they are."""
OURS, COMPLETE = ".semipriv", ".complete"


def obstacle(folder: Path) -> "str | None":
    """Return why an environment must not be made in a folder, in one line; None if it may be."""
    if folder.is_symlink():
        return f"is a link to {os.readlink(folder)}, and what is there would be deleted: remove the link"
    if not folder.exists():
        return None
    if not folder.is_dir():
        return "is a file, not an environment: move it away"
    if any((folder / stamp).exists() for stamp in (OURS, COMPLETE)) or not any(folder.iterdir()):
        return None
    return "was not made by this Makefile, and what is there would be deleted: move it away, or remove it"


def misplaced(checkout: Path) -> "str | None":
    """Return why a checkout cannot work where it is, in one line; None if it can.

    Scripts name their Python by its path in their first line, and Snakemake starts jobs by lines of text.
    """
    letters = sorted({repr(letter) for letter in str(checkout) if not PLAIN.fullmatch(letter)})
    if not letters:
        return None
    place = str(checkout).encode("unicode_escape").decode()
    return f"{place}: has {', '.join(letters)} in its path, which not all programs take: move this folder"


def empty(folder: Path) -> None:
    """Make a folder that holds our stamp alone."""
    folder.mkdir(exist_ok=True)
    (folder / OURS).touch()
    (folder / COMPLETE).unlink(missing_ok=True)
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != OURS:
            path.unlink()


def install(folder: Path, *arguments: str) -> None:
    """Run pip in an environment."""
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, *arguments], check=True)


def main() -> None:
    """Make the environment that the command line names; leave with one line where that cannot be."""
    if sys.version_info < OLDEST:
        oldest, running = (".".join(map(str, version)) for version in (OLDEST, sys.version_info[:3]))
        sys.exit(f"semipriv needs Python {oldest} or newer, {sys.executable} is {running}: make PYTHON=...")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("lock", type=Path)
    parser.add_argument("--editable", action="store_true", help="install the checkout as well")
    asked = parser.parse_args()
    reason = misplaced(Path.cwd())
    if reason:
        sys.exit(f"{reason}; allowed are letters, digits and / . , + @ = ~ _ -")
    reason = obstacle(asked.folder)
    if reason:
        sys.exit(f"{asked.folder}: {reason}")
    empty(asked.folder)
    try:
        venv.create(asked.folder, symlinks=True, with_pip=True)
    except subprocess.CalledProcessError as error:
        sys.exit(
            f"{asked.folder}: {sys.executable} has no pip to install; on Debian: apt install python3-venv ({error})"
        )
    try:
        install(asked.folder, "--require-hashes", "--requirement", str(asked.lock))
        if asked.editable:
            install(asked.folder, "--no-deps", "--no-build-isolation", "--editable", ".")
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)  # pip has said why
    (asked.folder / COMPLETE).touch()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("interrupted: the same command makes the environment again")
