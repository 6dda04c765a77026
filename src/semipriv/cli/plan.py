"""``semipriv plan``: find the sizes for an excess error, or the excess error for given sizes."""

import argparse
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from semipriv.classes.base import HypothesisClass
from semipriv.cli._asked import (
    add_class,
    add_limits,
    add_population,
    check_place,
    class_parameters,
    keyed,
    limited,
    progress,
    scenario,
)
from semipriv.core import checks, registry, rooms
from semipriv.core.extras import extra
from semipriv.core.files import atomic
from semipriv.practice.planner.answer import learner_text, text
from semipriv.practice.planner.compare import built
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.of_learner import LearnerPlan, check_learner, learner_excess, learner_sizes
from semipriv.practice.planner.plan import ExcessPlan, SizePlan, plan_excess, plan_sizes
from semipriv.practice.planner.tasks import task_of

SIZES = {
    "n_public": "number of public points (instead of --alpha)",
    "n_private": "number of private examples, or of persons where these are protected (instead of --alpha)",
    "n": "size of a mixed sample, for learners of those",
    "n_labelled": "number of labelled private examples, for learners of partly labelled data",
    "n_unlabelled": "number of unlabelled private entries, for the same",
}
"""Sizes that may be given, and what they are."""


def add(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "plan",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        help="how many public points and private examples are needed, or what given ones achieve",
        description=(
            "With --alpha: how many public points and private examples a learner needs for an excess error of at most\n"
            "alpha, with probability 1 - beta.  With sizes instead: which excess error they allow.  The learner is\n"
            "A_SSPP unless --learner names another.  Reads no private row, and costs nothing.\n\n"
            "proven     by a theorem with explicit constants: the error at these sizes is at most alpha\n"
            "simulated  on one population, as an average over random targets: no proof\n\n"
            "For a learner without a theorem there is only a simulated answer.  Parameters of the class are options,\n"
            "too: --dimension 2, --bits 8, --orientation ge.  With --alpha and a named learner, --n-public fixes the\n"
            "number of public points."
        ),
        epilog=(
            "examples:\n"
            "  semipriv plan --class halfspaces --dimension 2 --alpha 0.05 --beta 0.05 --epsilon 1\n"
            "  semipriv plan --class thresholds --n-public 100 --n-private 5000 --beta 0.05 --epsilon 1 --json\n"
            "  semipriv plan --class thresholds --alpha 0.1 --epsilon 1 --learner rrspm --proven-only\n"
            "  semipriv plan --class linear_rules --dimension 8 --classes 3 --learner public_metric_multiclass \\\n"
            "      --epsilon 1 --n-public 200 --n-private 5000\n"
            "  semipriv plan --class intervals --alpha 0.1 --epsilon 1 --public points.parquet --features age\n"
            "  semipriv plan --class intervals --alpha 0.1 --epsilon 1 --public duckdb://clinic.duckdb \\\n"
            "      --table volunteers --features age"
        ),
    )
    asked = parser.add_argument_group("question")
    add_class(asked)
    asked.add_argument("--learner", default="sspp", help="learner (default sspp): " + ", ".join(_learners()))
    asked.add_argument(
        "--learner-parameter", action="append", default=[], metavar="KEY=VALUE", help="parameter of the learner"
    )
    asked.add_argument("--alpha", help="excess error, in (0, 1)")
    for key, what in SIZES.items():
        asked.add_argument(f"--{key.replace('_', '-')}", help=what)
    asked.add_argument("--beta", default="0.05", help="failure probability, in (0, 1) (default 0.05)")
    asked.add_argument("--epsilon", help="privacy parameter, 0.0001 to 100")
    asked.add_argument("--delta", help="delta of the learner (default 1e-6 where it must have one)")
    asked.add_argument("--realizable", action="store_true", help="some hypothesis of the class is always right")
    simulated = parser.add_argument_group("simulation")
    simulated.add_argument("--proven-only", action="store_true", help="do not simulate")
    add_population(simulated)
    simulated.add_argument("--mechanism", default="exponential", help="exponential (default) or permute_and_flip")
    simulated.add_argument("--trials", help="trials of a confirmation (default 5.5 / beta; more trials: smaller sizes)")
    output = parser.add_argument_group("output")
    add_limits(parser)
    output.add_argument("--json", action="store_true", help="machine-readable answer")
    output.add_argument("--picture", metavar="FILE", help="draw the answer (.png, .pdf)")
    parser.set_defaults(run=lambda options: _plan(parser, options), takes_rest=True)


def _learners() -> list[str]:
    return [name for name in registry.names("learners") if name != "sspp"]


def _plan(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    by_theorem = options.learner == "sspp" and not options.learner_parameter
    room = registry.room_of(rooms.of("class"), options.name)
    if by_theorem and room != "classes":
        raise ValueError(f"class {options.name!r}: A_SSPP learns labels 0 and 1, name a --learner of these functions")
    parameters = class_parameters(parser, options, room)
    check_place(options)
    sizes = {key: checks.size(key, n) for key in SIZES if (n := getattr(options, key)) is not None}
    if by_theorem:
        _check_question(options, sizes)
    if options.proven_only and options.public is not None:
        raise ValueError("--proven-only: holds for every distribution, --public is for the simulation")
    picture = None if options.picture is None else _file(options.picture)
    beta = checks.between("beta", options.beta, 0, 1)
    epsilon = None if options.epsilon is None else checks.positive("epsilon", options.epsilon)
    if by_theorem and epsilon is None:
        raise ValueError("the following arguments are required: --epsilon")
    if by_theorem and options.delta is not None:
        raise ValueError("--delta: A_SSPP has none")
    if not by_theorem and picture is not None:
        raise ValueError("--picture: draws plans of A_SSPP without parameters")
    alpha = None if options.alpha is None else checks.between("alpha", options.alpha, 0, 1)
    h = registry.build(room, {"name": options.name, **parameters})
    with limited(options):
        if by_theorem:
            plan: SizePlan | ExcessPlan | LearnerPlan = _of_sspp(options, h, alpha, sizes, beta, epsilon)
        else:
            plan = _of_learner(options, h, alpha, sizes, beta)
    if picture is not None and not isinstance(plan, LearnerPlan):
        _draw(plan, picture)
    answer = learner_text(plan) if isinstance(plan, LearnerPlan) else text(plan)
    print(json.dumps(plan.to_dict(), indent=2, allow_nan=False) if options.json else answer)
    return 0


def _check_question(options: argparse.Namespace, sizes: Mapping[str, int]) -> None:
    other = sizes.keys() - {"n_public", "n_private"}
    if other:
        raise ValueError(f"--{min(other).replace('_', '-')}: is not a size of A_SSPP, name a --learner")
    if (options.alpha is None) == (not sizes) or (options.alpha is None and len(sizes) < 2):
        raise ValueError("give either --alpha, or --n-public and --n-private")


def _of_sspp(
    options: argparse.Namespace,
    h: HypothesisClass,
    alpha: float | None,
    sizes: Mapping[str, int],
    beta: float,
    epsilon: Any,
) -> SizePlan | ExcessPlan:
    """Answer for A_SSPP, with the rows of its theorem."""
    common: dict[str, Any] = {"realizable": options.realizable, "report": progress}
    common["scenario"] = _scenario(options, h, round(100 / alpha) if alpha else 20 * sizes["n_public"])
    if alpha is not None:
        return plan_sizes(h, alpha, beta, epsilon, **common)
    return plan_excess(h, sizes["n_public"], sizes["n_private"], beta, epsilon, **common)


def _of_learner(
    options: argparse.Namespace, h: Any, alpha: float | None, sizes: Mapping[str, int], beta: float
) -> LearnerPlan:
    """Answer for a named learner; without --alpha the sizes are the question, with it they are held."""
    if alpha is None and not sizes:
        raise ValueError("give --alpha, or the sizes")
    delta = checks.delta("delta", "1e-6" if options.delta is None else options.delta)
    epsilon = None if options.epsilon is None else checks.positive("epsilon", options.epsilon)
    parameters = keyed("learner-parameter", options.learner_parameter)
    if options.delta is not None:
        if "delta" not in registry.keys("learners", options.learner):
            raise ValueError(f"--delta: learner {options.learner!r} has none")
        parameters.setdefault("delta", delta)
    learner = built(options.learner, epsilon, delta, parameters)
    check_learner(learner, h, epsilon)
    simulated = not options.proven_only and learner.output_kind == task_of(h).kind and not learner.set_by_plan
    common: dict[str, Any] = {"realizable": options.realizable, "report": progress}
    atoms = round(100 / alpha) if alpha else 20 * sizes.get("n_public", 100)
    common["scenario"] = _scenario(options, h, atoms) if simulated else None
    if alpha is not None:
        return learner_sizes(h, learner, alpha, beta, held=sizes, **common)
    return learner_excess(h, learner, sizes, beta, **common)


def _scenario(options: argparse.Namespace, hypothesis_class: Any, atoms: int) -> Scenario | None:
    """Return the scenario to simulate; None for --proven-only."""
    return None if options.proven_only else scenario(options, hypothesis_class, atoms, options.mechanism)


def _file(given: str) -> Path:
    """Return the file of a picture; raise ValueError, before anything is computed, if it cannot be drawn there."""
    picture = Path(given)
    if picture.suffix not in (".png", ".pdf") or not picture.parent.is_dir():
        raise ValueError(f"--picture {picture}: must be a .png or .pdf file in a folder that is there")
    with extra("figures", "pictures"):
        import_module("semipriv.practice.planner._figure")
    return picture


def _draw(plan: SizePlan | ExcessPlan, path: Path) -> None:
    """Write the picture; after an error there is no partial file."""
    from semipriv.drawing.files import save_as  # noqa: PLC0415
    from semipriv.practice.planner._figure import draw  # noqa: PLC0415  (slow imports, for pictures only)

    with atomic(path) as target:
        save_as(draw(plan), target)
