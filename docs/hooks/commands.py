"""Run what a page shows, and show what came out.

A page with the line ``<!-- run -->`` is run from top to bottom in an empty folder when the site is built:

- ``console``: each line that begins with ``$`` is a command; its output is put below it;
- ``python``: is run, and what it prints, with the value of each expression, is put below it;
- ``python`` or ``yaml`` whose first line is ``# NAME.EXTENSION``: is written to that file.

Paths below that folder are shown as paths from it.  A command that fails ends the build, and so does an output that has
another path of this machine.
"""

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

MARK = "<!-- run -->"
BLOCK = re.compile(r"^```(console|python|yaml)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"# (\S+\.\w+)\n")
RUNS = os.environ.get("SEMIPRIV_DOCS_RUN", "1") != "0"
"""Whether to run pages: not where the links alone are looked at."""


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Run a page that asks for it."""
    if MARK not in markdown or not RUNS:
        return markdown
    return run(markdown, page.file.src_uri, Path(config.config_file_path).parent)


@cache
def run(text: str, name: str, root: Path) -> str:
    """Return the text of a page with what came out of its blocks; raise PluginError if one fails."""
    names: dict[str, Any] = {"__name__": "page"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _importing(folder):

        def shown(block: re.Match[str]) -> str:
            language, code = block[1], block[2]
            place = f"{name}, line {text[: block.start()].count(chr(10)) + 1}"
            file = FILE.match(code)
            if language == "console":
                result = f"```console\n{_session(code, place)}```"
            elif file:
                Path(file[1]).parent.mkdir(parents=True, exist_ok=True)
                Path(file[1]).write_text(code, encoding="utf-8")
                return f'```{{ .{language} title="{file[1]}" }}\n{code.partition(chr(10))[2]}```'
            elif language == "python":
                printed = _python(code, names, place)
                result = block[0] + (f'\n\n```{{ .text title="output" }}\n{printed}```' if printed else "")
            else:
                return block[0]
            for path in (folder, str(root), str(Path.home())):
                if path in result:
                    raise PluginError(f"{place}: the output has a path of this machine:\n{result}")
            return result

        return BLOCK.sub(shown, text)


@contextlib.contextmanager
def _importing(folder: str) -> Iterator[None]:
    """Let Python import from a folder for a while, and forget what it imported from there."""
    before = list(sys.path)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path[:] = before
        for name in [
            name for name, module in sys.modules.items() if str(getattr(module, "__file__", "")).startswith(folder)
        ]:
            del sys.modules[name]


def _session(code: str, place: str) -> str:
    """Run the commands of a block, and return them with their outputs."""
    session = ""
    for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", code, flags=re.M):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=environment, check=False, timeout=600
        )
        if done.returncode:
            raise PluginError(f"{place}: {command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        session += f"$ {command}\n{done.stdout}".replace(f"{Path.cwd()}/", "")
    if not session:
        raise PluginError(f"{place}: a console block without a command: each begins with $")
    return session


def _python(code: str, names: dict[str, Any], place: str) -> str:
    """Run Python, and return what it prints and the values of its expressions."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            for node in ast.parse(code).body:
                if isinstance(node, ast.Expr):
                    value = eval(compile(ast.Expression(node.value), place, "eval"), names)
                    if value is not None:
                        print(repr(value))
                else:
                    exec(compile(ast.Module([node], []), place, "exec"), names)
    except Exception as error:
        raise PluginError(f"{place}: {type(error).__name__}: {error}") from error
    return printed.getvalue()
