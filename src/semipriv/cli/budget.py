"""``semipriv budget``: open the privacy budget of a dataset, or show what is spent and left."""

import argparse
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from semipriv.cli._tables import table
from semipriv.privacy.budget.buying import kinds, offer, offers, so_far_words
from semipriv.privacy.budget.ledger import Ledger, Summary
from semipriv.privacy.budget.lines import Entry
from semipriv.privacy.budget.periods import KINDS, Periods, Standing
from semipriv.privacy.budget.pricing import total
from semipriv.privacy.budget.refusal import account_texts, names
from semipriv.privacy.budget.rule import Account, shown
from semipriv.privacy.events import restored
from semipriv.privacy.guarantee import Neighbours


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "budget",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="open the privacy budget of a dataset, or show what is spent and left",
        description=(
            "Opens or shows a budget.  A budget is a file, called its ledger.  Each release charges the ledger before\n"
            "it reads a private row.  A ledger is never restarted.  Numbers are exact: decimals such as 0.1 and 1e-6,\n"
            "or quotients such as 1/3.  `semipriv docs budget` is a guide."
        ),
        epilog=(
            "examples:\n"
            "  semipriv budget open ledgers/clinic.jsonl --epsilon 1 --delta 1e-6 --about 'visits to the clinic'\n"
            "  semipriv budget open ledgers/clinic.jsonl --each 0.1 --count 30 --delta 1e-6\n"
            "  semipriv budget open ledgers/months.jsonl --epsilon 1 --period month --neighbours replace_person\n"
            "  semipriv budget show ledgers/clinic.jsonl"
        ),
    )
    parser.add_argument("action", choices=["open", "show"], help="open a new budget, or show one")
    parser.add_argument("path", help="the ledger, a file NAME.jsonl; its head, lock and key are written beside it")
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    opened = parser.add_argument_group("open")
    opened.add_argument("--epsilon", help="total epsilon that may be spent, > 0")
    opened.add_argument("--delta", help="total delta that may be spent, in [0, 1) (default 0)")
    opened.add_argument("--failures", help="part of delta for (epsilon, delta) mechanisms without a better account")
    opened.add_argument("--order", help="order > 1 of the Renyi account (default: best for one release with all)")
    opened.add_argument("--each", help="for equal releases, instead of --epsilon: the epsilon of each release, at most")
    opened.add_argument("--count", help="with --each: the number of releases; together they cost less than their sum")
    opened.add_argument(
        "--gaussian",
        action="store_const",
        const=True,
        help="pay only for releases with Gaussian noise, whose costs add up exactly; needs --epsilon and --delta",
    )
    opened.add_argument(
        "--neighbours",
        choices=[neighbours.value for neighbours in Neighbours],
        help="what a guarantee protects: a row, a person, ...",
    )
    opened.add_argument(
        "--period", choices=KINDS, help="give the data of each such period an account of its own, of this size"
    )
    opened.add_argument(
        "--carry", help="number of later periods in which the rest of a period may be spent (default 0)"
    )
    opened.add_argument("--about", help="describe the dataset; others may read the ledger")
    parser.set_defaults(run=_budget)


_OPTIONS = ("epsilon", "delta", "failures", "order", "each", "count", "gaussian", "neighbours")


def _budget(options: argparse.Namespace) -> int:
    amounts = {name: getattr(options, name) for name in _OPTIONS}
    if options.action == "show":
        others = {name: getattr(options, name) for name in ("period", "carry", "about")}
        for name, value in {**amounts, **others}.items():
            if value is not None:
                raise ValueError(f"--{name}: is for `semipriv budget open`")
        ledger = Ledger.open(options.path)
    else:
        if options.gaussian and options.delta is None:
            raise ValueError("--gaussian: needs --delta, as --delta 1e-6: there is no Gaussian noise of delta 0")
        ledger = Ledger.create(options.path, total(amounts), options.about or "", _periods(options))
    summary = ledger.summary()
    print(json.dumps(_values(summary), indent=2) if options.json else "\n".join(_lines(options.path, summary)))
    return 0


def _periods(options: argparse.Namespace) -> Periods | None:
    if options.period is not None:
        return Periods(options.period, 0 if options.carry is None else options.carry)
    if options.carry is not None:
        raise ValueError("--carry: needs --period")
    return None


def _values(summary: Summary) -> dict[str, Any]:
    standing = summary.standings[-1]
    guarantee = standing.rule.guarantee
    bought = {
        name: offer(standing.rule, standing.accounts, kind).to_dict()
        for name, (_, kind) in kinds(standing.rule).items()
    }
    return {
        "ledger": summary.identity,
        "about": summary.about,
        "rule": summary.rule.described(),
        **_standing(standing),
        "guarantee": {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "neighbours": guarantee.neighbours},
        **({} if summary.periods is None else _of_periods(summary, summary.periods)),
        "requests": [
            {
                "entry": entry.number,
                "time": entry.time,
                "request": entry.payload["request"],
                "event": entry.payload["event"],
                "cost": entry.payload["cost"],
                "released": entry.number in summary.released,
            }
            for entry in _requests(summary)
        ],
        "can_still_be_bought": {name: offered["largest"] for name, offered in bought.items()},
        "closes_when_bought": {
            name: offered["largest_that_closes"] for name, offered in bought.items() if "largest_that_closes" in offered
        },
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "accounts": [
            {
                "name": account.name,
                "total": str(account.total),
                "spent": None if account.spent is None else str(account.spent),
                "left": None if account.left is None else str(account.left),
            }
            for account in standing.accounts
        ],
        "so_far": {"epsilon": standing.so_far.epsilon, "delta": standing.so_far.delta},
    }


def _of_periods(summary: Summary, periods: Periods) -> dict[str, Any]:
    """Return every charged period; the accounts beside them are those of the last period."""
    charged = [standing for standing in summary.standings if standing.period]
    together = summary.together
    return {
        "periods": {
            **periods.described(),
            "charged": {standing.period: _standing(standing) for standing in charged},
            "together": None if together is None else dict(zip(("epsilon", "delta"), map(str, together), strict=True)),
        }
    }


def _lines(path: str, summary: Summary) -> Iterator[str]:
    yield f"ledger      {path} ({summary.identity})"
    if summary.about:
        yield f"about       {summary.about}"
    yield from _totals(summary)
    last = summary.standings[-1]
    requests = _requests(summary)
    yield ""
    called = names(last.rule)
    if summary.periods is None:
        rows = [[called[account.name], *account_texts(account)] for account in last.accounts if _is_shown(account)]
        yield from table(["account", "total", "spent", "left"], rows)
    else:
        rows = [
            [standing.period or f"each {summary.periods.kind}", called[account.name], *account_texts(account)]
            for standing in summary.standings
            for account in standing.accounts
            if _is_shown(account)
        ]
        yield from table([summary.periods.kind, "account", "total", "spent", "left"], rows)
    event = restored(requests[-1].payload["event"]) if requests else None
    of = f" for {last.period}" if last.period else ""
    yield ""
    yield from table([f"can still be bought{of}, one of", ""], list(offers(last.rule, last.accounts, event)))
    if not requests:
        return
    yield ""
    rows = [
        [
            str(entry.number),
            f"{datetime.fromisoformat(entry.time):%Y-%m-%d %H:%M}",
            _called(entry.payload["request"]),
            *([] if summary.periods is None else [", ".join(summary.periods.of(entry.payload["request"]))]),
            *(_cost(entry.payload["cost"][kind]) for kind in ("pure", "rho", "delta")),
            "released" if entry.number in summary.released else "not drawn yet",
        ]
        for entry in requests
    ]
    period = [] if summary.periods is None else [summary.periods.kind]
    yield from table(["entry", "time (UTC)", "release", *period, "epsilon", "rho", "delta", "state"], rows)


def _is_shown(account: Account) -> bool:
    """Return whether an account is shown; that of changed values is not, as its total is out of reach."""
    return account.name != "changed"


def _called(request: Mapping[str, Any]) -> str:
    """Return the name of a charged request; for a fit, its estimator and the name of the fit, if it has one."""
    if "estimator" not in request:
        return str(request.get("release", "-"))
    return str(request["estimator"]) + (f" {request['name']}" if "name" in request and "fit" not in request else "")


def _totals(summary: Summary) -> Iterator[str]:
    rule, periods, last = summary.rule, summary.periods, summary.standings[-1]
    if periods is None:
        yield f"total       {rule.words}: of all releases together, whatever is asked"
        yield f"neighbours  {rule.neighbours.value}"
        yield f"so far      {so_far_words(rule, summary.so_far)}: if no request depended on an answer"
        return
    yield f"total       {rule.words}: of all releases of the data of one {periods.kind}; {periods.words}"
    if periods.carry:
        yield f"at most     {last.rule.words}: of one {periods.kind}, with all that others leave"
    yield f"neighbours  {rule.neighbours.value}, in the data of one {periods.kind}"
    charged = [standing for standing in summary.standings if standing.period]
    if not charged:
        return
    so_far = so_far_words(last.rule, summary.so_far)
    yield f"so far      {so_far}: of {last.period}, if no request depended on an answer"
    yield f"together    {_together(summary.together)}: of somebody with data in each {periods.kind} that was charged"


def _together(total: tuple[Fraction, Fraction] | None) -> str:
    if total is None:
        return "no bound"
    epsilon, delta = total
    return f"epsilon {shown(epsilon, 6, up=True)}" + (f", delta {shown(delta, 6, up=True)}" if delta else "")


def _requests(summary: Summary) -> list[Entry]:
    return summary.charges


def _cost(text: str | None) -> str:
    return "-" if text is None else shown(Fraction(text), 6, up=True)
