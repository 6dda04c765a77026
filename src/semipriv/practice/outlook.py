"""What a release would spend, on what, and how good it would be: told before anything is charged or read."""

from collections.abc import Mapping
from typing import Any

import attrs

from semipriv.budget.filter import Account
from semipriv.budget.ledger import Ledger
from semipriv.learners.base import Learner, Setting, status_model
from semipriv.practice.engine import Stage, charged, check_sizes, stage
from semipriv.practice.request import Request
from semipriv.privacy.events import described, restored

BETA = 0.05
"""Probability with which an expected error may be exceeded."""


@attrs.frozen(eq=False)
class Outlook:
    """What a release would do.

    state: 'new'; 'charged', but not drawn; 'stored': then nothing is charged, read or drawn.  before, after: accounts
    of the budget; after: None if the release does not fit.  bound: excess error that is exceeded with probability at
    most BETA, whatever the distribution; None if there is no proof.
    """

    made: Stage
    ledger: Ledger
    state: str
    before: tuple[Account, ...]
    after: tuple[Account, ...] | None
    bound: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        request = self.made.request
        return {
            "release": request.name,
            "state": self.state,
            "learners": [one.specification() for one in request.candidates],
            "private": {"path": str(request.private.path), "columns": list(request.private_columns)},
            "public": None if request.public is None else str(request.public.path),
            "sizes": self.made.sizes,
            "ledger": {"path": str(request.ledger), "id": self.ledger.identity},
            "event": described(self.made.event),
            "neighbours": self.made.neighbours.value,
            "before": [_account(one) for one in self.before],
            "after": None if self.after is None else [_account(one) for one in self.after],
            "excess_error": self.bound,
            "beta": BETA,
        }


def _account(given: Account) -> Mapping[str, Any]:
    spent, left = (None if x is None else str(x) for x in (given.spent, given.left))
    return {"account": given.name, "total": str(given.total), "spent": spent, "left": left}


def outlook(request: Request) -> Outlook:
    """Return what a release would do; raise ValueError for what would be refused without private rows.

    Rows of the private table are counted, and not read.  Nothing is charged.
    """
    made = stage(request)
    ledger = Ledger.open(request.ledger)
    found = charged(made, ledger)
    granted = [restored(entry.payload["event"]) for entry in ledger.entries if entry.kind == "reserved"]
    before = ledger.rule.accounts(granted)
    if found is not None:
        state = "charged" if found.stored is None else "stored"
        return Outlook(made, ledger, state, before, before, _bound(made))
    check_sizes(made)
    fits = ledger.rule.fits(granted, made.event)
    return Outlook(
        made, ledger, "new", before, ledger.rule.accounts([*granted, made.event]) if fits else None, _bound(made)
    )


def _bound(made: Stage) -> float | None:
    """Return the bound of the learner's theorem for these sizes."""
    one = made.request.candidates[0]
    if len(made.request.candidates) > 1 or one.hypothesis_class is None or not isinstance(one.learner, Learner):
        return None
    n = {"n_public": made.sizes["n_public"], "n_private": made.sizes["n_private"], "n": sum(made.sizes.values())}
    setting = Setting(one.hypothesis_class, n, BETA, 1.0, 0.5, status_model(one.learner))
    return one.learner.excess_bound(setting)
