"""Simulated trials of any learner of labels or of numbers on a population of public points."""

from collections.abc import Iterator, Mapping
from typing import Any

from semipriv.core import registry
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Points, StatusModel
from semipriv.learners._needs import size_keys
from semipriv.learners.base import AnyLearner, status_model
from semipriv.practice.planner.empirical import LARGEST_SAMPLE
from semipriv.practice.planner.population import Population
from semipriv.practice.planner.tasks import task_of
from semipriv.practice.sums.by_person import release_by_person
from semipriv.privacy.guarantee import by_person


def check_simulated(learner: AnyLearner, hypothesis_class: Any) -> None:
    """Raise ValueError for a learner whose trials have no excess error here, or whose parameters follow from alpha."""
    kind = task_of(hypothesis_class).kind
    if learner.output_kind != kind:
        raise ValueError(
            f"{learner.short_title}: releases no {kind}; {registry.name_of(hypothesis_class)!r} is for learners that "
            f"do: {', '.join(_names(kind))}"
        )
    if learner.set_by_plan:
        names = ", ".join(learner.set_by_plan)
        raise ValueError(f"{learner!r}: {names} follow from alpha, it is not simulated (`semipriv plan --proven-only`)")


def _names(kind: str) -> list[str]:
    """Return the names of learners whose output is of a kind, and whose parameters a simulation can set."""
    learners = {name: registry.load("learners", name) for name in registry.names("learners")}
    return [name for name, learner in learners.items() if learner.output_kind == kind and not learner.set_by_plan]


def excesses(
    population: Population,
    learner: AnyLearner,
    sizes: Mapping[str, int],
    noise: float,
    trials: int,
    randomness: Simulation,
) -> Iterator[float]:
    """Yield exact excess errors of independent trials, each with its target, samples and draw."""
    for i in range(trials):
        yield excess(population, learner, sizes, noise, randomness.spawn(*sizes.values(), i))


def excess(
    population: Population, learner: AnyLearner, sizes: Mapping[str, int], noise: float, randomness: Simulation
) -> float:
    """Return the exact excess error of one release on random atoms whose labels are replaced with probability noise.

    sizes: by the learner's ``size_keys``.  n: a mixed sample; its ones are private, or, for a learner that allows any
    statuses, those of a fair coin.  Where the population has persons, private ones are drawn, each with all rows, and
    released by person.  Raise ValueError for more than 10^7 rows.
    """
    for name, n in sizes.items():
        if n > LARGEST_SAMPLE:
            raise ValueError(f"{name} = {n}: the simulation draws at most {LARGEST_SAMPLE}")
    task = task_of(population.hypothesis_class)
    if population.persons is not None:
        _check_persons(learner)
    truth = task.truth(population, randomness.spawn("target"))

    def drawn(n: int, name: str) -> tuple[Points, Any]:
        rows = population.rows(n, randomness.spawn(name))
        return population.atoms[rows], task.disturbed(truth[rows], noise, randomness.spawn(name, "noise"))

    if size_keys(learner) == ("n",):
        x, y = drawn(sizes["n"], "mixed")
        is_private = y == 1
        if status_model(learner) is StatusModel.ANY:
            is_private = randomness.spawn("statuses").generator.random(len(y)) < 1 / 2
        public, private = (x[~is_private], y[~is_private]), (x[is_private], y[is_private])
    else:
        public = drawn(sizes.get("n_public", 0), "public")
        private = drawn(sizes["n_labelled"] if "n_labelled" in sizes else sizes["n_private"], "private")
    labels = public[1] if learner.public_stage.needs_labels else None
    prepared = learner.prepare(public[0], population.hypothesis_class, labels)
    options: dict[str, Any] = {}
    if learner.reads_unlabelled:
        options["unlabelled"] = ListedEntries(drawn(sizes["n_unlabelled"], "unlabelled")[0])
    draw = randomness.spawn("draw")
    if population.persons is None:
        released = learner.release(prepared, *private, draw, **options)
    else:
        rows, persons = population.visits(sizes["n_private"], randomness.spawn("persons"))
        labelled = task.disturbed(truth[rows], noise, randomness.spawn("persons", "noise"))
        released = release_by_person(learner, prepared, population.atoms[rows], labelled, persons, draw)
    return task.excess(released.output.predict(population.atoms), truth, noise, population.weights)


def _check_persons(learner: AnyLearner) -> None:
    """Raise ValueError for a learner whose private examples are no persons."""
    if learner.reads_unlabelled or "n_private" not in size_keys(learner):
        raise ValueError("learns from a mixed sample, whose rows are not those of persons")
    if learner.guarantee is not None:
        by_person(learner.guarantee)
