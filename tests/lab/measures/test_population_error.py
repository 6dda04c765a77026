"""The population error, and shares of mistakes on held-out examples."""

import numpy as np
import pytest

from semipriv.classes.base import Hypothesis
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Sample
from semipriv.distributions.labelings.classification_noise import ClassificationNoise
from semipriv.distributions.marginals.uniform import Uniform
from semipriv.distributions.problem import Distribution
from semipriv_lab.measures.population_error import PopulationError


def test_held_out_errors_are_shares_with_the_standard_errors_of_shares() -> None:
    sample = Sample(np.array([[0.1], [0.2], [0.3], [0.4], [0.5]]), np.array([0, 1, 0, 1, 1]))
    outputs = [Hypothesis(Thresholds(), np.array([t])) for t in (0.0, 0.15, 0.45, 1.0)]
    errors = PopulationError().held_out(outputs, sample)
    shares = [2 / 5, 1 / 5, 2 / 5, 3 / 5]
    assert [error.value for error in errors] == pytest.approx(shares)
    assert [error.standard_error for error in errors] == pytest.approx([np.sqrt(p * (1 - p) / 5) for p in shares])


def test_each_output_gets_the_error_of_its_own_parameters_and_functions() -> None:
    """Of two sets of functions that take turns: t is wrong on |t - 0.5|, flipped labels aside."""
    problem = Distribution(Uniform(), ClassificationNoise(0.5, 0.1))
    outputs = [
        Hypothesis(*arguments)
        for arguments in ((Thresholds(), [0.5]), (Intervals(), [0.25, 0.75]), (Thresholds(), [0.9]))
    ]
    errors = PopulationError().population(outputs, problem, Thresholds(), Simulation(0))
    assert [error.value for error in errors] == pytest.approx([0.1, 0.1 + 0.8 * 0.5, 0.1 + 0.8 * 0.4])
    assert PopulationError().best(problem, Thresholds()).value == pytest.approx(0.1)
