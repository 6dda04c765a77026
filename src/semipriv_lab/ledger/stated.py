"""What the ledger states of a claim: its sentence, its domain with the constants of its study, and its proof."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from semipriv.core import fingerprint, overlay, source
from semipriv.core.statistics import Verdict
from semipriv_lab.ledger.claims import Claim, claims
from semipriv_lab.ledger.domains import Domain, constants_in, not_as_run, parse, without_range
from semipriv_lab.ledger.findings import Measurement
from semipriv_lab.ledger.studies import studies, study_of

JUDGED = ("theorem", "rate", "exact", "ours")
"""Kinds of claims that have a verdict of their own, and therefore a domain."""


def stated(claim: Claim) -> dict[str, Any]:
    """Return columns of the ledger that the list fills; they may have changed since the claim was measured."""
    return {
        "claim": claim.id,
        "paper": claim.paper,
        "kind": claim.kind,
        "statement": claim.statement,
        "domain": domain_of(claim).text,
        "proof": claim.proof,
    }


def domain_of(claim: Claim, values: Mapping[str, Any] | None = None) -> Domain:
    """Return the domain of a claim, filled with the constants of its study, or with other values of them.

    Raise ValueError, with the place of the claim, for one that cannot be read.
    """
    try:
        return parse(claim.domain, _constants(claim) | dict(values or {}) if constants_in(claim.domain) else None)
    except ValueError as error:
        raise ValueError(f"{_place(claim)}: domain: {error}") from None


def objections(claim: Claim) -> list[str]:
    """Return what a claim leaves open: parameters without a range; of a theorem, neither a proof nor what was run."""
    if claim.kind not in JUDGED:
        return []
    domain = domain_of(claim)
    said = [f"{one}: has no range in the domain" for one in without_range(claim.statement, domain)]
    if claim.kind == "theorem" and not claim.proof and not domain.names & {"law", "data", "class"}:
        said.append("a theorem names its proof, or the laws, data or classes that were run")
    return said


def outside_of(domain: Domain, measurements: Iterable[Measurement]) -> list[str]:
    """Return the conditions of a domain that judged measurements break, controls left out, each once."""
    judged = (one for one in measurements if one.verdict is not None and not one.control)
    return list(dict.fromkeys(condition for one in judged for condition in domain.broken(one.settings)))


def contradictions(claim: Claim, measurements: Iterable[Measurement]) -> list[str]:
    """Return where judged measurements, controls left out, and the domain of their claim say different things.

    Without a proof a claim speaks of what was run, unless it is refuted: for that one point of its domain is enough.
    """
    judged = [one for one in measurements if one.verdict is not None and not one.control]
    domain = domain_of(claim)
    outside = {
        f"{one.quantity} at {dict(one.settings)}: outside of {', '.join(broken)}"
        for one in judged
        if (broken := domain.broken(one.settings))
    }
    decided = claim.proof or any(one.verdict is Verdict.REFUTED for one in judged)
    beyond = [] if decided else not_as_run(domain, [one.settings for one in judged])
    return sorted(outside) + beyond


def check_stated(ids: Iterable[str]) -> None:
    """Raise ValueError, before anything is measured, for the first claim of the list that leaves something open."""
    for claim in filter(None, map(claims().get, ids)):
        _refuse(claim, objections(claim))


def check_measured(id: str, measurements: Iterable[Measurement]) -> None:
    """Raise ValueError if measurements of a claim of the list contradict its domain."""
    claim = claims().get(id)
    if claim is not None:
        _refuse(claim, contradictions(claim, measurements))


def _refuse(claim: Claim, said: Sequence[str]) -> None:
    if said:
        raise ValueError("\n    ".join([f"{_place(claim)}: {said[0]}", *said[1:]]))


def _place(claim: Claim) -> str:
    return f"{claim.place}: {claim.id}" if claim.place else claim.id


def _constants(claim: Claim) -> dict[str, Any]:
    study = study_of().get(claim.id)
    return {} if study is None else _of_module(studies()[study].module)


@lru_cache(maxsize=256)
def _of_module(module: str) -> dict[str, Any]:
    """Return the literal constants of a module, with those that it imports by name from other modules of ours."""
    tree = source.parsed(fingerprint.source(module))
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and overlay.is_ours(node.module):
            others = _of_module(node.module)
            found |= {one.asname or one.name: others[one.name] for one in node.names if one.name in others}
    return found | source.constants(tree)
