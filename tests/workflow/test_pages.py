"""README and pages: links lead somewhere, every page is found from the README, and the Python in them runs."""

import re
from pathlib import Path

import pytest
from places import ROOT, matching

DOCS = matching(ROOT, "docs/**/*.md")
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "config/README.md")), *DOCS]


def links(page: Path) -> set[Path]:
    """Return the files of the checkout that a page links to."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    found = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    return {(page.parent / link).resolve() for link in found if "://" not in link}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    assert all(path.exists() for path in links(page)), [path for path in links(page) if not path.exists()]


def test_every_page_is_found_from_the_readme() -> None:
    assert set(PAGES) - {ROOT / "README.md", ROOT / "docs/index.md"} <= links(ROOT / "README.md")


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 70


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_of_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.S)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "page"})
