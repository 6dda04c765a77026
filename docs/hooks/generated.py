"""Pages made from the code: the API, from the package's face, the reference, and the ledger with its filters."""

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

GROUPS = {
    "Classes": ("classes",),
    "Learners": ("learners", "papers"),
    "Mechanisms": ("mechanisms",),
    "Privacy and budget": ("privacy",),
    "Query release": ("queries", "learners.tables"),
    "Estimators": ("practice.estimators",),
    "Planner": ("practice.planner",),
    "Data and randomness": ("core", "geometry", "distributions"),
    "Released models": ("practice",),
}
"""The folders of the package that a page of the API describes, by its title; longer names go before shorter ones."""
BESIDE = {
    "classes.base": ("HypothesisClass",),
    "learners.base": ("Learner",),
    "privacy.budget.ledger": ("Budget", "Ledger"),
    "practice.published.model": ("Model",),
}
"""What pages describe besides the face, by its module: what all plug-ins of a room share, budgets, released models."""
FACE = re.compile(r"^from \.(\S+) import (\w+)", re.M)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, and put them where the navigation has the name of their folder."""
    source = Path(config.config_file_path).parent / "src"
    pages = {f"api/{name}": text for name, text in api((source / "semipriv/__init__.pyi").read_text())}
    pages |= {f"reference/{name}": text for name, text in reference()}
    for place, text in pages.items():
        files.append(File.generated(config, place, content=text))
    for place, data in ledger():
        files.append(File.generated(config, place, content=data))
    config.nav = _filled(config.nav, sorted(files.src_uris))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead from the page on the ledger to the ledger's own page, which is no page of the repository."""
    if page.file.src_uri != "ledger.md":
        return markdown
    return markdown.replace("`results/claims.html`", "[`claims.html`](claims.html)", 1)


def api(stub: str) -> Iterator[tuple[str, str]]:
    """Yield the pages of the API, each a name and its text, from the text of the stub of the package's face."""
    face = {module: [f"semipriv.{module}.{name}" for name in names] for module, names in BESIDE.items()}
    for module, name in FACE.findall(stub):
        face.setdefault(module, []).append(f"semipriv.{name}")
    lost = {module for module in face if _group(module) is None}
    if lost:
        raise PluginError(f"docs/hooks/generated.py: no group of the API has {', '.join(sorted(lost))}")
    index = [
        "# API\n",
        "After `import semipriv as sp`: `sp.SSPP`, `sp.Thresholds` and so on; a module is imported on first use. "
        "These pages are made from the docstrings. [All algorithms from Python](../python.md) shows them at work.\n",
    ]
    for title in GROUPS:
        members = [name for module in face if _group(module) == title for name in face[module]]
        page = title.lower().replace(" ", "-") + ".md"
        listed = ", ".join(f"[{name.rpartition('.')[2]}]({page}#{name})" for name in members)
        index.append(f"**[{title}]({page})**: {listed}.\n")
        yield page, "\n".join([f"# {title}\n", *(f"::: {name}\n" for name in members)])
    yield "index.md", "\n".join(index)


def _group(module: str) -> str | None:
    """Return the title of the page that describes a module; None if there is none."""
    titles = {folder: title for title, folders in GROUPS.items() for folder in folders}
    around = [folder for folder in titles if f"{module}.".startswith(f"{folder}.")]
    return titles[max(around, key=len)] if around else None


def reference() -> Iterator[tuple[str, str]]:
    """Yield the pages of the reference, each a name and its text."""
    for place, data in written("semipriv_lab.reference"):
        if place.endswith(".md"):
            yield place, data.decode()


def ledger() -> Iterator[tuple[str, bytes]]:
    """Yield the page of the ledger and its figures, each a name and its bytes."""
    yield from written("semipriv_lab.reference.ledger")


def written(module: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files that a module of the package writes into a folder, each a name and its bytes."""
    if importlib.util.find_spec("semipriv_lab.reference") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-m", module, folder], capture_output=True, text=True, check=False)
        if done.returncode:
            raise PluginError(f"python -m {module}: {done.stderr}")
        for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _filled(entry: Any, pages: list[str]) -> Any:
    """Return an entry of the navigation with the names of folders replaced by their pages."""
    if isinstance(entry, list):
        return [_filled(item, pages) for item in entry]
    if isinstance(entry, dict):
        return {title: _filled(value, pages) for title, value in entry.items()}
    if not entry.endswith("/"):
        return entry
    return _listed(entry, [page for page in pages if page.startswith(entry) and page.endswith(".md")])


def _listed(folder: str, pages: list[str]) -> list[Any]:
    """Return the pages of a folder, its index first, folders within it as sections last."""
    here = [page for page in pages if "/" not in page.removeprefix(folder)]
    inner = sorted({page.removeprefix(folder).partition("/")[0] for page in pages if page not in here})
    first = sorted(here, key=lambda page: (not page.endswith("/index.md"), page))
    return [
        *first,
        *(
            {name.capitalize(): _listed(f"{folder}{name}/", [p for p in pages if p.startswith(f"{folder}{name}/")])}
            for name in inner
        ),
    ]
