"""Validated points and labels: shapes, types, and the row and feature that refusals name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from semipriv.core.samples import MixedSample, Sample, StatusModel, as_labels, as_points, distinct

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=5), elements=FLOATS))
def test_points_keep_values_and_shape(values):
    points = as_points(values)
    assert points.dtype == np.float64
    assert points.shape == values.shape
    np.testing.assert_array_equal(points, values)
    assert not np.any(np.signbit(points) & (points == 0))
    assert as_points(values, values.shape[1]).tolist() == points.tolist()


def test_a_flat_list_is_one_feature():
    assert as_points([1, 2, 3]).shape == (3, 1)
    assert as_points([]).shape == (0, 1)
    assert as_points([], 2).shape == (0, 2)
    assert as_points(np.array([3], np.int8)).dtype == np.float64


def test_validation_copies():
    values = np.ones((2, 2))
    as_points(values)[0, 0] = 7.0
    assert values[0, 0] == 1.0


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 3)), elements=FLOATS),
    st.sampled_from([np.nan, np.inf, -np.inf]),
    st.data(),
)
def test_the_first_value_that_is_not_finite_is_named(values, bad, data):
    row = data.draw(st.integers(0, values.shape[0] - 1))
    column = data.draw(st.integers(0, values.shape[1] - 1))
    values[row, column] = bad
    values[row + 1 :] = np.nan
    with pytest.raises(ValueError, match=f"private: row {row}, feature {column} = {bad}: must be finite"):
        as_points(values, name="private")


@pytest.mark.parametrize("values", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True], np.array([0, 1, 1], np.uint8)])
def test_labels_of_any_number_type(values):
    labels = as_labels(values)
    assert labels.dtype == np.int8
    assert labels.tolist() == [0, 1, 1]


def test_no_example_is_a_sample():
    sample = Sample(np.empty((0, 2)), [])
    assert len(sample) == 0
    assert sample.points.shape == (0, 2)
    assert sample.labels.dtype == np.int8


@given(
    hnp.arrays(float, st.tuples(st.integers(0, 8), st.integers(1, 3)), elements=st.sampled_from([-1.5, -0.0, 0.0, 2.0]))
)
def test_distinct_points_are_the_set_in_lexicographic_order(values):
    expected = sorted({tuple(row) for row in (values + 0.0).tolist()})
    kept = distinct(as_points(values))
    assert kept.shape == (len(expected), values.shape[1])
    assert [tuple(row) for row in kept.tolist()] == expected


ALLOWED = {
    StatusModel.LABEL_DETERMINED: {(0, False), (1, True)},
    StatusModel.PRIVATE_ONES: {(0, False), (1, False), (1, True)},
    StatusModel.ANY: {(0, False), (1, False), (0, True), (1, True)},
}


@pytest.mark.parametrize("model", StatusModel)
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("private", [False, True])
def test_models_allow_their_pairs_and_name_the_row_of_another(model, label, private):
    good = next(iter(ALLOWED[model]))
    labels, statuses = [good[0], label, good[0]], [good[1], private, good[1]]
    points = [[0.0], [1.0], [2.0]]
    if (label, private) in ALLOWED[model]:
        assert len(MixedSample(points, labels, statuses, model)) == 3
        return
    status = "private" if private else "public"
    with pytest.raises(ValueError, match=f"mixed sample: row 1 is {status} with label {label}: under {model.value} "):
        MixedSample(points, labels, statuses, model)


def test_models_stand_in_the_order_of_what_they_allow():
    for wide in StatusModel:
        for narrow in StatusModel:
            assert wide.includes(narrow) == (ALLOWED[narrow] <= ALLOWED[wide])


def test_parts_of_a_mixed_sample_keep_order_and_labels():
    sample = MixedSample([[1.0], [2.0], [3.0], [4.0]], [1, 0, 1, 1], [1, 0, 0, 1])
    assert sample.private.dtype == bool
    assert sample.model is StatusModel.ANY
    assert sample.private_examples.points.tolist() == [[1.0], [4.0]]
    assert sample.private_examples.labels.tolist() == [1, 1]
    assert sample.public_examples.points.tolist() == [[2.0], [3.0]]
    assert sample.public_examples.labels.tolist() == [0, 1]
