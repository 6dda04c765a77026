"""Rule draw_figures: draw the figures of a batch one after the other, so that Python starts once for all of them."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from semipriv.core.progress import track
from semipriv_lab.figures.base import draw_figure

Files = TypeVar("Files")


def draw_figures(
    specifications: Mapping[str, str], inputs: Mapping[str, str | Sequence[str]], outputs: Mapping[str, str]
) -> None:
    """Draw figures, each from its own tables only.

    specifications: of each figure, by its name, see ``draw_figure``.  inputs: files by ``figure.table``.  outputs: a
    file by ``figure.format``.  An error carries a note that names the figure.
    """
    for figure in track(list(specifications), "figures"):
        try:
            draw_figure(specifications[figure], _of(figure, inputs), *_of(figure, outputs).values())
        except Exception as error:
            error.add_note(f"drawing {figure}")
            raise


def _of(figure: str, files: Mapping[str, Files]) -> dict[str, Files]:
    """Return the files of one figure, by what stands after its name.

    >>> _of("a", {"a.pdf": "1", "a.b.pdf": "2", "a.png": "3"})
    {'pdf': '1', 'png': '3'}
    """
    parts = {name: name.rpartition(".") for name in files}
    return {last: files[name] for name, (first, _, last) in parts.items() if first == figure}
