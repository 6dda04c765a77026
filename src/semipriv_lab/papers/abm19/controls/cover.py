"""A negative control of the cover that A_SSPP makes from public points."""

import numpy as np

from semipriv.audit.exact import DataSet, as_sample, examples, outcomes
from semipriv.classes.thresholds import Thresholds
from semipriv.learners.base import ListedDistribution
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv_lab.controls.base import Control, registered

LINE = np.arange(1.0, 4.0)[:, None]


@registered
def cover_from_private_points() -> Control:
    """A_SSPP with a cover of public and private points."""
    learner, public = SSPP(1.0), LINE[:1]

    def distribution(data: DataSet, points: np.ndarray) -> ListedDistribution:
        sample = as_sample(data)
        return learner.output_distribution(learner.prepare(points, Thresholds()), sample.points, sample.labels)

    return Control(
        "the cover, hence the support of the output, depends on private points",
        1.0,
        [examples(LINE)] * 2,
        lambda data: outcomes(distribution(data, public)),
        lambda data: outcomes(distribution(data, np.concatenate([public, as_sample(data).points]))),
    )
