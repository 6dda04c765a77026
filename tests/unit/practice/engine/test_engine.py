"""Releases on own tables: one charge, one draw, the same bytes, whatever happens."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import releases
from releases import kinds, people, project, request

from semipriv.audit.properties.entropy import Seeded
from semipriv.practice.asking.request import load
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.engine import charging, whole
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.partial import Partial
from semipriv.practice.engine.preview import preview, simulate
from semipriv.practice.engine.reading import examples, read_public
from semipriv.practice.engine.simulation import Simulated
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.plan import plan_excess
from semipriv.practice.planner.population import Population
from semipriv.practice.published.model import Model
from semipriv.practice.published.released import Released
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import LedgerError
from semipriv.privacy.budget.rule import BudgetError
from semipriv.privacy.events import Pure, restored

FEW = {"age": {"integers": [0, 3]}, "sex": {"categories": ["F", "M"]}}
TABLE = {"features": FEW, "label": None, "class": None}


def run(path: Path) -> tuple[whole.Outcome, dict[str, bytes]]:
    """Release, check that it verifies, and return what was published by name."""
    outcome = whole.release(load(path))
    request = outcome.staged.request
    for paid in (None, request.ledger):
        assert [str(check) for check in verify(request.folder, paid) if not check.passed] == []
    return outcome, {file.name: file.read_bytes() for file in outcome.files}


# ------------------------------------------------------------------ the plain path
def test_a_release_is_charged_drawn_and_published_once(tmp_path: Path) -> None:
    """Of so many rows that the draw, by the entropy of the system, is a good one: of 60 it was bad once in 80 runs."""
    path = project(tmp_path, n=3_000)
    outcome, first = run(path)
    assert (outcome.replayed, set(first)) == (False, {"model.json", "certificate.json", "certificate.html"})
    model = Model.load(tmp_path / "results/releases/visits/model.json")
    assert np.mean(model.predict(people(500, 7)) == people(500, 7)["ill"]) > 0.6
    assert model.sides({"age": [0.0, 100.0], "dollars": [0.0, 1000.0]}).dtype == np.int8
    assert kinds(tmp_path) == ["opened", "reserved", "released"]
    again, second = run(path)
    assert again.replayed
    assert second == first
    assert kinds(tmp_path) == ["opened", "reserved", "released"]
    left = releases.ledger(tmp_path).summary().accounts[0].left
    assert left == 0.5


@pytest.mark.parametrize(
    ("learner", "parts"),
    [
        ({"name": "public_metric_discriminant"}, 15),
        ({"name": "public_model_discriminant"}, 15),
        ({"name": "public_model_discriminant", "same_population": True}, 5),
    ],
    ids=["metric", "model", "same population"],
)
def test_the_certificate_has_a_tree_of_all_that_a_learner_does(
    tmp_path: Path, learner: dict[str, Any], parts: int
) -> None:
    """Tests, gradients, a selection: what public sizes decide is charged, certified and verified."""
    outcome, files = run(project(tmp_path, n=2_000, learner=learner | {"epsilon": "0.5"}))
    event = json.loads(files["certificate.json"])["predicate"]["event"]
    assert [times for _, times in event["parts"]] == [1] * parts
    assert restored(event) == outcome.staged.event
    assert restored(event).pure == Fraction("0.5")
    assert releases.ledger(tmp_path).summary().accounts[0].left == 0.5
    model = Model.load(tmp_path / "results/releases/visits/model.json")
    assert np.mean(model.predict(people(500, 7)) == people(500, 7)["ill"]) > 0.8


@pytest.mark.parametrize(
    ("learner", "n"),
    [
        ({"name": "sspp", "epsilon": "0.5"}, 90),
        ({"name": "public_metric_discriminant", "epsilon": "0.5"}, 3_000),
        ({"name": "public_model_discriminant", "epsilon": "0.5"}, 3_000),
    ],
    ids=["sspp", "metric", "model"],
)
def test_the_engine_draws_what_the_learner_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, learner: dict[str, Any], n: int
) -> None:
    """From the sums of three parts, with the randomness Secure alone: so its distribution is the learner's."""
    project(tmp_path)
    (tmp_path / "parts").mkdir()
    table = people(n, 2)
    for i, rows in enumerate(np.split(np.arange(n), [n // 7, n // 2])):
        pq.write_table(pa.Table.from_pandas(table.iloc[rows]), tmp_path / f"parts/{i}.parquet")
    asked = load(request(tmp_path, private={"path": str(tmp_path / "parts")}, learner=learner))
    drawn = []
    monkeypatch.setattr(engine, "Secure", lambda: drawn.append(1) or Seeded(5))
    outcome = whole.release(asked)
    staged = engine.stage(asked)
    every = [e for part in asked.private.parts for e in examples(asked, staged.public.records, part)]
    points, labels = (np.concatenate(parts) for parts in zip(*every, strict=True))
    same = asked.candidate.learner.release(staged.prepared[0], points, labels, Seeded(5))
    np.testing.assert_array_equal(outcome.released.output.parameters, same.output.parameters)
    assert outcome.released.sizes == {"n_public": 9, "n_private": n}
    assert drawn == [1], "nothing else draws"


def test_a_table_that_changes_between_two_sums_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows more or fewer, at once; other rows, when all is drawn and before it is stored."""
    path = project(tmp_path, n=2_000, learner={"name": "public_metric_discriminant", "epsilon": "0.5"})
    clinic, read, calls = tmp_path / "clinic.csv", engine.Stage.records, []
    before = clinic.read_text()

    def changed(lines: list[str]) -> Any:
        def records(staged: engine.Stage, place: int) -> Any:
            calls.append(1)
            if len(calls) == 3:
                clinic.write_text("\n".join(lines) + "\n")
            return read(staged, place)

        return records

    lines = before.splitlines()
    for other, message in (
        (lines[:-1], "private rows: others were read than counted"),
        ([lines[0], lines[1], *lines[1:-1]], "clinic.csv: was changed while the release was made"),
    ):
        clinic.write_text(before)
        calls.clear()
        monkeypatch.setattr(engine.Stage, "records", changed(other))
        with pytest.raises(ValueError, match=message):
            run(path)
    assert kinds(tmp_path) == ["opened", "reserved"]
    clinic.write_text(before)
    monkeypatch.setattr(engine.Stage, "records", read)
    run(path)
    assert kinds(tmp_path) == ["opened", "reserved", "released"]


def test_what_is_drawn_by_a_simulation_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from semipriv.core.randomness import Simulation

    path = project(tmp_path)
    monkeypatch.setattr(engine, "Secure", lambda: Simulation(1))
    with pytest.raises(ValueError, match="drawn by a Simulation"):
        run(path)
    assert kinds(tmp_path) == ["opened", "reserved"]


def test_stored_bytes_decide_what_is_published(tmp_path: Path) -> None:
    """A replay reads no private row: neither what the table holds now nor how many rows it has counts."""
    path = project(tmp_path)
    _, first = run(path)
    (tmp_path / "clinic.csv").write_text("age,dollars,ill\nnonsense,nonsense,nonsense\n")
    for file in (tmp_path / "results/releases/visits").iterdir():
        file.unlink()
    outcome, second = run(path)
    assert outcome.replayed
    assert second == first


OTHERS: dict[str, dict[str, Any]] = {
    "stumps": {"class": {"name": "decision_stumps", "dimension": 2}},
    "rectangles": {"class": {"name": "rectangles", "dimension": 2}},
    "permute and flip": {"learner": {"name": "sspp", "epsilon": "1/3", "mechanism": "permute_and_flip"}},
    "integer noise": {
        "class": {"name": "thresholds"},
        "features": {"age": {"range": [0, 100]}},
        "learner": {"name": "rrspm", "epsilon": 0.5, "weights": "discrete_laplace", "scale": "teaching"},
    },
    "queries": {"learner": {"name": "query_release", "epsilon": 0.5}, "label": None},
    "tables": {**TABLE, "learner": {"name": "table_release", "epsilon": 0.5, "delta": 1e-6}},
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_may_be_released(tmp_path: Path, case: str) -> None:
    path = project(tmp_path, budget={"epsilon": 2, "delta": 1e-5}, **OTHERS[case])
    if case == "tables":
        for name, n in (("public.csv", 9), ("clinic.csv", 60)):
            table = pd.DataFrame({"age": np.arange(n) % 4, "sex": np.where(np.arange(n) % 3, "F", "M")})
            table.to_csv(tmp_path / name, index=False)
    outcome, files = run(path)
    model = Model.load(tmp_path / "results/releases/visits/model.json")
    if case in ("queries", "tables"):
        synthetic = pd.read_csv(tmp_path / "results/releases/visits/synthetic.csv")
        columns = FEW if case == "tables" else releases.COLUMNS
        assert list(synthetic.columns) == list(columns)
        assert len(synthetic) == 60
        assert model.kind in ("answers", "grown_rows")
        with pytest.raises(ValueError, match="predict no label"):
            model.predict(synthetic)
        if case == "tables":
            assert set(synthetic["age"]) <= set(range(4))
            assert set(synthetic["sex"]) <= {"F", "M"}
    else:
        assert set(model.predict(people(50, 3))) <= {"no", "yes"}
        with pytest.raises(ValueError, match="holds a hypothesis"):
            model.synthetic(3)
    assert Released.from_bytes(outcome.released.to_bytes()).to_bytes() == outcome.released.to_bytes()
    assert run(path)[1] == files


def test_a_synthetic_table_without_public_rows(tmp_path: Path) -> None:
    """From the request to the published files; what an unknown cell is must be said, as no public row says it."""
    learner = {"name": "table_release", "epsilon": 0.5, "delta": 1e-6}
    project(tmp_path, budget={"epsilon": 2, "delta": 1e-5}, n=2000)
    table = pd.DataFrame({"age": np.arange(2000) % 4, "sex": np.where(np.arange(2000) % 3, "F", "M")})
    table.to_csv(tmp_path / "clinic.csv", index=False)
    with pytest.raises(ValueError, match=r"features.age.unknown: no public row says"):
        load(request(tmp_path, **TABLE, public=None, learner=learner))
    asked = request(
        tmp_path,
        **{**TABLE, "features": {name: {**keys, "unknown": "refuse"} for name, keys in FEW.items()}},
        public=None,
        learner=learner,
    )
    _, files = run(asked)
    synthetic = pd.read_csv(tmp_path / "results/releases/visits/synthetic.csv")
    assert len(synthetic) == 2000
    assert set(synthetic["sex"]) == {"F", "M"}
    assert abs((synthetic["sex"] == "M").mean() - 1 / 3) < 0.15
    certificate = json.loads((tmp_path / "results/releases/visits/certificate.json").read_text())
    assert certificate["predicate"]["synthetic_table"]["rows_from"]["public"] == 0
    assert run(asked)[1] == files


def test_a_synthetic_table_keeps_the_types_of_the_public_one(tmp_path: Path) -> None:
    learner = {"name": "table_release", "epsilon": 0.5, "delta": 1e-6}
    paths = {key: {"path": str(tmp_path / f"{key}.parquet")} for key in ("private", "public")}
    project(tmp_path, budget={"epsilon": 2, "delta": 1e-5})
    for name, n in (("public", 9), ("private", 60)):
        sex = pa.array(np.where(np.arange(n) % 3, "F", "M")).dictionary_encode()
        table = pa.table({"age": pa.array(np.arange(n) % 4, pa.int16()), "sex": sex})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    asked = request(tmp_path, **TABLE, **paths, learner=learner)
    run(asked)
    synthetic = pq.read_table(tmp_path / "results/releases/visits/synthetic.parquet")
    assert synthetic.schema.field("age").type == pa.int16()
    assert pa.types.is_dictionary(synthetic.schema.field("sex").type)


def test_learn_half_reads_public_rows_by_status(tmp_path: Path) -> None:
    budget = {"epsilon": 1, "neighbours": "replace_private_features"}
    table = people(60, 0).assign(status=lambda t: np.where(t["ill"] == "yes", "private", "public"))
    public = {"column": "status", "value": "public"}
    learner = {"name": "learn_half", "epsilon": 0.5, "grid": {"low": [0, 0], "high": [1, 1]}, "subset": 5}
    path = project(tmp_path, budget=budget, public=public, learner=learner)
    table.to_csv(tmp_path / "clinic.csv", index=False)
    outcome, files = run(path)
    assert outcome.released.guarantee.neighbours.value == "replace_private_features"
    assert outcome.released.sizes["n_public"] + outcome.released.sizes["n_private"] == 60
    model = Model.load(tmp_path / "results/releases/visits/model.json")
    assert set(model.predict(people(50, 3))) <= {"no", "yes"}
    assert run(path)[1] == files


def test_generic_learner_reads_unlabelled_entries(tmp_path: Path) -> None:
    learner = {"name": "generic_learner", "epsilon": 1, "sanitizer": {"name": "strips"}, "size": 2, "n_unlabelled": 3}
    changes = {
        "public": None,
        "features": {"age": {"integers": [0, 7], "unknown": 0}, "dollars": {"integers": [0, 7], "unknown": "refuse"}},
        "class": {"name": "discrete_rectangles", "bits": 3},
        "unlabelled": {"path": str(tmp_path / "unlabelled.csv")},
    }
    path = project(tmp_path, budget={"epsilon": 2, "neighbours": "replace_entry"}, **changes, learner=learner)
    for name in ("clinic", "unlabelled", "other"):
        people(60, len(name)).round().to_csv(tmp_path / f"{name}.csv", index=False)
    _, files = run(path)
    (tmp_path / "other.csv").replace(tmp_path / "unlabelled.csv")
    assert run(path)[1] == files
    with pytest.raises(LedgerError, match="the table changed"):
        run(request(tmp_path, **changes, release="again", learner={**learner, "epsilon": 0.5}))


# ------------------ faults
@pytest.fixture(scope="module")
def started() -> Iterator[Callable[..., list[int]]]:
    """Function that releases in processes of their own, and returns their exit codes."""
    script = [sys.executable, str(Path(releases.__file__).with_name("releaser.py"))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdin
        assert process.stdout

        def start(path: Path, children: int = 1, **kill: Any) -> list[int]:
            print(json.dumps({"path": str(path), "children": children, **kill}), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield start


WHOLE, ENGINE = "semipriv.practice.engine.whole", "semipriv.practice.engine.stages"
MOMENTS: dict[str, tuple[str, str, bool]] = {
    "before the charge": (WHOLE, "reserve", False),
    "after the charge": (WHOLE, "reserve", True),
    "while rows are read": ("semipriv.practice.sources.files:Files", "mac", True),
    "when the sums are there": (WHOLE, "partials_of", True),
    "before the table is recognised": (ENGINE, "mac_of_parts", False),
    "before the draw": (ENGINE, "drawn", False),
    "when it is drawn and not stored": ("semipriv.practice.published.released:Released", "to_bytes", True),
    "when it is stored": ("semipriv.privacy.budget.ledger:Reservation", "draw", True),
    "before it is published": (WHOLE, "publish", False),
    "when a file is published": ("semipriv.practice.engine.publish", "_written", True),
    "when all is published": (WHOLE, "publish", True),
}
"""By moment: where a function is looked up, its name, and whether the kill comes after it."""
STORED = list(MOMENTS)[7:]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_spends_nothing_twice(tmp_path: Path, started: Callable[..., list[int]], moment: str) -> None:
    path = project(tmp_path)
    module, name, later = MOMENTS[moment]
    assert started(path, module=module, name=name, later=later) == [-signal.SIGKILL]
    before = drawn(tmp_path)
    assert len(before) == (moment in STORED)
    outcome, files = run(path)
    assert kinds(tmp_path) == ["opened", "reserved", "released"]
    assert outcome.replayed is (moment in STORED)
    assert drawn(tmp_path)[: len(before)] == before
    assert run(path)[1] == files
    assert not list((tmp_path / "results").rglob("*.part*"))


def drawn(folder: Path) -> list[str]:
    """What the ledger stores of draws."""
    return [entry.payload["bytes"] for entry in releases.ledger(folder).entries if entry.kind == "released"]


def test_two_at_once_draw_once(tmp_path: Path, started: Callable[..., list[int]]) -> None:
    path = project(tmp_path)
    assert started(path, children=2) == [0, 0]
    assert kinds(tmp_path) == ["opened", "reserved", "released"]
    files = (tmp_path / "results/releases/visits/model.json").read_bytes()
    assert run(path)[1]["model.json"] == files


def test_what_does_not_fit_is_refused_before_a_row_is_read(tmp_path: Path) -> None:
    path = project(tmp_path)
    run(path)
    later = request(tmp_path, release="more", learner={"name": "sspp", "epsilon": 0.75})
    (tmp_path / "clinic.csv").write_text("age,dollars,ill\nnonsense,nonsense,nonsense\n")
    with pytest.raises(BudgetError, match=r"0\.5"):
        run(later)
    assert preview(load(later)).after is None
    assert kinds(tmp_path) == ["opened", "reserved", "released"]
    assert not (tmp_path / "results/releases/more").exists()


def test_a_bad_cell_costs_nothing_and_is_not_printed(tmp_path: Path) -> None:
    path = project(tmp_path, features={**releases.COLUMNS, "age": {"range": [0, 100], "unknown": "refuse"}})
    good = (tmp_path / "clinic.csv").read_text()
    lines = good.splitlines()
    lines[7] = "sesame,1,yes"
    (tmp_path / "clinic.csv").write_text("\n".join(lines))
    with pytest.raises(PrivateTableError, match=r"column 'age': 1 .*, the first in row 7") as caught:
        run(path)
    assert "sesame" not in str(caught.value)
    assert kinds(tmp_path) == ["opened"]
    (tmp_path / "clinic.csv").write_text(good)
    run(path)
    assert kinds(tmp_path) == ["opened", "reserved", "released"]


def test_a_full_disk_when_it_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project(tmp_path)

    def full(file: Path, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))

    with monkeypatch.context() as patch:
        releases.unrehearsed(patch)
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match=r"No space left on device.*model\.json"):
            run(path)
    assert kinds(tmp_path) == ["opened", "reserved", "released"]
    assert run(path)[0].replayed


def test_other_rows_than_counted_are_refused(tmp_path: Path) -> None:
    staged = engine.stage(load(project(tmp_path)))
    reservation = charging.reserve(staged)
    sums = engine.partials_of(staged, reservation)
    with pytest.raises(ValueError, match="other rows were read than counted"):
        engine.draw(staged, reservation, sums * 2)
    assert kinds(tmp_path) == ["opened", "reserved"]


def test_a_preview_charges_nothing(tmp_path: Path) -> None:
    path = project(tmp_path)
    previewed = preview(load(path))
    assert (previewed.state, previewed.before[0].left, previewed.after and previewed.after[0].left) == ("new", 1, 0.5)
    assert previewed.to_dict()["private"]["columns"] == ["age", "dollars", "ill"]
    assert kinds(tmp_path) == ["opened"]
    run(path)
    assert preview(load(path)).state == "stored"


def test_a_preview_simulates_on_enough_public_rows(tmp_path: Path) -> None:
    """The same answer as that of the planner on the public rows; nothing of private rows but their number."""
    path = project(tmp_path, **{"class": {"name": "decision_stumps", "dimension": 2}})
    assert simulate(preview(load(path))).simulated is None, "nine public rows are no population"
    people(30, 1).to_csv(tmp_path / "public.csv", index=False)
    simulated = simulate(preview(load(path)))
    candidate, points = simulated.staged.request.candidates[0], simulated.staged.public.points
    population = Population(candidate.hypothesis_class, "public rows", points)
    plan = plan_excess(candidate.hypothesis_class, 30, 60, 0.05, 0.5, scenario=Scenario(population))
    assert plan.empirical is not None
    assert simulated.simulated == Simulated(plan.empirical.upper_limit, 0.95, 110, 110)
    people(60, 5).to_csv(tmp_path / "clinic.csv", index=False)
    assert simulate(preview(load(path))).simulated == simulated.simulated


# ------------------------------------------------------------------ sums of a part
def test_sums_are_private_files_that_no_digest_tells_of(tmp_path: Path) -> None:
    staged = engine.stage(load(project(tmp_path)))
    tallied = engine.tally(staged, charging.reserve(staged), 0)
    assert tallied is not None
    files = [tmp_path / f"private/{i}.npz" for i in range(2)]
    for file in files:
        tallied.write(file)
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700
    assert files[0].read_bytes() != files[1].read_bytes()
    back = Partial.read(files[0], staged.digest, 1)
    assert back.mac == tallied.mac
    np.testing.assert_array_equal(back.sums[0]["sums"], tallied.sums[0]["sums"])
    with pytest.raises(ValueError, match="of another request"):
        Partial.read(files[0], "00" * 32, 1)
    files[1].write_bytes(files[1].read_bytes()[:-30])
    with pytest.raises(ValueError, match="cannot be read; delete it"):
        Partial.read(files[1], staged.digest, 1)


def test_the_event_is_what_the_ledger_has(tmp_path: Path) -> None:
    outcome, _ = run(project(tmp_path))
    (reserved,) = [entry for entry in releases.ledger(tmp_path).entries if entry.kind == "reserved"]
    assert outcome.released.event.pure == Pure(0.5).pure
    assert reserved.payload["cost"]["pure"] == "1/2"
    assert read_public(load(tmp_path / "release.yaml")).digest in json.dumps(reserved.payload["request"])
