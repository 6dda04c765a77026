"""The documentation site: its navigation, what its hooks do, and that it builds."""

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml
from browser import CHROMIUM, browse, too_wide
from places import ROOT, matching

import semipriv
from semipriv.core.registry import names
from semipriv_lab.reference import planner

DOCS = ROOT / "docs"
RUN = "<!-- run -->"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))


def hook(name: str) -> ModuleType:
    pytest.importorskip("mkdocs")
    spec = importlib.util.spec_from_file_location(f"hook_{name}", DOCS / f"hooks/{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entries(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [entry for part in (nav.values() if isinstance(nav, dict) else nav) for entry in entries(part)]


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page() -> None:
    nav = entries(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    outside = set(hook("repository").PAGES.values())
    sections = tuple(entry for entry in nav if entry.endswith("/"))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} | outside
    assert len(set(nav)) == len(nav)
    assert sections == ("reference/", "api/")
    assert {page for page in pages if not page.startswith(sections)} == set(nav) - set(sections)


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorials_run_commands_that_exist(page: Path) -> None:
    text = page.read_text()
    calls = re.findall(
        r"^\$ (\S+) (?:--plugins \S+ )?(\S+)", "\n".join(re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)), re.M
    )
    assert RUN in text
    assert all(program == "semipriv" and command in names("cli") for program, command in calls), calls
    assert not re.findall(r"^```(?!console|python|yaml|$).+", text, flags=re.M), "is shown, and not run"


def test_one_tutorial_a_door() -> None:
    assert [page.stem for page in TUTORIALS] == ["class", "developer", "hospital", "practitioner", "theorist", "visits"]


def test_a_page_is_run_and_shows_what_came_out(tmp_path: Path) -> None:
    text = (
        "```python\nx = 40\nx + 2\n```\n\n```yaml\n# kept.yaml\na: 1\n```\n"
        "\n```console\n$ cat kept.yaml\n$ ls $PWD/*.yaml\n```\n"
        "\n```python\n# kept.py\nb = 7\n```\n\n```python\nimport kept\nprint(kept.b)\n```\n"
    )
    before, here, path = set(sys.modules), Path.cwd(), list(sys.path)
    html = hook("commands").run(text, "page.md", tmp_path)
    outputs = re.findall(r'title="output" \}\n(.*?)```', html, re.S)
    assert outputs == ["42\n", "7\n"]
    assert "$ cat kept.yaml\n# kept.yaml\na: 1\n$ ls $PWD/*.yaml\nkept.yaml\n```" in html
    assert 'title="kept.yaml"' in html
    assert "kept" not in set(sys.modules) - before
    assert (Path.cwd(), sys.path) == (here, path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n```console\n$ echo no >&2; false\n```\n", "page.md, line 2: echo no >&2; false: exit code 1\nno"),
        ("```python\n1 / 0\n```\n", "page.md, line 1: ZeroDivisionError"),
        ("```console\n$ echo ~\n```\n", "has a path of this machine"),
        ("```python\nimport os\nos.getcwd()\n```\n", "has a path of this machine"),
        ("```console\necho lost\n```\n", "without a command"),
    ],
)
def test_a_page_that_fails_ends_the_build(text: str, message: str, tmp_path: Path) -> None:
    commands = hook("commands")
    with pytest.raises(commands.PluginError, match=re.escape(message)):
        commands.run(text, "page.md", tmp_path)


def test_the_api_has_the_whole_face() -> None:
    generated = hook("generated")
    stub = (ROOT / "src/semipriv/__init__.pyi").read_text()
    pages = dict(generated.api(stub))
    shown = re.findall(r"^::: (\S+)", "\n".join(pages.values()), flags=re.M)
    beside = {f"semipriv.{module}.{name}" for module, names in generated.BESIDE.items() for name in names}
    assert sorted(shown) == sorted({f"semipriv.{name}" for name in dir(semipriv)} | beside)
    with pytest.raises(generated.PluginError, match=r"no group of the API has cellar\.wine"):
        dict(generated.api("from .cellar.wine import Red as Red\n"))


def test_docstrings_are_plain_text() -> None:
    plain = hook("docstrings").plain
    assert plain("x: > 0, (<w, x> - y)^2 of ``a < b``") == "x: &gt; 0, (&lt;w, x&gt; - y)^2 of ``a < b``"
    assert plain("t[i][j]") == r"t[i]\[j]"
    assert plain("f.\n\n    a < b\n\nc < d\n") == "f.\n\n    a < b\n\nc &lt; d\n"
    assert plain("f.\n\n>>> 1 < 2\nTrue\n\ng") == "f.\n\n```pycon\n>>> 1 < 2\nTrue\n```\n\ng"
    assert plain("Examples:\n    >>> 1 < 2\n    True") == "Examples:\n    >>> 1 < 2\n    True"


def test_links_of_a_page_lead_where_they_lead_in_the_repository() -> None:
    repository = hook("repository")
    config = pytest.importorskip("mkdocs.config").load_config(str(ROOT / "mkdocs.yml"), plugins=[], hooks=[])
    config.plugins._current_plugin = "repository.py"
    files = pytest.importorskip("mkdocs.structure.files").Files([])

    def turned(text: str, uri: str) -> str:
        page = SimpleNamespace(file=SimpleNamespace(src_uri=uri))
        rendered: str = repository.on_page_markdown(text, page, config, files)
        return rendered

    assert turned("[a](docs/epsilon.md#delta)", "about/readme.md") == "[a](../epsilon.md#delta)"
    assert turned("[a](../../CONTRIBUTING.md)", "tutorials/developer.md") == "[a](../about/contributing.md)"
    assert turned("[`x`](../src/semipriv/core/rows.py)", "epsilon.md") == "[`x`](files/src/semipriv/core/rows.py.txt)"
    assert [file.src_uri for file in files] == ["files/src/semipriv/core/rows.py.txt"]
    same = "[a](https://a.example) ![b](rand_scale.png) `[c](../x.md)`\n```\n[d](e.md)\n```"
    assert turned(same, "index.md") == same
    assert turned("<w, x> and t[i][j], <!-- run -->", "index.md") == r"&lt;w, x> and t[i]\[j], <!-- run -->"


def test_a_page_that_loads_from_elsewhere_is_found() -> None:
    elsewhere = hook("offline").elsewhere
    assert elsewhere('<script src="https://cdn.example/x.js"></script>') == ["https://cdn.example/x.js"]
    assert elsewhere('<link rel="stylesheet" href="//fonts.example/a.css">') == ["//fonts.example/a.css"]
    assert elsewhere("<style>@import 'http://fonts.example/a.css'</style>")
    assert elsewhere('<p style="background: url(https://a.example/b.png)">')
    assert elsewhere('<a href="https://a.example">there</a><script src="here.js"></script><img src="b.png">') == []


def test_numbers_of_the_table_of_odds() -> None:
    """Rounded up, as bounds are."""
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.]+) \|((?: [\d.]+ % \|)+)$", (DOCS / "epsilon.md").read_text(), flags=re.M)
    assert len(rows) == 6
    for epsilon, factor, grown in rows:
        odds = math.exp(float(epsilon))
        assert 0 <= float(factor) - odds < max(0.1 if odds < 100 else 1, 0.01)
        for prior, share in zip((0.01, 0.1, 0.5), re.findall(r"[\d.]+", grown), strict=True):
            exact = 100 * prior * odds / (prior * odds + 1 - prior)
            assert 0 <= float(share) - exact < 0.1


def test_no_warning_is_hidden_from_the_build() -> None:
    """With --quiet MkDocs counts no warning, and --strict lets every dead link pass."""
    command = re.findall(r"mkdocs build.*", (ROOT / "Makefile").read_text())
    assert command == ["mkdocs build --strict"]


def sizes() -> list[dict[str, Any]]:
    """The rows from which readers of the page on planning choose."""
    text = (DOCS / "assets/planner-sizes.js").read_text()
    rows = json.loads(text[text.index("rows: ") + len("rows: ") : text.rindex("]") + 1])
    return [dict(zip(planner.KEYS, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    "place",
    [9, 32, *(pytest.param(i, marks=pytest.mark.exhaustive) for i in range(72) if i not in (9, 32))],
)
def test_sizes_to_choose_from_are_those_of_the_planner(place: int) -> None:
    cells = [
        (asked, alpha, epsilon) for asked in planner.CLASSES for alpha in planner.ALPHAS for epsilon in planner.EPSILONS
    ]
    assert len(sizes()) == len(cells) == 72
    assert planner.row(*cells[place]) == sizes()[place]


@pytest.mark.exhaustive
@pytest.mark.parametrize("run", [False, True], ids=["links", "tutorials"])
def test_the_site_builds(run: bool, tmp_path: Path) -> None:
    """All links and anchors lead somewhere, nothing is loaded from elsewhere, and the tutorials run."""
    pytest.importorskip("mkdocs")
    environment = {**os.environ, "SEMIPRIV_DOCS_RUN": str(int(run)), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site/tutorials/practitioner.html").read_text()
    assert ("was drawn before" in page) == run
    assert (tmp_path / "site/api/learners.html").read_text().count('id="semipriv.SSPP"') == 1
    if CHROMIUM is not None:
        shown(tmp_path / "site", tmp_path)


def shown(site: Path, folder: Path) -> None:
    """From the disk a browser shows each page without error and at its width, and its search answers."""
    pages = [path for path in matching(site, "**/*.html") if path.name != "404.html"]
    assert too_wide(pages, (400, 1300), folder) == []
    document, console, _ = browse(f"{(site / 'index.html').as_uri()}?q=epsilon", folder)
    assert console == []
    assert re.search(r"\d+ matching documents", document)
    document, console, _ = browse((site / "epsilon.html").as_uri(), folder)
    assert console == []
    assert "At epsilon 1.00 a suspicion of 10.0 % can grow to 23.2 % at most." in document, "as the table says"
    document, console, _ = browse((site / "planning.html").as_uri(), folder)
    assert console == []
    (size,) = (row for row in sizes() if (row["class"], row["alpha"], row["epsilon"]) == ("thresholds", 0.1, 1.0))
    assert (
        f"Proven: {size['proven_private']:,} private and {size['proven_public']:,} public rows are enough" in document
    )
    assert "Your rows are enough in simulations, and too few for the proof." in document, "2,000 of them"
    _, console, _ = browse((site / "claims.html").as_uri() + "#?verdict=refuted", folder)
    assert console == []


def test_guides_rank_before_pages_of_developers_and_are_found_by_common_words() -> None:
    ranking = hook("ranking")
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert set(ranking.WORDS) <= pages
    sections = set(re.findall(r"^  - (.+):$", (ROOT / "mkdocs.yml").read_text(), flags=re.M))
    assert set(ranking.BOOSTS) <= sections

    def boost(*sections: str) -> float:
        page = SimpleNamespace(
            ancestors=[SimpleNamespace(title=title) for title in sections],
            meta={},
            file=SimpleNamespace(src_uri="x.md"),
        )
        ranking.on_page_markdown("", page, None, None)
        return page.meta.get("search", {}).get("boost", 1)

    assert boost("Start") > boost("Your own data", "Guides") > boost(ranking.DEVELOPERS, "Guides") == boost("API") == 1
