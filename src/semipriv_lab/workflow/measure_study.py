"""Rule measure_study: carry out one study.  It does not depend on others: a new study makes no other one stale."""

from collections.abc import Sequence
from importlib import import_module

from semipriv.core import registry
from semipriv.core.randomness import Simulation
from semipriv_lab.ledger.claim import Claim, findings
from semipriv_lab.ledger.findings import Finding


def measure(study: str, claims: Sequence[str], randomness: Simulation, effort: float = 1.0) -> dict[str, Finding]:
    """Carry out the study with the given id, and return its findings on the given claims, in this order.

    effort: factor of the number of Monte-Carlo trials; 1 for the ledger.

    Raise ValueError, before anything is measured, unless the claims are those that its module declares.
    """
    paper, _, name = study.partition("_")
    module = import_module(registry.module(f"papers/{paper}/studies", name))
    if set(claims) != (
        declared := {measuring.id for measuring in vars(module).values() if isinstance(measuring, Claim)}
    ):
        differing = ", ".join(sorted(declared.symmetric_difference(claims)))
        raise ValueError(f"{module.__file__}: its @claim and the line in studies.csv differ in {differing}")
    measured = findings(module, randomness, effort)
    return {claim: measured[claim] for claim in claims}
