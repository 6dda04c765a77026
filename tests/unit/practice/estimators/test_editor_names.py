"""What an editor completes is what the registry knows."""

import re
from typing import get_args, get_type_hints

import attrs
import pytest

from semipriv.core import registry, rooms
from semipriv.mechanisms.selection.base import SelectionName
from semipriv.practice.estimators import names
from semipriv.practice.estimators.classifier import SemiPrivateClassifier
from semipriv.practice.estimators.regressor import SemiPrivateRegressor

ESTIMATORS = [
    (SemiPrivateClassifier, names.ClassifyingName, names.LabellingName),
    (SemiPrivateRegressor, names.RegressingName, names.RespondingName),
]
PARAMETERS = get_type_hints(names.LearnerParameters)


@pytest.mark.parametrize(("estimator", "learners", "functions"), ESTIMATORS)
def test_names_are_those_of_the_registry(estimator, learners, functions) -> None:
    kinds = {name: registry.load("learners", name).output_kind for name in registry.names("learners")}
    assert sorted(get_args(learners)) == [name for name, kind in kinds.items() if kind in estimator.output_kinds]
    classes = {name for room in rooms.of("class", estimator.gives) for name in registry.names(room)}
    assert set(get_args(functions)) == classes
    hints = get_type_hints(estimator.__init__)
    assert learners in get_args(hints["learner"])
    assert names.LearnerParameters in get_args(hints["learner_parameters"])


def allowed(example, field: str) -> set[str]:
    """The words that a parameter takes, as its refusal lists them; none for a parameter of another kind."""
    try:
        attrs.evolve(example, **{field: "no such word"})
    except registry.UnknownNameError as error:
        match = re.search(r"allowed: (.*?)\)", str(error))
        return set() if "needs a 'name'" in str(error) else set(match[1].split(", "))
    except (ValueError, TypeError):
        pass
    return set()


def test_parameters_and_their_words_are_those_of_the_learners() -> None:
    met, words = {"epsilon"}, {}
    for name in [*get_args(names.ClassifyingName), *get_args(names.RegressingName)]:
        for example in registry.load("learners", name).examples():
            for field in registry.fields_of(example):
                met.add(field)
                words.setdefault(field, set()).update(allowed(example, field))
    assert met == {"epsilon", *PARAMETERS}
    assert {"mechanism", "representative", "method", "oracle"} <= {field for field, known in words.items() if known}
    for field, known in words.items():
        hint = PARAMETERS.get(field)
        literal = set(get_args(hint)) if known and all(isinstance(value, str) for value in get_args(hint)) else set()
        assert literal in (known, set()), field
        assert literal or not known or field == "constants", field
    assert set(get_args(SelectionName)) == set(registry.names("mechanisms/selection"))
