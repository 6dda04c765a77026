"""semipriv_lab: the laboratory, in which the claims of the papers are measured with the library ``semipriv``.

Experiments and studies, what they measure, the figures and the ledger that tell of it, and what each rule of the
workflow does.  The library knows nothing of it; whoever imports it adds its rooms to those of the library.
"""

from pathlib import Path

from semipriv.core import overlay

ROOMS = {"measures": "measure", "figures/plots": "figure"}
"""Rooms that a plug-in folder may have beside those of the library, each with the word for one plug-in of it."""

overlay.declare("semipriv_lab", Path(__file__).parent, ROOMS, ("measures", "figures", "studies", "twins"))
