"""Budgets of periods: an account for each day, week, month, quarter or year of which data are released.

Notation: the data of a data set fall into periods.  Each release names the periods of its rows, and reads no others.
Two data sets are neighbours in period p if the rows of p differ as the relation of the budget says, and all else is
equal.  P and Q are the distributions of all that is ever published on two data sets, and excess(P, Q, epsilon) is the
sum over all y of max(0, P(y) - e^epsilon Q(y)).

**Account.** A release is charged in full to the account of each of its periods.  For neighbours in p, the distribution
of every other release is the same, given what was published before.  So the theorem of the rule holds for the account
of p alone, with the releases of other periods as part of what the adversary does: each period has the rule's guarantee.
The names of periods decide, and no clock: late data are charged to the period that they are of.

**Sum.** Let each of k periods have the guarantee (epsilon, delta), and let all k change at once, as for a person with
rows in all of them.  If every release is of one period, P(y) is a product of P_j(y), one factor for each period j, and
so is Q(y).  Let m_j = min(P_j, e^epsilon Q_j) and x_j = P_j - m_j.  The product of all m_j is at most
e^(k epsilon) Q(y).  Replacing P_j by m_j, one factor after the other, takes off x_j times factors m_i or P_i, so

    P(y) <= e^(k epsilon) Q(y) + sum over j of x_j(y) times the product of P_i(y) over all i other than j.

Summed over y, the term of j is excess(P, P', epsilon), where P' is the distribution if j alone changes: at most delta.
So the k periods together have (k epsilon, k delta).  If some releases are of several periods there are no such factors.
Then the periods change one after the other, and the excesses add up to delta (1 + e^epsilon + ... + e^((k-1) epsilon)):
the same for delta = 0.

**Carry over.** Nothing carries over unless ``carry`` = c > 0 is declared, for a rule whose epsilons add up.  Then the
epsilon of a period pays for releases of that period and of the c after it.  Let s_p be the sum of epsilons of p, and E
the total of a period.  By Hall's theorem for intervals, each charge can be split among the periods that may pay for
it, none of which pays more than E, if and only if

    for all a <= b:  s_a + ... + s_b <= (b - a + 1 + c) E.

So period p has used max over a <= p <= b of s_a + ... + s_b - (b - a) E, out of (1 + c) E, which is the guarantee of
one period.  The order of charges does not matter, and so neither does late data.
"""

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from semipriv.core.fields import one_of, size, value
from semipriv.core.rounding import Bracket
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.lines import LedgerError
from semipriv.privacy.budget.rule import Account, Rule
from semipriv.privacy.events import Event, Pure
from semipriv.privacy.guarantee import Guarantee

_FORMS = {
    "day": ("2026-11-30", r"([0-9]{4})-([0-9]{2})-([0-9]{2})"),
    "week": ("2026-W48", r"([0-9]{4})-W([0-9]{2})"),
    "month": ("2026-11", r"([0-9]{4})-([0-9]{2})"),
    "quarter": ("2026-Q4", r"([0-9]{4})-Q([1-4])"),
    "year": ("2026", r"([0-9]{4})"),
}
"""How periods of a kind are named: an example, and a pattern of their numbers."""
KINDS = tuple(_FORMS)
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
MOST_CARRIED = 1000
"""Periods whose rest may be carried over."""
Charged = tuple[tuple[str, ...], Event]
"""The periods of a charge, and its event."""


@dataclass(frozen=True)
class Standing:
    """Where one account of a ledger stands.

    period: its name; '' for a ledger without periods.  rule: decides what fits.  granted: what counts against it.  own:
    events of releases of the period; more than these counts where other periods borrowed.
    """

    period: str
    rule: Rule
    granted: tuple[Event, ...]
    own: tuple[Event, ...]

    @property
    def accounts(self) -> tuple[Account, ...]:
        """Total, spent and left."""
        return self.rule.accounts(self.granted)

    @property
    def so_far(self) -> Guarantee:
        """The guarantee of what was granted, if all of it had been chosen in advance."""
        return self.rule.so_far(self.own)

    def pays(self, event: Event) -> bool:
        """Return whether a request with this event fits."""
        return self.rule.fits(self.granted, event)


@value
class Periods:
    """The periods of a ledger.

    kind: one of KINDS; weeks are those of ISO 8601.  carry: for how many later periods the rest of a period pays.

    >>> Periods("month").of({"period": ["2026-12", "2026-11"]})
    ('2026-11', '2026-12')
    """

    kind: str = one_of(KINDS, "period")
    carry: int = size(0, most=MOST_CARRIED, default=0)

    # ------------------------------------------------------------------ names
    @classmethod
    def named(cls, name: str) -> "Periods":
        """Return periods of the kind that a name tells; raise ValueError for no name of a period.

        >>> Periods.named("2026-W48").kind
        'week'
        """
        for kind, (_, pattern) in _FORMS.items():
            if re.fullmatch(pattern, name, re.ASCII):
                return cls(kind)
        raise ValueError(f"period = {name!r}: must be as {', '.join(example for example, _ in _FORMS.values())}")

    def days(self, name: str) -> range:
        """Return the days of a period, as numbers of ``date.toordinal``; raise ValueError as ``place`` does.

        >>> days = Periods("quarter").days("2026-Q4")
        >>> [str(date.fromordinal(day)) for day in (days[0], days[-1])]
        ['2026-10-01', '2026-12-31']
        """
        place = self.place(name)
        if self.kind == "day":
            return range(place, place + 1)
        if self.kind == "week":
            return range(7 * place + 1, 7 * place + 8)
        number = _MONTHS[self.kind]
        months = range(number * place, number * (place + 1))
        sizes = [monthrange(month // 12, month % 12 + 1)[1] for month in months]
        first = date(months[0] // 12, months[0] % 12 + 1, 1).toordinal()
        return range(first, first + sum(sizes))

    def place(self, name: Any) -> int:
        """Return the number of a period, one more than that of the period before; raise ValueError for no name of one.

        >>> Periods("month").place("2027-01") - Periods("month").place("2026-12")
        1
        """
        example, pattern = _FORMS[self.kind]
        match = re.fullmatch(pattern, name, re.ASCII) if isinstance(name, str) else None
        try:
            if match is not None:
                return self._place(*map(int, match.groups()))
        except ValueError:
            pass
        raise ValueError(f"period = {name!r}: must be a {self.kind}, as {example}")

    def _place(self, year: int, part: int = 1, day: int = 1) -> int:
        if self.kind == "week":
            return (date.fromisocalendar(year, part, 1).toordinal() - 1) // 7
        if self.kind == "quarter":
            return 4 * date(year, 1, 1).year + part - 1
        first = date(year, part, day)
        return {"day": first.toordinal(), "month": 12 * year + part - 1, "year": year}[self.kind]

    def of(self, request: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the periods of a request, in their order, from its key ``period``: a name, or a list of names.

        Raise ValueError for a request without, with one twice, and for names of another kind.
        """
        given = request.get("period")
        if given is None or given == []:
            raise ValueError(f"period: must be said, a {self.kind}, as {_FORMS[self.kind][0]}, or a list of them")
        names = sorted(given if isinstance(given, list | tuple) else [given], key=self.place)
        if len(set(names)) < len(names):
            raise ValueError(f"period = {given!r}: has one twice")
        return tuple(names)

    # ------------------------------------------------------------------ accounts
    def check(self, rule: Rule) -> None:
        """Raise ValueError for a rule of which nothing can be carried over, if that is declared."""
        if self.carry and not (isinstance(rule, Budget) and not rule.delta):
            raise ValueError(f"carry = {self.carry}: needs a budget of an epsilon without a delta, which adds up")
        self.total(rule)

    def total(self, rule: Rule) -> Rule:
        """Return the rule of one period, with all that may be carried over to it."""
        if not self.carry:
            return rule
        assert isinstance(rule, Budget)
        return Budget((1 + self.carry) * rule.epsilon, neighbours=rule.neighbours)

    def standing(self, rule: Rule, charged: Sequence[Charged], name: str) -> Standing:
        """Return where the account of a period stands."""
        own = tuple(event for names, event in charged if name in names)
        if not self.carry:
            return Standing(name, rule, own, own)
        assert isinstance(rule, Budget)
        used = _used(self._sums(charged), self.place(name), rule.epsilon)
        return Standing(name, self.total(rule), (Pure(used),) if used else (), own)

    def _sums(self, charged: Sequence[Charged]) -> dict[int, Fraction]:
        """Return the sum of epsilons of each period."""
        sums: dict[int, Fraction] = {}
        for names, event in charged:
            if event.pure is None:
                raise LedgerError(f"{', '.join(names)}: a charge has no epsilon, which the budget cannot have granted")
            for place in map(self.place, names):
                sums[place] = sums.get(place, Fraction(0)) + event.pure
        return sums

    def together(self, rule: Rule, charged: Sequence[Charged]) -> tuple[Fraction, Fraction] | None:
        """Return the sum: epsilon and delta at most, for somebody with data in all periods that were charged.

        None if their deltas add up to 1 or more, which promises nothing.
        """
        places = {self.place(name) for names, _ in charged for name in names}
        paying = len({place - back for place in places for back in range(self.carry + 1)})
        epsilon, delta = rule.most
        several = any(len(names) > 1 for names, _ in charged)
        deltas = (_excesses(epsilon, paying) if several and delta else paying) * delta
        return (paying * epsilon, deltas) if deltas < 1 else None

    def described(self) -> dict[str, Any]:
        """Return both as values of JSON."""
        return {"kind": self.kind, "carry": self.carry}

    @property
    def words(self) -> str:
        """What carries over, in words."""
        if not self.carry:
            return "nothing carries over"
        after = f"the {self.kind} after it" if self.carry == 1 else f"the {self.carry} {self.kind}s after it"
        return f"what is left of a {self.kind} pays for {after}, too"


WHOLE = ("",)
"""The one account of a ledger without periods."""


def whole(rule: Rule, charged: Sequence[Charged]) -> Standing:
    """Return where the one account of a ledger without periods stands."""
    events = tuple(event for _, event in charged)
    return Standing("", rule, events, events)


def names_of(periods: Periods | None, request: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the accounts that a request is charged to; raise LedgerError for one that names its period wrongly."""
    if periods is None:
        if request.get("period") is not None:
            raise LedgerError("period: the ledger has one account for all time (semipriv budget open --period)")
        return WHOLE
    try:
        return periods.of(request)
    except ValueError as error:
        raise LedgerError(str(error)) from None


def _used(sums: Mapping[int, Fraction], place: int, total: Fraction) -> Fraction:
    """Return the largest of s_a + ... + s_b - (b - a) total over a <= place <= b."""
    after = _borrowed([(there - place, sums[there]) for there in sorted(sums) if there > place], total)
    before = _borrowed([(place - there, sums[there]) for there in sorted(sums, reverse=True) if there < place], total)
    return before + sums.get(place, Fraction(0)) + after


def _borrowed(sums: Sequence[tuple[int, Fraction]], total: Fraction) -> Fraction:
    """Return by how much the periods of a side, the nearest first, need more than their own totals."""
    most = spent = Fraction(0)
    for distance, spent_there in sums:
        spent += spent_there
        most = max(most, spent - distance * total)
    return most


def _excesses(epsilon: Fraction, periods: int) -> Fraction:
    """Return 1 + e^epsilon + ... + e^((periods - 1) epsilon) or more."""
    exponent = Bracket.of(epsilon)
    return sum((Fraction((exponent * j).exp().high) for j in range(periods)), Fraction(0))
