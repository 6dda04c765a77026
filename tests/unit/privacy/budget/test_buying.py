"""What a budget says of itself: nothing above its total, and what it still buys is granted."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from releases import project

from semipriv.cli import main
from semipriv.privacy.budget.buying import kinds, left_words, offer
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.gaussian_budget import GaussianBudget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.budget.rule import MOST, Rule
from semipriv.privacy.events import (
    NOTHING,
    Approximate,
    BoundedRange,
    Composed,
    Concentrated,
    Event,
    GaussianEvent,
    Pure,
    whole,
)
from semipriv.privacy.guarantee import Guarantee, Neighbours

RULES: list[Rule] = [
    Budget(1),
    Budget(2, "1e-6"),
    Budget(2, "1e-5", failures="1e-6"),
    EqualReleases(Guarantee(0.1), 9, "1e-6"),
    EqualReleases(Guarantee(0.5, 1e-8), 7, "1e-6"),
]
EVENTS: list[Event] = [
    Pure(Fraction("0.1")),
    BoundedRange(Fraction("0.5")),
    Concentrated(Fraction("0.004")),
    GaussianEvent(20),
    Approximate(Fraction("0.1"), Fraction("1e-7")),
    Composed([(Pure(Fraction("0.05")), 2), (BoundedRange(Fraction("0.1")), 1)]),
]


def fitting(rule: Rule, granted: list[Event], asked: Event) -> int:
    """One after the other, as they are charged."""
    actual = list(granted)
    while rule.fits(actual, asked):
        actual.append(asked)
    return len(actual) - len(granted)


@pytest.mark.parametrize("rule", RULES, ids=range(len(RULES)))
def test_as_many_of_the_same_fit_as_are_granted_one_by_one(rule: Rule) -> None:
    """And what is left of the account that decides is what the largest one would spend."""
    for before in ([], [Pure(Fraction("0.1"))], [Concentrated(Fraction("0.002"))], [Pure(Fraction("0.1"))] * 8):
        granted: list[Event] = []
        for event in before:
            granted += [event] if rule.fits(granted, event) else []
        accounts = rule.accounts(granted)
        for asked in EVENTS:
            assert rule.affordable(accounts, asked) == fitting(rule, granted, asked)
            first = rule.deciding(accounts, asked)[0]
            if rule.fits(granted, asked):
                assert first.left > 0


def test_more_than_can_be_counted_is_counted_to_an_end() -> None:
    assert Budget(1).affordable(Budget(1).accounts([]), NOTHING) == MOST
    assert Budget(1).affordable((), Pure(Fraction(1, MOST + 1))) == MOST
    assert Budget(1).affordable((), Pure(Fraction(1, MOST - 1))) == MOST - 1
    assert offer(Budget(1), Budget(1).accounts([]), NOTHING).times == "1,000,000,000 times or more"


@pytest.mark.parametrize("rule", RULES, ids=range(len(RULES)))
def test_what_is_said_to_be_left_is_granted(rule: Rule) -> None:
    granted: list[Event] = []
    for event in (Pure(Fraction(1, 30)), Concentrated(Fraction(1, 700)), Pure(Fraction(1, 30))):
        granted += [event] if rule.fits(granted, event) else []
    for name, (_, kind) in kinds(rule).items():
        words = offer(rule, rule.accounts(granted), kind).words
        entries_by_key = dict(re.findall(r"(epsilon|rho|delta) ([0-9.E-]+)", words))
        if name == "concentrated":
            assert rule.fits(granted, Concentrated(Fraction(entries_by_key["rho"])))
            asked = Guarantee(float(entries_by_key["epsilon"]), float(entries_by_key["delta"]) * (1 - 1e-15))
            assert rule.fits(granted, Concentrated(whole(asked)))
        elif name == "pure":
            assert rule.fits(granted, Pure(Fraction(entries_by_key["epsilon"])))
        else:
            assert rule.fits(
                granted, Approximate(Fraction(entries_by_key["epsilon"]), Fraction(entries_by_key["delta"]))
            )


def opened(folder: Path, granted: list[Event]) -> Ledger:
    ledger = Ledger.create(folder / "clinic.jsonl", Budget(2, "1e-6"))
    for number, event in enumerate(granted):
        ledger.reserve({"release": f"r{number}"}, event, Neighbours.REPLACE_PRIVATE_EXAMPLE)
    return ledger


MANY: dict[str, list[Event]] = {
    "small ones": [Pure(Fraction("0.06"))] * 40,
    "one without an epsilon": [Concentrated(whole(Guarantee(0.5, 1e-7))), Pure(Fraction(1))],
    "to the end": [Pure(Fraction(2))],
}


@pytest.mark.parametrize("case", MANY)
def test_nothing_is_said_to_be_overspent(tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    """The sum of 40 epsilons of 0.06 is 2.4 of 2, and the Renyi account has much left."""
    ledger = opened(tmp_path, MANY[case])
    assert main(["budget", "show", str(ledger.path)]) == 0
    actual_printed = capsys.readouterr().out
    epsilon, delta = re.search(r"so far +epsilon ([0-9.]+), delta ([0-9.]+)", actual_printed).groups()
    plain = sum((Fraction(event.pure or Fraction(1, 2)) for event in MANY[case]), Fraction(0))
    assert Fraction(epsilon) <= min(plain, 2)
    assert Fraction(delta) <= Fraction("1e-6")
    accounts = re.findall(r"^(?:sum|Renyi).*? {2,}([0-9.]+) +([0-9.]+) +([0-9.]+)$", actual_printed, re.M)
    assert accounts
    for total, spent, left in accounts:
        assert Fraction(spent) <= Fraction(total)
        assert Fraction(left) < Fraction(total)
    assert ("sum of epsilons                    2        -         closed" in actual_printed) == (case == "small ones")
    assert re.search(r"a release with delta 0 +(epsilon [0-9.]+ at most|nothing)", actual_printed)
    assert re.search(r"the last release again +(\d+ times|not once)", actual_printed)
    assert main(["budget", "show", str(ledger.path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["can_still_be_bought"]
    assert set(printed) == {"pure", "concentrated"}
    assert set(printed["concentrated"]) <= {"rho", "epsilon"}


def test_a_dry_run_tells_the_account_that_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project(tmp_path, budget={"epsilon": 2, "delta": "1e-6"}, learner={"name": "sspp", "epsilon": 0.05})
    ledger = Ledger.open(tmp_path / "ledgers/clinic.jsonl")
    for number in range(40):
        ledger.reserve({"n": number}, Pure(Fraction("0.06")), Neighbours.REPLACE_PRIVATE_EXAMPLE)
    assert main(["release", str(path), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "left now    0.199064 of 1.08638 (Renyi divergence of order 12.3239)\n" in printed
    assert re.search(r"left after  0\.195\d+ of 1\.08638 \(Renyi divergence of order 12\.3239\)\n", printed)
    assert re.search(r"buys then   one more of this kind of epsilon 0\.\d+ at most; the same again 50 times\n", printed)
    assert "nothing" not in printed.partition("error")[0]
    assert main(["release", str(path), "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["can_still_be_bought"]["same"] == 50


def test_a_dry_run_of_too_much_says_what_would_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project(tmp_path, budget={"epsilon": "0.3"})
    assert main(["release", str(path), "--dry-run"]) == 2
    printed = capsys.readouterr().out
    assert "left now    0.3 of 0.3 (sum of epsilons)\n" in printed
    assert "left after  it does not fit: one of this kind could have epsilon 0.3 at most\n" in printed


def test_a_dry_run_of_what_a_budget_never_pays_for_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The fault that was met: "one of this kind could have nothing", of a budget that was all there."""
    path = project(tmp_path)
    Ledger.create(tmp_path / "ledgers/noise.jsonl", GaussianBudget(1, "1e-6"))
    path.write_text(path.read_text().replace("clinic.jsonl", "noise.jsonl"))
    assert main(["release", str(path), "--dry-run", "--no-simulation"]) == 2
    printed = capsys.readouterr().out
    assert "left after  it does not fit: this budget pays for Gaussian noise alone: other releases need a" in printed


def test_what_decides_is_the_cheaper_account() -> None:
    rule = Budget(2, "1e-6")
    accounts = rule.accounts([])
    assert left_words(rule, accounts, Pure(1)) == "2 of 2 (sum of epsilons)"
    assert left_words(rule, accounts, Concentrated(Fraction(1))).endswith("(Renyi divergence of order 12.3239)")
