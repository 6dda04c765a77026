"""Domains of claims of BCM20 leave out what is false or was not run."""

from collections.abc import Mapping
from typing import Any

import pytest

from semipriv.learners._planned import EPSILONS
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.stated import domain_of

OUTSIDE: list[tuple[str, Mapping[str, Any]]] = [
    ("BCM20-L11", {"measurability": "no condition"}),
    ("BCM20-T10", {"measurability": "no condition"}),
    ("BCM20-T10", {"vc": 0}),
    ("BCM20-T10", {"cells": 1}),
    ("BCM20-T10-repaired", {"measurability": "no condition"}),
    ("BCM20-T10-repaired", {"vc": 0}),
    ("BCM20-T10-repaired", {"cells": 1}),
    ("BCM20-T10-repaired", {"epsilon": 1000.0}),
]


@pytest.mark.parametrize(("claim", "settings"), OUTSIDE)
def test_what_is_not_claimed_is_outside_of_the_domain(claim: str, settings: Mapping[str, Any]) -> None:
    assert domain_of(claims()[claim]).broken(settings)


def test_the_planner_takes_the_same_epsilons_as_the_claim() -> None:
    low, high = domain_of(claims()["BCM20-T10-repaired"]).ends("epsilon")
    assert (low, high) == ((EPSILONS[0], False), (EPSILONS[1], False))
