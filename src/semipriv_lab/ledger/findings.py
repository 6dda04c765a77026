"""What a study hands over: its measurements, each with its verdict, and one finding for each claim.

Measurements are made by ``at_most``, ``within``, ``equals``, ``exceeding``, ``refutable`` and ``recorded``; a study
makes them in the table of a claim (``semipriv_lab.ledger.claim``).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from semipriv.core.statistics import (
    Interval,
    Verdict,
    equality_verdict,
    joint_verdict,
    upper_bound_verdict,
    within_verdict,
)

Settings = dict[str, str | int | float]
"""Named sizes and parameters."""
Given = Mapping[str, str | int | float]
"""The same, as functions take it."""
_ROUNDING = 1e-9
"""Share of a bound by which a control must at least exceed it."""


@dataclass(frozen=True)
class Measurement:
    """One measured cell of a claim.

    quantity: what was measured.  settings: the sizes and parameters.  bound: what the claim allows.  trials:
    independent repetitions, 0 if the value is exact.  verdict: None for a measurement that is not judged.  control: it
    must miss the bound, so that its settings may lie outside of the claim's domain.
    """

    quantity: str
    settings: Settings
    measured: Interval
    bound: float | None = None
    trials: int = 0
    verdict: Verdict | None = None
    control: bool = False


@dataclass(frozen=True)
class Finding:
    """What was found about a claim: its verdict and the measurement that decided it, beside all the others.

    domain: for which parameters it was judged, in words.
    """

    experiment: str
    verdict: Verdict
    deciding: Measurement
    measurements: tuple[Measurement, ...] = field(default=())
    constants: str = "the paper's"
    reason: str = ""
    domain: str = ""


# ---------------------------------------------------------------------------------------------------- measurements
def recorded(
    quantity: str, settings: Given, measured: float | Interval, bound: float | None = None, trials: int = 0
) -> Measurement:
    """Return a measurement for the record, which has no verdict; a number is exact."""
    return Measurement(quantity, dict(settings), _interval(measured), bound, trials)


def at_most(
    quantity: str,
    settings: Given,
    measured: float | Interval,
    bound: float,
    trials: int = 0,
    *,
    rounding: float = 0.0,
    fewest: int = 0,
    judged: bool = True,
) -> Measurement:
    """Return a measurement of a value that must not exceed a bound; a number is exact.

    rounding: excess over the bound that rounding explains.  fewest: with fewer trials the claim cannot hold, because
    their limits are not to be relied on.  judged: False leaves out the verdict.
    """
    value = _interval(measured)
    verdict = _careful(upper_bound_verdict(value, bound + rounding), trials, fewest) if judged else None
    return Measurement(quantity, dict(settings), value, bound, trials, verdict)


def within(
    quantity: str,
    settings: Given,
    measured: float | Interval,
    low: float,
    high: float,
    bound: float | None = None,
    trials: int = 0,
    *,
    fewest: int = 0,
    judged: bool = True,
) -> Measurement:
    """Return a measurement of a value that must lie in [low, high]; bound: what is shown beside it.

    fewest and judged are those of ``at_most``.
    """
    value = _interval(measured)
    verdict = _careful(within_verdict(value, low, high), trials, fewest) if judged else None
    return Measurement(quantity, dict(settings), value, bound, trials, verdict)


def exceeding(
    quantity: str,
    settings: Given,
    measured: float | Interval,
    bound: float,
    trials: int = 0,
    *,
    rounding: float = _ROUNDING,
) -> Measurement:
    """Return the gate of a control, which must be above a bound: what is broken on purpose, or too small, must miss it.

    Else it has no power, and nothing is concluded.  rounding: share of the bound that rounding explains, 0 if the value
    is exact.
    """
    value = _interval(measured)
    verdict = Verdict.HOLDS if value.low > bound + rounding * abs(bound) else Verdict.INCONCLUSIVE
    return Measurement(quantity, dict(settings), value, bound, trials, verdict, control=True)


def refutable(quantity: str, settings: Given, measured: float, bound: float) -> Measurement:
    """Return a measurement of an exact value that refutes the claim if it is above the bound."""
    verdict = Verdict.HOLDS if measured <= bound else Verdict.REFUTED
    return Measurement(quantity, dict(settings), Interval.exact(measured), bound, 0, verdict)


def equals(
    quantity: str, settings: Given, measured: Interval, exact: float, trials: int, width: float = 0.5
) -> Measurement:
    """Return a simulated measurement that must agree with an exact value, by ``equality_verdict`` of that width."""
    return Measurement(quantity, dict(settings), measured, exact, trials, equality_verdict(measured, exact, width))


def _interval(measured: float | Interval) -> Interval:
    return measured if isinstance(measured, Interval) else Interval.exact(measured)


def _careful(verdict: Verdict, trials: int, fewest: int) -> Verdict:
    """Return the verdict; inconclusive instead of holds if there are too few trials."""
    return Verdict.INCONCLUSIVE if verdict is Verdict.HOLDS and trials < fewest else verdict


# ---------------------------------------------------------------------------------------------------- conclusion
def gates(rows: Iterable[Measurement]) -> list[Measurement]:
    """Return the measurements that have a verdict."""
    return [row for row in rows if row.verdict is not None]


def verdict_on(rows: Iterable[Measurement]) -> Verdict:
    """Return the verdict on all gates together: violated or else refuted if one of them is, holds if all do."""
    verdicts = [row.verdict for row in rows if row.verdict is not None]
    joint = joint_verdict(verdicts)
    return Verdict.REFUTED if Verdict.REFUTED in verdicts and joint is not Verdict.VIOLATED else joint


Rule = Callable[[Sequence[Measurement]], Measurement]
"""Choice of the deciding measurement among the gates; the first one if several are equal."""


def comparable(value: float) -> float:
    """Return a value to 12 digits, so that values which differ by rounding alone are equal on every machine.

    >>> comparable(0.1 + 0.2) == comparable(0.3)
    True
    """
    return float(f"{value:.12g}")


def largest(rows: Sequence[Measurement]) -> Measurement:
    """Return the gate of the largest value."""
    return max(rows, key=lambda row: comparable(row.measured.value))


def largest_limit(rows: Sequence[Measurement]) -> Measurement:
    """Return the gate of the largest upper confidence limit."""
    return max(rows, key=lambda row: comparable(row.measured.high))


def nearest_to_bound(rows: Sequence[Measurement]) -> Measurement:
    """Return the gate of the largest upper confidence limit over its bound; 1 stands for no bound and for 0."""
    return max(rows, key=lambda row: comparable(row.measured.high / (row.bound or 1.0)))


def nearest_of_worst(rows: Sequence[Measurement]) -> Measurement:
    """Return the nearest to its bound of the gates that have the joint verdict; the first gate if none has a bound."""
    worst = verdict_on(rows)
    shown = [row for row in rows if row.verdict is worst and row.bound is not None]
    return nearest_to_bound(shown) if shown else rows[0]


def highest_over_bound(rows: Sequence[Measurement]) -> Measurement:
    """Return the gate of the largest lower confidence limit over its bound; of equal ones that of the upper limit."""

    def over_bound(row: Measurement) -> tuple[float, float]:
        low, high = (comparable(end / (row.bound or 1)) for end in (row.measured.low, row.measured.high))
        return low, high

    return max(rows, key=over_bound)


def farthest_from_bound(rows: Sequence[Measurement]) -> Measurement:
    """Return the gate whose value differs most from the bound, in absolute terms."""
    return max(rows, key=lambda row: comparable(abs(row.measured.value - (row.bound or 0.0))))


def conclude(
    experiment: str,
    rows: Iterable[Measurement],
    *,
    deciding: Rule | Measurement,
    constants: str = "the paper's",
    reason: str | Callable[[Verdict], str] = "",
    verdict: Verdict | None = None,
) -> Finding:
    """Return the finding on a claim, which ends its study.

    experiment: how it was measured.  deciding: the measurement that the ledger shows, or the rule that chooses it among
    the gates.  reason: text, or a function of the verdict.  verdict: ``verdict_on(rows)`` by default.
    """
    measurements = tuple(rows)
    outcome = verdict_on(measurements) if verdict is None else verdict
    shown = deciding if isinstance(deciding, Measurement) else deciding(gates(measurements))
    text = reason if isinstance(reason, str) else reason(outcome)
    return Finding(experiment, outcome, shown, measurements, constants, text)
