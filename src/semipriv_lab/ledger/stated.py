"""What the ledger states of a claim: its sentence, its domain with the constants of its study, and its proof.

Constants are read from the source of a study: a run is planned, and a ledger written, without importing 80 studies.
"""

import ast
from functools import cache
from typing import Any

from semipriv.core import overlay, source
from semipriv_lab.ledger.checked import place
from semipriv_lab.ledger.claims import Claim
from semipriv_lab.ledger.domains import Domain, constants_in, parse
from semipriv_lab.ledger.studies import studies, study_of


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


def domain_of(claim: Claim) -> Domain:
    """Return the domain of a claim, filled with the constants of its study.

    Raise ValueError, with the place of the claim, for one that cannot be read.
    """
    try:
        return parse(claim.domain, _constants(claim) if constants_in(claim.domain) else None)
    except ValueError as error:
        raise ValueError(f"{place(claim)}: domain: {error}") from None


def _constants(claim: Claim) -> dict[str, Any]:
    study = study_of().get(claim.id)
    return {} if study is None else _of_module(studies()[study].module)


@cache
def _of_module(module: str) -> dict[str, Any]:
    """Return the literal constants of a module, with those that it imports by name from other modules of ours."""
    tree = source.of_module(module)
    constants: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and overlay.is_ours(node.module):
            others = _of_module(node.module)
            constants |= {
                alias.asname or alias.name: others[alias.name] for alias in node.names if alias.name in others
            }
    return constants | source.constants(tree)
