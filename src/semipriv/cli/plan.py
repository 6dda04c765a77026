"""``semipriv plan``: find the sizes for an excess error, or the excess error for given sizes."""

import argparse
import inspect
import json
import sys
from pathlib import Path
from typing import Any

from semipriv import checks, registry
from semipriv.classes.base import HypothesisClass
from semipriv.files import atomic
from semipriv.planner.answer import text
from semipriv.planner.empirical import Scenario
from semipriv.planner.plan import ExcessPlan, SizePlan, plan_excess, plan_sizes
from semipriv.planner.population import default_population, read_population
from semipriv.randomness import Simulation


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "plan",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="how many public points and private examples are needed, or what given ones achieve",
        description=(
            "How many public points and private examples A_SSPP needs for an excess error of at most alpha with\n"
            "probability 1 - beta; or, with --n-public and --n-private, which excess error they allow.\n\n"
            "proven     by theorem 3.1 of ABM19 with its constants, for every distribution\n"
            "simulated  on one population, as an average over random targets: no proof\n\n"
            "Parameters of the class are options too: --dimension 2, --bits 8, --orientation ge."
        ),
        epilog=(
            "examples:\n"
            "  semipriv plan --class halfspaces --dimension 2 --alpha 0.05 --beta 0.05 --epsilon 1\n"
            "  semipriv plan --class thresholds --n-public 100 --n-private 5000 --beta 0.05 --epsilon 1 --json\n"
            "  semipriv plan --class intervals --alpha 0.1 --epsilon 1 --public points.parquet --features age"
        ),
    )
    asked = parser.add_argument_group("question")
    asked.add_argument("--class", dest="name", required=True, help="hypothesis class: " + _classes())
    asked.add_argument("--parameter", action="append", default=[], metavar="KEY=VALUE", help="parameter of the class")
    asked.add_argument("--alpha", help="excess error, in (0, 1)")
    asked.add_argument("--n-public", help="number of public points (instead of --alpha)")
    asked.add_argument("--n-private", help="number of private examples (instead of --alpha)")
    asked.add_argument("--beta", default="0.05", help="failure probability, in (0, 1) (default 0.05)")
    asked.add_argument("--epsilon", required=True, help="privacy parameter, > 0")
    asked.add_argument("--realizable", action="store_true", help="some hypothesis of the class is always right")
    simulated = parser.add_argument_group("simulation")
    simulated.add_argument("--proven-only", action="store_true", help="do not simulate")
    simulated.add_argument(
        "--public", metavar="FILE", help="PUBLIC table (.parquet, .csv), its rows the population; never private rows"
    )
    simulated.add_argument("--features", metavar="A,B", help="columns of the table in order (default: all)")
    simulated.add_argument("--noise", help="probability that a label is flipped (default 0.1; 0 if realizable)")
    simulated.add_argument("--mechanism", default="exponential", help="exponential (default) or permute_and_flip")
    simulated.add_argument("--trials", help="trials of a confirmation (default 5.5 / beta; more trials: smaller sizes)")
    simulated.add_argument("--seed", default="0", help="seed of the simulation (default 0)")
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="machine-readable answer")
    output.add_argument("--picture", metavar="FILE", help="draw the answer (.png, .pdf)")
    parser.set_defaults(run=lambda options, rest: _plan(options, _class_parameters(parser, options, rest)))


def _classes() -> str:
    return ", ".join(registry.names("classes"))


def _class_parameters(parser: argparse.ArgumentParser, options: argparse.Namespace, rest: list[str]) -> dict[str, Any]:
    """Return the parameters of the class: from --parameter KEY=VALUE and from options unknown to the parser."""
    registry.check_name("class", options.name, registry.names("classes"))
    given, words = list(options.parameter), list(rest)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise ValueError(f"{word!r}: is no option")
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if not equals and not words:
            raise ValueError(f"--{key}: needs a value")
        given.append(f"{key}={value if equals else words.pop(0)}")
    parameters: dict[str, Any] = {}
    known = list(inspect.signature(registry.load("classes", options.name)).parameters)
    known += [action.option_strings[-1][2:] for action in parser._actions]
    for entry in given:
        key, equals, value = entry.partition("=")
        if not equals:
            raise ValueError(f"--parameter {entry}: must be KEY=VALUE")
        registry.check_name("option", key, known)
        if key in parameters:
            raise ValueError(f"--{key}: is given twice")
        parameters[key] = _value(value)
    return parameters


def _value(word: str) -> Any:
    """Return the number or list that a word is in JSON; other words as they are."""
    try:
        return json.loads(word)
    except ValueError:
        return word


def _plan(options: argparse.Namespace, parameters: dict[str, Any]) -> int:
    sizes = (options.n_public, options.n_private)
    if (options.alpha is None) == (sizes == (None, None)) or (options.alpha is None and None in sizes):
        raise ValueError("give either --alpha, or --n-public and --n-private")
    picture = None if options.picture is None else Path(options.picture)
    if picture is not None and (picture.suffix not in (".png", ".pdf") or not picture.parent.is_dir()):
        raise ValueError(f"--picture {picture}: must be a .png or .pdf file in a folder that is there")
    beta, epsilon = checks.between("beta", options.beta, 0, 1), checks.positive("epsilon", options.epsilon)
    h = registry.build("classes", {"name": options.name, **parameters})
    common: dict[str, Any] = {"realizable": options.realizable, "report": _progress}
    plan: SizePlan | ExcessPlan
    if options.alpha is not None:
        alpha = checks.between("alpha", options.alpha, 0, 1)
        common["scenario"] = _scenario(options, h, round(100 / alpha))
        plan = plan_sizes(h, alpha, beta, epsilon, **common)
    else:
        n_public, n_private = (checks.size(name, n) for name, n in zip(("n_public", "n_private"), sizes, strict=True))
        common["scenario"] = _scenario(options, h, 20 * n_public)
        plan = plan_excess(h, n_public, n_private, beta, epsilon, **common)
    if picture is not None:
        _draw(plan, picture)
    print(json.dumps(plan.to_dict(), indent=2, allow_nan=False) if options.json else text(plan))
    return 0


def _scenario(options: argparse.Namespace, hypothesis_class: HypothesisClass, atoms: int) -> Scenario | None:
    """Return the scenario to simulate; None for --proven-only."""
    if options.proven_only and options.public is not None:
        raise ValueError("--proven-only: holds for every distribution, --public is for the simulation")
    if options.proven_only:
        return None
    seed = checks.size("seed", options.seed, 0)
    if options.public is not None:
        features = None if options.features is None else options.features.split(",")
        population = read_population(hypothesis_class, options.public, features)
    elif options.features is not None:
        raise ValueError("--features: names columns of --public, which is not given")
    else:
        population = default_population(hypothesis_class, atoms, Simulation(seed).spawn("population"))
    noise = (0.0 if options.realizable else 0.1) if options.noise is None else checks.real("noise", options.noise)
    trials = None if options.trials is None else checks.size("trials", options.trials)
    return Scenario(population, options.mechanism, noise, trials, seed)


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _draw(plan: SizePlan | ExcessPlan, path: Path) -> None:
    """Write the picture; after an error there is no partial file."""
    from semipriv.figures._plan import draw  # noqa: PLC0415  (slow imports, for pictures only)
    from semipriv.figures.base import save_as  # noqa: PLC0415

    with atomic(path) as target:
        save_as(draw(plan), target)
