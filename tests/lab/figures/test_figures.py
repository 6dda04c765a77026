"""Figures: every learner of a table is drawn under a name of its own, and equal figures have equal bytes."""

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from semipriv.core import registry, tables
from semipriv.drawing.fitting import typeset
from semipriv.drawing.style import apply_style
from semipriv.learners.base import Learner
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv_lab.experiments.schemas import SLOPES, SUMMARY, TRIALS
from semipriv_lab.figures import looks
from semipriv_lab.figures.base import Results, draw_figure, learner_names, learners
from semipriv_lab.figures.plots import excess, table_errors
from semipriv_lab.papers.abm19.figures.plots import growth, heat_map


def parameters_of(learner: Learner) -> dict[str, Any]:
    """What tables say of a learner."""
    parameters = {"name": registry.name_of(learner), "title": learner.title, "role": learner.role.value}
    return {
        **parameters,
        "parameters": json.dumps(registry.parameters(learner)),
        "epsilon": getattr(learner, "epsilon", None),
    }


def summary(learners: list[dict[str, Any]]) -> pd.DataFrame:
    rows = []
    for i, learner in enumerate(learners):
        for cell, n in enumerate((10, 100, 1000)):
            row = dict.fromkeys(SUMMARY.names) | {
                "experiment": "e",
                "cell": cell,
                "case": "all",
                "n_public": n,
                "vc_dimension": 2,
            }
            row |= {"n_private": 50, "sigma": 1.0, "learner": f"{learner['name']}({learner['parameters']})", **learner}
            row |= {"trials": 9, "mean": (i + 1) / n, "low": 0.5 / n, "vacuous": False}
            row |= {"measure": "population_error", "quantity": "excess", "axis": "excess error"}
            row |= {"high": (i + 2) / n, "standard_error": 0.1 / n, "quantile": 3 / n, "beta": 0.05, "cost": "{}"}
            rows.append(row)
    return pd.DataFrame(rows)


LEARNERS = [
    parameters_of(SSPP(1.0, representative="lower")),
    parameters_of(SSPP(1.0, representative="upper")),
    parameters_of(SSPP(1.0, "permute_and_flip", "upper")),
    parameters_of(FixedGrid(1.0, size=3)),
    {"name": "newcomer", "title": "newcomer", "role": "no_public", "parameters": "{}", "epsilon": 1.0},
    parameters_of(EmpiricalRiskMinimiser()),
    parameters_of(EmpiricalRiskMinimiser("cover")),
]


def results(folder: Path, learners: list[dict[str, Any]]) -> Results:
    frame = summary(learners)
    columns = {name: [None if pd.isna(v) else v for v in frame[name]] for name in SUMMARY.names}
    tables.write(folder / "summary.parquet", SUMMARY, columns)
    tables.write(folder / "slopes.parquet", SLOPES, [])
    return Results({"summary": folder / "summary.parquet", "slopes": folder / "slopes.parquet"})


def test_every_learner_has_a_name_and_a_colour_of_its_own() -> None:
    shown = learner_names(summary(LEARNERS))
    assert shown.nunique() == len(LEARNERS)
    assert "newcomer" in set(shown)
    assert "fixed grid, no public data" in set(shown)
    assert "A_SSPP (representative=lower)" in set(shown)
    known = learners(summary(LEARNERS).assign(shown=shown))
    assert len({known.colours[name] for name in known.order}) == len(LEARNERS)
    others = summary(LEARNERS[3:4]).assign(shown=learner_names(summary(LEARNERS[3:4])))
    alone = learners(others)
    assert {known.colours[name] for name in alone.order} == set(alone.colours.values()), "the same beside others"
    assert sorted(known.order) == sorted(set(shown))
    assert all(name.startswith("A_SSPP") for name in known.order[-3:]), "the papers' own are drawn on top"


def test_colours_that_learners_declare_exist() -> None:
    assert all(looks.hue(name) in looks.HUES.values() for name in registry.names("learners"))
    shades = [looks.shade(looks.hue("sspp"), place) for place in range(6)]
    assert shades[0] == looks.HUES["blue"]
    assert len(set(shades)) == 6


@pytest.mark.parametrize("draw", [lambda r: excess.draw(r, x="n_public"), table_errors.draw])
def test_every_learner_is_drawn(tmp_path: Path, draw) -> None:
    apply_style()
    figure = draw(results(tmp_path, LEARNERS))
    lines = {line.get_label() for axes in figure.axes for line in axes.get_lines()}
    assert set(learner_names(summary(LEARNERS))) <= lines
    plt.close(figure)


def test_without_a_private_learner(tmp_path: Path) -> None:
    apply_style()
    figure = excess.draw(results(tmp_path, LEARNERS[-2:]), x="n_public")
    values = [line.get_ydata() for line in figure.axes[0].get_lines()]
    assert any(np.allclose(v, [0.2, 0.02, 0.002]) for v in values)
    plt.close(figure)


def test_equal_figures_have_equal_bytes(tmp_path: Path) -> None:
    inputs = results(tmp_path, LEARNERS).paths
    for name in ("a", "b"):
        draw_figure(
            '{"room": "figures/plots", "name": "excess", "x": "n_public"}',
            inputs,
            tmp_path / f"{name}.pdf",
            tmp_path / f"{name}.png",
        )
    for end in ("pdf", "png"):
        assert (tmp_path / f"a.{end}").read_bytes() == (tmp_path / f"b.{end}").read_bytes()


def test_the_slope_of_the_papers_learner_stands_in_the_title(tmp_path: Path) -> None:
    apply_style()
    inputs = results(tmp_path, LEARNERS[1:2] + LEARNERS[-1:])
    row = {"experiment": "e", "case": "all", "x": "n_public", "low_x": 10.0, "high_x": 90.0, "points": 2, "left_out": 0}
    row |= {"measure": "population_error", "protects": None}
    row |= {"slope": -0.87, "low": -1.25, "high": -0.5}
    own = {"learner": "a", **LEARNERS[1]}
    other = {"learner": "b", **LEARNERS[-1], "slope": 3.0}
    tables.write(tmp_path / "slopes.parquet", SLOPES, [row | own, row | other])
    figure = excess.draw(inputs, x="n_public")
    title = figure.axes[0].get_title()
    assert "slope $-0.87\\;[-1.25,\\,{-0.50}]$" in title
    assert "for $10 \\leq n_{\\mathrm{public}} \\leq 90$" in title
    assert "$n_{\\mathrm{private}}=50$" in title, "sizes that are the same everywhere are those of the table"
    assert "3.00" not in title
    plt.close(figure)


def test_each_panel_has_the_slope_of_its_own_case_and_epsilon(tmp_path: Path) -> None:
    apply_style()
    parts = [(case, epsilon) for case in ("one", "two") for epsilon in (0.5, 2.0)]
    rows, fits = [], []
    for i, (case, epsilon) in enumerate(parts):
        own = parameters_of(SSPP(epsilon)) | {"case": case}
        rows += [row | own | {"cell": 3 * i + row["cell"]} for row in summary([own]).to_dict("records")]
        fit = {"experiment": "e", "x": "n_public", "low_x": 10.0, "high_x": 100.0, "points": 2, "left_out": 0}
        fit |= {"measure": "population_error", "protects": None}
        fits.append(fit | {"slope": -1.0 - i, "low": -1.2 - i, "high": -0.8 - i, "learner": f"{i}", **own})
    inputs = results(tmp_path, LEARNERS[:1])
    tables.write(tmp_path / "summary.parquet", SUMMARY, [{name: row[name] for name in SUMMARY.names} for row in rows])
    tables.write(tmp_path / "slopes.parquet", SLOPES, fits)
    figure = excess.draw(inputs, x="n_public")
    titles = {axes.get_title().split("\n")[0]: [] for axes in figure.axes}
    for axes in figure.axes:
        titles[axes.get_title().split("\n")[0]].append(axes.get_title())
    for i, (case, epsilon) in enumerate(parts):
        (title,) = [text for text in titles[case] if f"={epsilon:g}" in text]
        assert [f"slope ${-1.0 - j:.2f}" in title for j in range(4)] == [i == j for j in range(4)]
    plt.close(figure)


def test_a_title_gives_the_sizes_that_all_of_its_panel_have(tmp_path: Path) -> None:
    apply_style()
    inputs, rows = results(tmp_path, LEARNERS[:1]), summary(LEARNERS[:1]).to_dict("records")
    for sizes, told_size in (((50, 50, 50), True), ((50, 60, 50), False)):
        changed = [row | {"n": None, "n_private": size} for row, size in zip(rows, sizes, strict=True)]
        shown_rows = [{name: row[name] for name in SUMMARY.names} for row in changed]
        tables.write(tmp_path / "summary.parquet", SUMMARY, shown_rows)
        figure = excess.draw(inputs, x="n_public")
        title = figure.axes[0].get_title()
        assert ("n_{\\mathrm{private}}=50" in title) == told_size
        assert title.count("=") == 1 + told_size, "epsilon, and the size that is the same"
        plt.close(figure)


def test_a_bound_above_1_has_no_entry_in_the_legend_and_is_told(tmp_path: Path) -> None:
    apply_style()
    for vacuous in (False, True):
        frame = summary(LEARNERS[1:2]).assign(vacuous=vacuous, bound=None if vacuous else 0.9)
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        tables.write(tmp_path / "summary.parquet", SUMMARY, rows)
        tables.write(tmp_path / "slopes.parquet", SLOPES, [])
        paths = {name: tmp_path / f"{name}.parquet" for name in ("summary", "slopes")}
        figure = excess.draw(Results(paths), x="n_public")
        (axes,) = figure.axes
        entries = [text.get_text() for text in figure.legends[0].get_texts()]
        assert any("bound" in entry for entry in entries) != vacuous
        assert ("95 % bound: above 1" in axes.get_title()) == vacuous
        plt.close(figure)


def test_every_entry_of_a_legend_is_drawn(tmp_path: Path) -> None:
    apply_style()
    figure = excess.draw(results(tmp_path, LEARNERS), x="n_public")
    drawn = {typeset(line.get_label()) for axes in figure.axes for line in axes.get_lines() if len(line.get_xdata())}
    assert {text.get_text() for text in figure.legends[0].get_texts()} <= drawn
    plt.close(figure)


def grid_results(folder: Path) -> Results:
    """Two learners on a grid of sizes, quantiles 1 / n_public + 10 / n_private, each in five trials."""
    rows, trials = [], []
    for cell, (m, n) in enumerate((m, n) for m in (3, 30, 300) for n in (100, 1000, 10_000)):
        for learner in LEARNERS[1:3]:
            row = summary([learner]).iloc[0].to_dict()
            row |= {"cell": cell, "n_public": m, "n_private": n, "quantile": 1 / m + 10 / n, "bound": None}
            rows.append(row)
            trial = dict.fromkeys(TRIALS.names) | {name: row[name] for name in TRIALS.names if name in row}
            trials += [trial | {"trial": i, "excess": row["quantile"]} for i in range(5)]
    tables.write(folder / "trials.parquet", TRIALS, trials)
    tables.write(folder / "summary.parquet", SUMMARY, rows)
    tables.write(folder / "slopes.parquet", SLOPES, [])
    return Results({name: folder / f"{name}.parquet" for name in ("summary", "slopes", "trials")})


def test_limits_of_a_quantile_are_order_statistics() -> None:
    """Sixty values: the 54th and the largest.  Of fifty, not even the largest is an upper limit."""
    below, above = heat_map._limits(0.05)
    values = pd.Series(np.arange(1, 61) / 100)
    assert (below(values), above(values)) == (0.54, 0.60)
    assert stats.binom.sf(53, 60, 0.95) >= 0.95 > stats.binom.sf(54, 60, 0.95)
    assert above(values[:50]) == 1.0, "no upper limit"
    assert below(values[:0]) == 0.0


def test_heat_map_shows_quantiles_and_the_proven_frontier(tmp_path: Path) -> None:
    from semipriv.papers.abm19.bounds.sizes import excess_bound

    apply_style()
    figure = heat_map.draw(grid_results(tmp_path), {"name": "thresholds"}, [0.2, 0.1])
    panels = [axes for axes in figure.axes if axes.get_xlabel().startswith("public")]
    assert len(panels) == 2
    shown = panels[0].collections[0].get_array()
    assert np.asarray(shown).ravel()[0] == pytest.approx(1 / 3 + 10 / 100)
    assert np.asarray(shown).ravel()[-1] == pytest.approx(1 / 300 + 10 / 10_000)
    for line, level in zip(panels[0].get_lines()[:2], (0.2, 0.1), strict=True):
        m, n = (np.asarray(v) for v in line.get_data())
        assert not np.isfinite(n[0]), "no number of private examples makes up for three public points"
        finite = np.flatnonzero(np.isfinite(n))
        for i in (finite[0], finite[-1]):
            value, before = (excess_bound(int(m[i]), int(k), 1.0, 0.05, 1, np.log(m[i] + 1)) for k in (n[i], n[i] - 1))
            assert value <= level < before
    plt.close(figure)


def test_figures_tell_the_beta_of_their_table(tmp_path: Path) -> None:
    """Every run of the other tests has 0.05: what is written by hand, or taken from elsewhere, would pass there."""
    from semipriv.papers.abm19.bounds.sizes import excess_bound

    apply_style()
    inputs = grid_results(tmp_path)
    rows = [row | {"beta": 0.2} for row in tables.read_rows(tmp_path / "summary.parquet", SUMMARY)]
    tables.write(tmp_path / "summary.parquet", SUMMARY, rows)
    figure = heat_map.draw(inputs, {"name": "thresholds"}, [0.2])
    assert any(axes.get_ylabel().startswith("80 % quantile") for axes in figure.axes)
    m, n = (np.asarray(v) for v in figure.axes[0].get_lines()[0].get_data())
    last = np.flatnonzero(np.isfinite(n))[-1]
    value, before = (
        excess_bound(int(m[last]), int(k), 1.0, 0.2, 1, np.log(m[last] + 1)) for k in (n[last], n[last] - 1)
    )
    assert value <= 0.2 < before
    plt.close(figure)
    curve = [row | {"bound": 0.9} for row in rows if row["n_private"] == 100]
    tables.write(tmp_path / "summary.parquet", SUMMARY, curve)
    figure = excess.draw(inputs, x="n_public")
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert "bound, explicit constants, 80 %" in labels
    assert sum("80 % quantile" in text for text in labels) == 1
    assert not any("95 %" in text for text in labels)
    plt.close(figure)


def test_growth_tells_the_slope_of_the_papers_learner(tmp_path: Path) -> None:
    apply_style()
    inputs = results(tmp_path, LEARNERS[1:3])
    fit = {"experiment": "e", "x": "n_public", "low_x": 10.0, "high_x": 90.0, "points": 2, "left_out": 0}
    fit |= {"measure": "population_error", "protects": None}
    fit |= {"low": -3.0, "high": 0.0}
    variant, own = {"learner": "a", "slope": -2.5, **LEARNERS[2]}, {"learner": "b", "slope": -0.75, **LEARNERS[1]}
    other = own | {"case": "another", "slope": -1.5}
    tables.write(
        tmp_path / "slopes.parquet", SLOPES, [fit | other, *(fit | {"case": "all"} | f for f in (variant, own))]
    )
    figure = growth.draw(inputs)
    labels = [line.get_label() for line in figure.axes[0].get_lines()]
    assert "all, $d=2$, slope -0.75" in labels
    assert sum("slope" in label for label in labels) == 1
    plt.close(figure)


def test_growth_divides_by_the_dimension(tmp_path: Path) -> None:
    apply_style()
    figure = growth.draw(results(tmp_path, LEARNERS[1:3]))
    left, right = figure.axes
    assert np.allclose(left.get_lines()[0].get_ydata(), [0.1, 0.01, 0.001])
    assert np.allclose(right.get_lines()[0].get_ydata(), 0.5), "mean n / d with mean 1 / n and d = 2"
    plt.close(figure)
