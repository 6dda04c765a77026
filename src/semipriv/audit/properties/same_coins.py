"""Same coins: a private stage on two neighbours, with equal coins and with the outputs of its mechanisms frozen.

On the first sample mechanisms draw, and what they return is kept.  On the second the same is returned again.  If the
stage reads its sample through mechanisms only, whatever else it does is now the same: which mechanisms are asked, how
many candidates they get, what is logged, printed, warned of and opened, which coins are thrown, errors, costs and the
output.  What enters a mechanism may move by its sensitivity, candidate by candidate.
"""

import contextlib
import inspect
import io
import itertools
import logging
import pkgutil
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from semipriv import mechanisms
from semipriv.audit.properties.entropy import Seeded
from semipriv.classes.base import Hypothesis, Tally
from semipriv.core import registry
from semipriv.core.progress import Reporter, reporting
from semipriv.core.randomness import Randomness, Secure, Simulation
from semipriv.learners.outputs.base import described
from semipriv.mechanisms.gaussian_integers import GaussianIntegers
from semipriv.mechanisms.noise.base import DiscreteNoise, Noise
from semipriv.mechanisms.noisy_integers import NoisyIntegers
from semipriv.mechanisms.noisy_vector import NoisyVector
from semipriv.mechanisms.perturbed_minimum import PerturbedMinimum
from semipriv.mechanisms.selection.base import Pools, SelectionMechanism
from semipriv.mechanisms.sparse_vector import SparseVector
from semipriv.mechanisms.stable_vote import StableVote
from semipriv.privacy.guarantee import Release
from semipriv.queries.base import Method
from semipriv.queries.sanitizers.base import Sanitizer

Stage = Callable[..., Release]
"""The private stage: points (n, d), labels (n,), unlabelled points where it reads them, and randomness to a release."""
Data = tuple[np.ndarray, ...]
"""Points and labels; points of unlabelled entries for a stage that reads them."""
Scores = dict[Any, list[int]]
"""Scores by candidate; a candidate that is there several times has several."""

MOST = 5_000
"""Most candidates of a mechanism that are compared."""


class Unseen(Exception):  # noqa: N818
    """The property cannot see what enters a mechanism."""


@dataclass
class Entry:
    """What entered a mechanism: its parameters and method, how far a score may move, and the scores.

    norm: of the moves of all scores together; the largest of them by default.
    """

    what: str
    sensitivity: float
    scores: Scores
    norm: float = np.inf


@dataclass
class Run:
    """What a run showed.  outputs: what its mechanisms returned; seen: lines, warnings and files, in their order."""

    outputs: list[Any] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    result: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ranked(Secure):
    """Randomness that picks the candidate of a given rank."""

    rank: int

    def below(self, bound: int) -> int:
        assert self.rank < bound
        return self.rank


def scores_of(candidates: Any) -> Scores:
    """The number of mistakes of each candidate: all members of all pools, one rank after the other."""
    scores: Scores = defaultdict(list)
    if isinstance(candidates, Pools):  # these know distances from the best score only
        return {i: [score] for i, score in enumerate(candidates.scores.tolist())}
    values, counts = candidates.histogram()
    if sum(counts.tolist()) > MOST:
        raise Unseen(f"{sum(counts.tolist())} candidates: take fewer public points, all are listed here")
    for mistakes, count in zip(values.tolist(), counts.tolist(), strict=True):
        for rank in range(count):
            member = candidates.member(mistakes, Ranked(rank))
            key = (member.functions, member.parameters.tobytes()) if isinstance(member, Hypothesis) else member
            scores[key].append(mistakes)
    return dict(scores)


# ---------------------------------------------------------------------------------------------------- mechanisms
def _scores(mechanism: SelectionMechanism, scores: Any, *_: Any) -> tuple[float, Scores]:
    return mechanism.sensitivity, {i: [int(score)] for i, score in enumerate(np.asarray(scores).tolist())}


def _rows(mechanism: SelectionMechanism, scores: np.ndarray, *_: Any) -> tuple[float, Scores]:
    """Scores of several draws, row by row: each by itself."""
    listed = enumerate(scores.tolist())
    return mechanism.sensitivity, {(g, i): [score] for g, row in listed for i, score in enumerate(row)}


def _candidates(mechanism: SelectionMechanism, candidates: Any, *_: Any) -> tuple[float, Scores]:
    return mechanism.sensitivity, scores_of(candidates)


def _unguarded(tally: Tally, *_: Any) -> tuple[float, Scores]:
    """A draw from a tally outside a mechanism: no score may move."""
    return 0.0, scores_of(tally)


def _hidden(mechanism: Any, *_: Any) -> tuple[float, Scores]:
    raise Unseen(
        f"{type(mechanism).__name__}: this way to draw does not show what is protected; give the mechanism one that "
        "does, and same_coins a line for it"
    )


def _integers(noise: DiscreteNoise, values: np.ndarray, *_: Any) -> tuple[float, Scores]:
    """Numbers that get noise, each by itself: the properties of who counts say what a record moves all of them by."""
    return 1.0, {i: [value] for i, value in enumerate(values.tolist())}


def _vector(
    mechanism: NoisyVector | NoisyIntegers | GaussianIntegers, values: np.ndarray, *_: Any
) -> tuple[float, Scores, float]:
    """A vector, which moves as a whole."""
    return mechanism.sensitivity, {i: [value] for i, value in enumerate(values.tolist())}, mechanism.norm


def _counts(method: Method, workload: Any, counts: np.ndarray, *_: Any) -> tuple[float, Scores]:
    """Counts by cell: replacing a record moves two of them by 1.  What the method draws is audited by itself."""
    return 1.0, {i: [count] for i, count in enumerate(counts.tolist())}


def _entries(sanitizer: Sanitizer, points: np.ndarray, hypothesis_class: Any, *_: Any) -> tuple[float, Scores]:
    """Entries by point: replacing one moves two counts by 1.  What the sanitizer draws is audited by itself."""
    domain = getattr(sanitizer, "domain", hypothesis_class.example_points)
    counts: Scores = {tuple(map(float, point)): [0] for point in domain}
    for point in points.tolist():
        counts[tuple(point)][0] += 1
    return 1.0, counts


def _patterns(mechanism: PerturbedMinimum, problem: Any, *_: Any) -> tuple[float, Scores]:
    """The mistakes of the best hypothesis with each pattern of the public points."""
    patterns, mistakes = problem.listed()
    scores = {pattern.tobytes(): [score] for pattern, score in zip(patterns, mistakes.tolist(), strict=True)}
    return 1.0, scores


def _lead(vote: StableVote, votes: Any, *_: Any) -> tuple[float, Scores]:
    """By how much the most frequent vote leads: replacing one vote moves it by at most 2."""
    first, second, *_ = *sorted(Counter(ballot for ballot in votes if ballot is not None).values(), reverse=True), 0, 0
    return 2.0, {"lead": [first - second]}


_Entering = Callable[..., tuple[float, Scores] | tuple[float, Scores, float]]

ENTRIES: dict[tuple[type, str], _Entering] = {
    (SelectionMechanism, "select"): _candidates,
    (SelectionMechanism, "sample"): _scores,
    (SelectionMechanism, "sample_each"): _rows,
    (SelectionMechanism, "choose_pools"): _hidden,
    (SelectionMechanism, "exact_pool"): _hidden,
    (Noise, "sample"): _hidden,
    (Noise, "exact"): _hidden,
    (DiscreteNoise, "add"): _integers,
    (NoisyVector, "release"): _vector,
    (NoisyIntegers, "release"): _vector,
    (GaussianIntegers, "release"): _vector,
    (SparseVector, "verdicts"): _hidden,
    (PerturbedMinimum, "pattern"): _patterns,
    (StableVote, "winner"): _lead,
    (Method, "fit"): _counts,
    (Sanitizer, "sanitize"): _entries,
    (Tally, "draw"): _unguarded,
    (Tally, "member"): _unguarded,
}
"""The ways to draw, each with what enters it: (sensitivity, scores).  Calls from within another one are part of it."""


def ways_to_draw() -> Iterator[tuple[type, str]]:
    """All public methods of mechanisms that take randomness; ``sampling`` is what they draw with."""
    modules = pkgutil.walk_packages(mechanisms.__path__, "semipriv.mechanisms.")
    for info in (module for module in modules if "sampling" not in module.name.split(".")):
        for owner in vars(import_module(info.name)).values():
            if not inspect.isclass(owner) or owner.__module__ != info.name:
                continue
            for name, method in vars(owner).items():
                draws = inspect.isfunction(method) and "randomness" in inspect.signature(method).parameters
                if draws and not name.startswith("_"):
                    yield owner, name


def _all_subclasses(owner: type) -> Iterator[type]:
    yield owner
    for child in owner.__subclasses__():
        yield from _all_subclasses(child)


for _room in ("mechanisms/selection", "mechanisms/noise", "queries/methods", "classes"):
    for _name in registry.names(_room):
        registry.load(_room, _name)  # so that all subclasses are known


@dataclass
class Watch:
    """What is watched: a run.  frozen: what its mechanisms return, in their order, if it is not what they draw."""

    secure: bool
    seed: int
    run: Run = field(default_factory=Run)
    frozen: list[Any] | None = None
    inside: bool = False

    def coins(self, place: int) -> Randomness:
        """Coins of one draw: what is thrown inside a mechanism is not seen outside."""
        return (
            Seeded(1_000 * (place + 1) + self.seed) if self.secure else Simulation(self.seed, ("mechanism", str(place)))
        )

    def draw(self, entry: _Entering, what: str, method: Callable[..., Any], given: inspect.BoundArguments) -> Any:
        """Record what enters a mechanism; return what it draws, or what is frozen.

        It draws in both cases, so that it can refuse.
        """
        place = len(self.run.outputs)
        self.inside = True
        try:
            self.run.entries.append(Entry(what, *entry(*given.args)))
            given.arguments["randomness"] = self.coins(place)
            self.run.outputs.append(method(*given.args, **given.kwargs))
        finally:
            self.inside = False
        return self.run.outputs[-1] if self.frozen is None or place >= len(self.frozen) else self.frozen[place]


def _called(self: Any, name: str, arguments: dict[str, Any]) -> str:
    """The call of a mechanism without what enters it: that comes first, except for tallies, which enter themselves."""
    if isinstance(self, Method):
        workload = arguments["workload"]
        return f"{self!r}.fit({workload.size} queries, {workload.cells} cells, {arguments['budget']})"
    _, payload, *rest = arguments
    public = [payload, *rest] if isinstance(self, Tally) else rest
    asked = ", ".join(f"{key}={arguments[key]!r}" for key in public if key != "randomness")
    return f"{'a tally' if isinstance(self, Tally) else repr(self)}.{name}({asked})"


@contextlib.contextmanager
def watched_mechanisms(watch: Watch) -> Iterator[None]:
    """Send all draws from outside mechanisms through a watch."""

    def watched(entry: _Entering, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(method)

        def call(self: Any, *positional: Any, **named: Any) -> Any:
            if watch.inside:
                return method(self, *positional, **named)
            bound = signature.bind(self, *positional, **named)
            return watch.draw(entry, _called(self, name, bound.arguments), method, bound)

        return call

    def spawn(stream: Simulation, *names: str | int) -> Simulation:
        watch.run.seen.append(f"stream {names}")
        return unwatched(stream, *names)

    unwatched = Simulation.spawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Simulation, "spawn", spawn)
        for (base, name), entry in ENTRIES.items():
            for owner in set(_all_subclasses(base)):
                if name in vars(owner):
                    patch.setattr(owner, name, watched(entry, name, vars(owner)[name]))
        yield


# ---------------------------------------------------------------------------------------------------- what is seen
_watching: list[list[str]] = []
_FILES = ("open", "os.", "shutil.", "tempfile.", "subprocess.", "socket.")


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching and event.startswith(_FILES):
        _watching[-1].append(f"{event} {arguments[0] if arguments else ''!r}")


sys.addaudithook(_audit)


class _Lines(logging.Handler):
    def __init__(self, seen: list[str]) -> None:
        super().__init__()
        self.seen = seen

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(f"log: {record.name}: {record.getMessage()}")


@contextlib.contextmanager
def _watched_world(run: Run) -> Iterator[None]:
    """Record log lines, lines of progress, printed text, warnings, and what is opened, made, moved and started."""
    handler, root, text, clock = _Lines(run.seen), logging.getLogger(), io.StringIO(), itertools.count()
    level = root.level
    root.addHandler(handler)
    root.setLevel(1)
    reporter = Reporter("run", lambda line: run.seen.append(f"progress: {line}"), interval=0.0, clock=clock.__next__)
    with (
        contextlib.redirect_stdout(text),
        contextlib.redirect_stderr(text),
        warnings.catch_warnings(record=True) as warned,
        reporting(reporter),
    ):
        warnings.simplefilter("always")
        _watching.append(run.seen)
        try:
            yield
        finally:
            _watching.pop()
            root.removeHandler(handler)
            root.setLevel(level)
            run.seen += [f"warning: {w.category.__name__}: {w.message}" for w in warned]
            run.seen += [f"printed: {line}" for line in text.getvalue().splitlines()]


# ---------------------------------------------------------------------------------------------------- runs
def run_of(watch: Watch, stage: Stage, sample: Data, frozen: list[Any] | None = None) -> Run:
    """Run the stage; the coins outside mechanisms are always the same."""
    run = watch.run = Run()
    watch.frozen = frozen
    outside: Randomness = Seeded(watch.seed) if watch.secure else Simulation(watch.seed)
    with _watched_world(run):
        try:
            run.result = _shown(stage(*sample, outside))
        except Unseen:
            raise
        except Exception as error:
            run.result = {"error": f"{type(error).__name__}: {error}"}
    run.result["coins"] = repr(outside.generator.bit_generator.state)
    return run


def _shown(release: Release) -> dict[str, str]:
    arrays = {name: (a.dtype, a.shape, a.tolist()) for name, a in release.output.arrays().items()}
    return {
        "output": f"{described(release.output)} {arrays}",
        "guarantee": repr(release.guarantee),
        "randomness": repr(release.randomness),
        "cost": repr(release.cost),
    }


def _move(first: Entry, second: Entry) -> float:
    """The most by which the score of a candidate that both have moves, or how far all move together."""
    pairs = ((sorted(scores), sorted(second.scores.get(key, []))) for key, scores in first.scores.items())
    moves = [abs(a - b) for row, other_row in pairs for a, b in zip(row, other_row, strict=False)]
    return max(moves, default=0) if first.norm == np.inf else float(np.linalg.norm(moves, first.norm))


def _between(first: Entry, second: Entry, private_candidates: bool) -> Iterator[str]:
    if first.what != second.what:
        yield f"another mechanism: {first.what} and {second.what}"
    if private_candidates:
        return
    sizes = [sum(map(len, entry.scores.values())) for entry in (first, second)]
    if sizes[0] != sizes[1]:
        yield f"{first.what}: {sizes[0]} and {sizes[1]} candidates"
    elif first.scores.keys() != second.scores.keys():
        yield f"{first.what}: other candidates"
    elif _move(first, second) > first.sensitivity:
        yield f"{first.what}: a score moves by {_move(first, second)}, the sensitivity is {first.sensitivity:g}"


def _compared(first: Run, second: Run, private_candidates: bool) -> Iterator[str]:
    if len(first.entries) != len(second.entries):
        yield f"mechanisms: {len(first.entries)} and {len(second.entries)} draws"
    for entry, other_entry in zip(first.entries, second.entries, strict=False):
        yield from _between(entry, other_entry, private_candidates)
    if first.seen != second.seen:
        differ = itertools.zip_longest(first.seen, second.seen)
        yield "seen: {!r} and {!r}".format(*next((a, b) for a, b in differ if a != b))
    for name in sorted(first.result.keys() | second.result.keys()):
        a, b = first.result.get(name), second.result.get(name)
        if a != b:
            yield f"{name}: {a} and {b}"


def differences(
    stage: Stage, sample: Data, neighbours: list[Data], secure: bool, seed: int = 11, private_candidates: bool = False
) -> tuple[list[str], float]:
    """What tells a sample from its neighbours, in words, none if nothing does; and the most that a score moves.

    private_candidates: candidates and their scores may differ, as the privacy of the stage is proven otherwise.

    What is found is looked at again: a first run may compile kernels, and open files for that.  A sample that is
    refused tells nothing, which is found, too.
    """
    differing: list[str] = []
    moved, watch = 0, Watch(secure, seed)
    with watched_mechanisms(watch):
        first = run_of(watch, stage, sample)
        if "error" in first.result:
            differing.append(f"refused: {first.result['error']}")
        for neighbour in neighbours:
            second = run_of(watch, stage, neighbour, first.outputs)
            moved = max([moved, *map(_move, first.entries, second.entries)])
            if list(_compared(first, second, private_candidates)):
                again = run_of(watch, stage, sample)
                differing += _compared(again, run_of(watch, stage, neighbour, again.outputs), private_candidates)
    return differing, moved
