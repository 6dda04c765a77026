"""Properties of every learner: guarantee, exact privacy on tiny domains, distribution against draws, degenerate data.

A new file in learners/ is picked up by itself; it says with ``examples`` on which learners it is checked.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

from semipriv.audit.exact import learner_privacy_loss, outcomes
from semipriv.audit.properties.every_entry import EveryEntry
from semipriv.audit.properties.outside import examples, is_outside
from semipriv.classes.base import HypothesisClass
from semipriv.classes.decision_stumps import DecisionStumps
from semipriv.classes.discrete_rectangles import DiscreteRectangles
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.rectangles import Rectangles
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.arrays import ARRAYS, Arrays, from_column, to_column
from semipriv.core.entries import ListedEntries
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.core.roles import Role
from semipriv.core.samples import StatusModel
from semipriv.core.sharing import sharing
from semipriv.distributions.designs._inference import size_keys
from semipriv.learners._partly_labelled import PartlyLabelledLearner
from semipriv.learners.base import FiniteOutput, Learner, Protection, Setting, status_model
from semipriv.learners.outputs.base import described, restored
from semipriv.learners.pooled import Pooled
from semipriv.privacy.guarantee import Guarantee, Neighbours

OTHERS = ("regressor", "classifier")
"""Learners of responses, and of more than two labels, have properties of their own."""
NAMES = [name for name in registry.names("learners") if registry.load("learners", name).output_kind not in OTHERS]
LEARNERS = [
    pytest.param(learner, id=f"{name}-{i}")
    for name in NAMES
    for i, learner in enumerate(registry.load("learners", name).examples() or ())
]
WITH_SPECIMEN = [*LEARNERS, pytest.param(EveryEntry(0.8), id="every_entry")]
"""And one that reads unlabelled entries, which is in no file of the room."""
WITH_DISTRIBUTION = [
    p
    for p in WITH_SPECIMEN
    if p.values[0].output_kind == "hypothesis" and p.values[0].releasable and p.values[0].facts.distribution_is_listed
    if isinstance(p.values[0], FiniteOutput) or not is_outside(p.values[0])
]
"""Methods of query release have own audits, and so have learners with real-valued noise."""
HYPOTHESES = ("hypothesis", "transcript")
"""Kinds of outputs that predict labels."""
CLASSES = [
    Thresholds(),
    Thresholds("le"),
    Halfspaces(1),
    Halfspaces(2),
    DecisionStumps(2),
    Intervals(),
    Rectangles(2),
]
FEW = [Thresholds(), Halfspaces(1), Halfspaces(2)]
"""For properties that do not look at the class: each learner learns one of them, or one of FINITE."""
FINITE = [DiscreteThresholds(3), DiscreteThresholds(3, "ge")]
"""For learners of finite classes, instead of the others."""
PLANE = [DiscreteRectangles(2, 2)]
"""For those that learn none of them either."""


def known_classes(learner: Learner, classes: list[HypothesisClass]) -> list[HypothesisClass]:
    """Those of the classes that a learner can learn; if it can learn none, finite ones, or those of plug-in folders."""
    known = ([h for h in some if suits(learner, h)] for some in (classes, FINITE, PLANE, examples("classes")))
    return next(filter(None, known), [])


def size_for(learner: Learner, h: HypothesisClass, least: int = 6) -> int:
    """A number of labelled examples that the learner can run with: the next one, or else the last one before."""
    for n in (*range(least, 2_000), *range(least - 1, 0, -1)):
        with suppress(ValueError):
            learner.check_private(n)
            if isinstance(learner, PartlyLabelledLearner):
                learner.unlabelled_needed(n, h)
            return n
    raise AssertionError(f"{learner!r}: examples() must name a learner that runs with fewer than 2,000 examples")


def entries_for(learner: Learner, h: HypothesisClass, n: int) -> dict[str, ListedEntries]:
    """Unlabelled entries, as many as a learner needs beside n labelled examples; nothing for other learners."""
    if not isinstance(learner, PartlyLabelledLearner):
        return {}
    needed = learner.unlabelled_needed(n, h)
    known = np.arange(float(needed))[:, None] * np.ones((1, h.dimension))
    known = known if h.example_points is None else np.resize(h.example_points, (needed, h.dimension))
    return {"unlabelled": ListedEntries(known)}


def inside(h: HypothesisClass, points: np.ndarray) -> np.ndarray:
    """The points, or, for a class over integers, the integers next to them that are in the domain."""
    return points if h.example_points is None else np.clip(np.rint(points), 0, h.example_points.max())


def prepare(learner: Learner, hypothesis_class: HypothesisClass, points: np.ndarray):
    return learner.prepare(points, hypothesis_class, public_labels(learner, points))


def public_labels(learner: Learner, points: np.ndarray) -> np.ndarray | None:
    """Labels that public points may have, for a learner that needs them."""
    if not learner.public_stage.needs_labels:
        return None
    ones = status_model(learner) is not StatusModel.LABEL_DETERMINED
    return (points.sum(axis=1) > 1).astype(int) * ones


def private_labels(learner: Learner, labels: np.ndarray) -> np.ndarray:
    """The labels, or all ones for a learner whose private examples have label 1."""
    return labels if status_model(learner) is StatusModel.ANY else np.ones_like(labels)


def used(output: Any, points: np.ndarray) -> np.ndarray:
    """What an output says: labels of points, or answers to the queries of a cover of points."""
    if output.kind in HYPOTHESES:
        return output.predict(points)
    answers = output.answer(output.functions.cover(points).listed().parameters)
    assert np.all(answers >= (-1 if output.scale == "pm1" else 0))
    assert np.all(answers <= 1)
    return answers


def suits(learner: Learner, hypothesis_class: HypothesisClass) -> bool:
    try:
        learner.check(hypothesis_class)
    except ValueError:
        return False
    return True


def each_with(classes: list[HypothesisClass], learners: list = WITH_SPECIMEN) -> pytest.MarkDecorator:
    """Parameters ``learner`` and ``hypothesis_class``: each learner with each of the classes that it can learn."""
    cases = [
        pytest.param(p.values[0], hypothesis_class, id=f"{p.id}-{hypothesis_class!r}")
        for p in learners
        for hypothesis_class in known_classes(p.values[0], classes)
    ]
    return pytest.mark.parametrize(("learner", "hypothesis_class"), cases)


def of_one_orientation(cases: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """Of cases whose classes differ by orientation alone, one: properties of classes have all orientations."""
    names, parameters = cases.args
    kept = {re.sub(r"orientation='\w+'", "", case.id): case for case in parameters}
    return pytest.mark.parametrize(names, list(kept.values()))


def by_learner(parameters: Iterable[Any]) -> list[list[Any]]:
    """The cases of each learner, in their order."""
    cases: dict[str, list[Any]] = {}
    for p in parameters:
        cases.setdefault(repr(p.values[0]), []).append(p)
    return list(cases.values())


def covering(cases: pytest.MarkDecorator, *, last: bool = False) -> pytest.MarkDecorator:
    """Each learner with one of its classes, in turn, and each class with a learner; other cases are exhaustive.

    last: and each learner with the last of its classes.
    All are checked by ``make test-exhaustive``, and of a plug-in by ``semipriv check``.
    """
    names, parameters = cases.args
    chosen = [known[i % len(known)] for i, known in enumerate(by_learner(parameters))]
    chosen += [known[-1] for known in by_learner(parameters) if last]
    met = {repr(p.values[1]) for p in chosen}
    chosen += {repr(p.values[1]): p for p in parameters if repr(p.values[1]) not in met}.values()
    others = (pytest.param(*p.values, id=p.id, marks=pytest.mark.exhaustive) for p in parameters)
    return pytest.mark.parametrize(
        names, [p if p in chosen else other for p, other in zip(parameters, others, strict=True)]
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_learner_has_an_example(name: str) -> None:
    assert registry.load("learners", name).examples(), f"learners/{name}.py: examples() must return one at least"


@pytest.mark.parametrize("classes", [CLASSES, FEW], ids=["all", "few"])
@pytest.mark.parametrize("learner", WITH_SPECIMEN)
def test_no_property_passes_a_learner_by(learner: Learner, classes: list[HypothesisClass]) -> None:
    """Properties leave out the classes that a learner cannot learn; without any class they would say nothing."""
    assert known_classes(learner, classes)


@pytest.mark.parametrize("learner", WITH_SPECIMEN)
def test_guarantee(learner: Learner) -> None:
    if learner.protection is Protection.NONE:
        assert learner.guarantee is None
        return
    if isinstance(learner, PartlyLabelledLearner):  # how large it is, each accountant says
        assert learner.guarantee.neighbours is Neighbours.REPLACE_ENTRY
        return
    expected = getattr(learner, "epsilon", getattr(getattr(learner, "learner", None), "epsilon", 0.0))
    labels_are_public = status_model(learner) is not StatusModel.ANY
    neighbours = Neighbours.REPLACE_PRIVATE_FEATURES if labels_are_public else Neighbours.REPLACE_PRIVATE_EXAMPLE
    assert learner.guarantee == Guarantee(expected, getattr(learner, "delta", 0.0), neighbours)


@covering(of_one_orientation(each_with(CLASSES, WITH_DISTRIBUTION)), last=True)
def test_exact_privacy_on_a_tiny_domain(learner: Learner, hypothesis_class: HypothesisClass) -> None:
    """The largest loss over all data sets and neighbours is at most epsilon, and not trivially small.

    Three examples, of each point one, for the last of a learner's classes; two for the others.
    """
    grid = np.arange(3.0)[:, None] if hypothesis_class.dimension == 1 else np.array([[0, 0], [0, 1.0], [1, 0]])
    known = public_labels(learner, grid)
    if learner.protection is Protection.NONE:
        with pytest.raises(ValueError, match=r"no finite output distribution|no guarantee"):
            learner_privacy_loss(learner, hypothesis_class, grid, grid, 1, known)
        return
    largest = hypothesis_class in CLASSES and hypothesis_class == known_classes(learner, CLASSES)[-1]
    sizes = (1, 3) if largest else (1, 2)
    for n in sorted({size_for(learner, hypothesis_class, n) for n in sizes}):
        epsilon = learner.guarantee_of(n).epsilon  # the less, maybe, the more examples there are
        assert epsilon <= learner.guarantee.epsilon
        rest = entries_for(learner, hypothesis_class, n)
        worst = learner_privacy_loss(
            learner, hypothesis_class, grid, grid, n, known, n_unlabelled=rest["unlabelled"].n if rest else 0
        )
        loss = worst.loss
        assert loss <= epsilon * (1 + 1e-9), f"{worst.data} and {worst.neighbour}, n = {n}: loss {loss} > {epsilon}"
        assert worst.within_claim
        # nobody knows how much a stranger's proof gives away
        least = 0.01 if is_outside(learner) else learner.facts.least_loss
        assert loss >= least * epsilon, "the audit sees that the output depends on the data"


DRAWN: list[HypothesisClass] = [Halfspaces(1), Halfspaces(2), Intervals(), Thresholds(), Rectangles(2)]


def hardest(learner: Learner) -> list[HypothesisClass]:
    """Intervals for learners that do not learn rectangles, halfspaces for those that learn nothing else."""
    known = known_classes(learner, DRAWN)
    harder = {Intervals: Rectangles(2), Halfspaces: Intervals()}
    return [h for h in known if harder.get(type(h)) not in known]


def sampled() -> Iterator[Any]:
    """Exact draws of the first example of a file, for one class in turn; seeded ones of its others, for the last class.

    Exact draws of all for all classes, and seeded ones of all for the last, are exhaustive.
    """
    files = set[str]()
    for i, p in enumerate(p for p in WITH_DISTRIBUTION if p.values[0].protection is Protection.PRIVATE):
        classes, first = hardest(p.values[0]), p.id.rpartition("-")[0] not in files
        files.add(p.id.rpartition("-")[0])
        exact = [(h, Secure(), first and turn == i % len(classes)) for turn, h in enumerate(classes)]
        for h, randomness, usual in (*exact, (classes[-1], Simulation(3), not first)):
            marks = () if usual else pytest.mark.exhaustive
            yield pytest.param(p.values[0], h, randomness, id=f"{p.id}-{h!r}-{randomness.source}", marks=marks)


@pytest.mark.parametrize(("learner", "hypothesis_class", "randomness"), list(sampled()))
def test_draws_follow_the_distribution(
    learner: Learner, hypothesis_class: HypothesisClass, randomness: Randomness
) -> None:
    """Covers listed and not; test_draws has the exact distribution of each cover; the false alarm rate is 1e-6.

    Draws are as many as tell SSPP(1.0) from twice its rate; half of them do not.
    """
    generator, d = np.random.default_rng(5), hypothesis_class.dimension
    public, x = np.rint(generator.random((5, d)) * 3), inside(hypothesis_class, generator.random((9, d)) * 3)
    limit = learner.facts.most_listed
    public = public if limit is None else np.unique(public, axis=0)[:limit]
    y = private_labels(learner, (generator.random(9) < 0.5).astype(int))
    prepared, rest = prepare(learner, hypothesis_class, public), entries_for(learner, hypothesis_class, 9)
    distribution = outcomes(learner.output_distribution(prepared, x, y, **rest))
    probabilities = np.exp(list(distribution.values()))
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    place = {hypothesis: i for i, hypothesis in enumerate(distribution)}
    draws = min(
        3_000, max(1_200, 20 * len(distribution))
    )  # enough of each outcome, or of the likely ones among hundreds
    counts = np.zeros(len(place))
    with sharing():  # what many releases may share is made once; how they are drawn is the same
        for _ in range(draws):
            counts[place[tuple(learner.release(prepared, x, y, randomness, **rest).output.parameters.tolist())]] += 1
    often = draws * probabilities >= 20
    assert often.sum() > min(3, len(place) - 1)  # four likely outcomes, or all
    observed, expected = (np.append(a[often], a[~often].sum()) for a in (counts, draws * probabilities))
    if expected[-1] < 20:
        observed, expected = observed[:-1], expected[:-1] * observed[:-1].sum() / expected[:-1].sum()
    assert len(place) == 1 or chisquare(observed, expected).pvalue > 1e-6


DEGENERATE = {
    "no public point": np.empty((0, 2)),
    "one public point": np.array([[1.0, 1.0]]),
    "one public point many times": np.full((5, 2), 1.0),
    "collinear public points": np.column_stack([np.arange(5.0), 2 * np.arange(5.0)]),
}


@covering(each_with(CLASSES))
def test_degenerate_public_and_private_data(learner: Learner, hypothesis_class: HypothesisClass) -> None:
    """No public point, one, copies, a line; private labels all equal; no private example.

    What is prepared comes back from its arrays: the same arrays, the same draws from the same stream, byte for byte.
    """
    d, n = hypothesis_class.dimension, size_for(learner, hypothesis_class)
    x = inside(hypothesis_class, np.random.default_rng(0).random((n, d)))
    rest = entries_for(learner, hypothesis_class, n)
    for points in DEGENERATE.values():
        prepared = prepare(learner, hypothesis_class, inside(hypothesis_class, points[:, :d]))
        for pattern in (np.zeros(n, int), np.ones(n, int), np.resize([0, 1, 0, 1, 1, 0], n)):
            labels = private_labels(learner, pattern)
            release = learner.release(prepared, x, labels, Simulation(1), **rest)
            predicted = used(release.output, x)
            assert predicted.shape == (n if release.output.kind in HYPOTHESES else hypothesis_class.growth(6),) or d > 1
            assert release.guarantee == learner.guarantee
        if (refused := refusal(learner, 0)) is not None:
            with pytest.raises(ValueError, match=re.escape(refused)):
                learner.release(prepared, x[:0], labels[:0], Simulation(1))
        elif learner.output_kind not in HYPOTHESES:
            with pytest.raises(ValueError, match="0 private examples, must be at least one"):
                learner.release(prepared, x[:0], labels[:0], Simulation(1))
        elif isinstance(learner, PartlyLabelledLearner):
            with pytest.raises(ValueError, match=r"n_unlabelled = .*: must be >= .* for .* with n_labelled = "):
                learner.release(prepared, x, labels, Simulation(1), ListedEntries(rest["unlabelled"].points[1:]))
            with pytest.raises(ValueError, match=r"n_unlabelled = 0: must be >= "):
                learner.release(prepared, x, labels, Simulation(1))
        elif learner.protection is Protection.PRIVATE:
            assert learner.release(prepared, x[:0], labels[:0], Simulation(1)).output.predict(x).dtype == bool
        column = pa.array([to_column(prepared.arrays())], ARRAYS)
        again = learner.public_stage.restore(from_column(column[0]), hypothesis_class)
        check_same(learner, "what its stage prepared, and what `restore` makes of that,", prepared, again)
        second = learner.release(again, x, labels, Simulation(1), **rest)
        check_same(
            learner, "its outputs from the prepared and from the restored, same coins,", release.output, second.output
        )
        assert release.cost == second.cost


def refusal(learner: Learner, n: int) -> str | None:
    """What a learner says of a number of private examples that it cannot run with; None if it can."""
    try:
        learner.check_private(n)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize("randomness", [Simulation(1), Secure()], ids=["simulation", "secure"])
@covering(each_with(FEW))
def test_a_release_says_what_drew_it(
    learner: Learner, hypothesis_class: HypothesisClass, randomness: Randomness
) -> None:
    """A seeded one, and one without privacy, certify nothing."""
    n = size_for(learner, hypothesis_class)
    points = np.random.default_rng(0).integers(0, 4, (n, hypothesis_class.dimension)).astype(float)
    labels, rest = private_labels(learner, np.resize([0, 1, 0, 1, 1, 0], n)), entries_for(learner, hypothesis_class, n)
    prepared = prepare(learner, hypothesis_class, points)
    if isinstance(randomness, Secure) and not learner.releasable:
        with pytest.raises(ValueError, match="is for simulation only"):
            learner.release(prepared, points, labels, randomness, **rest)
        return
    release = learner.release(prepared, points, labels, randomness, **rest)
    assert release.randomness is randomness.source
    if isinstance(randomness, Secure) and learner.guarantee is not None:
        assert release.certified() == learner.guarantee
    else:
        with pytest.raises(ValueError, match=r"release: (drawn by a Simulation|has no guarantee)"):
            release.certified()


def arrays_equal(first: Arrays, second: Arrays) -> bool:
    return first.keys() == second.keys() and all(
        first[name].dtype == second[name].dtype and np.array_equal(first[name], second[name]) for name in first
    )


def prepared_arrays(learner: Learner, hypothesis_class: HypothesisClass) -> Arrays:
    points = np.random.default_rng(3).integers(0, 4, (7, hypothesis_class.dimension)).astype(float)
    return prepare(learner, hypothesis_class, points).arrays()


def check_same(learner: Learner, what: str, first: Any, second: Any) -> None:
    """Fail unless two things, in words, have the same arrays."""
    ours, theirs = first.arrays(), second.arrays()
    assert arrays_equal(ours, theirs), f"{learner!r}: {what} are not the same: {difference(ours, theirs)}"


KNOWN = cache(prepared_arrays)
"""The same, of a learner that others are compared with."""


@covering(each_with(CLASSES))
def test_equal_stages_make_equal_things(learner: Learner, hypothesis_class: HypothesisClass) -> None:
    """Learners of one stage share what it makes, under the key on disk that is its representation."""
    stage = learner.public_stage
    assert type(learner).prepare is Learner.prepare, "the stage alone makes what the private stage starts from"
    assert hash(stage) == hash(learner.public_stage)
    ours = prepared_arrays(learner, hypothesis_class)
    for other in (p.values[0] for p in LEARNERS):
        assert (repr(other.public_stage) == repr(stage)) == (other.public_stage == stage)
        if other.public_stage == stage and suits(other, hypothesis_class):
            theirs = KNOWN(other, hypothesis_class)
            assert arrays_equal(ours, theirs), (
                f"{learner!r} and {other!r} have equal stages ({stage!r}), which made of the same public points of "
                f"{hypothesis_class!r}: {difference(ours, theirs)}; stages that do so must not be equal"
            )


@covering(each_with(CLASSES))
def test_outputs_are_restored_with_their_kind(learner: Learner, hypothesis_class: HypothesisClass) -> None:
    """From a description and arrays as they stand on disk: the same kind, functions, predictions."""
    generator, d = np.random.default_rng(9), hypothesis_class.dimension
    n = size_for(learner, hypothesis_class)
    public, x = np.rint(generator.random((5, d)) * 3), inside(hypothesis_class, generator.random((n, d)) * 3)
    labels = private_labels(learner, (generator.random(n) < 0.5).astype(int))
    rest = entries_for(learner, hypothesis_class, n)
    output = learner.release(prepare(learner, hypothesis_class, public), x, labels, Simulation(2), **rest).output
    column = pa.array([to_column(output.arrays())], ARRAYS)
    again = restored(described(output), from_column(column[0]))
    assert (type(again), again.kind) == (type(output), output.kind)
    check_same(learner, "its output, and what is restored of that,", output, again)
    assert again.functions == output.functions
    assert output.kind == learner.output_kind
    assert np.array_equal(used(again, x), used(output, x))


@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_are_built_again_from_their_parameters(learner: Learner) -> None:
    """The parameters in tables are those of configurations; figures know title and role."""
    assert registry.build("learners", {"name": registry.name_of(learner), **registry.parameters(learner)}) == learner
    assert learner.title
    assert learner.role in Role
    assert type(learner).__module__ in registry.modules(learner)


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_role_of_a_learner_is_what_it_does(learner: Learner) -> None:
    """Without a guarantee, without the private sample, without public points: figures draw each in its own way."""
    role, guarantee = learner.role, learner.guarantee
    evidence = f"its guarantee is {guarantee}"
    if learner.facts.without_public:
        roles = {Role.AS_IF_PUBLIC} if guarantee is None else {Role.PAPER, Role.VARIANT, Role.NO_PUBLIC}
        check_role(learner, f"{evidence}, it learns without public points, as its whole paper does", True, roles)
        return
    without, unread = {Role.MINIMISER, Role.CANDIDATES_MINIMISER, Role.OTHER_MODEL}, {Role.PUBLIC_ONLY, Role.DISCARD}
    check_role(learner, evidence, guarantee is None, without)
    check_role(learner, evidence, guarantee is not None and guarantee.epsilon == 0, unread)
    if isinstance(learner, Pooled):  # its public examples are private ones of the learner inside
        assert role is learner.learner.role
        return
    h = known_classes(learner, FEW)[0]
    dependence = told_apart(learner, h)
    evidence = dependence or f"its public stage made the same of {', '.join(map(str, SAMPLES))} public points of {h!r}"
    if guarantee is not None:
        check_role(learner, evidence, dependence is None, {Role.NO_PUBLIC})
    if role in {Role.MINIMISER, Role.CANDIDATES_MINIMISER}:  # of the class, or of what public points span
        check_role(learner, evidence, dependence is None, {Role.MINIMISER})


SAMPLES = (1, 2, 7, 40)
"""Numbers of public points: one may leave out all but every tenth of them."""


def told_apart(learner: Learner, h: HypothesisClass) -> str | None:
    """What a public stage makes of one public point and not of more of them; None if it is all the same."""
    first: Arrays = {}
    for n in SAMPLES:
        points = inside(h, np.arange(1.0, n + 1)[:, None] * np.ones((1, h.dimension)))
        arrays = prepare(learner, h, points).arrays()
        if n == SAMPLES[0]:
            first = arrays
        elif not arrays_equal(first, arrays):
            return f"its public stage made of 1 and of {n} public points of {h!r} {difference(first, arrays)}"
    return None


def difference(first: Arrays, second: Arrays) -> str:
    """The first array by which two that are not equal differ, in words."""
    if first.keys() != second.keys():
        return f"the arrays {', '.join(first)} and {', '.join(second)}"
    name = next(name for name in first if not arrays_equal({name: first[name]}, {name: second[name]}))
    return f"other arrays {name!r}: " + " and ".join(
        f"{np.ravel(a)[:3].tolist()}{'...' * (np.size(a) > 3)} ({a.dtype} {np.shape(a)})"
        for a in (first[name], second[name])
    )


def check_role(learner: Learner, evidence: str, holds: bool, roles: set[Role]) -> None:
    """Fail unless the role is one of these just if something holds; evidence: what was looked at, in words."""
    names = " or ".join(f"Role.{role.name}" for role in Role if role in roles)
    assert (learner.role in roles) == holds, (
        f"{learner!r}: {evidence}, so its role must {'be' if holds else 'not be'} {names}, and it is "
        f"Role.{learner.role.name}: change `{type(learner).__name__}.role`, or what was found"
    )


def test_a_fixed_grid_reaches_from_low_to_high() -> None:
    prepared = registry.load("learners", "fixed_grid")(1.0, -2.0, 4.0, 4).prepare([], Thresholds())
    assert prepared.points[:, 0].tolist() == [-2.0, 0.0, 2.0, 4.0]


OTHER = {
    "C": 1e-3,
    "bits": 4,
    "delta": 1e-3,
    "epsilon": 2.5,
    "grid": {"low": [-7.0], "high": [9.0]},
    "high": 17.0,
    "learner": {"name": "fixed_grid", "epsilon": 2.5},
    "low": -17.0,
    "marginal": {"name": "uniform", "low": 5.0, "high": 6.0},
    "method": "prior",
    "mechanism": "permute_and_flip",
    "mode": "full",
    "n_as_public": 4,
    "n_private": 60,
    "n_public": 3,
    "n_unlabelled": 2,
    "over": "cover",
    "privacy": "any",
    "representative": "lower",
    "scale": "01",
    "size": 7,
    "subset": 2,
    "subset_seed": 9,
}
"""Another value of each parameter.  The subset is drawn anew by another seed only if there is one.

A learner that needs other ones says so.
"""


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_of_a_learner_makes_a_difference(name: str) -> None:
    """To its guarantee, to what its public stage makes, to its distribution or to its output."""
    learner = registry.load("learners", name).examples()[0]
    h = known_classes(learner, [Thresholds(), Halfspaces(1), *CLASSES])[0]
    base = {"name": name, **registry.parameters(learner)}
    base |= {"n_public": 2, "n_private": 110} if "n_public" in base else {}  # one point has infinite midpoints
    others = [registry.parameters(altered) for altered in type(learner).examples() if is_outside(learner)]
    declared = {key: value for altered in others for key, value in altered.items() if value != base[key]}
    for parameter in base.keys() - {"name"} - set(learner.facts.unseen):
        alternatives = OTHER | learner.facts.others | declared
        assert parameter in alternatives, f"{name}: give another value of {parameter!r}, in another one of examples()"
        values = base | ({"subset": 2} if parameter == "subset_seed" else {})
        usual, altered = (
            registry.build("learners", values | change) for change in ({}, {parameter: alternatives[parameter]})
        )
        assert seen_of(usual, h) != seen_of(altered, h), f"{name}: {parameter} makes no difference"


def bound_of(learner: Learner, best_error: float, statuses: StatusModel, **sizes: int | None) -> float | None:
    h = known_classes(learner, FEW)[0]
    return learner.excess_bound(Setting(h, sizes, 0.05, 1.0, best_error, statuses))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_bound_is_that_of_a_theorem_about_this_setting(learner: Learner) -> None:
    """The fast rate is for realizable distributions alone; without a size, and for other statuses, there is none."""
    name, labelled = registry.name_of(learner), StatusModel.LABEL_DETERMINED
    sizes, unbounded = learner.facts.bound_sizes, learner.facts.unbounded
    every = dict.fromkeys(size_keys(), 10**6)
    parameters = registry.parameters(learner)
    if is_outside(learner):
        of_small, of_large = (bound_of(learner, 0.4, labelled, **dict.fromkeys(size_keys(), n)) for n in (10**4, 10**6))
        assert (of_small is None) == (of_large is None)
        assert of_small is None or 0 <= of_large <= of_small, "with more examples the bound is no larger"
        return
    if not sizes or any(parameters[key] == value for key, value in unbounded.items()):
        assert bound_of(learner, 0.0, labelled, **every) is None
        return
    fast, slow, slower = (bound_of(learner, best, labelled, **sizes) for best in (0.0, 1e-9, 0.4))
    assert fast < slow == slower
    for size in sizes:
        assert bound_of(learner, 0.0, labelled, **sizes | {size: None}) is None
        assert bound_of(learner, 0.0, labelled, **sizes | {size: 10**4}) > fast
    if "privacy" in parameters:
        assert bound_of(learner, 0.0, StatusModel.ANY, **sizes) is None
    for key in unbounded.keys() - {"weights"}:  # normal ones need other scales
        other = registry.build("learners", {"name": name, **parameters, key: unbounded[key]})
        assert bound_of(other, 0.0, labelled, **sizes) is None


def seen_of(learner: Learner, h: HypothesisClass) -> str:
    """What is seen of a learner on one sample, as text; of private examples as many as it needs."""
    points = np.array([[-3.0], [-1.0], [0.0], [2.0], [4.0], [5.0], [7.0]]) * np.ones((1, h.dimension))
    points = points if h.example_points is None else h.example_points
    prepared = prepare(learner, h, points)
    n = size_for(learner, h)
    x, pattern = inside(h, np.resize(points[::-1], (n, h.dimension)) + 0.25), np.resize([1, 0, 1, 1, 0, 1], n)
    y, rest = private_labels(learner, pattern), entries_for(learner, h, n)
    parts = [learner.guarantee, {key: array.tolist() for key, array in prepared.arrays().items()}]
    if isinstance(learner, FiniteOutput) and len(points) <= (learner.facts.most_listed or len(points)):
        distribution = learner.output_distribution(prepared, x, y, **rest)
        parts += [distribution.parameters.tolist(), distribution.log_probabilities.tolist()]
    for seed in range(5 if isinstance(learner, FiniteOutput) else 40):
        output = learner.release(prepared, x, y, Simulation(seed), **rest).output
        parts.append([described(output), {key: array.tolist() for key, array in output.arrays().items()}])
    return repr(parts)


@pytest.mark.parametrize("learner", LEARNERS)
def test_labels_of_public_points_go_only_where_they_are_needed(learner: Learner) -> None:
    points, labels = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])
    hypothesis_class = [*known_classes(learner, [Halfspaces(1)]), Halfspaces(1)][0]
    if learner.public_stage.needs_labels:
        with pytest.raises(ValueError, match="needs labelled public points"):
            learner.prepare(points, hypothesis_class)
    else:
        with pytest.raises(ValueError, match="unlabelled public points only"):
            learner.prepare(points, hypothesis_class, labels)


def test_minimiser_over_the_class_beats_the_cover() -> None:
    generator = np.random.default_rng(2)
    x = generator.normal(size=(60, 2))
    y = (generator.random(60) < 0.5).astype(int)
    public = generator.normal(size=(12, 2))
    mistakes = {}
    for over in ("class", "cover"):
        learner = registry.load("learners", "empirical_risk_minimiser")(over=over)
        release = learner.release(learner.prepare(public, Halfspaces(2)), x, y, Simulation(0))
        mistakes[over] = int((release.output.predict(x) != y).sum())
    cover = Halfspaces(2).cover(public)
    assert mistakes["cover"] == cover.mistakes(x, y).min()
    assert mistakes["class"] == Halfspaces(2).cover(x).mistakes(x, y).min() <= mistakes["cover"]
