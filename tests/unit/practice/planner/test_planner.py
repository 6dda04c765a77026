"""The planner: simulated sizes against a simulation of its own."""

import itertools
import math
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from semipriv.audit.properties.streams import begun_again, streams
from semipriv.classes.base import Cover
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.intervals import Intervals
from semipriv.classes.thresholds import Thresholds
from semipriv.core import registry
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import clopper_pearson
from semipriv.core.tables import TableError
from semipriv.learners._planned import ProvenExcess
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.stages.cover import CoverStage
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.planner import empirical
from semipriv.practice.planner.empirical import (
    Scenario,
    allowed_failures,
    empirical_excess,
    empirical_sizes,
    fewest_trials,
    grid,
)
from semipriv.practice.planner.plan import plan_excess, plan_sizes
from semipriv.practice.planner.population import Population, Trial, default_population, read_population
from semipriv.privacy.guarantee import Release

LEVEL = 1e-4


# ---------------------------------------------------------------------------------------------------- populations
CLASSES = [
    {"name": "thresholds", "orientation": "le"},
    {"name": "intervals"},
    {"name": "halfspaces", "dimension": 2},
    {"name": "rectangles", "dimension": 2},
    {"name": "decision_stumps", "dimension": 2},
    {"name": "point_functions", "bits": 3, "dimension": 2},
    {"name": "discrete_thresholds", "bits": 70},
    {"name": "discrete_rectangles", "dimension": 2, "bits": 4},
    {"name": "finite_class", "table": [[0, 1, 1], [1, 0, 0]]},
    {"name": "halfspace_intersections", "dimension": 2, "k": 2},
]


def test_every_class_is_simulated() -> None:
    assert {entry["name"] for entry in CLASSES} == set(registry.names("classes"))


@pytest.mark.parametrize("entry", CLASSES, ids=lambda entry: entry["name"])
def test_excess_of_a_trial(entry: dict) -> None:
    """On every class's default population; the excess error is that of definition: err(h) less the least error."""
    h, stream = registry.build("classes", entry), Simulation(3)
    population = default_population(h, 2000, stream)
    few = Population(h, "a few", population.atoms[:12])
    trial = Trial.draw(few, 3, CoverStage(), stream)
    eta = np.where(trial.labels == 1, 0.9, 0.1)

    def errors(parameters: np.ndarray) -> np.ndarray:
        return np.where(h.predict(parameters, few.atoms), 1 - eta, eta).mean(axis=1)

    best = errors(h.cover(few.atoms).listed().parameters).min()
    own = errors(trial.cover.listed().parameters)
    assert trial.least_excess(0.1) == pytest.approx(own.min() - best, abs=1e-12)
    drawn = trial.excess(40, SSPP(1.0), 0.1, stream)
    assert np.isclose(own - best, drawn, atol=1e-12).any()
    # so much private data that the learner finds the best of its cover, although labels are flipped
    assert trial.excess(20_000, SSPP(50.0), 0.1, stream) == pytest.approx(own.min() - best, abs=1e-12)


def test_private_labels_are_flipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner gets the target's labels of atoms, flipped at the rate of the noise."""
    seen = []
    release = SSPP.release

    def watched(learner: SSPP, cover: Cover, points: np.ndarray, labels: np.ndarray, stream: Simulation) -> Release:
        seen.append((points[:, 0], labels))
        return release(learner, cover, points, labels, stream)

    monkeypatch.setattr(SSPP, "release", watched)
    population = default_population(Thresholds(), 2000, Simulation(0))
    trial = Trial.draw(population, 5, CoverStage(), Simulation(1))
    right = dict(zip(population.atoms[:, 0], trial.labels, strict=True))
    for noise in (0.0, 0.1, 0.4):
        trial.excess(20_000, SSPP(1.0), noise, Simulation(2))
        points, labels = seen.pop()
        wrong = sum(int(label != right[x]) for x, label in zip(points, labels, strict=True))
        low, high = clopper_pearson(wrong, 20_000, LEVEL)
        assert low <= noise <= high


def test_targets_vary_and_depend_on_the_seed() -> None:
    population = default_population(Thresholds(), 2000, Simulation(0))
    shares = [float(population.target(Simulation(seed)).predict(population.atoms).mean()) for seed in range(200)]
    assert len(set(shares)) > 150
    assert min(shares) == 0
    assert max(shares) == 1
    assert abs(np.mean(shares) - 0.5) < 4 * 0.3 / math.sqrt(200)


def test_tables(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [1, 2, 3], "name": ["x", "y", "z"], "income": [0.5, None, 2.5]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    for path in (tmp_path / "t.parquet", tmp_path / "t.csv"):
        assert read_population(Thresholds(), path, ["age"]).atoms.tolist() == [[1], [2], [3]]
        for h, features, words in (
            (Thresholds(), ["name"], "column 'name', row 0 = 'x': must be a finite number"),
            (Halfspaces(2), ["age", "income"], "column 'income', row 1 = "),
            (Thresholds(), ["old"], "column 'old' is missing; it has age, name, income"),
            (Thresholds(), None, r"3 columns \(age, name, income\), the class needs 1"),
        ):
            with pytest.raises(TableError, match=words) as caught:
                read_population(h, path, features)
            assert str(path) in str(caught.value)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    for other in (tmp_path / "t.tsv", f"file://{tmp_path / 't.parquet'}"):
        assert read_population(Thresholds(), other, ["age"]).atoms.tolist() == [[1], [2], [3]]
    (tmp_path / "broken.parquet").write_text("no")
    (tmp_path / "empty.csv").write_text("age\n")
    for name, words in (
        ("broken.parquet", "not a readable Parquet file"),
        ("gone.csv", "there is no such file"),
        ("t.xls", "must be a file"),
    ):
        with pytest.raises(TableError, match=words):
            read_population(Thresholds(), tmp_path / name)
    with pytest.raises(ValueError, match="has no rows"):
        read_population(Thresholds(), tmp_path / "empty.csv")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("features", [["b", "a"], ["a", "b"], ["c", "b"], ["b", "b"]])
def test_columns_are_read_in_the_order_that_is_asked_for(tmp_path: Path, suffix: str, features: list[str]) -> None:
    frame = pd.DataFrame({"c": [0.5, 1.5], "a": [2.0, 3.0], "b": [-1.0, 4.0]})
    path = tmp_path / f"t.{suffix}"
    frame.to_parquet(path) if suffix == "parquet" else frame.to_csv(path, index=False)
    assert read_population(Halfspaces(2), path, features).atoms.tolist() == frame[features].to_numpy().tolist()
    assert read_population(Halfspaces(3), path).atoms.tolist() == frame.to_numpy().tolist()


def test_atoms_outside_the_domain_are_refused(tmp_path: Path) -> None:
    pd.DataFrame({"x": [0.5]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"t\.csv: row 0, feature 0 = 0\.5"):
        read_population(registry.build("classes", {"name": "discrete_thresholds", "bits": 3}), tmp_path / "t.csv")


# ---------------------------------------------------------------------------------------------------- its own learner
def test_a_plan_tells_that_its_learner_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A named learner is planned for, with public points, all the same."""
    monkeypatch.setattr(empirical, "DEFAULT", "gone")
    scenario = Scenario(default_population(Thresholds(), 2000, Simulation(0)))
    for ask in (
        lambda: plan_sizes(Thresholds(), 0.1, 0.1, 1.0),
        lambda: plan_excess(Thresholds(), 100, 100, 0.1, 1.0, scenario=scenario),
        lambda: empirical_sizes(scenario, 0.1, 0.1, 1.0),
    ):
        with pytest.raises(ValueError, match=r"^learner 'gone': is not installed, .*: name another$"):
            ask()
    planned = plan_sizes(Thresholds(), 0.3, 0.3, scenario=scenario, learner=FixedGrid(1.0))
    assert planned.empirical is not None


def test_a_plan_tells_that_its_learner_has_no_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("proven_sizes", "proven_excess"):
        monkeypatch.delattr(SSPP, name)
    with pytest.raises(ValueError, match="has no proven sizes"):
        plan_sizes(Thresholds(), 0.1, 0.1, 1.0)
    with pytest.raises(ValueError, match="has no proven excess error"):
        plan_excess(Thresholds(), 1000, 1000, 0.1, 1.0)


# ---------------------------------------------------------------------------------------------------- simulation
@pytest.mark.parametrize(("beta", "level"), [(0.05, 0.025), (0.2, 0.05), (0.5, 0.001)])
def test_allowed_failures_are_binomial_tails(beta: float, level: float) -> None:
    for trials in range(1, 300, 7):
        k = allowed_failures(beta, trials, level)
        assert k < 0 or binom.cdf(k, trials, beta) <= level
        assert binom.cdf(k + 1, trials, beta) > level
    assert allowed_failures(beta, fewest_trials(beta), 0.025) == 0
    assert allowed_failures(beta, fewest_trials(beta) - 1, 0.025) == -1


NOISES = {"exponential": np.random.Generator.gumbel, "permute_and_flip": np.random.Generator.exponential}
"""The mechanism is the argmax of scores with such noise (McKenna and Sheldon 2020; Ding et al. 2021)."""


def failures(
    atoms: np.ndarray, n_public: int, n_private: int, alpha: float, trials: int, seed: int, mechanism: str
) -> int:
    """Failures of A_SSPP with epsilon = 1 on thresholds with noise 0.1, by NumPy alone."""
    x, generator, count = np.sort(atoms[:, 0]), np.random.default_rng(seed), 0

    def cuts(rows: np.ndarray) -> np.ndarray:
        u = np.unique(rows)
        return np.concatenate([[-np.inf], (u[:-1] + u[1:]) / 2, [np.inf]])

    for _ in range(trials):
        target = generator.choice(cuts(generator.choice(x, 16)))
        cover = cuts(generator.choice(x, n_public))
        private = generator.choice(x, n_private)
        labels = (private >= target) ^ (generator.random(n_private) < 0.1)
        mistakes = ((private >= cover[:, None]) != labels).sum(axis=1)
        chosen = cover[np.argmax(NOISES[mechanism](generator, size=len(cover)) - mistakes / 2)]
        count += 0.8 * np.mean((x >= chosen) != (x >= target)) > alpha
    return count


def limits(
    population: Population, n_public: int, n_private: int, alpha: float, seed: int, mechanism: str = "exponential"
) -> tuple[float, float]:
    """Confidence limits of the failure rate, by fresh trials of a simulation of its own."""
    count = failures(population.atoms, n_public, n_private, alpha, 3000, seed, mechanism)
    low, high = clopper_pearson(count, 3000, LEVEL)
    return float(low), float(high)


@pytest.mark.parametrize("mechanism", ["exponential", "permute_and_flip"])
@pytest.mark.parametrize("seed", [0, 1])
def test_failure_rate_at_the_planned_sizes(seed: int, mechanism: str) -> None:
    population = default_population(Thresholds(), 2000, Simulation(seed))
    planned = plan_sizes(Thresholds(), 0.1, 0.1, 1.0, scenario=Scenario(population, mechanism, seed=seed)).empirical
    assert planned is not None
    assert planned.upper_limit <= 0.1
    assert limits(population, planned.n_public, planned.n_private, 0.1, seed, mechanism)[1] <= 0.1


def test_sizes_are_not_much_larger_than_needed() -> None:
    """With many trials half the sizes fail too often, so a planner that returned half would be caught here."""
    population = default_population(Thresholds(), 2000, Simulation(0))
    sizes = empirical_sizes(Scenario(population, trials=800), 0.1, 0.1, 1.0)
    assert limits(population, sizes.n_public, sizes.n_private, 0.1, 1)[1] <= 0.1
    assert limits(population, sizes.n_public // 2, sizes.n_private // 2, 0.1, 1)[0] > 0.1


def test_confirmation_is_what_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that was too lucky: confirmation repairs it, and a planner without confirmation is caught."""
    population = default_population(Thresholds(), 2000, Simulation(0))
    monkeypatch.setattr(empirical, "_search", lambda *_: (6, 11))
    sizes = empirical_sizes(Scenario(population), 0.1, 0.1, 1.0)
    assert sizes.attempts > 1
    assert limits(population, sizes.n_public, sizes.n_private, 0.1, 2)[1] <= 0.1
    monkeypatch.setattr(empirical, "allowed_failures", lambda beta, trials, level: trials)
    lucky = empirical_sizes(Scenario(population), 0.1, 0.1, 1.0)
    assert lucky.attempts == 1
    assert limits(population, lucky.n_public, lucky.n_private, 0.1, 2)[0] > 0.1


def test_attempts_share_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that fail with probability just above beta are confirmed, in any attempt, with probability <= 0.05."""
    population = default_population(Thresholds(), 2000, Simulation(0))

    def coins(*arguments: object) -> np.ndarray:
        trials, stream = arguments[4], arguments[5]
        assert isinstance(stream, Simulation)
        return np.where(stream.generator.random(trials) < 0.2001, 1.0, 0.0)

    def confirmed() -> int:
        count = 0
        for seed in range(500):
            try:
                empirical_sizes(Scenario(population, seed=seed), 0.1, 0.2, 1.0)
            except ValueError:
                continue
            count += 1
        return count

    monkeypatch.setattr(empirical, "_search", lambda *_: (2, 2))
    monkeypatch.setattr(empirical, "_run", coins)
    assert clopper_pearson(confirmed(), 500, LEVEL)[0] <= 0.05
    monkeypatch.setattr(empirical, "_level", lambda attempt: 0.05)  # each attempt spends it all
    assert clopper_pearson(confirmed(), 500, LEVEL)[0] > 0.05


def test_sizes_of_failed_attempts_grow_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """n_private takes a step of the grid at every failure, n_public at every other one."""
    tried: list[tuple[object, ...]] = []
    monkeypatch.setattr(empirical, "_search", lambda *_: (4, 7))
    monkeypatch.setattr(empirical, "_run", lambda *given: tried.append(given[2:4]) or np.ones(given[4]))
    with pytest.raises(ValueError, match="no sizes were confirmed in 10 attempts: take more trials"):
        empirical_sizes(Scenario(default_population(Thresholds(), 2000, Simulation(0))), 0.1, 0.2, 1.0)
    steps = [(4, 7), (4, 8), (5, 9), (5, 10), (6, 11), (6, 12), (7, 13), (7, 14), (8, 15), (8, 16)]
    assert tried == [(grid(public), grid(private)) for public, private in steps]


def test_upper_limit_of_the_quantile(monkeypatch: pytest.MonkeyPatch) -> None:
    """On uniform excess errors the (1 - beta)-quantile is 1 - beta: the limit is below it in at most 5 % of runs."""
    population = default_population(Thresholds(), 2000, Simulation(0))
    monkeypatch.setattr(empirical, "_run", lambda *given: given[5].generator.random(given[4]))
    excesses = [empirical_excess(Scenario(population, seed=seed), 5, 5, 0.1, 1.0) for seed in range(500)]
    below = sum(excess.upper_limit < 0.9 for excess in excesses)
    assert clopper_pearson(below, 500, LEVEL)[0] <= 0.05
    control = sum(excess.quantile < 0.9 for excess in excesses)
    assert clopper_pearson(control, 500, LEVEL)[0] > 0.05


def test_excess_at_given_sizes() -> None:
    population = default_population(Thresholds(), 2000, Simulation(0))
    planned = plan_excess(Thresholds(), 20, 200, 0.1, 1.0, scenario=Scenario(population))
    assert planned.proven == ProvenExcess(None, None)
    assert planned.empirical is not None
    assert limits(population, 20, 200, planned.empirical.upper_limit, 3)[0] <= 0.1
    assert limits(population, 20, 200, planned.empirical.upper_limit / 4, 3)[0] > 0.1


class Scripted:
    """Stands for the trials of a search, of which as many fail at each size as a script says.

    public, private: the numbers of covers that fail by size.  An excess error that fails is above its limit by a bit,
    any other one is the limit itself.  Where a cover fails, it does so on one private sample of four.
    """

    def __init__(self, alpha: float, public: dict[int, int], private: dict[int, int]) -> None:
        self.alpha, self.public, self.private = alpha, public, private
        self.covers: Counter[int] = Counter()
        self.draws: Counter[tuple[int, int]] = Counter()

    def draw(self, population: Population, n: int, *_: object) -> SimpleNamespace:
        i, self.covers[n] = self.covers[n], self.covers[n] + 1
        least = math.nextafter(self.alpha / 2, 1) if i < self.public[n] else self.alpha / 2

        def excess(n: int, *_: object) -> float:
            draw, self.draws[n, i] = self.draws[n, i], self.draws[n, i] + 1
            fails = i < self.private[n] and draw == i % 4
            return math.nextafter(self.alpha, 1) if fails else self.alpha

        return SimpleNamespace(least_excess=lambda noise: least, excess=excess)


@pytest.mark.parametrize(("public", "private"), [(1, 6), (2, 1), (5, 4), (8, 5)])
@pytest.mark.parametrize(("alpha", "beta", "trials"), [(0.2, 0.1, 55), (0.37, 0.05, 400), (0.1, 0.3, 12)])
def test_the_search_takes_the_least_sizes_that_may_fail_beta(
    public: int, private: int, alpha: float, beta: float, trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Covers fail above alpha / 2, learners above alpha; a size passes if the one-sided 95 % limit is at most beta."""
    tried = max(trials // 2, next(n for n in itertools.count(1) if (1 - beta) ** n <= 0.05))
    allowed = max(k for k in range(tried) if binom.cdf(k, tried, beta) <= 0.05)
    counts = ({grid(step): allowed + (step < least) for step in range(1, 20)} for least in (public, private))
    script, lines = Scripted(alpha, *counts), list[str]()
    monkeypatch.setattr(Trial, "draw", script.draw)
    monkeypatch.setattr(empirical, "_run", lambda *given: np.full(given[4], alpha))
    scenario = Scenario(default_population(Thresholds(), 2000, Simulation(0)), trials=trials)
    sizes = empirical_sizes(scenario, alpha, beta, 1.0, lines.append)
    assert (sizes.n_public, sizes.n_private, sizes.failures) == (grid(public), grid(private), 0)
    assert script.covers[grid(public)] == tried
    assert {script.draws[grid(private), i] for i in range(allowed, tried)} == {4}
    end = f"{allowed} of {tried} trials fail, {allowed} allowed"
    assert f"cover of n_public = {grid(public)}: {end}" in lines
    assert f"n_public = {grid(public)}, n_private = {grid(private)}: {end}" in lines


def test_plans_are_reproducible_and_seeds_differ() -> None:
    population = default_population(Intervals(), 2000, Simulation(0))
    first, second, other = (empirical_excess(Scenario(population, seed=seed), 30, 100, 0.2, 1.0) for seed in (0, 0, 1))
    assert first == second != other


@pytest.mark.parametrize("mechanism", ["exponential", "permute_and_flip"])
def test_no_two_draws_of_a_plan_share_a_stream(mechanism: str) -> None:
    """Targets, samples, flips and releases, of the search and of confirmations: independent of each other."""
    population = default_population(Thresholds(), 2000, Simulation(9))
    with streams() as begun:
        empirical_sizes(Scenario(population, mechanism), 0.3, 0.2, 1.0)
        empirical_excess(Scenario(population, mechanism), 5, 30, 0.2, 1.0)
    assert len(begun) > 500
    assert not begun_again(begun)


def test_a_confirmation_has_as_many_trials_as_its_attempt_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest trials confirm in the first attempt only; in a later one, of a smaller level, none would do."""
    population, tried = default_population(Thresholds(), 2000, Simulation(0)), []

    def run(*given: object) -> list[float]:
        tried.append(given[4])
        return [1.0 if len(tried) < 5 else 0.0] * given[4]

    monkeypatch.setattr(empirical, "_search", lambda *_: (2, 2))
    monkeypatch.setattr(empirical, "_run", run)
    sizes = empirical_sizes(Scenario(population, trials=fewest_trials(0.1)), 0.1, 0.1, 1.0)
    assert (sizes.attempts, sizes.failures, sizes.trials) == (5, 0, tried[-1])
    assert (sizes.n_public, sizes.n_private) == (grid(2 + 2), grid(2 + 4)), "a step for each failure, or each other one"
    levels = [0.05 / 2**attempt for attempt in range(1, 6)]
    assert tried == [math.ceil(math.log(level) / math.log(0.9)) for level in levels]
    assert sizes.upper_limit == pytest.approx(1 - levels[-1] ** (1 / tried[-1]))
    assert sizes.upper_limit <= 0.1
