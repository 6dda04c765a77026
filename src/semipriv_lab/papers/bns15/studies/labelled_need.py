"""Labelled and unlabelled examples of LabelBoost for thresholds over b bits (BNS15 theorem 4.13): sizes and counts.

The base learner is the exponential mechanism over all 2^b + 1 thresholds.  Nothing is drawn.
"""

import math

from semipriv.core.least import least_size
from semipriv.core.statistics import loglog_slope
from semipriv.papers.bns15.bounds.learners import generic_unlabelled, log_thresholds, whole_class
from semipriv.papers.bns15.bounds.relabelling import least_failing, most_failing, whole_class_failing
from semipriv.papers.bns15.label_boost.schedule import NAMED, PAPER, Constants, least_labelled, schedule
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, nearest_to_bound

FIGURE = "labelled_need"
SECONDS = 1

ACCURACY = 0.2
"""alpha and beta."""
SCALED = Constants(17, 6, a0=1)
BITS = (16, 32, 60, 128, 256, 1024, 4096, 2**16, 2**20)
FORCED = (60, 256, 1024, 4096, 2**16, 2**20)
BASE = (256, 1024, 4096)
FLAT_FROM = 256
SIDE = 0.25
"""Mass 5 alpha / 4 on which a wrong hypothesis errs: x = 1 of TWO-ATOMS, and the points above the target of CORNER."""
FAILING = 0.4
"""2 beta."""
WIDTH = 30
"""Bits of the integers on which both laws live."""


def base(bits: int) -> int:
    """Return the examples of the base learner at alpha = beta = 0.2, epsilon = 1."""
    return whole_class(log_thresholds(bits), ACCURACY, ACCURACY)


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
    "least labelled examples at which the rounds end, exact, alpha = beta = 0.2, b = 16 to 2^20",
    constants="scaled: keep ratios 17 and 6, alpha_i = alpha / 2^i",
)
def labelled(table: Table) -> str:
    """Compare the labelled need at more and more bits: of the rule, of whole blocks, and of the base learner."""
    rules, blocks = {bits: rule(bits) for bits in BITS}, {bits: forced(bits) for bits in FORCED}
    counts = {bits: counted(bits) for bits in BASE}
    for bits, need in rules.items():
        rounds = len(schedule(SCALED, need, base(bits), ACCURACY, ACCURACY, 1).rounds)
        where = {"bits": bits, "rounds": rounds}
        table.show(table.at_most(NEED, where, need / rules[FLAT_FROM], 1.0))
        table.recorded(RULE, where, need)
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
        f"flat by the size rule: {rules[16]:,} at b = 16, {rules[60]:,} at 60, and {rules[FLAT_FROM]:,} from b "
        f"= 256 to 2^20; that runs of these sizes succeed is BNS15-L4.12. The base learner's need on CORNER grows: "
        f"{', '.join(f'{need:,}' for need in counts.values())} at b = 256, 1024, 4096, exponent {slope.value:.2f}; "
        f"from b = {crossing} on LabelBoost needs fewer. One round of a whole block does with fewer, but is not flat: "
        f"{blocked} on TWO-ATOMS at b = 60 to 2^20, like ln b, and {blocks[60]:,} fail there with probability "
        f"{fails:.2f}. At the paper's constants the rounds end from {rule(BITS[-1], PAPER):,} labelled examples on. "
        "LabelBoost reads up to 306 n unlabelled examples besides. Not measured: flatness of runs"
    )


READ = "unlabelled examples / those of GenericLearner"
READ_BITS = (16, 60, 256, 1000, 4096, 2**20)
GAINS = {"paper": False, "exact": False, "sharp": True, "exact_least": True, "sharp_least": True}
"""Whether LabelBoost reads fewer than GenericLearner, by constants: it does if 3 r r0 is below 250."""


@claim(
    "BNS15-UNLABELLED",
    "sizes of LabelBoost, five choices of keep ratios, and of GenericLearner for thresholds, alpha = beta = 0.2",
    constants="explicit: whole_class for the base learner, theorem 3.3 with explicit constants",
)
def unlabelled(table: Table) -> str:
    """Judge for which keep ratios LabelBoost reads fewer unlabelled examples than GenericLearner, at all bits."""
    said = []
    for name, fewer in GAINS.items():
        shares = []
        for bits in READ_BITS:
            where: Settings = {"constants": name, "bits": bits}
            read, generic = NAMED[name].unlabelled(base(bits)), generic_unlabelled(bits, ACCURACY, ACCURACY)
            table.recorded("unlabelled examples of LabelBoost", where, read)
            table.recorded("unlabelled examples of GenericLearner", where, generic)
            shares.append(read / generic)
            if fewer:
                table.at_most(READ, where, read / generic, 1.0)
            else:
                table.exceeding(f"{READ}, keep ratios too large for a gain", where, read / generic, 1.0)
        ratios = NAMED[name]
        said.append(f"{shares[1]:.3g} times as many at keep ratios {ratios.r} and {ratios.r0}")
    table.show(nearest_to_bound(table(READ)))
    return (
        f"at b = 60 LabelBoost reads {', '.join(said)}. Both needs are linear in b, and in the limit the quotient is "
        "3 r r0 / 250. So the order ln |C| against VC ln |X|, which are equal for thresholds, decides nothing: with "
        "the paper's keep ratios it reads far more, with the least ones that BNS15-L4.6-sharp allows fewer than "
        "half. For larger VC dimensions the order gains besides. Before, this row was an illustration with keep "
        "ratios 17 and 6 alone"
    )
