"""Designs: how samples are drawn and tables split, and which design an experiment has."""

from typing import ClassVar

import numpy as np
import pytest
from attrs import frozen

from semipriv import registry
from semipriv.designs import _inference
from semipriv.designs._inference import design_of, designs, inferred, size_keys, sizes_in_columns
from semipriv.designs.base import Design, Parts, Ranges, Recipe, size
from semipriv.designs.mixed import Mixed
from semipriv.designs.separate import Separate
from semipriv.distributions.problem import Distribution
from semipriv.randomness import Simulation
from semipriv.samples import MixedSample, Sample

LAW = {"marginal": {"name": "uniform"}, "labeling": {"name": "realizable", "target": 0.3}}
STREAM = Simulation(5).spawn("a", 2)


@frozen
class PartlyLabelled(Design):
    """What a paper to come needs: labelled and unlabelled examples, all of them private."""

    statuses: ClassVar[bool] = False
    axes: ClassVar[tuple[str, ...]] = ("n_labelled", "n_unlabelled")
    title: ClassVar[str] = "partly labelled samples"
    refusal: ClassVar[str] = "all examples are private"

    n_labelled: int = size("n_labelled", "number of labelled examples")
    n_unlabelled: int = size("n_unlabelled", "number of unlabelled examples")

    def draw(self, distribution: Distribution, stream: Simulation, materialise: int) -> tuple[Sample, Sample | Recipe]:
        return distribution.public_sample(0, stream), Recipe(self.n_labelled + self.n_unlabelled, stream)

    def split(self, sample: MixedSample, ranges: Ranges | None, stream: Simulation) -> Parts:
        raise NotImplementedError


def test_designs_are_the_files_of_the_room() -> None:
    assert set(designs()) == {Mixed, Separate}
    assert registry.names("designs") == ["mixed", "separate"]
    assert size_keys() == ("n", "n_private", "n_public")


@pytest.mark.parametrize("design", designs())
def test_every_design_says_what_it_is(design: type[Design]) -> None:
    assert list(design.meanings()) == [key for key in size_keys() if key in design.meanings()][::-1]
    assert all(design.meanings().values())
    assert set(design.axes) & design.meanings().keys()
    assert design.title
    assert design.refusal


@pytest.mark.parametrize(("value", "message"), [(0, "must be >= 1"), (2.5, "must be an integer"), (True, "a number")])
def test_sizes_are_integers_of_at_least_one(value: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"n_public = {value}: must be .*{message.removeprefix('must be ')}"):
        Separate(value, 3)
    with pytest.raises(ValueError, match=f"n = {value}: "):
        Mixed(value)
    assert Separate(1e3, 4).sizes == {"n_public": 1000, "n_private": 4}


def test_separate_samples_have_streams_of_their_own() -> None:
    law = Distribution.from_config(LAW)
    public, private = Separate(4, 6).draw(law, STREAM, materialise=6)
    for found, name, n in ((public, "public", 4), (private, "private", 6)):
        expected = law.public_sample(n, STREAM.spawn(name))
        np.testing.assert_array_equal(found.points, expected.points)
        np.testing.assert_array_equal(found.labels, expected.labels)
    same, recipe = Separate(4, 7).draw(law, STREAM, materialise=6)
    np.testing.assert_array_equal(same.points, public.points)
    assert recipe == Recipe(7, STREAM.spawn("private"))


def test_mixed_samples_are_drawn_at_once_and_never_become_recipes() -> None:
    law = Distribution.from_config({**LAW, "privacy": {"name": "by_label", "zero": 0.5, "one": 1}})
    public, private = Mixed(50).draw(law, STREAM, materialise=0)
    expected = law.mixed_sample(50, STREAM.spawn("mixed"))
    np.testing.assert_array_equal(public.points, expected.public_examples.points)
    np.testing.assert_array_equal(private.points, expected.private_examples.points)
    assert len(public) + len(private) == 50


@pytest.mark.parametrize(("design", "total"), [(Separate(3, 4), 7), (Mixed(7), 7)])
def test_a_table_is_split_by_one_permutation(design: Design, total: int) -> None:
    rng = np.random.default_rng(0)
    sample = MixedSample(rng.normal(size=(12, 2)), rng.integers(0, 2, 12), rng.integers(0, 2, 12))
    parts = design.split(sample, [(0.0, 2.0), (-1.0, 3.0)], STREAM)
    order = STREAM.spawn("split").generator.permutation(12)
    assert parts.held.tolist() == order[total:].tolist()
    assert sorted([*parts.public, *parts.private]) == sorted(order[:total])
    if isinstance(design, Separate):
        np.testing.assert_array_equal(parts.centre, sample.points[parts.public].mean(axis=0))
        np.testing.assert_array_equal(parts.scale, sample.points[parts.public].std(axis=0))
    else:
        assert (parts.centre.tolist(), parts.scale.tolist()) == ([0.0, -1.0], [2.0, 4.0])
        assert sample.private[parts.private].all()
        assert not sample.private[parts.public].any()
    with pytest.raises(ValueError, match=f"= {total}: must leave rows of the table's {total} to hold out"):
        design.check_held_out(total)
    design.check_held_out(total + 1)


def test_a_feature_that_is_constant_on_public_rows_keeps_its_unit() -> None:
    """Division by its deviation, which is 0, would make no number of it."""
    points = np.column_stack([np.arange(9.0), np.full(9, 5.0)])
    parts = Separate(3, 4).split(MixedSample(points, np.zeros(9, int), np.zeros(9, int)), None, STREAM)
    assert parts.scale[0] > 0
    assert parts.scale[1] == 1


def test_the_design_suits_the_data_and_the_sizes_that_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    assert inferred(["n"], statuses=True) is Mixed
    assert inferred(["n_public", "n_private"], statuses=True) is Mixed, (
        "sizes of parts that are random are refused later"
    )
    assert inferred([], statuses=False) is Separate
    assert design_of({"n": 30, "class": {}}, statuses=True) == Mixed(30)
    assert sizes_in_columns(Mixed(30)) == {"n": 30, "n_public": None, "n_private": None}
    three = (Mixed, PartlyLabelled, Separate)
    monkeypatch.setattr(_inference, "designs", lambda: three)
    assert inferred(["n_public"], statuses=False) is Separate
    assert inferred(["n_unlabelled", "n_labelled"], statuses=False) is PartlyLabelled
    with pytest.raises(ValueError, match=r"sizes: give n_labelled and n_unlabelled, or n_public and n_private"):
        inferred([], statuses=False)
