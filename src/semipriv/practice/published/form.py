"""The form of a certificate: which keys it has, and what kind of value each of them holds."""

import re
from collections.abc import Mapping
from typing import Any

from semipriv.practice.columns.strict import Maybe, misfit
from semipriv.practice.published.certificate import DIAGNOSTIC, PREDICTED

_FRACTION = re.compile(r"[0-9]{1,1000}(/[0-9]{1,1000})?", re.ASCII)
_MOST = 10**18
_NUMBER = (int, float)
_TEXT = (str, None)
_STORED = {"engine": str, "state": str, "same_rows": str}


def is_event(value: Any) -> bool:
    """Return whether a value of JSON is an event in form: exact numbers are fractions, without exponents."""
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        return False
    if value["event"] == "Composed":
        return misfit(value, {"event": str, "parts": list}) is None and all(map(_is_part, value["parts"]))
    if value["event"] == "Parallel":
        return misfit(value, {"event": str, "parts": [is_event]}) is None
    return all(
        isinstance(amount, str) and (key == "event" or _FRACTION.fullmatch(amount)) for key, amount in value.items()
    )


def _is_part(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and is_event(value[0]) and _is_size(value[1])


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _is_fraction(value: Any) -> bool:
    return isinstance(value, str) and _FRACTION.fullmatch(value) is not None


def _quality(own: Mapping[str, Any], of_group: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of the entry on held-out rows; own: its numbers, of_group: those of each group."""
    limits = {"low": float, "high": float}
    return {
        **own,
        **limits,
        "held_out_rows": _is_size,
        "rule": str,
        "limits_miss_with_probability_at_most": float,
        "chosen_candidate": _is_size,
        "groups": Maybe(
            {
                "column": str,
                "epsilon": _is_fraction,
                "noise": str,
                "limits_of_all_groups_miss_with_probability_at_most": float,
                "errors": [
                    {
                        "group": str,
                        **of_group,
                        **limits,
                        "held_out_rows_at_least": _is_size,
                        "held_out_rows_at_most": _is_size,
                    }
                ],
            }
        ),
    }


CERTIFICATE = {
    "_type": str,
    "subject": [{"name": str, "digest": {"sha256": str}}],
    "predicateType": str,
    "predicate": {
        "release": str,
        "guarantee": {
            "variant": str,
            "epsilon": _NUMBER,
            "delta": _NUMBER,
            "exact": {"epsilon": (_is_fraction, None), "rho": _is_fraction, "delta": _is_fraction},
            "neighbours": str,
            "between": str,
            "for_one_person": str,
        },
        "event": is_event,
        "mechanism": {
            "candidates": [
                {
                    "class": ({"name": str, ...: object}, None),
                    "learner": {"name": str, ...: object},
                    "epsilon": str,
                    "delta": str,
                    "chosen": Maybe({"by": str, "case": {"task": str, ...: object}}),
                }
            ],
            "sampler": str,
        },
        "plugins": Maybe({"files": {str: str}, "whose_word": str}),
        "persons": Maybe({"columns": [str], "are": str, "count_as": str}),
        "database": Maybe({"engine": str, "left_it": str, "queries": [str], "same_table": str}),
        "sources": Maybe({"public": Maybe(_STORED), "unlabelled": Maybe(_STORED), "held_out": Maybe(_STORED)}),
        "quality": (
            None,
            _quality(
                {"noisy_mistakes": int, "accuracy": float},
                {"noisy_mistakes": int, "noisy_right_answers": int, "error": (float, None)},
            ),
            _quality(
                {
                    "noisy_sum": int,
                    "steps": _is_size,
                    "largest_error": float,
                    "noise": str,
                    "mean_squared_error": float,
                },
                {"noisy_sum": int, "noisy_rest": int, "mean_squared_error": (float, None)},
            ),
        ),
        DIAGNOSTIC: (None, {"exact_mistakes": _is_size, "rows": _is_size, "of": str}),
        PREDICTED: (
            None,
            {"rows": _is_size, "labels": [{"label": (str, *_NUMBER), "rows": _is_size}]},
            {"rows": _is_size, "least": float, "greatest": float},
        ),
        "sizes": {"n_public": _is_size, "n_private": _is_size, "n_held_out": Maybe(_is_size)},
        "schema": {"features": [{"column": str, ...: object}], "label": ({"column": str, ...: object}, None)},
        "synthetic_table": (
            None,
            {
                "rows": _is_size,
                "distinct_rows": _is_size,
                "rows_are": str,
                "rows_from": Maybe({str: _is_size}),
                "types": {str: str},
            },
        ),
        "report": Maybe(
            {
                "numbers": _is_size,
                "measured": [[str]],
                "clipped_to": {str: [float]},
                "limits_hold_with_probability": float,
                "columns": {str: str},
            }
        ),
        "public_data": {"digest": _TEXT, "source": _TEXT, "licence": _TEXT, "date": _TEXT, "chosen": str},
        "unprotected": [str],
        "timing": str,
        "floating_point": str,
        "tuning": str,
        "post_processing": str,
        "versions": {str: str},
        "period": Maybe({"names": [str], "whose_word": str}),
        "ledger": {"identity": str, "entry": _is_size, "entry_digest": str, "request_digest": str, "mark": str},
        "released_digest": str,
    },
}
"""All keys, with the forms of their values as ``strict.misfit`` reads them; sub-objects of other modules are open."""
