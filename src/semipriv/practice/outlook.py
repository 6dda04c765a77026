"""What a release would spend, on what, and how good it would be: told before anything is charged or read."""

from collections.abc import Mapping
from typing import Any

import attrs

from semipriv.budget.buying import Offer, offer
from semipriv.budget.ledger import Ledger
from semipriv.budget.rule import Account
from semipriv.classes.base import HypothesisClass
from semipriv.learners._needs import size_keys
from semipriv.learners.base import AnyLearner, Learner, Setting, status_model
from semipriv.planner.empirical import EmpiricalExcess, Scenario, default_trials
from semipriv.planner.of_learner import learner_excess
from semipriv.planner.population import Population
from semipriv.practice.engine import Stage, charged, check_sizes, stage
from semipriv.practice.request import Request
from semipriv.practice.rollback import check_not_set_back
from semipriv.privacy.events import described, restored

BETA = 0.05
"""Probability with which an expected error may be exceeded."""
FEWEST = 20
"""Public rows that make a population to simulate."""
MOST = 2 * 10**7
"""Rows that a simulation draws, all trials together: some seconds."""


@attrs.frozen(eq=False)
class Outlook:
    """What a release would do.

    state: 'new'; 'charged', but not drawn; 'stored': then nothing is charged, read or drawn.  before, after: accounts
    of the budget; after: None if the release does not fit.  offer: what can be bought then, of the same kind.  bound:
    excess error that is exceeded with probability at most BETA, whatever the distribution; None if there is no proof.
    simulated: the same by a simulation, with 95 % confidence: its population is the public rows, its targets are drawn
    from the class, a tenth of labels is flipped.  It proves nothing.  None if there are fewer than FEWEST public rows,
    if it would take long, and for a learner that is not simulated.
    """

    made: Stage
    ledger: Ledger
    state: str
    before: tuple[Account, ...]
    after: tuple[Account, ...] | None
    offer: Offer
    bound: float | None
    simulated: float | None

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
            "can_still_be_bought": self.offer.to_dict(),
            "excess_error": self.bound,
            "simulated_excess_error": self.simulated,
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
    if found is None or found.stored is None:
        check_not_set_back(ledger, request.folder)
    granted = [restored(entry.payload["event"]) for entry in ledger.entries if entry.kind == "reserved"]
    before = ledger.rule.accounts(granted)
    if found is not None:
        state = "charged" if found.stored is None else "stored"
        bought = offer(ledger.rule, before, made.event)
        return Outlook(made, ledger, state, before, before, bought, _bound(made), _simulated(made))
    check_sizes(made)
    after = ledger.rule.accounts([*granted, made.event]) if ledger.rule.fits(granted, made.event) else None
    bought = offer(ledger.rule, before if after is None else after, made.event)
    return Outlook(made, ledger, "new", before, after, bought, _bound(made), _simulated(made))


def _single(made: Stage) -> tuple[AnyLearner, HypothesisClass] | None:
    """Return the learner and the class; None for a choice among candidates, and for tables without a class."""
    one = made.request.candidates[0]
    if len(made.request.candidates) > 1 or one.hypothesis_class is None or not isinstance(one.learner, Learner):
        return None
    return one.learner, one.hypothesis_class


def _sizes(made: Stage) -> dict[str, int]:
    n_public, n_private = made.sizes["n_public"], made.sizes["n_private"]
    return {"n_public": n_public, "n_private": n_private, "n": n_public + n_private}


def _bound(made: Stage) -> float | None:
    """Return the bound of the learner's theorem for these sizes."""
    found = _single(made)
    if found is None:
        return None
    learner, h = found
    return learner.excess_bound(Setting(h, _sizes(made), BETA, 1.0, 0.5, status_model(learner)))


def _simulated(made: Stage) -> float | None:
    """Return the excess error of a simulation on the public rows."""
    found = _single(made)
    points = made.public.points
    if found is None or len(points) < FEWEST or made.sizes["n_private"] * default_trials(BETA) > MOST:
        return None
    learner, h = found
    try:
        sizes = {key: size for key, size in _sizes(made).items() if key in size_keys(learner)}
        plan = learner_excess(h, learner, sizes, BETA, scenario=Scenario(Population(h, "public rows", points)))
    except ValueError:  # it is not simulated
        return None
    return plan.empirical.upper_limit if isinstance(plan.empirical, EmpiricalExcess) else None
