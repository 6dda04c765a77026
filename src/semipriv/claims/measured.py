"""Which claims have an experiment, and where it is: id -> module:function, imported when it is used."""

from importlib import import_module

from semipriv.claims.ledger import Finding
from semipriv.randomness import Simulation

EXPERIMENTS = {
    "ABM19-E1-exact": "semipriv.claims.abm19_cover:bad_probability",
    "ABM19-L3.2": "semipriv.claims.abm19_privacy:privacy_of_sspp",
    "ABM19-L3.3-rate": "semipriv.claims.abm19_cover:public_points_needed",
}


def module(claim: str) -> str:
    """Module of a claim's experiment."""
    return EXPERIMENTS[claim].partition(":")[0]


def measure(claim: str, randomness: Simulation, effort: float = 1.0) -> Finding:
    """Carry out a claim's experiment.  effort: scales the number of Monte-Carlo trials; 1 for the ledger."""
    path, _, function = EXPERIMENTS[claim].partition(":")
    finding: Finding = getattr(import_module(path), function)(randomness, effort)
    return finding
