"""Labelled and unlabelled examples of LabelBoost for thresholds over b bits (BNS15 theorem 4.13): sizes and counts.

The base learner is the exponential mechanism over all 2^b + 1 thresholds.  Nothing is drawn.
"""

import math
from itertools import product

from semipriv.core.least import least_size
from semipriv.core.statistics import loglog_slope
from semipriv.papers.bns15.bounds.learners import generic_unlabelled, log_thresholds, whole_class
from semipriv.papers.bns15.bounds.relabelling import least_failing, most_failing, whole_class_failing
from semipriv.papers.bns15.label_boost.schedule import NAMED, PAPER, Constants, least_labelled, schedule
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, nearest_to_bound
from semipriv_lab.papers.bns15.studies._boosting import BASE_EPSILON, KEEP, LAST_KEEP

ACCURACY = 0.2
"""alpha and beta."""
PART = 1
"""a0: alpha_i = alpha / 2^i."""
SCALED = Constants(KEEP, LAST_KEEP, a0=PART)
BITS = (16, 32, 60, 128, 256, 1024, 4096, 65_536, 1_048_576)
FORCED = (60, 256, 1024, 4096, 2**16, 2**20)
BASE = (256, 1024, 4096)
FLAT_FROM = 256
SIDE = 0.25
"""Mass 5 alpha / 4 on which a wrong hypothesis errs: x = 1 of TWO-ATOMS, and the points above the target of CORNER."""
FAILING = 0.4
"""2 beta."""
WIDTH = 30
"""Bits of the integers on which both distributions live."""


def base(bits: int) -> int:
    """Return the examples of the base learner at alpha = beta = 0.2, epsilon = 1."""
    return whole_class(log_thresholds(bits), ACCURACY, ACCURACY, BASE_EPSILON)


def rule(bits: int, constants: Constants = SCALED) -> int:
    """Return the least labelled examples at which the rounds end."""
    return least_labelled(constants, base(bits), ACCURACY, ACCURACY, 1)


def forced(bits: int) -> int:
    """Return labelled examples with which one round of a whole block errs with probability 2 beta at most."""
    return least_size(lambda m: most_failing(m // SCALED.r, SCALED.r0 * base(bits), SIDE), FAILING, SCALED.r)


def counted(bits: int) -> int:
    """Return the least labelled examples with which the base learner fails with probability beta at most on CORNER."""
    logs = log_thresholds(bits), WIDTH * math.log(2)
    return least_size(lambda n: whole_class_failing(n, *logs, SIDE), ACCURACY)


NEED = "labelled examples by the rule / those at b = 256"
RULE = "labelled examples at which the rounds end, the rule"
COUNTED = "labelled examples of the base learner, by counts on CORNER"


@claim(
    "BNS15-T4.13-labelled",
    f"least labelled examples at which the rounds end, exact, alpha = beta = {ACCURACY:g}, b = 16 to 2^20",
    constants="scaled: keep ratios 17 and 6, alpha_i = alpha / 2^i",
)
def labelled(table: Table) -> str:
    """Compare the labelled need at more and more bits: of the rule, of whole blocks, and of the base learner."""
    rules, blocks = {bits: rule(bits) for bits in BITS}, {bits: forced(bits) for bits in FORCED}
    counts = {bits: counted(bits) for bits in BASE}
    for bits, need in rules.items():
        rounds = len(schedule(SCALED, need, base(bits), ACCURACY, ACCURACY, 1).rounds)
        settings = {"bits": bits, "rounds": rounds}
        table.show(table.at_most(NEED, settings, need / rules[FLAT_FROM], 1.0))
        table.recorded(RULE, settings, need)
        papers = "labelled examples at which the rounds end, the paper's constants"
        table.recorded(papers, {"bits": bits}, rule(bits, PAPER))
        table.recorded("labelled examples of the base learner, by its formula", {"bits": bits}, base(bits))
    for bits, need in blocks.items():
        whole_block = "labelled examples with which a round of a whole block succeeds, by counts on TWO-ATOMS"
        table.recorded(whole_block, {"bits": bits}, need)
    for bits, need in counts.items():
        table.recorded(COUNTED, {"bits": bits}, need)
    for bits in BASE[1:]:
        grows = "labelled examples of the base learner on CORNER / those at a quarter of the bits"
        table.exceeding(grows, {"bits": bits}, counts[bits] / counts[bits // 4], 1.0)
    most = FORCED[-1]
    fails = least_failing(blocks[60] // SCALED.r, SCALED.r0 * base(most), SIDE, 2.0**WIDTH)
    control = "control: P[a round of a whole block fails], with the labelled examples that suffice at b = 60"
    table.exceeding(control, {"bits": most, "n_labelled": blocks[60]}, fails, FAILING)
    slope = loglog_slope(list(map(float, counts)), list(map(float, counts.values())))
    table.recorded("exponent of the base learner's need in b", {"range": "256 to 4096"}, slope)
    crossing = next(bits for bits in range(1, 1000) if base(bits) > rule(bits))
    table.recorded("least b at which LabelBoost needs fewer labelled examples", {"by": "rule"}, crossing)
    blocked = ", ".join(f"{blocks[bits]:,}" for bits in FORCED)
    return (
        f"by the size rule {rules[16]:,} at b = 16, {rules[60]:,} at 60, and flat, {rules[FLAT_FROM]:,}, from b = "
        f"{FLAT_FROM} to 2^20 alone; that runs of these sizes succeed is BNS15-L4.12. The base learner's need on "
        f"CORNER grows: {', '.join(f'{need:,}' for need in counts.values())} at b = 256, 1024, 4096, exponent "
        f"{slope.value:.2f}; from b = {crossing} on LabelBoost needs fewer. One round of a whole block does with "
        f"fewer, but is not flat: {blocked} on TWO-ATOMS at b = 60 to 2^20, like ln b, and {blocks[60]:,} fail there "
        f"with probability {fails:.2f}. At the paper's constants the rounds end from {rule(BITS[-1], PAPER):,} "
        "labelled examples on. LabelBoost reads up to 306 n unlabelled examples besides. Not measured: flatness of runs"
    )


READ = "unlabelled examples / those of GenericLearner"
OVER = "the same over Q = 3 r r0 / (5 ceil(10 / alpha))"
UNDER = "Q over the same"
READ_ACCURACIES = (1e-6, 1e-4, 5e-4, 1e-3, 0.01, 0.05, 0.2, 0.999)
READ_BETAS = (1e-6, 0.2, 0.999)
READ_BITS = (1, 16, 60, 1000, 2**20)
SAID, GAIN = 60, 5e-4
"""Bits of which the reason tells, and an alpha at which the paper's keep ratios gain."""


def pieces(alpha: float) -> int:
    """Return 5 ceil(10 / alpha): there is no gain if 3 r r0 is as large or larger."""
    return 5 * math.ceil(10 / alpha)


def most_over(bits: int, beta: float) -> float:
    """Return 1 + (ln(2 / beta) + 1) / (b ln 2), a bound on the quotient of both needs over Q."""
    return 1 + (math.log(2 / beta) + 1) / (bits * math.log(2))


@claim(
    "BNS15-UNLABELLED",
    "sizes of LabelBoost, five choices of keep ratios, and of GenericLearner for thresholds, at eight alpha, three "
    "beta",
    constants="explicit: whole_class for the base learner, theorem 3.3 with explicit constants",
)
def unlabelled(table: Table) -> str:
    """Judge the quotient of both needs against Q, at all corners, and who reads fewer at two alpha."""
    for alpha, beta, bits in product(READ_ACCURACIES, READ_BETAS, READ_BITS):
        settings: Settings = {"alpha": alpha, "beta": beta, "bits": bits}
        generic = generic_unlabelled(bits, alpha, beta, BASE_EPSILON)
        quotient = whole_class(log_thresholds(bits), alpha, beta, BASE_EPSILON) / generic
        table.at_most(OVER, settings, quotient * pieces(alpha), most_over(bits, beta))
        table.at_most(UNDER, settings, 1 / (quotient * pieces(alpha)), 1.0)
        if bits == 1:
            table.exceeding(
                f"control: {OVER}, against its limit for many bits", settings, quotient * pieces(alpha), 1.0
            )
        if alpha == GAIN:
            at_once = 1 / (quotient * pieces(ACCURACY))
            table.exceeding(f"control: {UNDER}, with the 250 of alpha = .2", settings, at_once, 1.0)
    shares_of = {}
    for (name, constants), alpha in product(NAMED.items(), READ_ACCURACIES):
        n = whole_class(log_thresholds(SAID), alpha, ACCURACY, BASE_EPSILON)
        generic = generic_unlabelled(SAID, alpha, ACCURACY, BASE_EPSILON)
        settings = {"constants": name, "bits": SAID, "alpha": alpha, "beta": ACCURACY}
        table.recorded("unlabelled examples of LabelBoost", settings, float(constants.unlabelled(n)))
        table.recorded("unlabelled examples of GenericLearner", settings, float(generic))
        share = shares_of[name, alpha] = constants.unlabelled(n) / generic
        least = constants.unlabelled(1)
        if least >= pieces(alpha):
            table.exceeding(f"{READ}, 3 r r0 too large for a gain", settings, share, 1.0)
        elif least * most_over(SAID, ACCURACY) <= pieces(alpha):
            table.at_most(READ, settings, share, 1.0)
    table.show(nearest_to_bound(table(OVER)))
    shares = ", ".join(
        f"{shares_of[name, ACCURACY]:.3g} at keep ratios {constants.r} and {constants.r0}"
        for name, constants in NAMED.items()
    )
    return (
        f"at alpha = .2 and b = {SAID} LabelBoost reads, in multiples of GenericLearner's need: {shares}. The quotient "
        "is 3 r r0 alpha / 50 for many bits: Q hides the alpha of GenericLearner's 10 / alpha released points. So at "
        f"the paper's keep ratios it is {shares_of['paper', ACCURACY]:.0f} at alpha = .2, and "
        f"{shares_of['paper', GAIN]:.2f} at alpha = .0005; the order ln |C| against VC ln |X|, which are equal for "
        "thresholds, decides nothing. For larger VC dimensions the order gains besides"
    )
