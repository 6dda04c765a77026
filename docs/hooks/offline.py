"""The built site needs no network: no page or style loads a script, style, font or image from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\"';]*")


class _Loaded(HTMLParser):
    """What a page loads from elsewhere; ``found`` has the addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the address of whatever is loaded by a tag."""
        given = dict(attrs)
        address = given.get(LOADING.get(tag, "")) or ""
        if address.startswith(("http:", "https:", "//")) and given.get("rel") != "canonical":
            self.found.append(address)
        self.found += STYLE.findall(given.get("style") or "")


def elsewhere(page: str) -> list[str]:
    """Return the addresses from which a page, given as HTML, loads anything."""
    parser = _Loaded()
    parser.feed(page)
    return [*parser.found, *STYLE.findall(page)]


def on_post_build(config: MkDocsConfig) -> None:
    """Raise PluginError if a page or a style of the site loads anything from elsewhere."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css"):
            text = path.read_text(encoding="utf-8")
            addresses = elsewhere(text) if path.suffix == ".html" else STYLE.findall(text)
            if addresses:
                raise PluginError(f"{path.relative_to(config.site_dir)}: loads {', '.join(addresses)}")
