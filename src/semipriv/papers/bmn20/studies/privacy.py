"""Claim BMN20-L4.1, the privacy of A_LearnHalf, by exact enumeration; controls show that it catches violations."""

import itertools
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from semipriv.audit.exact import exact_privacy_loss
from semipriv.audit.twins import twins_of
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core.progress import track
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.papers.bmn20.regions.cover import RegionCover
from semipriv.papers.bmn20.twins import learn_half
from semipriv.report.ledger.findings import (
    Finding,
    Measurement,
    Settings,
    at_most,
    conclude,
    gates,
    largest,
    recorded,
    verdict_on,
)

CLAIMS = ("BMN20-L4.1",)
SECONDS = 8

DOMAINS = {
    "{0..4}": np.arange(5.0)[:, None],
    "{0, 1, 2}^2": np.array(list(itertools.product(range(3), repeat=2)), np.float64),
}
"""Points that public and private examples may have."""
EPSILONS = (0.1, 1.0, 3.0)
LABELS = {"1": (1,), "0 and 1": (0, 1)}
"""Allowed labels of private examples.  With 1 only, neighbours differ in features; with both, in whole examples."""
PUBLIC, PRIVATE = (0, 1, 2, 3), (1, 2, 3)
"""Numbers of public points and of private examples."""
ROUNDING = 1e-9
"""Bound on the rounding error of a difference of log-probabilities over epsilon (logsumexp of at most 106 terms)."""
LOSS = "largest privacy loss / epsilon"
WHOLE = "largest privacy loss / epsilon, exponent epsilon in place of epsilon / 2"
TWIN = "largest privacy loss / epsilon, broken twin"
LAW = "laws of A_LearnHalf that differ from the enumeration"
TWINS = twins_of(learn_half)

_Integers = NDArray[np.int64]


def findings(randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure BMN20-L4.1.  effort: share of public multisets that are taken.  randomness: for data sets to compare."""
    cells = list(itertools.product(DOMAINS, ("facet", "full"), PUBLIC))
    rows = [
        row
        for name, mode, m in track(cells, "cells")
        for row in _cell(name, DOMAINS[name], mode, m, randomness, effort)
    ]
    controls = [row for row in rows if row.quantity == WHOLE and row.settings["n_private"] == PRIVATE[-1]]
    controls = [row for row in controls if row.settings["n_public"] == PUBLIC[-1]]
    for twin in (make() for make in TWINS.values()):
        loss = exact_privacy_loss(twin.broken, twin.slots).loss / twin.epsilon
        controls.append(recorded(TWIN, {"breaks": twin.breaks, "epsilon": twin.epsilon}, loss, 1.0))
    rows += [row for row in controls if row.quantity == TWIN]
    verdict = verdict_on(rows)
    reason = "exact for the domains listed, statuses and public examples fixed; the proof covers the rest"
    missed = [str(row.settings) for row in controls if row.measured.value <= 1 + ROUNDING]
    if missed and verdict is Verdict.HOLDS:
        verdict, reason = Verdict.INCONCLUSIVE, f"controls that the audit should catch passed it: {missed}"
    finding = conclude(
        "exact audit: every public multiset, all private multisets and neighbours over a tiny domain",
        rows,
        verdict=verdict,
        deciding=largest([row for row in gates(rows) if row.quantity == LOSS]),
        reason=reason,
    )
    return {"BMN20-L4.1": finding}


# ---------------------------------------------------------------------------------------------------- enumeration
@dataclass(frozen=True, eq=False)
class Table:
    """Mistakes of the members of G: on the public examples, (g,), and on each possible private example, (r, g)."""

    public: _Integers
    private: _Integers

    @classmethod
    def of(cls, prepared: RegionCover, domain: NDArray[np.float64], labels: tuple[int, ...]) -> "Table":
        """Return the table of a prepared family; private examples in the order of labels, then of the domain."""
        listed = prepared.listed()
        predicted = prepared.functions.predict(listed.parameters, domain).T
        wrong = np.concatenate([predicted != label for label in labels])
        public = listed.mistakes(prepared.examples.points, prepared.examples.labels)
        return cls(public, wrong.astype(np.int64))

    def neighbourhoods(self, n: int) -> _Integers:
        """Return mistakes (b, r, g): all b multisets of n - 1 private examples, and each of the r as the last one."""
        chosen = np.array(list(itertools.combinations_with_replacement(range(len(self.private)), n - 1)), np.intp)
        others = self.public + self.private[chosen].sum(axis=1)
        return np.asarray(others[:, None] + self.private)


def log_law(mistakes: _Integers, rate: float) -> NDArray[np.float64]:
    """Return the logarithms of probabilities proportional to exp(-rate mistakes) along the last axis."""
    weights = -rate * (mistakes - mistakes.min(axis=-1, keepdims=True))
    return np.asarray(weights - np.log(np.exp(weights).sum(axis=-1, keepdims=True)))


def largest_loss(table: Table, n: int, rate: float) -> float:
    """Return max |ln P[g | S] - ln P[g | S']| over all members g and neighbours S, S' of n private examples."""
    law = log_law(table.neighbourhoods(n), rate)
    return float((law.max(axis=1) - law.min(axis=1)).max())


def _cell(
    name: str, domain: NDArray[np.float64], mode: str, m: int, randomness: Simulation, effort: float
) -> list[Measurement]:
    """Measure the privacy losses over all public multisets of m points."""
    publics = list(itertools.combinations_with_replacement(range(len(domain)), m))[:: max(1, round(1 / effort))]
    rng = randomness.spawn("laws", name, mode, m).generator
    rows = []
    for labels, allowed in track(LABELS.items(), "kinds of labels"):
        losses = {(n, epsilon, share): 0.0 for n in PRIVATE for epsilon in EPSILONS for share in (0.5, 1.0)}
        different = 0
        for chosen in track(publics, "public multisets"):
            prepared = prepare(domain[list(chosen)], mode)
            table = Table.of(prepared, domain, allowed)
            for (n, epsilon, share), loss in losses.items():
                losses[n, epsilon, share] = max(loss, largest_loss(table, n, share * epsilon))
            different += not same_law(table, prepared, domain, labels, rng)
        examples = len(domain) * len(allowed)
        where: Settings = {"domain": name, "mode": mode, "labels": labels, "n_public": m, "publics": len(publics)}
        for (n, epsilon, share), loss in losses.items():
            pairs = len(publics) * comb(examples + n - 2, n - 1) * comb(examples, 2)
            settings = where | {"n_private": n, "epsilon": epsilon, "pairs": pairs}
            judged = share == 0.5
            quantity = LOSS if judged else WHOLE
            rows.append(at_most(quantity, settings, loss / epsilon, 1.0, rounding=ROUNDING, judged=judged))
        rows.append(at_most(LAW, where, different, 0.0))
    return rows


def prepare(public: NDArray[np.float64], mode: str) -> RegionCover:
    """Return G for public points with label 0."""
    return LearnHalf(1.0, mode=mode).prepare(public, Halfspaces(public.shape[1]), np.zeros(len(public), np.int64))


def same_law(
    table: Table, prepared: RegionCover, domain: NDArray[np.float64], labels: str, rng: np.random.Generator
) -> bool:
    """Return whether the learner's law and its histogram of mistakes agree with the table on a random data set."""
    n, epsilon = int(rng.choice(PRIVATE)), float(rng.choice(EPSILONS))
    chosen = rng.integers(0, len(table.private), n)
    points, own = domain[chosen % len(domain)], np.repeat(LABELS[labels], len(domain))[chosen]
    mistakes = table.public + table.private[chosen].sum(axis=0)
    law = LearnHalf(epsilon, privacy="any").law(prepared, points, own)
    values, counts = prepared.tally(points, own).histogram()
    listed = prepared.listed().parameters
    return (
        np.array_equal(law.parameters, listed)
        and np.allclose(law.log_probabilities, log_law(mistakes, epsilon / 2), rtol=0, atol=1e-12)
        and np.array_equal(np.repeat(values, counts), np.sort(mistakes))
    )
