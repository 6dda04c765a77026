"""``semipriv compare``: which learner reaches an excess error with the fewest private examples, by simulation."""

import argparse
import dataclasses
import json
from typing import Any

from semipriv.cli._asked import (
    add_class,
    add_limits,
    add_population,
    class_parameters,
    keyed,
    limited,
    progress,
    scenario,
)
from semipriv.core import checks, registry, rooms
from semipriv.learners._planned import check_epsilon
from semipriv.practice.planner.answer import comparison_text
from semipriv.practice.planner.compare import built, compare, suitable


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "compare",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="which learner reaches an excess error with the fewest private examples, by simulation",
        description=(
            "Compares learners: which needs the fewest private examples for an excess error of at most alpha, with\n"
            "probability 1 - beta.\n\n"
            "This is a simulation on one population: the rows of a PUBLIC table, or a default distribution.  It\n"
            "proves nothing for other populations.  Do not try learners on private rows instead: every try would\n"
            "spend budget.\n\n"
            "Limits come from fresh trials, whose number is fixed in advance.  All limits of the table hold together\n"
            "with 95 % confidence.  The reference minimises mistakes without privacy."
        ),
        epilog=(
            "examples:\n"
            "  semipriv compare --class thresholds --alpha 0.1 --epsilon 1 --learners sspp,rrspm --n-public 100\n"
            "  semipriv compare --class linear --dimension 5 --alpha 0.02 --epsilon 1 --n-public 200\n"
            "  semipriv compare --class intervals --alpha 0.1 --epsilon 1 --public points.csv --features age --json"
        ),
    )
    asked = parser.add_argument_group("question")
    add_class(asked)
    asked.add_argument("--learners", default="all", metavar="A,B", help="learners (default: all that suit the class)")
    asked.add_argument(
        "--learner-parameter", action="append", default=[], metavar="NAME.KEY=VALUE", help="parameter of a learner"
    )
    asked.add_argument("--alpha", required=True, help="excess error, in (0, 1)")
    asked.add_argument("--beta", default="0.1", help="failure probability, in (0, 1) (default 0.1)")
    asked.add_argument("--epsilon", required=True, help="privacy parameter, 0.0001 to 100")
    asked.add_argument("--delta", default="1e-6", help="delta of learners that need one (default 1e-6)")
    asked.add_argument("--n-public", default="100", help="number of public points (default 100)")
    asked.add_argument("--most", default="20000", help="most private examples that are tried (default 20000)")
    asked.add_argument("--realizable", action="store_true", help="some hypothesis of the class is always right")
    simulated = parser.add_argument_group("simulation")
    add_population(simulated)
    simulated.add_argument(
        "--person",
        metavar="A,B",
        help="columns of --public that name a person: sizes are numbers of persons, drawn with all their rows",
    )
    simulated.add_argument("--trials", help="trials of each confirmation (default: what the limits need)")
    add_limits(parser)
    parser.add_argument("--json", action="store_true", help="machine-readable answer")
    parser.set_defaults(run=lambda options: _compare(parser, options), takes_rest=True)


def _compare(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    room = registry.room_of(rooms.of("class"), options.name)
    parameters = class_parameters(parser, options, room)
    alpha, beta = (checks.between(name, getattr(options, name), 0, 1) for name in ("alpha", "beta"))
    epsilon, delta = check_epsilon(checks.real("epsilon", options.epsilon)), checks.delta("delta", options.delta)
    n_public, most = checks.size("n_public", options.n_public), checks.size("most", options.most)
    h = registry.build(room, {"name": options.name, **parameters})
    by_learner = _parameters(options)
    if options.person is not None and options.public is None:
        raise ValueError("--person: names columns of --public, which is not given")
    person = None if options.person is None else options.person.split(",")
    asked = scenario(options, h, max(round(100 / alpha), 20 * n_public), person=person)
    left: list[tuple[str, str]] = []
    if options.learners == "all":
        if by_learner:
            raise ValueError("--learner-parameter: is for learners that --learners names")
        learners, left = suitable(asked, epsilon, delta, n_public)
    else:
        names = options.learners.split(",")
        for name in by_learner:
            registry.check_name("learner of --learner-parameter", name, names)
        learners = [built(name, epsilon, delta, by_learner.get(name, {})) for name in names]
    with limited(options):
        comparison = compare(asked, learners, alpha, beta, n_public=n_public, most=most, report=progress)
    comparison = dataclasses.replace(comparison, left_out=tuple(left))
    print(json.dumps(comparison.to_dict(), indent=2, allow_nan=False) if options.json else comparison_text(comparison))
    return 0


def _parameters(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the parameters of each learner by name."""
    parameters: dict[str, dict[str, Any]] = {}
    for key, values in keyed("learner-parameter", options.learner_parameter).items():
        name, dot, parameter = key.partition(".")
        if not dot:
            raise ValueError(f"--learner-parameter {key}: must be NAME.KEY=VALUE")
        parameters.setdefault(name, {})[parameter] = values
    return parameters
