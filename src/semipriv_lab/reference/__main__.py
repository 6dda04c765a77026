"""``python -m semipriv_lab.reference FOLDER``: write the pages of the reference."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from semipriv_lab.cli._workflow import checkout
from semipriv_lab.reference.declared import Declared
from semipriv_lab.reference.pages import write


def main(given: Sequence[str] | None = None) -> None:
    """Write the pages of the checkout in which the current folder is."""
    parser = argparse.ArgumentParser(
        prog="python -m semipriv_lab.reference",
        allow_abbrev=False,
        description="Write pages in Markdown about papers, claims, experiments and plug-ins, made from the code.",
    )
    parser.add_argument("folder", type=Path, help="where the pages go")
    parser.add_argument(
        "--root",
        metavar="URL",
        help="address of the repository's files; without it links are relative, for pages in docs/reference",
    )
    options = parser.parse_args(given)
    root = None if options.root is None else options.root.rstrip("/")
    pages = write(options.folder, Declared(checkout(Path.cwd())), root)
    print(f"{len(pages)} pages in {options.folder}")


if __name__ == "__main__":
    main()
