"""Every rule alone: its work is done again from its inputs, schema and values checked against independent computations.

The work is done in a folder that holds what Snakemake says are the inputs of the job, and nothing else: a rule that
read anything else would fail.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from places import ROOT
from runs import WHOLE, Job, contents, jobs_of, place

from semipriv.core import tables
from semipriv.core.arrays import from_column
from semipriv_lab.experiments import schemas
from semipriv_lab.experiments.catalogue import BUNDLED
from semipriv_lab.ledger.claims import claims
from semipriv_lab.ledger.studies import studies
from semipriv_lab.ledger.table import CLAIMS, MEASUREMENTS
from semipriv_lab.workflow.timings import TIMINGS

SHIFT = "results/excess_vs_shift"
TABLE = "results/breast_cancer"
SAMPLES = "data/synthetic/results/excess_vs_shift/0"
SPLIT = "data/split/results/breast_cancer/0"
MIXED = "results/mixture_vs_n"
MIXED_SAMPLES = "data/synthetic/results/mixture_vs_n/0"
MIXED_TABLE = "results/breast_cancer_mixture"
MIXED_SPLIT = "data/split/results/breast_cancer_mixture/0"
REGRESSION = "results/regression_vs_private"
REGRESSION_SAMPLES = "data/synthetic/results/regression_vs_private/0"
TARGET = 0.437
COVER = "CoverStage(representative='midpoint')"
CELLS = [  # case, sigma, n_private in the order of the configuration
    (case, n, sigma) for case in ("region", "mixture", "tilt") for sigma in (1.0, 0.25) for n in (100, 150, 300)
]


@pytest.fixture
def rebuild(finished: Path, jobs: dict[str, Job], tmp_path: Path) -> Callable[..., None]:
    """Function that does the job of a file of the finished run again."""

    def rebuild(rule: str, *targets: str, without: tuple[str, ...] = ()) -> None:
        """Make the targets, which are all that their job makes, from its inputs alone, to the same bytes.

        without: files of the run that are no inputs.
        """
        job = jobs[targets[0]]
        assert (job.rule, set(job.outputs)) == (rule, set(targets))
        assert all((finished / path).exists() for path in without)
        assert not {*without} & {*job.inputs}
        place(tmp_path, finished, job.inputs)
        job.run(tmp_path)
        for target in targets:
            assert (tmp_path / target).read_bytes() == (finished / target).read_bytes(), target

    return rebuild


def write_frame(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as the workflow does, whatever its columns."""
    types = pa.Table.from_pandas(frame, preserve_index=False).schema
    schema = tables.Schema(path.stem, "for tests", tuple(tables.Column(f.name, f.type, "") for f in types))
    tables.write(path, schema, {name: frame[name] for name in frame})


def gathered(results: str) -> list[str]:
    """The tables in which an experiment is gathered."""
    return [f"{results}/{name}.parquet" for name in ("trials", "summary", "slopes")]


def rows(folder: Path, path: str, schema: tables.Schema) -> list[dict]:
    """Rows of a table; named arrays by name, costs as numbers."""
    read = tables.read_rows(folder / path, schema)
    for row in read:
        if "arrays" in row:
            row["arrays"] = from_column(row["arrays"])
        if "cost" in row:
            row["cost"] = json.loads(row["cost"])
    return read


def distribution(case: str, sigma: float, x: np.ndarray) -> np.ndarray:
    """Distribution function of the private distribution on [0, 1], written down independently of the package."""
    if sigma == 1.0:
        return x
    if case == "region":
        return np.clip((x - TARGET + sigma / 2) / sigma, 0, 1)
    if case == "mixture":
        a = sigma / 2
        w = (1 / sigma - 1) / (1 / a - 1)
        return (1 - w) * x + w * np.clip((x - TARGET + a / 2) / a, 0, 1)
    theta = 3.9206903948728864  # theta / (1 - exp(-theta)) = 4
    return np.expm1(theta * x) / np.expm1(theta)


def target(case: str) -> float:
    return 0.95 if case == "tilt" else TARGET


def test_generate_data(finished: Path, rebuild: Callable[..., None]) -> None:
    rebuild("generate_data", f"{SAMPLES}/public.parquet", f"{SAMPLES}/private.parquet")
    private = rows(finished, f"{SAMPLES}/private.parquet", schemas.SAMPLES)
    assert len(private) == len(CELLS) * 3
    for row in private:
        case, n, sigma = CELLS[row["cell"]]
        assert row["n"] == n
        if n > 200:
            assert row["points"] is None
            assert '"path"' in row["recipe"]
            continue
        x = np.array(row["points"])
        assert len(x) == n
        np.testing.assert_array_equal(np.array(row["labels"]), x >= target(case))
        distance = np.abs(np.sort(distribution(case, sigma, x)) - (np.arange(n) + 0.5) / n).max() + 0.5 / n
        assert distance < 2.23 / np.sqrt(n), "Kolmogorov-Smirnov at level 1e-4"
    public = rows(finished, f"{SAMPLES}/public.parquet", schemas.SAMPLES)
    assert all(len(row["points"]) == 12 for row in public)
    assert len({row["points"][0] for row in public}) == len(public), "every trial draws its own public sample"


def test_generate_mixed_samples(finished: Path, rebuild: Callable[..., None]) -> None:
    """Public zeros and private ones of one sample: sizes add up, labels are statuses, and on which side they lie."""
    public, private = (f"{MIXED_SAMPLES}/{name}.parquet" for name in ("public", "private"))
    rebuild("generate_data", public, private)
    parts = list(zip(*(rows(finished, path, schemas.SAMPLES) for path in (public, private)), strict=True))
    assert len(parts) == 4 * 2 * 3, "cases, sizes, trials"
    for zeros, ones in parts:
        assert zeros["n"] + ones["n"] == (10, 20)[zeros["cell"] % 2]
        assert set(zeros["labels"]) <= {0}
        assert set(ones["labels"]) <= {1}
        if zeros["cell"] < 2:
            assert all(x < 0.3 for x in zeros["points"])
            assert all(x >= 0.3 for x in ones["points"])
    assert len({zeros["n"] for zeros, _ in parts if zeros["cell"] % 2}) > 1, "how many are private is random"


def test_generate_responses(finished: Path, rebuild: Callable[..., None]) -> None:
    """Points of the unit ball, responses about their mean: noise of one size, or signs; larger samples as recipes."""
    public, private = (f"{REGRESSION_SAMPLES}/{name}.parquet" for name in ("public", "private"))
    rebuild("generate_data", public, private)
    samples = rows(finished, private, schemas.SAMPLES)
    assert len(samples) == 2 * 2 * 3, "cases, sizes, trials"
    for row in samples:
        assert row["labels"] is None
        assert (row["responses"] is None) == (row["recipe"] is not None) == (row["n"] > 200)
        if row["responses"] is None:
            continue
        x, y = np.reshape(row["points"], (-1, 3)), np.array(row["responses"])
        assert len(x) == len(y) == row["n"] == 100
        assert np.linalg.norm(x, axis=1).max() <= 1
        if row["cell"] < 2:
            np.testing.assert_allclose(np.abs(y - x @ [0.6, 0.2, -0.2]), 0.3)
        else:
            assert set(y) == {-1.0, 1.0}


def test_losses_of_responses_are_those_of_the_distribution(finished: Path, rebuild: Callable[..., None]) -> None:
    """(w - w*)^T S (w - w*) / 4 above the noise's, with S = 1/5 on the ball of three features."""
    folder = f"{REGRESSION}/blocks/0"
    rebuild("construct_cover", f"{folder}/prepared.parquet", without=(f"{REGRESSION_SAMPLES}/private.parquet",))
    for rule, file in (("private_select", "releases"), ("measure_without_privacy", "without_privacy")):
        rebuild(rule, f"{folder}/{file}.parquet")
    rebuild("evaluate", *gathered(REGRESSION), without=(f"{REGRESSION_SAMPLES}/private.parquet",))
    trials = rows(finished, f"{REGRESSION}/trials.parquet", schemas.TRIALS)
    assert len(trials) == 2 * 2 * 3 * 3
    target = np.array([0.6, 0.2, -0.2])
    for row in trials:
        away = row["arrays"]["weights"] @ row["arrays"]["parameters"] - target
        best = 0.3**2 / 4 if row["cell"] < 2 else (1 - target @ target / 5) / 4
        assert row["best_error"] == pytest.approx(best, abs=1e-9)
        assert row["excess"] == pytest.approx(away @ away / 20, abs=1e-9)
        assert (row["epsilon"] is None) == row["learner"].startswith("least_squares_ball")


def test_mixed_public_stage_goes_to_disk_as_its_examples(finished: Path, rebuild: Callable[..., None]) -> None:
    prepared = f"{MIXED}/blocks/0/prepared.parquet"
    rebuild("construct_cover", prepared, without=(f"{MIXED_SAMPLES}/private.parquet",))
    public = {(r["cell"], r["trial"]): r for r in rows(finished, f"{MIXED_SAMPLES}/public.parquet", schemas.SAMPLES)}
    prepared_rows = rows(finished, prepared, schemas.PREPARED)
    assert len(prepared_rows) == 24 * 4, "regions, a grid and nothing beside the examples, public labels"
    for row in prepared_rows:
        arrays, sample = row["arrays"], public[row["cell"], row["trial"]]
        if row["stage"] == "LabelledMinimum()":
            assert "labels" not in arrays
            assert len(arrays["parameters"]) == 1
        else:
            name = "examples" if row["stage"].startswith("Regions(") else "points"
            assert (arrays[name].ravel().tolist(), arrays["labels"].tolist()) == (sample["points"], sample["labels"])
            assert "parameters" not in arrays
        assert ("family.hyperplanes" in arrays) == row["stage"].startswith("Regions(")


def test_select_from_mixed_samples(finished: Path, rebuild: Callable[..., None]) -> None:
    """A_LearnHalf's region on the line is an interval between public points, or empty."""
    public, releases = f"{MIXED_SAMPLES}/public.parquet", f"{MIXED}/blocks/0/releases.parquet"
    known = {(r["cell"], r["trial"]): r["points"] for r in rows(finished, public, schemas.SAMPLES)}
    rebuild("private_select", releases, without=(public,))
    rebuild("measure_without_privacy", f"{MIXED}/blocks/0/without_privacy.parquet")
    own = [r for r in rows(finished, releases, schemas.RELEASES) if r["learner"].startswith("learn_half")]
    assert len(own) == 24
    for row in own:
        assert (row["epsilon"], row["delta"], row["neighbours"]) == (1.0, 0.0, "replace_private_features")
        if row["cell"] < 2:
            halflines = np.reshape(row["arrays"]["parameters"], (2, 2))
            ends = {round(-b / w) for w, b in halflines if w}
            assert ends <= {round(x * 2**20) for x in known[row["cell"], row["trial"]]}
    pooled = [r for r in rows(finished, releases, schemas.RELEASES) if r["learner"].startswith("pooled")]
    assert {r["neighbours"] for r in pooled} == {"replace_private_example"}


def test_evaluate_mixed_samples(finished: Path, rebuild: Callable[..., None]) -> None:
    unread = tuple(f"{MIXED_SAMPLES}/{name}.parquet" for name in ("public", "private"))
    rebuild("evaluate", *gathered(MIXED), without=unread)
    side = np.linspace(-2, 2, 257)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    target = grid @ [1.0, 2.0] + 1.7 >= 0
    trials = rows(finished, f"{MIXED}/trials.parquet", schemas.TRIALS)
    for row in trials:
        assert row["standard_error"] == 0.0, "exact, by the closed form or over all points of the grid"
        if row["cell"] < 4 or not row["learner"].startswith("learn_half"):
            continue
        halfplanes = np.reshape(row["arrays"]["parameters"], (4, 3))
        places = np.round((grid + 2) / 4 * 2**20)
        predicted = ~np.all(places @ halfplanes[:, :2].T + halfplanes[:, 2] >= 0, axis=1)
        rate = 0.0 if row["cell"] < 6 else 0.1
        assert row["error"] == pytest.approx(rate + (1 - 2 * rate) * np.mean(predicted != target), abs=1e-12)
        assert row["best_error"] == rate
    summary = tables.read(finished / f"{MIXED}/summary.parquet", schemas.SUMMARY).to_pandas()
    assert list(summary.groupby("cell")["n"].first()) == [10, 20] * 4
    assert summary[["n_public", "n_private"]].isna().all(axis=None)
    assert set(summary["private_zeros"]) == {0.0}


def test_construct_cover_reads_public_files_only(finished: Path, rebuild: Callable[..., None]) -> None:
    prepared = f"{SHIFT}/blocks/0/prepared.parquet"
    rebuild("construct_cover", prepared, without=(f"{SAMPLES}/private.parquet",))
    public = {(r["cell"], r["trial"]): r for r in rows(finished, f"{SAMPLES}/public.parquet", schemas.SAMPLES)}
    covers = [r for r in rows(finished, prepared, schemas.PREPARED) if r["stage"] == COVER]
    assert len(covers) == len(public)
    for row in covers:
        x = np.sort(public[row["cell"], row["trial"]]["points"])
        np.testing.assert_array_equal(row["arrays"]["points"][:, 0], x)
        np.testing.assert_allclose(
            row["arrays"]["parameters"][:, 0], [-np.inf, *(x[1:] + x[:-1]) / 2, np.inf], rtol=1e-15
        )


def test_private_select(finished: Path, rebuild: Callable[..., None]) -> None:
    releases = f"{SHIFT}/blocks/0/releases.parquet"
    rebuild("private_select", releases, without=(f"{SAMPLES}/public.parquet",))
    outputs = rows(finished, releases, schemas.RELEASES)
    prepared = rows(finished, f"{SHIFT}/blocks/0/prepared.parquet", schemas.PREPARED)
    cover = {(r["cell"], r["trial"]): r["arrays"]["parameters"] for r in prepared if r["stage"] == COVER}
    own = [r for r in outputs if r["learner"].startswith("sspp")]
    assert len(own) == len(CELLS) * 3 * 2, "two mechanisms"
    for row in own:
        assert row["arrays"]["parameters"][0] in cover[row["cell"], row["trial"]]
        assert (row["epsilon"], row["delta"], row["cost"]) == (1.0, 0.0, {"cover_size": 13})
        assert row["neighbours"] == "replace_private_example"
    assert {r["epsilon"] for r in outputs if r["learner"].startswith("public_labelled")} == {0.0}
    assert not any("empirical_risk" in r["learner"] for r in outputs), "a baseline without privacy is no release"


def test_covers_too_large_to_list_are_stored_as_their_points(finished: Path, rebuild: Callable[..., None]) -> None:
    """Intervals: half-way ends of every chosen hypothesis, from a table that holds no list."""
    folder, samples = "results/excess_intervals/blocks/0", "data/synthetic/results/excess_intervals/0"
    rebuild("construct_cover", f"{folder}/prepared.parquet", without=(f"{samples}/private.parquet",))
    prepared = rows(finished, f"{folder}/prepared.parquet", schemas.PREPARED)
    covers = {(r["cell"], r["trial"]): r for r in prepared if r["stage"] == COVER}
    assert len(covers) == 9
    assert all(list(r["arrays"]) == ["points"] for r in covers.values())
    outputs = rows(finished, f"{folder}/releases.parquet", schemas.RELEASES)
    chosen = [r for r in outputs if r["learner"].startswith("sspp")]
    assert len(chosen) == 18
    for row in chosen:
        x = np.unique(covers[row["cell"], row["trial"]]["arrays"]["points"])
        middles = (x[1:] + x[:-1]) / 2
        assert row["cost"]["cover_size"] == len(x) * (len(x) + 1) // 2 + 1
        low, high = row["arrays"]["parameters"]
        assert (low, high) == (np.inf, -np.inf) or (low in [-np.inf, *middles] and high in [*middles, np.inf])


def test_stored_covers_are_enough_to_select(rebuild: Callable[..., None]) -> None:
    public = "data/synthetic/results/excess_intervals/0/public.parquet"
    rebuild("private_select", "results/excess_intervals/blocks/0/releases.parquet", without=(public,))


def test_measure_without_privacy(finished: Path, rebuild: Callable[..., None]) -> None:
    path = f"{SHIFT}/blocks/0/without_privacy.parquet"
    rebuild("measure_without_privacy", path, without=(f"{SAMPLES}/public.parquet",))
    private = {(r["cell"], r["trial"]): r for r in rows(finished, f"{SAMPLES}/private.parquet", schemas.SAMPLES)}
    for row in rows(finished, path, schemas.RELEASES):
        assert row["epsilon"] is None
        sample = private[row["cell"], row["trial"]]
        if sample["points"] is not None:
            x, y = np.array(sample["points"]), np.array(sample["labels"])
            assert ((x >= row["arrays"]["parameters"][0]) == y).all(), "realizable: the minimiser makes no mistake"


def test_evaluate_never_reads_a_sample(finished: Path, rebuild: Callable[..., None]) -> None:
    rebuild("evaluate", *gathered(SHIFT), without=(f"{SAMPLES}/private.parquet", f"{SAMPLES}/public.parquet"))
    for row in rows(finished, f"{SHIFT}/trials.parquet", schemas.TRIALS):
        case, _, sigma = CELLS[row["cell"]]
        t = np.clip(row["arrays"]["parameters"][0], 0.0, 1.0)
        expected = abs(distribution(case, sigma, t) - distribution(case, sigma, np.array(target(case))))
        assert row["error"] == pytest.approx(expected, abs=1e-9)
        assert row["excess"] == pytest.approx(expected, abs=1e-9)
        assert (row["best_error"], row["standard_error"]) == (0.0, 0.0)


def test_write_table(finished: Path, rebuild: Callable[..., None]) -> None:
    from sklearn.datasets import load_breast_cancer

    rebuild("write_table", "data/breast_cancer.parquet")
    frame = pq.read_table(finished / "data/breast_cancer.parquet").to_pandas()
    bundled = load_breast_cancer(as_frame=True)
    pd.testing.assert_frame_equal(frame.drop(columns="malignant"), bundled.data)
    described = BUNDLED["breast_cancer"]
    assert (described.rows, [*described.features, *described.labels]) == (len(frame), list(frame.columns))
    assert frame["malignant"].sum() == (bundled.target_names[bundled.target] == "malignant").sum() == 212


def test_split_table(finished: Path, rebuild: Callable[..., None]) -> None:
    parts = {name: f"{SPLIT}/{name}.parquet" for name in ("public", "private", "held")}
    rebuild("split_table", *parts.values())
    table = pq.read_table(finished / "data/breast_cancer.parquet").to_pandas()
    raw = table[["mean radius", "mean texture", "malignant"]].to_numpy()
    read = {name: rows(finished, path, schemas.SAMPLES) for name, path in parts.items()}
    orders = set()
    for trial in range(3):
        pieces = {name: samples[trial] for name, samples in read.items()}
        assert [pieces[name]["n"] for name in parts] == [10, 40, 569 - 50]
        points = {name: np.reshape(p["points"], (-1, 2)) for name, p in pieces.items()}
        np.testing.assert_allclose(points["public"].mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(points["public"].std(axis=0), 1, atol=1e-12)
        back = np.concatenate([p * pieces["public"]["scale"] + pieces["public"]["centre"] for p in points.values()])
        assert pieces["public"]["labels"] is None, "no learner of this experiment needs public labels"
        assert back.shape == (569, 2)
        np.testing.assert_allclose(sorted(map(tuple, back)), sorted(map(tuple, raw[:, :2])), rtol=0, atol=1e-9)
        labels = [label for name in ("private", "held") for label in pieces[name]["labels"]]
        nearest = [np.abs(raw[:, :2] - row).sum(axis=1).argmin() for row in back[10:]]
        assert np.mean(raw[nearest, 2] == labels) > 0.99, "labels go with their rows (equal rows may differ)"
        orders.add(tuple(labels))
    assert len(orders) == 3, "every trial splits anew"


def test_split_mixed_table(finished: Path, rebuild: Callable[..., None]) -> None:
    parts = {name: f"{MIXED_SPLIT}/{name}.parquet" for name in ("public", "private", "held")}
    rebuild("split_table", *parts.values())
    table = pq.read_table(finished / "data/breast_cancer.parquet").to_pandas()
    raw = table[["worst radius", "worst concave points"]].to_numpy() / [40, 0.3]
    read = {name: rows(finished, path, schemas.SAMPLES) for name, path in parts.items()}
    for trial in range(3):
        pieces = {name: samples[trial] for name, samples in read.items()}
        assert pieces["public"]["n"] + pieces["private"]["n"] == 60
        assert pieces["held"]["n"] == 509
        assert (set(pieces["public"]["labels"]), set(pieces["private"]["labels"])) == ({0}, {1})
        points = np.concatenate([np.reshape(piece["points"], (-1, 2)) for piece in pieces.values()])
        labels = np.concatenate([piece["labels"] for piece in pieces.values()])
        order, expected = np.lexsort((labels, *points.T)), np.lexsort((table["malignant"], *raw.T))
        np.testing.assert_allclose(points[order], raw[expected], rtol=1e-12)
        np.testing.assert_array_equal(labels[order], table["malignant"].to_numpy()[expected])


def test_evaluate_held_out_of_a_mixed_table(finished: Path, rebuild: Callable[..., None]) -> None:
    unread = (f"{MIXED_SPLIT}/private.parquet", f"{MIXED_SPLIT}/public.parquet", "data/breast_cancer.parquet")
    rebuild("evaluate_held_out", *gathered(MIXED_TABLE), without=unread)
    held = {r["trial"]: r for r in rows(finished, f"{MIXED_SPLIT}/held.parquet", schemas.SAMPLES)}
    trials = rows(finished, f"{MIXED_TABLE}/trials.parquet", schemas.TRIALS)
    assert len({r["learner"] for r in trials}) == 7
    for row in trials:
        x, y = np.reshape(held[row["trial"]]["points"], (-1, 2)), np.array(held[row["trial"]]["labels"])
        rules = np.reshape(row["arrays"]["parameters"], (-1, 3))
        if row["learner"].startswith("learn_half"):
            predicted = ~np.all(np.round(np.clip(x, 0, 1) * 2**20) @ rules[:, :2].T + rules[:, 2] >= 0, axis=1)
        else:
            predicted = x @ rules[0, :2] + rules[0, 2] >= 0
        assert row["error"] == pytest.approx(np.mean(predicted != y), abs=1e-12)


def refusal(job: Job, finished: Path, folder: Path, frame: pd.DataFrame, shown: pytest.CaptureFixture[str]) -> str:
    """What a job says that refuses a table; it writes nothing."""
    write_frame(folder / "data/breast_cancer.parquet", frame)
    with pytest.raises(ValueError):  # noqa: PT011  (its message is in what is shown)
        job.run(folder)
    assert not any((folder / path).exists() for path in job.outputs)
    line = shown.readouterr().err
    assert line.startswith("ValueError: data/breast_cancer.parquet, column")
    assert line.count("\n") == 1
    return line


def test_split_table_names_the_row_whose_status_contradicts_the_model(
    finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A status column beside the label, which for one benign row says private."""
    frame = pq.read_table(finished / "data/breast_cancer.parquet").to_pandas()
    frame["mean radius"] = frame["malignant"].astype(float)
    row = int(np.flatnonzero(frame["malignant"] == 0)[2])
    frame.loc[row, "mean radius"] = 1.0
    status = tmp_path / "status.yaml"
    status.write_text("overrides: {breast_cancer_mixture: {table.status: mean radius}}\n")
    target = f"{MIXED_SPLIT}/private.parquet"
    job = next(job for job in jobs_of(str(status)) if target in job.outputs)
    message = refusal(job, finished, tmp_path, frame, capfd)
    assert (
        f"row {row} is private with label 0: under label_determined an example is private iff its label is 1" in message
    )
    assert "breast_cancer.parquet, columns 'mean radius' (status) and 'malignant' (label)" in message


@pytest.mark.parametrize(
    ("value", "message"), [(float("nan"), "column 'mean texture': points: row 7"), (3, "row 5 = ")]
)
def test_split_table_names_the_bad_row(
    finished: Path,
    jobs: dict[str, Job],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    value: float,
    message: str,
) -> None:
    frame = pq.read_table(finished / "data/breast_cancer.parquet").to_pandas()
    if value == 3:
        frame.loc[5, "malignant"] = 3
    else:
        frame.loc[7, "mean texture"] = value
    assert message in refusal(jobs[f"{SPLIT}/private.parquet"], finished, tmp_path, frame, capfd)


def test_evaluate_held_out(finished: Path, rebuild: Callable[..., None]) -> None:
    unread = (f"{SPLIT}/private.parquet", f"{SPLIT}/public.parquet", "data/breast_cancer.parquet")
    rebuild("evaluate_held_out", *gathered(TABLE), without=unread)
    held = {r["trial"]: r for r in rows(finished, f"{SPLIT}/held.parquet", schemas.SAMPLES)}
    trials = rows(finished, f"{TABLE}/trials.parquet", schemas.TRIALS)
    assert len({r["learner"] for r in trials}) == 13
    for row in trials:
        part, theta = held[row["trial"]], row["arrays"]["parameters"]
        predicted = np.reshape(part["points"], (-1, 2)) @ theta[:2] + theta[2] >= 0
        assert row["error"] == pytest.approx(np.mean(predicted != np.array(part["labels"])), abs=1e-12)
        assert row["excess"] is None


def test_means_are_those_of_the_trials(finished: Path) -> None:
    summary = tables.read(finished / f"{SHIFT}/summary.parquet", schemas.SUMMARY).to_pandas()
    raw = rows(finished, f"{SHIFT}/trials.parquet", schemas.TRIALS)
    assert list(summary["case"].unique()) == ["region", "mixture", "tilt"], "cases keep the order of the file"
    for _, row in summary.iterrows():
        assert (row["case"], row["n_private"], row["sigma"]) == CELLS[row["cell"]]
        values = np.array([r["excess"] for r in raw if (r["cell"], r["learner"]) == (row["cell"], row["learner"])])
        assert row["trials"] == len(values) == 3
        assert row["mean"] == pytest.approx(values.mean(), abs=1e-15)
        student = 0.95 * np.sqrt(2 / (1 - 0.95**2))  # 97.5 % quantile with 2 degrees of freedom, in closed form
        half = student * values.std(ddof=1) / np.sqrt(3)
        assert row["high"] - row["mean"] == pytest.approx(half, abs=1e-12)
    vacuous = summary["vacuous"].fillna(False).astype(bool)
    assert vacuous.any()
    assert summary.loc[vacuous, "bound"].isna().all()
    metadata = pq.read_schema(finished / f"{SHIFT}/summary.parquet").field("bound").metadata
    assert b"1 - beta" in metadata[b"meaning"], "columns are documented in the file"


def test_measure_study(finished: Path, rebuild: Callable[..., None]) -> None:
    study = "results/claims/abm19_private_need"
    rebuild("measure_study", f"{study}.rows.parquet", f"{study}.measurements.parquet")
    measured = rows(finished, f"{study}.measurements.parquet", MEASUREMENTS)
    needs = {
        (row["claim"], *(json.loads(row["settings"])[key] for key in ("epsilon", "alpha"))): row["measured"]
        for row in measured
        if row["quantity"] == "private examples needed" and json.loads(row["settings"])["mechanism"] == "exponential"
    }
    assert needs["ABM19-T3.1-agnostic", 0.01, 0.05] == 12322
    assert needs["ABM19-T3.1-realizable", 0.1, 0.01] == 6021
    assert [row["claim"] for row in rows(finished, f"{study}.rows.parquet", CLAIMS)] == [
        "ABM19-T3.1-agnostic",
        "ABM19-T3.1-realizable",
    ]


def test_ledger_lists_every_claim(finished: Path, rebuild: Callable[..., None]) -> None:
    names = ("claims.parquet", "measurements.parquet", "claims.html", "claims.tex")
    rebuild("ledger", *(f"results/{name}" for name in names))
    by_claim = {row["claim"]: row for row in rows(finished, "results/claims.parquet", CLAIMS)}
    assert list(by_claim) == list(claims())
    measured = {claim for claim, row in by_claim.items() if row["experiment"] is not None}
    assert measured == {
        claim for study in ("abm19_public_need", "abm19_private_need") for claim in studies()[study].claims
    }
    assert by_claim["ABM19-T3.1-agnostic"]["verdict"] == "holds"
    reasons = {row["reason"] for claim, row in by_claim.items() if claim not in measured and row["kind"] != "cited"}
    assert reasons == {"not part of this run"}
    assert {row["verdict"] for row in by_claim.values() if row["kind"] == "cited"} == {"cited"}
    page = (finished / "results/claims.html").read_text()
    assert page.count('<tr id="') == len(by_claim)
    assert not re.search(r"https?://|src=", page), "the page needs nothing else"
    assert set(re.findall(r'href="([^"]*)"', page)) <= {
        *(f"#{claim}" for claim in by_claim),
        *(f"figures/{study.figure}.png" for study in studies().values()),
    }


def test_summary(finished: Path, rebuild: Callable[..., None]) -> None:
    rebuild("summary", "results/summary.txt")
    text = (finished / "results/summary.txt").read_text()
    for word in ("excess_vs_shift", "Claims ledger", "ABM19", "not part of this run", "results/figures"):
        assert word in text


def test_runtimes(undisturbed: Path, plan: Callable[..., list[Job]], tmp_path: Path) -> None:
    """It reads what Snakemake measured and what jobs logged, which are no outputs of theirs."""
    job = next(job for job in plan(WHOLE) if job.rule == "runtimes")
    assert set(job.outputs) == {f"results/timings/{name}" for name in ("jobs.parquet", "jobs.html", "minutes.txt")}
    read = [*contents(undisturbed, "results/timings/**/*.tsv", "results/logs/**/*.log")]
    place(tmp_path, undisturbed, [*job.inputs, *read])
    job.run(tmp_path)
    for path in job.outputs:
        assert (tmp_path / path).read_bytes() == (undisturbed / path).read_bytes()
    rows = tables.read_rows(undisturbed / "results/timings/jobs.parquet", TIMINGS)
    logs = {path.stem for path in (undisturbed / "results/logs").glob("*/*.log")}
    assert {row["job"] for row in rows if row["job"]} == logs
    assert {row["rule"] for row in rows} > {"private_select", "measure_study", "ledger", "summary"}
    assert all(0 <= row["work"] <= row["seconds"] for row in rows)
    assert all(row["cpu"] > 0 and row["memory"] > 10 for row in rows)
    assert "By rule" in (undisturbed / "results/timings/jobs.html").read_text()
    assert {row["paper"] for row in rows} == {"ABM19", "BMN20", "all papers"}


@pytest.mark.parametrize(
    "figure", ["excess_intervals__excess", "breast_cancer_mixture__table_regions", "public_points"]
)
def test_draw_figures(finished: Path, jobs: dict[str, Job], tmp_path: Path, figure: str) -> None:
    """A figure drawn by itself, from its own tables, has the bytes that it has in its batch."""
    job = jobs[f"results/figures/{figure}.pdf"]
    assert job.rule == "draw_figures"
    assert len(job.params["figures"]) > 1
    alone = job.only(figure)
    assert len(alone.inputs) < len(job.inputs)
    place(tmp_path, finished, alone.inputs)
    alone.run(tmp_path)
    expected = contents(finished, f"{figure}.pdf", f"{figure}.png")
    assert len(expected) == 2
    assert contents(tmp_path, "*.pdf", "*.png") == expected


def test_pictures(finished: Path) -> None:
    stems = {path.with_suffix("") for path in (finished / "results/figures").iterdir()}
    assert len(stems) == 5
    for stem in stems:
        check_figure(stem)


def check_figure(stem: Path) -> None:
    import matplotlib.image

    assert stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert b"CreationDate" not in stem.with_suffix(".pdf").read_bytes()
    picture = matplotlib.image.imread(stem.with_suffix(".png"))
    assert picture.shape[1] > 800
    colours = np.round(255 * picture).astype(np.int64) @ 256 ** np.arange(picture.shape[-1])
    assert len(np.unique(colours)) > 50, "more than an empty frame"


def test_every_rule_has_a_test() -> None:
    """Those of releases, whose ledger makes each run another one, are in ``test_release``."""
    text = Path(__file__).read_text() + (ROOT / "tests/workflow/test_release.py").read_text()
    files = [*(ROOT / "workflow/rules").glob("*.smk")]
    rules = {rule for file in files for rule in re.findall(r"scripts/(\w+)\.py\"$", file.read_text(), flags=re.M)}
    assert rules == {path.stem for path in (ROOT / "scripts").glob("*.py")}, "a script for each"
    assert len(rules) >= 13
    for rule in rules:
        assert f'"{rule}"' in text, f"no test rebuilds rule {rule}"
