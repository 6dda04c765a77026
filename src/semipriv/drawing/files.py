"""Writing of figures to files: equal figures have equal bytes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends._backend_pdf_ps import subset  # type: ignore[attr-defined]
from matplotlib.figure import Figure

from semipriv.core.files import atomic
from semipriv.drawing.style import RESOLUTION


def save(figure: Figure, *paths: str | Path) -> None:
    """Write a figure to files; the suffix of each names its format."""
    with mpl.rc_context({"figure.constrained_layout.use": False}):  # else each file would give it a new layout engine
        for path in paths:
            with atomic(path) as target:
                save_as(figure, target)


LAYOUT_TABLES = ("GSUB", "GPOS", "GDEF", "kern")
"""Tables of a font that place letters and put some for others: in a file each letter has its place already."""


@contextmanager
def _without_layout_tables() -> Iterator[None]:
    """Embed fonts without tables that nothing reads, and that take most of the time of embedding them."""
    options = subset.Options  # of fontTools, with whose defaults matplotlib embeds a font: it has no setting for them
    dropped = options._drop_tables_default
    options._drop_tables_default = [*dropped, *LAYOUT_TABLES]
    try:
        yield
    finally:
        options._drop_tables_default = dropped


def save_as(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the suffix, without a date: equal figures have equal bytes."""
    if path.suffix == ".pdf":
        with _without_layout_tables():
            figure.savefig(path, metadata={"CreationDate": None, "ModDate": None})
    else:
        figure.savefig(path, dpi=RESOLUTION, metadata={"Software": None})
