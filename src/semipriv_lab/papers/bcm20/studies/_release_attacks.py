"""The tracing attack on the answers of A_PAP itself, beside other answers to few stumps, for the study ``tracing``.

A_PAP needs a weight for each of the 2^p cells of p stumps, whatever the public points; so p is small, and so is n where
answers without noise give records away.  In a trial population, public points and fresh records are drawn once for all
n; each data set is new.
"""

from collections.abc import Callable
from itertools import product

import numpy as np

from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.core.fields import value
from semipriv.core.progress import track
from semipriv.core.randomness import Randomness, Simulation
from semipriv.core.statistics import mean_interval
from semipriv.core.types import Bools, Floats, Integers
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.stages.representative_domain import Domain
from semipriv.papers.bcm20.learners.query_release import QueryRelease
from semipriv.papers.bcm20.releases.stump_releases import (
    ExactMeans,
    GaussianMeans,
    LaplaceMeans,
    MixedMeans,
    StumpRelease,
)
from semipriv.papers.bcm20.releases.tracing import Population, predicted_rate
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Workload
from semipriv.queries.methods.gaussian import Gaussian
from semipriv.queries.methods.mwem import MWEM
from semipriv.queries.methods.pmw import PMW
from semipriv_lab.ledger.claim import Table
from semipriv_lab.ledger.findings import Settings
from semipriv_lab.papers.bcm20.studies._attacks import FRESH, RATE, Attacks, Target, attacked

TRIALS = 60
DIMENSIONS = (6, 12)
DATA_SETS = {5: 5, 10: 3, 20: 2, 50: 2, 200: 1}
"""Data sets in a trial by the number of private records n."""
MANY = 3
"""Times as many data sets for the negative control, which varies more."""
PUBLIC = 25
EPSILON = 1.0
RELEASED = "true-positive rate at 1 % false positives, few stumps"
OFF = "largest error of an answer, few stumps"
LEARNED = "A_PAP, "
"""Names of the releases of A_PAP by a private method start so."""
NO_NOISE = "A_PAP without noise"
CLEAR = 2.0
"""A_PAP without noise is attacked where exact means are predicted to exceed the bound so many times; there it must."""


@value
class Exact(Gaussian):
    """The broken method: exact sums."""

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Return the shares as they are."""
        return Fitted(workload.sums(counts) / counts.sum())


def delta(n: int) -> float:
    """Return 1 / (4 n), theorem 13's."""
    return 1 / (4 * n)


def allowed(n: int) -> float:
    """Return e^epsilon FPR + delta at the false-positive rate of the attack."""
    return float(np.exp(EPSILON)) * RATE + delta(n)


_Answer = Callable[[Bools, Bools, Domain, Simulation], Floats]


def _learned(learner: QueryRelease) -> _Answer:
    """Return the answers of a learner, in the scale of labels -1 and 1, to the p stumps in order."""

    def answers(private: Bools, public: Bools, domain: Domain, randomness: Simulation) -> Floats:
        released = learner.release(domain, 2.0 * private - 1, np.zeros(len(private)), randomness).output
        assert isinstance(released, Answers)
        p = private.shape[1]
        stumps = np.column_stack([np.arange(p, dtype=np.float64), np.zeros(p), np.ones(p)])
        return 2 * released.shares_of(stumps) - 1

    return answers


def _direct(release: StumpRelease) -> _Answer:
    return lambda private, public, domain, randomness: release.answers(private, public, randomness)


def learners(p: int, n: int) -> dict[str, QueryRelease]:
    """Return A_PAP at epsilon = 1 and delta = 1 / (4 n) by its method; MWEM has a round for each stump."""
    methods = {"MWEM": MWEM(p), "PMW": PMW(0.2), "Gaussian noise": Gaussian()}
    return {f"{LEARNED}{name}": QueryRelease(EPSILON, delta(n), method) for name, method in methods.items()}


def answering(p: int, n: int) -> dict[str, _Answer]:
    """Return all that is attacked, by name."""
    answers = {name: _learned(learner) for name, learner in learners(p, n).items()}
    others: dict[str, StumpRelease] = {
        "exact means": ExactMeans(),
        "Gaussian means": GaussianMeans(EPSILON, delta(n)),
        "Laplace means": LaplaceMeans(EPSILON),
        "private and public means mixed": MixedMeans(EPSILON, delta(n)),
    }
    answers |= {name: _direct(release) for name, release in others.items()}
    if predicted_rate(p, n, 0.0, RATE) >= CLEAR * allowed(n):
        answers[NO_NOISE] = _learned(QueryRelease(EPSILON, delta(n), Exact()))
    return answers


def trial(p: int, randomness: Simulation) -> Attacks:
    """Attack the answers to p stumps for each n; keys are the release, n and 0."""
    generator = randomness.generator
    population = Population.draw(p, generator)
    fresh, public = population.records(2 * FRESH, generator), population.records(PUBLIC, generator)
    functions = DecisionStumps(p, "positive", "cube")
    domain = QueryRelease(EPSILON).prepare(2.0 * public - 1, functions)
    targets = []
    for n, often in DATA_SETS.items():
        answers = answering(p, n)
        for i, name in product(range(MANY * often), answers):
            if i < often or name == NO_NOISE:
                private = population.records(n, generator)
                released = answers[name](private, public, domain, randomness.spawn("draw", n, i, name))
                targets.append(Target((name, n, 0), released, population.means, private))
    return attacked(targets, population, fresh)


# ---------------------------------------------------------------------------------------------------- measurements
def judged(name: str) -> str | None:
    """Return how a release is judged: 'private' (A_PAP, within the bound), 'broken' (beyond it), None (not at all)."""
    return "broken" if name == NO_NOISE else "private" if name.startswith(LEARNED) else None


def releases() -> list[tuple[int, int, str]]:
    """Return p, n and the name of all that is attacked."""
    return [(p, n, name) for p, n in product(DIMENSIONS, DATA_SETS) for name in answering(p, n)]


def gates() -> int:
    """Return the number of gates."""
    return sum(judged(name) is not None for _, _, name in releases())


def attacks_on_releases(table: Table, level: float) -> str:
    """Measure the attack on each release, and say what it found; level: of a gate."""
    trials = table.trials(TRIALS)
    work = list(product(DIMENSIONS, range(trials)))
    runs: dict[int, list[Attacks]] = {p: [] for p in DIMENSIONS}
    for p, t in track(work, "releases", work=[p for p, _ in work]):
        runs[p].append(trial(p, table.randomness.spawn("releases, as planned", p, t)))
    for p, n, name in releases():
        seen = [run[name, n, 0] for run in runs[p]]
        traced = np.array([np.mean([attack.flagged for attack in attacks]) for attacks in seen])
        errors = np.array([np.mean([attack.error for attack in attacks]) for attacks in seen])
        settings: Settings = {"release": name, "p": p, "n": n, "n_public": PUBLIC, "epsilon": EPSILON}
        bound, how = allowed(n), judged(name)
        if how == "private":
            table.at_most(RELEASED, settings, mean_interval(traced, level), bound, trials)
        elif how == "broken":
            table.within(RELEASED, settings, mean_interval(traced, level), bound, np.inf, bound, trials)
        else:
            beside = None if name == "exact means" else bound
            table.recorded(RELEASED, settings, mean_interval(traced), beside, trials)
        table.recorded(OFF, settings, mean_interval(errors), None, trials)
    return reason(table)


def reason(table: Table) -> str:
    """Say what the attack found in the answers of A_PAP, what of it is a theorem, and that it is a weak test."""
    traced, errors = (
        [row.measured.value for row in table(quantity) if str(row.settings["release"]).startswith(LEARNED)]
        for quantity in (RELEASED, OFF)
    )
    exact, broken = (table.values(RELEASED, release=name, p=12, n=5)[0] for name in ("exact means", NO_NOISE))
    return (
        "theorem: A_PAP is private, so that the bound holds for its answers and every attack; illustration: this "
        f"attack at 1 % false positives traces {min(traced):.3f} to {max(traced):.3f} of the records behind A_PAP's "
        f"answers (MWEM, PMW, Gaussian noise; p = 6, 12, n = 5 to 200, {PUBLIC} public points), where the bound is "
        f"{allowed(200):.3f} to {allowed(5):.3f}; these answers are off by {min(errors):.2f} to {max(errors):.2f} "
        "(mean of the largest error): at such sizes A_PAP is not accurate, and no release that theorem 14 speaks of; "
        f"of the records behind exact means it traces {exact:.2f} (p = 12, n = 5), and without noise A_PAP, "
        f"{broken:.2f}, must exceed the bound there; A_PAP has 2^p cells for p stumps, so p is small; "
        f"{TRIALS} trials as planned: 30, set for time after first runs, left a gate open with a fresh stream, hence "
        "these "
        "with another one"
    )
