"""A figure of a page leads to its file: on a narrow screen it opens in its own size."""

import re

FIGURE = re.compile(r"(?<!>)<img\b[^>]*?\bsrc=\"([^\"]+)\"[^>]*>(?!</a>)")


def on_page_content(html: str, **_: object) -> str:
    """Put a link to its file around each image that has none."""
    return FIGURE.sub(r'<a href="\1" title="open the figure">\g<0></a>', html)
