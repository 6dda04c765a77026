"""What PMW, MWEM and the representative domain spend, by formulas and enumeration: L7-dp, PMW-dp and T10-dp of BCM20.

Every bound stands beside changes of the algorithm that must break it: a bound that nothing breaks proves nothing.
"""

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from semipriv.audit.exact import DataSet, exact_privacy_loss
from semipriv.classes.thresholds import Thresholds
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.rounding import Bracket
from semipriv.core.statistics import GATE_LEVEL, frequency
from semipriv.core.types import Floats
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import concentrated, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv.queries.base import Workload
from semipriv.queries.methods.mwem import MWEM, scores
from semipriv.queries.methods.pmw import PMW
from semipriv.queries.workloads import Listed
from semipriv_lab.controls import controls_of
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest
from semipriv_lab.papers.bcm20.controls import domains, mwem, pmw
from semipriv_lab.papers.bcm20.controls.mwem import PREFIXES, SINGLES, counted, released
from semipriv_lab.papers.bcm20.controls.pmw import ACCURACY, FAILURE
from semipriv_lab.papers.bcm20.controls.pmw import EPSILON as EXACT_EPSILON
from semipriv_lab.papers.bcm20.controls.transcripts import Transcript, cut_distribution, measured_by_pmw
from semipriv_lab.papers.bcm20.studies._sampled_audit import sampled_audit
from semipriv_lab.papers.bcm20.studies._sparse_vector import LIMIT, SCALE, epoch_loss, reused_loss

EPSILONS, DELTAS = (0.01, 0.1, 0.5, 1.0), (1e-12, 1e-6, 1e-3, 0.1)
SPENT = "epsilon spent / epsilon, by rho + 2 sqrt(rho ln(1/delta))"
EPOCH = "largest privacy loss of an epoch / (1 / scale of the threshold's noise)"
LOSS = "largest privacy loss / epsilon"
ORDERS = (1.5, 2.0, 4.0, 16.0, 64.0)
ROUNDING = 1e-9
CONTROLS = controls_of(domains, mwem)


def broken(table: Table, quantity: str, settings: Settings, measured: float, bound: float) -> None:
    """Add the gate of a change that must break a bound; if it does not, nothing is concluded."""
    table.exceeding(quantity, settings | {"broken": "yes"}, measured, bound)


# ---------------------------------------------------------------------------------------------------- PMW
def spent(rho: Fraction, delta: float) -> float:
    """Return rho + 2 sqrt(rho ln(1/delta)), rounded up."""
    return (rho + 2 * (-(rho * Bracket.of(delta).ln())).sqrt()).up


def share_of_all() -> float:
    """Return the supremum of epsilon spent / epsilon over all epsilon, delta < 1, rounded up.

    rho = (4 e_1^2 + e_2^2) / (64 ln(2/delta)) = C epsilon^2 / ln(2/delta) with C = (4 512 + 4) / (64 (sqrt 512 + 1)^2).
    With s = ln 2 / ln(2/delta), in (0, 1), the share rho / epsilon + 2 sqrt(rho ln(1/delta)) / epsilon is

        C epsilon s / ln 2 + 2 sqrt(C (1 - s)) <= 2 sqrt(C) + s (C / ln 2 - sqrt(C)) <= 2 sqrt(C),

    as sqrt(1 - s) <= 1 - s / 2 and sqrt(C) <= ln 2; it tends to 2 sqrt(C) as delta falls.
    """
    root = Bracket.of(512).sqrt() + 1
    constant = Fraction(2052, 64) / (root * root)
    assert constant.sqrt().up <= Bracket.of(2).ln().down
    return (2 * constant.sqrt()).up


@claim(
    "BCM20-L7-dp",
    "exact: zero-concentrated sum over the epochs of PMW; loss of one epoch by a sum over its threshold's noise",
)
def sparse_vector(table: Table) -> str:
    """Measure the sum over epochs, for all epsilon and delta, and the loss of one epoch."""
    method, cells = PMW(0.05, 0.05, scales="book"), (356, 356)
    table.show(table.at_most(SPENT, {"budgets": "all epsilon and delta below 1"}, share_of_all(), 1.0))
    for epsilon, delta in itertools.product(EPSILONS, DELTAS):
        settings: Settings = {"epsilon": epsilon, "delta": delta, "cells": 356, "queries": 356, "accuracy": 0.05}
        plan = method.plan(*cells, Guarantee(epsilon, delta))
        table.at_most(SPENT, settings, spent(plan.event.rho, delta) / epsilon, 1.0)
        unit, root = math.sqrt(32 * plan.updates * math.log(2 / delta)) / epsilon, math.sqrt(512)
        book = [unit * (root + 1) / root, unit * (root + 1) / 2, math.ceil(4 * math.log(356) / 0.05**2)]
        error = float(np.abs(np.divide([float(plan.lot), float(plan.numeric), plan.updates], book) - 1).max())
        table.at_most("scales against the book's, largest relative difference", settings, error, 1e-12)
        fitted = PMW(0.05, 0.05).plan(*cells, Guarantee(epsilon, delta))
        share = float(fitted.event.rho / whole(Guarantee(epsilon, delta)))
        table.at_most("rho with constants of the proof / rho of the budget", settings, share, 1.0)
        table.recorded("noise within the budget / the book's noise", settings, float(fitted.lot / plan.lot))
    plan = method.plan(*cells, Guarantee(1.0, 1e-6))
    rho = replace(plan, lot=plan.lot / Fraction("2.2"), numeric=plan.numeric / Fraction("2.2")).event.rho
    broken(table, SPENT, {"epsilon": 1.0, "delta": 1e-6, "change": "noise / 2.2"}, spent(rho, 1e-6), 1.0)
    for queries in (1, 4, 16, 64):
        loss = epoch_loss(2 * SCALE, queries)
        table.at_most(EPOCH, {"scale": SCALE, "queries": queries}, SCALE * loss, 2.0, rounding=ROUNDING)
    for change, loss in (
        ("comparisons with noise of scale b", epoch_loss(SCALE, 64)),
        ("comparisons with noise of scale b / 10", epoch_loss(SCALE / 10, 64)),
        (f"one noise for all comparisons; losses cut at {LIMIT:g}", reused_loss(2 * SCALE)),
    ):
        broken(table, EPOCH, {"scale": SCALE, "queries": 64, "change": change}, SCALE * loss, 2.0)
    pure = method.plan(*cells, Guarantee(1.0)).event.pure
    assert pure is not None
    table.at_most("sum of epsilons / epsilon, delta = 0", {"epsilon": 1.0}, float(pure), 1.0)
    return (
        "by zCDP of its epochs, not by the book's composition; half the noise would pass the sum (slack 2.1), "
        "so that the scales in the code are compared with the formulas; the noise fitted to the budget is ours"
    )


# ---------------------------------------------------------------------------------------------------- PMW, exactly
WORKLOADS: dict[str, Workload] = {
    "each cell": pmw.CELLS,
    "both cells, then the first": Listed(np.array([[1, 1], [1, 0]], bool)),
    "the first cell, then both": Listed(np.array([[1, 0], [1, 1]], bool)),
    "no cell, then the first": Listed(np.array([[0, 0], [1, 0]], bool)),
}
PMW_LOSS = "largest privacy loss of PMW / epsilon"
PAID = Fraction(2, 3)
"""What two of three updates are paid with: two queries can use no more."""
BOOK_RECORDS = (42, 43)
PROVEN_RECORDS = (14, 15)
PROVEN_LOSS = "largest privacy loss of PMW with constants of the proof / epsilon"
KIND = "share of runs of PMW that measure just these queries"
MEASURED: dict[str, tuple[int, ...]] = {"none": (), "the first": (0,), "the second": (1,), "both": (0, 1)}
OPEN, CLOSE = (42, 0), (56, 0)
"""Counts at which each query is two scales of the threshold's noise below the threshold, and at which two are near."""
FITS = 2500
LIKELY = 0.05
"""Sets of queries that are less likely are for the record: too few runs measure them."""
NO_POWER = ("each cell", 42)
"""With an even number of records both gaps are one number, and comparisons alone tell little."""


def kinds(transcripts: dict[Transcript, float]) -> dict[str, float]:
    """Return the probability of each set of queries that may be measured."""
    distribution = dict.fromkeys(MEASURED.values(), 0.0)
    for transcript, logarithm in transcripts.items():
        distribution[tuple(query for query, _ in transcript)] += math.exp(logarithm)
    return {name: distribution[queries] for name, queries in MEASURED.items()}


def drawn_kinds(method: PMW, counts: tuple[int, int], runs: int, randomness: Simulation) -> dict[str, int]:
    """Return how many runs of ``PMW.fit`` measured each set of queries.

    After a single update the second answer is a share of the new weights if the first query was measured.
    """
    tallies, budget = dict.fromkeys(MEASURED, 0), Guarantee(EXACT_EPSILON)
    for i in range(runs):
        fit = method.fit(pmw.CELLS, np.array(counts), budget, randomness.spawn(i))
        assert fit.weights is not None
        first = fit.answers[1] == pmw.CELLS.sums(fit.weights)[1]
        updates = int(fit.cost["updates"])
        tallies[("none", "the first" if first else "the second", "both")[updates]] += 1
    return tallies


def proven_distribution(table: Table) -> None:
    """Judge the loss of the constants of the proof, of whose updates both may take place."""
    for (name, work), n in product(WORKLOADS.items(), PROVEN_RECORDS):
        settings: Settings = {"workload": name, "cells": 2, "queries": 2, "n_private": n, "epsilon": EXACT_EPSILON}
        settings |= {"delta": 0.0, "accuracy": ACCURACY, "failure": FAILURE, "n_proof": n}
        for factor in (Fraction(1), Fraction(1, 16)):
            loss = exact_privacy_loss(pmw.distribution(work, factor, pmw.PROVEN), [[0, 1]] * n, exchangeable=True).loss
            if factor == 1:
                table.at_most(PROVEN_LOSS, settings, loss / EXACT_EPSILON, 1.0, rounding=ROUNDING)
            elif name != NO_POWER[0] or n % 2:
                broken(
                    table,
                    f"{PROVEN_LOSS}, negative control",
                    settings | {"change": "a sixteenth of the noise of comparisons"},
                    loss / EXACT_EPSILON,
                    1.0,
                )


@claim(
    "BCM20-PMW-dp",
    "exact distribution of what PMW measures on two cells and two queries, by sums over its noises: the book's "
    f"constants on all data sets of {BOOK_RECORDS[0]} and of {BOOK_RECORDS[1]} records, those of the proof on "
    f"{PROVEN_RECORDS[0]} and {PROVEN_RECORDS[1]}, all neighbours, epsilon = 10, delta = 0; runs "
    "of the code against that distribution",
)
def exact_distribution(table: Table) -> str:
    """Judge the loss over all neighbours, and that the code draws this distribution; with less noise neither holds."""
    for (name, work), n in track(list(product(WORKLOADS.items(), BOOK_RECORDS)), "workloads"):
        settings: Settings = {"workload": name, "cells": 2, "queries": 2, "n_private": n, "epsilon": EXACT_EPSILON}
        settings |= {"delta": 0.0, "accuracy": ACCURACY, "failure": FAILURE, "n_book": n}
        for change, factor in (
            ("", Fraction(1)),
            ("half the noise of comparisons", Fraction(1, 2)),
            ("a sixteenth of the noise of comparisons", Fraction(1, 16)),
        ):
            loss = (
                exact_privacy_loss(pmw.distribution(work, factor), [[0, 1]] * n, exchangeable=True).loss / EXACT_EPSILON
            )
            if not change:
                table.at_most(PMW_LOSS, settings, loss, float(PAID), rounding=ROUNDING)
            elif "half" in change:
                table.recorded(PMW_LOSS, settings | {"change": change}, loss, float(PAID))
            elif (name, n) != NO_POWER:
                broken(table, f"{PMW_LOSS}, negative control", settings | {"change": change}, loss, 1.0)
    proven_distribution(table)
    runs, level = table.trials(FITS), GATE_LEVEL / (2 * len(MEASURED) + 1)
    for counts in (OPEN, CLOSE):
        exact = kinds(measured_by_pmw(pmw.METHOD, pmw.CELLS, np.array(counts), Guarantee(EXACT_EPSILON)))
        seen = drawn_kinds(pmw.METHOD, counts, runs, table.randomness.spawn("PMW.fit", str(counts)))
        settings = {"workload": "each cell", "counts": str(counts), "epsilon": EXACT_EPSILON}
        for name, chance in exact.items():
            limits, at = frequency(seen[name], runs, level), settings | {"measured": name}
            if chance >= LIKELY:
                table.equals(KIND, at, limits, chance, runs)
            else:
                table.recorded(KIND, at, limits, chance, runs)
        if counts == OPEN:
            stream = table.randomness.spawn("PMW.fit, half the noise")
            halved = drawn_kinds(pmw.quieter(Fraction(1, 2)), counts, runs, stream)["none"]
            control = settings | {"measured": "none", "change": "half the noise of comparisons", "broken": "yes"}
            table.exceeding(f"{KIND}, negative control", control, frequency(halved, runs, level), exact["none"], runs)
    half = max(table.values(PMW_LOSS, change="half the noise of comparisons"))
    honest = table.show(largest([row for row in table(PMW_LOSS) if row.verdict is not None])).measured.value
    least, share = min(table.values(f"{PMW_LOSS}, negative control")), table(f"{KIND}, negative control")[0]
    return (
        f"the loss is {honest:.2f} of epsilon, where two of three updates may cost 2/3: the bound is not attained on "
        "two "
        f"queries. Half the noise of comparisons costs {half:.2f}, within the bound, and is caught by the distribution "
        f"alone: {share.measured.value:.2f} of {runs:,} runs measure nothing, where {share.bound:.2f} should; a "
        f"sixteenth costs {least:.2f} or more, and must exceed epsilon (except for two gaps that are one number). The "
        f"constants of the proof, of whose two updates both may take place, cost {max(table.values(PROVEN_LOSS)):.2f}. "
        "One pass, delta = 0; with delta > 0 the same epochs are added up by BCM20-L7-dp"
    )


# ---------------------------------------------------------------------------------------------------- MWEM
@claim(
    "BCM20-T10-dp",
    "exact audit over all data sets and neighbours of tiny domains; closed forms of each round for zCDP; beyond "
    "them audits by runs on one pair of neighbours, with Clopper-Pearson limits",
)
def query_release(table: Table) -> str:
    """Measure the domain, MWEM with pure accounting, the parts of its rounds for zCDP, and audits by runs."""
    domain(table)
    pure_rounds(table)
    concentrated_rounds(table)
    divergences(table)
    audits = sampled_audit(table)
    for make in track(list(CONTROLS.values()), "controls"):
        control = make()
        loss = exact_privacy_loss(control.broken, control.slots, exchangeable=True).loss / control.epsilon
        quantity = "largest privacy loss / epsilon, negative control"
        broken(table, quantity, {"epsilon": control.epsilon, "change": control.breaks}, loss, 1.0)
    table.show(largest(table(LOSS, part="all")))
    return (
        "MWEM as the private method, PMW is BCM20-PMW-dp; exhaustive on small domains, beyond them by the proof; "
        f"{audits}; drawing again until a query is new is "
        "private in what it selects, and not in the number of draws, which the time tells; the cover and its cells are "
        "made without private points, so that what is enumerated of them is that each point has one cell"
    )


def pure_rounds(table: Table) -> None:
    """Measure the losses of two rounds of MWEM, and of the selection and the noise of one."""
    works: dict[str, Workload] = {"prefixes": PREFIXES, "single cells": SINGLES}
    for (name, work), epsilon in track(list(itertools.product(works.items(), (0.5, 1.0, 4.0))), "audits"):
        settings: Settings = {
            "workload": name,
            "cells": 4,
            "epsilon": epsilon,
            "rounds": 2,
            "n_private": 3,
            "part": "all",
        }
        loss = exact_privacy_loss(released(MWEM(2, 1), work, epsilon), [list(range(4))] * 3, exchangeable=True).loss
        table.at_most(LOSS, settings, loss / epsilon, 1.0, rounding=ROUNDING)
    settings = {
        "workload": "single cells",
        "cells": 4,
        "epsilon": 4.0,
        "rounds": 1,
        "n_private": 6,
        "part": "selection",
    }
    table.at_most(LOSS, settings, _selection_loss(2.0) / 2, 1.0, rounding=ROUNDING)
    broken(table, LOSS, settings | {"change": "whole exponent"}, _selection_loss(4.0) / 2, 1.0)
    noise = MWEM(1).round(Guarantee(4.0)).noise
    assert isinstance(noise, DiscreteLaplace)
    settings = {"epsilon": 4.0, "rounds": 1, "part": "noise", "n_private": 6}
    table.at_most(LOSS, settings, _cut_loss(noise) / 2, 1.0, rounding=ROUNDING)
    halved = _cut_loss(DiscreteLaplace(Fraction(noise.scale) / 2)) / 2
    broken(table, LOSS, settings | {"change": "half the noise"}, halved, 1.0)


def _chosen(selection: ExponentialMechanism, data: DataSet) -> Floats:
    """Return the distribution of the first selection among single cells."""
    return selection.log_probabilities(scores(np.full(4, len(data) / 4), SINGLES.sums(counted(data, 4))))


def _selection_loss(epsilon: float) -> float:
    """Return the loss of the first selection among single cells, on six records."""
    selection = ExponentialMechanism(epsilon)

    def distribution(data: DataSet) -> LogProbabilities:
        return dict(enumerate(_chosen(selection, data).tolist()))

    return exact_privacy_loss(distribution, [list(range(4))] * 6, exchangeable=True).loss


def _cut_loss(noise: DiscreteLaplace) -> float:
    """Return the loss of a noisy count of six records, cut to [0, 6], where the count moves by 1."""
    distributions = np.array([cut_distribution(count, 6, noise) for count in range(7)])
    return float(np.abs(np.diff(distributions, axis=0)).max())


def concentrated_rounds(table: Table) -> None:
    """Measure what T rounds spend of rho, in fractions."""
    for rounds, epsilon, delta in itertools.product((1, 2, 30), EPSILONS, DELTAS):
        budget = Guarantee(epsilon, delta)
        event = MWEM(rounds).event(PREFIXES, budget)
        settings: Settings = {"rounds": rounds, "epsilon": epsilon, "delta": delta}
        table.at_most("rho of all rounds / rho of the budget", settings, float(event.rho / whole(budget)), 1.0)
        total = concentrated(event).guarantee(delta).epsilon / epsilon
        table.at_most("epsilon of all rounds / epsilon", settings, total, 1.0, rounding=ROUNDING)


def divergences(table: Table) -> None:
    """Measure Renyi divergences of the parts of a round over neighbours, against rho times their order."""
    quantity = "largest Renyi divergence / (rho times its order)"
    data = list(itertools.combinations_with_replacement(range(4), 6))
    pairs = [
        (rows, tuple(sorted((*rows[:i], new, *rows[i + 1 :])))) for rows in data for i in range(6) for new in range(4)
    ]

    def selection(exponent: int) -> float:
        distribution = {rows: _chosen(ExponentialMechanism(1.0 * exponent), rows) for rows in data}
        distributions = (
            np.array([distribution[first] for first, _ in pairs]),
            np.array([distribution[second] for _, second in pairs]),
        )
        return max(renyi(*distributions, order) / (order / 8) for order in ORDERS)

    def gaussian(sigma: float) -> float:
        values, noise = np.arange(-400, 401), DiscreteGaussian(sigma)
        distributions = noise.log_probability(values)[None], noise.log_probability(values - 1)[None]
        return max(renyi(*distributions, order) / (order / (2 * 10.0**2)) for order in ORDERS)

    settings: Settings = {"part": "selection", "epsilon": 1.0, "n_private": 6}
    table.at_most(quantity, settings, selection(1), 1.0, rounding=ROUNDING)
    broken(table, quantity, settings | {"change": "whole exponent"}, selection(2), 1.0)
    settings = {"part": "noise", "sigma": 10.0}
    table.at_most(quantity, settings, gaussian(10.0), 1.0, rounding=ROUNDING)
    broken(table, quantity, settings | {"change": "half the noise"}, gaussian(5.0), 1.0)


def renyi(first: Floats, second: Floats, order: float) -> float:
    """Return the largest Renyi divergence of that order between rows of log-probabilities."""
    return float(np.logaddexp.reduce(order * first - (order - 1) * second, axis=1).max() / (order - 1))


# ---------------------------------------------------------------------------------------------------- domain
def domain(table: Table) -> None:
    """Measure, over all public and private multisets of five points, what of the domain depends on private points.

    The cover is that of thresholds on the public points, the domain one representative of each of its cells.  Counted
    are domains that another private sample changes, and the largest change of the counts of cells under one
    replacement.
    """
    line, different, moved, publics = np.arange(1.0, 6.0), 0, 0, 0
    for m in range(4):
        for public in itertools.combinations_with_replacement(line, m):
            publics += 1
            points = np.array(public)[:, None]
            hypotheses = Thresholds().cover(points).listed().parameters
            representatives = Thresholds().representative_domain(hypotheses)
            labels = Thresholds().predict(hypotheses, representatives).T
            patterns = Thresholds().predict(hypotheses, line[:, None]).T
            cell = np.array([np.flatnonzero((labels == pattern).all(axis=1)) for pattern in patterns])
            different += cell.shape != (5, 1)
            for n in (1, 2, 3):
                for others in itertools.combinations_with_replacement(range(5), n - 1):
                    samples = [cell[[*others, last], 0] for last in range(5)]
                    counts = np.array([np.bincount(sample, minlength=len(representatives)) for sample in samples])
                    moved = max(moved, int(np.abs(counts[:, None] - counts).sum(axis=2).max()))
                    different += counts.shape[1] != len(representatives)
    settings: Settings = {"points": 5, "publics": publics, "n_private": "1 to 3"}
    table.at_most("private points without exactly one cell, and domains that they change", settings, different, 0.0)
    table.at_most("largest change of the counts of cells, in L1, by one record", settings, moved, 2.0)
