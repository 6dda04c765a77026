"""Prices of lists, and the two subcommands."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from semipriv.cli import REFUSED, main
from semipriv.cli.cost import TOO_MUCH
from semipriv.privacy.budget.equal_releases import EqualReleases
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.budget.pricing import better_order, price, requests, total
from semipriv.privacy.events import BoundedRange, Concentrated, Pure, guarantee_of, whole
from semipriv.privacy.guarantee import Guarantee


def no_learner(given: Any) -> Any:
    raise AssertionError


def test_weights_share_what_the_epsilons_leave() -> None:
    rule = total({"epsilon": 1})
    asked = requests(
        [
            {"name": "a", "epsilon": "0.4"},
            {"name": "b", "weight": 1, "kind": "exponential"},
            {"name": "c", "weight": 2, "count": 4},
        ],
        rule,
        no_learner,
    )
    assert [request.event for request in asked] == [
        Pure(Fraction(2, 5)),
        BoundedRange(Fraction(1, 5)),
        Pure(Fraction(1, 10)),
    ]
    rows = price(asked, rule)
    assert all(row.fits for row in rows), "to the last digit"
    assert sum(row.costs["epsilon"] for row in rows) == 1


def test_weights_share_what_learners_leave_as_well() -> None:
    rule = total({"epsilon": 1, "delta": "1e-6"})
    given = [{"name": "a", "learner": {}, "count": 2}, {"name": "b", "weight": 3}, {"name": "c", "rho": "0.001"}]
    asked = requests(given, rule, lambda _: Pure(Fraction(1, 4)))
    concentrated = Fraction(guarantee_of(asked[2].event, rule.guarantee).epsilon)
    assert asked[1].epsilon == Fraction(1, 2) - concentrated


def test_the_price_is_what_the_ledger_charges() -> None:
    rule = Budget(1, "1e-6")
    asked = requests([{"name": "t", "epsilon": 0.5, "delta": 1e-6, "kind": "concentrated"}], rule, no_learner)
    (row,) = price(asked, rule)
    assert row.costs["rho"] == asked[0].event.rho
    assert row.costs["renyi"] == rule.accounts([asked[0].event])[1].spent
    assert price(asked, None)[0].fits is None


def test_an_order_with_which_a_list_fits() -> None:
    rule = Budget(1, "1e-6")
    half = whole(Guarantee(0.5, 1e-6 * (1 - 1e-15)))
    given = [{"name": "a", "epsilon": "0.5"}, {"name": "b", "rho": half}]
    asked = requests(given, rule, no_learner)
    assert [row.fits for row in price(asked, rule)] == [True, False]
    order = better_order(asked, rule)
    assert all(row.fits for row in price(asked, Budget(1, "1e-6", order=order)))
    assert better_order([*asked, *asked], rule) is None


def test_totals() -> None:
    assert total({"epsilon": "1", "delta": "1e-6", "order": None}) == Budget(1, "1e-6")
    equal = total({"each": 0.1, "count": 10, "epsilon": 1})
    assert isinstance(equal, EqualReleases)
    assert equal.each.epsilon <= Fraction(1, 10)


def written(folder: Path, text: str) -> str:
    path = folder / "list.yaml"
    path.write_text(text)
    return str(path)


def test_cost_prices_a_list_without_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(
        tmp_path,
        "total: {epsilon: 1}\n"
        "requests:\n"
        "  - {name: model, learner: {name: sspp, epsilon: 0.1}}\n"
        "  - {name: counts, epsilon: 0.3, count: 3}\n",
    )
    assert main(["cost", path]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "total: epsilon 1"
    assert lines[2].split() == ["request", "count", "epsilon", "rho", "delta", "fits"]
    assert lines[4].split() == ["counts", "3", "0.9", "0.135", "0", "yes"]
    assert main(["cost", path, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["requests"][1]["costs"]["epsilon"] == "9/10"
    written_file = written(tmp_path, Path(path).read_text().replace("count: 3", "count: 4"))
    assert main(["cost", written_file]) == TOO_MUCH
    assert "counts: over budget: total epsilon 1; " in capsys.readouterr().out
    wrong = written(tmp_path, "requests: [{name: a, learner: {name: empirical_risk_minimiser}}]")
    assert main(["cost", wrong]) == REFUSED
    assert "list.yaml: request 'a': learner 'empirical_risk_minimiser': is not private" in capsys.readouterr().err


def test_budget_is_opened_once_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "ledgers" / "clinic.jsonl")
    assert main(["budget", "open", path, "--epsilon", "1", "--delta", "1e-6", "--about", "visits"]) == 0
    actual_printed = capsys.readouterr().out
    assert "total       epsilon 1, delta 0.000001: of all releases together, whatever is asked\n" in actual_printed
    assert main(["budget", "open", path, "--epsilon", "9"]) == REFUSED
    assert "a budget is opened once" in capsys.readouterr().err
    ledger = Ledger.open(path)
    own_reservation = ledger.reserve({"release": "visits"}, Concentrated(Fraction("0.01")), ledger.rule.neighbours)
    assert main(["budget", "show", path]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[3:] == ["visits", "-", "0.01", "0", "not", "drawn", "yet"]
    own_reservation.draw(lambda: b"drawn")
    assert main(["budget", "show", path, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["ledger"] == ledger.identity
    assert printed["requests"][0]["cost"] == {"pure": None, "rho": "1/100", "delta": "0"}
    assert printed["requests"][0]["released"]
    assert main(["budget", "show", path, "--epsilon", "1"]) == REFUSED
    assert main(["budget", "show", path + "x"]) == REFUSED
    assert "there is no ledger" in capsys.readouterr().err


def test_many_of_the_same_are_priced_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """10^9 releases of each 1e-9, and one more; 10^21 of them; and a budget that is declared for so many."""
    text = "{name: a, epsilon: 1e-9, count: 1e9}"
    assert main(["cost", written(tmp_path, f"total: {{epsilon: 1}}\nrequests: [{text}]")]) == 0
    assert main(["cost", written(tmp_path, f"total: {{epsilon: 1}}\nrequests: [{text}, {text}]")]) == TOO_MUCH
    assert "a: over budget: total epsilon 1; sum of epsilons: total 1, spent 1, " in capsys.readouterr().out
    many = written(tmp_path, "total: {epsilon: 1, delta: 1e-6}\nrequests: [{name: a, epsilon: 0.1, count: 1e21}]")
    assert main(["cost", many]) == TOO_MUCH
    equal = "total: {each: 0.1, count: 1e9}\nrequests: [{name: a, learner: {name: sspp, epsilon: 0.05}, count: 1e9}"
    assert main(["cost", written(tmp_path, equal + "]")]) == 0
    assert main(["cost", written(tmp_path, equal + ", {name: b, epsilon: 0.01}]")]) == TOO_MUCH
    assert "b: over budget: total 1000000000 releases" in capsys.readouterr().out


def test_lists_that_cannot_be_read_are_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, reason in {
        "[" * 3000: "is nested too deeply to be read",
        "requests: [{name: a, epsilon: 2026-13-45}]": "holds a value that cannot be read",
        "requests: [{name: a, epsilon: 1:30}]": "request 'a': epsilon = '1:30': must be a finite number",
        "requests: [{name: a, epsilon: 1:30.5}]": "request 'a': epsilon = '1:30.5': must be a finite number",
        "requests: !!bool maybe": "holds a value that cannot be read",
        "requests: !!int x": "line 1: x is no plain integer",
        "requests: " + "9" * 5000: "holds a value that cannot be read",
    }.items():
        assert main(["cost", written(tmp_path, text)]) == REFUSED
        (line,) = capsys.readouterr().err.splitlines()
        assert f"list.yaml: {reason}" in line
    assert main(["cost", "a\0b"]) == REFUSED
    assert "a\0b: holds a value that cannot be read (embedded null byte)" in capsys.readouterr().err
