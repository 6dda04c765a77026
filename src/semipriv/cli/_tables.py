"""Tables of text, as subcommands print them."""

from collections.abc import Iterator, Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield lines of columns that are as wide as their widest cell.

    >>> list(table(["request", "epsilon"], [["a", "0.1"]]))
    ['request  epsilon', 'a        0.1']
    """
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
