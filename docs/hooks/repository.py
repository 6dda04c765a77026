"""Pages that live outside docs/, and links from pages to files of the repository.

A page is written for readers of the repository: its links are paths from its own place.  On the site, a link to a page
leads to that page, and a link to any other file to a copy of it below ``files/``.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PAGES = {
    "README.md": "about/readme.md",
    "CHANGELOG.md": "about/changelog.md",
    "CONTRIBUTING.md": "about/contributing.md",
    "SECURITY.md": "about/security.md",
    "config/README.md": "reference/configuration.md",
}
"""Pages by their path in the repository: where each stands below docs/, as it were."""
PLACES = {place: path for path, place in PAGES.items()}
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.M | re.S)
FORMULA = re.compile(r"<(?=\w+[^\w\s>=])")
"""What Markdown would take for a tag, such as ``<w, x>``."""
LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[#)])")


def root(config: MkDocsConfig) -> Path:
    """Return the folder of the repository."""
    return Path(config.config_file_path).parent


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live outside docs/."""
    for path, place in PAGES.items():
        files.append(File.generated(config, place, content=(root(config) / path).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links of a page, which are paths in the repository, into links of the site."""
    here = page.file.src_uri
    folder = posixpath.dirname(PLACES.get(here, f"docs/{here}"))

    def turned(link: re.Match[str]) -> str:
        if ":" in link[1]:
            return link[1]
        path = posixpath.normpath(posixpath.join(folder, link[1]))
        return posixpath.relpath(_place(path, config, files), posixpath.dirname(here) or ".")

    parts = CODE.split(markdown)
    parts[::2] = [LINK.sub(turned, FORMULA.sub("&lt;", text).replace("][", r"]\[")) for text in parts[::2]]
    return "".join(parts)


def _place(path: str, config: MkDocsConfig, files: Files) -> str:
    """Return where a file of the repository stands on the site; copy it there if it is no page."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    source = root(config) / path
    if not source.is_file():
        return path  # leads nowhere: MkDocs says so
    place = f"files/{path}.txt"
    if files.get_file_from_path(place) is None:
        files.append(File.generated(config, place, abs_src_path=str(source)))
    return place
