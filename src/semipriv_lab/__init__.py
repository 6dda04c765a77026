"""semipriv_lab: the laboratory, in which the claims of the papers are measured with the library ``semipriv``.

Experiments and studies, what they measure, the figures and the ledger that tell of it, and what each rule of the
workflow does.  The library knows nothing of it; importing it adds its rooms to those of the library.
"""

from pathlib import Path

from semipriv.core import overlay
from semipriv.core.rooms import Room

overlay.declare(
    __name__,
    Path(__file__).parent,
    (
        Room("measures", "measure", package=__name__, key="measures"),
        Room("figures/plots", "figure", package=__name__),
        Room("figures", "figure of a paper", package=__name__, outside=False),
        Room("studies", "study", package=__name__, outside=False),
        Room("controls", "negative control", package=__name__, outside=False),
    ),
)
