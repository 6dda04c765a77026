"""Private multiplicative weights (Hardt and Rothblum 2010), by the sparse vector technique."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np

from semipriv.core.fields import between, one_of, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.rounding import Bracket
from semipriv.core.types import Floats, Integers
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.privacy.events import Composed, Event, Pure, SparseVectorEpoch, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Method, Workload

__all__ = ["PMW"]

SCALES = ("fitted", "book")


@dataclass(frozen=True)
class Plan:
    """What PMW does, worked out from public numbers; all in counts of records.

    updates: the most updates c.  margin, gain: for n records the threshold is margin + ceil(gain n).  lot: scale of the
    threshold's noise, drawn for each epoch; 2 lot is that of a comparison.  numeric: scale of the noise of an answer.
    rate: how far an update moves logarithms of weights.
    """

    updates: int
    margin: int
    gain: Fraction
    lot: Fraction
    numeric: Fraction
    rate: float

    def threshold(self, n: int) -> int:
        """Return T, for n records."""
        return self.margin + math.ceil(self.gain * n)

    @property
    def event(self) -> Event:
        """c epochs of comparisons, each ending with one noisy count."""
        return Composed([(SparseVectorEpoch(self.lot, 2 * self.lot), self.updates), (self.answered, self.updates)])

    @property
    def noises(self) -> tuple[DiscreteLaplace, DiscreteLaplace, DiscreteLaplace]:
        """The noise of a threshold, of a comparison, and of an answer."""
        return DiscreteLaplace(self.lot), DiscreteLaplace(2 * self.lot), DiscreteLaplace(self.numeric)

    @property
    def answered(self) -> Pure:
        """A noisy count, of sensitivity 1."""
        return Pure(1 / self.numeric)


@value
class PMW(Method):
    """PMW: answers come from weights of the cells; a query whose answer is far off is measured, and cells reweighed.

    p is uniform over K cells at first; M queries come in order.  A threshold T gets noise of scale b, new after each
    update; each of q(data) - p(q) and p(q) - q(data), in counts, gets noise of scale 2 b.  Where one reaches the
    threshold, the answer is q(data) with noise of scale 2 b, and p *= exp(-r eta), eta = 2 a, r = q if p(q) is above
    the answer, else 1 - q; where none does, it is p(q).  After c updates p answers alone.  With

        c = ceil(2 ln K / a^2),  b = sqrt(17 c / (8 rho)), or 5 c / (2 epsilon) for delta = 0,  q = exp(-1 / (2 b)),
        A the least integer >= 0 with 4 M c q^(A + 1) (1 + q) / (1 + q + q^2) <= beta,  T = ceil(a n / 2) + A + 1

    and n >= (4 A + 3) / a records (``records``) every recorded answer is within a of the share in the data, and
    updates are left, with probability 1 - beta, whatever the data.  Proof: docs/findings.md, BCM20, "PMW with
    constants".  M counts the queries of all passes.  What is drawn is on counts, hence integer: discrete Laplace noise,
    against p(q) n rounded, which is public.  With fewer records T is above what is aimed at, so that answers err more.

    ``scales='book'`` are the constants of Dwork and Roth 2014, section 4.2, with NumericSparse (BCM20 lemma 7): with
    L = ln(2 / delta), in shares,

        c = ceil(4 ln K / a^2),  eta = a / 2,  T = (2 + 32 sqrt 2) sqrt(c L) (ln M + ln(4 c / beta)) / (epsilon n),
        s(e) = sqrt(32 c L) / (e n),  e_1 = epsilon sqrt(512) / (sqrt(512) + 1),  e_2 = 2 epsilon / (sqrt(512) + 1),

    noise of scale s(e_1) for the threshold, twice that for a comparison, s(e_2) for an answer; for delta = 0, T =
    18 c (ln(2 M) + ln(4 c / beta)) / (epsilon n), s(e) = 2 c / (e n), e_1 = 8 epsilon / 9 and e_2 = 2 epsilon / 9.
    With these, answers are not within a: T does not grow with n, and steps of a / 2 can use up the updates
    (BCM20-L7-literal).

    ``Fitted.answers`` are the recorded answers, each as it was given last: these are what the accuracy is proven of.
    ``Fitted.weights`` are the last p, which forgets.

    Privacy: c epochs of 2 / b and c answers, both pure; all is paid for before anything is read.  For delta = 0 they
    add up to epsilon.  For delta > 0 zero-concentrated accounting adds up to all of rho; of the book's noise it finds
    less than half of epsilon <= 1, and refuses it where epsilon is so large that it does not fit.

    Args:
        accuracy: a in (0, 1), the error in shares that is aimed at, against the data.
        failure: beta, the chance with which it may be missed.
        passes: how often the queries are gone through, at most; it ends with a pass that changes nothing.
        scales: 'fitted' for the constants of the proof, with the least noise that is within the budget, 'book' for
            those of Dwork and Roth 2014.
    """

    accuracy: float = between(0, 1)
    failure: float = between(0, 1, default=0.05)
    passes: int = size(default=1)
    scales: str = one_of(SCALES, "PMW", default="fitted")

    releasable = True

    short_title = "PMW"

    def plan(self, cells: int, queries: int, budget: Guarantee) -> Plan:
        """Return noise and threshold for so many cells and queries."""
        return _plan(self, cells, queries, budget)

    def records(self, cells: int, queries: int, budget: Guarantee) -> int:
        """Return n = ceil((4 A + 3) / a): with so many records or more, errors against the data are within a.

        With probability 1 - beta every recorded answer is, whatever the data (docs/findings.md, BCM20, "PMW with
        constants").

        Raises:
            ValueError: for the constants of the book, of which this is not proven.
        """
        if self.scales == "book":
            raise ValueError("scales = 'book': no number of records is proven for it: take scales: fitted")
        reach = self.plan(cells, queries, budget).margin - 1
        return math.ceil((4 * reach + 3) / Fraction(self.accuracy))

    def step(self, share: float, answer: float, rate: float) -> float:
        """Return by how much the logarithms of a query's cells grow: -rate where p(q) is above the answer, else rate.

        exp(rate) on q and exp(-rate) on 1 - q are the same after p is normalised.
        """
        return -rate if share > answer else rate

    def event(self, workload: Workload, budget: Guarantee) -> Event:
        """Return c epochs and c answers; those that do not take place are not refunded."""
        return self.plan(workload.cells, workload.size, budget).event

    weighs = True

    def check_fit(self, workload: Workload, budget: Guarantee) -> None:
        """Raise ValueError if the noise is not within the budget, or too wide."""
        for noise in self.plan(workload.cells, workload.size, budget).noises:
            noise.check_width()
        try:
            super().check_fit(workload, budget)
        except ValueError as error:
            instead = " or scales: fitted" if self.scales == "book" else ""
            raise ValueError(f"the noise of PMW does not fit: {error}: take a smaller epsilon{instead}") from None

    def note(self, workload: Workload, budget: Guarantee, n: int) -> str | None:
        """Return that the threshold is above n, so that noise alone can reach it, whatever the data are."""
        plan = self.plan(workload.cells, workload.size, budget)
        if plan.threshold(n) <= n:
            return None
        enough = math.ceil((plan.margin + 1) / (1 - plan.gain))
        return (
            "too few rows for pmw: no answer can be so far off that it is measured, and the output is uniform over the "
            f"{workload.cells:,} cells, unless noise alone reaches the threshold (at least {enough:,} rows measure; "
            "mwem takes fewer)"
        )

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Go through the queries; raises ValueError if the noise is not within the budget.

        The noise of the comparisons of a pass is drawn at once: each is compared once in a pass, so the distribution is
        that of drawing them one after the other.
        """
        self.check_fit(workload, budget)
        plan = self.plan(workload.cells, workload.size, budget)
        lot, comparison, numeric = (noise.per(units) for noise in plan.noises)
        total, exact, size = int(counts.sum()), workload.sums(counts), workload.size
        logarithms, used, answers = np.zeros(workload.cells), 0, np.zeros(size)
        weights = _normalised(logarithms)
        shares = workload.sums_of(weights)  # after an update only those up to the next one matter
        level = plan.threshold(total // units) * units
        threshold = level + lot.sample(randomness)
        for _ in range(self.passes):
            before, start = used, 0
            noise = comparison.sample(randomness, 2 * size).reshape(2, size)
            while start < size:
                query = _first_above(exact, shares, noise, threshold, total, start, answers)
                if used == plan.updates or query == size:
                    answers[start:] = shares(start, size)
                    break
                share = float(answers[query])
                answer = int(numeric.add(exact[query : query + 1], randomness)[0]) / total
                answers[query] = answer
                np.add(logarithms, self.step(share, answer, plan.rate), out=logarithms, where=workload.row(query))
                weights = _normalised(logarithms)
                shares = workload.sums_of(weights)
                threshold = level + lot.sample(randomness)
                used, start = used + 1, query + 1
            if used == before:
                break
        cost = {"updates": used, "exhausted": float(used == plan.updates), "threshold": level / total}
        return Fitted(np.clip(answers, 0.0, 1.0), weights, cost)


def _first_above(
    exact: Integers,
    shares: Callable[[int, int], Floats],
    noise: Integers,
    threshold: int,
    total: int,
    start: int,
    answers: Floats,
) -> int:
    """Return the first query from ``start`` on where a noisy difference reaches the threshold; if none, their number.

    Differences are looked at in runs that double in length.  The shares up to that query are written to ``answers``,
    and perhaps others after it, which are overwritten later.
    """
    size, length = len(exact), 64
    while start < size:
        run = slice(start, stop := min(size, start + length))
        answers[run] = share = shares(start, stop)
        gap = exact[run] - np.rint(total * share).astype(np.int64)
        above = np.maximum(gap + noise[0, run], noise[1, run] - gap) >= threshold
        first = int(above.argmax())
        if above[first]:
            return start + first
        start, length = stop, 2 * length
    return size


def _normalised(logarithms: Floats) -> Floats:
    weights = np.subtract(logarithms, np.maximum.reduce(logarithms))
    np.exp(weights, out=weights)
    weights /= np.add.reduce(weights)
    return weights


@cache
def _plan(method: PMW, cells: int, queries: int, budget: Guarantee) -> Plan:
    compared = queries * method.passes
    return (_book if method.scales == "book" else _fitted)(method, cells, compared, budget)


def _fitted(method: PMW, cells: int, queries: int, budget: Guarantee) -> Plan:
    a, beta = Fraction(method.accuracy), method.failure
    updates = max(1, math.ceil((2 * Bracket.of(cells).ln() / (a * a)).up))
    unit = Plan(updates, 0, a / 2, Fraction(1), Fraction(2), 2 * method.accuracy)
    if budget.delta == 0:
        assert unit.event.pure is not None
        lot = unit.event.pure / Fraction(budget.epsilon)
    else:
        lot = Fraction((unit.event.rho / Bracket.of(whole(budget))).sqrt().up)
    ratio = math.exp(-float(1 / (2 * lot))) if 2 * lot > Fraction(1, 700) else 0.0
    logarithm = math.log(4 * queries * updates) - math.log(beta) + math.log1p(ratio) - math.log1p(ratio + ratio**2)
    reach = max(0, math.ceil(2 * lot * Fraction(logarithm * (1 + 1e-12))) - 1)
    return replace(unit, margin=reach + 1, lot=lot, numeric=2 * lot)


def _book(method: PMW, cells: int, queries: int, budget: Guarantee) -> Plan:
    epsilon, a, k = Fraction(budget.epsilon), Fraction(method.accuracy), Bracket.of(cells)
    updates = max(1, math.ceil((4 * k.ln() / (a * a)).up))
    union = math.log(queries) + math.log(4 * updates / method.failure)
    if budget.delta == 0:
        threshold = 18 * updates * (math.log(2) + union) / budget.epsilon
        lot, numeric = 2 * updates / (epsilon * 8 / 9), 2 * updates / (epsilon * 2 / 9)
    else:
        inverse = (2 / Bracket.of(budget.delta)).ln()
        threshold = (2 + 32 * math.sqrt(2)) * (updates * inverse).sqrt().up * union / budget.epsilon
        unit, root = (32 * updates * inverse).sqrt() / epsilon, Bracket.of(512).sqrt()
        lot, numeric = (Fraction((unit * (root + 1) / share).up) for share in (root, Bracket.of(2)))
    return Plan(updates, math.ceil(threshold), Fraction(0), lot, numeric, method.accuracy / 2)
