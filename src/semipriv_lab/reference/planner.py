"""``python -m semipriv_lab.reference.planner [FILE]``: write the sizes that the page on planning lets one choose.

The file is a script of one statement, because a page that is read from the disk can load no other data.  Each row is
what ``semipriv plan --class ... --alpha ... --epsilon ...`` answers.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semipriv.core import registry
from semipriv.core.files import atomic
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.plan import plan_sizes
from semipriv.practice.planner.population import default_population

FILE = "docs/assets/planner-sizes.js"
CLASSES: tuple[dict[str, Any], ...] = (
    {"name": "thresholds"},
    {"name": "intervals"},
    {"name": "decision_stumps", "dimension": 5},
    {"name": "decision_stumps", "dimension": 20},
    {"name": "halfspaces", "dimension": 2},
    {"name": "rectangles", "dimension": 2},
)
ALPHAS, EPSILONS, BETA = (0.05, 0.1, 0.2), (0.1, 0.3, 1.0, 3.0), 0.05
KEYS = ("class", "alpha", "epsilon", "proven_public", "proven_private", "simulated_public", "simulated_private")


def row(asked: dict[str, Any], alpha: float, epsilon: float) -> dict[str, Any]:
    """Return the sizes of a class at alpha and epsilon, by ``KEYS``; simulated ones are None if it refuses."""
    h = registry.build("classes", asked)
    words = " ".join([asked["name"].replace("_", " "), *(f"({k} {v})" for k, v in asked.items() if k != "name")])
    settings: dict[str, Any] = {"class": words, "alpha": alpha, "epsilon": epsilon}
    try:
        scenario = Scenario(default_population(h, 2000, Simulation(0).spawn("population")))
        plan = plan_sizes(h, alpha, BETA, epsilon, scenario=scenario)
    except ValueError:
        plan = plan_sizes(h, alpha, BETA, epsilon)
    seen = plan.empirical
    settings |= {"proven_public": plan.proven.n_public, "proven_private": plan.proven.n_private_optimised}
    return settings | {
        "simulated_public": None if seen is None else seen.n_public,
        "simulated_private": None if seen is None else seen.n_private,
    }


def rows() -> Iterator[dict[str, Any]]:
    """Yield all rows."""
    cells = [(asked, alpha, epsilon) for asked in CLASSES for alpha in ALPHAS for epsilon in EPSILONS]
    for cell in track(cells, "sizes"):
        yield row(*cell)


def main(path: str = FILE) -> None:
    """Write the file."""
    lines = [json.dumps([row[key] for key in KEYS]) for row in rows()]
    with atomic(path) as target:
        Path(target).write_text(
            "// Written by python -m semipriv_lab.reference.planner.\n"
            f"window.SIZES = {{ beta: {BETA}, keys: {json.dumps(KEYS)}, rows: [\n" + ",\n".join(lines) + "\n] };\n"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
