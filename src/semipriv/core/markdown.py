"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a pipe in a cell is escaped.  Without a row it is empty."""
    lines = [[cell.replace("\n", " ").replace("|", "\\|") for cell in row] for row in rows]
    if not lines:
        return ""
    every = [list(titles), ["---"] * len(titles), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in every)
