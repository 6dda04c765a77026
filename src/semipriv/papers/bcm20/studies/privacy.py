"""Claims BCM20-L7-dp and BCM20-T10-dp: what PMW, MWEM and the representative domain spend, by formulas and enumeration.

Every bound stands beside changes of the algorithm that must break it: a bound that nothing breaks proves nothing.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from semipriv.audit.exact import DataSet, exact_privacy_loss
from semipriv.audit.twins import twins_of
from semipriv.classes.thresholds import Thresholds
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.rounding import Bracket
from semipriv.core.statistics import Interval, Verdict
from semipriv.mechanisms.noise.discrete_gaussian import DiscreteGaussian
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bcm20.studies._sampled_audit import said, sampled_audit
from semipriv.papers.bcm20.studies._sparse_vector import LIMIT, SCALE, epoch_loss, reused_loss
from semipriv.papers.bcm20.twins import domains, mwem
from semipriv.papers.bcm20.twins.mwem import PREFIXES, SINGLES, counted, released
from semipriv.papers.bcm20.twins.transcripts import cut_law
from semipriv.privacy.events import concentrated, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.laws import LogProbabilities
from semipriv.queries.base import Workload
from semipriv.queries.methods.mwem import MWEM, scores
from semipriv.queries.methods.pmw import PMW, SCALES
from semipriv.report.ledger.findings import Finding, Measurement, Settings, at_most, conclude, largest, recorded

CLAIMS = ("BCM20-L7-dp", "BCM20-T10-dp")
SECONDS = 6

EPSILONS, DELTAS = (0.01, 0.1, 0.5, 1.0), (1e-12, 1e-6, 1e-3, 0.1)
SPENT = "epsilon spent / epsilon, by rho + 2 sqrt(rho ln(1/delta))"
EPOCH = "largest privacy loss of an epoch / (1 / scale of the threshold's noise)"
LOSS = "largest privacy loss / epsilon"
TWIN = "largest privacy loss / epsilon, broken twin"
RENYI = "largest Renyi divergence / (rho times its order)"
ORDERS = (1.5, 2.0, 4.0, 16.0, 64.0)
ROUNDING = 1e-9
TWINS = twins_of(domains, mwem)


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BCM20-L7-dp and BCM20-T10-dp; both are exact, whatever the effort, but for the audits by runs."""
    audits = list(sampled_audit(randomness, effort))
    return {"BCM20-L7-dp": _sparse_vector(), "BCM20-T10-dp": _whole(audits)}


def _broken(quantity: str, settings: Settings, measured: float, bound: float) -> Measurement:
    """Return the gate of a change that must break a bound; if it does not, nothing is concluded."""
    verdict = Verdict.HOLDS if measured > bound * (1 + ROUNDING) else Verdict.INCONCLUSIVE
    return Measurement(quantity, settings | {"broken": "yes"}, Interval.exact(measured), bound, 0, verdict)


# ---------------------------------------------------------------------------------------------------- PMW
def spent(rho: Fraction, delta: float) -> float:
    """Return rho + 2 sqrt(rho ln(1/delta)), rounded up."""
    return (rho + 2 * (-(rho * Bracket.of(delta).ln())).sqrt()).up


def share_of_all() -> float:
    """Return a bound on epsilon spent / epsilon for all epsilon, delta < 1, rounded up.

    rho = (4 e_1^2 + e_2^2) / (64 ln(2/delta)) = C epsilon^2 / ln(2/delta) with C = (4 512 + 4) / (64 (sqrt 512 + 1)^2).
    As ln(2/delta) > ln 2 and > ln(1/delta), rho + 2 sqrt(rho ln(1/delta)) <= C epsilon^2 / ln 2 + 2 sqrt(C) epsilon.
    """
    root = Bracket.of(512).sqrt() + 1
    constant = Fraction(2052, 64) / (root * root)
    return (constant / Bracket.of(2).ln() + 2 * constant.sqrt()).up


def _formula_error(epsilon: float, delta: float) -> float:
    """Return the largest relative difference of the scales in the code from the book's formulas."""
    plan, root = PMW(0.05, 0.05).plan(356, 356, Guarantee(epsilon, delta)), math.sqrt(512)
    unit = math.sqrt(32 * plan.updates * math.log(2 / delta)) / epsilon
    expected = [unit * (root + 1) / root, unit * (root + 1) / 2, math.ceil(4 * math.log(356) / 0.05**2)]
    found = [float(plan.lot), float(plan.numeric), plan.updates]
    return float(np.abs(np.divide(found, expected) - 1).max())


def _sparse_vector() -> Finding:
    """Measure L7-dp: the sum over epochs, for all epsilon and delta, and the loss of one epoch."""
    method = PMW(0.05, 0.05)
    rows = [at_most(SPENT, {"epsilon": "all below 1", "delta": "all below 1"}, share_of_all(), 1.0)]
    for epsilon, delta in itertools.product(EPSILONS, DELTAS):
        settings: Settings = {"epsilon": epsilon, "delta": delta, "cells": 356, "queries": 356, "accuracy": 0.05}
        event = method.plan(356, 356, Guarantee(epsilon, delta)).event
        rows.append(at_most(SPENT, settings, spent(event.rho, delta) / epsilon, 1.0))
        error = _formula_error(epsilon, delta)
        rows.append(at_most("scales against the book's, largest relative difference", settings, error, 1e-12))
        share = fitted_share(Guarantee(epsilon, delta))
        rows.append(recorded("noise within the budget / the book's noise", settings, share))
    plan = method.plan(356, 356, Guarantee(1.0, 1e-6))
    less = replace(plan, lot=plan.lot / Fraction("2.2"), numeric=plan.numeric / Fraction("2.2")).event.rho
    rows.append(_broken(SPENT, {"epsilon": 1.0, "delta": 1e-6, "change": "noise / 2.2"}, spent(less, 1e-6), 1.0))
    for queries in (1, 4, 16, 64):
        own: Settings = {"scale": SCALE, "queries": queries}
        rows.append(at_most(EPOCH, own, SCALE * epoch_loss(2 * SCALE, queries), 2.0, rounding=ROUNDING))
    for change, loss in (
        ("comparisons with noise of scale b", epoch_loss(SCALE, 64)),
        ("comparisons with noise of scale b / 10", epoch_loss(SCALE / 10, 64)),
        (f"one noise for all comparisons; losses cut at {LIMIT:g}", reused_loss(2 * SCALE)),
    ):
        rows.append(_broken(EPOCH, {"scale": SCALE, "queries": 64, "change": change}, SCALE * loss, 2.0))
    pure = method.plan(356, 356, Guarantee(1.0)).event.pure
    assert pure is not None
    rows.append(at_most("sum of epsilons / epsilon, delta = 0", {"epsilon": 1.0}, float(pure), 1.0))
    return conclude(
        "exact: zero-concentrated sum over the epochs of PMW; loss of one epoch by a sum over its threshold's noise",
        rows,
        deciding=rows[0],
        reason="by zCDP of its epochs, not by the book's composition; half the noise would pass the sum (slack 2.1), "
        "so that the scales in the code are compared with the formulas; the noise fitted to the budget is ours",
    )


def fitted_share(budget: Guarantee) -> float:
    """Return the noise that our accounting needs over the book's, both at this budget."""
    book, fitted = (PMW(0.05, 0.05, scales=scales).plan(356, 356, budget) for scales in SCALES)
    return float(fitted.lot / book.lot)


# ---------------------------------------------------------------------------------------------------- MWEM
def _whole(audits: Sequence[Measurement]) -> Finding:
    """Measure T10-dp: the domain, MWEM with pure accounting, and the parts of its rounds for zCDP; audits: by runs."""
    rows = [*_domain(), *_pure(), *_rounds(), *_divergences(), *audits]
    for make in track(list(TWINS.values()), "twins"):
        twin = make()
        loss = exact_privacy_loss(twin.broken, twin.slots, exchangeable=True).loss / twin.epsilon
        rows.append(_broken(TWIN, {"epsilon": twin.epsilon, "change": twin.breaks}, loss, 1.0))
    return conclude(
        "exact audit over all data sets and neighbours of tiny domains; closed forms of each round for zCDP; beyond "
        "them audits by runs on one pair of neighbours, with Clopper-Pearson limits",
        rows,
        deciding=largest([row for row in rows if row.quantity == LOSS and row.settings.get("part") == "all"]),
        reason=f"exhaustive on small domains, beyond them by the proof; {said(audits)}; drawing "
        "again until a query is new is private "
        "in what it selects, and not in the number of draws, which the time tells; the cover and its cells are made "
        "without private points, so that what is enumerated of them is that each point has one cell",
    )


def _pure() -> Iterator[Measurement]:
    """Yield the losses of two rounds of MWEM, and of the selection and the noise of one."""
    works: dict[str, Workload] = {"prefixes": PREFIXES, "single cells": SINGLES}
    for (name, work), epsilon in track(list(itertools.product(works.items(), (0.5, 1.0, 4.0))), "audits"):
        settings: Settings = {"workload": name, "cells": 4, "epsilon": epsilon, "rounds": 2, "n_private": 3}
        loss = exact_privacy_loss(released(MWEM(2, 1), work, epsilon), [list(range(4))] * 3, exchangeable=True).loss
        yield at_most(LOSS, settings | {"part": "all"}, loss / epsilon, 1.0, rounding=ROUNDING)
    own: Settings = {"workload": "single cells", "cells": 4, "epsilon": 4.0, "rounds": 1, "n_private": 6}
    own |= {"part": "selection"}
    yield at_most(LOSS, own, _selection_loss(2.0) / 2, 1.0, rounding=ROUNDING)
    yield _broken(LOSS, own | {"change": "whole exponent"}, _selection_loss(4.0) / 2, 1.0)
    noise = MWEM(1).round(Guarantee(4.0)).noise
    assert isinstance(noise, DiscreteLaplace)
    where: Settings = {"epsilon": 4.0, "rounds": 1, "part": "noise", "n_private": 6}
    yield at_most(LOSS, where, _cut_loss(noise) / 2, 1.0, rounding=ROUNDING)
    halved = _cut_loss(DiscreteLaplace(Fraction(noise.scale) / 2)) / 2
    yield _broken(LOSS, where | {"change": "half the noise"}, halved, 1.0)


def _chosen(selection: ExponentialMechanism, data: DataSet) -> NDArray[np.float64]:
    """Return the law of the first selection among single cells."""
    return selection.log_probabilities(scores(np.full(4, len(data) / 4), SINGLES.sums(counted(data, 4))))


def _selection_loss(epsilon: float) -> float:
    """Return the loss of the first selection among single cells, on six records."""
    selection = ExponentialMechanism(epsilon)

    def law(data: DataSet) -> LogProbabilities:
        return dict(enumerate(_chosen(selection, data).tolist()))

    return exact_privacy_loss(law, [list(range(4))] * 6, exchangeable=True).loss


def _cut_loss(noise: DiscreteLaplace) -> float:
    """Return the loss of a noisy count of six records, cut to [0, 6], where the count moves by 1."""
    laws = np.array([cut_law(count, 6, noise) for count in range(7)])
    return float(np.abs(np.diff(laws, axis=0)).max())


def _rounds() -> Iterator[Measurement]:
    """Yield what T rounds spend of rho, in fractions."""
    for rounds, epsilon, delta in itertools.product((1, 2, 30), EPSILONS, DELTAS):
        budget = Guarantee(epsilon, delta)
        event = MWEM(rounds).event(PREFIXES, budget)
        settings: Settings = {"rounds": rounds, "epsilon": epsilon, "delta": delta}
        yield at_most("rho of all rounds / rho of the budget", settings, float(event.rho / whole(budget)), 1.0)
        total = concentrated(event).guarantee(delta).epsilon / epsilon
        yield at_most("epsilon of all rounds / epsilon", settings, total, 1.0, rounding=ROUNDING)


def _divergences() -> Iterator[Measurement]:
    """Yield Renyi divergences of the parts of a round over neighbours, against rho times their order."""
    data = list(itertools.combinations_with_replacement(range(4), 6))
    pairs = [(one, tuple(sorted((*one[:i], new, *one[i + 1 :])))) for one in data for i in range(6) for new in range(4)]
    for exponent in (1, 2):
        law = {one: _chosen(ExponentialMechanism(1.0 * exponent), one) for one in data}
        worst = max(
            renyi(np.array([law[one] for one, _ in pairs]), np.array([law[other] for _, other in pairs]), order)
            / (order / 8)
            for order in ORDERS
        )
        where: Settings = {"part": "selection", "epsilon": 1.0, "n_private": 6}
        if exponent == 1:
            yield at_most(RENYI, where, worst, 1.0, rounding=ROUNDING)
        else:
            yield _broken(RENYI, where | {"change": "whole exponent"}, worst, 1.0)
    values = np.arange(-400, 401)
    for sigma in (10.0, 5.0):
        noise = DiscreteGaussian(sigma)
        laws = noise.log_probability(values)[None], noise.log_probability(values - 1)[None]
        worst = max(renyi(*laws, order) / (order / (2 * 10.0**2)) for order in ORDERS)
        where = {"part": "noise", "sigma": 10.0}
        if sigma == 10:
            yield at_most(RENYI, where, worst, 1.0, rounding=ROUNDING)
        else:
            yield _broken(RENYI, where | {"change": "half the noise"}, worst, 1.0)


def renyi(one: NDArray[np.float64], other: NDArray[np.float64], order: float) -> float:
    """Return the largest Renyi divergence of that order between rows of log-probabilities."""
    return float(np.logaddexp.reduce(order * one - (order - 1) * other, axis=1).max() / (order - 1))


# ---------------------------------------------------------------------------------------------------- domain
def _domain() -> Iterator[Measurement]:
    """Yield, over all public and private multisets of five points, what of the domain depends on private points.

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
            domain = Thresholds().representative_domain(hypotheses)
            labels = Thresholds().predict(hypotheses, domain).T
            own = Thresholds().predict(hypotheses, line[:, None]).T
            cell = np.array([np.flatnonzero((labels == row).all(axis=1)) for row in own])
            different += cell.shape != (5, 1)
            for n in (1, 2, 3):
                for others in itertools.combinations_with_replacement(range(5), n - 1):
                    table = np.array(
                        [np.bincount(cell[[*others, last], 0], minlength=len(domain)) for last in range(5)]
                    )
                    moved = max(moved, int(np.abs(table[:, None] - table).sum(axis=2).max()))
                    different += table.shape[1] != len(domain)
    settings: Settings = {"points": 5, "publics": publics, "n_private": "1 to 3"}
    yield at_most("private points without exactly one cell, and domains that they change", settings, different, 0.0)
    yield at_most("largest change of the counts of cells, in L1, by one record", settings, moved, 2.0)
