"""The certificate of a release: what was drawn, which guarantee it has for whom, and what can be checked.

It follows from the bytes that the ledger stores, the entry that paid for them, and the certified files.  So it is the
same whenever it is written.  It holds no time, no path, no name of a host and no digest of a private table.

Its form is a Statement of in-toto, version 1: subjects with their SHA-256, and a predicate of a type of our own.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from semipriv.practice.asking import quality
from semipriv.practice.asking.groups import GroupError, Groups, group_errors
from semipriv.practice.asking.releasable import PREDICTORS
from semipriv.practice.asking.squared import in_units, squared_error
from semipriv.practice.columns.strict import canonical
from semipriv.practice.published import words
from semipriv.practice.published.model import Model
from semipriv.practice.published.tables import told_of_table
from semipriv.privacy.budget.lines import Entry
from semipriv.privacy.events import Event, guarantee_of, restored
from semipriv.privacy.guarantee import Guarantee

STATEMENT = "https://in-toto.io/Statement/v1"
DIAGNOSTIC = "unprotected_diagnostic"
PREDICTED = "public_predictions"
"""What the model predicts of the public rows: how many have which label, or the least and the greatest number."""
PREDICATE = "urn:semipriv:release-certificate:2"
"""Type of the predicate; another number is another form."""
DECLARED = ("source", "licence", "date")
"""What a request describes its public data; the ledger stores it with what was drawn, and nothing can check it."""


def sha256(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def certificate(stored: bytes, entry: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the certificate of a release as values of JSON.

    stored: the bytes in the ledger.  entry: that of the reservation: 'ledger' (its random identity), 'number', 'digest'
    (of the line), its payload ('request', 'digest', 'event'), and 'mark' (``Ledger.mark``).  files: contents of the
    certified files by name.
    """
    drawn, request = json.loads(stored), entry["payload"]["request"]
    event, guarantee = restored(drawn["event"]), Guarantee(**drawn["guarantee"])
    diagnostic, table = drawn["more"].get(DIAGNOSTIC), {"synthetic_table": None}
    if drawn["output"]["is"]["kind"] not in PREDICTORS:
        model = Model.from_json({**drawn, "release": request["release"], "records": request["records"]})
        table = told_of_table(model, drawn["table"]["types"], request.get("period") or ())
    public = {"digest": request["public"], **{key: drawn["declared"].get(key) for key in DECLARED}}
    return {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": sha256(files[name])}} for name in sorted(files)],
        "predicateType": PREDICATE,
        "predicate": {
            "release": request["release"],
            "guarantee": guaranteed(event, guarantee, marked=diagnostic is not None),
            "event": drawn["event"],
            "mechanism": {"candidates": request["candidates"], "sampler": words.SAMPLER},
            **plugins(request),
            **persons(request),
            **database(drawn),
            **sources(drawn),
            "quality": quality_of(drawn, request),
            DIAGNOSTIC: diagnostic,
            PREDICTED: drawn["more"].get(PREDICTED),
            "sizes": drawn["sizes"],
            "schema": request["records"],
            **table,
            "public_data": public | {"chosen": chosen(request)},
            "unprotected": words.unprotected(request, guarantee.neighbours, marked=diagnostic is not None),
            "timing": words.TIMING,
            "floating_point": words.FLOATING_POINT,
            "tuning": tuning(drawn, request),
            "post_processing": words.POST_PROCESSING,
            "versions": drawn["versions"],
            **period(request),
            "ledger": {
                "identity": entry["ledger"],
                "entry": entry["number"],
                "entry_digest": entry["digest"],
                "request_digest": entry["payload"]["digest"],
                "mark": entry["mark"],
            },
            "released_digest": sha256(stored),
        },
    }


def plugins(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry on files from plug-in folders, each with its SHA-256; nothing if there are none."""
    files = request.get("plugins")
    return {"plugins": {"files": files, "whose_word": words.PLUGINS}} if files else {}


def persons(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry on the columns that name persons; nothing where each row is one."""
    person = request.get("person")
    return (
        {}
        if person is None
        else {
            "persons": {
                "columns": list(person["columns"]),
                "are": words.who(person["columns"]),
                "count_as": words.COUNT_AS,
            }
        }
    )


def period(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry on the periods of the private rows; nothing for a ledger without periods."""
    names = request.get("period")
    return {"period": {"names": names, "whose_word": words.PERIOD}} if names else {}


def database(drawn: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry on the database in which the private table stayed; nothing if it was a file."""
    access = drawn["more"].get("database")
    if access is None:
        return {}
    return {
        "database": {
            "engine": access["engine"],
            "left_it": _left(access),
            "queries": access["queries"],
            "same_table": words.DECLARED_VERSION if access["version_declared"] else words.ROW_HASHES,
        }
    }


def sources(drawn: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry on the databases of public, unlabelled and held-out rows; nothing if all of them are files."""
    accesses = drawn["more"].get("sources")  # older releases do not say
    if accesses is None:
        return {}
    return {
        "sources": {
            role: {
                "engine": access["engine"],
                "state": words.ONE_STATE if access["steady"] else words.NO_STATE,
                "same_rows": _recognised(role, declared=access["version_declared"]),
            }
            for role, access in accesses.items()
        }
    }


def _recognised(role: str, *, declared: bool) -> str:
    """Return how it is known that rows were the same at each step."""
    if role == "public":
        return words.PUBLIC_ROWS
    return words.DECLARED_VERSION if declared else words.ROW_HASHES


def in_words(predicate: Mapping[str, Any]) -> bool:
    """Return whether a certificate describes databases in the words of this module, and only for rows that exist."""
    entries = predicate.get("sources", {})
    same = [_recognised(role, declared=entry["same_rows"] == words.DECLARED_VERSION) for role, entry in entries.items()]
    return (
        [entry["same_rows"] for entry in entries.values()] == same
        and all(entry["state"] in (words.ONE_STATE, words.NO_STATE) for entry in entries.values())
        and ("held_out" not in entries or "n_held_out" in predicate["sizes"])
        and ("public" not in entries or predicate["public_data"]["digest"] is not None)
    )


def _left(access: Mapping[str, Any]) -> str:
    """Return what left a database."""
    if access["streamed"]:
        return words.ROWS_LEFT
    return words.SUMS_LEFT if access.get("summed") else words.COUNTS_LEFT  # older releases do not say


def entry_of(ledger: str, entry: Entry, mark: str) -> dict[str, Any]:
    """Return what a certificate says of an entry of the ledger with this identity; mark: that of the ledger."""
    return {"ledger": ledger, "number": entry.number, "digest": entry.digest, "payload": entry.payload, "mark": mark}


def to_bytes(statement: Mapping[str, Any]) -> bytes:
    """Return the file of a certificate."""
    assert canonical(statement)  # values of JSON only
    return (json.dumps(statement, indent=2, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n").encode()


def guaranteed(event: Event, guarantee: Guarantee, *, marked: bool) -> dict[str, Any]:
    """Return a guarantee in numbers and in words; exact numbers are those of the event.

    marked: whether an unprotected number is published beside it.
    """
    return {
        "variant": words.variant(event, guarantee),
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "exact": {
            "epsilon": None if event.pure is None else str(event.pure),
            "rho": str(event.rho),
            "delta": str(event.delta),
        },
        "neighbours": guarantee.neighbours.value,
        "between": words.NEIGHBOURS[guarantee.neighbours],
        "for_one_person": words.odds(guarantee) + (words.OUTSIDE if marked else ""),
    }


def covers(guarantee: Guarantee, event: Event) -> bool:
    """Return whether an event costs no more than a guarantee allows, with every rounding upwards."""
    if words.is_pure(event, guarantee):
        return True
    try:
        cost = guarantee_of(event, guarantee)
    except ValueError:
        return False
    return cost.epsilon <= guarantee.epsilon and cost.delta <= guarantee.delta


def quality_of(drawn: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the noisy number of mistakes on the held-out rows, or sum of squared errors, and what follows from it."""
    judged = drawn["more"].get("held_out")
    if judged is None:
        return None
    rows, use = drawn["sizes"]["n_held_out"], request["held_out"]
    rule, candidates = _rule(use, request), len(request["candidates"])
    by_person = "person" in request
    if "squared" in use:
        return {"rule": rule, **_squared(judged, rows, use, candidates, persons=by_person)}
    accuracy = quality.accuracy(judged["mistakes"], rows, Fraction(use["epsilon"]), candidates)
    return {
        "noisy_mistakes": accuracy.mistakes,
        "held_out_rows": accuracy.rows,
        "rule": rule,
        "accuracy": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "limits_miss_with_probability_at_most": quality.LEVEL,
        "chosen_candidate": judged["chosen"],
        **_groups(judged, rows, use, candidates, persons=by_person),
    }


def _rule(use: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    """Return which rows are held out."""
    if "person" in request:
        return f"one row of each of 1/{use['every']} of the persons, who were drawn at random"
    return f"every row whose number is a multiple of {use['every']}"


def _squared(
    judged: Mapping[str, Any], rows: int, use: Mapping[str, Any], candidates: int, *, persons: bool
) -> dict[str, Any]:
    """Return the noisy sum of squared errors, and what follows from it alone, in squared units of the response."""
    largest, steps, epsilon = use["squared"]["largest"], use["squared"]["steps"], Fraction(use["epsilon"])
    error = squared_error(judged["squared_errors"], rows, epsilon, largest, quality.LEVEL, candidates, steps)
    return {
        "noisy_sum": judged["squared_errors"],
        "steps": steps,
        "largest_error": largest,
        "noise": words.squared(persons=persons),
        "held_out_rows": rows,
        "mean_squared_error": error.value,
        "low": error.low,
        "high": error.high,
        "limits_miss_with_probability_at_most": quality.LEVEL,
        "chosen_candidate": judged["chosen"],
        **_groups(judged, rows, use, candidates, persons=persons),
    }


def _groups(
    judged: Mapping[str, Any], rows: int, use: Mapping[str, Any], candidates: int, *, persons: bool
) -> dict[str, Any]:
    """Return the entry on groups: noisy mistakes or squared errors of each, and what follows from these."""
    if "groups" not in use:
        return {}
    squared = use.get("squared")
    steps = 1 if squared is None else squared["steps"]
    declared = Groups.restored(use["groups"], steps)
    errors = group_errors(judged["groups"], rows, declared.epsilon, quality.LEVEL, candidates, steps)
    noise = words.groups if squared is None else words.squared_groups
    return {
        "groups": {
            "column": declared.column.column,
            "epsilon": str(declared.epsilon),
            "noise": noise(persons=persons),
            "limits_of_all_groups_miss_with_probability_at_most": quality.LEVEL,
            "errors": [
                {
                    "group": name,
                    **(_mistakes(error) if squared is None else _squares(error, squared["largest"], steps)),
                    "held_out_rows_at_least": error.fewest,
                    "held_out_rows_at_most": error.most,
                }
                for name, error in zip(declared.names, errors, strict=True)
            ],
        }
    }


def _mistakes(error: GroupError) -> dict[str, Any]:
    return {
        "noisy_mistakes": error.mistakes,
        "noisy_right_answers": error.right,
        "error": error.error,
        "low": error.low,
        "high": error.high,
    }


def _squares(error: GroupError, largest: float, steps: int) -> dict[str, Any]:
    """Return the noisy sums of a group, in ``steps``, and its squared error in squared units of the response."""
    squared = in_units(0.0 if error.error is None else error.error, error.low, error.high, largest, steps)
    return {
        "noisy_sum": error.mistakes,
        "noisy_rest": error.right,
        "mean_squared_error": None if error.error is None else squared.value,
        "low": squared.low,
        "high": squared.high,
    }


def tuning(drawn: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    """Return how parameters were chosen, as far as the request shows it."""
    number = len(request["candidates"])
    if number == 1:
        return "none by this release: all settings were fixed before a private row was read"
    judged = drawn["more"]["held_out"]
    place, what = judged["chosen"], "sums of squared errors" if "squared_errors" in judged else "mistakes"
    judging = words.judging(persons="person" in request)
    how = f"chosen by permute-and-flip over {what} on {judging}; all were paid for"
    return f"candidate {place + 1} of {number}, {how}"


def chosen(request: Mapping[str, Any]) -> str:
    """Return how public rows were told from private ones."""
    if request["public"] is None:
        return "no public rows are used"
    status = request["status"]
    if status is None:
        return "a table of its own, declared public by whoever asked for the release"
    rows = f"rows of the table whose column {status['column']!r} is {status['value']!r}"
    return f"{rows}; the statuses of all rows are public"


def names(statement: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of the files that a certificate speaks of."""
    return [subject["name"] for subject in statement["subject"]]
