"""A claim of a study as one function, which fills a table of measurements and returns the reason of the verdict.

>>> from semipriv.core.randomness import Simulation
>>> @claim("ABM19-L3.2", "a sum, exactly", shown="sum")
... def total(table):
...     table.at_most("sum", {"n": 2}, 1.0 + 1.0, 2.0)
...     return "the bound is met with equality"
>>> found = total(Run(Simulation(0), 1.0))
>>> str(found.verdict), found.deciding.measured.value, found.reason
('holds', 2.0, 'the bound is met with equality')
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import wraps
from types import ModuleType
from typing import Any, Concatenate, ParamSpec, TypeVar

from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv_lab.ledger import findings as ledger
from semipriv_lab.ledger.checked import contradictions, objections, place, refuse
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.domains import NOWHERE, Domain, parse
from semipriv_lab.ledger.findings import Finding, Measurement, Rule, conclude, nearest_to_bound, verdict_on

T = TypeVar("T")
P = ParamSpec("P")
Reason = str | Callable[[Verdict], str]


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a study.  randomness: the study's.  effort: factor of the number of trials."""

    randomness: Simulation
    effort: float
    _known: dict[Callable[..., Any], Any] = field(default_factory=dict)

    def once(self, function: Callable[[Simulation, float], T]) -> T:
        """Return ``function(randomness, effort)`` of the whole run; it is called once for all claims that ask."""
        if function not in self._known:
            self._known[function] = function(self.randomness, self.effort)
        result: T = self._known[function]
        return result


def _adding(rule: Callable[P, Measurement]) -> Callable[Concatenate["Table", P], Measurement]:
    """Return a method of tables that adds what a rule returns."""

    @wraps(rule)
    def add(table: "Table", /, *arguments: P.args, **named: P.kwargs) -> Measurement:
        row = rule(*arguments, **named)
        table.rows.append(row)
        return row

    return add


@dataclass(eq=False)
class Table:
    """The measurements of a claim, in their order.  The methods named like rules add a row each, and return it.

    run: the run of the study.  randomness: the claim's own stream, or that of the study.  domain: the claim's.
    """

    run: Run
    randomness: Simulation
    rows: list[Measurement] = field(default_factory=list)
    deciding: Measurement | None = None
    domain: Domain = NOWHERE

    at_most = _adding(ledger.at_most)
    within = _adding(ledger.within)
    exceeding = _adding(ledger.exceeding)
    equals = _adding(ledger.equals)
    refutable = _adding(ledger.refutable)
    recorded = _adding(ledger.recorded)

    @property
    def effort(self) -> float:
        """Factor of the number of trials."""
        return self.run.effort

    def once(self, function: Callable[[Simulation, float], T]) -> T:
        """Return what a function measures for all claims of the study: ``Run.once``."""
        return self.run.once(function)

    def trials(self, number: int, fewest: int = 2) -> int:
        """Return how many trials stand for ``number`` at this effort."""
        return max(fewest, round(number * self.effort))

    def corners(self, *names: str) -> list[dict[str, Any]]:
        """Return settings at the corners of the claim's domain, to sweep a formula: ``Domain.corners``."""
        return self.domain.corners(*names)

    def add(self, rows: Iterable[Measurement]) -> list[Measurement]:
        """Add measurements that are made elsewhere, and return them."""
        added = list(rows)
        self.rows.extend(added)
        return added

    def show(self, row: Measurement) -> Measurement:
        """Let the ledger show this measurement, and return it."""
        self.deciding = row
        return row

    def __call__(self, quantity: str, **settings: Any) -> list[Measurement]:
        """Return the rows of a quantity that have these settings."""
        return [row for row in self.rows if row.quantity == quantity and settings.items() <= row.settings.items()]

    def values(self, quantity: str, **settings: Any) -> list[float]:
        """Return the values of these rows."""
        return [row.measured.value for row in self(quantity, **settings)]


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim that a study measures, as ``claim`` declares it; called with a run, it returns the finding."""

    id: str
    measure: Callable[[Table], Reason]
    experiment: str
    shown: str | Rule | None
    constants: str
    stream: str
    verdict: Verdict | Callable[[Verdict], Verdict] | None

    def __call__(self, run: Run) -> Finding:
        """Measure the claim in a run of its study."""
        domain = self.domain
        table = Table(run, run.randomness.spawn(self.stream) if self.stream else run.randomness, domain=domain)
        reason = self.measure(table)
        deciding: Rule | Measurement | None = self.shown if callable(self.shown) else table.deciding
        if isinstance(self.shown, str):
            named = table(self.shown)
            deciding = nearest_to_bound([row for row in named if row.verdict is not None] or named)
        if deciding is None:
            raise ValueError(f"claim {self.id}: names no measurement to show: pass `shown`, or call `table.show`")
        verdict = self.verdict(verdict_on(table.rows)) if callable(self.verdict) else self.verdict
        finding = conclude(
            self.experiment, table.rows, deciding=deciding, constants=self.constants, reason=reason, verdict=verdict
        )
        return replace(finding, domain=domain.text)

    @property
    def domain(self) -> Domain:
        """The domain that the list of claims has for it, filled with the constants of its module."""
        known = claims().get(self.id)
        if known is None:
            return NOWHERE
        try:
            return parse(known.domain, self.measure.__globals__)
        except ValueError as error:
            raise ValueError(f"{place(known)}: domain: {error}") from None


def claim(
    id: str,
    experiment: str,
    *,
    shown: str | Rule | None = None,
    constants: str = "the paper's",
    stream: str = "",
    verdict: Verdict | Callable[[Verdict], Verdict] | None = None,
) -> Callable[[Callable[[Table], Reason]], Claim]:
    """Declare that a function, which fills a table and returns the reason, measures a claim.

    The paper lists the id beside the name of the study, in ``studies.csv``.

    Args:
        id: id of the claim in ``claims.csv``.
        experiment: how it is measured.
        shown: the measurement that the ledger shows.  A quantity: that of its rows which is nearest to its bound.  A
            rule: its choice among the gates.  None: the row that the function passes to ``table.show``.
        constants: whose constants are used.
        stream: name of the claim's own random stream; empty for that of the study.
        verdict: the verdict, or a function of the joint verdict of all gates; by default the joint verdict.

    Returns:
        A decorator for (table) -> reason; the reason is a text, or a function of the verdict.  Readers meet its first
        sentences, three at most, and the others as a note.
    """
    return lambda measure: Claim(id, measure, experiment, shown, constants, stream, verdict)


def brief(value: float) -> str:
    """Return a number as sentences have it.

    >>> brief(1e-06), brief(0.0001), brief(0.95), brief(2.0)
    ('1e-6', '1e-4', '.95', '2')
    """
    text = f"{value:g}"
    return min(text.removeprefix("0") or text, f"{Decimal(text):e}", key=len)


def findings(study: ModuleType, randomness: Simulation, effort: float) -> dict[str, Finding]:
    """Measure all claims of the module of a study, in the order of the file.

    Raise ValueError before, if a claim leaves something open, and after, if what was judged contradicts its domain.
    """
    declared = [measuring for measuring in vars(study).values() if isinstance(measuring, Claim)]
    run = Run(randomness, effort)
    stated = {measuring.id: known for measuring in declared if (known := claims().get(measuring.id)) is not None}
    domains = {measuring.id: measuring.domain for measuring in declared}
    for id, claim in stated.items():
        refuse(claim, objections(claim, domains[id]))
    findings_of = {measuring.id: measuring(run) for measuring in declared}
    for id, claim in stated.items():
        refuse(claim, contradictions(claim, domains[id], findings_of[id].measurements))
    return findings_of
