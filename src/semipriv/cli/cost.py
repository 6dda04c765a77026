"""``semipriv cost``: compute what a list of requests costs, without any data."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from semipriv.cli._tables import table
from semipriv.core import checks, registry
from semipriv.privacy.budget.amounts import amount, parameter
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.pricing import Priced, better_order, missing, price, requests, total
from semipriv.privacy.budget.refusal import names
from semipriv.privacy.budget.rule import Rule, shown
from semipriv.privacy.events import Event
from semipriv.settings.reading import read_settings

TOO_MUCH = 1
"""Exit code if the requests do not fit into the total."""


_AMOUNTS = ("epsilon", "delta")


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "cost",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="compute what a list of requests costs, without any data",
        description=(
            "Computes what a list of requests (YAML) costs, and whether they fit into a total, in their order.\n\n"
            "  total: {epsilon: 1, delta: 1e-6}          # or {each: 0.1, count: 10}; may be left out\n"
            "  requests:\n"
            "    - {name: model, learner: {name: sspp, epsilon: 0.3}}\n"
            "    - {name: table, epsilon: 0.5, delta: 1e-6, kind: concentrated}\n"
            "    - {name: choice, weight: 1, kind: exponential}    # a share of the epsilon that is left\n"
            "    - {name: counts, weight: 2, count: 4}\n\n"
            "kinds: pure (default), exponential (the exponential mechanism), concentrated (a query release)"
        ),
        epilog="exit codes: 0 the requests fit; 1 they do not; 2 refused",
    )
    parser.add_argument("file", help="the list (.yaml)")
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    parser.set_defaults(run=_cost)


def _cost(options: argparse.Namespace) -> int:
    settings = read_settings(Path(options.file))
    try:
        for key in settings:
            registry.check_name("key", key, ["total", "requests"])
        rule = total(checks.mapping("total", settings["total"])) if "total" in settings else None
        asked = requests(checks.listing("requests", settings.get("requests", [])), rule, _event)
        if not asked:
            raise ValueError("requests: must be at least one")
        rows = price(asked, rule)
    except ValueError as error:
        raise ValueError(f"{options.file}: {error}") from None
    print(json.dumps(_values(rows, rule), indent=2) if options.json else "\n".join(_lines(rows, rule)))
    return 0 if all(row.fits is not False for row in rows) else TOO_MUCH


def _event(learner: Mapping[str, Any]) -> Event:
    values = {key: parameter(amount(key, v)) if key in _AMOUNTS else v for key, v in learner.items()}
    event: Event | None = registry.build("learners", values).event
    if event is None:
        raise ValueError(f"learner {learner.get('name')!r}: is not private, it has no cost and no release")
    return event


def _accounts(rows: Sequence[Priced]) -> list[str]:
    """Return the names of all costs, in order."""
    return list(dict.fromkeys(name for row in rows for name in row.costs))


def _sum(rows: Sequence[Priced], name: str) -> Fraction | None:
    costs = [row.costs.get(name, Fraction(0)) for row in rows]
    return None if None in costs else sum((cost for cost in costs if cost is not None), Fraction(0))


def _values(rows: Sequence[Priced], rule: Rule | None) -> dict[str, Any]:
    def text(number: Fraction | None) -> str | None:
        return None if number is None else str(number)

    return {
        "total": None if rule is None else rule.described(),
        "requests": [
            {
                "name": row.asked.name,
                "count": row.asked.count,
                "epsilon": text(row.asked.epsilon),
                "parameter": None if row.asked.epsilon is None else parameter(row.asked.epsilon),
                "costs": {name: text(cost) for name, cost in row.costs.items()},
                "fits": row.fits,
            }
            for row in rows
        ],
        "all": {name: text(_sum(rows, name)) for name in _accounts(rows)},
    }


def _lines(rows: Sequence[Priced], rule: Rule | None) -> Iterator[str]:
    def text(number: Fraction | None) -> str:
        return "-" if number is None else shown(number, 6, up=True)

    accounts = _accounts(rows)
    called = {} if rule is None else names(rule)
    head = [
        "request",
        "count",
        *(called.get(name, name) if name in ("renyi", "failures") else name for name in accounts),
    ]
    lines = [
        [row.asked.name, str(row.asked.count), *(text(row.costs.get(name, Fraction(0))) for name in accounts)]
        for row in rows
    ]
    lines.append(["all", str(sum(row.asked.count for row in rows)), *(text(_sum(rows, name)) for name in accounts)])
    if rule is None:
        yield from table(head, lines)
        return
    fits = ["yes" if row.fits else "no" for row in rows]
    fits.append("yes" if all(row.fits for row in rows) else "no")
    yield f"total: {rule.words}"
    yield ""
    yield from table([*head, "fits"], [[*line, word] for line, word in zip(lines, fits, strict=True)])
    lacking = missing(rows, rule)
    if lacking is not None:
        asked, refused = lacking
        yield ""
        yield f"{asked.name}: {refused}"
        order = better_order([row.asked for row in rows], rule) if isinstance(rule, Budget) else None
        if order is not None:
            yield f"all would fit into a budget that is opened with --order {shown(order)}"
