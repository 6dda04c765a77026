"""What the broken twins of privacy proofs are, and their honest siblings: claims, exact losses, and one law of each.

``tests/unit/audit/twins.json`` holds them as they were when it was written: another number in a twin or in its sibling
would be another step that is broken, or none that a reader knows of.  ``python tests/twins.py`` writes the file anew;
read the difference.
"""

import json
import math
from itertools import islice, product
from pathlib import Path
from typing import Any

from semipriv.audit.exact import PrivacyLoss, exact_privacy_loss
from semipriv.audit.twins import TWINS
from semipriv.audit.twins.base import Twin

FILE = Path(__file__).parent / "unit" / "audit" / "twins.json"
FEW = 6
"""Most outcomes of a law that are shown: the likeliest."""


def shown(twin: Twin, honest: PrivacyLoss, broken: PrivacyLoss) -> dict[str, Any]:
    """Return what is known of a twin, numbers to six digits: its law is that of the data set in the middle."""
    sets = math.prod(map(len, twin.slots))
    middle = next(islice(product(*twin.slots), min(sets // 2, 10_000), None))
    return {
        "claim": _digits(twin.epsilon),
        "data sets": sets,
        "losses": [_digits(found.loss) for found in (honest, broken)],
        "laws": [_law(law(middle)) for law in (twin.honest, twin.broken)],
    }


def _law(law: Any) -> list[str]:
    """Return the likeliest outcomes with their probabilities; of equal ones, those of the first names."""
    found = sorted((-float(_digits(math.exp(value))), str(outcome)) for outcome, value in law.items())
    return [f"{outcome[:60]}: {-value:.6g}" for value, outcome in found[:FEW]]


def _digits(number: float) -> str:
    return f"{number:.6g}"


def main() -> None:
    """Write the file."""
    known = {}
    for name, make in TWINS.items():
        twin = make()
        known[name] = shown(twin, *(exact_privacy_loss(law, twin.slots) for law in (twin.honest, twin.broken)))
    FILE.write_text(json.dumps(known, indent=0) + "\n")


if __name__ == "__main__":
    main()
