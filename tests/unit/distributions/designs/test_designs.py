"""Designs: how samples are drawn and tables split, and which design an experiment has."""

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.core.samples import MixedSample
from semipriv.distributions.designs._inference import design_of, inferred, size_keys, sizes_in_columns
from semipriv.distributions.designs.base import Design, Recipe
from semipriv.distributions.designs.mixed import Mixed
from semipriv.distributions.designs.partly_labelled import PartlyLabelled
from semipriv.distributions.designs.separate import Separate
from semipriv.distributions.problem import Distribution

DISTRIBUTION = {"marginal": {"name": "uniform"}, "labeling": {"name": "realizable", "target": 0.3}}
STREAM = Simulation(5).spawn("a", 2)


def test_sizes_are_integers_and_an_unlabelled_part_may_be_empty() -> None:
    assert PartlyLabelled(1e3, 0).sizes == {"n_labelled": 1000, "n_unlabelled": 0}
    assert Separate(1e3, 4).sizes == {"n_public": 1000, "n_private": 4}


def test_separate_samples_have_streams_of_their_own() -> None:
    distribution = Distribution.from_config(DISTRIBUTION)
    public, private = Separate(4, 6).draw(distribution, STREAM, materialise=6)
    for sample, name, n in ((public, "public", 4), (private, "private", 6)):
        expected = distribution.public_sample(n, STREAM.spawn(name))
        np.testing.assert_array_equal(sample.points, expected.points)
        np.testing.assert_array_equal(sample.labels, expected.labels)
    same, recipe = Separate(4, 7).draw(distribution, STREAM, materialise=6)
    np.testing.assert_array_equal(same.points, public.points)
    assert recipe == Recipe(7, STREAM.spawn("private"))


def test_mixed_samples_are_drawn_at_once_and_never_become_recipes() -> None:
    distribution = Distribution.from_config({**DISTRIBUTION, "privacy": {"name": "by_label", "zero": 0.5, "one": 1}})
    public, private = Mixed(50).draw(distribution, STREAM, materialise=0)
    expected = distribution.mixed_sample(50, STREAM.spawn("mixed"))
    np.testing.assert_array_equal(public.points, expected.public_examples.points)
    np.testing.assert_array_equal(private.points, expected.private_examples.points)
    assert len(public) + len(private) == 50


def test_partly_labelled_samples_have_no_public_example_and_draw_the_unlabelled_ones_later() -> None:
    distribution = Distribution.from_config({**DISTRIBUTION, "shift": {"name": "region", "sigma": 0.25}})
    public, private = PartlyLabelled(4, 10**12).draw(distribution, STREAM, materialise=4)
    assert public.points.shape == (0, 1)
    expected = distribution.private_sample(4, STREAM.spawn("labelled"))
    np.testing.assert_array_equal(private.labelled.points, expected.points)
    np.testing.assert_array_equal(private.labelled.labels, expected.labels)
    assert private.unlabelled == Recipe(10**12, STREAM.spawn("unlabelled"))
    _, private = PartlyLabelled(5, 0).draw(distribution, STREAM, materialise=4)
    assert private.labelled == Recipe(5, STREAM.spawn("labelled"))


@pytest.mark.parametrize(("design", "total"), [(Separate(3, 4), 7), (Mixed(7), 7), (PartlyLabelled(3, 4), 7)])
def test_a_table_is_split_by_one_permutation(design: Design, total: int) -> None:
    rng = np.random.default_rng(0)
    sample = MixedSample(rng.normal(size=(12, 2)), rng.integers(0, 2, 12), rng.integers(0, 2, 12))
    parts = design.split(sample, [(0.0, 2.0), (-1.0, 3.0)], STREAM)
    order = STREAM.spawn("split").generator.permutation(12)
    assert parts.held.tolist() == order[total:].tolist()
    unlabelled = [] if parts.unlabelled is None else [*parts.unlabelled]
    assert sorted([*parts.public, *parts.private, *unlabelled]) == sorted(order[:total])
    assert (parts.centre.tolist(), parts.scale.tolist()) == ([0.0, -1.0], [2.0, 4.0])
    if isinstance(design, Separate):
        parts = design.split(sample, None, STREAM)
        np.testing.assert_array_equal(parts.centre, sample.points[parts.public].mean(axis=0))
        np.testing.assert_array_equal(parts.scale, sample.points[parts.public].std(axis=0))
    if isinstance(design, PartlyLabelled):
        assert (len(parts.public), len(parts.private), len(parts.unlabelled)) == (0, 3, 4)
    if isinstance(design, Mixed):
        assert sample.private[parts.private].all()
        assert not sample.private[parts.public].any()
    with pytest.raises(ValueError, match=f"= {total}: must leave rows of the table's {total} to hold out"):
        design.check_held_out(total)
    design.check_held_out(total + 1)


def test_with_a_group_of_public_rows_one_of_the_others_is_left_to_hold_out() -> None:
    design = Separate(3, 4)
    assert design.held_out(12, 7) == 1
    design.check_held_out(12, 7)
    with pytest.raises(ValueError, match="n_private = 4: must leave rows of the table's 4 rows outside the public"):
        design.check_held_out(11, 7)
    design.check_held_out(12, 3)
    with pytest.raises(ValueError, match="n_public = 3: must be at most 2, the rows of the public group"):
        design.check_held_out(12, 2)


def test_a_feature_that_is_constant_on_public_rows_keeps_its_unit() -> None:
    """Division by its deviation, which is 0, would make no number of it."""
    points = np.column_stack([np.arange(9.0), np.full(9, 5.0)])
    parts = Separate(3, 4).split(MixedSample(points, np.zeros(9, int), np.zeros(9, int)), None, STREAM)
    assert parts.scale[0] > 0
    assert parts.scale[1] == 1


def test_the_design_suits_the_data_and_the_sizes_that_are_given() -> None:
    assert inferred(["n"], statuses=True) is Mixed
    assert inferred(["n_public", "n_private"], statuses=True) is Mixed, (
        "sizes of parts that are random are refused later"
    )
    assert design_of({"n": 30, "class": {}}, statuses=True) == Mixed(30)
    assert sizes_in_columns(Mixed(30)) == {**dict.fromkeys(size_keys()), "n": 30}
    assert inferred(["n_public"], statuses=False) is Separate
    assert inferred(["n_unlabelled", "n_labelled"], statuses=False) is PartlyLabelled
