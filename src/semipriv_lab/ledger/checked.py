"""What a claim may leave open, and what its measurements may contradict.

Nothing here reads the source of a study: what jobs import counts as their code.
"""

from collections.abc import Iterable, Sequence

from semipriv.core.statistics import Verdict
from semipriv_lab.ledger.claims import Claim
from semipriv_lab.ledger.domains import Domain, not_as_run, without_range
from semipriv_lab.ledger.findings import Measurement

JUDGED = ("theorem", "rate", "exact", "ours")
"""Kinds of claims that have a verdict of their own, and therefore a domain."""


def objections(claim: Claim, domain: Domain) -> list[str]:
    """Return what a claim leaves open: parameters without a range; of a theorem, neither a proof nor what was run."""
    if claim.kind not in JUDGED:
        return []
    problems = [f"{name}: has no range in the domain" for name in without_range(claim.statement, domain)]
    if claim.kind == "theorem" and not claim.proof and not domain.names & {"distribution", "data", "class"}:
        problems.append("a theorem names its proof, or the distributions, data or classes that were run")
    return problems


def outside_of(domain: Domain, measurements: Iterable[Measurement]) -> list[str]:
    """Return the conditions of a domain that judged measurements break, controls left out, each once."""
    judged = (row for row in measurements if row.verdict is not None and not row.control)
    return list(dict.fromkeys(condition for row in judged for condition in domain.broken(row.settings)))


def contradictions(claim: Claim, domain: Domain, measurements: Iterable[Measurement]) -> list[str]:
    """Return where judged measurements, controls left out, and the domain of their claim say different things.

    Without a proof a claim speaks of what was run, unless it is refuted: for that one point of its domain is enough.
    """
    judged = [row for row in measurements if row.verdict is not None and not row.control]
    outside = {
        f"{row.quantity} at {dict(row.settings)}: outside of {', '.join(broken)}"
        for row in judged
        if (broken := domain.broken(row.settings))
    }
    decided = claim.proof or any(row.verdict is Verdict.REFUTED for row in judged)
    beyond = [] if decided else not_as_run(domain, [row.settings for row in judged])
    return sorted(outside) + beyond


def refuse(claim: Claim, problems: Sequence[str]) -> None:
    """Raise ValueError, with the place of the claim, if anything is said against it."""
    if problems:
        raise ValueError("\n    ".join([f"{place(claim)}: {problems[0]}", *problems[1:]]))


def place(claim: Claim) -> str:
    """Return file, line and id of a claim."""
    return f"{claim.place}: {claim.id}" if claim.place else claim.id
