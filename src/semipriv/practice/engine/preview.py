"""What a release would spend, on what, and how good it would be: told before anything is charged or read."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import attrs

from semipriv.classes.base import HypothesisClass
from semipriv.core.work import Cost, Works, total
from semipriv.learners.base import AnyLearner, Learner, Setting, status_model
from semipriv.practice.asking.candidate import Candidate
from semipriv.practice.asking.request import Request
from semipriv.practice.engine import judged
from semipriv.practice.engine.charging import charged, check, check_table, taken_over
from semipriv.practice.engine.counting import Leaving, leaving, queries
from semipriv.practice.engine.refused_cells import check_cells
from semipriv.practice.engine.rehearsal import rehearse
from semipriv.practice.engine.rollback import check_not_set_back
from semipriv.practice.engine.simulation import SECONDS, Say, Simulated, simulated
from semipriv.practice.engine.stages import Stage, stage
from semipriv.practice.engine.wishes import Expected, expected_of
from semipriv.privacy.budget.buying import Offer, offer
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.budget.rule import Account, BudgetError
from semipriv.privacy.events import described

BETA = 0.05
"""Probability with which an expected error may be exceeded."""


@attrs.frozen(eq=False)
class Preview:
    """What a release would do.

    state: 'new'; 'taken over': the charge of an earlier request pays, for which nothing was drawn; 'charged', but not
    drawn; 'stored': then nothing is charged, read or drawn.  before, after: accounts
    of the budget; after: None if the release does not fit.  offer: what can be bought then, of the same kind.  bound:
    excess error that is exceeded with probability at most BETA, for what ``distributions`` says; None if there is no
    proof.
    simulated: the same by a simulation, which proves nothing; None if it was not made, as for few public rows and for
    learners that are not simulated.  queries: by which a database would count; none if it would
    send rows, and of files.  leaving: what would leave a database; None for files, and if nothing would be drawn.
    works: what is to be done that may take long, with what each takes by public numbers, before any of the draw.
    seconds: what the draw took on made-up rows; None if nothing was drawn.  expected: of
    statistics by group, their standard errors.  enough: an epsilon that meets all that is wished of them; None if all
    is met, or if none is found.
    """

    staged: Stage
    ledger: Ledger
    state: str
    before: tuple[Account, ...]
    after: tuple[Account, ...] | None
    offer: Offer
    bound: float | None = None
    simulated: Simulated | None = None
    queries: Sequence[str] = ()
    leaving: Leaving | None = None
    works: Mapping[str, Cost] = attrs.field(factory=dict)
    seconds: float | None = None
    expected: Sequence[Expected] = ()
    enough: float | None = None

    @property
    def distributions(self) -> str:
        """For which distributions the bound holds."""
        asked = _asked(self.staged)
        return "every distribution" if asked is None else asked[0].distributions(asked[1])

    def to_dict(self) -> dict[str, Any]:
        """Return values of JSON."""
        request = self.staged.request
        return {
            "release": request.name,
            "state": self.state,
            "learners": [_learner(candidate) for candidate in request.candidates],
            "private": {"path": str(request.private.name), "columns": list(request.private_columns)},
            "public": None if request.public is None else str(request.public.name),
            "sizes": self.staged.sizes,
            "ledger": {"path": str(request.ledger), "id": self.ledger.identity},
            "event": described(self.staged.event),
            "neighbours": self.staged.neighbours.value,
            "before": [_account(account) for account in self.before],
            "after": None if self.after is None else [_account(account) for account in self.after],
            "can_still_be_bought": self.offer.to_dict(),
            "excess_error": self.bound,
            "simulated_excess_error": None if self.simulated is None else self.simulated.limit,
            "simulation": None if self.simulated is None else self.simulated.to_dict(),
            "beta": BETA,
            "queries": list(self.queries),
            "leaving": None if self.leaving is None else attrs.asdict(self.leaving),
            "estimate": {
                **asdict(total(self.works.values())),
                "work": [{"what": what, **asdict(cost)} for what, cost in self.works.items()],
            },
            "draw_seconds": self.seconds,
            **self._of_wishes(),
        }

    @property
    def equal_groups(self) -> bool:
        """Whether ``expected`` assumes groups of equal size, since there are no public rows to show their sizes."""
        return any(expectation.asked.by for expectation in self.expected) and not self.staged.sizes["n_public"]

    def _of_wishes(self) -> dict[str, Any]:
        if not self.expected:
            return {}
        expected = [expectation.to_dict() for expectation in self.expected]
        return {"expected": expected, "equal_groups_assumed": self.equal_groups, "epsilon_for_wishes": self.enough}


def _learner(candidate: Candidate) -> Mapping[str, Any]:
    """Return class and learner, and why a public rule chose them."""
    return candidate.specification() | ({} if candidate.choice is None else {"because": candidate.choice.because})


def _account(account: Account) -> Mapping[str, Any]:
    spent, left = (None if x is None else str(x) for x in (account.spent, account.left))
    return {"account": account.name, "total": str(account.total), "spent": spent, "left": left}


def preview(request: Request, tell: Callable[[Preview], None] = lambda first: None) -> Preview:
    """Return what a release would do; raise ValueError for what would be refused without private rows.

    tell: is called with the charge and the accounts, before the public stage is carried out, which may take long.  Rows
    of the private table are counted and not read, with two exceptions: a request that refuses cells looks for such
    cells, and if the ledger knows the table of an earlier release, the bytes are read for their keyed digest.  Nothing
    is charged, and nothing is simulated yet.
    """
    try:
        with request.limited() as works:
            return _previewed(request, tell, works)
    finally:
        request.close()


def _previewed(request: Request, tell: Callable[[Preview], None], works: Works) -> Preview:
    staged = stage(request)
    ledger = Ledger.open(request.ledger)
    reservation = charged(staged, ledger)
    if reservation is None or reservation.stored is None:
        check_not_set_back(ledger, request.folder)
    standing = ledger.standing(staged.event, staged.identity)
    before = standing.accounts
    state, after, rehearsed = "new", None, None
    if reservation is not None:
        state, after = "charged" if reservation.stored is None else "stored", before
    elif taken_over(staged, ledger) is not None:
        state, after = "taken over", before
    else:
        with suppress(BudgetError):
            ledger.check_fits(staged.event, staged.identity)
            after = standing.rule.accounts([*standing.granted, staged.event])
    bought = offer(standing.rule, before if after is None else after, staged.event)
    first = Preview(staged, ledger, state, before, after, bought)
    tell(first)
    if state != "stored":
        check(staged, ledger)
        first = attrs.evolve(first, works=dict(works))
    if state in ("new", "taken over") and after is not None:
        check_table(staged, ledger)
    if state != "stored" and after is not None:
        check_cells(request, staged.public.records, staged.statistics, staged.named)
        rehearsed = rehearse(staged, ledger)
    asked, leaves = list[str](), None
    if state != "stored":
        counted = request, staged.public.records, staged.statistics()
        asked = [*queries(*counted, staged.named), *judged.queries(*counted)]
        reads = None if rehearsed is None else rehearsed.reads
        leaves = leaving(*counted, staged.named, reads, judging=judged.reads_rows(*counted))
    seconds = None if rehearsed is None else rehearsed.seconds
    known = attrs.evolve(first, bound=_bound(staged), queries=asked, leaving=leaves, seconds=seconds)
    expectations, enough = expected_of(staged), None
    if not all(expectation.met for expectation in expectations):
        learner = request.candidates[0].learner
        enough = learner.smallest_epsilon(staged.prepared[0], staged.sizes["n_private"])
    return attrs.evolve(known, expected=expectations, enough=enough)


def simulate(first: Preview, seconds: float = SECONDS, say: Say = lambda line: None) -> Preview:
    """Return the preview with a simulation of at most so many seconds."""
    single = _single(first.staged)
    if single is None:
        return first
    public = first.staged.public.points
    with first.staged.request.limited():
        simulation = simulated(*single, public, _sizes(first.staged), BETA, seconds, say)
    return attrs.evolve(first, simulated=simulation)


def _single(staged: Stage) -> tuple[AnyLearner, HypothesisClass] | None:
    """Return the learner and the class; None for a choice among candidates, and for tables without a class."""
    candidate = staged.request.candidates[0]
    if (
        len(staged.request.candidates) > 1
        or candidate.hypothesis_class is None
        or not isinstance(candidate.learner, Learner)
    ):
        return None
    return candidate.learner, candidate.hypothesis_class


def _sizes(staged: Stage) -> dict[str, int]:
    n_public, n_private = staged.sizes["n_public"], staged.sizes["n_private"]
    return {"n_public": n_public, "n_private": n_private, "n": n_public + n_private}


def _bound(staged: Stage) -> float | None:
    """Return the bound of the learner's theorem for these sizes."""
    asked = _asked(staged)
    return None if asked is None else asked[0].excess_bound(asked[1])


def _asked(staged: Stage) -> tuple[AnyLearner, Setting] | None:
    """Return the learner and the setting of its bound; None where there is no bound."""
    single = _single(staged)
    if single is None:
        return None
    learner, h = single
    return learner, Setting(h, _sizes(staged), BETA, 1.0, 0.5, status_model(learner))
