"""``semipriv docs``: guides are part of the library, and messages name no file that a wheel lacks."""

import ast
import re
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
    shown = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in shown | alone:
            yield node.value


def examples_of(words: str) -> Iterator[tuple[str, str]]:
    """Modules with their texts in which these words are; the properties are tests."""
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text()
        if words in source and not path.is_relative_to(PACKAGE / "audit/properties"):
            yield from ((path.name, text) for text in strings(ast.parse(source)) if words in text)


@pytest.mark.parametrize("place", ["docs/", "config/README"])
def test_no_message_points_to_a_file_that_a_wheel_lacks(place: str) -> None:
    assert list(examples_of(place)) == []


def test_guides_that_messages_name_are_there() -> None:
    command = "`semipriv docs "
    named = {part.partition("`")[0] for _, text in examples_of(command) for part in text.split(command)[1:]}
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
    assert "did you mean 'release'" in capsys.readouterr().err


def test_every_link_of_a_guide_is_read_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    """A reader of a terminal follows a link by its text; only the README, which no wheel has, is not a guide."""
    pages = sorted(FOLDER.glob("*.md"))
    text = "".join(re.sub(r"```.*?```", "", page.read_text(), flags=re.S) for page in pages)
    links = {link for link in re.findall(r"\]\(([^)\s]+\.md(?:#[^)]*)?)\)", text) if "://" not in link}
    assert len(links) > 100
    unread = {link for link in links if main(["docs", link, "--path"])}
    capsys.readouterr()
    assert {link.partition("#")[0].rpartition("/")[2] for link in unread} <= {
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    }
