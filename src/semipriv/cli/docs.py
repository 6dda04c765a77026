"""``semipriv docs``: read the guides and the reference of all keys, which are part of the library."""

import argparse
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Any

from semipriv.core.registry import check_name

FOLDER = Path(__file__).parents[1] / "guides"
"""The pages, which are those of ``docs/`` in a checkout; pictures are in a checkout and on the site alone."""


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "docs",
        allow_abbrev=False,
        help="read the guides and the reference of all keys, which are part of the library",
        description="Lists the guides, or prints one as Markdown.  Pictures are in a checkout and on the site alone.",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="guide, such as release or configuration, or a link of a guide as it stands there",
    )
    parser.add_argument("--path", action="store_true", help="tell where its file is instead")
    parser.set_defaults(run=_docs)


def _docs(options: argparse.Namespace) -> int:
    pages = {path.stem: path for path in sorted(FOLDER.glob("*.md")) if path.is_file()}
    if options.name is None:
        width = max(map(len, pages))
        print(FOLDER if options.path else "\n".join(f"{name:<{width}}  {title(page)}" for name, page in pages.items()))
        return 0
    page = pages[check_name("guide", _linked(options.name, pages), [*pages])]
    print(page if options.path else page.read_text(encoding="utf-8"), end="\n" if options.path else "")
    return 0


def _linked(link: str, pages: Collection[str]) -> str:
    """Return the name of the guide that a link of a guide leads to, or the link where it leads to none.

    >>> _linked("../release.md#the-budget", ["release"]), _linked("visits.md", ["tutorial-visits"])
    ('release', 'tutorial-visits')
    >>> _linked("config/README.md", ["configuration"]), _linked("relese", ["release"])
    ('configuration', 'relese')
    """
    path = PurePosixPath(link.partition("#")[0])
    name = "configuration" if path.parts[-2:] == ("config", "README.md") else path.name.removesuffix(".md")
    return next((page for page in (name, f"tutorial-{name}") if page in pages), link)


def title(page: Path) -> str:
    """Return the first heading of a page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), page.stem)
