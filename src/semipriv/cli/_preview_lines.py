"""The lines of a dry run: the charge and what is left, expected errors, and the queries of a database."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from semipriv.core.fields import changed
from semipriv.core.progress import duration
from semipriv.practice.asking.candidate import Candidate
from semipriv.practice.asking.choosing import PUBLIC_MODEL, RULE, choose
from semipriv.practice.asking.quality import LEVEL, HeldOut, noise_of_mistakes
from semipriv.practice.asking.request import Request
from semipriv.practice.asking.squared import noise_of
from semipriv.practice.engine.beside import COUNTS, ROWS, SUMS
from semipriv.practice.engine.preview import BETA, Preview
from semipriv.practice.engine.reading import names_public_persons
from semipriv.practice.engine.simulation import Simulated
from semipriv.practice.engine.wishes import Expected
from semipriv.practice.planner.tasks import Task, task_of
from semipriv.practice.published.words import judging
from semipriv.privacy.budget.buying import NOTHING, left_words
from semipriv.privacy.budget.refusal import never
from semipriv.privacy.budget.rule import shown

_MINUTE = 60.0
_WIDTH, _LINES = 120, 60
"""Letters of a line, and lines of a query, that a dry run prints at most."""
_LETTERS, _UNTOLD = 80, 6
"""Letters in which all groups of a statistic have their expected errors, if that is enough; quantiles that are expected
to be empty, and are named.
"""
_LEAVES = {
    COUNTS: "the database{}; only counts leave it",
    SUMS: "beside the rows, by the functions of semipriv; only sums leave them, and counts{}",
    ROWS: "here: the learner needs more than counts, so rows are read, and summed up here{}",
}
"""What leaves a database, with the number of queries that count."""
_RANGED = "; by the declared range, usually less once numbers are clipped"
_CLIPPED = "; expected after clipping, at most {:.3g} if nothing is clipped"
_CHARGED = {
    "stored": "was charged for it before, and has what was drawn",
    "charged": "was charged for it before, nothing is drawn yet",
    "taken over": "was charged for an earlier request of this name, for which nothing was drawn",
}
"""What the ledger knows of a request that costs nothing."""


def charge(planned: Preview) -> Iterator[str]:
    """Yield what a release reads, protects and would spend."""
    request, sizes = planned.staged.request, planned.staged.sizes
    yield f"release     {request.name}: {'; '.join(_what(candidate) for candidate in request.candidates)}"
    for candidate in request.candidates:
        yield from _chosen(candidate, sizes["n_private"])
    yield f"reads       {request.private.name}: {_size(request, sizes['n_private'])} of {_columns(request)}"
    if request.person is not None:
        yield f"protects    persons, by {', '.join(request.person.columns)}, each with all of their rows"
    source = request.private.name if request.public is None else request.public.name
    yield (
        f"with        {source}: {sizes['n_public']:,} public rows{_of_each(request)}"
        if sizes["n_public"]
        else "with        no public rows"
    )
    held = request.held_out
    if held is not None and sizes["n_held_out"]:
        what = judging(persons=request.person is not None)
        yield f"judges      {sizes['n_held_out']:,} {what}: noise moves {_moved(held, sizes['n_held_out'])} (95 %)"
    if planned.state == "new":
        yield f"would spend {_cost(planned)} of {request.ledger}"
    else:
        yield f"would spend nothing: {request.ledger} {_CHARGED[planned.state]}"
    yield from _left(planned)
    if planned.state == "new":
        yield "cells       were not looked at: `semipriv inspect` shows you alone which are not as declared"


def _chosen(candidate: Candidate, n_private: int) -> Iterator[str]:
    """Yield why a public rule chose this learner, and whether so many rows are worth a release."""
    if candidate.choice is None:
        return
    yield f"chooses     {candidate.name}, by {RULE}: {candidate.choice.because}"
    known = choose(changed(candidate.choice.case, rows=n_private))
    if not known.reads_private:
        yield f"            {PUBLIC_MODEL}, which costs nothing, may be as good: {known.because}"


def _moved(held: HeldOut, count: int) -> str:
    """Return how far noise may move the error of so many held-out rows, or persons."""
    if held.squared is None:
        return f"the error by up to {noise_of_mistakes(count, held.epsilon, LEVEL):.3g}"
    moved = noise_of(count, held.epsilon, held.squared.largest, LEVEL)
    return f"the squared error by up to {moved:.3g}, its root by up to {math.sqrt(moved):.3g}"


def _size(request: Request, count: int) -> str:
    return f"{count:,} private rows" if request.person is None else f"the rows of {count:,} persons,"


def _of_each(request: Request) -> str:
    return "" if names_public_persons(request) is None else ", one of each public person"


def errors(planned: Preview) -> Iterator[str]:
    """Yield the time of the draw, and what is known of the error, which may take a while."""
    if planned.seconds is not None:
        yield f"draw        took {_took(planned.seconds)} on made-up rows, which were thrown away"
    if planned.expected:
        yield from _expected(planned)
        return
    for name, line in zip(("error", ""), _error(planned), strict=False):
        yield f"{name:<11} {line}"


def _expected(planned: Preview) -> Iterator[str]:
    """Yield the standard errors of statistics by group, and what is wished of them."""
    yield "expects     standard errors by noise, public before anything is paid; --json has that of every number:"
    for expected in planned.expected:
        clipped = _CLIPPED.format(max(expected.most)) if expected.narrowed else ""
        yield f"  {expected.asked.title}: {_spread(expected)}{_RANGED if expected.ranged else clipped}"
    if planned.equal_groups:
        yield (
            "assumes     groups of equal size, since no public row tells their sizes: means, variances and quantiles "
            "of a smaller group err more"
        )
    yield from unmet(planned.expected)
    yield from _untold(planned.expected)
    if planned.enough is not None:
        yield f"wishes      epsilon {planned.enough:g} would meet all of them"
    elif not all(expected.met for expected in planned.expected):
        yield "wishes      no epsilon was found that meets all of them: wish for less, or take fewer groups"


def unmet(expectations: Sequence[Expected]) -> Iterator[str]:
    """Yield, for each wish that will probably not be met, the worst group, and how many numbers are not judged."""
    for expected in expectations:
        if not expected.met:
            group, error = expected.worst
            unseen = sum(not judged for judged in expected.judged)
            many = "1 number is" if unseen == 1 else f"{unseen:,} numbers are"
            yield (
                f"NOTE        {expected.asked.title}: {error:.3g} is expected"
                f"{f' in {group}' * bool(expected.asked.by)}, {expected.asked.wish:g} is wished"
                + f"; {many} of groups without public rows, and not judged"
                * bool(unseen)
            )
        elif expected.missed_unseen:
            group, error = max(expected.missed_unseen, key=lambda missed: missed[1])
            yield (
                f"NOTE        {expected.asked.title}: {error:.3g} is expected in {group}, "
                f"{expected.asked.wish:g} is wished; {len(expected.missed_unseen):,} of {len(expected.groups):,} "
                "numbers miss it, all of groups without public rows, whose size is not known: they are not judged"
            )


def _untold(expectations: Sequence[Expected]) -> Iterator[str]:
    """Yield which quantiles are expected to be left empty."""
    for expected in expectations:
        if expected.untold:
            groups = ", ".join(expected.untold[:_UNTOLD]) + ", ..." * (len(expected.untold) > _UNTOLD)
            yield (
                f"NOTE        {expected.asked.title}: {len(expected.untold):,} of {len(expected.groups):,} "
                f"are expected to be left empty ({groups}): noise is as wide as these groups; ask for fewer groups or "
                "statistics, or more epsilon"
            )


def _spread(expected: Expected) -> str:
    """Return the errors of a statistic: the common error, those of a few groups, or the least and the greatest."""
    if expected.ranks:
        least, greatest = (f"{end:.2%}" for end in (min(expected.ranks), max(expected.ranks)))
        share = least if least == greatest else f"{least} to {greatest}"
        return f"not known in the number's unit; of the rank {share} of the rows that are expected in the group"
    shown = [f"{error:.3g}" for error in expected.errors]
    if len(set(shown)) == 1:
        return shown[0] if len(shown) == 1 else f"{shown[0]} for each of {len(shown):,}"
    errors = ", ".join(f"{group} {error}" for group, error in zip(expected.groups, shown, strict=True))
    if len(errors) <= _LETTERS:
        return errors
    known = sorted(error for error in expected.errors if not math.isnan(error))
    return (
        f"{known[0]:.3g} to {known[-1]:.3g}, half of them below {known[len(known) // 2]:.3g}" if known else "not known"
    )


def _took(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < _MINUTE else duration(seconds)


def queries(planned: Preview) -> Iterator[str]:
    """Yield the queries that a database gets, if the private table is in one."""
    leaving = planned.leaving
    if leaving is not None:
        sent = len(planned.queries)
        by = f", by {sent:,} {'query' if sent == 1 else 'queries'}" * bool(sent)
        yield f"counts      {_LEAVES[leaving.what].format(by)}" + ":" * bool(sent)
        if leaving.what != COUNTS:
            often = "once for each sum" if leaving.reads is None else f"about {leaving.reads:,} times"
            yield f"reads       all {planned.staged.sizes['n_private']:,} rows or persons, {often}"
        if leaving.what == ROWS:
            yield f"moves       about {leaving.size / 1e6:,.3g} MB to this process in each read, since {leaving.why}"
        yield from map(_shortened, planned.queries)


def _shortened(query: str) -> str:
    """Return a query after a blank line; of a long query only the beginning, and where to read the rest."""
    lines = query.splitlines()
    kept = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]} ..." for line in lines[:_LINES]]
    if kept == lines:
        return f"\n{query};"
    return "\n" + "\n".join([*kept, f"-- shortened: --json tells all {len(query):,} letters of it"])


def _columns(request: Request) -> str:
    return ", ".join(request.private_columns)


def _what(candidate: Any) -> str:
    learner = candidate.specification()["learner"]["name"]
    return learner if candidate.hypothesis_class is None else f"{learner} over {candidate.hypothesis_class!r}"


def _cost(planned: Preview) -> str:
    event = planned.staged.event
    parts = [] if event.pure is None else [f"epsilon {shown(event.pure)}"]
    parts += [f"rho {float(event.rho):.6g}"] if event.pure is None else []
    return " and ".join([*parts, *([f"delta {shown(event.delta)}"] if event.delta else [])])


def _left(planned: Preview) -> Iterator[str]:
    """Yield what is left of the accounts that decide on releases of this kind, now and after, and what that buys."""
    rule, event = planned.ledger.rule, planned.staged.event
    if planned.staged.request.period:
        yield f"charged to  {', '.join(planned.staged.request.period)}; of several, what has the least left is told:"
    yield f"left now    {left_words(rule, planned.before, event)}"
    if planned.after is None:
        why = never(rule, event) or f"one of this kind could have {planned.offer.words}"
        yield f"left after  it does not fit: {why}"
        return
    left = left_words(rule, planned.after, event)
    yield f"left after  {left}" + ": this release closes the account" * (left == NOTHING and planned.state == "new")
    if planned.offer.words == NOTHING:
        yield "buys then   nothing of this kind"
    else:
        yield f"buys then   one more of this kind of {planned.offer.words}; the same again {planned.offer.times}"


def _error(planned: Preview) -> Iterator[str]:
    if planned.bound is None:
        yield "no bound is proven for this learner and these sizes"
    elif planned.bound >= 1:
        yield "no bound below 1 is proven for these sizes; `semipriv plan` tells which are needed"
    else:
        confidence = f"with probability {1 - BETA:g}, for {planned.distributions}"
        yield f"at most {planned.bound:.3g} above the best of the class, {confidence}"
    if planned.simulated is not None:
        yield _simulated(planned.simulated, task_of(planned.staged.request.candidate.hypothesis_class))


def _simulated(simulation: Simulated, task: Task) -> str:
    assumed = f"simulated on the public rows, a tenth of {task.labelled} {task.replaced}"
    if simulation.limit is None:
        return f"{assumed}: no trial ended in time"
    short = ""
    if simulation.trials < simulation.of:
        short = (
            f" ({simulation.trials} of {simulation.of} trials in time: {100 * simulation.confidence:.0f} % confidence)"
        )
    return f"{assumed}: at most {simulation.limit:.2g} above the best{task.unit}{short}; that proves nothing"
