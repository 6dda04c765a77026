"""Negative controls of SubSampling (BNS15 algorithm 4).

Places are told; labels of smallest index count as random ones; an entry fewer than its size is taken.
"""

import itertools
import math

from semipriv.audit.exact import DataSet, DistributionOf
from semipriv.papers.bns15.bounds.active import sharp_size
from semipriv.privacy.amplification import partly_labelled_subset
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.output_distribution import OutputDistribution
from semipriv.privacy.slots import Record
from semipriv_lab.controls.base import Control, registered

RECORDS: list[Record] = [(point, label) for point in (0, 1) for label in (0, 1)]
OWN, N, T = 1.0, 2, 3
"""Epsilon* of the base learner, what it reads, and the private examples: one of the two that it reads has its label."""


def _distribution(smallest: bool, *, published: bool = False, entries: int = T) -> DistributionOf:
    """Return the distribution around randomised responses on the label of one entry and on the point of the other.

    published: the place whose label is asked for is published, too.  entries: how many are drawn from, the first ones.
    """
    places = itertools.combinations(range(entries), N) if smallest else itertools.permutations(range(entries), N)
    choices = list(places)

    def distribution(data: DataSet) -> OutputDistribution:
        masses: dict[tuple[int, ...], float] = {}
        for asked, other in choices:
            (_, label), (point, _) = data[asked], data[other]
            for answers in itertools.product((0, 1), repeat=2):
                outcome = (*answers, asked) if published else answers
                chance = math.exp(OWN * ((answers[0] == label) + (answers[1] == point)))
                masses[outcome] = masses.get(outcome, 0.0) + chance
        total = math.fsum(masses.values())
        return OutputDistribution({outcome: math.log(mass / total) for outcome, mass in masses.items()})

    return distribution


def _claimed(*, moves: bool) -> float:
    return partly_labelled_subset(Guarantee(OWN), N / T, moves=moves).epsilon


@registered
def subsampling_smallest_counted_as_random() -> Control:
    """SubSampling whose labels go to the smallest places, with the guarantee of random places."""
    return Control(
        "an entry that leaves the sample moves a label to another one: two entries differ, one is counted",
        _claimed(moves=False),
        [RECORDS] * T,
        _distribution(False),
        _distribution(True),
    )


@registered
def subsampling_places_told() -> Control:
    """SubSampling that publishes the place whose label it asked for."""
    return Control(
        "an observer who knows which entries were read learns more than the subset's guarantee allows",
        _claimed(moves=False),
        [RECORDS] * T,
        _distribution(False),
        _distribution(False, published=True),
    )


@registered
def subsampling_of_an_entry_fewer() -> Control:
    """SubSampling with random places at the least size for its epsilon, and the same drawn from an entry fewer."""
    epsilon = math.log1p(0.7 * math.expm1(OWN))
    assert sharp_size(N, epsilon, OWN) == T, "the least number of entries for this epsilon"
    return Control(
        "the least size leaves nothing over: with an entry fewer the privacy loss is above epsilon",
        epsilon,
        [RECORDS] * T,
        _distribution(False),
        _distribution(False, entries=T - 1),
    )
