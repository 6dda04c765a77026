"""README and pages: links lead somewhere, every page is found from the README, and the Python in them runs."""

import re
from pathlib import Path

import pytest
from places import ROOT, matching

from semipriv.cli import main

DOCS = matching(ROOT, "docs/**/*.md")
COMMAND = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?semipriv (?:--plugins \S+ )?([a-z]+)(.*)$", re.M)
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "config/README.md")), *DOCS]


def links(page: Path) -> set[Path]:
    """Return the files of the checkout that a page links to."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    return {(page.parent / link).resolve() for link in links if "://" not in link}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    assert all(path.exists() for path in links(page)), [path for path in links(page) if not path.exists()]


def test_every_page_is_found_from_the_readme() -> None:
    """At once, or from a guide that the README names."""
    named = links(ROOT / "README.md")
    guides = {page for page in named if page.suffix == ".md" and page.name != "CHANGELOG.md"}
    assert set(PAGES) - {ROOT / "README.md", ROOT / "docs/index.md"} <= named.union(*map(links, guides))


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 70


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.S)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "page"})


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Return the subcommands in the blocks of a page, each with its options; what follows a # is a comment."""
    blocks = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text.replace("\\\n", " "), re.M | re.S))
    return [(name, re.findall(r"--[a-z][a-z-]*", rest.partition(" # ")[0])) for name, rest in COMMAND.findall(blocks)]


def test_commands_of_pages_have_the_options_that_they_show(capsys: pytest.CaptureFixture[str]) -> None:
    """Most of these commands are shown, and not run."""
    shown = {(name, option) for page in PAGES for name, options in commands(page.read_text()) for option in options}
    known: dict[str, set[str]] = {}
    for name in {name for name, _ in shown}:
        main([name, "--help"])
        known[name] = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    assert len(shown) > 40
    assert [(name, option) for name, option in sorted(shown) if option not in known[name]] == []


def test_commands_are_found_in_blocks() -> None:
    text = "```\n$ semipriv plan --class x \\\n  --epsilon 1  # --no\n.venv/bin/semipriv claim A\n```\nsemipriv cost"
    assert commands(text) == [("plan", ["--class", "--epsilon"]), ("claim", [])]
