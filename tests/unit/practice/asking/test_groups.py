"""The error by groups: what is told hides a replaced row, whatever its group, and limits hold."""

import itertools
import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import releases
from releases import people, project, request

from semipriv.audit.properties.entropy import Seeded
from semipriv.cli import main
from semipriv.mechanisms.noise.discrete_laplace import DiscreteLaplace
from semipriv.practice.asking.groups import Groups, counted, group_errors, width_of_two
from semipriv.practice.asking.request import load
from semipriv.practice.columns.features import Categories
from semipriv.practice.columns.schema import PrivateTableError
from semipriv.practice.engine.whole import release
from semipriv.practice.published.certificate import DIAGNOSTIC
from semipriv.practice.published.verify import verify
from semipriv.privacy.events import restored

SEX = {"column": "sex", "categories": ["F", "M"], "unknown": "refuse", "epsilon": "1/10"}
HELD = {"share": 0.25, "epsilon": "0.05", "groups": SEX}


# ------------------------------------------------------------------ the mechanism
def test_a_replaced_row_moves_the_numbers_by_two_and_the_noise_hides_two() -> None:
    """All pairs of neighbours with two rows and three groups: distances by brute force, and the scale they need."""
    rows = list(itertools.product(range(3), (False, True)))
    moved = set()
    for first, second, other in itertools.product(rows, repeat=3):
        groups, wrong = (np.array([[first[i], other[i]], [second[i], other[i]]]) for i in (0, 1))
        a, b = (counted(g.astype(float), w.astype(bool), 3) for g, w in zip(groups, wrong, strict=True))
        assert a.sum() == b.sum() == 2
        moved.add(int(np.abs(a - b).sum()))
    use = Groups(Categories("group", ["a", "b", "c"]), Fraction(1, 3))
    assert moved == {0, 2}
    assert use.mechanism.noise.scale == max(moved) / use.epsilon
    assert use.mechanism.event.pure == use.epsilon


def test_each_number_has_its_own_noise() -> None:
    use = Groups(Categories("group", ["a", "b"]), Fraction(1, 2))
    noise = DiscreteLaplace(4).add(np.zeros(4, np.int64), Seeded(5)).reshape(2, 2)
    assert (np.array(use.draw(np.array([[3, 5], [0, 9]]), Seeded(5))) - noise).tolist() == [[3, 5], [0, 9]]
    assert len(set(noise.ravel().tolist())) > 1


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(20)])
def test_two_noises_stay_within_their_width(scale: Fraction) -> None:
    noise, reach = DiscreteLaplace(scale), math.ceil(40 * scale) + 5
    distribution = np.exp(noise.log_probability(np.arange(-reach, reach + 1)))
    both, values = np.convolve(distribution, distribution), np.arange(-2 * reach, 2 * reach + 1)
    for share in (0.3, 0.01, 1e-6):
        width = width_of_two(noise, share)
        assert both[values > width].sum() <= share < both[values > width - 1].sum()


# ------------------------------------------------------------------ limits
@pytest.mark.parametrize(("p", "sizes"), [(0.15, (0, 5)), (0.5, (2, 4))])
def test_limits_of_all_groups_hold_at_once_exactly(p: float, sizes: tuple[int, int]) -> None:
    """Sum over all noises and all numbers of mistakes of the probability that a limit misses: at most the level."""
    epsilon, level, rows = Fraction(4), 0.2, sum(sizes)
    noise = DiscreteLaplace(2 / epsilon)
    reach = 7
    distribution = np.exp(noise.log_probability(np.arange(-reach, reach + 1)))

    @cache
    def misses(mistakes: int, right: int, size: int) -> bool:
        (error, _) = group_errors([[mistakes, right], [0, 0]], rows, epsilon, level)
        return not (error.low <= p <= error.high and error.fewest <= size <= error.most)

    held, largest = 1.0, 0.0
    for size in sizes:
        missed = 0.0
        for count in range(size + 1):
            chance = math.comb(size, count) * p**count * (1 - p) ** (size - count)
            if not chance:
                continue
            for a, b in itertools.product(range(-reach, reach + 1), repeat=2):
                if misses(count + a, size - count + b, size):
                    missed += chance * distribution[a + reach] * distribution[b + reach]
        held, largest = held * (1 - missed), max(largest, missed)
    assert 1 - held <= level + 8 * math.exp(-2 * reach)  # noises beyond the reach are left out
    assert largest > 0 or 0 in sizes  # the limits are not idle


def test_limits_without_noise_are_near_those_of_the_binomial_distribution_and_nobody_says_nothing() -> None:
    from semipriv.core.statistics import clopper_pearson

    (error,) = group_errors([[10, 90]], 100, Fraction(1000), 0.05)
    low, high = clopper_pearson(10, 100, 0.04)
    assert (error.low, error.high, error.fewest, error.most) == pytest.approx(
        (float(low), float(high), 100, 100), abs=1e-9
    )
    assert error.error == 0.1
    (nobody,) = group_errors([[-3, 0]], 100, Fraction(1, 2), 0.05)
    assert (nobody.error, nobody.low, nobody.high, nobody.fewest) == (None, 0.0, 1.0, 0)
    single, many = (group_errors([[20, 80]], 500, Fraction(1, 2), 0.05, k)[0] for k in (1, 4))
    assert many.low < single.low < 0.2 < single.high < many.high
    assert many.fewest < single.fewest <= 100 <= single.most < many.most


# ------------------------------------------------------------------ a release
def grouped(folder: Path, **changes: Any) -> Path:
    """A project whose private table has a column of sexes, which is no feature."""
    path = project(folder, held_out=HELD, unprotected_diagnostic=True, **changes)
    table = people(60, 0)
    table.insert(0, "sex", np.where(np.arange(60) % 3 == 0, "F", "M"))
    table.to_csv(folder / "clinic.csv", index=False)
    return path


def test_the_error_of_each_group_is_released_charged_and_verified(tmp_path: Path, capsys) -> None:
    path = grouped(tmp_path)
    outcome = release(load(path))
    predicate = json.loads((tmp_path / "results/releases/visits/certificate.json").read_text())["predicate"]
    groups, drawn = predicate["quality"]["groups"], outcome.released.extras["held_out"]["groups"]
    assert [[error["noisy_mistakes"], error["noisy_right_answers"]] for error in groups["errors"]] == drawn
    assert [error["group"] for error in groups["errors"]] == ["F", "M"]
    assert (groups["column"], groups["epsilon"]) == ("sex", "1/10")
    trained, judged = restored(predicate["event"]).parts
    assert (trained.pure, judged.pure) == (Fraction("0.5"), Fraction("0.15"))  # once, for both groups
    assert predicate[DIAGNOSTIC]["rows"] == predicate["sizes"]["n_held_out"] == 15
    for ledger in (None, tmp_path / "ledgers/clinic.jsonl"):
        assert all(check.passed for check in verify(tmp_path / "results/releases/visits", ledger))
    assert main(["release", str(path)]) == 0
    lines = capsys.readouterr().out
    assert "sex = F" in lines
    assert "sex = M" in lines
    assert releases.kinds(tmp_path) == ["opened", "reserved", "released"]


def test_the_numbers_are_those_of_the_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no noise: held-out rows of each group are counted by hand from the table and the model."""
    from semipriv.practice.published.model import Model

    seen: list[np.ndarray] = []
    monkeypatch.setattr(Groups, "draw", lambda self, counts, coins: seen.append(counts) or counts.tolist())
    release(load(grouped(tmp_path)))
    table = pd.read_csv(tmp_path / "clinic.csv")[3::4]
    wrong = Model.load(tmp_path / "results/releases/visits/model.json").predict(table) != table["ill"]
    by_hand = [[int(np.sum(part)), int(np.sum(~part))] for part in (wrong[table.sex == sex] for sex in ("F", "M"))]
    assert seen[-1].tolist() == by_hand


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"categories": ["F"]}, "held_out.groups: sex: categories = ['F']: must be a list of at least two values"),
        ({"categories": ["F", "F"]}, "held_out.groups: sex: categories: 'F' is listed twice"),
        ({"categories": "public"}, "held_out.groups.categories = 'public': must be a list of all groups"),
        ({"column": "gender"}, "clinic.csv: column 'gender' is missing"),
        ({"epsilon": 0}, "held_out.groups.epsilon = '0': must be > 0"),
        ({"epsilon": "1e-20"}, "too wide for 64-bit integers"),
        ({"colum": "sex"}, "unknown key of groups 'colum': did you mean 'column'? (allowed: categories, column"),
        ({"unknown": True}, "held_out.groups: sex: unknown of 'sex' = True: must be text or an integer"),
        ({"column": "age"}, "public.csv: column 'age', row 1: must be one of the declared categories (F, M)"),
    ],
)
def test_what_is_wrong_with_groups_is_refused_before_the_charge(
    tmp_path: Path, capsys, groups: dict[str, Any], words: str
) -> None:
    grouped(tmp_path)
    path = request(tmp_path, held_out={**HELD, "groups": {**SEX, **groups}})
    assert main(["release", str(path)]) == 2
    assert words in capsys.readouterr().err
    assert releases.kinds(tmp_path) == ["opened"]


def test_a_row_of_no_group_is_named_without_its_cell_and_a_group_of_all_others_takes_it(tmp_path: Path) -> None:
    path = grouped(tmp_path)
    table = pd.read_csv(tmp_path / "clinic.csv")
    table.loc[7, "sex"] = "SECRET"
    table.to_csv(tmp_path / "clinic.csv", index=False)
    with pytest.raises(
        PrivateTableError, match=r"column 'sex': 1 cell\(s\) missing or not as declared, the first in row 8"
    ):
        release(load(path))
    others = request(tmp_path, release="others", held_out={**HELD, "groups": {**SEX, "unknown": "other"}})
    outcome = release(load(others))
    assert len(outcome.released.extras["held_out"]["groups"]) == 3
