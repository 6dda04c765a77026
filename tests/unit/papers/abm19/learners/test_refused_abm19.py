"""What the reduction to public data refuses: the call, and the words of the error."""

import numpy as np
import refused

from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.papers.abm19.learners.public_data_reduction import PublicDataReduction
from semipriv.papers.abm19.learners.sspp import SSPP


def reduction(**changes) -> PublicDataReduction:
    settings = {"learner": SSPP(1.0), "marginal": Uniform(), "n_private": 2000, "n_public": 4}
    return PublicDataReduction(**(settings | changes))


def use(learner, h, x, y, *unlabelled) -> object:
    """Release without public points."""
    return learner.release(learner.prepare([], h), x, y, Simulation(1), *unlabelled)


REFUSED = [
    (lambda: reduction(learner={"name": "ssp", "epsilon": 1}), "unknown learner 'ssp': did you mean 'sspp'"),
    (lambda: reduction(learner={"name": "sspp"}), "learner 'sspp' needs epsilon"),
    (lambda: reduction(learner={"name": "empirical_risk_minimiser"}), "must be private"),
    (lambda: reduction(learner=3), "a learner needs a 'name'"),
    (lambda: reduction(marginal={"name": "unifrom"}), "unknown marginal 'unifrom'"),
    (lambda: reduction(n_private=0), "n_private = 0: must be >= 1"),
    (lambda: reduction(n_public=0), "n_public = 0: must be >= 1"),
    (lambda: reduction(n_public=1.5), "n_public = 1.5: must be an integer"),
    (lambda: reduction(run_out="stop"), "unknown run_out 'stop'"),
    (
        lambda: use(reduction(), Thresholds(), np.zeros(49), np.zeros(49)),
        r"points: 49 private examples, must be 50 = ceil\(n_private / \(10 n_public",
    ),
    (
        lambda: use(reduction(), Thresholds(), np.where(np.arange(50) == 3, np.nan, 0.0), np.zeros(50)),
        "points: row 3, feature 0 = nan: must be finite",
    ),
    (lambda: use(reduction(), Thresholds(), np.zeros(50), np.full(50, 2)), "labels: row 0 = .*2.*: must be 0 or 1"),
    (
        lambda: reduction().prepare(np.empty((0, 2)), Rectangles(2)),
        "marginal: has dimension 1, must be that of the class, 2",
    ),
]


@refused.each({"learners of ABM19": REFUSED})
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
