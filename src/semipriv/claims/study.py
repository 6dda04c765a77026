"""Rule measure_study: carrying out one study.  It does not know the others, so that a new one makes no other stale."""

from collections.abc import Sequence
from importlib import import_module

from semipriv.claims.ledger import Finding
from semipriv.randomness import Simulation


def module(study: str) -> str:
    """Module of a study."""
    return f"semipriv.claims.{study}"


def measure(study: str, claims: Sequence[str], randomness: Simulation, effort: float = 1.0) -> dict[str, Finding]:
    """Carry a study out, and return its findings on the given claims, in this order.

    effort: scales the number of Monte-Carlo trials; 1 for the ledger.  Raises ValueError unless the study finds exactly
    these claims.
    """
    findings: dict[str, Finding] = import_module(module(study)).findings(randomness, effort)
    if findings.keys() != set(claims):
        raise ValueError(f"study {study!r} found {sorted(findings)}, must find {sorted(claims)}")
    return {claim: findings[claim] for claim in claims}
