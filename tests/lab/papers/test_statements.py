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
BY_PAPER: dict[str, list[Claim]] = {}
for one in claims().values():
    BY_PAPER.setdefault(one.paper, []).append(one)


@pytest.mark.parametrize("paper", BY_PAPER)
def test_a_statement_names_its_domain(paper: str) -> None:
    domains = {claim: domain_of(claim) for claim in BY_PAPER[paper]}
    assert [(claim.id, objection) for claim, domain in domains.items() for objection in objections(claim, domain)] == []
    bare = [claim.id for claim, domain in domains.items() if claim.kind in JUDGED and domain == NOWHERE]
    assert [id for id in bare if not claims()[id].proof] == [], "neither a domain nor a proof"


def test_a_proof_is_where_the_list_says() -> None:
    proofs = {claim.id: claim.proof for claim in claims().values() if claim.proof}
    assert proofs
    assert {id: proof for id, proof in proofs.items() if not proof.startswith(KNOWN)} == {}, f"start with {KNOWN}"
    flat = " ".join(FINDINGS.read_text().split())
    parts = [(id, part.strip()) for id, proof in proofs.items() for part in re.findall(r"findings: ([^;]+)", proof)]
    assert parts
    assert [(id, part) for id, part in parts if f"**{part}" not in flat] == [], "docs/findings.md has no such heading"
