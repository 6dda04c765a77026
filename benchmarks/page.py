"""Write the table of kernels into docs/adding.md, from results/benchmarks/benchmarks.parquet, which ``run.py`` makes.

Only kernels with a demand and a count of the bytes that they must read are in it.
"""

from pathlib import Path

from run import RESULTS, ROOT

from semipriv.core import tables

PAGE = ROOT / "docs/adding.md"
START, END = "<!-- table of kernels: benchmarks/page.py -->", "<!-- end of the table of kernels -->"
HEAD = "| kernel | against | ratio, demand | growth, demand | bytes to read | time, in reads of them |"


def number(value: float) -> str:
    """Return three digits, as a reader expects them.

    >>> number(0.0123), number(41.52), number(1724.0)
    ('.0123', '41.5', '1,724')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}".removeprefix("0") if value < 1 else f"{value:.3g}"


def demanded(value: float | None, demand: float | None, sign: str) -> str:
    """Return a measured number with its demand."""
    if value is None:
        return ""
    return number(value) if demand is None else f"{number(value)} ({sign} {number(demand)})"


def cells(row: dict) -> list[str]:
    """Return the cells of a row of the table."""
    reads = demanded(row["reads"], row["reads_limit"], "<=")
    ratio = demanded(row["ratio"], row["least_ratio"], ">=")
    growth = demanded(row["growth"], row["growth_limit"], "<=")
    return [row["benchmark"], row["baseline"], ratio, growth, number(row["bytes"]), reads]


def table(rows: list[dict]) -> list[str]:
    """Return the lines of the table."""
    listed = [row for row in rows if row["bytes"] is not None and row["least_ratio"] is not None]
    return [HEAD, "|---" * HEAD.count(" | ") + "|---|", *("| " + " | ".join(cells(row)) + " |" for row in listed)]


def written(page: str, rows: list[dict]) -> str:
    """Return the text of a page with the table between its marks."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return "\n".join([before + START, *table(rows), END + after])


def main(page: Path = PAGE) -> None:
    rows = tables.read(ROOT / "results/benchmarks/benchmarks.parquet", RESULTS).to_pylist()
    page.write_text(written(page.read_text(encoding="utf-8"), rows), encoding="utf-8")
    print(f"written: the table of kernels in {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
