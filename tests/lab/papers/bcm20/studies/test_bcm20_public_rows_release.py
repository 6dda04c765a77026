"""The study of tables of categories: its distribution, its errors by hand, and what kappa does."""

import itertools

import numpy as np
import pandas as pd
import pytest

from semipriv.core.randomness import Simulation
from semipriv.learners.tables.public_rows_release import PublicRowsRelease
from semipriv.queries.schema import Column, Schema
from semipriv_lab.ledger.claim import Run, Table
from semipriv_lab.papers.bcm20.studies import public_rows_release as study
from semipriv_lab.papers.bcm20.studies._hidden_groups import HiddenGroups


def generator(*names: str) -> np.random.Generator:
    return Simulation(1).spawn(*names).generator


def test_groups_have_the_shares_of_both_populations() -> None:
    """Columns are independent within a group, and a bias mixes the groups alone."""
    distribution = HiddenGroups.drawn((3, 4), 2, generator("law"))
    values = [np.diff(column, axis=1, prepend=0.0) for column in distribution.columns]
    for bias in (0.0, 0.4, 1.0):
        shares = (1 - bias) * distribution.shares + bias * distribution.other
        expected = np.einsum("g,gi,gj->ij", shares, *values)
        rows = distribution.sample(200_000, bias, generator("rows", str(bias)))
        counts = np.bincount(rows[:, 0] * 4 + rows[:, 1], minlength=12).reshape(3, 4) / len(rows)
        assert np.abs(counts - expected).max() < 0.006
    assert np.abs(distribution.shares - distribution.other).sum() > 0.1


def test_projections_are_the_nearest_shares() -> None:
    for seed in range(20):
        values = np.random.default_rng(seed).normal(0.2, 0.5, 6)
        nearest = study.projected(values)
        assert nearest.min() >= 0
        assert nearest.sum() == pytest.approx(1)
        for other in np.random.default_rng(seed).dirichlet(np.full(6, 0.5), size=200):
            assert np.sum((values - nearest) ** 2) <= np.sum((values - other) ** 2) + 1e-12
    assert study.projected(np.array([0.2, 0.5, 0.3])) == pytest.approx([0.2, 0.5, 0.3])


@pytest.fixture
def small(monkeypatch) -> Schema:
    """A study of five columns, some hundred rows."""
    sizes = (2, 3, 4, 2, 3)
    schema = Schema(tuple(Column(f"column_{i}", range(size)) for i, size in enumerate(sizes)))
    numbers = {"SIZES": sizes, "SCHEMA": schema, "MARGINALS": 10, "ROUNDS": 4, "N_PRIVATE": 3000, "N_PUBLIC": 150}
    for name, number in numbers.items():
        monkeypatch.setattr(study, name, number)
    return schema


def test_errors_are_those_by_hand(small: Schema) -> None:
    distribution = HiddenGroups.drawn(study.SIZES, 3, generator("law"))
    private, public = (distribution.sample(n, b, generator(str(n))) for n, b in ((400, 0.0), (12, 1.0)))
    truth, learner = study.Truth.of(private), PublicRowsRelease(1.0, 1e-6)
    prepared = learner.prepare(small.table(public), small)
    output = learner.release(prepared, small.table(private), Simulation(2)).output
    distances, missing = [], []
    for pair in itertools.combinations(small.names, 2):
        tables = [
            pd.DataFrame(small.table(rows)).value_counts(list(pair), normalize=True) for rows in (public, private)
        ]
        first, other = tables[0].align(tables[1], fill_value=0.0)
        distances.append(np.abs(first - other).sum())
        missing.append(other[first == 0].sum())
    assert truth.of_rows(output.public) == pytest.approx(np.mean(distances))
    assert truth.floor(prepared) == pytest.approx(2 * np.mean(missing))
    assert truth.floor(prepared) > 0
    written = output.synthetic(5000, Simulation(3))
    assert truth.of_rows(written) == pytest.approx(written.distances(small.table(private), 2).mean())
    for weights in np.random.default_rng(4).dirichlet(np.ones(len(prepared.rows)), size=50):
        assert truth.error(truth.workload.shares(prepared.rows, weights)) >= truth.floor(prepared)
    noise = float(learner.plan(prepared).noise.sigma) / len(private)
    noisy_errors = truth.noisy(learner, prepared, Simulation(5))
    assert 0 < noisy_errors < np.sqrt(2 / np.pi) * noise * truth.workload.cells / 10, (
        "projections are nearer than noise"
    )


def test_what_is_recorded(small: Schema) -> None:
    finding = study.biased_tables(Run(Simulation(6), 1.0))
    rows_by_setting = {
        (row.quantity, *(row.settings.get(name) for name in ("bias", "marginals", "kappa_over_n_public"))): row
        for row in finding.measurements
    }
    assert len(rows_by_setting) == len(finding.measurements)
    judged = {quantity: row for (quantity, *_), row in rows_by_setting.items() if row.trials == study.JUDGED}
    assert judged.keys() == {study.GAINS, study.HELPS, study.UNMOVED}
    assert len(rows_by_setting) - 6 == 1 + 2 * 5 + (3 * 5 + 2) + 5 + 2 * 5
    assert finding.deciding.quantity == study.GAINS
    assert {row.trials for (quantity, *_), row in rows_by_setting.items() if quantity not in judged} == {study.TRIALS}
    alone = {bias: rows_by_setting[study.ALONE, bias, None, None].measured.value for bias in study.BIASES}
    assert alone[1.0] > 1.5 * alone[0.0]
    assert rows_by_setting[study.WRITTEN, 1.0, 10, 1.0].measured.value < alone[1.0]
    stiff = rows_by_setting[study.WRITTEN, 1.0, 4, 30.0].measured.value
    assert stiff > rows_by_setting[study.WRITTEN, 1.0, 4, 1.0].measured.value, "a large kappa keeps the bias"
    assert f"public rows alone by {alone[1.0]:.3f}" in finding.reason
    assert f"{rows_by_setting[study.WRITTEN, 1.0, 10, 1.0].measured.value:.3f}" in finding.reason


def test_the_reason_tells_the_least_error_and_where_it_is() -> None:
    """Of made-up rows, of which another worth is best for each bias."""
    table, best = Table(Run(Simulation(0), 1.0), Simulation(0)), {}
    table.recorded(study.NOISY, {}, 0.9)
    for quantity, bias in ((study.GAINS, 0.0), (study.GAINS, 1.0), (study.HELPS, 0.0), (study.HELPS, 1.0)):
        table.recorded(quantity, {"bias": bias}, 1.5)
    for i, bias in enumerate(study.SWEPT):
        best[bias] = study.WORTHS[2 * i], 0.1 + i / 100
        for worth in study.WORTHS:
            value = best[bias][1] if worth == best[bias][0] else 0.5 + worth / 100
            here = {"bias": bias, "marginals": study.ROUNDS, "kappa_over_n_public": worth}
            table.recorded(study.WRITTEN, here, value)
        table.recorded(study.WRITTEN, {"bias": bias, "marginals": study.MARGINALS}, 0.7)
        for name in (study.ALONE, study.FLOOR):
            table.recorded(name, {"bias": bias}, 0.3)
    reason = study.reason(table, 3)
    for worth, value in best.values():
        assert f"and least, {value:.3f}, at {worth:g} n_public" in reason
