"""``semipriv docs``: guides are part of the library, and messages name no file that a wheel lacks."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import semipriv
from semipriv.cli import main
from semipriv.cli.docs import FOLDER

PACKAGE = Path(semipriv.__file__).parent


def strings(tree: ast.Module) -> Iterator[str]:
    """All texts of a module but docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told | alone:
            yield node.value


def test_no_message_points_to_a_file_that_a_wheel_lacks() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): text
        for path in PACKAGE.rglob("*.py")
        if not path.is_relative_to(PACKAGE / "audit/laws")
        for text in strings(ast.parse(path.read_text()))
        if "docs/" in text or "config/README" in text
    }
    assert found == {}


def test_guides_that_messages_name_are_there() -> None:
    named = {
        text.split("`semipriv docs ")[1].partition("`")[0]
        for path in PACKAGE.rglob("*.py")
        for text in strings(ast.parse(path.read_text()))
        if "`semipriv docs " in text
    }
    assert len(named) > 3
    assert named <= {page.stem for page in FOLDER.glob("*.md")}


def test_a_guide_is_listed_and_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    assert "\nrelease  " in capsys.readouterr().out
    assert main(["docs", "release"]) == 0
    assert capsys.readouterr().out == (FOLDER / "release.md").read_text()
    assert main(["docs", "release", "--path"]) == 0
    assert capsys.readouterr().out == f"{FOLDER / 'release.md'}\n"
    assert main(["docs", "relese"]) != 0
    assert "did you mean 'release'?" in capsys.readouterr().err
