"""What cannot work is refused before it is charged: what a dry run lets pass is drawn and published."""

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import releases
from asked import asked
from releases import kinds, project, request

from semipriv.cli import main
from semipriv.core.errors import PublicError
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.asking.candidate import Candidate
from semipriv.practice.asking.request import load
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.engine import charging, publish, rehearsal, simulation, whole
from semipriv.practice.engine import stages as engine
from semipriv.practice.engine.figure import draw_release
from semipriv.practice.engine.messages import message
from semipriv.practice.engine.possible import check_possible
from semipriv.practice.engine.preview import preview, simulate
from semipriv.practice.engine.rehearsal import Rehearsed
from semipriv.practice.engine.stages import stage
from semipriv.practice.published.folder import check_folder
from semipriv.practice.published.model import Model
from semipriv.practice.sources.files import Files
from semipriv.practice.sums.statistic import Statistic
from semipriv.privacy.budget.ledger import LedgerError

AGE = {"age": {"integers": [0, 100], "unknown": 50}}


# ------------------------------------------------------------------ the property
def check_property(folder: Path, seed: int) -> bool:
    """Check that a random request is refused by the dry run, or else drawn, published and shown; return which."""
    path, settings = asked(folder, seed)
    try:
        if preview(load(path)).after is None:
            return False
    except ValueError:
        return False
    failed: list[str] = []
    outcome = whole.release(load(path))
    draw_release(path, failed.append)
    assert not failed, settings
    assert whole.release(load(path)).replayed
    assert all(file.is_file() for file in outcome.files)
    return True


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_what_a_dry_run_lets_pass_is_drawn_and_published(tmp_path: Path) -> None:
    passed = [check_property(tmp_path / str(seed), seed) for seed in range(16)]
    assert sum(passed) >= 4


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("block", range(10))
def test_what_any_dry_run_lets_pass_is_drawn_and_published(tmp_path: Path, block: int) -> None:
    passed = [check_property(tmp_path / str(seed), seed) for seed in range(16 + 25 * block, 41 + 25 * block)]
    assert any(passed)


# ------------------------------------------------------------------ the faults that were met
NOISE = {"name": "rrspm", "weights": "discrete_laplace"}
PMW = {"name": "pmw", "accuracy": 0.2, "scales": "book"}
LISTED = {"name": "net_exact", "domain": [[x] for x in range(128)]}
MANY = {"path": "many.csv"}
LINE = {"class": {"name": "intervals"}, "features": {"age": {"range": [0, 100]}}, "label": None}
BOXES = {"class": {"name": "rectangles", "dimension": 2}}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "fine ties": ({**BOXES, "learner": {**NOISE, "epsilon": 1}}, "sums of integer weights are not exact"),
    "wide weights": (
        {**LINE, "label": releases.LABEL, "learner": {**NOISE, "epsilon": 1e-12}},
        "sums of integer weights are not exact",
    ),
    "noise beyond the budget": (
        {**LINE, "learner": {"name": "query_release", "epsilon": 400, "delta": 1e-6, "method": PMW}},
        "PMW does not fit.*smaller epsilon",
    ),
    "noise beyond 64 bits": (
        {**LINE, "learner": {"name": "query_release", "epsilon": 1e-17, "delta": 0, "method": "mwem"}},
        "too wide for 64-bit integers",
    ),
    "no table of answers": (
        {
            **LINE,
            "learner": {"name": "query_release", "epsilon": 1, "delta": 1e-6, "method": "gaussian"},
            "public": MANY,
        },
        "a synthetic table: .* coefficients",
    ),
    "no held-out row": ({"held_out": {"share": 0.01, "epsilon": 0.1}}, "held_out.share = 1/100: "),
    "wide noise on mistakes": ({"held_out": {"share": 0.5, "epsilon": "1e-20"}}, "too wide for 64-bit integers"),
    "a long name": ({"release": "n" * 300}, "a name of 300 bytes, at most"),
    "a long path": ({"results": "a/" * 2100}, "a path of .* bytes, at most"),
    "another size of B": (
        {
            "public": None,
            "features": {"age": {"range": [0, 100], "unknown": 0}, "dollars": {"range": [0, 1000], "unknown": 0}},
            "learner": {
                "name": "public_data_reduction",
                "learner": {"name": "sspp", "epsilon": 1},
                "n_private": 10,
                "n_public": 1,
                "marginal": {"name": "uniform", "dimension": 2},
            },
        },
        "60 private examples, must be 1",
    ),
    "too many multisets": (
        {
            "public": None,
            "class": {"name": "discrete_thresholds", "bits": 7},
            "features": AGE,
            "learner": {"name": "generic_learner", "epsilon": 1, "sanitizer": LISTED, "size": 9, "n_unlabelled": 0},
        },
        "multisets of 128 points to list",
    ),
    "other neighbours": (
        {
            "public": None,
            "class": {"name": "discrete_thresholds", "bits": 7},
            "features": AGE,
            "learner": {"name": "generic_learner", "epsilon": 1, "sanitizer": {"name": "net"}, "n_unlabelled": 0},
        },
        "replace_entry: they do not add up",
    ),
}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sixty private rows, as many public ones, and a ledger that affords much."""
    folder = tmp_path_factory.mktemp("people")
    project(folder, budget={"epsilon": 2000, "delta": "0.5"})
    releases.people(60, 1).to_csv(folder / "public.csv", index=False)
    releases.people(300, 1).to_csv(folder / "many.csv", index=False)
    return folder


def refused(path: Path, words: str) -> None:
    """Check that dry run and release refuse alike, tell why, and charge nothing."""
    for step in (lambda: preview(load(path)), lambda: whole.release(load(path))):
        with pytest.raises(ValueError, match=words) as caught:
            step()
        assert message(caught.value) == " ".join(str(caught.value).split()), "nothing is withheld"
    assert kinds(path.parent) == ["opened"]


@pytest.mark.parametrize("case", REFUSED)
def test_what_public_numbers_decide_is_refused_before_the_charge(people: Path, case: str) -> None:
    changes, words = REFUSED[case]
    if str(changes.get("results", "")).startswith("a/"):
        changes = {**changes, "results": f"{people}/{changes['results']}"}
    if changes.get("public"):
        changes = {**changes, "public": {"path": str(people / changes["public"]["path"])}}
    refused(request(people, **changes), words)
    assert not (people / "results").exists()
    assert not (people / "a").exists()


def test_a_folder_that_cannot_be_written_is_found_before_the_charge(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (people / "file").write_text("")
    refused(request(people, results=str(people / "file/results")), "cannot be made: .*file is not a folder")
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda *_: False)
        refused(request(people), "cannot be written to")
    (people / "some/model.json").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"model\.json is a folder"):
        check_folder(people / "some", ["model.json"])
    full = os.statvfs(people)
    full = os.statvfs_result([0 if name in (4, 7) else number for name, number in enumerate(full)] + [full.f_fsid])
    monkeypatch.setattr("os.statvfs", lambda _: full)
    refused(request(people), "is full")


def test_a_folder_that_cannot_be_filled_is_found_before_the_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no look finds, a probe does; and it leaves nothing."""

    def no(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    path = project(tmp_path)
    monkeypatch.setattr("tempfile.TemporaryFile", no)
    with pytest.raises(OSError, match="results/releases/visits"):
        whole.release(load(path))
    assert kinds(tmp_path) == ["opened"]
    assert not (tmp_path / "results").exists()


def test_any_error_of_public_numbers_is_told(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OverflowError("17 is too many")

    staged = engine.stage(load(request(people)))
    monkeypatch.setattr(SSPP, "check_release", fail)
    with pytest.raises(PublicError) as caught:
        check_possible(staged.request, staged.prepared, staged.sizes, 0)
    assert message(caught.value) == "OverflowError: 17 is too many"


@pytest.mark.parametrize(
    "changes",
    [releases.EVERY_RULE, {**LINE, "learner": {"name": "query_release", "epsilon": 0.5}}],
    ids=["rows", "points"],
)
def test_a_synthetic_table_that_takes_too_much_is_refused_before_the_charge(
    people: Path, changes: dict[str, Any]
) -> None:
    staged = engine.stage(load(request(people, **changes)))
    for n, refused in ((10**6, False), (10**9, True)):
        with pytest.raises(PublicError, match=f"{n:,} rows of the synthetic table, of") if refused else nullcontext():
            check_possible(staged.request, staged.prepared, {**staged.sizes, "n_private": n}, 0)


@pytest.mark.parametrize("key", [None, "", "{}", '{"identity": "x", "key": "00"}', "a pipe", "a folder"])
def test_a_key_that_is_missing_or_damaged_is_refused_before_the_charge(tmp_path: Path, key: str | None) -> None:
    """The first release, too, needs it: to recognise the table later."""
    path, place = project(tmp_path), tmp_path / "ledgers/clinic.jsonl.key"
    place.unlink()
    if key == "a pipe":
        os.mkfifo(place, 0o600)
    elif key == "a folder":
        place.mkdir(0o700)
    elif key is not None:
        place.touch(0o600)
        place.write_text(key)
    for use in (preview, whole.release):
        with pytest.raises(LedgerError, match=r"the key is missing|damaged, not the key of a ledger: restore it"):
            use(load(path))
    assert kinds(tmp_path) == ["opened"]
    assert not (tmp_path / "results").exists()


def test_another_table_is_refused_before_the_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its keyed digest, for which it is read only if the ledger knows one; who accepts it pays once."""
    path = project(tmp_path)
    read: list[Path] = []
    true = Files.mac
    monkeypatch.setattr(Files, "mac", lambda self, key, part: read.append(part) or true(self, key, part))
    preview(load(path))
    assert not read, "nothing to compare it with"
    whole.release(load(path))
    assert len(read) == 1
    releases.people(60, 9).to_csv(tmp_path / "clinic.csv", index=False)
    other = {"release": "later", "learner": {"name": "sspp", "epsilon": 0.25}}
    for step in (preview, whole.release):
        with pytest.raises(LedgerError, match="changed_table: accept"):
            step(load(request(tmp_path, **other)))
    assert kinds(tmp_path) == ["opened", "reserved", "released"]
    whole.release(load(request(tmp_path, **other, changed_table="accept")))
    assert kinds(tmp_path) == ["opened", "reserved", "released", "reserved", "released"]
    assert releases.ledger(tmp_path).summary().accounts[0].left == 0.25


def test_a_table_that_changes_between_check_and_draw_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path)
    whole.release(load(path))
    staged = engine.stage(load(request(tmp_path, release="later", learner={"name": "sspp", "epsilon": 0.25})))
    reservation = charging.reserve(staged)
    releases.people(60, 9).to_csv(tmp_path / "clinic.csv", index=False)
    with pytest.raises(LedgerError, match="changed_table: accept"):
        engine.draw(staged, reservation, engine.partials_of(staged, reservation))


# ------------------------------------------------------------------ figures
@pytest.mark.parametrize(
    "what",
    [
        {"class": {"name": "discrete_thresholds", "bits": 7}, "features": AGE},
        {
            "class": {"name": "discrete_rectangles", "dimension": 2, "bits": 10},
            "features": {"age": {"integers": [0, 100]}, "dollars": {"integers": [3, 1000]}},
        },
    ],
)
def test_figures_of_integers_ask_at_integers(tmp_path: Path, what: dict[str, Any]) -> None:
    path = project(tmp_path, **what)
    for seed, name in enumerate(("clinic.csv", "public.csv")):
        releases.people(30, seed).round(0).astype({"age": int, "dollars": int}).to_csv(tmp_path / name, index=False)
    whole.release(load(path))
    lines: list[str] = []
    files = draw_release(path, lines.append)
    assert (lines, [file.is_file() for file in files]) == ([], [True, True])


def test_a_public_stage_without_enough_memory_is_refused_before_the_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    path = project(tmp_path)
    monkeypatch.setattr(Candidate, "prepare", fail)
    for step in (preview, whole.release):
        with pytest.raises(ValueError, match="the public stage needs more memory than there is: take fewer public"):
            step(load(path))
    assert releases.kinds(tmp_path) == ["opened"]


def test_a_vote_with_a_large_epsilon_is_drawn(tmp_path: Path) -> None:
    """Its threshold was looked for with as many digits as exp(-epsilon) has zeros."""
    learner = {"name": "pattern_vote", "epsilon": 1e6, "parts": 1, "delta": 0.01, "oracle": "exact"}
    whole.release(load(project(tmp_path, budget={"epsilon": 2e6, "delta": 0.1, "failures": 0.05}, learner=learner)))


@pytest.mark.parametrize("function", ["semipriv.practice.engine.figure.draw", "semipriv.practice.engine.figure.save"])
def test_a_release_never_fails_for_a_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], function: str
) -> None:
    def fail(*_: Any) -> None:
        raise ValueError("nothing $to_draw")

    path = project(tmp_path)
    monkeypatch.setattr(function, fail)
    assert main(["release", str(path)]) == 0
    assert capsys.readouterr().err.splitlines() == ["the figure could not be drawn: nothing $to_draw"]
    drawn = {file.name for file in (tmp_path / "results/releases/visits").iterdir()}
    assert {"model.json", "certificate.json"} <= drawn
    assert ("figure.png" in drawn) == function.endswith("draw"), "it says why there is none"


# ------------------------------------------------------------------ the dry run's time
def test_the_charge_is_told_before_the_public_stage(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which may take minutes; the same for what is released already, which needs none."""

    def late(*_: Any) -> None:
        raise ValueError("late")

    states: list[str] = []
    monkeypatch.setattr(Candidate, "prepare", late)
    with pytest.raises(ValueError, match="late"):
        preview(load(request(people)), lambda previewed: states.append(previewed.state))
    assert states == ["new"]


@pytest.fixture
def stumps(people: Path) -> Callable[..., int]:
    """A dry run of a request that is simulated."""
    path = request(people, **{"class": {"name": "decision_stumps", "dimension": 2}})
    return lambda *words: main(["release", str(path), "--dry-run", *words])


def test_the_charge_is_told_before_anything_is_simulated(
    stumps: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before: list[str] = []

    def simulated(previewed: Any, *others: Any) -> Any:
        before.append(capsys.readouterr().out)
        return simulate(previewed, *others)

    monkeypatch.setattr("semipriv.cli.release.simulate", simulated)
    assert stumps() == 0
    names = ["would spend", "left now", "left after", "buys then", "cells"]
    assert [line[:11].strip() for line in before[0].splitlines()][-5:] == names
    rest = capsys.readouterr()
    assert rest.out.startswith("draw ")
    assert "simulated on the public rows" in rest.out
    assert rest.err.startswith("simulating 110 trials on the public rows, at most 10 s\n")
    assert stumps("--json") == 0
    assert before[1] == ""
    simulation = json.loads(capsys.readouterr().out)["simulation"]
    assert (simulation["trials"], simulation["of"], simulation["confidence"]) == (110, 110, 0.95)
    assert stumps("--seconds", "0") == 2
    assert stumps("--no-simulation") == 0
    assert "simulated" not in capsys.readouterr().out
    assert len(before) == 2


def test_a_simulation_ends_in_time(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials that are done count, with the confidence that they give; one that is under way does not."""
    previewed = preview(load(request(people, **{"class": {"name": "decision_stumps", "dimension": 2}})))
    whole_answer = simulate(previewed).simulated
    true = simulation.excesses

    def slow(*arguments: Any) -> Any:
        for i, excess in enumerate(true(*arguments)):
            if i == 30:
                while True:  # a trial without an end
                    np.zeros(1)
            yield excess

    monkeypatch.setattr(simulation, "excesses", slow)
    short = simulate(previewed, 1.0).simulated
    assert short is not None
    assert whole_answer is not None
    assert (short.trials, short.of) == (30, 110)
    assert short.confidence == pytest.approx(1 - 0.95**30)
    monkeypatch.setattr(simulation, "excesses", lambda *_: iter(()))
    none = simulate(previewed, 0.2).simulated
    assert none is not None
    assert none.limit is None


# ------------------------------------------------------------------ made-up rows
@pytest.mark.parametrize("command", [["--dry-run", "--no-simulation"], []])
@pytest.mark.parametrize("step", ["release", "Model.to_bytes", "written", "verify"])
def test_what_fails_on_made_up_rows_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], step: str, command: list[str]
) -> None:
    """A fault of any step from the draw to the verification; no private row is read for it."""
    path = releases.project(tmp_path, **releases.EVERY_RULE)
    faults = {
        "release": (Statistic, "release"),
        "Model.to_bytes": (Model, "to_bytes"),
        "written": (publish, "written"),
        "verify": (rehearsal, "verify"),
    }

    def fail(*_: Any, **__: Any) -> None:
        raise ValueError("cannot be")

    with monkeypatch.context() as patch:
        patch.setattr(*faults[step], fail)
        patch.setattr(engine, "examples", None)
        assert main(["release", str(path), *command]) == 2
    assert "cannot be" in capsys.readouterr().err
    assert releases.kinds(tmp_path) == ["opened"]
    assert main(["release", str(path), *command]) == 0


def test_the_time_of_the_draw_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["release", str(releases.project(tmp_path)), "--dry-run", "--no-simulation"]) == 0
    assert re.search(r"draw +took [0-9.]+ s on made-up rows", capsys.readouterr().out)


HALFSPACES = {"class": {"name": "halfspaces", "dimension": 2}, "learner": {"name": "sspp", "epsilon": 1}}


@pytest.mark.parametrize(
    ("asked_for", "work"),
    [
        (releases.EVERY_RULE, "distinct rows of 60 public ones with 2 columns to find"),
        (HALFSPACES, "hypotheses to list"),
    ],
)
def test_what_takes_too_long_is_refused_before_the_charge(
    people: Path,
    asked_for: dict[str, Any],
    work: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And what takes long is told by the dry run."""
    changes = {**asked_for, "public": {"path": str(people / "public.csv")}}
    path = request(people, **changes, limits={"minutes": 5e-6})
    refused(path, f"{work}, about")
    path = request(people, **changes, limits={"minutes": 1})
    monkeypatch.setattr("semipriv.practice.engine.preview.rehearse", lambda *_: Rehearsed(90.0, 0))
    assert main(["release", str(path), "--dry-run", "--no-simulation"]) == 0
    assert "draw        took 1 min 30 s on made-up rows" in capsys.readouterr().out


def test_a_dry_run_knows_how_long_a_draw_takes(people: Path) -> None:
    public = {"path": str(people / "public.csv")}
    previewed = preview(load(request(people, **releases.EVERY_RULE, public=public)))
    assert 0 < previewed.seconds < 60
    assert previewed.to_dict()["draw_seconds"] == previewed.seconds


# ------------------------------------------------------------------ limits
def test_a_dry_run_tells_what_the_draw_takes_by_public_numbers(people: Path) -> None:
    public = {"path": str(people / "public.csv")}
    estimate = preview(load(request(people, **releases.EVERY_RULE, public=public))).to_dict()["estimate"]
    whats = [work["what"] for work in estimate["work"]]
    assert any("cells of marginals that get noise" in what for what in whats)
    assert any("to read each time" in what for what in whats)
    assert estimate["seconds"] == pytest.approx(sum(work["seconds"] for work in estimate["work"]))
    assert estimate["bytes"] == max(work["bytes"] for work in estimate["work"])
    assert 0 < estimate["seconds"] < 60


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_public_rows_are_refused_as_soon_as_more_are_read_than_memory_may_hold(
    people: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """No chunk is read beyond the limit, by a dry run, a release, or a step of one on a cluster; nothing is charged."""
    rows, read, chunks_of = 300_000, list[int](), Files.chunks
    many = releases.people(rows, 7)
    many.to_csv(people / "many.csv", index=False) if kind == "csv" else many.to_parquet(people / "many.parquet")

    def chunks(*arguments: Any) -> Iterator[Chunk]:
        for chunk in chunks_of(*arguments):
            read.append(len(chunk.numbers))
            yield chunk

    monkeypatch.setattr(Files, "chunks", chunks)
    changes = {**releases.EVERY_RULE, "public": {"path": str(people / f"many.{kind}")}}
    path = request(people, **changes, limits={"memory": 1e-3})
    for step in (preview, whole.release, stage):
        read.clear()
        with pytest.raises(
            ValueError, match=r"public cells of .*many.* to keep, .*GiB \(limit 0.001 GiB\): take fewer"
        ):
            step(load(path))
        assert 0 < sum(read) < rows
    assert kinds(people) == ["opened"]
    path = request(people, **changes, limits={"memory": 1})
    assert any("public cells of" in work for work in preview(load(path)).works), "and it is told how many there are"


def test_options_of_the_command_stand_for_the_limits_of_a_request(
    people: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = {**releases.EVERY_RULE, "public": {"path": str(people / "public.csv")}}
    path = str(request(people, **changes, limits={"minutes": 1e-7}))
    dry = ["release", path, "--dry-run", "--no-simulation"]
    assert main(dry) == 2
    assert "or allow it by limits: {minutes: 1}" in capsys.readouterr().err
    assert main([*dry, "--minutes", "5"]) == 0
    assert main([*dry, "--minutes", "5", "--memory", "1e-9"]) == 2
    assert "or allow it by limits: {memory: 1}" in capsys.readouterr().err
    assert main([*dry, "--minutes", "0"]) == 2
    assert "minutes = '0': must be" in capsys.readouterr().err


def test_limits_are_no_part_of_what_is_charged(people: Path) -> None:
    changes = {**releases.EVERY_RULE, "public": {"path": str(people / "public.csv")}}
    digests = {
        stage(load(request(people, **changes, limits=limits))).digest for limits in ({}, {"minutes": 9, "memory": 7})
    }
    assert len(digests) == 1


@pytest.mark.parametrize("key", ["minutes", "memory"])
@pytest.mark.parametrize("wrong", [0, -1, "much", True, None])
def test_a_limit_of_a_request_is_a_number(people: Path, key: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=rf"limits\.{key} = {wrong!r}: must be a number > 0"):
        load(request(people, **releases.EVERY_RULE, public=None, limits={key: wrong}))
