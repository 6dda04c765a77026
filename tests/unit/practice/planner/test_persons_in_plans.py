"""Comparisons of learners on a table of visits: sizes are numbers of persons, who are drawn with all their rows."""

import numpy as np
import pandas as pd
import pytest

from semipriv.classes.thresholds import Thresholds
from semipriv.cli import main
from semipriv.core.persons import Persons
from semipriv.core.randomness import Simulation
from semipriv.core.tables import TableError
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.papers.bns15.learners.generic_learner import GenericLearner
from semipriv.practice.planner.answer import comparison_text
from semipriv.practice.planner.compare import compare, refusal
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.plan import plan_sizes
from semipriv.practice.planner.population import Population, read_population
from semipriv.practice.planner.trials import excess

ATOMS = np.array([[0.0], [0.1], [0.2], [0.9]])
VISITS = Population(Thresholds(), "visits", ATOMS, Persons.of(["often", "often", "often", "once"]))


def test_a_row_is_one_of_a_random_person() -> None:
    """A person with three of four rows is met as often as one with a single row."""
    assert VISITS.weights is not None
    np.testing.assert_allclose(VISITS.weights, [1 / 6, 1 / 6, 1 / 6, 1 / 2])
    rows = VISITS.rows(20_000, Simulation(0))
    np.testing.assert_allclose(np.bincount(rows, minlength=4) / 20_000, VISITS.weights, atol=0.02)


def test_persons_are_drawn_with_all_their_rows() -> None:
    rows, persons = VISITS.visits(50, Simulation(1))
    assert persons.count == 50
    for seed in range(50):
        assert rows[persons.place == seed].tolist() in ([0, 1, 2], [3])
    assert len(set(persons.names)) == 50, "who is drawn twice is two persons"


def test_the_excess_error_counts_persons() -> None:
    """Nothing is learned from a public point at 0 alone: the error is the mass of what differs from the target."""
    errors = {round(excess(VISITS, FixedGrid(0.01), {"n_private": 1}, 0.0, Simulation(seed)), 9) for seed in range(60)}
    assert errors <= {round(error, 9) for error in np.arange(7) / 6}
    assert errors & {round(1 / 6, 9), round(1 / 3, 9)}


def test_a_comparison_speaks_of_persons() -> None:
    compared = compare(Scenario(VISITS), [SSPP(1.0)], 0.4, 0.3, n_public=20, most=500)
    text = comparison_text(compared)
    assert text.startswith("Persons for an excess error")
    assert "replace person" in text
    assert "private example" not in text
    assert compared.to_dict()["rows"][0]["neighbours"] == "replace_person"
    assert compared.to_dict()["simulation"]["persons"] == 2


def test_learners_without_persons_are_left_out_with_the_reason() -> None:
    message = refusal(Scenario(VISITS), GenericLearner.examples()[0], 5)
    assert message is not None
    with pytest.raises(ValueError, match="persons: are simulated by"):
        plan_sizes(Thresholds(), 0.3, 0.1, 1.0, scenario=Scenario(VISITS))


def test_a_public_table_of_visits_is_read(tmp_path, capsys) -> None:
    table = pd.DataFrame({"patient": ["a", "a", "b"], "age": [0.1, 0.2, 0.9], "weight": [1.5, 2.5, 3.5]})
    table.to_csv(tmp_path / "visits.csv", index=False)
    table.to_parquet(tmp_path / "visits.parquet")
    population = read_population(Thresholds(), tmp_path / "visits.csv", ["age"], ["patient"])
    assert population.persons is not None
    assert population.persons.rows.tolist() == [2, 1]
    with pytest.raises(TableError, match="has the type double"):
        read_population(Thresholds(), tmp_path / "visits.parquet", ["age"], ["weight"])
    with pytest.raises(TableError, match="column 'nobody' is missing"):
        read_population(Thresholds(), tmp_path / "visits.csv", ["age"], ["nobody"])
    asked = ["compare", "--class", "thresholds", "--alpha", "0.4", "--beta", "0.3", "--epsilon", "1"]
    asked += ["--learners", "sspp", "--n-public", "9", "--most", "200", "--person", "patient"]
    assert main([*asked, "--public", str(tmp_path / "visits.csv"), "--features", "age"]) == 0
    assert "3 rows of 2 persons" in capsys.readouterr().out
    assert main(asked) == 2
    assert "--person: names columns of --public" in capsys.readouterr().err
