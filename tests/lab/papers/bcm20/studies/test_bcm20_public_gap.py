"""Claims BCM20-T10-public and T10-gap: the distribution is atomless, and what is proved for every m is a row."""

import numpy as np

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.ledger.checked import contradictions
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.stated import domain_of
from semipriv_lab.papers.bcm20.studies import public_points as study


def test_a_point_mass_is_outside_of_both_domains() -> None:
    """All gaps and errors are 0 there, so that no lower bound holds."""
    for id in ("BCM20-T10-public", "BCM20-T10-gap"):
        assert domain_of(claims()[id]).broken({"distribution": "point mass"})
        assert not domain_of(claims()[id]).broken({"distribution": study.ATOMLESS})


def test_the_run_is_not_said_of_sizes_that_were_not_run() -> None:
    """MWEM ran with five numbers of public points."""
    domain = domain_of(claims()["BCM20-T10-public"])
    assert domain.broken({"n_public": 100_000})
    assert domain.broken({"n_public": 11})
    assert domain.broken({"epsilon": 2.0})


def test_the_gap_holds_for_every_size() -> None:
    """The quotient is looked at for all m here, not at its ends alone."""
    finding = study.largest_gap(Run(Simulation(1), 0.03))
    assert finding.verdict is Verdict.HOLDS
    assert contradictions(claims()["BCM20-T10-gap"], domain_of(claims()["BCM20-T10-gap"]), finding.measurements) == []
    m = np.arange(study.LEAST_M, study.LARGEST_M + 1)
    expected = np.array([np.sum(1 / np.arange(1.0, size + 2)) / (size + 1) for size in m[:2000]])
    quotient = expected / (np.log(m[:2000]) / m[:2000])
    assert 1 <= quotient.min() <= quotient.max() <= 1.2
    assert (study.extremes()["largest"][1] >= quotient).all()
    assert (study.extremes()["least"][1] <= quotient).all()
