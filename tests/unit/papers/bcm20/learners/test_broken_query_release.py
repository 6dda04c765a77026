"""The property of same coins finds query releases with one leak."""

import attrs
import numpy as np
import pytest

from semipriv.audit.properties.test_same_coins import assert_found, found_in, sources
from semipriv.classes.thresholds import Thresholds
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.privacy.guarantee import Release


class PrivateCells(QueryRelease):
    """Its cells are those that private points are in."""

    def release(self, prepared, points, labels, randomness) -> Release:
        kept = np.flatnonzero(prepared.counts(points))
        reduced_copy = attrs.evolve(
            prepared, representatives=prepared.representatives[kept], public=prepared.public[kept]
        )
        return super().release(reduced_copy, points, labels, randomness)


class CountsTwice(QueryRelease):
    """A record counts twice."""

    def _fit(self, prepared, counts, randomness, units):
        return super()._fit(prepared, 2 * counts, randomness, units)


@sources
@pytest.mark.parametrize(
    ("control", "message"), [(PrivateCells, r"\d cells|\d and \d candidates"), (CountsTwice, "a score moves by 2")]
)
def test_a_broken_query_release_is_caught(control: type[QueryRelease], message: str, secure: bool) -> None:
    assert_found(found_in(control(1.0, 1e-6, "gaussian"), Thresholds(), secure), message)
