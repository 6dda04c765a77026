"""What is refused before anything is paid, and the charge.

All that public numbers, paths and the ledger decide is refused first (``check``, ``check_table``), then a table with
cells that the request refuses (``refused_cells.check_cells``).  At last the release is made on made-up rows
(``rehearsal``), so that what fails after the reading of private rows fails here, for nothing.
"""

from collections.abc import Sequence

from semipriv.core import estimates
from semipriv.core.errors import PublicError
from semipriv.core.work import check_work, tell_all
from semipriv.learners._selecting import Selecting
from semipriv.learners._totals import Totalling
from semipriv.practice.asking.persons import check_same_persons
from semipriv.practice.engine.counting import rows_stay
from semipriv.practice.engine.counting_plans import plans
from semipriv.practice.engine.partial import mac_of_parts
from semipriv.practice.engine.possible import check_possible
from semipriv.practice.engine.refused_cells import check_cells
from semipriv.practice.engine.rehearsal import rehearse
from semipriv.practice.engine.rollback import check_not_set_back
from semipriv.practice.engine.stages import Stage, unlabelled_macs
from semipriv.practice.published.folder import check_folder, file_names, probe
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums.records import Rows
from semipriv.practice.sums.statistic import Statistic
from semipriv.practice.sums.tallies import statistic
from semipriv.privacy.budget.ledger import Ledger, Reservation


def reserve(staged: Stage) -> Reservation:
    """Step 2: charge for the release, unless it was charged for before.

    Raise BudgetError, and charge nothing, if less is left; before that, what ``check_not_set_back`` and ``check``
    raise; and, before the charge, what ``check_table``, ``check_cells`` and ``rehearse`` raise, and OSError if nothing
    can be written to its folder.
    """
    ledger = Ledger.open(staged.request.ledger)
    reservation = charged(staged, ledger)
    if reservation is not None and reservation.stored is not None:
        return reservation
    check_not_set_back(ledger, staged.request.folder)
    check(staged, ledger)
    if reservation is None:
        if taken_over(staged, ledger) is None:
            ledger.check_fits(staged.event, staged.identity)
        check_table(staged, ledger)
    check_cells(staged.request, staged.public.records, staged.statistics, staged.named)
    probe(staged.request.folder)
    if reservation is None:
        rehearse(staged, ledger)
    return ledger.reserve(staged.identity, staged.event, staged.neighbours, staged.request.stands_for)


def charged(staged: Stage, ledger: Ledger) -> Reservation | None:
    """Return the reservation of the request; None if it was not charged yet."""
    charges = (entry for entry in ledger.charges if entry.payload["digest"] == staged.digest)
    return next((Reservation(ledger, entry.number) for entry in charges), None)


def taken_over(staged: Stage, ledger: Ledger) -> int | None:
    """Return the number of the earlier charge, of a request of the same name without a draw, that pays for this one."""
    idle = ledger.idle(staged.event, staged.request.stands_for, staged.identity)
    return None if idle is None else idle.number


def check(staged: Stage, ledger: Ledger) -> None:
    """Raise ValueError for what public numbers, paths and the kind of the budget decide.  Private rows are counted."""
    request = staged.request
    if not staged.sizes["n_private"]:
        raise PublicError(f"{request.private.name}: has no private row to learn from")
    unlabelled = 0 if request.unlabelled is None else request.unlabelled.rows()
    _check_reading(staged)
    check_possible(request, staged.prepared, staged.sizes, unlabelled, _stay(staged))
    tell_all()
    statistics = staged.statistics()
    if not request.private.ordered and any(isinstance(statistic, Rows) for statistic in statistics):
        raise PublicError(f"{request.private.name}: the learner reads rows by their places: give private.order")
    _check_shared(staged, statistics)
    check_folder(request.folder, file_names(request))
    ledger.check_neighbours(staged.neighbours)
    if request.person is not None:
        check_same_persons(ledger, request.person.columns)


def _stay(staged: Stage) -> list[bool]:
    """Return for each candidate whether a database counts or sums up its rows, where estimates depend on that."""
    request, n, stays = staged.request, staged.sizes["n_private"], list[bool]()
    for candidate, prepared in zip(request.candidates, staged.prepared, strict=True):
        if isinstance(request.private, Stored) and isinstance(candidate.learner, Selecting | Totalling):
            whole = statistic(candidate.learner, prepared, n)
            if request.person is not None:
                whole.of_persons(n, request.person.rows)
            stays.append(rows_stay(request, staged.public.records, whole, staged.named))
        else:
            stays.append(False)
    return stays


def _check_reading(staged: Stage) -> None:
    """Raise WorkError if files of private rows take too long to read and encode; a database gives no time."""
    request = staged.request
    if isinstance(request.private, Files):
        rows = staged.sizes["n_private"] + staged.sizes.get("n_held_out", 0)
        cells, text = rows * len(request.private_columns), request.private.is_text
        what = f"{cells:,} cells of {request.private.name} to read each time"
        check_work(what, estimates.encoded(cells, text=text), "take fewer columns, or Parquet", begins=False)


def _check_shared(staged: Stage, statistics: Sequence[Statistic]) -> None:
    """Raise PublicError if rows of persons are streamed from a database, and it has no order or leaves out some.

    Such rows are read more than once, and each row must be found in its place again.
    """
    request, source = staged.request, staged.request.private
    if request.person is None or not isinstance(source, Stored):
        return
    if request.held_out is not None and source.filters:
        raise PublicError("held_out: draws persons of all rows, and a query with WHERE leaves out some: give a table")
    countable = len(plans(request, staged.public.records, statistics, staged.named))
    if countable < len(statistics) and not source.ordered:
        raise PublicError(
            f"{source.name}: rows of persons are read here more than once, since the learner needs more than counts: "
            "give private.order, a column that differs in each row, such as a row number"
        )
    if countable < len(statistics) or request.held_out is not None:
        source.rows()  # raises for an order that is none


def check_table(staged: Stage, ledger: Ledger) -> None:
    """Raise LedgerError for a table other than that of the last release, unless the request accepts it, or of another
    period.

    If the ledger knows one, the bytes of the private table are read, once, for their keyed digest.  A key that is
    missing or damaged is refused in any case: no table could be recognised with it after the charge.
    """
    request, key, accept = staged.request, ledger.key, staged.request.accept_changed_table
    if ledger.table is not None and (ledger.periods is not None or not accept):
        macs = [request.private.mac(key, part) for part in request.private.parts]
        ledger.check_table(mac_of_parts(key, [*macs, *unlabelled_macs(request, key)]), staged.identity, accept=accept)
