"""Search: guides and tutorials stand before the pages of developers and before what is made from the code."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

BOOSTS = {"Start": 4.0, "Guides": 2.0}
"""By the section of the navigation: the factor of a page's rank; the rest has 1."""
WORDS = {
    "install.md": ["install", "pip"],
    "columns.md": ["missing values", "unknown"],
    "large-tables.md": ["cluster", "too slow"],
    "one-column.md": ["median", "quantiles"],
    "persons.md": ["one row a person", "several rows a person"],
    "tutorials/hospital.md": ["hospital", "patients"],
}
"""What people type who look for a page, beside the words of its title."""
DEVELOPERS = "Your own algorithm"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give each page of a section its factor, and the words by which it is looked for."""
    sections = [section.title for section in page.ancestors]
    if sections and DEVELOPERS not in sections:
        page.meta.setdefault("search", {}).setdefault("boost", BOOSTS.get(sections[-1], 1.0))
    if page.file.src_uri in WORDS:
        page.meta.setdefault("tags", WORDS[page.file.src_uri])
    return markdown
