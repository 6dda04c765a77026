"""The squared error on held-out rows: scores, what a replaced row moves, limits, and a release that tells it."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import releases
from releases import request

from semipriv.audit.properties.entropy import Seeded
from semipriv.cli import main
from semipriv.core.statistics import clopper_pearson
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.practice.asking.groups import Groups, counted, group_errors
from semipriv.practice.asking.limits import mean_limits
from semipriv.practice.asking.quality import HeldOut
from semipriv.practice.asking.request import load
from semipriv.practice.asking.squared import STEPS, SquaredErrors, squared_error
from semipriv.practice.columns.features import Categories
from semipriv.practice.columns.responses import Response
from semipriv.practice.engine.whole import release
from semipriv.practice.published.model import Model
from semipriv.practice.published.verify import verify
from semipriv.privacy.budget.ledger import Budget, Ledger
from semipriv.privacy.events import restored

FOLDER = "results/releases/visits"
HELD = {"share": 0.2, "epsilon": "0.25"}


# ------------------------------------------------------------------ scores
def test_a_score_is_the_squared_error_in_steps_to_the_nearest_and_at_most_all_of_them() -> None:
    coins = np.random.default_rng(1)
    predicted, responses = coins.uniform(-1, 1, (2, 300))
    predicted[:2], responses[:2] = [-1, 1], [1, 1]
    for length, largest in ((400.0, 400.0), (400.0, 37.5), (1e-3, 2e-5)):
        scores = SquaredErrors(length, largest).scores(predicted, responses)
        for score, f, y in zip(scores.tolist(), predicted.tolist(), responses.tolist(), strict=True):
            error = (Fraction(f) - Fraction(y)) * Fraction(length) / 2
            exact = min(Fraction(1), (error / Fraction(largest)) ** 2)
            assert abs(Fraction(score, STEPS) - exact) <= Fraction(1, 2 * STEPS) + Fraction(1, 2**45)


def test_a_replaced_row_moves_its_own_score_alone_whatever_it_holds() -> None:
    use = SquaredErrors(2.0, 0.5)
    odd = [0.0, -1.0, 1.0, 0.3, 1e300, -1e300, math.inf, -math.inf, math.nan]
    base = use.scores(np.zeros(3), np.array([0.1, 0.2, 0.3]))
    moved = set()
    for f, y in itertools.product(odd, odd):
        scores = use.scores(np.array([0.0, f, 0.0]), np.array([0.1, y, 0.3]))
        assert scores.dtype == np.int64
        assert (scores[[0, 2]] == base[[0, 2]]).all()
        moved.add(int(scores[1]))
    assert min(moved) == 0
    assert max(moved) == STEPS


def test_the_sum_has_the_noise_of_one_score_and_the_choice_is_as_private_as_it_costs() -> None:
    use = HeldOut(5, Fraction(1, 4), Fraction(1, 3), squared=SquaredErrors(2.0, 2.0))
    assert use.noise.scale == 4 * STEPS
    assert use.costs == (Fraction(1, 3), Fraction(1, 4))
    held_out = HeldOut(5, Fraction(1, 4), squared=SquaredErrors(2.0, 2.0))
    assert held_out.draw([7 * STEPS], Seeded(3))[1] - 7 * STEPS == DiscreteLaplace(4 * STEPS).add(
        np.zeros(1, np.int64), Seeded(3)
    )
    totals, worst = np.array([5, 5, 6]) * STEPS, 0.0
    for moves in itertools.product((-STEPS, 0, STEPS), repeat=3):
        distributions = [use.chooser.log_probabilities((-counts).tolist()) for counts in (totals, totals + moves)]
        worst = max(worst, float(np.abs(distributions[0] - distributions[1]).max()))
    assert 0.5 / 3 < worst <= 1 / 3 + 1e-9


# ------------------------------------------------------------------ limits
DISTRIBUTIONS = {
    "two ends": [0.7, 0, 0, 0, 0.3],
    "all alike": [0, 1, 0, 0, 0],
    "flat": [0.2] * 5,
    "rare": [0.97, 0, 0, 0.03, 0],
    "most": [0, 0, 0, 0.1, 0.9],
}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3)])
def test_limits_of_a_mean_hold_exactly(distribution: list[float], scale: Fraction) -> None:
    """Sum of the probabilities of all noisy sums whose limits miss the mean, on each side: at most its share."""
    rows, most, share = 6, 4, 0.1
    noise, total = DiscreteLaplace(scale), np.ones(1)
    for _ in range(rows):
        total = np.convolve(total, distribution)
    p = float(np.arange(most + 1) @ distribution) / most
    reach = math.ceil(12 * scale)
    values = np.arange(-reach, rows * most + reach + 1)
    chances = sum(weight * np.exp(noise.log_probability(values - s)) for s, weight in enumerate(total))
    limits = [mean_limits(int(y), rows, rows, most, noise, share) for y in values]
    too_low = sum(chance for chance, (_, high) in zip(chances, limits, strict=True) if high < p - 1e-9)
    too_high = sum(chance for chance, (low, _) in zip(chances, limits, strict=True) if low > p + 1e-9)
    assert max(too_low, too_high) <= share
    lows, highs = np.array(limits).T
    assert (np.diff(lows) >= -1e-12).all()
    assert (np.diff(highs) >= -1e-12).all()


@pytest.mark.parametrize("mistakes", [0, 4, 50, 400])
def test_limits_for_every_distribution_hold_those_of_coins_and_are_not_much_wider(mistakes: int) -> None:
    """Without noise to speak of; for coins alone Clopper and Pearson are exact."""
    low, high = mean_limits(mistakes * STEPS, 400, 400, STEPS, DiscreteLaplace(Fraction(1, 40)), 0.025)
    exact = [float(end) for end in clopper_pearson(mistakes, 400, 0.05)]
    assert low - 1e-12 <= exact[0] <= exact[1] <= high + 1e-12  # without a mistake they are the same
    assert high - low <= 1.6 * (exact[1] - exact[0])


def test_limits_of_a_squared_error_are_in_its_units_and_wider_for_a_choice() -> None:
    single, four = (squared_error(20 * STEPS, 500, Fraction(1), 40.0, 0.05, k) for k in (1, 4))
    assert single.value == 1600 * 20 / 500
    assert four.low < single.low < single.value < single.high < four.high
    below, beyond = (squared_error(noisy, 500, Fraction(1), 40.0, 0.05) for noisy in (-900 * STEPS, 900 * STEPS))
    assert (below.value, below.low, beyond.value, beyond.high) == (0, 0, 1600, 1600)


# ------------------------------------------------------------------ a release
def people(n: int, seed: int) -> pd.DataFrame:
    """Costs that rise with age."""
    coins = np.random.default_rng(seed)
    age = coins.integers(18, 80, n)
    return pd.DataFrame({"age": age, "cost": (20 + age + coins.normal(0, 8, n)).round(2)})


def asked(**changes: Any) -> dict[str, Any]:
    return {
        "features": {"age": {"integers": [0, 120]}},
        "label": None,
        "response": {"column": "cost", "range": [0, 400], "unknown": "refuse"},
        "class": {"name": "linear"},
        "learner": {"name": "public_ridge_regression", "epsilon": "0.5"},
        "held_out": HELD,
        **changes,
    }


def project(folder: Path, **changes: Any) -> Path:
    people(1_000, 0).to_csv(folder / "clinic.csv", index=False)
    people(50, 1).to_csv(folder / "public.csv", index=False)
    (folder / "ledgers").mkdir()
    Ledger.create(folder / "ledgers/clinic.jsonl", Budget(1), "a clinic")
    return request(folder, **asked(**changes))


def predicate_of(folder: Path) -> Any:
    return json.loads((folder / FOLDER / "certificate.json").read_text())["predicate"]


def test_a_person_reads_the_squared_error_of_a_release(tmp_path: Path, capsys) -> None:
    path = project(tmp_path, held_out=HELD | {"largest_error": 40})
    assert main(["release", str(path), "--dry-run", "--no-simulation"]) == 0
    lines = capsys.readouterr().out
    assert "would spend epsilon 0.5" in lines
    assert "judges      200 held-out rows: noise moves the squared error by up to 95.9, its root by up to 9.79" in lines
    assert main(["release", str(path)]) == 0
    lines = capsys.readouterr().out
    quality = predicate_of(tmp_path)["quality"]
    assert f"squared error: {quality['mean_squared_error']:.4g} on 200 held-out rows, with noise" in lines
    assert f"its root: {math.sqrt(quality['mean_squared_error']):.4g}" in lines
    assert "errors above 40 count as that" in lines
    assert 0 <= quality["low"] <= quality["mean_squared_error"] <= quality["high"] <= 1600
    trained, judged = restored(predicate_of(tmp_path)["event"]).parts
    assert (trained.pure, judged.pure) == (Fraction(1, 2), Fraction(1, 4))
    for ledger in (None, tmp_path / "ledgers/clinic.jsonl"):
        assert all(check.passed for check in verify(tmp_path / FOLDER, ledger))
    assert release(load(path)).replayed


def test_the_number_is_the_mean_squared_error_of_the_held_out_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no noise: predictions of the published model on every fifth row, in raw units, by hand."""
    monkeypatch.setattr(HeldOut, "draw", lambda self, scores, coins: (0, scores[0]))
    path = project(tmp_path)
    table = pd.read_csv(tmp_path / "clinic.csv")
    table.loc[[4, 9], "cost"] = [900.0, -50.0]  # outside of the range: clipped
    table.to_csv(tmp_path / "clinic.csv", index=False)
    release(load(path))
    held = table[4::5]
    errors = Model.load(tmp_path / FOLDER / "model.json").predict(held) - held["cost"].clip(0, 400)
    quality = predicate_of(tmp_path)["quality"]
    assert quality["mean_squared_error"] == pytest.approx((errors**2).mean(), abs=400**2 / STEPS)
    assert quality["noisy_sum"] > 0


def test_one_of_two_regressions_is_chosen_by_squared_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[int]] = []
    drawn = HeldOut.draw
    monkeypatch.setattr(HeldOut, "draw", lambda self, scores, coins: seen.append(scores) or drawn(self, scores, coins))
    learners = [("public_ridge_regression", "0.3"), ("public_gram_regression", "0.2")]
    several = [{"class": {"name": "linear"}, "learner": {"name": name, "epsilon": cost}} for name, cost in learners]
    changes = {"candidates": several, "learner": None, "class": None, "held_out": HELD | {"choice": "1/4"}}
    outcome = release(load(project(tmp_path, **changes)))
    trained, judged = restored(predicate_of(tmp_path)["event"]).parts
    assert float(trained.pure) == pytest.approx(0.5)
    assert judged.pure == Fraction(1, 2)
    chosen = predicate_of(tmp_path)["quality"]["chosen_candidate"]
    assert (
        f"candidate {chosen + 1} of 2, chosen by permute-and-flip over sums of squared errors"
        in predicate_of(tmp_path)["tuning"]
    )
    assert all(check.passed for check in verify(tmp_path / FOLDER, tmp_path / "ledgers/clinic.jsonl"))
    held = people(1_000, 0)[4::5]
    errors = outcome.released.output.predict(held[["age"]].to_numpy() / 1.0)
    by_hand = STEPS * ((errors - (held["cost"] / 200 - 1)) / 2) ** 2
    assert seen[-1][chosen] == pytest.approx(by_hand.sum(), abs=len(held))


def test_squared_errors_by_groups_hide_a_replaced_row_and_are_told(tmp_path: Path, monkeypatch, capsys) -> None:
    """All pairs of scores and groups: what moves is at most what the noise hides; then a release, without noise."""
    groups = Groups(Categories("sex", ["F", "M"]), Fraction(1, 5), STEPS)
    rows = list(itertools.product((0.0, 1.0), (0, STEPS // 3, STEPS)))
    sums = [counted(np.array([g, 1.0]), np.array([s, 7]), 2, STEPS) for g, s in rows]
    moved = max(int(np.abs(a - b).sum()) for a, b in itertools.product(sums, sums))
    assert groups.mechanism.noise.scale == moved / groups.epsilon
    monkeypatch.setattr(Groups, "draw", lambda self, counts, coins: counts.tolist())
    changes = {
        "groups": {"column": "sex", "categories": ["F", "M"], "unknown": "refuse", "epsilon": "1/5"},
        "largest_error": 40,
    }
    path = project(tmp_path, held_out=HELD | changes)
    table = people(1_000, 0)
    table["sex"] = np.where(np.arange(1_000) % 3 == 0, "F", "M")
    table.to_csv(tmp_path / "clinic.csv", index=False)
    assert main(["release", str(path)]) == 0
    by_group = predicate_of(tmp_path)["quality"]["groups"]
    model = Model.load(tmp_path / FOLDER / "model.json")
    lines = capsys.readouterr().out
    for error in by_group["errors"]:
        held = table[4::5][table[4::5]["sex"] == error["group"]]
        by_hand = (np.minimum(np.abs(model.predict(held) - held["cost"]), 40) ** 2).mean()
        assert error["mean_squared_error"] == pytest.approx(by_hand, abs=40**2 / STEPS)
        assert error["held_out_rows_at_least"] < len(held) < error["held_out_rows_at_most"]
        assert error["low"] < by_hand < error["high"]
        assert f"sex = {error['group']}: {error['mean_squared_error']:.4g}, from" in lines
    assert restored(predicate_of(tmp_path)["event"]).parts[1].pure == Fraction(1, 4) + Fraction(1, 5)
    assert all(check.passed for check in verify(tmp_path / FOLDER, tmp_path / "ledgers/clinic.jsonl"))


def test_limits_by_groups_hold_for_every_number_of_rows_exactly() -> None:
    """Coins of 0 and score: sum of the probabilities of all pairs of noisy sums whose limits miss."""
    epsilon, level, size, p, score, reach = Fraction(4), 0.2, 5, 0.3, 2, 12
    noise = DiscreteLaplace(2 * score / epsilon)
    distribution = np.exp(noise.log_probability(np.arange(-reach, reach + 1)))
    missed = 0.0
    for a, b in itertools.product(range(-reach, size * score + reach + 1), repeat=2):
        chance = sum(
            math.comb(size, k)
            * p**k
            * (1 - p) ** (size - k)
            * distribution[a - score * k + reach]
            * distribution[b - score * (size - k) + reach]
            for k in range(size + 1)
            if abs(a - score * k) <= reach and abs(b - score * (size - k)) <= reach
        )
        if chance > 1e-5:
            (error,) = group_errors([[a, b]], 8, epsilon, level, score=score)
            if not (error.low - 1e-9 <= p <= error.high + 1e-9 and error.fewest <= size <= error.most):
                missed += chance
    assert 0 < missed <= level


def test_a_forged_error_fails(tmp_path: Path) -> None:
    release(load(project(tmp_path)))
    path = tmp_path / FOLDER / "certificate.json"
    for key, value in (("mean_squared_error", 1.0), ("noisy_sum", 5), ("steps", 10)):
        original = path.read_bytes()
        certificate = json.loads(original)
        certificate["predicate"]["quality"][key] = value
        path.write_text(json.dumps(certificate, indent=2, sort_keys=True) + "\n")
        failed = [
            check.what for check in verify(tmp_path / FOLDER, tmp_path / "ledgers/clinic.jsonl") if not check.passed
        ]
        assert "all else follows from the ledger" in failed
        path.write_bytes(original)


LABELLED = {
    "response": None,
    "label": {"column": "cost", "one": {"at_least": 70}, "zero": {"below": 70}, "unknown": 0},
    "class": {"name": "thresholds"},
    "learner": {"name": "sspp", "epsilon": "0.5"},
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"held_out": HELD | {"largest_error": 0}}, "held_out.largest_error = '0': must be > 0"),
        ({"held_out": HELD | {"largest_error": 401}}, "held_out.largest_error = 401.0: must be at most 400.0"),
        ({"held_out": HELD | {"largest_error": "1e-5"}}, "and at least a millionth of it"),
        ({"held_out": HELD | {"largest_error": "much"}}, "held_out.largest_error = 'much'"),
        ({"held_out": HELD | {"epsilon": "1e-15"}}, "too wide for 64-bit integers"),
        ({"held_out": HELD | {"choice": "0.1"}}, "held_out.choice: is the epsilon of the choice among candidates"),
        ({"response": {"column": "cost", "range": [0, 1e200], "unknown": 0}}, "so that its square is a number"),
        ({"held_out": None, "unprotected_diagnostic": True}, "unprotected_diagnostic: counts mistakes"),
        (LABELLED | {"held_out": HELD | {"largest_error": 40}}, "held_out.largest_error: is of a response"),
    ],
)
def test_what_is_wrong_is_refused_before_the_charge(
    tmp_path: Path, capsys, changes: dict[str, Any], words: str
) -> None:
    assert main(["release", str(project(tmp_path, **changes))]) == 2
    assert words in capsys.readouterr().err
    assert releases.kinds(tmp_path) == ["opened"]


def test_a_largest_error_is_of_the_range() -> None:
    assert SquaredErrors.of(Response("cost", [-5, 15])).largest == 20
    assert SquaredErrors.of(Response("cost", [-5, 15]), Fraction(1, 3)).described() == {
        "largest": 1 / 3,
        "steps": STEPS,
    }
