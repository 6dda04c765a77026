"""The benchmarks at a small size: they run, kernel and baseline agree where both count, and a miss is seen."""

import dataclasses

import databases
import head_to_head
import many_features
import mixture_table
import numpy as np
import pandas as pd
import perturbed_average
import pytest
import regression
from gram import Gram, Line
from kernels import (
    BENCHMARKS,
    LEARN_HALF_RATE,
    all_examples,
    halfspace_mistakes,
    mixture,
    planar_halfspaces,
    thresholds,
)
from run import RESULTS, draw, line, measure

from semipriv.classes.base import Hypothesis
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import tables
from semipriv.core.randomness import Simulation
from semipriv.papers.bmn20.learners.learn_half import LearnHalf

HERE = [benchmark for benchmark in BENCHMARKS if "diffprivlib" not in benchmark.tags]
FACTOR = 0.03


def quick(benchmark):
    """Without its memory, which takes a process of its own: see below."""
    return dataclasses.replace(benchmark, repeats=1, memory=None)


@pytest.mark.exhaustive
def test_benchmarks_run(tmp_path) -> None:
    rows = [measure(quick(benchmark), FACTOR) for benchmark in HERE]
    for row in rows:
        assert row["seconds"] > 0
        assert row["benchmark"] in line(row)
        assert (row["ratio"] is None) == (row["baseline"] == "none")
    tables.write(tmp_path / "benchmarks.parquet", RESULTS, rows)
    assert tables.read(tmp_path / "benchmarks.parquet", RESULTS).num_rows == len(HERE)
    draw(rows, tmp_path / "benchmarks.png")
    assert (tmp_path / "benchmarks.png").stat().st_size > 10_000


def test_names_are_unique() -> None:
    assert len({benchmark.name for benchmark in BENCHMARKS}) == len(BENCHMARKS)


def test_kernels_do_the_work_of_their_baselines() -> None:
    case = perturbed_average.average(FACTOR)
    np.testing.assert_allclose(case.work(), case.baseline(), atol=1e-9)
    case = thresholds(FACTOR)
    np.testing.assert_array_equal(case.work(), case.baseline())
    case = databases.stumps(FACTOR)
    np.testing.assert_array_equal([array.ravel() for array in case.work()], case.baseline())
    parameters, x, y = planar_halfspaces(FACTOR)
    case = halfspace_mistakes(16)(FACTOR)
    mistakes = Halfspaces(2).mistakes(parameters, x, y)
    np.testing.assert_array_equal(case.work(), mistakes)
    signed = case.baseline()  # zeros less ones on the positive side
    np.testing.assert_array_equal(signed + np.count_nonzero(y), mistakes[: len(signed)])


@pytest.mark.parametrize(("target", "at_most", "met"), [(1e9, None, False), (1e-9, None, True), (None, 1e-9, False)])
def test_a_miss_is_seen(target, at_most, met) -> None:
    benchmark = next(b for b in HERE if b.name.startswith("thresholds"))
    row = measure(dataclasses.replace(benchmark, target=target, at_most=at_most, growth=None, repeats=1), FACTOR)
    assert row["met"] is met
    assert ("MISSED" in line(row)) is not met


# ---------------------------------------------------------------------------------------------------- regions
def spread(values, counts, length):
    histogram = np.zeros(length, np.int64)
    histogram[values] = counts
    return histogram


def small_mixtures(count):
    """Data sets in 1 to 3 dimensions: general, on a coarse grid, flat, one public point many times, or none."""
    rng = np.random.default_rng(5)
    for number in range(count):
        d, kind = 1 + number % 3, number // 3 % 5
        m = 0 if kind == 4 else int(rng.integers(1, 6 if d < 3 else 5))
        radius = 50 if kind == 0 else 2
        public, private = (rng.integers(-radius, radius + 1, (size, d)).astype(float) for size in (m, 6))
        if kind == 2:
            public[:, -1], private[:3, -1] = public[:, 0], private[:3, 0]
        if kind == 3:
            public[:] = public[0]
        private[: min(m, 2)] = public[:2]
        mode = "full" if number % 2 and m < 5 else "facet"
        learner = LearnHalf(1.0, mode=mode, privacy="any")
        cover = learner.prepare(public, Halfspaces(d), rng.integers(0, 2, m))
        yield cover, private, rng.integers(0, 2, len(private)).astype(np.int8)


def test_gram_matrices_count_what_the_regions_count() -> None:
    kinds = set()
    for cover, x, y in small_mixtures(40):
        places, labels = all_examples(cover, x, y)
        gram = Gram(cover.family, places, labels)
        values, counts = cover.tally(x, y).histogram()
        np.testing.assert_array_equal(gram.histogram(), spread(values, counts, len(labels) + 1))
        assert gram.histogram().sum() == cover.size
        kinds.add((places.shape[1], cover.family.most, cover.family.whole > 0))
    assert {(d, 2, False) for d in (2, 3)} | {(3, 3, False), (3, 3, True), (1, 1, False)} <= kinds


def test_each_region_of_the_gram_matrices_has_a_rank() -> None:
    """All ranks of each number of mistakes give all sets of halfspaces, each once, with that many mistakes."""
    for cover, x, y in small_mixtures(30):
        if cover.size > 2_000 or cover.family.hull is None:
            continue
        places, labels = all_examples(cover, x, y)
        gram = Gram(cover.family, places, labels)
        small, parts = gram.histograms()
        homogeneous = np.column_stack([cover.family.hull.project(places), np.ones(len(places))])
        inside = cover.family.hull.contains(places)
        regions = set()
        for mistakes, count in enumerate(gram.histogram()):
            for rank in range(count):
                region = gram.member(small, parts, mistakes, rank)
                holds = inside & bool(region)
                for h in region:
                    if h < 2 * len(gram.hyperplanes):
                        holds &= (1 - 2 * (h % 2)) * (homogeneous @ gram.hyperplanes[h // 2]) >= 0
                assert np.count_nonzero(holds == (labels == 1)) == mistakes
                regions.add(frozenset(region))
        assert len(regions) == cover.size


def test_sorting_on_the_line_counts_what_the_regions_count() -> None:
    for cover, x, y in small_mixtures(60):
        if cover.family.hull is None or cover.family.hull.ambient > 1 or cover.family.hull.dimension < 1:
            continue
        places, labels = all_examples(cover, x, y)
        values, counts = cover.tally(x, y).histogram()
        line = Line(cover.family, places, labels)
        np.testing.assert_array_equal(line.histogram(), spread(values, counts, len(labels) + 1))
        half_line, mistakes = line.draw(LEARN_HALF_RATE, Simulation(1))
        assert line.mistakes[half_line] == mistakes


@pytest.mark.parametrize(("d", "m", "mode"), [(2, 20, "facet"), (2, 12, "full"), (3, 7, "facet"), (3, 6, "full")])
def test_gram_matrices_of_the_timed_mixtures(d, m, mode) -> None:
    _, cover, x, y = mixture(d, m, 300, mode)
    gram = Gram(cover.family, *all_examples(cover, x, y))
    values, counts = cover.tally(x, y).histogram()
    assert gram.histogram().sum() == cover.size
    np.testing.assert_array_equal(gram.histogram(), spread(values, counts, 301))


def test_memory_is_measured_in_a_process_of_its_own() -> None:
    benchmark = next(b for b in HERE if b.memory is not None)
    row = measure(dataclasses.replace(quick(benchmark), memory=1.0), FACTOR)
    assert row["memory"] > 2**25
    assert row["met"] is False
    assert "MiB" in line(row)


# ---------------------------------------------------------------------------------------------------- real table
def test_the_table_compares_learners(tmp_path) -> None:
    rows = pd.DataFrame(mixture_table.runs(splits=2, draws=1, subset=8, library=False))
    x, y = mixture_table.table()
    assert (len(x), int(y.sum())) == (569, 212)
    assert np.all(x >= mixture_table.LOW)
    assert np.all(x <= mixture_table.HIGH)
    trivial = rows[rows["method"].isin(["always malignant", "always benign"])]
    np.testing.assert_allclose(trivial.groupby("split")["error"].sum(), 1)
    assert (rows[rows["method"] == "always benign"]["missed"] == 1).all()
    assert rows[rows["method"] == "logistic regression"]["error"].max() < 0.12
    library = [
        {"method": mixture_table.LIBRARY, "protects": mixture_table.ROWS, "epsilon": e, "setting": s}
        | {"split": split, "error": error + 0.01 * split, "missed": error}
        for e in mixture_table.EPSILONS
        for s, error in ((mixture_table.DEFAULT, 0.3), ("[-1, 1], C = 10", 0.2))
        for split in range(2)
    ]
    summary = mixture_table.summarised(pd.concat([rows, pd.DataFrame(library)], ignore_index=True))
    table = mixture_table.with_hindsight(summary)
    best = table[table["method"] == mixture_table.HINDSIGHT]
    assert list(best["epsilon"]) == list(mixture_table.EPSILONS)
    np.testing.assert_allclose(best["error"], 0.205)
    mixture_table.write(table, tmp_path)
    assert tables.read(tmp_path / "mixture_table.parquet", mixture_table.RESULTS).num_rows == len(table)
    assert (tmp_path / "mixture_table.png").stat().st_size > 10_000


def test_intervals_of_the_table_are_students() -> None:
    mean, low, high = mixture_table.interval(np.array([1.0, 2.0, 3.0]))
    assert mean == 2
    np.testing.assert_allclose([mean - low, high - mean], 4.302653 / np.sqrt(3), rtol=1e-6)


def test_scaling_of_the_table_is_fixed_in_advance() -> None:
    np.testing.assert_allclose(mixture_table.scaled(np.array([[0, 0.3], [50, 0.15]])), [[0, 1], [1, 0.5]])
    np.testing.assert_allclose(mixture_table.scaled(np.array([[10, 0.0]]), -1, 1), [[-0.5, -1]])


def test_the_library_beside() -> None:
    pytest.importorskip("diffprivlib")
    x, y = mixture_table.table()
    errors = list(mixture_table.private_logistic(x, y, Simulation(1), draws=1))
    assert len(errors) == len(mixture_table.EPSILONS) * len(mixture_table.STRENGTHS) * len(mixture_table.RANGES)
    strong = [
        np.mean(predict(x) != y) for _, _, epsilon, _, predict in errors if epsilon == max(mixture_table.EPSILONS)
    ]
    assert min(strong) < 0.1


def test_head_to_head_runs_learners_on_the_splits_of_the_workflow(tmp_path) -> None:
    (experiment,) = head_to_head.experiments(("breast_cancer_labels",))
    rows = head_to_head.runs([experiment], tmp_path, splits=2, with_library=False)
    sixty = rows[rows["case"] == "sixty"]
    assert set(sixty["split"]) == {0, 1}
    assert set(rows["features"]) == {2, 30}
    cell = next(cell for cell in experiment.cells if cell.case == "sixty")
    sample, parts = head_to_head.split(experiment, cell, 1, tmp_path / "breast_cancer.parquet")
    order = experiment.stream(cell, 1).spawn("split").generator.permutation(569)
    assert parts.public.tolist() == order[:60].tolist()
    assert parts.held.tolist() == order[310:].tolist()
    (by_ranges, corner, rows_by_ranges), *by_public = head_to_head.scales(cell, sample, parts)
    (low, high) = np.array(cell.table.ranges).T
    assert (by_ranges, corner) == (head_to_head.CORNER, np.sqrt(2))
    inside = ((sample.points >= low) & (sample.points <= high)).all(axis=1)
    np.testing.assert_allclose((rows_by_ranges * (high - low) / 2 + (low + high) / 2)[inside], sample.points[inside])
    assert np.linalg.norm(rows_by_ranges, axis=1).max() <= corner
    assert [name for name, _, _ in by_public] == [*head_to_head.NORMS]
    model = Halfspaces(2).minimise(
        (sample.points[order[60:310]] - parts.centre) / parts.scale, sample.labels[order[60:310]]
    )
    wrong = Hypothesis(Halfspaces(2), model.parameters).predict((sample.points - parts.centre) / parts.scale)
    share = (wrong != sample.labels)[parts.held].mean()
    assert sixty[sixty["method"] == "ERM, not private"]["error"].iloc[1] == share
    place = {
        **dict.fromkeys(head_to_head.KEYS),
        "experiment": experiment.name,
        "case": "sixty",
        "features": 2,
        "s": 0.1,
    }
    library = [
        {
            **place,
            "method": head_to_head.LIBRARY,
            "epsilon": e,
            "norm": "maximum",
            "C": c,
            "error": 0.2 + c * e + 0.01 * i,
        }
        for e in head_to_head.EPSILONS
        for c in head_to_head.STRENGTHS
        for i in range(2)
    ]
    summary = head_to_head.summarised(pd.concat([rows, pd.DataFrame(library)], ignore_index=True))
    best = summary[summary["method"] == head_to_head.HINDSIGHT]
    assert best["C"].tolist() == [0.001] * len(head_to_head.EPSILONS)
    np.testing.assert_allclose(best["error"], 0.205 + 0.001 * np.array(head_to_head.EPSILONS))
    head_to_head.draw(summary, tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").stat().st_size > 10_000


def test_nobody_is_in_two_parts_of_a_split() -> None:
    people = np.random.default_rng(3).permutation(np.repeat(np.arange(70), 13))
    table = many_features.Table(np.zeros((910, 2)), np.zeros(910, int), people)
    parts = table.split(np.random.default_rng(4))
    assert sorted(np.concatenate(parts)) == list(range(910))
    owners = [set(people[part]) for part in parts]
    assert sum(map(len, owners)) == 70
    assert [len(part) for part in parts] == [182 + 0, 234, 494]


def test_public_rows_of_one_half() -> None:
    """They are of people at or above the median alone, and all people are still in one part each."""
    people = np.repeat(np.arange(100), 5)
    by = np.random.default_rng(2).permutation(100)[people]
    table = many_features.Table(np.zeros((500, 2)), np.zeros(500, int), people, by)
    public, held, private = table.split(np.random.default_rng(4), "half")
    assert len(public) == 100
    assert by[public].min() >= 49
    assert by[private].min() < 10
    assert sorted(np.concatenate([public, held, private])) == list(range(500))
    assert len({*people[public]} & {*people[held], *people[private]}) == 0
    other = table.split(np.random.default_rng(5), "half")[0]
    assert {*people[public]} != {*people[other]}, "it is drawn"


def test_many_features_compares_all_on_the_same_rows(tmp_path) -> None:
    coins = np.random.default_rng(5)
    x = coins.normal(size=(900, 6))
    table = {"made up": many_features.Table(x, (x @ np.arange(6.0) > 0).astype(int), by=x[:, 5])}
    rows = list(many_features.runs(table, 2, with_library=False))
    methods = {row["method"] for row in rows}
    drawn = {*many_features.CURVES, *many_features.LINES} - {many_features.HINDSIGHT, many_features.BOOSTING}
    assert methods == drawn | {many_features.GAUSSIAN}, "which stands in the table alone"
    assert {(row["private"], row["features"]) for row in rows} == {(900 - 180 - 225, 6)}
    errors = {row["method"]: row["error"] for row in rows[: len(rows) // 2] if row["epsilon"] in (None, 3.0)}
    assert {row["kind"] for row in rows[: len(rows) // 2]} == {"good"}
    assert errors[many_features.NO_PRIVACY] < errors[many_features.DISCRIMINANT] < 0.25
    assert errors[many_features.STUMPS] > errors[many_features.DISCRIMINANT]
    library = [
        {**rows[0], "method": f"C = {strength:g}", "epsilon": epsilon, "error": 0.2 + strength * epsilon + 0.01 * i}
        for epsilon in many_features.EPSILONS
        for strength in many_features.STRENGTHS
        for i in range(2)
    ]
    summary = many_features.summarised(iter(rows + library))
    best, usual = (summary[summary["method"] == method] for method in (many_features.HINDSIGHT, many_features.LIBRARY))
    np.testing.assert_allclose(best["error"], 0.205 + 0.01 * np.array(many_features.EPSILONS))
    np.testing.assert_allclose(usual["error"], 0.205 + 1.0 * np.array(many_features.EPSILONS))
    many_features.draw(summary, tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").stat().st_size > 10_000


def test_regression_compares_all_on_the_same_rows(tmp_path) -> None:
    coins = np.random.default_rng(6)
    x = coins.normal(size=(900, 4))
    table = {"made up": (x, x @ np.arange(4.0) + coins.normal(size=900), (-10.0, 10.0))}
    rows = list(regression.runs(table, 2, with_library=False))
    settings = {f"{method} {share:g}" for method in regression.HINDSIGHT for share in regression.SHARES}
    own = {*regression.CURVES, *regression.LINES} - {regression.LIBRARY, *regression.HINDSIGHT}
    assert {row["method"] for row in rows} == own | settings
    assert {(row["private"], row["features"]) for row in rows} == {(900 - 180 - 225, 4)}
    r2 = {row["method"]: row["r2"] for row in rows if row["epsilon"] in (None, 3.0)}
    assert 0.8 < r2[regression.LABELLED] < r2[regression.NO_PRIVACY] + 0.01
    assert r2[regression.STATISTICS] < r2[regression.LABELLED]
    library = [{**rows[0], "method": regression.LIBRARY, "epsilon": e, "r2": -e} for e in (1.0, 3.0) for _ in range(2)]
    summary = regression.summarised(iter(rows + library))
    best = summary[summary["method"] == regression.REGULARISED]
    every = [row for row in rows if row["method"].startswith(regression.REGULARISED)]
    assert len(best) == len(regression.EPSILONS)
    for shown in best.itertuples():
        means = [
            np.mean(
                [row["r2"] for row in every if row["epsilon"] == shown.epsilon and row["method"].endswith(f" {s:g}")]
            )
            for s in regression.SHARES
        ]
        assert shown.r2 == pytest.approx(max(means))
    regression.draw(summary, tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").stat().st_size > 10_000
