"""``semipriv budget``: open the privacy budget of a data set, and show what is spent and left."""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from semipriv.cli._tables import table
from semipriv.privacy.budget.buying import kinds, offer, offers, so_far_words
from semipriv.privacy.budget.ledger import Ledger, Summary
from semipriv.privacy.budget.lines import Entry
from semipriv.privacy.budget.pricing import total
from semipriv.privacy.budget.refusal import account_texts, names
from semipriv.privacy.budget.rule import shown
from semipriv.privacy.events import restored
from semipriv.privacy.guarantee import Neighbours


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "budget",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="open the privacy budget of a data set, and show what is spent and left",
        description=(
            "A budget is a file, its ledger: releases charge it before they read a private row, and it is never\n"
            "begun anew.  Numbers are exact: decimals as 0.1 and 1e-6, or quotients as 1/3.  See docs/budget.md."
        ),
        epilog=(
            "examples:\n"
            "  semipriv budget open ledgers/clinic.jsonl --epsilon 1 --delta 1e-6 --about 'visits to the clinic'\n"
            "  semipriv budget open ledgers/clinic.jsonl --each 0.1 --count 30 --delta 1e-6\n"
            "  semipriv budget show ledgers/clinic.jsonl"
        ),
    )
    parser.add_argument("action", choices=["open", "show"], help="open a new budget, or show one")
    parser.add_argument("path", help="the ledger, a file that ends in .jsonl; its head, lock and key are beside it")
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    opened = parser.add_argument_group("open")
    opened.add_argument("--epsilon", help="all that may be spent, > 0")
    opened.add_argument("--delta", help="in [0, 1) (default 0)")
    opened.add_argument("--failures", help="part of delta for (epsilon, delta) mechanisms without a better account")
    opened.add_argument("--order", help="order > 1 of the Renyi account (default: best for one release with all)")
    opened.add_argument("--each", help="instead of any epsilons: equal releases, each with at most this epsilon ...")
    opened.add_argument("--count", help="... and so many of them: together they cost less than their sum")
    opened.add_argument("--neighbours", choices=[one.value for one in Neighbours], help="what a guarantee protects")
    opened.add_argument("--about", help="what the data set is, in words; the file may be read by others")
    parser.set_defaults(run=_budget)


_OPTIONS = ("epsilon", "delta", "failures", "order", "each", "count", "neighbours")


def _budget(options: argparse.Namespace, rest: Sequence[str]) -> int:
    if rest:
        raise ValueError(f"{rest[0]!r}: is not an option of `semipriv budget`")
    amounts = {name: getattr(options, name) for name in _OPTIONS}
    if options.action == "show":
        for name, value in {**amounts, "about": options.about}.items():
            if value is not None:
                raise ValueError(f"--{name}: is for `semipriv budget open`")
        ledger = Ledger.open(options.path)
    else:
        ledger = Ledger.create(options.path, total(amounts), options.about or "")
    summary = ledger.summary()
    print(json.dumps(_values(summary), indent=2) if options.json else "\n".join(_lines(options.path, summary)))
    return 0


def _values(summary: Summary) -> dict[str, Any]:
    guarantee, so_far = summary.rule.guarantee, summary.so_far
    return {
        "ledger": summary.identity,
        "about": summary.about,
        "rule": summary.rule.described(),
        "accounts": [
            {
                "name": account.name,
                "total": str(account.total),
                "spent": None if account.spent is None else str(account.spent),
                "left": None if account.left is None else str(account.left),
            }
            for account in summary.accounts
        ],
        "guarantee": {"epsilon": guarantee.epsilon, "delta": guarantee.delta, "neighbours": guarantee.neighbours},
        "so_far": {"epsilon": so_far.epsilon, "delta": so_far.delta},
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
        "can_still_be_bought": {
            name: offer(summary.rule, summary.accounts, kind).to_dict()["largest"]
            for name, (_, kind) in kinds(summary.rule).items()
        },
    }


def _lines(path: str, summary: Summary) -> Iterator[str]:
    yield f"ledger      {path} ({summary.identity})"
    if summary.about:
        yield f"about       {summary.about}"
    yield f"total       {summary.rule.words}: of all releases together, whatever is asked"
    yield f"neighbours  {summary.rule.neighbours.value}"
    yield f"so far      {so_far_words(summary.rule, summary.so_far)}: if no request depended on an answer"
    yield ""
    called = names(summary.rule)
    rows = [[called[account.name], *account_texts(account)] for account in summary.accounts]
    yield from table(["account", "total", "spent", "left"], rows)
    requests = _requests(summary)
    last = restored(requests[-1].payload["event"]) if requests else None
    yield ""
    yield from table(["can still be bought, one of", ""], list(offers(summary.rule, summary.accounts, last)))
    if not requests:
        return
    yield ""
    rows = [
        [
            str(entry.number),
            f"{datetime.fromisoformat(entry.time):%Y-%m-%d %H:%M}",
            str(entry.payload["request"].get("release", "-")),
            *(_cost(entry.payload["cost"][kind]) for kind in ("pure", "rho", "delta")),
            "released" if entry.number in summary.released else "not drawn yet",
        ]
        for entry in requests
    ]
    yield from table(["entry", "time (UTC)", "release", "epsilon", "rho", "delta", "state"], rows)


def _requests(summary: Summary) -> list[Entry]:
    return summary.charges


def _cost(text: str | None) -> str:
    return "-" if text is None else shown(Fraction(text), 6, up=True)
