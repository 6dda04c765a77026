"""Statistics by group, as a user releases them: from a request to certified files, of rows and of persons."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
import releases
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from semipriv.cli import main
from semipriv.core.errors import PublicError
from semipriv.core.persons import Persons, shares
from semipriv.learners.statistics.reading import Answers
from semipriv.practice.asking.request import load
from semipriv.practice.engine import charging, jobs, whole
from semipriv.practice.engine.stages import Stage, draw, stage
from semipriv.practice.engine.wishes import expected
from semipriv.practice.published.model import Model
from semipriv.practice.published.report_figure import public_values
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger
from semipriv.privacy.budget.periods import Periods
from semipriv.privacy.events import Pure, restored
from semipriv.privacy.guarantee import Neighbours

FEATURES: dict[str, Any] = {
    "ward": {"categories": ["A", "B", "C"], "unknown": "other"},
    "month": {"integers": [1, 12], "unknown": 1},
    "days": {"range": [0, 60]},
    "cost": {"range": [0, 6000], "unknown": 0},
}
STATISTICS: list[dict[str, Any]] = [
    {"statistic": "count", "by": ["ward"]},
    {"statistic": "count", "by": ["month", "ward"], "importance": 0.5},
    {"statistic": "mean", "column": "days", "by": ["ward"]},
    {"statistic": "sum", "column": "cost"},
    {"statistic": "variance", "column": "days"},
    {"statistic": "quantiles", "column": "days", "at": [0.5, 0.99], "by": ["ward"]},
]
LEARNER = {"name": "statistics", "epsilon": 1, "statistics": STATISTICS}
REPORT: dict[str, Any] = {"features": FEATURES, "label": None, "class": None, "learner": LEARNER}
ROW = {"one_row_a_person": True}
PERSON: dict[str, Any] = {"one_row_a_person": None, "person": {"columns": ["pid"]}}
FOLDER = "results/releases/visits"


def hospital(n: int, seed: int) -> pd.DataFrame:
    """Stays: some cells of days are missing, texts or infinite, and some wards are not declared."""
    g = np.random.default_rng(seed)
    ward = g.choice(["A", "B", "C", "D"], n, p=[0.5, 0.3, 0.15, 0.05])
    days = g.gamma(2, np.where(ward == "A", 2, 5)).round(1)
    cost = (100 * days + g.normal(0, 50, n)).round(2)
    odd = g.choice(["", "none", "inf", "nan", "1e999"], n)
    table = pd.DataFrame({"ward": ward, "month": g.integers(1, 13, n), "days": days, "cost": cost})
    return table.assign(days=np.where(g.random(n) < 0.1, odd, days.astype(str)))


def project(folder: Path, n: int = 4_000, **changes: Any) -> Path:
    budget = {"epsilon": 4} | ({"neighbours": Neighbours.REPLACE_PERSON} if "person" in changes else {})
    path = releases.project(folder, budget=budget, **{**REPORT, **changes})
    hospital(n, 0).to_csv(folder / "clinic.csv", index=False)
    hospital(200, 1).to_csv(folder / "public.csv", index=False)
    return path


def known(table: pd.DataFrame) -> pd.DataFrame:
    """What the declarations say of the cells: NaN for a number that is none."""
    days = pd.to_numeric(table["days"], errors="coerce").replace([np.inf, -np.inf], np.nan).clip(0, 60)
    ward = table["ward"].where(table["ward"].isin(["A", "B", "C"]), "other")
    return table.assign(days=days, ward=ward, cost=table["cost"].clip(0, 6000))


def by_pandas(table: pd.DataFrame) -> dict[tuple[str, str, str], float]:
    """The exact statistics, by (statistic, by, group)."""
    rows = known(table)
    exact: dict[tuple[str, str, str], float] = {("count", "ward", w): k for w, k in rows["ward"].value_counts().items()}
    exact |= {("count", "month, ward", f"{m}, {w}"): k for (m, w), k in rows.groupby(["month", "ward"]).size().items()}
    exact |= {("mean", "ward", w): k for w, k in rows.groupby("ward")["days"].mean().items()}
    return exact | {("sum", "", ""): rows["cost"].sum(), ("variance", "", ""): rows["days"].var(ddof=0)}


# ---------------------------------------------------------------------------------------------------- the whole way
def test_a_report_from_the_request_to_verified_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project(tmp_path, learner={**LEARNER, "ends": "declared"})
    folder, ledger = tmp_path / FOLDER, tmp_path / "ledgers/clinic.jsonl"
    assert main(["release", str(path), "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "count by ward: " in printed
    assert "mean of days by ward: A " in printed
    assert not releases.ledger(tmp_path).charges, "a dry run pays nothing"
    assert main(["release", str(path)]) == 0
    assert "report: " in capsys.readouterr().out
    names = {"model.json", "certificate.json", "certificate.html", "report.csv", "figure.pdf", "figure.png"}
    assert {file.name for file in folder.iterdir()} == names
    assert main(["verify", str(folder), "--ledger", str(ledger)]) == 0

    report = pd.read_csv(folder / "report.csv", keep_default_na=False, na_values={"value": [""], "noise_sd": [""]})
    report = report[report["kind"] == "noise"]
    exact = by_pandas(hospital(4_000, 0))
    rows = {(row.statistic, row.by, row.group): row for row in report.itertuples()}
    assert exact.keys() <= rows.keys()
    for key, number in exact.items():
        if key != ("mean", "ward", "other"):  # of few rows: its error is not that of the line at the truth
            assert abs(rows[key].value - number) <= 8 * rows[key].noise_sd + 1e-3 * abs(number), key

    predicate = json.loads((folder / "certificate.json").read_text())["predicate"]
    (charge,) = releases.ledger(tmp_path).charges
    assert charge.payload["event"] == predicate["event"]
    assert predicate["event"]["event"] == "Composed"
    assert len(predicate["event"]["parts"]) > len(predicate["report"]["measured"]) >= 3
    assert Fraction(1, 2) < (restored(predicate["event"]).pure or 0) <= 1
    assert predicate["report"]["numbers"] == (folder / "report.csv").read_text().count("\n") - 1
    assert predicate["synthetic_table"] is None


def test_the_same_request_again_costs_nothing_and_writes_the_same_bytes(tmp_path: Path) -> None:
    path, folder = project(tmp_path), tmp_path / FOLDER
    first = whole.release(load(path))
    content = {name: (folder / name).read_bytes() for name in ("model.json", "certificate.json", "report.csv")}
    for name in content:
        (folder / name).unlink()
    (tmp_path / "clinic.csv").write_text("ward,month,days,cost\nA,1,1,1\n" * 2)  # what is drawn needs no private row
    again = whole.release(load(path))
    assert (first.replayed, again.replayed) == (False, True)
    assert {name: (folder / name).read_bytes() for name in content} == content
    assert len(releases.ledger(tmp_path).charges) == 1


def test_a_release_that_was_killed_before_it_was_published_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, folder = project(tmp_path), tmp_path / FOLDER

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(whole, "publish", killed)
        with pytest.raises(KeyboardInterrupt):
            whole.release(load(path))
    assert not (folder / "report.csv").exists()
    outcome = whole.release(load(path))
    assert outcome.replayed, "what was drawn before the kill is published, and nothing else is drawn"
    assert len(releases.ledger(tmp_path).charges) == 1
    values = pd.read_csv(folder / "report.csv")["value"].to_numpy()
    np.testing.assert_array_equal(values, outcome.released.output.values)


def test_a_machine_that_would_draw_otherwise_than_was_charged_draws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project(tmp_path, n=100)
    staged = stage(load(path))
    reservation = charging.reserve(staged)
    other = stage(load(path))
    monkeypatch.setattr(type(other), "event", Pure(Fraction(1, 3)))
    with pytest.raises(PublicError, match="charged for other events"):
        draw(other, reservation, [])
    assert reservation.stored is None


def test_the_jobs_of_snakemake_make_the_same_report_of_parts(tmp_path: Path) -> None:
    path, folder = project(tmp_path), tmp_path / FOLDER
    (tmp_path / "parts").mkdir()
    table = hospital(4_000, 0)
    for i, part in enumerate((table[:10], table[10:3_000], table[3_000:])):
        part.to_csv(tmp_path / f"parts/{i}.csv", index=False)
    path = releases.request(tmp_path, **REPORT, private={"path": str(tmp_path / "parts")})
    jobs.charge(path, folder / "charged.json")
    files = [folder / f"private/{part}.npz" for part in range(3)]
    for part, file in enumerate(files):
        jobs.tally(path, part, file)
    jobs.draw(path, list(map(str, files)))
    jobs.write_table(path)
    assert (folder / "report.csv").read_text().startswith('"statistic","column"')
    assert main(["verify", str(folder), "--ledger", str(tmp_path / "ledgers/clinic.jsonl")]) == 0


def test_a_parquet_table_gives_a_parquet_report_and_no_forged_one_passes(tmp_path: Path) -> None:
    project(tmp_path, n=500)
    hospital(500, 0).to_parquet(tmp_path / "clinic.parquet")
    path = releases.request(tmp_path, **REPORT, private={"path": str(tmp_path / "clinic.parquet")})
    whole.release(load(path))
    file = tmp_path / FOLDER / "report.parquet"
    report = pd.read_parquet(file)
    assert len(report) == len(Model.load(tmp_path / FOLDER / "model.json").report())
    assert main(["verify", str(file.parent)]) == 0
    report.loc[0, "value"] += 1
    report.to_parquet(file)
    assert main(["verify", str(file.parent)]) != 0


def test_without_public_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project(tmp_path, public=None)
    assert main(["release", str(path), "--dry-run"]) == 0
    assert "assumes     groups of equal size, since no public row tells their sizes" in capsys.readouterr().out
    assert main(["release", str(path), "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["equal_groups_assumed"]
    whole.release(load(path))
    assert main(["verify", str(tmp_path / FOLDER)]) == 0
    assert Model.load(tmp_path / FOLDER / "model.json").sizes == {"n_public": 0, "n_private": 4_000}
    certificate = json.loads((tmp_path / FOLDER / "certificate.json").read_text())["predicate"]
    assert not any("public rows" in line for line in certificate["unprotected"])


def test_a_delta_pays_by_rho(tmp_path: Path) -> None:
    project(tmp_path, n=500)
    ledger = tmp_path / "ledgers/with_delta.jsonl"
    Ledger.create(ledger, Budget(1, "1e-6"))
    learner = {**LEARNER, "epsilon": 0.5, "delta": "1e-9"}
    path = releases.request(tmp_path, **{**REPORT, "learner": learner}, ledger=str(ledger))
    whole.release(load(path))
    assert main(["verify", str(tmp_path / FOLDER), "--ledger", str(ledger)]) == 0
    stated = json.loads((tmp_path / FOLDER / "certificate.json").read_text())["predicate"]["guarantee"]
    assert (stated["epsilon"], stated["delta"]) == (0.5, pytest.approx(1e-9))
    assert stated["exact"]["epsilon"] is None, "there is no pure epsilon of discrete Gaussian noise"


def test_each_month_pays_from_its_own_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project(tmp_path)
    ledger = tmp_path / "ledgers/clinic.jsonl"
    for child in ledger.parent.iterdir():
        child.unlink()
    Ledger.create(ledger, Budget(1), periods=Periods("month"))
    for place, month in enumerate(("2026-10", "2026-11", "2026-12")):
        hospital(1_000, place).to_csv(tmp_path / f"{month}.csv", index=False)
        asked = {**REPORT, "private": {"path": f"{month}.csv"}, "period": month, "release": f"r-{place}"}
        whole.release(load(releases.request(tmp_path, **asked)))
        assert main(["verify", str(tmp_path / f"results/releases/r-{place}"), "--ledger", str(ledger)]) == 0
    spent = {standing.period: standing.accounts[0].spent for standing in releases.ledger(tmp_path).summary().standings}
    assert spent.keys() == {"2026-10", "2026-11", "2026-12"}
    assert all(Fraction(1, 2) < amount <= 1 for amount in spent.values()), "one report a month, from one account each"
    stacked = pd.concat(pd.read_csv(tmp_path / f"results/releases/r-{place}/report.csv") for place in range(3))
    counts = stacked.groupby(["release", "period"]).size()
    assert list(counts.index) == [("r-0", "2026-10"), ("r-1", "2026-11"), ("r-2", "2026-12")]
    assert counts.nunique() == 1
    file = tmp_path / "results/releases/r-2/report.csv"
    file.write_text(file.read_text().replace("2026-12", "2026-11"))
    assert main(["verify", str(file.parent)]) != 0, "a period is what was charged"


# ---------------------------------------------------------------------------------------------------- sums
def sums(staged: Stage) -> Statistic:
    """The sums of all parts."""
    (statistic,) = staged.statistics()
    for part in range(len(staged.request.private.parts)):
        for points, labels, units in staged.records_of(part, 0, statistic):
            statistic.add(points, labels, units)
    assert statistic.whole(staged.sizes["n_private"])
    return statistic


def by_rows(staged: Stage, points: np.ndarray, units: np.ndarray) -> list[dict[tuple[int, ...], list[int]]]:
    """Each answer by a loop over rows, in exact arithmetic: sums of the units, of u and of u^2 in each cell."""
    questions = []
    for question in staged.statistics()[0].questions() or ():
        cells: dict[tuple[int, ...], list[int]] = {}
        for row, weight in zip(points.tolist(), units.tolist(), strict=True):
            axes = zip(question.axes, question.breaks, strict=True)
            cell = tuple(int((np.asarray(breaks) <= row[axis]).sum()) for axis, breaks in axes)
            u = 0 if question.number is None else int(Fraction(row[question.number]) * 2**16 + Fraction(1, 2))
            kept = cells.setdefault(cell, [0] * (question.degree + 1))
            for power in range(question.degree + 1):
                kept[power] += weight * u**power
        questions.append(cells)
    return questions


def test_sums_of_files_and_of_parts_are_those_of_a_loop_over_rows(tmp_path: Path) -> None:
    staged = stage(load(project(tmp_path, n=300)))
    statistic = sums(staged)
    points = np.concatenate([points for points, _, _ in staged.records_of(0, 0, None)])
    loops = by_rows(staged, points, np.ones(len(points), np.int64))
    answers = statistic.arrays()
    for place, (question, cells) in enumerate(zip(statistic.questions() or (), loops, strict=True)):
        answer = answers[f"sums{place}"].reshape(*question.cells, question.degree + 1)
        assert answer.sum(axis=tuple(range(answer.ndim - 1)))[0] == 300
        assert {cell: answer[cell].tolist() for cell in cells} == cells
        assert np.count_nonzero(answer[..., 0]) == len(cells)


def visits(persons: int = 40, seed: int = 0) -> pd.DataFrame:
    """People with one to nine stays each, in any order."""
    g = np.random.default_rng(seed)
    pid = np.repeat(np.arange(persons), g.integers(1, 10, persons))
    return hospital(len(pid), seed).assign(pid=pid).sample(frac=1, random_state=seed)


def of_persons(folder: Path, table: pd.DataFrame, **changes: Any) -> Path:
    path = project(folder, n=10, **PERSON, **changes)
    table.to_csv(folder / "clinic.csv", index=False)
    return path


def test_persons_count_once_by_units_that_follow_from_their_rows(tmp_path: Path) -> None:
    table = visits()
    staged = stage(load(of_persons(tmp_path, table)))
    statistic = sums(staged)
    assert (statistic.units, staged.sizes["n_private"]) == (65536, 40)
    points = np.concatenate([points for points, _, _ in staged.records_of(0, 0, statistic)])
    order = statistic.order(points, np.zeros(len(points), np.int8))
    units = shares(Persons.of(map(str, table["pid"])), order, statistic.units, staged.digest)
    answers = statistic.arrays()
    for place, (question, cells) in enumerate(
        zip(statistic.questions() or (), by_rows(staged, points, units), strict=True)
    ):
        answer = answers[f"sums{place}"].reshape(*question.cells, question.degree + 1)
        assert {cell: answer[cell].tolist() for cell in cells} == cells


def test_persons_do_not_depend_on_the_order_of_rows_or_on_parts(tmp_path: Path) -> None:
    """The numbers that are summed up are part of the order: rows of equal codes are not exchangeable."""
    table = visits(seed=2).assign(ward="A", month=1)
    first = sums(stage(load(of_persons(tmp_path, table)))).arrays()
    (tmp_path / "parts").mkdir()
    for i, part in enumerate((table[100:], table[:30][::-1], table[30:100])):
        part.to_csv(tmp_path / f"parts/{i}.csv", index=False)
    for private in ("clinic.csv", "parts"):
        table[::-1].to_csv(tmp_path / "clinic.csv", index=False)
        path = releases.request(tmp_path, **REPORT, **PERSON, private={"path": str(tmp_path / private)})
        again = sums(stage(load(path))).arrays()
        assert all(np.array_equal(first[key], again[key]) for key in first)


ODD = ["", "none", "inf", "-inf", "nan", "1e999", "-3", "0", "60", "61", "1e-9", "59.9999999"]


@settings(max_examples=15, deadline=None)
@given(person=st.integers(0, 39), cells=st.lists(st.sampled_from(ODD), min_size=1, max_size=30), seed=st.integers(0, 9))
def test_a_replaced_person_moves_every_measured_table_by_two_masses(
    person: int, cells: list[str], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever their cells are and however many rows they have: noise is of this size, for the ends that are taken."""
    table, g = visits(), np.random.default_rng(seed)
    rows = pd.DataFrame(
        {"ward": g.choice(["A", "B", "D"], len(cells)), "days": cells, "cost": cells[::-1], "pid": 1_000}
    )
    rows["month"] = g.integers(-3, 15, len(cells))
    answers, learner = [], {**LEARNER, "ends": "declared"}
    folder = tmp_path_factory.mktemp("neighbours")
    path = of_persons(folder, table, learner=learner)
    for neighbour in (table, pd.concat([table[table["pid"] != person], rows])):
        neighbour.to_csv(folder / "clinic.csv", index=False)
        staged = stage(load(path))
        whole_sums = sums(staged)
        questions = whole_sums.questions() or ()
        arrays = [whole_sums.arrays()[f"sums{i}"].reshape(q.shape) for i, q in enumerate(questions)]
        answers.append((staged, arrays, whole_sums.units))
    (staged, first, units), (_, other, _) = answers
    plan = staged.request.candidate.learner.plan(staged.prepared[0], 40)
    for ends in (dict(plan.ends), dict.fromkeys(plan.ends, (0, 2**16))):
        for measure in plan.measures:
            first_table, other_table = (Answers(plan, sums_of).table(measure.table, ends) for sums_of in (first, other))
            column = measure.table[-1]
            mass = units * (plan.prepared.levels[column].mass(ends[column]) if column in ends else 1)
            assert first_table.sum() == other_table.sum() == 40 * mass
            assert min(first_table.min(), other_table.min()) >= 0
            assert np.abs(first_table - other_table).sum() <= 2 * mass
            assert ((first_table - other_table).astype(object) ** 2).sum() <= 2 * mass**2


def test_a_report_of_persons_tells_their_number_and_no_number_of_rows(tmp_path: Path) -> None:
    table = visits(persons=90)
    path, folder = of_persons(tmp_path, table), tmp_path / FOLDER
    whole.release(load(path))
    assert main(["verify", str(folder), "--ledger", str(tmp_path / "ledgers/clinic.jsonl")]) == 0
    predicate = json.loads((folder / "certificate.json").read_text())["predicate"]
    assert predicate["guarantee"]["neighbours"] == "replace_person"
    assert predicate["sizes"] == {"n_public": 200, "n_private": 90}
    for file in ("certificate.json", "model.json", "report.csv"):
        assert f'"n_private":{len(table)}' not in (folder / file).read_text().replace(" ", "")
    counts = (
        Model.load(folder / "model.json").report().query("statistic == 'count' and by == 'ward' and kind == 'noise'")
    )
    assert counts["value"].sum() == pytest.approx(90), "counts are of persons, and add up to their number"


def of_days(folder: Path, **declared: Any) -> np.ndarray:
    """Count, sum and missing rows of days by a request of one mean, as sums of the one question that it asks."""
    learner = {**LEARNER, "statistics": [{"statistic": "mean", "column": "days"}], "ends": "declared"}
    staged = stage(load(releases.request(folder, **{**REPORT, "learner": learner, "features": {"days": declared}})))
    (question,) = staged.statistics()[0].questions() or ()
    answer = sums(staged).arrays()["sums0"].reshape(question.shape)
    return answer.reshape(2, -1, 2).sum(axis=1) if len(question.axes) == 2 else answer.sum(axis=0)


def test_a_missing_number_has_an_end_of_its_own_unless_something_stands_for_it(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "clinic.csv").write_text("days\n30\n60\n\nnone\ninf\n-5\n")
    half, full = 2**15, 2**16
    apart = [[3, half + full], [3, 0]]  # -5 is clipped, a gap, a text and an infinite number are missing
    assert of_days(tmp_path, range=[0, 60]).tolist() == apart
    assert of_days(tmp_path, range=[0, 60], unknown=30, indicator=True).tolist() == [apart[0], [3, 3 * half]]
    assert of_days(tmp_path, range=[0, 60], unknown=60).tolist() == [6, half + 4 * full]
    assert of_days(tmp_path, range=[0, 60], indicator=False, unknown=0).tolist() == [6, half + full]


# ---------------------------------------------------------------------------------------------------- before it is paid
def test_what_is_expected_does_not_depend_on_private_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, estimates = project(tmp_path, n=500), []
    for seed in (0, 7):
        hospital(500, seed).to_csv(tmp_path / "clinic.csv", index=False)
        assert main(["release", str(path), "--dry-run", "--json"]) == 0
        estimate = json.loads(capsys.readouterr().out)
        estimate.pop("draw_seconds")
        estimates.append(estimate)
    assert estimates[0] == estimates[1]
    assert [statistic["statistic"] for statistic in estimates[0]["expected"]][:1] == ["count by ward"]
    numbers = [number["noise_sd"] for statistic in estimates[0]["expected"] for number in statistic["numbers"]]
    assert len(numbers) == 4 + 48 + 4 + 2 + 8
    assert all(number is not None and number > 0 for number in numbers[:58])
    assert numbers[58:] == [None] * 8, "what a quantile is off by, no public number tells"
    most = [number["most_noise_sd"] for statistic in estimates[0]["expected"] for number in statistic["numbers"]]
    assert most[:52] == numbers[:52], "counts do not depend on ends"
    assert all(most_sd > number for number, most_sd in zip(numbers[52:58], most[52:58], strict=True))
    ranks = [number["rank_sd_as_share_of_group"] for number in estimates[0]["expected"][-1]["numbers"]]
    assert all(0 < rank <= 1 for rank in ranks)
    assert "rank_sd_as_share_of_group" not in estimates[0]["expected"][0]["numbers"][0]


def test_an_epsilon_meets_all_wishes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wished = [{**STATISTICS[0], "wish": 2}, {**STATISTICS[2], "wish": 0.5}, STATISTICS[3]]
    path = project(tmp_path, learner={**LEARNER, "statistics": wished, "epsilon": 0.5})
    assert main(["release", str(path), "--dry-run", "--json"]) == 0
    enough = json.loads(capsys.readouterr().out)["epsilon_for_wishes"]
    staged = stage(load(path))
    learner, prepared, n = staged.request.candidate.learner, staged.prepared[0], staged.sizes["n_private"]
    assert enough == learner.smallest_epsilon(prepared, n) > 0.5
    for epsilon, met in ((enough, True), (0.8 * enough, False)):
        statistics = expected(attrs.evolve(learner, epsilon=epsilon), prepared, n)
        assert all(statistic.met for statistic in statistics) == met


def test_wishes_are_judged_by_groups_of_which_there_are_public_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And one that is not met is told again before it is paid, with its worst group."""
    wish = {"statistic": "mean", "column": "days", "by": ["ward"]}
    path = project(tmp_path)
    hospital(200, 1).query("ward != 'D'").to_csv(tmp_path / "public.csv", index=False)

    def expected_of(most: float) -> dict[str, Any]:
        learner = {**LEARNER, "statistics": [{**wish, "wish": most}]}
        releases.request(tmp_path, **{**REPORT, "learner": learner})
        assert main(["release", str(path), "--dry-run", "--json"]) == 0
        (statistic,) = json.loads(capsys.readouterr().out)["expected"]
        return statistic

    errors = {number["group"]: (number["noise_sd"], number["judged"]) for number in expected_of(1)["numbers"]}
    assert [errors[ward][1] for ward in ("A", "B", "C", "other")] == [True, True, True, False]
    worst, tight = max(errors[ward][0] for ward in "ABC"), 0.001
    assert worst < errors["other"][0]
    between = (worst + errors["other"][0]) / 2
    assert expected_of(between)["met"]
    assert main(["release", str(path), "--dry-run"]) == 0
    words = capsys.readouterr().out
    unseen = f"{errors['other'][0]:.3g} is expected in other, {between:g} is wished; 1 of 4 numbers miss it"
    assert unseen in words, "nobody knows how large the group is, and it is said all the same"
    assert "assumes" not in words

    assert not expected_of(tight)["met"]
    assert main(["release", str(path), "--dry-run"]) == 0
    words = capsys.readouterr().out
    (group,) = [ward for ward in "ABC" if errors[ward][0] == worst]
    note = f"NOTE        mean of days by ward: {worst:.3g} is expected in {group}, {tight:g} is wished"
    assert note in words
    assert "1 number is of groups without public rows, and not judged" in words
    charges = []
    with pytest.MonkeyPatch.context() as patch:
        say = lambda line: charges.append((line, len(releases.ledger(tmp_path).charges)))  # noqa: E731
        patch.setattr("semipriv.cli.release.progress", say)
        assert main(["release", str(path)]) == 0
        assert [(line.split(";")[0], paid) for line, paid in charges if "wished" in line] == [(note, 0)]
        charges.clear()
        assert main(["release", str(path)]) == 0, "nothing is paid again"
        assert not [line for line, _ in charges if "wished" in line]
    assert "days: cells were clipped to " in capsys.readouterr().out


def test_the_dry_run_says_where_it_takes_the_declared_range(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mean = [{"statistic": "mean", "column": "days", "by": ["ward"]}]
    project(tmp_path, n=20_000)
    for public, ends, printed in ((None, "auto", True), (None, "declared", False), ({}, "auto", False)):
        changes = {} if public is not None else {"public": None}
        learner = {**LEARNER, "statistics": mean, "ends": ends}
        path = releases.request(tmp_path, **{**REPORT, "learner": learner}, **changes)
        assert main(["release", str(path), "--dry-run", "--no-simulation"]) == 0
        words = capsys.readouterr().out
        assert ("by the declared range" in words) == printed
        assert ("expected after clipping, at most " in words) == (public is not None)


def test_ends_by_public_rows_need_public_rows_alone(tmp_path: Path) -> None:
    learner = {**LEARNER, "ends": "public"}
    path = project(tmp_path, learner=learner)
    whole.release(load(path))
    low, high = Model.load(tmp_path / FOLDER / "model.json").output.ends["days"]
    assert 0 <= low < high < 60
    with pytest.raises(ValueError, match="ends = 'public': there is no public row"):
        whole.release(load(releases.request(tmp_path, **{**REPORT, "learner": learner}, public=None, release="other")))
    assert len(releases.ledger(tmp_path).charges) == 1


def test_public_values_are_those_of_pandas(tmp_path: Path) -> None:
    path = project(tmp_path)
    whole.release(load(path))
    report, staged = Model.load(tmp_path / FOLDER / "model.json").output, stage(load(path))
    reported = {
        (row.statistic, row.by, row.group): number
        for row, number in zip(report.rows(), public_values(report, staged.public.points), strict=True)
    }
    for key, number in by_pandas(hospital(200, 1)).items():
        scale = 20 if key[0] in ("count", "sum") else 1
        assert reported[key] == pytest.approx(scale * number), key
    nobody = public_values(report, staged.public.points[:0])
    assert np.isnan(nobody).all()


def test_groups_of_bins_and_of_dates_have_their_names(tmp_path: Path) -> None:
    asked_for = [{"statistic": "count", "by": [column]} for column in ("cost", "day")]
    features = {
        "cost": {"bins": [0, 500, 6000], "unknown": "none"},
        "day": {"integers": ["2024-02-28", "2024-03-01"], "unit": "day", "unknown": "2024-02-29"},
    }
    project(tmp_path)
    days = pd.Series(["2024-02-28", "2024-03-01", "", "2024-03-05"] * 100, name="day")
    hospital(400, 0).assign(day=days).to_csv(tmp_path / "clinic.csv", index=False)
    learner = {**LEARNER, "statistics": asked_for}
    whole.release(load(releases.request(tmp_path, **{**REPORT, "features": features, "learner": learner}, public=None)))
    report = Model.load(tmp_path / FOLDER / "model.json").report()
    assert report["group"].drop_duplicates().tolist() == [
        "0 to 500",
        "500 to 6000",
        "none",
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
    ]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_says_the_group_by_columns_and_to_what_numbers_were_clipped(tmp_path: Path, suffix: str) -> None:
    """Groups with commas in their names, by a column that is called like one of a report."""
    kinds, places = ["X", "X, 1", 'say "X"'], ["1", "1, 1"]
    g = np.random.default_rng(3)
    project(tmp_path)
    table = pd.DataFrame({"kind": g.choice(kinds, 900), "place": g.choice(places, 900), "days": g.gamma(2, 2, 900)})
    getattr(table, f"to_{suffix}")(tmp_path / f"clinic.{suffix}", **({"index": False} if suffix == "csv" else {}))
    features = {"kind": {"categories": kinds}, "place": {"categories": places}, "days": {"range": [0, 60]}}
    learner = {
        **LEARNER,
        "epsilon": 4,
        "statistics": [
            {"statistic": "count", "by": ["kind", "place"]},
            {"statistic": "mean", "column": "days", "by": ["place"]},
            {"statistic": "quantiles", "column": "days", "at": [0.5]},
        ],
    }
    features = {
        name: {**declaration, **({} if "range" in declaration else {"unknown": "other"})}
        for name, declaration in features.items()
    }
    private = {"path": str(tmp_path / f"clinic.{suffix}")}
    path = releases.request(
        tmp_path, **{**REPORT, "features": features, "learner": learner}, public=None, private=private
    )
    whole.release(load(path))
    assert main(["verify", str(tmp_path / FOLDER)]) == 0
    numbers = ("value", "low", "high", "noise_sd", "clipped_low", "clipped_high")
    read = {"keep_default_na": False, "na_values": {key: [""] for key in numbers}} if suffix == "csv" else {}
    report = getattr(pd, f"read_{suffix}")(tmp_path / FOLDER / f"report.{suffix}", **read)
    report = report[report["kind"] == "noise"].reset_index(drop=True)
    assert list(report.columns[-5:]) == ["clipped_low", "clipped_high", "kind (group)", "place", "release"]
    assert set(report["release"]) == {"visits"}
    counts = report[report["statistic"] == "count"]
    assert counts["group"].is_unique
    exact = table.groupby(["kind", "place"]).size()
    values = counts.set_index(["kind (group)", "place"])["value"]
    assert (values.reindex(exact.index) - exact).abs().max() < 30
    assert ((report["clipped_low"].isna()) == (report["statistic"] != "mean")).all()
    (ends,) = Model.load(tmp_path / FOLDER / "model.json").output.ends.values()
    means = report[report["statistic"] == "mean"]
    assert set(zip(means["clipped_low"], means["clipped_high"].astype(float), strict=True)) == {ends}
    columns = json.loads((tmp_path / FOLDER / "certificate.json").read_text())["predicate"]["report"]["columns"]
    assert columns.keys() == set(report.columns)


def asked(*statistics: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    return {"learner": {**LEARNER, "statistics": list(statistics), **changes}}


def test_a_column_of_groups_called_period_or_release_keeps_its_name(tmp_path: Path) -> None:
    project(tmp_path, n=50)
    hospital(50, 0).rename(columns={"ward": "release"}).to_csv(tmp_path / "clinic.csv", index=False)
    learner = {**LEARNER, "statistics": [{"statistic": "count", "by": ["release"]}]}
    features = {"release": FEATURES["ward"]}
    path = releases.request(tmp_path, **{**REPORT, "features": features, "learner": learner}, public=None)
    whole.release(load(path))
    report = pd.read_csv(tmp_path / FOLDER / "report.csv")
    assert set(report["release"]) == {"A", "B", "C", "other"}
    assert set(report["release (all rows)"]) == {"visits"}


def test_what_units_of_persons_make_impossible_is_refused_before_the_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few persons have 2^16 units each, so that the noise of squares has no room in 64 bits."""
    variance = [{"statistic": "variance", "column": "days"}]
    path = project(tmp_path, n=60, learner={**LEARNER, "statistics": variance, "epsilon": 2e-5}, public=None, **PERSON)
    hospital(60, 0).assign(pid=np.arange(60) // 2).to_csv(tmp_path / "clinic.csv", index=False)
    monkeypatch.setattr(charging, "rehearse", lambda *_: pytest.fail("it is known before a row is made up"))
    with pytest.raises(PublicError, match="too wide for 64-bit integers"):
        whole.release(load(path))
    assert not releases.ledger(tmp_path).charges


COUNT = {"statistic": "count", "by": ["ward"]}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown column": (
        asked({"statistic": "count", "by": ["wrad"]}),
        r"statistics\[0\].*'wrad'.*mean 'ward'",
    ),
    "an unknown number": (asked(COUNT, {"statistic": "sum", "column": "dyas"}), r"statistics\[1\].*'dyas'.*'days'"),
    "groups to which other cells belong unasked": (
        {"features": {**FEATURES, "ward": {"categories": ["A", "B", "C"]}}},
        "features.ward.unknown: must be said, as groups are by it: .*a group of its own",
    ),
    "integers to which other cells belong unasked": (
        {"features": {**FEATURES, "month": {"integers": [1, 12]}}},
        "features.month.unknown: must be said, .*list them as categories",
    ),
    "groups by a range": (asked({"statistic": "count", "by": ["days"]}), r"statistics\[0\].by: 'days' is a range"),
    "a mean of categories": (asked({"statistic": "mean", "column": "ward"}), r"statistics\[0\].column: 'ward'.*range"),
    "a mean of integers": (asked({"statistic": "mean", "column": "month"}), r"statistics\[0\].column: 'month'.*range"),
    "a mean of nothing": (asked({"statistic": "mean"}), "column"),
    "a count of a column": (asked({"statistic": "count", "column": "days"}), "column"),
    "quantiles of more groups than bins are left for": (
        asked(
            {"statistic": "count", "by": ["ward"]},
            {"statistic": "quantiles", "column": "days", "at": [0.5], "by": ["month"]},
        )
        | {"features": {**FEATURES, "month": {"integers": [1, 200_000], "unknown": 1}}},
        r"learner.statistics\[1\]: the quantiles of days by month would be of 27 bins.*: ask for fewer groups",
    ),
    "a number of bins without public rows": (
        {"public": None, "features": {**FEATURES, "month": {"bins": 4, "unknown": 1}}},
        r"features.month.bins = 4: a number of bins is cut at quantiles .*: for statistics list their ends, as \[0, 10",
    ),
    "a public range without public rows": (
        {"public": None, "features": {**FEATURES, "days": {"range": "public", "unknown": "refuse"}}},
        r"features.days.range = 'public': takes the ends of public rows, .*: give the ends, as \[0, 100\]",
    ),
    "no such statistic": (asked({"statistic": "median", "column": "days"}), "median"),
    "no statistic": (asked(), "statistics"),
    "no list": ({"learner": {**LEARNER, "statistics": "count"}}, "statistics"),
    "no key statistics": ({"learner": {"name": "statistics", "epsilon": 1}}, "needs statistics"),
    "a level above 1": (asked({"statistic": "quantiles", "column": "days", "at": [0.5, 1.5]}), "at"),
    "quantiles at nothing": (asked({"statistic": "quantiles", "column": "days"}), "at"),
    "a duplicate": (asked(COUNT, {**COUNT, "importance": 2}), r"statistics\[1\].*count by ward.*twice"),
    "a column twice in by": (asked({"statistic": "count", "by": ["ward", "ward"]}), "by.*'ward' is listed twice"),
    "no importance": (asked({**COUNT, "importance": 0}), r"statistics\[0\].*importance = 0"),
    "a wish for nothing": (asked({**COUNT, "wish": 0}), r"statistics\[0\].*wish = 0"),
    "a wrong key": (asked({**COUNT, "weight": 1}), r"statistics\[0\].*'weight'"),
    "an interval of 1": (asked(COUNT, interval=1), "interval"),
    "an interval just below 1": (asked(COUNT, interval=1 - 1e-16), "interval = "),
    "the least row": (asked({"statistic": "quantiles", "column": "days", "at": [0, 0.5]}), "least number.*0.01"),
    "a range of huge numbers": (
        {"features": {**FEATURES, "days": {"range": [0, 1e71], "unknown": 0}}},
        "features.days: squares of numbers beyond 1e.70",
    ),
    "a range of no width": (
        {"features": {**FEATURES, "days": {"range": [0, 1e-71], "unknown": 0}}},
        "features.days: the range must be at least 1e-70 wide",
    ),
    "no such ends": (asked(COUNT, ends="mine"), "ends.*mine"),
    "a class": ({"class": {"name": "thresholds"}}, "class: statistics learns none"),
    "a label": ({"label": {"column": "cost", "one": [1], "zero": [0], "unknown": 0}}, "label|both a feature"),
    "rows held out": (
        {"held_out": {"share": 0.2, "epsilon": 0.1}},
        "held_out: judges .* learner statistics makes none",
    ),
    "a diagnostic": ({"unprotected_diagnostic": True}, "unprotected_diagnostic.*statistics predicts no label"),
    "an indicator of groups": (
        {"features": {**FEATURES, "month": {"integers": [1, 12], "unknown": 1, "indicator": True}}},
        "features.month: groups are by it",
    ),
    "dates": (
        {
            "features": {**FEATURES, "days": {"range": ["2020-01-01", "2021-01-01"], "unit": "day"}},
            **asked({"statistic": "mean", "column": "days"}),
        },
        r"statistics\[0\].column: 'days' holds dates",
    ),
    "more groups than lines": (
        {"features": {**FEATURES, "month": {"integers": [1, 10**7], "unknown": 1}}},
        r"statistics\[1\].by: are 40,000,000 groups, at most 1,000,000",
    ),
    "numbers without squares": (
        {"features": {**FEATURES, "cost": {"range": [-1e300, 1e300], "unknown": 0}}},
        "features.cost: squares of numbers",
    ),
    "epsilon 0": (asked(COUNT, epsilon=0), "epsilon"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_wrong_request_is_refused_with_its_key(tmp_path: Path, what: str) -> None:
    changes, message = REFUSED[what]
    path = project(tmp_path, n=20)
    settings = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**settings, **changes}))
    with pytest.raises(ValueError, match=f"(?s){message}"):
        load(path)


def test_candidates_are_refused_since_nothing_judges_them(tmp_path: Path) -> None:
    held = {"share": 0.2, "epsilon": 0.1, "choice": 0.1}
    path = project(tmp_path, n=20, learner=None, candidates=[{"learner": LEARNER}, {"learner": LEARNER}], held_out=held)
    with pytest.raises(ValueError, match="held_out: judges predictions, the learner statistics makes none"):
        load(path)


@pytest.mark.parametrize("rows", ["A,1,nothing,\n", "A,1,3,3\n"], ids=["a row of no number", "one row"])
def test_a_table_of_one_row_is_released(tmp_path: Path, rows: str) -> None:
    path = project(tmp_path, public=None)
    (tmp_path / "clinic.csv").write_text("ward,month,days,cost\n" + rows)
    whole.release(load(path))
    assert main(["verify", str(tmp_path / FOLDER)]) == 0


def test_an_empty_table_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    path = project(tmp_path)
    (tmp_path / "clinic.csv").write_text("ward,month,days,cost\n")
    with pytest.raises(PublicError, match="no private row"):
        whole.release(load(path))
    assert not releases.ledger(tmp_path).charges
