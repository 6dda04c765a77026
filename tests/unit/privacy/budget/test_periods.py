"""Periods: an account each, nothing carried over unless declared, and what all of them reveal together."""

import json
import random
import re
from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import permutations, product
from math import exp
from pathlib import Path

import pytest

from semipriv.cli import main
from semipriv.privacy.budget import chain
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import BudgetError, Ledger, LedgerError
from semipriv.privacy.budget.periods import KINDS, Charged, Periods
from semipriv.privacy.budget.rule import Rule
from semipriv.privacy.events import Approximate, BoundedRange, Concentrated, Event, Pure
from semipriv.privacy.guarantee import Guarantee, Neighbours

PERSON, EXAMPLE = Neighbours.REPLACE_PERSON, Neighbours.REPLACE_PRIVATE_EXAMPLE
MONTHS = [f"2026-{month:02}" for month in range(1, 13)]
RULES: list[Rule] = [
    Budget(1),
    Budget(2, "1e-6"),
    Budget(2, "1e-5", failures="1e-6"),
    EqualReleases(Guarantee(0.5, 1e-8), 3, "1e-6"),
]
EVENTS: list[Event] = [
    Pure(Fraction("0.1")),
    Pure(Fraction("0.5")),
    BoundedRange(Fraction("0.4")),
    Concentrated(Fraction("0.004")),
    Approximate(Fraction("0.3"), Fraction("1e-8")),
]


def fits(periods: Periods, rule: Rule, charged: Sequence[Charged], names: Sequence[str], event: Event) -> bool:
    """What a ledger decides: every period pays, one after the other."""
    after = list(charged)
    for name in names:
        if not periods.standing(rule, after, name).pays(event):
            return False
        after.append(((name,), event))
    return True


# ---------------------------------------------------------------------------------------------------- names
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("day", lambda day: day.isoformat()),
        ("week", lambda day: f"{day:%G-W%V}"),
        ("month", lambda day: f"{day:%Y-%m}"),
        ("quarter", lambda day: f"{day:%Y}-Q{(day.month + 2) // 3}"),
        ("year", lambda day: f"{day:%Y}"),
    ],
)
def test_each_day_is_of_one_period_and_periods_follow_each_other(kind: str, name) -> None:
    periods, day = Periods(kind), date(1999, 12, 1)
    before, place = name(day), periods.place(name(day))
    while day < date(2033, 2, 1):
        day += timedelta(1)
        place += name(day) != before
        before = name(day)
        assert periods.place(before) == place, before


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("month", "2026-13"),
        ("month", "2026-1"),
        ("month", "2026-11-01"),
        ("month", " 2026-11"),
        ("month", "٢٠٢٦-11"),
        ("month", 202611),
        ("month", None),
        ("day", "2026-02-29"),
        ("week", "2025-W53"),
        ("week", "2026-48"),
        ("quarter", "2026-Q5"),
        ("quarter", "0000-Q1"),
        ("year", "26"),
        ("year", "0000"),
        ("year", 2026),
        ("year", True),
    ],
)
def test_a_name_of_no_period_is_refused(kind: str, name: object) -> None:
    with pytest.raises(ValueError, match=rf"period = .*: must be a {kind}, as 2026"):
        Periods(kind).place(name)


# ---------------------------------------------------------------------------------------------------- accounts
@pytest.mark.parametrize("rule", RULES, ids=range(len(RULES)))
@pytest.mark.parametrize("seed", range(4))
def test_each_period_is_a_ledger_of_its_own(rule: Rule, seed: int) -> None:
    """Negative control: as many separate budgets as there are periods; a release of several asks each of them."""
    draw, periods = random.Random(seed), Periods("month")
    charged, apart = list[Charged](), {name: list[Event]() for name in MONTHS[:3]}
    for _ in range(40):
        names, event = tuple(sorted(draw.sample(MONTHS[:3], draw.choice([1, 1, 2])))), draw.choice(EVENTS)
        expected = all(rule.fits(apart[name], event) for name in names)
        assert fits(periods, rule, charged, names, event) == expected
        if expected:
            charged.append((names, event))
            for name in names:
                apart[name].append(event)
    for name, events in apart.items():
        standing = periods.standing(rule, charged, name)
        assert standing.accounts == rule.accounts(events)
        assert rule.enough(standing.accounts), "no period exceeds its total"
        assert standing.so_far == rule.so_far(events)


def test_nothing_carries_over() -> None:
    """After a year without a release a month pays what it always did, and a spent month takes nothing of another."""
    periods, rule = Periods("month"), Budget(1)
    assert not fits(periods, rule, [], MONTHS[-1:], Pure(Fraction("1.0001")))
    charged = [((MONTHS[5],), Pure(1))]
    assert not any(fits(periods, rule, charged, MONTHS[5:6], Pure(Fraction(1, 10**9))) for _ in range(2))
    assert all(fits(periods, rule, charged, [name], Pure(1)) for name in MONTHS if name != MONTHS[5])


def paid(sums: dict[int, int], total: int, carry: int) -> bool:
    """Tell whether tokens, ``total`` of each period, can be given to charges of it and of the ``carry`` after it."""
    tokens = [(place, copy) for place in range(-carry, len(MONTHS)) for copy in range(total)]
    owner: dict[tuple[int, int], tuple[int, int]] = {}

    def find(charge: tuple[int, int], seen: set[tuple[int, int]]) -> bool:
        for token in tokens:
            if 0 <= charge[0] - token[0] <= carry and token not in seen:
                seen.add(token)
                if token not in owner or find(owner[token], seen):
                    owner[token] = charge
                    return True
        return False

    return all(find((place, copy), set()) for place, most in sums.items() for copy in range(most))


@pytest.mark.parametrize("carry", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_carried_over_is_paid_by_periods_that_have_it(carry: int, seed: int) -> None:
    """Late data come at random; a request is granted if and only if tokens can be matched with all charges."""
    draw, total = random.Random(seed), 2
    periods, rule, charged, sums = Periods("month", carry), Budget(total), list[Charged](), dict[int, int]()
    refused = 0
    for _ in range(40):
        places, cost = sorted(draw.sample(range(6), draw.choice([1, 1, 1, 2]))), draw.choice([1, 1, 2, 3])
        after = sums | {place: sums.get(place, 0) + cost for place in places}
        names = tuple(MONTHS[place] for place in places)
        assert fits(periods, rule, charged, names, Pure(cost)) == paid(after, total, carry)
        if paid(after, total, carry):
            charged, sums = [*charged, (names, Pure(cost))], after
        refused += not paid(after, total, carry)
    assert refused
    standings = [periods.standing(rule, charged, name) for name in MONTHS]
    for standing in standings:
        (account,) = standing.accounts
        assert account.total == (1 + carry) * total == standing.rule.guarantee.epsilon
        most = max(
            m for m in range(9) if paid(sums | {MONTHS.index(standing.period): _own(standing) + m}, total, carry)
        )
        assert account.left == most, "what is left is granted, and no more"
    assert max(map(_own, standings)) <= (1 + carry) * total
    together = periods.together(rule, charged)
    assert together is not None
    assert sum(map(_own, standings)) <= together[0]


def _own(standing) -> int:
    return int(sum(event.pure for event in standing.own))


def test_the_order_of_charges_does_not_matter() -> None:
    """Late data find the account as it would be had they come in time."""
    periods, rule = Periods("month", 1), Budget(1)
    charges: list[Charged] = [
        ((MONTHS[0],), Pure(Fraction(1, 2))),
        ((MONTHS[1],), Pure(Fraction(3, 2))),
        ((MONTHS[2],), Pure(1)),
    ]
    for ordered in permutations(charges):
        for name, used in ((MONTHS[0], 1), (MONTHS[1], Fraction(3, 2)), (MONTHS[2], Fraction(3, 2))):
            assert periods.standing(rule, ordered, name).accounts[0].spent == used


@pytest.mark.parametrize("rule", [Budget(1, "1e-6"), EqualReleases(Guarantee(0.1), 3)])
def test_only_sums_of_epsilons_carry_over(rule: Rule, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="carry = 1: needs a budget of an epsilon without a delta"):
        Ledger.create(tmp_path / "a" / "clinic.jsonl", rule, periods=Periods("month", 1))
    assert not (tmp_path / "a").exists()


# ---------------------------------------------------------------------------------------------------- all together
def excess(p: Sequence[float], q: Sequence[float], epsilon: float) -> float:
    return sum(max(0.0, a - exp(epsilon) * b) for a, b in zip(p, q, strict=True))


def worst(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """The pair of distributions that every (epsilon, delta) pair is a function of (Kairouz, Oh and Viswanath 2015)."""
    chance = (1 - delta) * exp(epsilon) / (1 + exp(epsilon))
    reduced_chance = (1 - delta) / (1 + exp(epsilon))
    return [delta, chance, reduced_chance, 0.0], [0.0, reduced_chance, chance, delta]


def test_guarantees_of_disjoint_periods_add_up_and_no_less() -> None:
    """Exact, of two periods; each answer is of the worst distribution, and which of the two the second
    period has may depend on the first answer.  The sum of deltas is attained up to delta squared.
    """
    epsilon, delta = 0.7, 0.01
    p, q = worst(epsilon, delta)
    charged: list[Charged] = [((name,), Approximate(Fraction("0.7"), Fraction("0.01"))) for name in MONTHS[:2]]
    together = Periods("month").together(Budget("0.7", "0.01", failures="0.01"), charged)
    assert together == (Fraction("1.4"), Fraction("0.02"))
    largest = 0.0
    for swapped in product([False, True], repeat=4):
        second = [(q, p) if swap else (p, q) for swap in swapped]
        distributions = [
            [side[i] * second[i][which][j] for i in range(4) for j in range(4)] for which, side in enumerate((p, q))
        ]
        largest = max(largest, excess(distributions[0], distributions[1], float(together[0])))
    assert 0.019 < largest <= float(together[1]) + 1e-12


def test_a_release_of_two_periods_needs_more_than_the_sum_of_deltas() -> None:
    """Exact: three distributions, of none, one and both periods changed, each step (epsilon, delta).  The bound is
    attained, so a negative control that adds up deltas is caught.
    """
    epsilon, delta, last = 1.0, 0.01, 0.05
    chance = exp(epsilon) * last + delta
    both = [exp(epsilon) * chance + delta, 1 - exp(epsilon) * chance - delta]
    distributions = [both, [chance, 1 - chance], [last, 1 - last]]
    for p, q in ((distributions[0], distributions[1]), (distributions[1], distributions[2])):
        assert max(excess(p, q, epsilon), excess(q, p, epsilon)) <= delta + 1e-15
    rule = Budget(1, "0.01", failures="0.01")
    charged: list[Charged] = [((*MONTHS[:2],), Approximate(Fraction(1), Fraction("0.01")))]
    together = Periods("month").together(rule, charged)
    assert together is not None
    lost = excess(distributions[0], distributions[2], float(together[0]))
    assert lost == pytest.approx(float(together[1]), rel=1e-12)
    assert lost > 2 * delta * 1.5, "the negative control, a sum of deltas, is caught"


def test_deltas_that_add_up_to_one_promise_nothing() -> None:
    charged: list[Charged] = [((name,), Pure(1)) for name in MONTHS]
    assert Periods("month").together(Budget(1, "0.1"), charged) is None
    assert Periods("month").together(Budget(1), [(tuple(MONTHS), Pure(1))]) == (12, 0)


# ---------------------------------------------------------------------------------------------------- the file
@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "months.jsonl", Budget(1, neighbours=PERSON), periods=Periods("month"))


def ask(ledger: Ledger, name: str, period: object, epsilon: object = 1):
    return ledger.reserve({"release": name, "period": period}, Pure(Fraction(epsilon)), PERSON)


def test_a_ledger_keeps_its_periods(ledger: Ledger) -> None:
    ask(ledger, "a", "2026-11")
    again = Ledger.open(ledger.path)
    assert again == ledger
    assert again.periods == Periods("month")
    assert ask(again, "a", "2026-11").number == 1, "the same request is charged once"
    with pytest.raises(BudgetError, match=r"over budget of 2026-11: .* spent 1, asked 0.5, left 0"):
        ask(again, "b", "2026-11", "1/2")
    assert ask(again, "a", "2026-12").number == 2, "another month is another request"
    assert [standing.period for standing in again.summary().standings] == ["2026-11", "2026-12"]
    assert again.summary().together == (2, 0)


def test_a_release_of_two_months_is_charged_to_both_or_to_none(ledger: Ledger) -> None:
    ask(ledger, "a", "2026-11", "1/2")
    ask(ledger, "b", ["2026-12", "2026-11"], "1/2")
    before = ledger.entries
    with pytest.raises(BudgetError, match="over budget of 2026-11"):
        ask(ledger, "c", ["2027-01", "2026-11"], "1/2")
    assert ledger.entries == before
    left = {actual_standing.period: actual_standing.accounts[0].left for actual_standing in ledger.summary().standings}
    assert left == {"2026-11": 0, "2026-12": Fraction(1, 2)}
    both = ledger.standing(Pure(Fraction(1, 4)), {"period": ["2026-11", "2026-12"]})
    assert both.period == "2026-11", "the one that has the least left"


def test_no_clock_decides(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Late data are charged to the month that they are of, and so is a release under a clock that was set back."""
    ask(ledger, "a", "2026-11")
    monkeypatch.setattr(chain, "_now", lambda: "1999-01-01T00:00:00+00:00")
    ask(ledger, "late", "2019-05", "1/2")
    with pytest.raises(BudgetError, match="over budget of 2026-11"):
        ask(ledger, "b", "2026-11", "1/2")
    with pytest.raises(BudgetError, match="over budget of 2019-05"):
        ask(ledger, "later", "2019-05", "0.6")


def test_a_killed_charge_pays_for_its_own_month_only(ledger: Ledger) -> None:
    """Negative control: a charge of November that paid for December would leave November spent, and December twice."""
    same_name = {"instead": lambda earlier: earlier["release"] == "a"}
    ask(ledger, "a", "2026-11")
    assert ledger.idle(Pure(1), same_name["instead"], {"period": "2026-12"}) is None
    other = ledger.reserve({"release": "a", "period": "2026-12", "n": 2}, Pure(1), PERSON, **same_name)
    assert "instead" not in other.entry.payload
    own_reservation = ledger.reserve({"release": "a", "period": "2026-11", "n": 2}, Pure(1), PERSON, **same_name)
    assert own_reservation.entry.payload["instead"] == 1
    assert [standing.accounts[0].spent for standing in ledger.summary().standings] == [1, 1]


@pytest.mark.parametrize("period", [None, [], "2026", "2026-W48", ["2026-11", "2026"], ["2026-11", "2026-11"], 2026])
def test_a_period_of_another_kind_is_refused(ledger: Ledger, period: object) -> None:
    before = ledger.entries
    with pytest.raises(LedgerError, match=r"^period"):
        ask(ledger, "a", period)
    with pytest.raises(LedgerError, match=r"^period"):
        ledger.check_fits(Pure(1), {"period": period})
    assert ledger.entries == before


def test_a_ledger_for_all_time_takes_no_period(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "clinic.jsonl", Budget(1))
    with pytest.raises(LedgerError, match="period: the ledger has one account for all time"):
        ledger.reserve({"period": "2026-11"}, Pure(1), EXAMPLE)


def test_each_month_has_a_table_of_its_own(ledger: Ledger) -> None:
    november, december = {"period": "2026-11"}, {"period": ["2026-12"]}
    ledger.recognise("aa", november)
    ledger.recognise("bb", december)
    ledger.recognise("aa", november)
    with pytest.raises(LedgerError, match="the table changed since"):
        ledger.recognise("cc", november)
    ledger.recognise("cc", november, accept=True)
    with pytest.raises(LedgerError, match="the table changed since"):
        ledger.check_table("aa", november)


def test_rows_of_one_month_are_not_charged_to_another(ledger: Ledger) -> None:
    """A word that a change is meant does not help: nothing changed."""
    ledger.recognise("aa", {"period": "2026-11"})
    for period in ("2026-12", ["2026-11", "2026-12"]):
        with pytest.raises(LedgerError, match=r"knows the table as that of 2026-11, the request says 2026-.*12"):
            ledger.check_table("aa", {"period": period}, accept=True)
        with pytest.raises(LedgerError, match="rows are charged to their own periods"):
            ledger.recognise("aa", {"period": period}, accept=True)


# ---------------------------------------------------------------------------------------------------- the command
def run(*words: str) -> int:
    return main(["budget", *words])


def test_a_budget_a_month_is_opened_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "months.jsonl")
    assert run("open", path, "--epsilon", "1", "--period", "month", "--neighbours", "replace_person") == 0
    printed = capsys.readouterr().out
    assert "epsilon 1: of all releases of the data of one month; nothing carries over" in printed
    assert "replace_person, in the data of one month" in printed
    ledger = Ledger.open(path)
    ask(ledger, "a", "2026-11", "3/4")
    ask(ledger, "b", ["2026-12", "2027-01"], "1/2")
    assert run("show", path) == 0
    printed = capsys.readouterr().out
    assert "together    epsilon 3: of somebody with data in each month that was charged" in printed
    assert ["2026-11", "sum of epsilons", "1", "0.75", "0.25"] in [
        re.split(" {2,}", line) for line in printed.splitlines()
    ]
    assert "2026-12, 2027-01" in printed
    assert run("show", path, "--json") == 0
    printed = json.loads(capsys.readouterr().out)["periods"]
    assert (printed["kind"], printed["carry"], printed["together"]) == ("month", 0, {"epsilon": "3", "delta": "0"})
    assert printed["charged"]["2026-12"]["accounts"][0]["left"] == "1/2"


def test_what_is_carried_over_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "weeks.jsonl")
    assert run("open", path, "--epsilon", "1/2", "--period", "week", "--carry", "3") == 0
    printed = capsys.readouterr().out
    assert "what is left of a week pays for the 3 weeks after it, too" in printed
    assert "at most     epsilon 2: of one week" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--carry", "1"], "--carry: needs --period"),
        (["--period", "month", "--carry", "-1"], "carry = '-1': must be >= 0"),
        (["--period", "month", "--carry", "1001"], "carry = 1001: must be <= 1000"),
        (["--period", "month", "--carry", "1", "--delta", "1e-6"], "carry = 1: needs a budget of an epsilon without"),
    ],
)
def test_a_wrong_option_makes_no_ledger(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("open", str(tmp_path / "a.jsonl"), "--epsilon", "1", *words) != 0
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_all_kinds_can_be_opened(tmp_path: Path) -> None:
    for kind in KINDS:
        assert run("open", str(tmp_path / f"{kind}.jsonl"), "--epsilon", "1", "--period", kind) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_each_day_is_in_one_period_the_one_that_its_name_tells(kind: str) -> None:
    """Days of all periods of three years, against the name of each day by the calendar, up to the last ones."""
    names = {
        "day": lambda day: day.isoformat(),
        "week": lambda day: "{:04}-W{:02}".format(*day.isocalendar()),
        "month": lambda day: day.isoformat()[:7],
        "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
        "year": lambda day: f"{day.year:04}",
    }
    for first in (date(1, 1, 1), date(2023, 12, 25), date(9996, 12, 31)):
        for ordinal in range(first.toordinal(), first.toordinal() + 1096):
            day = date.fromordinal(ordinal)
            name = names[kind](day)
            periods = Periods.named(name)
            assert periods.kind == kind
            days = periods.days(name)
            assert ordinal in days
            around = [
                actual_day for actual_day in (days[0] - 1, days[-1] + 1) if 1 <= actual_day <= date.max.toordinal()
            ]
            assert all(names[kind](date.fromordinal(actual_day)) != name for actual_day in around)
