"""Properties of every class of real-valued functions.  A new file in regressors/ is picked up by itself."""

import numpy as np
import pytest

from semipriv.classes.regressors.base import Regressor, Regressors
from semipriv.core import registry

NAMES = registry.names("regressors")
CLASSES = [h for name in NAMES for h in registry.load("regressors", name).examples()]

over_classes = pytest.mark.parametrize("h", CLASSES, ids=repr)


def some(h: Regressors) -> tuple[np.ndarray, np.ndarray]:
    """Functions and points of a class, by clipping."""
    generator = np.random.default_rng(0)
    points = h.clipped(3 * generator.standard_normal((9, h.dimension)))
    listed = h.listed()
    if listed is not None:
        return listed, points
    drawn = generator.standard_normal((6, h.width))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True), points


@pytest.mark.parametrize("name", NAMES)
def test_every_class_has_an_example(name: str) -> None:
    assert registry.load("regressors", name).examples()


@over_classes
def test_classes_are_built_again_from_their_specification(h: Regressors) -> None:
    assert registry.specified(h.specification()) == h
    assert hash(h) == hash(registry.specified(h.specification()))


@over_classes
def test_values(h: Regressors) -> None:
    """In [-1, 1], of each function by itself; of a ball they are products with features, and no ball has a list."""
    parameters, points = some(h)
    h.check_parameters(parameters)
    values = h.values(parameters, points)
    assert values.shape == (len(parameters), 9)
    assert np.all(np.abs(values) <= 1)
    for i, row in enumerate(parameters):
        np.testing.assert_allclose(h.values(row[None], points)[0], values[i], atol=1e-15)
    features = h.features(points)
    assert features is None or h.listed() is None
    if features is not None:
        assert np.all(np.linalg.norm(features, axis=1) <= 1 + 1e-9)
        np.testing.assert_allclose(parameters @ features.T, values, atol=1e-12)
    mean = Regressor(h, parameters, np.full(len(parameters), 1 / len(parameters)))
    np.testing.assert_allclose(mean.predict(points), values.mean(axis=0), atol=1e-15)


@over_classes
def test_clipped_points_are_in_the_domain(h: Regressors) -> None:
    """From wherever they come, without a warning; points of the domain stay where they are."""
    far = np.array([[0.0], [1.0], [-1.0], [0.3], [1e308], [-1e308], [5e-324], [1e9]]) * np.ones((1, h.dimension))
    with np.errstate(all="raise", under="ignore"):
        inside = h.clipped(far)
    np.testing.assert_array_equal(h.validated(inside), inside)
    np.testing.assert_array_equal(h.clipped(inside), inside)
    assert np.isfinite(inside).all()


@over_classes
def test_points_and_parameters_outside_are_named(h: Regressors) -> None:
    """Of a class that takes all finite numbers, those that are not finite."""
    parameters, points = some(h)
    far = np.full((1, h.dimension), 7e5)
    everywhere = np.array_equal(h.clipped(far), far)
    with pytest.raises(ValueError, match="public points: row 9"):
        h.validated(np.vstack([points, np.nan * far if everywhere else far]), "public points")
    outside = np.full((1, h.width), np.nan if everywhere else 1e6)
    with pytest.raises(ValueError, match=f"given: row {len(parameters)}"):
        h.check_parameters(np.vstack([parameters, outside]), "given")
