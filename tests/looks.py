"""How figures look: widths, sizes, marks, colours and letters of what is drawn, and which panels have a legend.

They are decisions of taste, which no law can check.  ``tests/unit/figures/looks.json`` holds by figure those that its
tests saw when it was written, so that none changes by accident: what a figure draws must look like one of them.
``python tests/looks.py`` runs the tests of figures and writes the file anew; read the difference, and look at the
figures.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

FILE = Path(__file__).parent / "unit" / "figures" / "looks.json"
FIGURES = FILE.parent
written: dict[str, set[str]] | None = None
"""What is seen, by figure, while the file is written; None: it is compared with the file."""


@cache
def known() -> dict[str, set[str]]:
    """Return the looks by figure."""
    return {name: set(looks) for name, looks in json.loads(FILE.read_text()).items()}


def check_known(name: str, figure: Figure, *, whole: bool) -> None:
    """Raise AssertionError if something in a figure looks like nothing that is known of it.

    whole: all that is known must be there, too; else some of it: tables that were made up have parts of what there is.
    """
    found, made_up = set(looks(figure)), f"{name} of made-up tables"
    if written is not None:
        written.setdefault(name if whole else made_up, set()).update(found)
        return
    there = known().get(name, set())
    new = found - there if whole else found - there - known().get(made_up, set())
    assert not new, f"{name}: looks are not those of tests/looks.py: {sorted(new)}"
    assert not whole or there == found, f"{name}: lacks looks of tests/looks.py: {sorted(there - found)}"


def looks(figure: Figure) -> Iterator[str]:
    """Yield how each thing in a figure looks, in words."""
    yield f"page {_numbers(figure.get_size_inches())}"
    for legend in figure.legends:
        yield f"legend of the page: {_legend(legend)}"
    for axes in figure.axes:
        yield from _of_axes(axes)


def _of_axes(axes: Axes) -> Iterator[str]:
    legend = axes.get_legend()
    ticks = [axis.get_major_locator() for axis in (axes.xaxis, axes.yaxis)]
    places = [_numbers(own.locs) if isinstance(own, FixedLocator) else type(own).__name__ for own in ticks]
    yield (
        f"panel: axis {axes.axison}, legend {None if legend is None else _legend(legend)}, {axes.get_aspect()}, "
        f"ticks {places}"
    )
    for line in axes.get_lines():
        yield (
            f"line: {_colour(line.get_color())} width {_numbers(line.get_linewidth())} {line.get_linestyle()} "
            f"marker {line.get_marker()} {_numbers(line.get_markersize())} {_colour(line.get_markerfacecolor())} "
            f"{_common(line)}"
        )
    for group in axes.collections:
        colours = [sorted({_colour(one) for one in found}) for found in (group.get_facecolor(), group.get_edgecolor())]
        sizes = sorted({*np.ravel(group.get_sizes()).tolist()}) if hasattr(group, "get_sizes") else ()
        told = colours if len(colours[0]) < 9 else f"{len(colours[0])} colours"  # of a map of colours
        yield (
            f"{type(group).__name__}: {told} width {_numbers(np.ravel(group.get_linewidth()))} sizes {_numbers(sizes)} "
            f"{_common(group)}"
        )
    for patch in axes.patches:
        yield (
            f"patch: {_colour(patch.get_facecolor())} {_colour(patch.get_edgecolor())} width "
            f"{_numbers(patch.get_linewidth())} {patch.get_linestyle()} {_common(patch)}"
        )
    for text in axes.texts:
        yield (
            f"text: {_colour(text.get_color())} size {_numbers(text.get_fontsize())} rotation "
            f"{_numbers(text.get_rotation())} {text.get_ha()} {text.get_va()} {_common(text)}"
        )


def _legend(legend: Any) -> str:
    return f"{legend._ncols} columns, size {_numbers(legend.get_texts()[0].get_fontsize())}, at {legend._loc}"


def _common(one: Any) -> str:
    return f"alpha {one.get_alpha()} above {_numbers(one.get_zorder())} cut {one.get_clip_on()}"


def _colour(colour: Any) -> str:
    return str(colour) if isinstance(colour, str) else str(to_hex(colour, keep_alpha=True))


def _numbers(values: Any) -> str:
    """Return numbers to four digits, each once."""
    found = dict.fromkeys(f"{value:.4g}" for value in np.atleast_1d(values))
    return " ".join(found)


def main() -> None:
    """Write the file."""
    import looks as own  # this module as the tests import it

    own.written = {}
    tests = [str(FIGURES / f"test_{name}.py") for name in ("of_studies", "made_up")]
    assert pytest.main(["-q", "-p", "no:cacheprovider", *tests]) == 0
    FILE.write_text(json.dumps({name: sorted(found) for name, found in sorted(own.written.items())}, indent=0) + "\n")


if __name__ == "__main__":
    main()
