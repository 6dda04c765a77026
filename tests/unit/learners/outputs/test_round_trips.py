"""Every kind of output comes back from disk as it was: each array in its own place, no two of them equal."""

import numpy as np
import pytest
from numpy.random import default_rng

from semipriv.classes.base import Hypothesis
from semipriv.classes.classifiers.base import Classifier
from semipriv.classes.classifiers.linear_rules import LinearRules
from semipriv.classes.intervals import Intervals
from semipriv.classes.regressors.base import Regressor
from semipriv.classes.regressors.linear_ball import LinearBall
from semipriv.core import registry
from semipriv.learners.outputs.answers import Answers
from semipriv.learners.outputs.base import described, restored
from semipriv.learners.outputs.grown_rows import GrownRows
from semipriv.learners.outputs.report import Report
from semipriv.learners.outputs.synthetic_data import SyntheticData
from semipriv.learners.outputs.synthetic_rows import SyntheticRows
from semipriv.learners.outputs.transcript import Transcript
from semipriv.learners.outputs.weighted_rows import WeightedRows
from semipriv.learners.stages.representative_domain import RepresentativeDomain
from semipriv.learners.statistics.asked import Asked
from semipriv.privacy.guarantee import Output
from semipriv.queries.schema import Column, Schema
from semipriv.queries.unit_mass import Number, ReportSchema

SCHEMA = Schema({"a": 2, "b": ["x", "y", "z"]})
ROWS = np.array([[0, 0], [1, 2], [0, 1]])


def answers() -> Answers:
    domain = RepresentativeDomain().prepare(np.array([[1.0], [2.0]]), Intervals())
    shares = default_rng(1).random(len(domain.cover))
    weights = default_rng(2).dirichlet(np.ones(len(domain.representatives)))
    return Answers(domain.cover, domain.representatives, shares, weights, "01")


GROWN = GrownRows(
    SCHEMA,
    ROWS,
    [0.2, 0.5, 0.3],
    [0.4, 0.6, 0.0],
    np.array([[0, 1], [1, -1]]),
    origins=np.array([0, 0, 2], np.int8),
    values=np.array([5, -1, 3, 7, 0, 2, 9, 4, 1]),
    scales=np.array([1.5, 2.5]),
    noise="laplace",
    n=16,
    kappa=3.0,
)
REPORT = Report(
    ReportSchema([Column("a", 2), Number("v", 0, 10, missing=True)]),
    (Asked("mean", "v", ("a",)), Asked("quantiles", "v", (), (0.5,))),
    place=np.array([0, 0, 1]),
    level=np.array([np.nan, np.nan, 0.5]),
    cell=np.array([0, 1, 0]),
    values=np.array([1.5, np.nan, 4.0]),
    low=np.array([1.0, 0.0, np.nan]),
    high=np.array([2.0, 10.0, np.nan]),
    noise_sd=np.array([0.25, np.nan, np.nan]),
    kinds=np.array([0, 0, 1], np.int8),
    tables=(("a", "v"),),
    noisy=np.array([3.5, 1.25, 0.5, 2.0, 6.0, -1.0]),
    masses=np.array([1000.0]),
    scales=np.array([20.5]),
    noise="laplace",
    ends={"v": (0.5, 9.5)},
    n=12,
    units=4,
    interval=0.9,
)
OUTPUTS: dict[str, Output] = {
    "classifier": Classifier(LinearRules(1, 2), np.array([0.5, -1.0, 0.25, 3.0])),
    "grown_rows": GROWN,
    "hypothesis": Hypothesis(Intervals(), np.array([0.25, 0.75])),
    "answers": answers(),
    "report": REPORT,
    "regressor": Regressor(LinearBall(2), np.array([[0.5, 0.25], [-0.1, 0.7], [0.0, 1.0]]), np.array([0.2, 0.5, 0.3])),
    "synthetic_data": SyntheticData(Intervals(), np.array([[3.0], [1.0]]), "01"),
    "synthetic_rows": SyntheticRows(SCHEMA, ROWS),
    "transcript": Transcript(Intervals(), np.array([0.25, 0.75]), np.array([4, 2, 7])),
    "weighted_rows": WeightedRows(SCHEMA, ROWS, [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], np.array([[0, 1], [0, 1]])),
}


def test_each_kind_has_an_example() -> None:
    public = [name for name in registry.names("outputs") if name != "base"]
    assert sorted(OUTPUTS) == sorted(public)
    assert all(output.kind == name for name, output in OUTPUTS.items())


@pytest.mark.parametrize("kind", OUTPUTS)
def test_an_output_comes_back(kind: str) -> None:
    before = OUTPUTS[kind]
    after = restored(described(before), before.arrays())
    assert type(after) is type(before)
    assert described(after) == described(before)
    assert after.arrays().keys() == before.arrays().keys()
    for name, array in before.arrays().items():
        np.testing.assert_array_equal(after.arrays()[name], array, strict=True)


def test_the_public_rows_alone_were_not_measured() -> None:
    """What stands beside an output has the public shares as weights, and no marginal of private rows."""
    output = OUTPUTS["weighted_rows"]
    assert isinstance(output, WeightedRows)
    assert output.public.weights.tolist() == output.public.prior.tolist() == [0.1, 0.3, 0.6]
    assert not len(output.public.measured)
    assert output.public.answer("a").tolist() == pytest.approx([0.7, 0.3])
