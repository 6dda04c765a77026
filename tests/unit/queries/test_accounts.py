"""Whoever keeps an account pays before it draws: where the account refuses, nothing was drawn from private counts."""

import inspect
import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from semipriv.audit.properties.streams import streams
from semipriv.core import registry
from semipriv.core.randomness import Randomness, Simulation
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.privacy.events import Account, Event
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.schema import Schema
from semipriv.queries.workloads import Runs

ROOM, NEEDED = "queries/methods", {"pmw": {"accuracy": 0.2}}
COUNTS, BUDGET = np.array([7, 0, 3, 1, 0, 0, 9]), Guarantee(1.0, 1e-6)


def _fits(name: str) -> Callable[[Randomness], object]:
    method = registry.build(ROOM, {"name": name, **NEEDED.get(name, {})})
    queries = Runs(7, np.zeros(7, np.int64), np.arange(7))
    return lambda randomness: method.fit(queries, COUNTS, BUDGET, randomness)


def _releases(randomness: Randomness) -> object:
    rows = pd.DataFrame({"one": [0, 1, 1], "other": [1, 0, 1]})
    learner = PublicRowsRelease(1.0, 1e-6, rounds=None)
    return learner.release(learner.prepare(rows, Schema({"one": 2, "other": 2})), rows, randomness)


KEEPERS = {
    name: _fits(name)
    for name in registry.names(ROOM)
    if re.search(r"Account\(|self\.check_fit\(", inspect.getsource(registry.load(ROOM, name)))
} | {"table_release": _releases}


@pytest.mark.parametrize("name", KEEPERS)
def test_nothing_is_drawn_before_it_is_paid_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Account, event: Event) -> None:
        raise ValueError("nothing is left")

    KEEPERS[name](Simulation(1))
    monkeypatch.setattr(Account, "pay", refuse)
    with streams() as begun, pytest.raises(ValueError, match="nothing is left"):
        KEEPERS[name](Simulation(1))
    assert not begun, f"{name}: draws, and pays later"


def test_every_method_with_an_account_is_among_them() -> None:
    assert {"mwem", "pmw"} <= KEEPERS.keys()
