"""Claims BNS15-A.3-dp and BNS15-T3.3-dp: what the net mechanism and GenericLearner spend, by enumeration.

All data sets and neighbours over four points.  Beside each distribution stand changes that must break the claim.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import scipy

from semipriv.audit.exact import DataSet, audited_privacy_loss, exact_privacy_loss, examples, outcomes
from semipriv.classes.base import HypothesisClass
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.core.entries import ListedEntries
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.papers.bns15.queries.sanitizers._layer_distribution import LayerDistribution
from semipriv.papers.bns15.queries.sanitizers._layers import PrefixLayers
from semipriv.papers.bns15.queries.sanitizers.net import Net
from semipriv.papers.bns15.queries.sanitizers.net_exact import NetExact
from semipriv.papers.bns15.queries.sanitizers.strips import Strips
from semipriv.papers.bns15.queries.sanitizers.tree import Tree
from semipriv.privacy.output_distribution import LogProbabilities, OutputDistribution
from semipriv.privacy.slots import DataSets
from semipriv.queries.sanitizers.base import FiniteSanitizer
from semipriv_lab.controls import controls_of
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest
from semipriv_lab.papers.bns15.controls import sanitizers

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
CONTROLS = controls_of(sanitizers)
CONTROL_NAMES = ("net_with_whole_exponent", "net_in_a_window")
SUBSTITUTE_CONTROLS = ("tree_with_a_level_forgotten", "strips_with_noise_of_one_level")
LEARNER_EPSILONS = (0.5, 1.0)
LABELLED, UNLABELLED, RELEASED = (1, 2), 2, 2
SQUARE = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
DRAWS = 2000
ROUNDING = 1e-9

LOSS = "largest privacy loss / epsilon"


def judge_controls(table: Table, *names: str) -> None:
    """Judge that negative controls lose more than their epsilon."""
    for name in names:
        control = CONTROLS[name]()
        loss = exact_privacy_loss(control.broken, control.slots).loss / control.epsilon
        table.exceeding(f"{LOSS}, negative control", {"epsilon": control.epsilon, "change": control.breaks}, loss, 1.0)


@claim(
    "BNS15-A.3-dp",
    f"every data set of {N} points of four, all neighbours, {SIZE} released points, exactly; the sampler's layers "
    "against the enumeration",
    shown=lambda gates: largest([row for row in gates if row.quantity == LOSS]),
)
def sanitizer(table: Table) -> str:
    """Audit the mechanism by its distributions, its sampler by those of its layers; effort scales recorded draws."""
    for (name, (net, h)), epsilon in track(list(itertools.product(CASES.items(), EPSILONS)), "distributions"):

        def distribution(
            data: DataSet, net: FiniteSanitizer = net, h: HypothesisClass = h, epsilon: float = epsilon
        ) -> LogProbabilities:
            released = net.output_distribution(np.array(data)[:, None], h, SIZE, epsilon)
            return {tuple(points[:, 0].tolist()): log for points, log in released}

        loss = exact_privacy_loss(distribution, [POINTS] * N).loss / epsilon
        settings: Settings = {"queries": name, "epsilon": epsilon, "n_unlabelled": N, "released": SIZE}
        table.at_most(LOSS, settings | {"theorem": net.theorem}, loss, 1.0, rounding=ROUNDING)
    for epsilon in EPSILONS:
        settings = {"epsilon": epsilon, "n_unlabelled": N}
        table.at_most(
            "largest difference of P[u >= s] from the enumeration", settings, layer_difference(epsilon), 1e-10
        )
    draws = max(200, int(DRAWS * table.effort))
    value = p_value(table.randomness.spawn("draws"), draws)
    table.recorded("chi-square p-value of draws", {"epsilon": 1.0, "n_unlabelled": 3}, value, trials=draws)
    judge_controls(table, *CONTROL_NAMES)
    shares = table.values(LOSS)
    return (
        f"the largest losses are {min(shares):.2f} to {max(shares):.2f} of epsilon: the audit would notice a loss "
        f"{1 / min(shares):.1f} times too large; the base measure is uniform on ordered tuples; the negative control "
        "draws only layers near the heaviest one"
    )


def layer_difference(epsilon: float) -> float:
    """Return the largest difference of a tail of the layers from that of all tuples, over all data sets."""
    worst = 0.0
    for data in itertools.combinations_with_replacement(range(len(POINTS)), N):
        distribution = LayerDistribution(PrefixLayers.of(data, 2, SIZE), Fraction(epsilon) / 2)
        masses: Counter[int] = Counter()
        below = np.array([sum(x < j for x in data) for j in range(5)])
        for chosen in itertools.product(range(4), repeat=SIZE):
            released = np.array([sum(y < j for y in chosen) for j in range(5)])
            score = int(np.abs(SIZE * below - N * released).max()) // SIZE
            masses[score] += np.exp(-epsilon / 2 * score)
        total = sum(masses.values())
        for score in range(N + 1):
            tail = sum(mass for other, mass in masses.items() if other >= score) / total
            worst = max(worst, abs(distribution.tail(score) - tail))
    return worst


def p_value(randomness: Simulation, draws: int) -> float:
    """Return the p-value of so many draws of the sampler against its distribution, at epsilon = 1."""
    points = np.array([[0.0], [3.0], [3.0]])
    distribution = {
        tuple(released[:, 0].tolist()): log
        for released, log in Net().output_distribution(points, THRESHOLDS, SIZE, 1.0)
    }
    counts = dict.fromkeys(distribution, 0)
    for i in range(draws):
        counts[tuple(Net().sanitize(points, THRESHOLDS, SIZE, 1.0, randomness.spawn(i))[:, 0].tolist())] += 1
    return float(scipy.stats.chisquare(list(counts.values()), draws * np.exp(list(distribution.values()))).pvalue)


@claim(
    "BNS15-T3.3-dp",
    "GenericLearner over thresholds of four points, and over rectangles of the square of two bits, two released "
    "points: every data set, replacing a labelled or an unlabelled entry, exactly",
    shown=lambda gates: largest([row for row in gates if row.settings.get("n_labelled")]),
)
def learner(table: Table) -> str:
    """Audit the learner around each sanitizer, and the pure substitutes by themselves."""
    substitutes = (Tree(), Strips())
    cells: list[tuple[FiniteSanitizer, float, int]] = []
    cells += itertools.product((Net(), NetExact(LINE)), LEARNER_EPSILONS, LABELLED)
    cells += itertools.product(substitutes, LEARNER_EPSILONS, LABELLED[:1])
    cells += itertools.product(substitutes, LEARNER_EPSILONS, (0,))
    shares = []
    for sanitizer, epsilon, n in track(cells, "audits", work=[8.0**n for _, _, n in cells]):
        if n:
            loss = learner_loss(GenericLearner(epsilon, sanitizer, size=RELEASED, n_unlabelled=UNLABELLED), n)
        else:
            loss = substitute_loss(sanitizer, epsilon)
        shares.append(loss / epsilon)
        settings: Settings = {"sanitizer": sanitizer.short_title, "theorem": sanitizer.theorem, "epsilon": epsilon}
        settings |= {"n_labelled": n, "n_unlabelled": UNLABELLED, "released": RELEASED}
        table.at_most(LOSS, settings, shares[-1], 1.0, rounding=ROUNDING)
    judge_controls(table, "hypotheses_of_private_points", *SUBSTITUTE_CONTROLS)
    learners, tree, strips = shares[:-4], shares[-4:-2], shares[-2:]
    return (
        f"the largest losses are {min(learners):.2f} to {max(learners):.2f} of epsilon; labelled and unlabelled "
        "entries are different people's, so that neither part adds to the other; the pure substitutes are judged by "
        f"themselves, too: {max(tree):.2f} for the noisy tree, {max(strips):.2f} for noisy strips, whose loss could be "
        f"{1 / max(strips):.1f} times larger before this audit saw it"
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

    def distribution(data: DataSet) -> OutputDistribution:
        points, labels = zip(*data[:n_labelled], strict=True)
        entries = ListedEntries(np.array(data[n_labelled:]))
        return outcomes(learner.output_distribution(prepared, np.array(points), np.array(labels, np.int8), entries))

    data_sets = DataSets(examples(domain), n_labelled, [tuple(point) for point in domain.tolist()], UNLABELLED)
    return audited_privacy_loss(distribution, learner.guarantee, data_sets, exchangeable=True).loss


def substitute_loss(sanitizer: FiniteSanitizer, epsilon: float) -> float:
    """Return the exact loss of the released points alone."""
    h, domain = _class(sanitizer)

    def distribution(data: DataSet) -> LogProbabilities:
        released = sanitizer.output_distribution(np.array(data), h, RELEASED, epsilon)
        return {tuple(map(tuple, points.tolist())): log for points, log in released}

    points = [tuple(point) for point in domain.tolist()]
    return exact_privacy_loss(distribution, [points] * UNLABELLED, exchangeable=True).loss
