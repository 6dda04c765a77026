"""Labels alone are private: an exact audit in which the private points make the cover, beside its negative control."""

import numpy as np
import pytest

from semipriv.audit.exact import audited_privacy_loss, examples, outcomes
from semipriv.classes.thresholds import Thresholds
from semipriv.core.randomness import Simulation
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.sums.by_label import release_by_label
from semipriv.privacy.budget.filter import Budget
from semipriv.privacy.budget.ledger import Ledger, LedgerError
from semipriv.privacy.events import Pure
from semipriv.privacy.guarantee import Guarantee, Neighbours, by_label
from semipriv.privacy.slots import DataSets

DOMAIN = np.array([[0.1], [0.4], [0.8]])
LEARNER = SSPP(0.7)


def distribution(data):
    """Exact, of both stages on the points of the data."""
    points, labels = (np.array(part) for part in zip(*data, strict=True))
    return outcomes(LEARNER.output_distribution(LEARNER.prepare(points, Thresholds()), points, labels.astype(np.int8)))


def test_labels_have_the_epsilon_and_points_have_none() -> None:
    """All data sets of three examples.  The control, the same for replaced examples, tells points with certainty."""
    data_sets = DataSets(examples(DOMAIN), 3)
    honest = audited_privacy_loss(distribution, by_label(LEARNER.guarantee), data_sets)
    assert honest.within_claim
    assert 0.45 * 0.7 < honest.loss <= 0.7 * (1 + 1e-9)
    control = audited_privacy_loss(distribution, LEARNER.guarantee, data_sets)
    assert not control.within_claim
    assert control.loss == np.inf


def test_a_release_is_that_of_both_stages_with_a_guarantee_for_labels() -> None:
    points, labels = np.linspace(0, 1, 40)[:, None], (np.arange(40) > 17).astype(np.int8)
    released = release_by_label(LEARNER, Thresholds(), points, labels, Simulation(3))
    same = LEARNER.release(LEARNER.prepare(points, Thresholds()), points, labels, Simulation(3))
    np.testing.assert_equal(dict(released.output.arrays()), dict(same.output.arrays()))
    assert released.guarantee == Guarantee(0.7, 0.0, Neighbours.REPLACE_LABEL)


def test_only_replaced_examples_imply_replaced_labels() -> None:
    for relation in Neighbours:
        if relation is not Neighbours.REPLACE_PRIVATE_EXAMPLE:
            with pytest.raises(ValueError, match=f"neighbours: {relation.value} does not imply"):
                by_label(Guarantee(1.0, 0.0, relation))


def test_a_ledger_does_not_mix_labels_and_rows(tmp_path) -> None:
    ledger = Ledger.create(tmp_path / "rows.jsonl", Budget(1))
    with pytest.raises(LedgerError, match="is for neighbours replace_private_example"):
        ledger.reserve({"release": "a"}, Pure(0.5), Neighbours.REPLACE_LABEL)
