"""The report of a run: one file that holds everything and loads nothing, as a browser shows it."""

import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, browse
from runs import WHOLE, shared, snakemake

from semipriv_lab.experiments.papers import titles


@pytest.fixture(scope="module")
def report(undisturbed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the finished run."""
    make = lambda folder: snakemake(undisturbed, WHOLE, "--report", str(folder / "report.html"))  # noqa: E731
    return shared(tmp_path_factory, "report", make) / "report.html"


class Tags(HTMLParser):
    """Attributes of all tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def held(text: str, variable: str) -> Any:
    """A variable of the report's script."""
    match = re.search(rf"<script[^>]*>\s*var {variable} = (.*?);\s*</script>", text, flags=re.DOTALL)
    assert match, variable
    return json.loads(match[1])


def test_figures_stand_by_paper_with_captions(report: Path) -> None:
    text = report.read_text()
    categories, results = held(text, "categories"), held(text, "results")
    headings = {f"{paper}: {titles()[paper]}" for paper in ("ABM19", "BMN20")}
    assert set(categories) == {"Claims ledger", "Runtimes", *headings}
    assert all(set(categories[heading]) <= {"Claims", "Experiments"} for heading in headings)
    assert {Path(p).stem for p in categories["ABM19: " + titles()["ABM19"]]["Claims"]} == {
        "private_need",
    }
    experiments = {Path(p).stem for p in categories["BMN20: " + titles()["BMN20"]]["Experiments"]}
    assert experiments == {"breast_cancer_mixture__table_errors", "breast_cancer_mixture__table_regions"}
    assert len(results) >= 6
    for path, result in results.items():
        assert len(result["caption"]) > 150, path
        assert result["data_uri"].startswith("data:"), "everything is inside"
    assert "ABM19-T3.1-agnostic" in results["results/figures/private_need.png"]["caption"]
    assert "trials: 3" in results["results/figures/excess_intervals__excess.png"]["caption"]
    assert "seed 7" in held(text, "workflow_desc")


def test_nothing_is_loaded_from_outside(report: Path) -> None:
    text = report.read_text()
    for tag, attributes in Tags(text).tags:
        for key in ("src", "href", "data", "srcset"):
            assert not attributes.get(key), f"<{tag} {key}={attributes[key]!r}>"
        assert tag not in {"link", "iframe", "object", "base"}
    styles = " ".join(re.findall(r"<style>(.*?)</style>", text, flags=re.DOTALL))
    assert not re.search(r"@import|url\((?!['\"]?data:)", styles)


def test_a_zip_holds_the_same(undisturbed: Path, tmp_path: Path) -> None:
    snakemake(undisturbed, WHOLE, "--report", str(tmp_path / "report.zip"))
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        names = {Path(name).name for name in archive.namelist()}
        page = next(name for name in archive.namelist() if name.endswith("report.html"))
        results = held(archive.read(page).decode(), "results")
        folder = Path(page).parent
        assert {str(folder / result["data_uri"]) for result in results.values()} <= set(archive.namelist())
    assert {"claims.html", "jobs.html", "private_need.png", "breast_cancer_mixture__table_errors.png"} < names


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")
def test_a_browser_shows_it_without_error_or_network(report: Path, tmp_path: Path) -> None:
    document, console, addresses = browse(report.as_uri(), tmp_path)
    advice = "cdn.tailwindcss.com should not be used in production"  # said by a copy inside the report
    assert [line for line in console if advice not in line] == []
    assert [address for address in addresses if not address.startswith(("data:", "blob:"))] == []
    shown = re.sub(r"<script.*?</script>", "", document, flags=re.DOTALL)
    for paper in ("ABM19", "BMN20"):
        assert f"{paper}: {titles()[paper]}" in shown, "the menu is drawn"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")
def test_the_browser_would_tell(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<!DOCTYPE html><img src="http://outside.invalid/x.png"><script>broken.property</script>')
    _, console, addresses = browse(page.as_uri(), tmp_path)
    assert "http://outside.invalid/x.png" in addresses
    assert any("broken is not defined" in line for line in console)
