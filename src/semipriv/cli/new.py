"""``semipriv new``: write a file for a learner, a class, an experiment or a study, which `semipriv check` passes."""

import argparse
import re
from pathlib import Path

from semipriv.cli._templates import FILES

FOLDER = Path("mine")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "new",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="write a file for a learner, a class, an experiment or a study, which `semipriv check` passes",
        description=(
            "Writes the shortest file of its kind into a plug-in folder, and says how to check and use it.  Replace\n"
            "what it does by what you mean.  A study is a folder of a paper, with its title, and its lists of\n"
            "claims and studies."
        ),
        epilog="example:\n  semipriv new learner my_learner\n  semipriv check mine/learners/my_learner.py",
    )
    parser.add_argument("kind", choices=[*FILES], help="what to write")
    parser.add_argument("name", metavar="NAME", help="its name in configurations: small letters, digits and _")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"plug-in folder (default {FOLDER})")
    parser.set_defaults(run=_new)


def _new(options: argparse.Namespace) -> int:
    paths = write(options.kind, options.name, options.folder)
    print("\n".join(map(str, paths)))
    print(f"semipriv check {paths[-1]}")
    print(f"semipriv --plugins {options.folder} ...  # commands that are to know it; `semipriv docs adding`")
    return 0


def write(kind: str, name: str, folder: Path) -> list[Path]:
    """Write the files of a kind, and return their paths, the one to check last.

    Raise ValueError for a name of anything but small letters, digits and _, and for a file that exists already.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"name = {name!r}: must be small letters, digits and _, with a letter first, as my_learner")
    plain = name.replace("_", "")
    words = {
        "NAME": name,
        "TYPE": "".join(map(str.capitalize, name.split("_"))),
        "FOLDER": plain,
        "PAPER": plain.upper(),
    }

    def filled(text: str) -> str:
        return re.sub(rf"\b({'|'.join(words)})\b", lambda match: words[match[0]], text)

    files = {folder / filled(path): filled(text) for path, text in FILES[kind].items()}
    for path in files:
        if path.exists():
            raise ValueError(f"{path}: is there already, take another name")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [*files]
