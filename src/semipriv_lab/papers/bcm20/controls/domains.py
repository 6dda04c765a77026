"""A negative control of the representative domain that query release makes from public points."""

import numpy as np

from semipriv.audit.exact import DataSet
from semipriv.classes.thresholds import Thresholds
from semipriv.core.samples import as_points
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

LINE = np.arange(1.0, 4.0)[:, None]


@registered
def representative_domain_from_private_points() -> Control:
    """The most frequent class of points, by the exponential mechanism over a representative domain."""
    hypotheses = Thresholds().cover(LINE).listed().parameters

    def distribution(data: DataSet, domain: np.ndarray) -> LogProbabilities:
        points = as_points(np.array(data))
        same = Thresholds().predict(hypotheses, domain)[:, :, None] == Thresholds().predict(hypotheses, points)[:, None]
        counts = np.all(same, axis=0).sum(axis=1)
        chances = ExponentialMechanism(1.0).log_probabilities(counts)
        return dict(zip(domain[:, 0].tolist(), chances.tolist(), strict=True))

    return Control(
        "the representative domain holds private points only",
        1.0,
        [[0.5, 1.5, 2.5, 3.5]] * 3,
        lambda data: distribution(data, Thresholds().representative_domain(hypotheses)),
        lambda data: distribution(data, np.unique(np.array(data))[:, None]),
    )
