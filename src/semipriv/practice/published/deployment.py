"""A certificate as an entry of the OpenDP and NIST registry of deployments, with the keys of its third tier.

What a release cannot know (who publishes it, for what, where) is left empty, for whoever sends the entry.
"""

from collections.abc import Mapping
from typing import Any

UNKNOWN = ""
"""For whoever sends the entry."""


def deployment(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of a certificate, as values of YAML."""
    predicate = made["predicate"]
    guarantee, public = predicate["guarantee"], predicate["public_data"]
    ledger = predicate["ledger"]
    files = ", ".join(one["name"] for one in made["subject"])
    learners = ", ".join(one["learner"]["name"] for one in predicate["mechanism"]["candidates"])
    columns = ", ".join(str(one.get("column")) for one in predicate["schema"]["features"])
    parameters = {name: guarantee[name] for name in ("epsilon", "delta") if name == "epsilon" or guarantee[name] != 0}
    return {
        "url_slug": predicate["release"],
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "product": {
                "name": predicate["release"],
                "data_curators": [],
                "intended_use": UNKNOWN,
                "data_product_type": "Model" if predicate["schema"].get("label") else "Synthetic data",
                "data_product_region": UNKNOWN,
                "description": f"{files}, made by semipriv with {learners}",
                "publication_date": UNKNOWN,
                "data_product_sector": UNKNOWN,
            },
            "dp_flavor": {
                "name": guarantee["variant"],
                "input_metric": "number of replaced rows",
                "bound_on_input_distance": 1,
                "data_domain": f"tables of the declared schema: {columns}",
                "unprotected_quantities": _list(predicate["unprotected"]),
            },
            "privacy_loss": {
                "privacy_unit": predicate.get("persons", {"are": "Person, one row each by declaration"})["are"],
                "privacy_unit_description": guarantee["between"],
                "privacy_parameters": parameters,
                "privacy_parameters_description": guarantee["for_one_person"],
            },
            "model": {
                "model_name": "Central",
                "model_name_description": "the holder of the table runs the release and holds ledger and key",
                "actors": "the holder of the table, who is trusted; everybody else sees the published files",
                "release_type": "One release",
                "release_type_description": f"entry {ledger['entry']} of budget ledger {ledger['identity']}",
                "data_source_type": "Static",
                "data_source_type_description": f"public data: {public['source'] or UNKNOWN}; {public['chosen']}",
                "access_type": "Non-interactive",
                "access_type_description": "files, published once",
            },
            "accounting": {
                "post_processing": predicate["post_processing"],
                "composition": "a tree of events with exact costs; the ledger adds up the releases of the data set",
            },
            "implementation": {
                "pre_processing_eda_hyperparameter_tuning": predicate["tuning"],
                "mechanisms": _list(
                    [predicate["mechanism"]["sampler"], predicate["floating_point"], f"timing: {predicate['timing']}"]
                ),
                "justification": UNKNOWN,
            },
            "resources": {
                "sources": f"public data: SHA-256 {public['digest']}, licence {public['licence']}, {public['date']}",
                "registry_authors": [],
            },
        },
    }


def _list(lines: list[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)
