"""A release that protects persons, each with any number of rows, from arrays that are in memory."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from semipriv.core.persons import Persons, shares_of, uneven
from semipriv.core.randomness import Randomness, Secure
from semipriv.core.samples import as_points
from semipriv.core.types import Integers
from semipriv.learners._totals import Chunk
from semipriv.practice.sums.statistic import Statistic
from semipriv.practice.sums.tallies import statistic
from semipriv.privacy.guarantee import Release

__all__ = ["release_by_person", "summed_by_person"]


def release_by_person(
    learner: Any,
    prepared: Any,
    points: ArrayLike,
    labels: ArrayLike,
    persons: Persons,
    randomness: Randomness,
    rows: str | None = None,
) -> Release[Any]:
    """Carry out the private stage of a learner so that its guarantee holds for replacing a person with all their rows.

    Every person has the same number of units, which their rows share (``core.persons``).  So replacing
    a person changes the distribution of the release by as much as replacing one row does, and the noise is that of as
    many rows as there are persons.

    Args:
        learner: one whose guarantee is for replacing a private example.
        prepared: what its ``prepare`` returned.
        points: (n, d).
        labels: (n,), labels or responses.
        persons: of the rows.
        randomness: Secure() for a release, Simulation(seed) for a simulation.
        rows: 'average': the rows of a person count as their average; 'one': one of them counts, drawn at random;
            None: the average where the learner reads rows by sums alone, else one.

    Returns:
        The release, with a guarantee for ``Neighbours.REPLACE_PERSON``.

    Raises:
        ValueError: for another number of persons' rows than of points, for an average where the learner reads rows one
            by one, and for a guarantee that does not extend to persons.

    Source:
        This package; proof in docs/findings.md.
    """
    return summed_by_person(learner, prepared, points, labels, persons, randomness, rows).release(randomness)


def summed_by_person(
    learner: Any,
    prepared: Any,
    points: ArrayLike,
    labels: ArrayLike,
    persons: Persons,
    randomness: Randomness,
    rows: str | None = None,
) -> Statistic:
    """Return the sums of which ``release_by_person`` is drawn, with its arguments and errors: nothing is drawn yet.

    The key of the persons' offsets comes from ``randomness``; it is independent of the rows.
    """
    x, y = as_points(points), np.asarray(labels)
    if len(persons.place) != len(x) or len(y) != len(x):
        raise ValueError(f"persons: are {len(persons.place)}, labels {len(y)}, must be one for each of {len(x)} rows")
    units: Integers | None = None

    def again() -> list[Chunk]:
        return [(x, y, units)]

    whole = statistic(learner, prepared, persons.count, again).of_persons(persons.count, rows)
    places = uneven(persons, whole.units)  # the order counts for these alone
    units = shares_of(persons, whole.order(x[places], y[places]), whole.units, _key(randomness))
    whole.add(x, y, units)
    return whole


def _key(randomness: Randomness) -> str:
    """Return a key for offsets, drawn before anything else."""
    drawn = randomness.bits(128) if isinstance(randomness, Secure) else randomness.generator.bytes(16)
    return drawn.hex() if isinstance(drawn, bytes) else f"{drawn:032x}"
