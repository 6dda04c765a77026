"""Write the tables of kernels and of growth into docs/adding.md, from what ``run.py`` and ``growth.py`` measured."""

from pathlib import Path
from shutil import copyfile

import growth
from run import OLDER, RESULTS, ROOT, WHOLE, of_page

from semipriv.core import tables

PAGE = ROOT / "docs/adding.md"
START, END = "<!-- table of kernels: benchmarks/page.py -->", "<!-- end of the table of kernels -->"
GROWTH = "<!-- table of growth: benchmarks/page.py -->", "<!-- end of the table of growth -->"
PICTURE = ROOT / "docs/growth.png"
GROWTH_HEAD = "| what is done | what varies | sizes | seconds at the largest | bound | exponent, of the bound |"
HEAD = "| kernel | against | ratio, demand | without AVX | growth, demand | bytes to read | time, in reads of them |"


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


def cells(row: dict, older: float | None) -> list[str]:
    """Return the cells of a row of the table; older: the ratio without AVX, if it was measured."""
    reads = demanded(row["reads"], row["reads_limit"], "<=")
    ratio = demanded(row["ratio"], row["least_ratio"], ">=")
    growth = demanded(row["growth"], row["growth_limit"], "<=")
    without = "" if older is None else number(older)
    return [row["benchmark"], row["baseline"], ratio, without, growth, number(row["bytes"]), reads]


def table(rows: list[dict], older: list[dict]) -> list[str]:
    """Return the lines of the table; older: rows that were measured without AVX."""
    ratios = {row["benchmark"]: row["ratio"] for row in older}
    lines = ("| " + " | ".join(cells(row, ratios.get(row["benchmark"]))) + " |" for row in of_page(rows))
    return [HEAD, "|---" * HEAD.count(" | ") + "|---|", *lines]


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
    text = written(text, table(*(tables.read(path, RESULTS).to_pylist() for path in (WHOLE, OLDER))))
    grown = growth_table(tables.read(folder / "growth.parquet", growth.RESULTS).to_pylist())
    page.write_text(written(text, grown, GROWTH), encoding="utf-8")
    copyfile(folder / "growth.png", PICTURE)
    print(f"written: the tables of kernels and of growth in {page.relative_to(ROOT)}, and {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
