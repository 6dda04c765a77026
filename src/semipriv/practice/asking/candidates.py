"""The candidates of a request: which learner and which class each of them is, by its keys or by the public rule."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from semipriv.core import overlay, registry, rooms
from semipriv.core.fingerprint import closure
from semipriv.learners.base import AnyLearner
from semipriv.practice.asking.candidate import Candidate
from semipriv.practice.asking.choosing import (
    AUTO,
    FOLLOWING,
    GRIDS,
    KNOWN,
    LINEAR_RULES,
    NO_GRID,
    WITH_GRID,
    Case,
    Choice,
    choose,
)
from semipriv.practice.asking.classless import CLASSLESS
from semipriv.practice.asking.releasable import check_releasable, weighs
from semipriv.practice.asking.tables import source_of
from semipriv.practice.sources.stored import Beside
from semipriv.privacy.budget.amounts import amount, parameter, positive_amount

_AMOUNTS = ("epsilon", "delta")


def resolved(entry: Any, keys: Any) -> tuple[Any, Choice | None]:
    """Return what is learned and by whom, where that is left to a public rule or follows; and what the rule says."""
    name = entry.learner["name"]
    if name != AUTO:
        follows = FOLLOWING.get(name) if entry.hypothesis_class is None else None
        if follows is None:
            return entry, None
        several = {"classes": len(keys.label.classes)} if _several(keys) and follows == LINEAR_RULES else {}
        return entry.model_copy(update={"hypothesis_class": {**follows, **several}}), None
    if entry.hypothesis_class is not None:
        raise ValueError(f"class: follows from the learner that {AUTO} takes: leave it out, or name the learner")
    case = _case(entry.learner, keys)
    if case.grid_alone:
        for column, feature_keys in keys.features.items():
            _check_number(column, feature_keys)
    choice = choose(case)
    if choice.learner["name"] in GRIDS and keys.public is not None:
        raise ValueError("public: rows that miss the private population are of no use: leave them out")
    if choice.learner["name"] in (*GRIDS, WITH_GRID):
        for column, feature_keys in keys.features.items():
            _check_number(column, feature_keys)
            if not isinstance(feature_keys.range, list):
                raise ValueError(f"features.{column}: a grid needs its range: [low, high], declared")
    paid = {key: entry.learner[key] for key in _AMOUNTS if key in entry.learner}
    if not choice.spends_delta:
        paid.pop("delta", None)
    learner = {**choice.learner, **paid}
    return entry.model_copy(update={"learner": learner, "hypothesis_class": dict(choice.hypothesis_class)}), choice


def _check_number(column: str, keys: Any) -> None:
    """Raise ValueError for categories: a grid is of numbers."""
    if keys.categories is not None:
        raise ValueError(f"features.{column}: {NO_GRID}")


def _case(given: Mapping[str, Any], keys: Any) -> Case:
    """Return what the rule knows: declarations, and the names of the columns of public rows."""
    for key in given:
        registry.check_name("key of learner", key, ["name", *_AMOUNTS, *KNOWN])
    if "epsilon" not in given:
        raise ValueError(f"learner.epsilon: is missing, {AUTO} needs it")
    if keys.label is None and keys.response is None:
        raise ValueError(
            f"learner: {AUTO} takes one that predicts, and needs label or response: for counts, means and quantiles by "
            "group name statistics, for a synthetic table table_release, for the distribution of one column "
            "grid_query_release"
        )
    declared = all(isinstance(feature_keys.range, list) for feature_keys in keys.features.values())
    return Case(
        "a number" if keys.response is not None else "several labels" if _several(keys) else "two labels",
        len(keys.features),
        _public_rows(keys),
        parameter(positive_amount("learner.epsilon", given["epsilon"])),
        parameter(amount("learner.delta", given.get("delta", 0))),
        len(keys.label.classes) if _several(keys) else 2,
        **{"ranges": "good" if declared else "unknown", **{key: given[key] for key in KNOWN if key in given}},
    )


def _several(keys: Any) -> bool:
    return keys.label is not None and keys.label.classes is not None


def _public_rows(keys: Any) -> str:
    """Return whether there are public rows, and whether they have a column of labels or of responses."""
    if keys.public is None:
        return "none"
    target = keys.response if keys.label is None else keys.label
    if keys.public.column is not None:
        return "labelled"
    source = source_of("public", keys.public, [], Beside())
    return "labelled" if all(target.column in source.names(part) for part in source.parts) else "unlabelled"


def learner_of(keys: Any) -> tuple[Any, dict[str, Fraction]]:
    """Build the learner, which must be one that may be released; return it with the exact amounts that are asked."""
    values = dict(keys.learner)
    amounts = {key: amount(f"learner.{key}", values[key]) for key in _AMOUNTS if key in values}
    values |= {key: parameter(value) for key, value in amounts.items()}
    if values["name"] in CLASSLESS:
        if keys.hypothesis_class is not None:
            raise ValueError(f"class: {values['name']} learns none, the declared columns stand instead of one")
        return registry.constructed("learner", CLASSLESS[values["name"]].builds, values), amounts
    if keys.hypothesis_class is None:
        raise ValueError("needs class, what is learned")
    learner: AnyLearner = registry.build("learners", values)
    check_releasable(values["name"], learner)
    return learner, amounts


def has_weights(keys: Any, learner: Any) -> bool:
    """Return whether the learner of a candidate gives weights to features."""
    return keys.learner["name"] not in CLASSLESS and weighs(learner)


def candidate_of(keys: Any, learner: Any, amounts: Mapping[str, Fraction], dimension: int) -> Candidate:
    """Build the class, of as many features as there are coordinates if it does not say how many."""
    assert learner.guarantee is not None, "what has no guarantee is refused before"
    paid = {key: Fraction(getattr(learner.guarantee, key)) for key in _AMOUNTS} | dict(amounts)
    if keys.learner["name"] in CLASSLESS:
        return CLASSLESS[keys.learner["name"]](None, learner, paid["epsilon"], paid["delta"])
    settings = registry.completed(rooms.of("class"), keys.hypothesis_class, dimension=dimension)
    hypothesis_class = registry.build(rooms.of("class"), settings)
    learner.check(hypothesis_class)
    return Candidate(hypothesis_class, learner, paid["epsilon"], paid["delta"])


def plugins_of(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Return the SHA-256 of each file from a plug-in folder that learners and classes use, by room and name."""
    if not overlay.folders():
        return {}
    used = [value for candidate in candidates for value in (candidate.learner, candidate.hypothesis_class)]
    modules = closure(sorted(set().union(*map(registry.modules, used))))
    return overlay.digests(modules)
