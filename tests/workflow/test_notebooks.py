"""The tutorials as notebooks: each cell runs as Jupyter runs it, and they say what the pages say."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from places import ROOT

PAGES = sorted((ROOT / "docs/tutorials").glob("*.md"))
RUN = """
import sys
import nbformat
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in nbformat.read(sys.argv[1], 4).cells:
    if cell.cell_type == "code":
        shell.user_ns["_exit_code"] = 0
        done = shell.run_cell(cell.source)
        done.raise_error()
        assert shell.user_ns["_exit_code"] == 0, cell.source
"""


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    subprocess.run([sys.executable, ROOT / "docs/hooks/notebooks.py", folder], check=True)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_has_all_of_its_page(page: Path, notebooks: Path) -> None:
    """It is valid, and each line of code and of prose is in it once."""
    notebook = nbformat.read(notebooks / f"{page.stem}.ipynb", 4)
    nbformat.validate(notebook)
    text = "\n".join(cell.source for cell in notebook.cells)
    lines = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", page.read_text()).splitlines()
    for line in lines:
        words = line.removeprefix("$ ").strip()
        if words and not words.startswith(("```", "<!--")) and "](" not in words:
            assert words in re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text), words
    assert not re.search(r"\]\((?!http)", text), "no link leads to a page that is not there"


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_cell_runs(page: Path, notebooks: Path) -> None:
    pytest.importorskip("IPython", reason="NOT TESTED: IPython is not installed")
    command = [sys.executable, "-c", RUN, notebooks / f"{page.stem}.ipynb"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_a_cell_that_fails_is_found(tmp_path: Path) -> None:
    """The way in which cells are run sees a command that fails."""
    pytest.importorskip("IPython", reason="NOT TESTED: IPython is not installed")
    cells = [
        {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": "!false"}
    ]
    path = tmp_path / "failing.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    done = subprocess.run([sys.executable, "-c", RUN, path], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode != 0
