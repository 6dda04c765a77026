"""Pages to read: single files of HTML that need nothing else, neither scripts nor the network."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from semipriv.core.files import atomic

_STYLE = """
:root {
  color-scheme: light dark;
  --text: #222; --ground: white; --line: #ccc; --head: #fafafa; --quiet: #555; --link: #0b5d7a;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #ddd; --ground: #16181c; --line: #444; --head: #22262c; --quiet: #aaa; --link: #7cc7e8; }
  td[style] { color: #222; }
  td.number[style] { background-color: #d8d8d8 !important; }
}
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: var(--text); background: var(--ground); }
a { color: var(--link); }
table { border-collapse: collapse; margin: 1em 0 2em; }
th, td { border: 1px solid var(--line); padding: 4px 8px; text-align: left; vertical-align: top; }
th { background: var(--head); }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
"""

Entry = tuple[str, str]
"""The text of an entry of a table, and the attributes of its tag as HTML."""


def write_page(path: str | Path, title: str, body: Iterable[str]) -> None:
    """Write a page with a title and pieces of HTML below it; a failure leaves no partial file."""
    phone = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{phone}<title>{escape(title)}</title><style>{_STYLE}</style>'
    text = "\n".join([f"<h1>{escape(title)}</h1>", *body])
    with atomic(path) as target:
        target.write_text(f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{text}\n</body></html>\n')


def table(titles: Sequence[str], rows: Iterable[Sequence[str | Entry]], ids: Sequence[str] | None = None) -> str:
    """Return a table as HTML, its texts escaped.  ids: names of the rows, for links."""
    lines = [f"<tr>{''.join(f'<th>{escape(title)}</th>' for title in titles)}</tr>"]
    for i, row in enumerate(rows):
        name = "" if ids is None else f' id="{escape(ids[i])}"'
        lines.append(f"<tr{name}>{''.join(map(_entry, row))}</tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def number(text: object) -> Entry:
    """Return an entry whose digits stand below those of other rows."""
    return str(text), ' class="number"'


def bar(text: object, share: float) -> Entry:
    """Return an entry of digits over a bar; share: the bar's length in [0, 1], as a part of the entry."""
    fill = f"linear-gradient(to right, #9ecae1 {100 * share:.1f}%, transparent {100 * share:.1f}%)"
    return str(text), f' class="number" style="background: {fill}"'


def _entry(entry: str | Entry) -> str:
    text, attributes = (entry, "") if isinstance(entry, str) else entry
    return f"<td{attributes}>{escape(text)}</td>"
