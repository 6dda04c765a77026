"""Pages that are run, as Jupyter notebooks beside them: ``python docs/hooks/notebooks.py FOLDER`` writes them alone.

Text becomes a cell of text, Python and commands become cells to run, and a file becomes a cell that writes it.  A
notebook works in an empty folder of its own.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
from commands import BLOCK, FILE, MARK

COMMAND = re.compile(r"^\$ (.*(?:\\\n.*)*)", re.M)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)[^)]*\)")
START = """\
# the packages of the environment that runs this notebook, and an empty folder
import os, sys, tempfile

os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
os.chdir(tempfile.mkdtemp())
sys.path.insert(0, os.getcwd())"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebook of each page that is run."""
    for page in list(files.documentation_pages()):
        if MARK in page.content_string:
            files.append(File.generated(config, _place(page.src_uri), content=notebook(page.content_string)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead from a page that is run to its notebook."""
    name = Path(_place(page.file.src_uri)).name
    return markdown.replace(MARK, f"{MARK}\n\nThis page is a [Jupyter notebook]({name}), too.\n", 1)


def _place(page: str) -> str:
    return page.removesuffix(".md") + ".ipynb"


def notebook(text: str) -> str:
    """Return a page as a notebook."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": [cell | {"id": f"cell-{i}"} for i, cell in enumerate(_cells(text.replace(MARK, "")))],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cells(text: str) -> Iterator[dict[str, Any]]:
    yield _code(START)
    end = 0
    for block in BLOCK.finditer(text):
        yield from _said(text[end : block.start()])
        end, language, code = block.end(), block[1], block[2].rstrip("\n")
        file = FILE.match(block[2])
        if language == "console":
            yield _code("\n".join(f"!{command}" for command in COMMAND.findall(code)))
        elif file:
            if "/" in file[1]:
                yield _code(f"os.makedirs({str(Path(file[1]).parent)!r}, exist_ok=True)")
            yield _code(f"%%writefile {file[1]}\n{code}")
        elif language == "python":
            yield _code(code)
        else:
            yield from _said(block[0])
    yield from _said(text[end:])


def _said(text: str) -> Iterator[dict[str, Any]]:
    """Yield a cell of text, whose links to other pages are words: a notebook is alone."""
    if text.strip():
        yield {"cell_type": "markdown", "metadata": {}, "source": LINK.sub(r"\2", text.strip())}


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}


def main(folder: str) -> None:
    """Write the notebooks of all tutorials into a folder."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for page in sorted((Path(__file__).parents[1] / "tutorials").glob("*.md")):
        Path(folder, page.stem + ".ipynb").write_text(notebook(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
