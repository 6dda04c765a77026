"""What a certificate says in plain words: neighbours, odds, what is not protected, and how numbers were drawn."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from semipriv.core.rounding import Bracket
from semipriv.privacy.events import Event
from semipriv.privacy.guarantee import Guarantee, Neighbours

NEIGHBOURS = {
    Neighbours.REPLACE_PRIVATE_EXAMPLE: "two private tables with the same number of rows that differ in one row, in "
    "its features and its label; by the declaration a row is one person",
    Neighbours.REPLACE_PRIVATE_FEATURES: "two private tables with the same number of rows that differ in the features "
    "of one row; its status and its label are the same and are public; by the declaration a row is one person",
    Neighbours.REPLACE_ENTRY: "two tables with the same numbers of labelled and of unlabelled entries that differ in "
    "one entry; which places are labelled is public; by the declaration an entry is one person",
    Neighbours.REPLACE_PERSON: "two private tables with the same number of persons that differ in all rows of one "
    "person, however many these are; rows that name nobody are one person together",
    Neighbours.REPLACE_LABEL: "two private tables with the same features that differ in the label of one row; features "
    "are public; by the declaration a row is one person",
}
"""The pairs of tables that a guarantee speaks of."""

COUNT_AS = "each person counts once: their rows share that, or one of them is drawn; sizes are numbers of persons"
"""How rows of persons count."""
SAMPLER = (
    "every random choice is drawn with the probabilities of its stated law exactly: integers, fractions and bits of "
    "the operating system's entropy; no seed"
)
FLOATING_POINT = (
    "no probability is rounded: uniform numbers are drawn bit by bit until proven brackets of the weights leave one "
    "outcome; noise is integer-valued; scores and counts are integers; costs are exact fractions, bounds round up"
)
PERIOD = (
    "all private rows are of these periods by the word of the request, they were not looked at for it. Releases of "
    "other periods are charged to other accounts of the ledger: what they tell of somebody with data in both adds up"
)
PLUGINS = (
    "these files come from outside of semipriv. That the learner keeps its guarantee, that counts and scores move as "
    "said, and that nothing is drawn beside the mechanisms of semipriv is the word of their author, not of semipriv: "
    "guarantee, sampler and floating_point hold as far as these files are right"
)
"""Said of a release by a learner or over a class from a plug-in folder."""
COUNTS_LEFT = (
    "numbers of rows alone, by cells of public grids; the queries are those with these SHA-256 digests of their text"
)
"""Said of a release that a database counted."""
SUMS_LEFT = (
    "sums of integers over rows, made beside them by the functions of this version of semipriv, one of each partition "
    "of the table; numbers of rows by cells of public grids where a query has a SHA-256 digest here"
)
"""Said of a release whose sums were made where the rows are."""
ROWS_LEFT = (
    "rows, in batches that were summed up and not kept; numbers of rows by cells of public grids where a query has a "
    "SHA-256 digest here"
)
"""Said of a release for which rows were read from a database."""
ROW_HASHES = (
    "that the table was one and the same is known by a sum of hashes of rows that the database computed: they find "
    "changes, they are no proof against whoever makes them on purpose"
)
"""Said of how a table in a database is recognised."""
DECLARED_VERSION = "that the table was one and the same is the word of its holder, who named its version"
"""Said if the holder names the state of the table."""
PUBLIC_ROWS = "the digest of public_data is of the rows that were read"
"""Said of how public rows in a database are recognised."""
ONE_STATE = "each step of the release saw one state of it, by a transaction that only reads"
"""Said of an engine whose transactions see one state."""
NO_STATE = "the engine keeps no state that all queries see"
"""Said of other engines, and of files that an engine reads where they are."""
TIMING = (
    "none: how long a release takes depends on private rows and is not hidden; no time is written to a file, a log or "
    "this certificate"
)
OUTSIDE = " The unprotected diagnostic is outside of this: for whoever sees it, nothing is promised."
"""Said where an exact number is published beside a release."""
POST_PROCESSING = (
    "model, synthetic table, figure and this certificate are computed from the stored draw and from public data alone; "
    "figures are pictures, for which no digest vouches"
)


def judging(*, persons: bool) -> str:
    """Return what judges a release, of which there are so many, in words.

    >>> judging(persons=False), judging(persons=True)
    ('held-out rows', 'held-out persons, by a row of each')
    """
    return "held-out persons, by a row of each" if persons else "held-out rows"


def groups(*, persons: bool) -> str:
    """Return what is said of the numbers of mistakes by groups."""
    return (
        "mistakes and right answers of each group have independent discrete Laplace noise of scale 2 / epsilon: "
        f"replacing a {_one(persons)}, whatever the group was and is, moves two of all these numbers by 1, or none; "
        "sizes of groups are private"
    )


def squared(*, persons: bool) -> str:
    """Return what is said of the squared error of a model that predicts a number."""
    return (
        f"{'the row of a held-out person' if persons else 'a held-out row'} scores its squared error, of response and "
        "prediction within the declared range, as an integer of 0 to steps; one of largest_error or more scores steps; "
        "the sum has discrete Laplace noise of scale steps / epsilon"
    )


def squared_groups(*, persons: bool) -> str:
    """Return what is said of the squared errors by groups."""
    return (
        "the sum of the scores of each group, and that of what they lack of steps, have independent discrete Laplace "
        f"noise of scale 2 steps / epsilon: replacing a {_one(persons)}, whatever the group was and is, moves all "
        "these numbers by at most 2 steps together; sizes of groups are private"
    )


def _one(persons: bool) -> str:
    return "person" if persons else "row"


def who(columns: Sequence[str]) -> str:
    """Return who is a person.

    >>> who(["patient", "month"])
    "a person is who the columns 'patient', 'month' name together; whoever has k such names is protected by k times \
epsilon"
    """
    together = ", ".join(map(repr, columns))
    what = f"columns {together} name together" if len(columns) > 1 else f"column {together} names"
    return f"a person is who the {what}; whoever has k such names is protected by k times epsilon"


def chance(guarantee: Guarantee) -> float:
    """Return a bound on the chance to guess which of two equally likely rows a person has, rounded up to 0.001.

    (e^epsilon + delta) / (1 + e^epsilon), the success of the best test between two neighbours (Kairouz, Oh and
    Viswanath 2015); it is attained by some (epsilon, delta)-private mechanism.

    >>> chance(Guarantee(0.0)), chance(Guarantee(0.5)), chance(Guarantee(1000.0))
    (0.5, 0.623, 1.0)
    """
    if guarantee.epsilon > 100:
        return 1.0
    ratio = Bracket.of(guarantee.epsilon).exp()
    upper = Fraction(((ratio + guarantee.delta) / (ratio + 1)).high)
    return min(1.0, math.ceil(upper * 1000) / 1000)


def odds(guarantee: Guarantee) -> str:
    """Return what a guarantee means for one person."""
    percent = f"{100 * chance(guarantee):.1f} %"
    if guarantee.neighbours is Neighbours.REPLACE_PERSON:
        return (
            "Somebody who knows all rows of all other persons, and who holds two possible sets of rows of a person to "
            "be equally likely, however many rows are in each, guesses the right one with probability at most "
            f"{percent} once this release is seen (50.0 % before)."
        )
    return (
        "Somebody who knows all other rows, and who holds two possible rows of a person to be equally likely, guesses "
        f"the right one with probability at most {percent} once this release is seen (50.0 % before)."
    )


def is_pure(event: Event, guarantee: Guarantee) -> bool:
    """Return whether an event has an epsilon, without a delta, that is at most that of a guarantee."""
    return not event.delta and event.pure is not None and event.pure <= Fraction(guarantee.epsilon)


def variant(event: Event, guarantee: Guarantee) -> str:
    """Return the kind of differential privacy of a guarantee."""
    if guarantee.delta == 0 or is_pure(event, guarantee):
        return "pure differential privacy"
    return "approximate differential privacy" if event.delta else "zero-concentrated differential privacy"


def predicted(predictions: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield what a certificate tells of the predictions of public rows, and a note if they are all the same.

    >>> list(predicted({"rows": 400, "labels": [{"label": "no", "rows": 400}, {"label": "yes", "rows": 0}]}))
    ["NOTE one label on all 400 public rows, 'no': the model tells none of them apart; errors of each label by itself: \
held_out.groups with the column of the label"]
    >>> list(predicted({"rows": 400, "labels": [{"label": "no", "rows": 100}, {"label": "yes", "rows": 300}]}))
    ['predictions of the 400 public rows: no 25.0 %, yes 75.0 %']
    """
    if predictions is None:
        return
    rows = f"{predictions['rows']:,} public rows"
    if "least" in predictions:
        least, greatest = predictions["least"], predictions["greatest"]
        if least == greatest:
            yield f"NOTE one number on all {rows}, {least:.6g}: the model tells none of them apart"
        else:
            yield f"predictions of the {rows}: from {least:.6g} to {greatest:.6g}"
        return
    some = [entry for entry in predictions["labels"] if entry["rows"]]
    if len(some) == 1 and predictions["rows"] > 1:
        yield (
            f"NOTE one label on all {rows}, {some[0]['label']!r}: the model tells none of them apart; "
            "errors of each label by itself: held_out.groups with the column of the label"
        )
    else:
        shares = ", ".join(
            f"{entry['label']} {100 * entry['rows'] / predictions['rows']:.1f} %" for entry in predictions["labels"]
        )
        yield f"predictions of the {rows}: {shares}"


def unprotected(request: Mapping[str, Any], neighbours: Neighbours, *, marked: bool) -> list[str]:
    """Return what a release tells without protection."""
    quantities = [
        "the number of persons in the private table, and how many are held out; the number of their rows is protected"
        if neighbours is Neighbours.REPLACE_PERSON
        else "the number of private rows, of each file and in all, and how many are held out",
        "the declared schema, the class, the learner and all other settings",
        *(() if request["public"] is None else ("the public rows",)),
        "whether the release was made, and the text of a refusal: it goes to the holder of the table alone",
    ]
    if request["status"] is not None:
        quantities.append("the status of each row, public or private")
    if neighbours is not Neighbours.REPLACE_PRIVATE_EXAMPLE:
        quantities.append("what neighbours have in common: " + NEIGHBOURS[neighbours])
    if marked:
        quantities.append("the exact number of mistakes in unprotected_diagnostic: no guarantee speaks of it")
    return quantities
