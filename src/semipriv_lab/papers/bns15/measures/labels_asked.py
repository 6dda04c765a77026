"""How many labels were asked for."""

from collections.abc import Sequence
from typing import ClassVar

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.core.fields import value
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Sample
from semipriv.distributions.best import BestError, exactly
from semipriv.distributions.problem import Distribution
from semipriv.learners.outputs.transcript import Transcript
from semipriv_lab.measures.base import Measure, Measured, Released

__all__ = ["LabelsAsked"]


@value
class LabelsAsked(Measure[Distribution, HypothesisClass, Sample]):
    """The number of private examples whose labels were asked for, exactly.  The best value is 0.

    A transcript lists them.  Of another hypothesis the release says it, as its cost ``labels_asked``; if it does not,
    its learner read the labels of all labelled examples.
    """

    kinds: ClassVar[tuple[str, ...]] = ("hypothesis", "transcript")
    excess_title: ClassVar[str] = "labels asked for"

    def best(self, distribution: Distribution, hypothesis_class: HypothesisClass) -> BestError:
        """Return 0."""
        return exactly(0.0)

    def of_releases(
        self,
        releases: Sequence[Released],
        distribution: Distribution,
        hypothesis_class: HypothesisClass,
        randomness: Simulation,
    ) -> list[Measured]:
        """Return the numbers; raise ValueError for one that neither output, cost nor sizes tell."""
        return [Measured(_asked(release), 0.0) for release in releases]

    def population(
        self,
        outputs: Sequence[Hypothesis],
        distribution: Distribution,
        hypothesis_class: HypothesisClass,
        randomness: Simulation,
    ) -> list[Measured]:
        """Return the numbers of labels that transcripts list; raise ValueError for other hypotheses."""
        releases = [Released(output, {}, None) for output in outputs]
        return self.of_releases(releases, distribution, hypothesis_class, randomness)


def _asked(release: Released) -> float:
    if isinstance(release.output, Transcript):
        return float(len(release.output.asked))
    asked = release.cost.get("labels_asked", release.n_labelled)
    if asked is None:
        raise ValueError("labels_asked: neither the output nor its cost tells how many labels were asked for")
    return float(asked)
