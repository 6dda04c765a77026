"""Baseline without privacy: an active learner of thresholds that searches for the place where labels change."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.thresholds import Thresholds
from semipriv.core.fields import value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.learners.base import Learner
from semipriv.learners.outputs.transcript import Transcript
from semipriv.learners.stages.nothing import Nothing, NothingPrepared
from semipriv.papers.bns15.label_oracle import LabelOracle
from semipriv.privacy.guarantee import Release

__all__ = ["BinarySearch"]


@value
class BinarySearch(Learner[NothingPrepared]):
    """Asks for the label of the middle point, then of the middle of the half where labels change, and so on.

    At most ceil(log2(n + 1)) labels of n examples.  If the labels are those of a threshold, the hypothesis agrees with
    all of them; otherwise with those that were asked for.  Not private: hypothesis and transcript are functions of the
    sample.  The transcript tells where the points near the threshold are, for which every learner with a private
    transcript pays with about 1/alpha labels (theorem 5.6).

    Source:
        BNS15 section 5, theorem 5.6.
    """

    hue: ClassVar[str] = "grey"
    output_kind = "transcript"

    @classmethod
    def examples(cls) -> tuple["BinarySearch", ...]:
        """Return it."""
        return (cls(),)

    role = Role.MINIMISER
    short_title = "binary search"
    remark = "not private"
    guarantee = None
    public_stage = Nothing()

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Refuse all classes but thresholds, of real numbers or of integers.

        Raises:
            ValueError: for another class.
        """
        if not isinstance(hypothesis_class, (Thresholds, DiscreteThresholds)):
            raise ValueError(f"binary_search learns thresholds, the class is {hypothesis_class!r}")

    def release(
        self, prepared: NothingPrepared, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Transcript]:
        """Search among the points (n, d), equal ones by their places; cost: the number of labels asked for."""
        h = prepared.hypothesis_class
        assert isinstance(h, (Thresholds, DiscreteThresholds))
        x = h.validated(points)
        oracle = LabelOracle(labels, len(x))
        order = np.lexsort(x.T[::-1])
        last = int(h.orientation in ("ge", "gt"))  # the label of the largest points
        low, high, answers = 0, len(x), list[int]()
        while low < high:
            middle = (low + high) // 2
            answers.append(int(oracle.tell(order[[middle]])[0]))
            low, high = (low, middle) if answers[-1] == last else (middle + 1, high)
        minimiser = h.minimise(x[oracle.asked], answers)
        output = Transcript(h, minimiser.parameters, np.array(oracle.asked, np.int64))
        return Release(output, None, randomness.source, {"labels_asked": len(oracle.asked)})
