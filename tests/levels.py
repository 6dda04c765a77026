"""Which part of the error level of a claim its gates use: ``tests/unit/studies/levels.json`` holds it by claim.

More than all is an error that ``tests/unit/studies/test_gates.py`` finds by itself.  Less is a decision, as it makes
limits wider than they need be, and does not change by accident.  ``python tests/levels.py`` writes the file anew.
"""

import json
from pathlib import Path

from traced import levels, run

from semipriv.statistics import GATE_LEVEL
from semipriv.studies.catalogue import studies

FILE = Path(__file__).parent / "unit" / "studies" / "levels.json"


def told(level: float) -> str:
    """Return the part of GATE_LEVEL that a level is, to six digits."""
    return f"{level / GATE_LEVEL:.6g}"


def main() -> None:
    """Write the file."""
    known = {}
    for study in studies():
        known |= {claim: told(level) for claim, (level, _) in levels(study, run(study)).items()}
    FILE.write_text(json.dumps(known, indent=0) + "\n")


if __name__ == "__main__":
    main()
