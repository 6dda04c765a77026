"""Public rows of whatever kind never hurt a synthetic table: a small instance of the benchmark, and its parts."""

import no_harm_tables as bench
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def errors() -> pd.DataFrame:
    """Errors on 4,000 rows of a net, with public rows of four kinds, at epsilon 1, two draws each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "TABLES", {"net": lambda: bench.net(4_000, 11)})
        return pd.DataFrame(bench.runs(("net",), ("good", "half", "permuted", "none"), (1.0,), 2))


def test_it_errs_no_more_than_the_better_of_trusting_public_rows_and_having_none(errors: pd.DataFrame) -> None:
    assert bench.losses(errors).to_dict("records") == []


def test_public_rows_of_another_population_would_have_hurt(errors: pd.DataFrame) -> None:
    """The control: the release that trusts them loses to the tree without any, by far, and the benchmark says so."""
    renamed = errors.assign(method=errors["method"].replace({"trusting": "release", "release": "trusting"}))
    lost = bench.losses(renamed).set_index("kind")
    assert {"half", "permuted"} <= set(lost.index)
    assert lost.loc["permuted", "release"] > 2 * lost.loc["permuted", "better"]


def test_without_noise_the_tree_has_the_pairs_of_its_edges() -> None:
    generator = np.random.default_rng(1)
    first = generator.integers(3, size=6_000)
    second = np.where(generator.random(6_000) < 0.8, first, 0)
    third = np.where(generator.random(6_000) < 0.7, second, 2)
    rows = bench.Rows(np.column_stack([first, third, second]), first[:0], first[:0], (3, 3, 3))
    assert bench.errors(bench.mst(rows, 1e4, 0), rows).max() < 0.03
    assert bench.errors(bench.mst(rows, 0.1, 0), rows).mean() > 0.03


def test_kinds_of_public_rows() -> None:
    others = np.random.default_rng(1).integers(4, size=(400, 3))
    rows = bench.Rows(others, others, others[others[:, 0] > 1], (4, 4, 4))
    public = {kind: bench.public_rows(rows, kind) for kind in bench.KINDS}
    lengths = [len(public[kind]) for kind in bench.KINDS]
    assert lengths == [200, 200, len(rows.half[:200]), len(public["combinations"]), 200, 20, 0]
    assert public["half"][:, 0].min() == 2
    high = [public["combinations"][:, i] > np.median(others[:, i]) for i in (0, 1)]
    assert np.array_equal(*high)
    assert 0 < high[0].mean() < 1
