"""Multiplicative weights with the exponential mechanism, MWEM (Hardt, Ligett and McSherry 2012)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semipriv.core.fields import checked, size, value
from semipriv.core.kernels import njit
from semipriv.core.randomness import Randomness
from semipriv.core.registry import check_name
from semipriv.core.rounding import rounded_down
from semipriv.core.types import Bools, Floats, Indices, Integers
from semipriv.mechanisms.noise.base import DiscreteNoise
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.events import Account, BoundedRange, Composed, Event, selection_epsilon, whole
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.base import Fitted, Method, Workload
from semipriv.queries.noise import count_noise, use

__all__ = ["MWEM"]

ITERATES = ("average", "last")
_FEW = 10_000
"""Largest n for which the average is taken by default: the last iterate follows the noise of few records."""


def _iterate(name: str, given: Any) -> str | None:
    return None if given is None else check_name(f"{name} of MWEM", given, list(ITERATES))


@dataclass(frozen=True)
class Round:
    """The mechanisms of a round: the selection of a query, and the noise of its count."""

    selection: ExponentialMechanism
    noise: DiscreteNoise
    event: Event


@value
class MWEM(Method):
    """MWEM: each round selects the query whose estimate is worst, measures its count, and reweighs the cells.

    Round t, with estimates e_j = n p_t(query j) and counts c_j:

        select j with probability proportional to exp(epsilon_0 u_j / 2), u_j = floor |e_j - c_j|;
        measure v = (c_j + noise) / n, cut to [0, 1];
        for each measured (j, v): p *= exp(h_j (v - p(query j)) / 2), normalised.

    Privacy.  The estimates are a function of earlier outputs.  Replacing a record moves c_j by at most 1; so
    |e_j - c_j| moves by at most 1; and floors of two numbers that differ by at most 1 differ by at most 1, since
    floor(x + 1) = floor(x) + 1.  So the integer scores have sensitivity 1, as the count has, and W if a person has W
    units, by the same steps. They are worked in integers (``scores``), where no rounding breaks that. All else is
    post-processing. For delta = 0 selection and discrete Laplace noise get epsilon / (2 T) each; for delta > 0 rho / (2
    T) each, with rho of zero-concentrated privacy, by the bounded range of the exponential mechanism, and discrete
    Gaussian noise. A query may be selected again: drawing until it is new would be another distribution. What a round
    costs is paid before the round.

    The first weights, p_0, are uniform.  BCM20 uses multiplicative weights as a black box; this is its practical form.

    Args:
        rounds: their number T, fixed.
        sweeps: how often an update goes through all measurements so far, the newest first.
        iterate: 'average' of p_1, ..., p_T, 'last' for p_T, or None: the average for n <= 10^4, else the last; n is
            public.  p_0 has read nothing, and is left out: with one round it would be all that is released.
    """

    rounds: int = size(default=30)
    sweeps: int = size(default=10)
    iterate: str | None = checked(_iterate, default=None)

    releasable = True

    short_title = "MWEM"

    def round(self, budget: Guarantee) -> Round:
        """Return the mechanisms of each round: their cost is within 1/T of the budget."""
        part = whole(budget) / (2 * self.rounds)
        epsilon = rounded_down(part) if budget.delta == 0 else selection_epsilon(part)
        noise = count_noise(2 * self.rounds, budget)
        return Round(ExponentialMechanism(epsilon), noise, Composed([(BoundedRange(epsilon), 1), (use(noise), 1)]))

    def event(self, workload: Workload, budget: Guarantee) -> Event:
        """Return T rounds."""
        return Composed([(self.round(budget).event, self.rounds)])

    def averaged(self, n: int) -> bool:
        """Return whether the average of iterates is released, for n records."""
        return self.iterate == "average" or (self.iterate is None and n <= _FEW)

    weighs = True

    def check_fit(self, workload: Workload, budget: Guarantee) -> None:
        """Raise ValueError for noise that is too wide."""
        self.round(budget).noise.check_width()
        super().check_fit(workload, budget)

    def fit(
        self, workload: Workload, counts: Integers, budget: Guarantee, randomness: Randomness, units: int = 1
    ) -> Fitted:
        """Run T rounds; weights are those of the cells in the released iterate, answers their sums."""
        mechanisms, account = self.round(budget), Account(budget)
        selection, noise = mechanisms.selection.per(units), mechanisms.noise.per(units)
        total, exact = int(counts.sum()), workload.sums(counts)
        state = Iterate.start(workload)
        iterates = np.zeros(workload.cells)
        for _ in range(self.rounds):
            account.pay(mechanisms.event)
            query = int(selection.sample(scores(total * workload.sums(state.weights), exact), randomness))
            noisy = int(noise.add(exact[query : query + 1], randomness)[0])
            state.measure(workload.row(query), min(max(noisy / total, 0.0), 1.0), self.sweeps)
            iterates += state.weights
        weights = iterates / self.rounds if self.averaged(total // units) else state.weights
        return Fitted(np.clip(workload.sums(weights), 0.0, 1.0), weights, {"rounds": self.rounds})


def scores(estimates: Floats, exact: Integers) -> Integers:
    """Return floor |estimate - count| of each query, (M,): integers of sensitivity 1, see ``MWEM``.

    It is floor(estimate) - count, or count - ceil(estimate), whichever is larger.  Differences of floats would not do:
    for an estimate of 2^-53 and counts of 1 and 2 they are rounded to 1 - 2^-53 and 2, whose floors are 0 and 2.
    """
    return _scores(estimates, exact)


@njit(cache=True)
def _scores(estimates: Floats, exact: Integers) -> Integers:
    return np.maximum(np.floor(estimates).astype(np.int64) - exact, exact - np.ceil(estimates).astype(np.int64))


@dataclass
class Iterate:
    """Weights of the cells, and the measurements so far.

    Cells that no measured query tells apart have one atom: their weights keep their ratios, so that updates are made
    on the mass of each atom.  T measurements make at most 2 T + 1 atoms of runs, 2^T of any queries, and never more
    than cells.  Logarithms are kept; the largest is subtracted before exponentials are taken.

    Arrays are replaced, never changed.  logarithms: (K,).  weights: (K,), they sum to 1.  atom: (K,).  member: (t,
    atoms), whether a query holds an atom.  values: (t,), measured shares.
    """

    logarithms: Floats
    weights: Floats
    atom: Indices
    member: Bools
    values: Floats

    @classmethod
    def start(cls, workload: Workload) -> "Iterate":
        """Return uniform weights, nothing measured."""
        k = workload.cells
        return cls(np.zeros(k), np.full(k, 1 / k), np.zeros(k, np.intp), np.zeros((0, 1), np.bool_), np.zeros(0))

    def measure(self, row: Bools, value: float, sweeps: int) -> None:
        """Add the measured share of a query, (K,) bool, and update the weights by so many sweeps."""
        values = np.empty(self.values.size + 1)
        values[:-1], values[-1] = self.values, value
        self.values = values
        row = np.ascontiguousarray(row)  # one layout for all, or the kernel is compiled twice
        self.atom, self.member, moved = _measured(self.atom, self.member, row, self.weights, self.values, sweeps)
        self.logarithms = _raised(self.logarithms, moved @ self.member, self.atom)
        weights = np.exp(self.logarithms)
        weights /= np.add.reduce(weights)
        self.weights = weights


@njit(cache=True)
def _measured(
    atom: Indices, member: Bools, row: Bools, weights: Floats, values: Floats, sweeps: int
) -> tuple[Indices, Bools, Floats]:
    """Return the atoms that a further query tells apart: of each cell, which queries hold them; and what ``_moved``.

    Loops compile in a third of the time of array expressions.
    """
    queries, atoms = member.shape
    place = np.zeros(2 * atoms, np.int64)
    for cell in range(atom.size):
        place[2 * atom[cell] + row[cell]] = 1
    kept = 0
    for part in range(2 * atoms):
        kept, place[part] = kept + place[part], kept
    finer, masses = np.empty(atom.size, np.int64), np.zeros(kept)
    holds = np.empty((queries + 1, kept), np.bool_)
    for cell in range(atom.size):
        finer[cell] = place[2 * atom[cell] + row[cell]]
        masses[finer[cell]] += weights[cell]
    for part in range(2 * atoms):
        i = place[part]
        if i < (place[part + 1] if part + 1 < 2 * atoms else kept):
            for query in range(queries):
                holds[query, i] = member[query, part // 2]
            holds[queries, i] = part % 2 == 1
    return finer, holds, _moved(masses, holds, values, sweeps)


@njit(cache=True)
def _raised(logarithms: Floats, growth: Floats, atom: Indices) -> Floats:
    """Return the logarithms (K,) after each grew by that of its atom, less the largest."""
    raised = logarithms + growth[atom]
    return raised - raised.max()


@njit(cache=True)
def _moved(masses: Floats, member: Bools, values: Floats, sweeps: int) -> Floats:
    """Return, for each query, how much the logarithms of its cells grow in all sweeps; masses are changed."""
    moved = np.zeros(values.size)
    for _ in range(sweeps):
        for query in range(values.size - 1, -1, -1):
            inside = 0.0
            for i in range(masses.size):
                if member[query, i]:
                    inside += masses[i]
            step = (values[query] - inside) / 2
            moved[query] += step
            growth = np.expm1(step)
            total = 1 + inside * growth
            for i in range(masses.size):
                masses[i] *= (1 + growth if member[query, i] else 1.0) / total
    return moved
