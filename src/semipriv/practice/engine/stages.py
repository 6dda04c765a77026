"""A release on an own table, step by step: check, charge, read, draw once, store, publish.

The steps are functions of their own: `semipriv release` takes them one after the other, and the rules of Snakemake take
each in a job.  The ledger decides whether anything is charged or drawn, not who calls, how often, or what was killed:

1. ``stage``: read the request and the public data.
2. ``charging.reserve``: refuse all that can be refused by then.  Then charge, in the ledger, before a private row is
   read for what is drawn.  A request that was charged is not charged again.
3. ``tally``: sum up the rows of a part; nothing else is kept of them.
4. ``draw``: from the sums of all parts, under the ledger's lock, with the entropy of the operating system.  A learner
   that asks for one sum after the other reads the rows again for each, all parts in turn; memory holds a chunk.  The
   ledger stores what was drawn before anything is published.  What is stored already is returned, and nothing is drawn.
5. ``publish``: make the files, from what is stored and what is public alone; so they are the same each time.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import attrs
import numpy as np

from semipriv.core.entries import ListedEntries
from semipriv.core.errors import PublicError, public_data_only
from semipriv.core.randomness import Randomness, Secure
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners._totals import Chunk
from semipriv.practice.asking import quality
from semipriv.practice.asking.candidate import Candidate, Public
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.strict import canonical
from semipriv.practice.engine import judged as judged_by
from semipriv.practice.engine.beside import elsewhere
from semipriv.practice.engine.counting import counted
from semipriv.practice.engine.counting_plans import Named, stand_in
from semipriv.practice.engine.judging import Count, cells, judged
from semipriv.practice.engine.messages import private_rows_at_hand
from semipriv.practice.engine.partial import Partial, mac_of_parts
from semipriv.practice.engine.reading import entries, examples, of_persons, read_public, rows
from semipriv.practice.engine.sharing import Sharing
from semipriv.practice.published.released import Released
from semipriv.practice.published.tables import table_of
from semipriv.practice.sources.stored import Stored
from semipriv.practice.sums import tallies
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.budget.ledger import Ledger, Reservation
from semipriv.privacy.events import Event, described
from semipriv.privacy.guarantee import Guarantee, Neighbours, by_person

_BATCH = 2**17


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
            return [candidate.prepare(self.public) for candidate in self.request.candidates]
        except MemoryError:
            pass
        raise PublicError("the public stage needs more memory than there is: take fewer public rows, or another class")

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the distribution of the release besides the private rows, as values of JSON."""
        return self.request.identity(self.public)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the identity."""
        return hashlib.sha256(canonical(self.identity)).hexdigest()

    @cached_property
    def event(self) -> Event:
        """What the release does to the private rows."""
        n = self.sizes["n_private"]
        with public_data_only():
            events = [
                candidate.event(self._prepared(place), n) for place, candidate in enumerate(self.request.candidates)
            ]
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
        guarantees = [
            guarantee for candidate in self.request.candidates if (guarantee := candidate.learner.guarantee) is not None
        ]
        assert len(guarantees) == len(self.request.candidates), "what has no guarantee is refused before"
        if self.request.person is not None:
            guarantees = list(map(by_person, guarantees))
        return guarantees[0] if self.request.held_out is None else quality.guarantee(guarantees, self.event)

    @cached_property
    def sharing(self) -> Sharing | None:
        """Units of the private rows; None where each row is a person."""
        if self.request.person is None:
            return None
        return Sharing(self.request, self.public.records, self.digest, lambda: Ledger.open(self.request.ledger).key)

    @property
    def named(self) -> Named | None:
        """Persons, as a database shares their units; None where each row is a person."""
        person = self.request.person
        return None if person is None else Named(person.columns, self.digest)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Public numbers of rows, or of persons.  Of the private table rows are counted, or names are read."""
        if self.sharing is not None:
            n, others = self.sharing.sizes
        else:
            counts = [rows(self.request, part) for part in self.request.private.parts]
            n, others = (int(sum(count[i] for count in counts)) for i in (0, 1))
        sizes = {"n_public": len(self.public.points), "n_private": n}
        return sizes if self.request.held_out is None else sizes | {"n_held_out": others}

    def statistics(self) -> list[Statistic]:
        """Return sums of no row, for each candidate; raise PublicError for more rows than a learner can take."""
        n, person, statistics = self.sizes["n_private"], self.request.person, list[Statistic]()
        with public_data_only():
            for place, candidate in enumerate(self.request.candidates):
                again, there = partial(self.records, place), None
                if candidate.reads_again:
                    there = elsewhere(self.request, self.public.records, persons=person is not None)
                statistics.append(tallies.statistic(candidate.learner, self.prepared[place], n, again, there))
                if person is not None:
                    statistics[-1].of_persons(n, person.rows)
        return statistics

    def records(self, place: int) -> Iterator[Chunk]:
        """Yield the private records that the candidate at this place learns from, in chunks."""
        whole = self.statistics()[place] if self.sharing is not None else None
        for part in range(len(self.request.private.parts)):
            yield from self.records_of(part, place, whole)

    def records_of(self, part: int, place: int, whole: Statistic | None) -> Iterator[Chunk]:
        """Yield those of a part; whole: the statistic whose units they have, None where each row is a person."""
        records, path = self.public.records, self.request.private.parts[part]
        if self.sharing is None or whole is None:
            yield from ((points, labels, None) for points, labels in examples(self.request, records, path))
        else:
            units = self.sharing.of_part(part, self.sharing.training(place, whole))
            for points, labels, _, own in of_persons(self.request, records, path, units):
                yield points, labels, own
            if part == len(self.request.private.parts) - 1:
                yield from self._stand_ins(whole.units)

    def _stand_ins(self, units: int) -> Iterator[Chunk]:
        """Yield a public record for each person of whom a query of a database leaves out all rows."""
        assert self.request.person is not None, "persons have units"
        missing = self.request.private.dropped(self.request.person.columns)
        points, labels = stand_in(self.public.records)
        for start in range(0, missing, _BATCH):
            size = min(_BATCH, missing - start)
            yield np.repeat(points, size, axis=0), np.repeat(labels, size), np.full(size, units)


def stage(request: Request) -> Stage:
    """Step 1: read the public rows.  Raise ValueError for whatever is wrong so far.

    What the public stage makes of them may take long, and is made when it is needed.
    """
    return Stage(request, read_public(request))


def unlabelled_macs(request: Request, key: bytes) -> list[bytes]:
    """Return what tells whether the files of unlabelled rows are the same."""
    source = request.unlabelled
    return [] if source is None else [source.mac(key, part) for part in source.parts]


@private_rows_at_hand()
def tally(staged: Stage, reservation: Reservation, part: int) -> Partial | None:
    """Step 3: sum up the rows of the part with this place; None, without a look at them, if all is drawn already."""
    if reservation.stored is not None:
        return None
    path = staged.request.private.parts[part]
    mac, statistics = staged.request.private.mac(reservation.ledger.key, path), staged.statistics()
    judging = staged.request, staged.public.records, statistics
    asked, streamed = judged_by.queries(*judging), judged_by.reads_rows(*judging)
    waiting, access = counted(*judging, staged.named, asked, streamed=streamed)
    if staged.sharing is None:
        for points, labels in examples(staged.request, staged.public.records, path) if waiting else ():
            for statistic in waiting:
                statistic.add(points, labels)
    else:
        for place, statistic in enumerate(statistics):
            for points, labels, units in staged.records_of(part, place, statistic) if statistic in waiting else ():
                statistic.add(points, labels, units)
    if not staged.request.private.steady:
        staged.request.private.check_unchanged(reservation.ledger.key, [mac])
    return Partial(staged.digest, mac, [statistic.arrays() for statistic in statistics], access)


@private_rows_at_hand()
def draw(staged: Stage, reservation: Reservation, partials: Iterable[Partial]) -> bytes:
    """Step 4: draw and store the release, and return what is stored.  If something is stored, nothing is read.

    partials: of all parts in order.  Raise ValueError if other rows were read than were counted, and LedgerError for
    another table than that of an earlier release.
    """
    stored = reservation.stored
    if stored is not None:
        return stored
    if described(staged.event) != reservation.entry.payload["event"]:
        raise PublicError(
            "the ledger was charged for other events than would be drawn here, where numbers are rounded otherwise: "
            "nothing was drawn; go on with the machine and the versions that charged it"
        )
    statistics, macs, access = staged.statistics(), [], dict[str, Any]()
    for part in partials:
        macs.append(part.mac)
        access |= part.access
        for whole, sums in zip(statistics, part.sums, strict=True):
            whole.restore(sums)
    request, ledger = staged.request, reservation.ledger
    if not all(statistic.whole(staged.sizes["n_private"]) for statistic in statistics):
        raise PublicError(f"{request.private.name}: other rows were read than counted; it was changed meanwhile")
    others = unlabelled_macs(request, ledger.key)
    macs.extend(others)
    ledger.recognise(mac_of_parts(ledger.key, macs), staged.identity, accept=request.accept_changed_table)
    table = ledger.key, macs[: len(request.private.parts)]

    def make() -> bytes:
        judging = partial(cells, request, staged.public, table, staged.sharing, statistics)
        accesses = access | databases_of(request)
        released = drawn(staged, statistics, partial(_unlabelled, staged), judging, accesses, Secure())
        if any(whole.rereads for whole in statistics):
            request.private.check_unchanged(*table)
        if request.unlabelled is not None:
            request.unlabelled.check_unchanged(ledger.key, others)
        return released.to_bytes()

    return reservation.draw(make)


def drawn(
    staged: Stage,
    sums: Sequence[Statistic],
    unlabelled: Callable[[Candidate], ListedEntries | None],
    count: Count,
    access: Mapping[str, Any],
    coins: Randomness,
) -> Released:
    """Draw from the sums of all rows, and judge what is drawn by other rows if that is asked for.

    unlabelled: the entries that a candidate reads.  count: counts mistakes on the rows that judge.  access: what
    the certificate says of how the rows were read.
    """
    request = staged.request
    candidates = zip(request.candidates, sums, strict=True)
    releases = [whole.release(coins, unlabelled(candidate)) for candidate, whole in candidates]
    rows = staged.sizes["n_private" if request.held_out is None else "n_held_out"]
    place, judgement = judged(request, staged.public, releases, rows, count, coins)
    columns = table_of(request, staged.public.records)
    released = Released.of(
        releases[place], staged.event, staged.sizes, {**judgement, **access}, request.provenance, columns
    )
    return released if request.held_out is None else attrs.evolve(released, guarantee=staged.guarantee)


def databases_of(request: Request) -> dict[str, Any]:
    """Return what is said of the databases of public, unlabelled and held-out rows; nothing if all are files."""
    roles = {
        "public": request.public or (None if request.status is None else request.private),
        "unlabelled": request.unlabelled,
        "held_out": None if request.held_out is None else request.private,
    }
    databases = {role: source.kept_in for role, source in roles.items() if isinstance(source, Stored)}
    return {"sources": databases} if databases else {}


def _unlabelled(staged: Stage, candidate: Candidate) -> ListedEntries | None:
    """Return the unlabelled entries that a candidate reads."""
    if not isinstance(candidate.learner, PartlyLabelledLearner) or candidate.hypothesis_class is None:
        return None
    needed = candidate.learner.unlabelled_needed(staged.sizes["n_private"], candidate.hypothesis_class)
    return ListedEntries(entries(staged.request, staged.public.records, needed))


def partials_of(staged: Stage, reservation: Reservation) -> list[Partial]:
    """Return the sums of all parts, one after the other."""
    partials = (tally(staged, reservation, part) for part in range(len(staged.request.private.parts)))
    return [sums for sums in partials if sums is not None]
