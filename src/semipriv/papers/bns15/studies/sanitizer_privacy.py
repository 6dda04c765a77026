"""Claims BNS15-A.3-dp and BNS15-T3.3-dp: what the net mechanism and GenericLearner spend, by enumeration.

All data sets and neighbours over four points.  Beside each law stand changes that must break the claim.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import scipy

from semipriv.audit.exact import DataSet, audited_privacy_loss, exact_privacy_loss, examples, outcomes
from semipriv.audit.twins import twins_of
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.queries.sanitizers._layer_law import LayerLaw
from semipriv.papers.bns15.queries.sanitizers._layers import PrefixLayers
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact
from semipriv.papers.bns15.queries.sanitizers.strips import Strips
from semipriv.papers.bns15.queries.sanitizers.tree import Tree
from semipriv.papers.bns15.twins import sanitizers
from semipriv.privacy.laws import LogProbabilities, OutputLaw
from semipriv.privacy.slots import DataSets
from semipriv.queries.sanitizers.base import FiniteSanitizer
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    comparable,
    conclude,
    exceeding,
    recorded,
)

CLAIMS = ("BNS15-A.3-dp", "BNS15-T3.3-dp")
SECONDS = 8

LINE = [[0.0], [1.0], [2.0], [3.0]]
POINTS = (0.0, 1.0, 2.0, 3.0)
THRESHOLDS = DiscreteThresholds(2)
CASES: dict[str, tuple[FiniteSanitizer, DiscreteThresholds | DiscreteRectangles]] = {
    "prefixes, scores rounded down": (Net(), THRESHOLDS),
    "symmetric differences of thresholds": (NetExact(LINE), THRESHOLDS),
    "symmetric differences of intervals": (NetExact(LINE), DiscreteRectangles(1, 2)),
}
"""Queries, by the mechanism that answers them and its class."""
EPSILONS = (0.5, 1.0, 2.0)
N, SIZE = 3, 3
"""Private and released points."""
TWINS = twins_of(sanitizers)
TWIN_NAMES = ("net_with_whole_exponent", "net_in_a_window")
SUBSTITUTE_TWINS = ("tree_with_a_level_forgotten", "strips_with_noise_of_one_level")
LEARNER_EPSILONS = (0.5, 1.0)
LABELLED, UNLABELLED, RELEASED = (1, 2), 2, 2
SQUARE = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
DRAWS = 2000
ROUNDING = 1e-9

LOSS = "largest privacy loss / epsilon"
TWIN = "largest privacy loss / epsilon, broken twin"
LAYERS = "largest difference of P[u >= s] from the enumeration"
FIT = "chi-square p-value of draws"


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BNS15-A.3-dp and BNS15-T3.3-dp: exact; effort scales the draws that are recorded beside."""
    return {"BNS15-A.3-dp": _sanitizers(randomness, effort), "BNS15-T3.3-dp": _learners()}


def sanitized(sanitizer: FiniteSanitizer, name: str, epsilon: float, data: DataSet) -> LogProbabilities:
    """Return the law of the released points, as a tuple."""
    found = sanitizer.law(np.array(data)[:, None], CASES[name][1], SIZE, epsilon)
    return {tuple(points[:, 0].tolist()): log for points, log in found}


def _twins(names: tuple[str, ...]) -> list[Measurement]:
    rows = []
    for name in names:
        twin = TWINS[name]()
        loss = exact_privacy_loss(twin.broken, twin.slots).loss / twin.epsilon
        rows.append(exceeding(TWIN, {"epsilon": twin.epsilon, "change": twin.breaks}, loss, 1.0))
    return rows


def _sanitizers(randomness: Simulation, effort: float) -> Finding:
    rows = []
    for (name, (sanitizer, _)), epsilon in track(list(itertools.product(CASES.items(), EPSILONS)), "laws"):

        def law(data: DataSet, name: str = name, epsilon: float = epsilon) -> OutputLaw:
            return OutputLaw(sanitized(CASES[name][0], name, epsilon, data))

        loss = exact_privacy_loss(law, [POINTS] * N).loss / epsilon
        where: Settings = {"queries": name, "epsilon": epsilon, "n_unlabelled": N, "released": SIZE}
        rows.append(at_most(LOSS, where | {"theorem": sanitizer.theorem}, loss, 1.0, rounding=ROUNDING))
    shares = [row.measured.value for row in rows]
    for epsilon in EPSILONS:
        rows.append(at_most(LAYERS, {"epsilon": epsilon, "n_unlabelled": N}, layer_difference(epsilon), 1e-10))
    rows.append(_drawn(randomness.spawn("draws"), max(200, int(DRAWS * effort))))
    return conclude(
        f"every data set of {N} points of four, all neighbours, {SIZE} released points, exactly; the sampler's layers "
        "against the enumeration",
        [*rows, *_twins(TWIN_NAMES)],
        deciding=max(rows[: len(shares)], key=lambda row: comparable(row.measured.value)),
        reason=f"attained are {min(shares):.2f} to {max(shares):.2f} of epsilon, so that a loss 1 / share as large "
        "would be noticed here; the base measure is uniform on ordered tuples; a draw of the layers near the heaviest "
        "one alone is a twin",
    )


def layer_difference(epsilon: float) -> float:
    """Return the largest difference of a tail of the layers' law from that of all tuples, over all data sets."""
    worst = 0.0
    for data in itertools.combinations_with_replacement(range(len(POINTS)), N):
        law = LayerLaw(PrefixLayers.of(data, 2, SIZE), Fraction(epsilon) / 2)
        masses: Counter[int] = Counter()
        below = np.array([sum(x < j for x in data) for j in range(5)])
        for chosen in itertools.product(range(4), repeat=SIZE):
            own = np.array([sum(y < j for y in chosen) for j in range(5)])
            score = int(np.abs(SIZE * below - N * own).max()) // SIZE
            masses[score] += np.exp(-epsilon / 2 * score)
        total = sum(masses.values())
        for score in range(N + 1):
            tail = sum(mass for own_score, mass in masses.items() if own_score >= score) / total
            worst = max(worst, abs(law.tail(score) - tail))
    return worst


def _drawn(randomness: Simulation, draws: int) -> Measurement:
    """Draw from the sampler, and compare with its law."""
    points, epsilon = np.array([[0.0], [3.0], [3.0]]), 1.0
    law = {tuple(found[:, 0].tolist()): log for found, log in Net().law(points, THRESHOLDS, SIZE, epsilon)}
    counts = dict.fromkeys(law, 0)
    for i in range(draws):
        counts[tuple(Net().sanitize(points, THRESHOLDS, SIZE, epsilon, randomness.spawn(i))[:, 0].tolist())] += 1
    found = scipy.stats.chisquare(list(counts.values()), draws * np.exp(list(law.values())))
    return recorded(FIT, {"epsilon": epsilon, "n_unlabelled": 3}, float(found.pvalue), trials=draws)


# ---------------------------------------------------------------------------------------------------- the learner
def _learners() -> Finding:
    rows = []
    cells: list[tuple[FiniteSanitizer, float, int]] = []
    cells += itertools.product((Net(), NetExact(LINE)), LEARNER_EPSILONS, LABELLED)
    cells += itertools.product((Tree(), Strips()), LEARNER_EPSILONS, LABELLED[:1])
    for sanitizer, epsilon, n in track(cells, "audits", work=[8.0**n for _, _, n in cells]):
        learner = GenericLearner(epsilon, sanitizer, size=RELEASED, n_unlabelled=UNLABELLED)
        where: Settings = {"sanitizer": sanitizer.short_title, "theorem": sanitizer.theorem, "epsilon": epsilon}
        where |= {"n_labelled": n, "n_unlabelled": UNLABELLED, "released": RELEASED}
        rows.append(at_most(LOSS, where, learner_loss(learner, n) / epsilon, 1.0, rounding=ROUNDING))
    shares = [row.measured.value for row in rows]
    for sanitizer, epsilon in itertools.product((Tree(), Strips()), LEARNER_EPSILONS):
        where = {"sanitizer": sanitizer.short_title, "theorem": sanitizer.theorem, "epsilon": epsilon}
        where |= {"n_labelled": 0, "n_unlabelled": UNLABELLED, "released": RELEASED}
        rows.append(at_most(LOSS, where, substitute_loss(sanitizer, epsilon) / epsilon, 1.0, rounding=ROUNDING))
    own = [row.measured.value for row in rows[len(shares) :]]
    return conclude(
        "GenericLearner over thresholds of four points, and over rectangles of the square of two bits, two released "
        "points: every data set, replacing a labelled or an unlabelled entry, exactly",
        [*rows, *_twins(("hypotheses_of_private_points", *SUBSTITUTE_TWINS))],
        deciding=max(rows[: len(shares)], key=lambda row: comparable(row.measured.value)),
        reason=f"attained are {min(shares):.2f} to {max(shares):.2f} of epsilon; labelled and unlabelled entries are "
        "different people's, so that neither part adds to the other; the pure substitutes are judged by themselves, "
        f"too: {max(own[:2]):.2f} for the noisy tree, {max(own[2:]):.2f} for noisy strips, whose loss could be "
        f"{1 / max(own[2:]):.1f} times larger before this audit saw it",
    )


def _class(sanitizer: FiniteSanitizer) -> tuple[DiscreteThresholds | DiscreteRectangles, np.ndarray]:
    """Return the class of an audit, and its points."""
    if isinstance(sanitizer, Strips):
        return DiscreteRectangles(2, 1), np.array(SQUARE)
    return THRESHOLDS, np.array(LINE)


def learner_loss(learner: GenericLearner, n_labelled: int) -> float:
    """Return the exact loss over all data sets of so many labelled entries."""
    assert isinstance(learner.sanitizer, FiniteSanitizer)
    h, domain = _class(learner.sanitizer)
    prepared = learner.prepare(np.empty((0, h.dimension)), h)

    def law(data: DataSet) -> OutputLaw:
        points, labels = zip(*data[:n_labelled], strict=True)
        entries = ListedEntries(np.array(data[n_labelled:]))
        return outcomes(learner.law(prepared, np.array(points), np.array(labels, np.int8), entries))

    data_sets = DataSets(examples(domain), n_labelled, [tuple(point) for point in domain.tolist()], UNLABELLED)
    return audited_privacy_loss(law, learner.guarantee, data_sets, exchangeable=True).loss


def substitute_loss(sanitizer: FiniteSanitizer, epsilon: float) -> float:
    """Return the exact loss of the released points alone."""
    h, domain = _class(sanitizer)

    def law(data: DataSet) -> LogProbabilities:
        found = sanitizer.law(np.array(data), h, RELEASED, epsilon)
        return {tuple(map(tuple, points.tolist())): log for points, log in found}

    points = [tuple(point) for point in domain.tolist()]
    return exact_privacy_loss(law, [points] * UNLABELLED, exchangeable=True).loss
