"""Which part of the error level of a claim its gates use: ``tests/unit/studies/levels.json`` holds it by claim.

More than all is an error that ``tests/unit/studies/test_gates.py`` finds by itself.  Less is a decision, as it makes
limits wider than they need be, and does not change by accident.  ``python tests/levels.py`` writes the file anew.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from traced import levels, run

from semipriv.statistics import GATE_LEVEL
from semipriv.studies.catalogue import studies

FILE = Path(__file__).parent / "unit" / "studies" / "levels.json"


def told(level: float) -> str:
    """Return the part of GATE_LEVEL that a level is, to six digits."""
    return f"{level / GATE_LEVEL:.6g}"


def main(asked: Sequence[str] = ()) -> None:
    """Write the file anew for some studies, or for all."""
    known = json.loads(FILE.read_text()) if asked else {}
    for study in asked or studies():
        known |= {claim: told(level) for claim, (level, _) in levels(study, run(study)).items()}
    order = [claim for study in studies().values() for claim in study.claims]
    FILE.write_text(json.dumps({claim: known[claim] for claim in order if claim in known}, indent=0) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
