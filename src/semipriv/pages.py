"""Pages to read: single files of HTML that need nothing else, neither scripts nor the network."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from semipriv.files import atomic

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #222; background: white; }
table { border-collapse: collapse; margin: 1em 0 2em; }
th, td { border: 1px solid #ccc; padding: 4px 8px; text-align: left; vertical-align: top; }
th { background: #fafafa; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
"""

Cell = tuple[str, str]
"""A cell's text, and the attributes of its tag as HTML."""


def write_page(path: str | Path, title: str, body: Iterable[str]) -> None:
    """Write a page of a title and pieces of HTML, whole or not at all."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    text = "\n".join([f"<h1>{escape(title)}</h1>", *body])
    with atomic(path) as target:
        target.write_text(f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{text}\n</body></html>\n')


def table(titles: Sequence[str], rows: Iterable[Sequence[str | Cell]], ids: Sequence[str] | None = None) -> str:
    """Return a table as HTML.  ids: one for each row, for links.  Texts are escaped."""
    lines = [f"<tr>{''.join(f'<th>{escape(title)}</th>' for title in titles)}</tr>"]
    for i, row in enumerate(rows):
        name = "" if ids is None else f' id="{escape(ids[i])}"'
        lines.append(f"<tr{name}>{''.join(map(_cell, row))}</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def number(text: object) -> Cell:
    """Return a cell for a number; digits stand below one another."""
    return str(text), ' class="number"'


def bar(text: object, share: float) -> Cell:
    """Return a cell for a number over a bar; share: the length of the bar in widths of the cell, in [0, 1]."""
    fill = f"linear-gradient(to right, #9ecae1 {100 * share:.1f}%, transparent {100 * share:.1f}%)"
    return str(text), f' class="number" style="background: {fill}"'


def _cell(cell: str | Cell) -> str:
    text, attributes = (cell, "") if isinstance(cell, str) else cell
    return f"<td{attributes}>{escape(text)}</td>"
