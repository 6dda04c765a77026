"""Which figures one job draws.  Nothing is drawn or imported here."""

from collections.abc import Mapping
from dataclasses import dataclass

from semipriv_lab.figures.catalogue import Drawing

LARGEST = 10
"""Number of figures that one job draws at most: they take some times as long as the start of a job."""


@dataclass(frozen=True)
class Batch:
    """Figures of one paper that one job draws, by the stem of their files.  paper: None if they are of no paper."""

    paper: str | None
    figures: dict[str, Drawing]

    @property
    def inputs(self) -> dict[str, str | list[str]]:
        """Tables that the figures read, by ``figure.table``."""
        return {f"{stem}.{name}": path for stem, figure in self.figures.items() for name, path in figure.inputs.items()}


def batches(drawings: Mapping[str, Drawing]) -> dict[str, Batch]:
    """Return the figures in batches of one paper each, as few and as equal in size as can be, by name.

    A batch waits for all its tables.  So figures go by the seconds of what they show, those of equal ones in the order
    of the list: what takes long starts first, and ends when other things of that length do.
    """
    parts = {}
    for paper in dict.fromkeys(drawing.paper for drawing in drawings.values()):
        of_paper = {stem: drawing for stem, drawing in drawings.items() if drawing.paper == paper}
        stems = sorted(of_paper, key=lambda stem: of_paper[stem].seconds)
        count = -(-len(stems) // LARGEST)
        for i in range(count):
            part = stems[i * len(stems) // count : (i + 1) * len(stems) // count]
            parts[f"{(paper or 'other').lower()}_{i + 1}"] = Batch(paper, {stem: of_paper[stem] for stem in part})
    return parts
