"""What LabelBoost, its accounting and its schedules refuse, and in which words."""

from functools import partial

import numpy as np
import refused

from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Secure, Simulation
from semipriv.papers.bns15.label_boost.accounting import (
    BaseLearner,
    Relabelled,
    Resampled,
    Subsampled,
    guarantee,
    label_boost,
)
from semipriv.papers.bns15.label_boost.procedure import IntegerBlock, boosted
from semipriv.papers.bns15.label_boost.schedule import PAPER, Constants, schedule
from semipriv.papers.bns15.label_boost.thinning import subset, thinned

LEARNER = BaseLearner(1.0, 1e-9)
QUICK = Constants(2, 2, a0=1)
GIVEN = {"n_labelled": 10, "n": 10, "alpha": 0.2, "beta": 0.2, "vc": 1}


def boost(labelled: int, constants: Constants, *sizes: float) -> object:
    block = IntegerBlock(np.zeros(labelled, np.int64), np.ones(labelled, bool))
    return boosted(block, schedule(constants, *sizes, 1), lambda round_: block.values, Simulation(1))


REFUSED = {
    "schedule": [
        *(
            (partial(schedule, PAPER, **GIVEN | {name: bad}), f"{name} = {bad}")
            for name, bad in (
                ("alpha", 0.0),
                ("alpha", 1.0),
                ("beta", 1.5),
                ("vc", 0),
                ("n_labelled", 0),
                ("n", 0),
            )
        ),
        (lambda: Constants(2, 0), "r0 = 0: must be >= 1"),
    ],
    "accounting": [
        (lambda: label_boost(schedule(PAPER, 440_924, 7190, 0.2, 0.2, 1), LEARNER), "after 3 rounds: stuck"),
        (lambda: guarantee(LEARNER, "best"), r"must be one of \['paper', 'exact', 'sharp'\]"),
        (lambda: guarantee(Subsampled(Resampled(LEARNER, 9, 9), [(9, 246 * 9)]), "paper"), r"claim 4\.3"),
        (lambda: guarantee(Resampled(BaseLearner(1.5), 3, 3), "paper"), r"claim 4\.5"),
        (lambda: guarantee(Resampled(LEARNER, 3, 4), "paper"), "must be total = 4"),
        (lambda: guarantee(Relabelled(LEARNER, [(1, 100)], 2.0), "paper"), r"lemma 4\.1"),
        (lambda: guarantee(Relabelled(BaseLearner(1.0, 0.5), [(1, 2)]), "exact"), "grows to 1"),
        (lambda: Subsampled(LEARNER, [(3, 2)]), "kept <= total"),
        (lambda: Relabelled(3, [(1, 2)]), "then = 3: must be a mechanism"),  # type: ignore[arg-type]
    ],
    "procedure": [
        *((partial(subset, 2, 3, source), "keep = 3") for source in (Simulation(3), Secure())),
        *(
            (
                partial(thinned, ListedEntries(np.arange(10.0)).reader(), 11, 2, source),
                "11 are needed next, 10 of 10 are left",
            )
            for source in (Simulation(3), Secure())
        ),
        (lambda: boost(5406, QUICK, 41, 1, 0.9, 0.9), "has 5,406 labelled examples, the schedule is for 41"),
        (lambda: boost(40, Constants(2, 2), 40, 1000, 0.2, 0.2), "cannot run: stuck"),
    ],
}


@refused.each(REFUSED)
def test_refused(rows: list[refused.Row]) -> None:
    refused.check(rows)
