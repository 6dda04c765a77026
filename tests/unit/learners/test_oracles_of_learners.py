"""Learners that ask an oracle refuse the classes that it refuses, before any work."""

import pytest

from semipriv.classes.base import HypothesisClass
from semipriv.core import registry
from semipriv.learners.base import Learner
from semipriv.learners.oracles.base import oracle

ASKING = [
    registry.load("learners", name)
    for name in registry.names("learners")
    if "oracle" in registry.fields_of(registry.load("learners", name).examples()[0])
]
CLASSES = [example for name in registry.names("classes") for example in registry.load("classes", name).examples()]


@pytest.mark.parametrize("asked", registry.names("oracles"))
@pytest.mark.parametrize("learner", ASKING, ids=lambda learner: learner.__name__)
def test_a_class_that_the_oracle_refuses_is_refused(learner: type[Learner], asked: str) -> None:
    computed_learner = learner(**registry.parameters(learner.examples()[0]) | {"oracle": asked})
    refused = [h for h in CLASSES if refuses(oracle(asked).check, h)]
    assert all(refuses(computed_learner.check, h) for h in refused)


def refuses(check, h: HypothesisClass) -> bool:
    try:
        check(h)
    except ValueError:
        return True
    return False


def test_some_oracles_refuse_some_classes() -> None:
    assert len(ASKING) >= 2
    assert not all(refuses(learner.examples()[0].check, h) for learner in ASKING for h in CLASSES)
    assert any(refuses(oracle(name).check, h) for name in registry.names("oracles") for h in CLASSES)
