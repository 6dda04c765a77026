"""Styles of figures: a common look, and the page width and letters of each venue."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import seaborn as sns
from matplotlib.rcsetup import cycler

from semipriv.core import checks, registry

LEAST_SIZE = 6.0
"""Least size of text in a figure, in points."""

RESOLUTION = 200
"""Pixels per inch in a PNG."""

_TICKS = {("major", "width"): 0.8, ("minor", "width"): 0.6, ("major", "size"): 3.5, ("minor", "size"): 2.0}
"""Widths and lengths of ticks, in points."""

_PALETTE = sns.color_palette("colorblind")
PALETTE = [*_PALETTE[:-2], *reversed(_PALETTE[-2:])]
"""Colours that colour-blind people tell apart: seaborn's, its faint yellow last."""

_LOOK: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": cycler(color=PALETTE),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "axes.titley": 1.0,  # where they are anyway; else each drawing looks for ticks above the axes
    "figure.dpi": RESOLUTION,
    "grid.alpha": 0.5,
    "grid.linewidth": 0.4,
    "legend.columnspacing": 1.2,
    "legend.frameon": False,
    "legend.handletextpad": 0.6,
    "legend.labelspacing": 0.3,
    "lines.linewidth": 1.0,
    "pdf.fonttype": 42,
}
"""Settings of all figures beside those of seaborn's theme "ticks" for papers: a pale grid, embedded TrueType fonts."""

_SMALLER = 11 / 12
"""Size of ticks and legends over that of labels and titles."""

FAMILIES: dict[str, dict[str, Any]] = {
    "sans-serif": {"font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "mathtext.fontset": "dejavusans"},
    "serif": {"font.family": "serif", "font.serif": ["STIXGeneral"], "mathtext.fontset": "stix"},
}
"""Fonts by family.  They come with Matplotlib, so they are the same on every machine; STIX looks like Times."""


@dataclass(frozen=True)
class Style:
    """The page on which figures are printed, and its letters.

    text: width of the text, in inches.  family: "serif" or "sans-serif".  size: of labels and titles, in points; ticks
    and legends are a little smaller.  height: greatest height of a figure, in inches.  source: of these numbers.
    column: width of a column, in inches, if there are two.
    """

    text: float
    family: str
    size: float
    height: float
    source: str
    column: float | None = None

    def __post_init__(self) -> None:
        for name in ("text", "size", "height"):
            checks.positive(name, getattr(self, name))
        registry.check_name("family", self.family, list(FAMILIES))
        if self.size < LEAST_SIZE:
            raise ValueError(f"size = {self.size:g}: must be >= {LEAST_SIZE:g}")
        if self.column is not None and not 0 < self.column < self.text:
            raise ValueError(f"column = {self.column:g}: must be in (0, {self.text:g}), the width of the text")

    @property
    def widths(self) -> list[float]:
        """Widths that a figure may have, narrowest first."""
        return [self.text] if self.column is None else [self.column, self.text]


SCREEN = "screen"
"""Name of the style in which the workflow draws."""

STYLES = {
    SCREEN: Style(7.0, "sans-serif", 8.16, 9.0, "the workflow's own figures"),
    "neurips": Style(5.5, "serif", 7.5, 9.0, "neurips.sty: text of 5.5 x 9 in, Times 10 pt"),
    "icml": Style(
        6.75, "serif", 7.5, 9.0, "icml.sty: text of 6.75 x 9 in, two columns 0.25 in apart, Times 10 pt", 3.25
    ),
    "jmlr": Style(6.0, "serif", 7.5, 8.5, "jmlr2e.sty: text of 6 x 8.5 in, 11 pt"),
    "lncs": Style(122 / 25.4, "serif", 7.5, 193 / 25.4, "llncs.cls: text of 122 x 193 mm, 10 pt"),
    "ieee": Style(7.16, "serif", 7.5, 9.0, "IEEE Author Center: one column 3.5 in, two columns 7.16 in, Times", 3.5),
    "slides": Style(160 / 25.4, "sans-serif", 8.0, 90 / 25.4, "beamer, aspectratio=169: 160 x 90 mm, 11 pt"),
}
"""Styles by name of the venue."""


@contextmanager
def in_force(style: Style, width: float) -> Iterator[None]:
    """Draw in a style, on pages of a width in inches; restore all earlier settings at the end."""
    with mpl.rc_context():
        apply_style(style, width)
        yield


def apply_style(style: Style = STYLES[SCREEN], width: float | None = None) -> None:
    """Set a style for all further figures, on pages of a width in inches (None: the width of the text).

    The look is that of seaborn's papers, the palette is colour-blind safe, and TrueType fonts are embedded.
    """
    mpl.rcdefaults()
    sns.set_theme(context="paper", style="ticks")
    ticks = {f"{axis}tick.{which}.{what}": size for axis in "xy" for (which, what), size in _TICKS.items()}
    settings: dict[Any, Any] = {
        **_LOOK,
        **FAMILIES[style.family],
        **ticks,
        **dict.fromkeys(("font.size", "axes.labelsize", "axes.titlesize", "legend.title_fontsize"), style.size),
        **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), _SMALLER * style.size),
        "figure.figsize": (style.text if width is None else width, 3.0),
    }
    mpl.rcParams.update(settings)


def page(height: float) -> tuple[float, float]:
    """Return width and height of a figure in inches, on a page of the width that ``apply_style`` set.

    height: on a page of the style SCREEN.  It is scaled with the fourth root of the width, because text keeps its size
    and panels should not become flat.
    """
    width = float(mpl.rcParams["figure.figsize"][0])
    return width, height * (width / STYLES[SCREEN].text) ** 0.25
