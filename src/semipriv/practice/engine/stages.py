"""A release on an own table, step by step: check, charge, read, draw once, store, publish.

The steps are functions of their own: `semipriv release` takes them one after the other, and the rules of Snakemake take
each in a job.  The ledger decides whether anything is charged or drawn, not who calls, how often, or what was killed:

1. ``stage``: read the request and the public data.
2. ``reserve``: refuse whatever public numbers, paths and the ledger decide (``check``, ``check_table``); and a table
   with cells that the request refuses, if it refuses any (``check_cells``).  Then charge, in the ledger, before a
   private row is read for what is drawn.  A request that was charged is not charged again.
3. ``tally``: sum up the rows of a part; nothing else is kept of them.
4. ``draw``: from the sums of all parts, under the ledger's lock, with the entropy of the operating system.  A learner
   that asks for one sum after the other reads the rows again for each, all parts in turn; memory holds a chunk.  The
   ledger stores what was drawn before anything is published.  What is stored already is returned, and nothing is drawn.
5. ``publish``: make the files, from what is stored and what is public alone; so they are the same each time.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from semipriv.core.entries import ListedEntries
from semipriv.core.errors import PublicError, public_data_only
from semipriv.core.randomness import Secure
from semipriv.core.samples import Labels, Points
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.practice.asking import quality
from semipriv.practice.asking.request import Candidate, Public, Request
from semipriv.practice.columns.strict import canonical
from semipriv.practice.engine import tallies
from semipriv.practice.engine.counting import counted
from semipriv.practice.engine.inspection import check_cells
from semipriv.practice.engine.judging import judged
from semipriv.practice.engine.messages import private_rows_at_hand
from semipriv.practice.engine.partial import Partial, mac_of_parts
from semipriv.practice.engine.possible import check_possible
from semipriv.practice.engine.reading import entries, examples, read_public, rows
from semipriv.practice.engine.rollback import check_not_set_back
from semipriv.practice.engine.tallies import Rows, Statistic
from semipriv.practice.published.folder import check_folder, file_names, probe
from semipriv.practice.published.released import Released
from semipriv.privacy.budget.ledger import Ledger, Reservation
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Neighbours


@attrs.frozen(eq=False, slots=False)
class Stage:
    """The public half of a release: the request, the public rows, and what the public stage makes of them."""

    request: Request
    public: Public

    @cached_property
    @public_data_only()
    def prepared(self) -> Sequence[Any]:
        """What the public stage makes for each candidate; raises ValueError for what it refuses."""
        try:
            return [one.prepare(self.public) for one in self.request.candidates]
        except MemoryError:
            pass
        raise PublicError("the public stage needs more memory than there is: take fewer public rows, or another class")

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the law of the release besides the private rows, as values of JSON."""
        return self.request.identity(self.public)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the identity."""
        return hashlib.sha256(canonical(self.identity)).hexdigest()

    @property
    def event(self) -> Event:
        """What the release does to the private rows."""
        n = self.sizes["n_private"]
        with public_data_only():
            events = [one.event(self._prepared(place), n) for place, one in enumerate(self.request.candidates)]
            return quality.event([event for event in events if event is not None], self.request.held_out)

    def _prepared(self, place: int) -> Callable[[], Any]:
        return lambda: self.prepared[place]

    @property
    def neighbours(self) -> Neighbours:
        """The neighbours of its guarantee."""
        return self.guarantee.neighbours

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of all that is drawn; raise ValueError if candidates speak of different neighbours."""
        guarantees = [guarantee for one in self.request.candidates if (guarantee := one.learner.guarantee) is not None]
        assert len(guarantees) == len(self.request.candidates), "what has no guarantee is refused before"
        return guarantees[0] if self.request.held_out is None else quality.guarantee(guarantees, self.event)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Public numbers of rows.  Rows of the private table are counted, and not read."""
        counts = [rows(self.request, part) for part in self.request.private.parts]
        sizes = {"n_public": len(self.public.points), "n_private": int(sum(count[0] for count in counts))}
        return sizes if self.request.held_out is None else sizes | {"n_held_out": int(sum(c[1] for c in counts))}

    def statistics(self) -> list[Statistic]:
        """Return sums of no row, for each candidate; raise PublicError for more rows than a learner can take."""
        n = self.sizes["n_private"]
        pairs = zip(self.request.candidates, self.prepared, strict=True)
        with public_data_only():
            return [tallies.statistic(one.learner, prepared, n, self.records) for one, prepared in pairs]

    def records(self) -> Iterator[tuple[Points, Labels]]:
        """Yield the private records to learn from, in chunks."""
        for part in self.request.private.parts:
            yield from examples(self.request, self.public.records, part)


def stage(request: Request) -> Stage:
    """Step 1: read the public rows.  Raise ValueError for whatever is wrong so far.

    What the public stage makes of them may take long, and is made when it is needed.
    """
    return Stage(request, read_public(request))


def reserve(made: Stage) -> Reservation:
    """Step 2: charge for the release, unless it was charged for before.

    Raise BudgetError, and charge nothing, if less is left; before that, what ``check_not_set_back`` and ``check``
    raise; and, before the charge, what ``check_table`` and ``check_cells`` raise, and OSError if nothing can be written
    to its folder.
    """
    ledger = Ledger.open(made.request.ledger)
    reservation = charged(made, ledger)
    if reservation is not None and reservation.stored is not None:
        return reservation
    check_not_set_back(ledger, made.request.folder)
    check(made, ledger)
    if reservation is None:
        ledger.check_fits(made.event)
        check_table(made, ledger)
    check_cells(made.request, made.public.records, made.statistics)
    probe(made.request.folder)
    return ledger.reserve(made.identity, made.event, made.neighbours)


def charged(made: Stage, ledger: Ledger) -> Reservation | None:
    """Return the reservation of the request; None if it was not charged yet."""
    reserved = (entry for entry in ledger.entries if entry.kind == "reserved")
    return next(
        (Reservation(ledger, entry.number) for entry in reserved if entry.payload["digest"] == made.digest), None
    )


def check(made: Stage, ledger: Ledger) -> None:
    """Raise ValueError for what public numbers, paths and the kind of the budget decide.  Private rows are counted."""
    request = made.request
    if not made.sizes["n_private"]:
        raise PublicError(f"{request.private.name}: has no private row to learn from")
    unlabelled = 0 if request.unlabelled is None else request.unlabelled.rows()
    check_possible(request, made.prepared, made.sizes, unlabelled)
    statistics = made.statistics()
    if not request.private.ordered and any(isinstance(one, Rows) for one in statistics):
        raise PublicError(f"{request.private.name}: the learner reads rows by their places: give private.order")
    check_folder(request.folder, file_names(request))
    ledger.check_neighbours(made.neighbours)


def check_table(made: Stage, ledger: Ledger) -> None:
    """Raise LedgerError for another table than that of the last release, unless the request accepts that.

    If the ledger knows one, the bytes of the private table are read, once, for their keyed digest.  A key that is
    missing or damaged is refused in any case: no table could be recognised with it after the charge.
    """
    request, key = made.request, ledger.key
    if ledger.table is not None and not request.accept_changed_table:
        macs = [request.private.mac(key, part) for part in request.private.parts]
        ledger.check_table(mac_of_parts(key, [*macs, *_unlabelled_macs(request, key)]))


def _unlabelled_macs(request: Request, key: bytes) -> list[bytes]:
    source = request.unlabelled
    return [] if source is None else [source.mac(key, part) for part in source.parts]


@private_rows_at_hand()
def tally(made: Stage, reservation: Reservation, part: int) -> Partial | None:
    """Step 3: sum up the rows of the part with this place; None, without a look at them, if all is drawn already."""
    if reservation.stored is not None:
        return None
    path = made.request.private.parts[part]
    mac, statistics = made.request.private.mac(reservation.ledger.key, path), made.statistics()
    waiting, told = counted(made.request, made.public.records, statistics)
    for points, labels in examples(made.request, made.public.records, path) if waiting else ():
        for one in waiting:
            one.add(points, labels)
    if not made.request.private.steady:
        made.request.private.check_unchanged(reservation.ledger.key, [mac])
    return Partial(made.digest, mac, [one.arrays() for one in statistics], told)


@private_rows_at_hand()
def draw(made: Stage, reservation: Reservation, partials: Iterable[Partial]) -> bytes:
    """Step 4: draw and store the release, and return what is stored.  If something is stored, nothing is read.

    partials: of all parts in order.  Raise ValueError if other rows were read than were counted, and LedgerError for
    another table than that of an earlier release.
    """
    stored = reservation.stored
    if stored is not None:
        return stored
    statistics, macs, told = made.statistics(), [], dict[str, Any]()
    for partial in partials:
        macs.append(partial.mac)
        told |= partial.told
        for whole, sums in zip(statistics, partial.sums, strict=True):
            whole.restore(sums)
    request, ledger = made.request, reservation.ledger
    if any(one.rows != made.sizes["n_private"] for one in statistics):
        raise PublicError(f"{request.private.name}: other rows were read than counted; it was changed meanwhile")
    macs.extend(_unlabelled_macs(request, ledger.key))
    ledger.recognise(mac_of_parts(ledger.key, macs), accept=request.accept_changed_table)
    table = ledger.key, macs[: len(request.private.parts)]
    return reservation.draw(lambda: _drawn(made, statistics, table, told).to_bytes())


def _drawn(
    made: Stage, sums: Sequence[Statistic], table: tuple[bytes, Sequence[bytes]], told: Mapping[str, Any]
) -> Released:
    """Draw from the sums of all rows, and judge what is drawn by other rows if that is asked for.

    told: what is said of how the rows were read.
    """
    request, coins = made.request, Secure()
    candidates = zip(request.candidates, sums, strict=True)
    releases = [whole.release(coins, _unlabelled(made, one)) for one, whole in candidates]
    if any(whole.rereads for whole in sums):
        request.private.check_unchanged(*table)
    rows = made.sizes["n_private" if request.held_out is None else "n_held_out"]
    place, more = judged(request, made.public, releases, rows, table, coins)
    released = Released.of(releases[place], made.event, made.sizes, {**more, **told}, request.provenance)
    return released if request.held_out is None else attrs.evolve(released, guarantee=made.guarantee)


def _unlabelled(made: Stage, one: Candidate) -> ListedEntries | None:
    """Return the unlabelled entries that a candidate reads."""
    if not isinstance(one.learner, PartlyLabelledLearner) or one.hypothesis_class is None:
        return None
    needed = one.learner.unlabelled_needed(made.sizes["n_private"], one.hypothesis_class)
    return ListedEntries(entries(made.request, made.public.records, needed))


def partials_of(made: Stage, reservation: Reservation) -> list[Partial]:
    """Return the sums of all parts, one after the other."""
    partials = (tally(made, reservation, part) for part in range(len(made.request.private.parts)))
    return [one for one in partials if one is not None]
