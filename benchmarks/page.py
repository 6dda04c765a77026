"""Write the tables of kernels and of growth into docs/adding.md, from what ``run.py`` and ``growth.py`` measured.

Of the kernels those are in it that have a demand and a count of the bytes that they must read.
"""

from pathlib import Path
from shutil import copyfile

import growth
from run import RESULTS, ROOT

from semipriv.core import tables

PAGE = ROOT / "docs/adding.md"
START, END = "<!-- table of kernels: benchmarks/page.py -->", "<!-- end of the table of kernels -->"
GROWTH = "<!-- table of growth: benchmarks/page.py -->", "<!-- end of the table of growth -->"
PICTURE = ROOT / "docs/growth.png"
GROWTH_HEAD = "| what is done | what varies | sizes | seconds at the largest | bound | exponent, of the bound |"
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


def growth_table(rows: list[dict]) -> list[str]:
    """Return the lines of the table of growth: a row for each curve."""
    curves: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        curves.setdefault((row["operation"], row["varied"]), []).append(row)
    lines = []
    for (operation, varied), of_curve in curves.items():
        first, last = of_curve[0], of_curve[-1]
        what = f"{operation} ({last['fixed']})" if last["fixed"] else operation
        missed = "" if last["met"] else ", missed"
        exponents = f"{last['exponent']:.2f}, {last['allowed']:.2f}{missed}"
        sizes = f"{first['size']:,} to {last['size']:,}"
        lines.append(f"| {what} | {varied} | {sizes} | {number(last['seconds'])} | {last['bound']} | {exponents} |")
    return [GROWTH_HEAD, "|---" * (GROWTH_HEAD.count(" | ") + 1) + "|", *lines]


def written(page: str, lines: list[str], marks: tuple[str, str] = (START, END)) -> str:
    """Return the text of a page with a table between its marks."""
    start, end = marks
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(end)
    return "\n".join([before + start, *lines, end + after])


def main(page: Path = PAGE) -> None:
    folder, text = ROOT / "results/benchmarks", page.read_text(encoding="utf-8")
    text = written(text, table(tables.read(folder / "benchmarks.parquet", RESULTS).to_pylist()))
    grown = growth_table(tables.read(folder / "growth.parquet", growth.RESULTS).to_pylist())
    page.write_text(written(text, grown, GROWTH), encoding="utf-8")
    copyfile(folder / "growth.png", PICTURE)
    print(f"written: the tables of kernels and of growth in {page.relative_to(ROOT)}, and {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
