"""Claim ABM19-L3.2, the privacy of A_SSPP, by exact enumeration on tiny domains."""

import numpy as np

from semipriv.audit.exact import learner_privacy_loss
from semipriv.classes.base import HypothesisClass
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.thresholds import ORIENTATIONS, Thresholds
from semipriv.core.progress import track
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv_lab.ledger.claim import Table, claim
from semipriv_lab.ledger.findings import Settings, largest

ROUNDING = 1e-9
"""Bound on the rounding error of a difference of log-probabilities over epsilon (logsumexp of at most 30 terms)."""


@claim(
    "ABM19-L3.2",
    "exact audit: all data sets of size n_private and all neighbours over a tiny domain",
    shown=largest,
)
def privacy_of_sspp(table: Table) -> str:
    """Compare the largest privacy loss of A_SSPP, over all data sets and neighbours on tiny domains, with epsilon.

    Public samples: all points of the domain, repeated ones, some of them, points outside it, none.  Data sets are
    multisets: A_SSPP reads numbers of mistakes, sums over the examples, whose order does not matter.
    """
    audits = [
        (hypothesis_class, domain, public, epsilon, n)
        for hypothesis_class, domain, publics, sizes in _cases()
        for public in publics
        for epsilon in (0.1, 1.0)
        for n in sizes
    ]
    for hypothesis_class, domain, public, epsilon, n in track(audits, "audits"):
        loss = learner_privacy_loss(SSPP(epsilon), hypothesis_class, public, domain, n, exchangeable=True).loss
        settings: Settings = {
            "class": repr(hypothesis_class),
            "domain": str(domain.tolist()),
            "public": str(public.tolist()),
            "epsilon": epsilon,
            "n_private": n,
        }
        table.at_most("largest privacy loss / epsilon", settings, loss / epsilon, 1.0, rounding=ROUNDING)
    return "exact for the domains listed; the proof covers the rest"


def _cases() -> list[tuple[HypothesisClass, np.ndarray, list[np.ndarray], list[int]]]:
    """Return classes with a domain, public samples, and numbers of private examples."""
    line = np.arange(1.0, 4.0)[:, None]
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    publics = [line, line[[0, 0, 1]], line[:1], line + 0.5, line[:0]]
    dichotomies = FiniteClass([[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
    return [
        *((Thresholds(o), line, publics, [1, 2, 3, 4, 5, 6] if o == "ge" else [1, 3]) for o in ORIENTATIONS),
        (Thresholds(), line[:1], [line[:1]], [1, 2, 3, 4, 5, 6]),
        (DecisionStumps(2), square, [square], [1, 2, 3]),
        (Halfspaces(1), line, [line], [1, 2, 3, 4]),
        (Halfspaces(2), square, [square], [1, 2, 3]),
        (dichotomies, np.arange(3.0)[:, None], [np.arange(3.0)[:, None]], [1, 2, 3, 4]),
    ]
