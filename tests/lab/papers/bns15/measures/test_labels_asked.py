"""The number of labels asked for, by transcripts, costs and sizes."""

import numpy as np
import pytest

from semipriv.classes.base import Hypothesis
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.distributions.labelings.realizable import Realizable
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import Distribution
from semipriv.learners.outputs.transcript import Transcript
from semipriv_lab.measures.base import Released
from semipriv_lab.measures.population_error import PopulationError
from semipriv_lab.papers.bns15.measures.labels_asked import LabelsAsked

DISTRIBUTION = Distribution(Uniform(), Realizable(0.5)), Thresholds()
PLAIN = Hypothesis(Thresholds(), np.array([0.4]))
TRANSCRIPT = Transcript(Thresholds(), np.array([0.4]), np.array([3, 1, 2]))


def asked(*releases: Released) -> list[float]:
    asked_counts = LabelsAsked().of_releases(releases, *DISTRIBUTION, Simulation(1))
    assert all(item.standard_error == 0 for item in asked_counts)
    return [item.value for item in asked_counts]


def test_who_tells_it() -> None:
    """A transcript lists them; else the cost tells; else all labels of the sample were read."""
    releases = [Released(TRANSCRIPT, {}, 9), Released(PLAIN, {"labels_asked": 5.0}, 9), Released(PLAIN, {}, 9)]
    assert asked(*releases) == [3.0, 5.0, 9.0]
    assert LabelsAsked().best(*DISTRIBUTION).value == 0
    with pytest.raises(ValueError, match="neither the output nor its cost tells"):
        asked(Released(PLAIN, {}, None))


def test_a_transcript_is_a_hypothesis() -> None:
    released = [Released(output, {}, None) for output in (PLAIN, TRANSCRIPT)]
    errors = PopulationError().of_releases(released, *DISTRIBUTION, Simulation(1))
    assert [error.value for error in errors] == pytest.approx([0.1, 0.1])
    assert [
        measured_error.value for measured_error in LabelsAsked().population([TRANSCRIPT], *DISTRIBUTION, Simulation(1))
    ] == [3.0]
