"""Every statement of the ledger names the domain for which it is judged, and where it is proved, or what was run."""

import re
from pathlib import Path

import pytest

from semipriv_lab.ledger.checked import JUDGED, objections
from semipriv_lab.ledger.claims import Claim, claims
from semipriv_lab.ledger.domains import NOWHERE
from semipriv_lab.ledger.stated import domain_of

FINDINGS = Path(__file__).parents[3] / "docs/findings.md"
KNOWN = ("the paper", "findings:", "enumeration", "closed form", "cited:")
"""What a proof may start with."""
EVERY = [pytest.param(claim, id=id) for id, claim in claims().items()]


@pytest.mark.parametrize("claim", EVERY)
def test_a_statement_names_its_domain(claim: Claim) -> None:
    assert objections(claim, domain_of(claim)) == []
    assert claim.kind not in JUDGED or claim.proof or domain_of(claim) != NOWHERE, "neither a domain nor a proof"


@pytest.mark.parametrize("claim", [one for one in EVERY if one.values[0].proof])
def test_a_proof_is_where_the_list_says(claim: Claim) -> None:
    assert claim.proof.startswith(KNOWN), f"{claim.proof!r}: must start with one of {', '.join(KNOWN)}"
    for part in re.findall(r"findings: ([^;]+)", claim.proof):
        flat = " ".join(FINDINGS.read_text().split())
        assert f"**{part.strip()}" in flat, f"docs/findings.md has no heading that starts with {part.strip()!r}"
