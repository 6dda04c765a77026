"""A certificate as an entry of the OpenDP and NIST registry of deployments, with the keys of its third tier.

The sender of the entry adds what a release cannot know: who publishes it, what for, where and when.
"""

import datetime
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from semipriv.core.registry import check_name

CURATORS = ("Government", "Industry", "Nonprofit")
"""Kinds of curators that the registry knows."""
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")
"""Sectors that the registry knows."""
TO_FILL_IN = "TODO"
"""Stands for what nobody has said yet."""
_VARIANTS = {
    "pure differential privacy": "Pure DP",
    "approximate differential privacy": "Approximate DP",
    "zero-concentrated differential privacy": "Zero-concentrated DP",
}


def _date(given: str | None) -> str | None:
    if given is not None:
        try:
            given = datetime.date.fromisoformat(given).isoformat()
        except ValueError:
            raise ValueError(f"--date {given!r}: must be a date such as 2026-11-30") from None
    return given


@attrs.frozen
class Sender:
    """What the sender of an entry knows of it; None where the sender says nothing.

    Args:
        curator: who publishes the release.
        kind: of the curator, one of ``CURATORS``.
        use: what the release is for.
        region: where the people are, or whose laws apply.
        sector: one of ``SECTORS``.
        date: of publication, as 2026-11-30.
        author: of the entry.
        justification: why these settings were chosen.

    Raises:
        ValueError: for a kind or a sector that the registry does not know, or what is no date.
    """

    curator: str | None = None
    kind: str | None = attrs.field(default=None)
    use: str | None = None
    region: str | None = None
    sector: str | None = attrs.field(default=None)
    date: str | None = attrs.field(default=None, converter=_date)
    author: str | None = None
    justification: str | None = None

    @kind.validator
    def _known_kind(self, _: Any, given: str | None) -> None:
        if given is not None:
            check_name("kind of curator", given, CURATORS)

    @sector.validator
    def _known_sector(self, _: Any, given: str | None) -> None:
        if given is not None:
            check_name("sector", given, SECTORS)

    @property
    def missing(self) -> Sequence[str]:
        """Options that the registry asks for and that nobody has given; a sector is optional there."""
        required = {
            "--curator": self.curator,
            "--curator-type": self.kind,
            "--use": self.use,
            "--region": self.region,
            "--date": self.date,
            "--author": self.author,
            "--justification": self.justification,
        }
        return [option for option, value in required.items() if value is None]


def deployment(statement: Mapping[str, Any], sender: Sender | None = None) -> dict[str, Any]:
    """Return the entry of a certificate, as values of YAML.

    Args:
        statement: the certificate.
        sender: what the release cannot know.

    Returns:
        The entry; TO_FILL_IN stands where the sender says nothing.
    """
    predicate, sender = statement["predicate"], sender or Sender()
    return {
        "url_slug": re.sub(r"[^a-z0-9]+", "-", predicate["release"].lower()).strip("-") or "release",
        "deployment": {
            "basic": _basic(statement, sender),
            "dp_variant": {
                "variant_name": _VARIANTS.get(predicate["guarantee"]["variant"], "Custom"),
                "data_domain": f"tables of the declared schema: {_columns(predicate)}",
                "unprotected_quantities": _list(predicate["unprotected"]),
            },
            "privacy_loss": _privacy_loss(predicate),
            "deployment_model": _model(predicate),
            "implementation": _implementation(predicate, sender),
            "administrative": {
                "evidence_sources": {
                    "certificate": {
                        "evidence_source_type": "Authorized organizational attestation",
                        "misc": {
                            "title": f"Certificate of the release {predicate['release']}",
                            "note": f"SHA-256 of what was released: {predicate['released_digest']}",
                        },
                    }
                },
                "status": "Draft",
                "registry_authors": [sender.author or TO_FILL_IN],
                "tier": 3,
            },
        },
    }


def _basic(statement: Mapping[str, Any], sender: Sender) -> dict[str, Any]:
    predicate = statement["predicate"]
    files = ", ".join(subject["name"] for subject in statement["subject"])
    learners = ", ".join(candidate["learner"]["name"] for candidate in predicate["mechanism"]["candidates"])
    return {
        "name": predicate["release"],
        "data_curators": [
            {"data_curator_name": sender.curator or TO_FILL_IN, "data_curator_type": sender.kind or TO_FILL_IN}
        ],
        "description": f"{files}, made by semipriv with {learners}",
        "intended_use": sender.use or TO_FILL_IN,
        "data_product_type": _product(predicate),
        "data_product_region": sender.region or TO_FILL_IN,
        **({} if sender.sector is None else {"data_product_sector": sender.sector}),
        "publication_date": sender.date or TO_FILL_IN,
    }


def _product(predicate: Mapping[str, Any]) -> str:
    if "report" in predicate:
        return "Summary statistics"
    return "Machine learning model" if predicate["synthetic_table"] is None else "Synthetic data"


def _columns(predicate: Mapping[str, Any]) -> str:
    return ", ".join(str(feature.get("column")) for feature in predicate["schema"]["features"])


def _privacy_loss(predicate: Mapping[str, Any]) -> dict[str, Any]:
    guarantee, sizes = predicate["guarantee"], predicate["sizes"]
    parameters = {"epsilon": guarantee["epsilon"]}
    if guarantee["delta"]:
        parameters["delta"] = guarantee["delta"]
    if _VARIANTS.get(guarantee["variant"]) == "Zero-concentrated DP":
        parameters["rho"] = float(Fraction(guarantee["exact"]["rho"]))
    return {
        "privacy_unit": predicate.get("persons", {"are": "a person, with one row each by declaration"})["are"],
        "privacy_unit_details": guarantee["between"],
        "number_of_privacy_units": sizes["n_private"] + sizes.get("n_held_out", 0),
        "privacy_parameters": parameters,
        "privacy_parameters_details": guarantee["for_one_person"],
    }


def _model(predicate: Mapping[str, Any]) -> dict[str, Any]:
    ledger, public, periods = predicate["ledger"], predicate["public_data"], predicate.get("period")
    several = "the data set is released again for each period, from an account of its own"
    entry = f"entry {ledger['entry']} of budget ledger {ledger['identity']}"
    return {
        "model_name": "Central",
        "model_name_details": "the holder of the table runs the release",
        "trust_assumptions": "the holder of the table, who also holds ledger and key, is trusted; nobody else is",
        "actors": "the holder of the table; everybody who sees the published files",
        "release_type": "One release" if periods is None else "Many releases",
        "release_type_details": entry if periods is None else f"{entry}; {several}",
        "data_source_type": "Static" if periods is None else "Dynamic",
        "data_source_type_details": f"public data: {public['chosen']}",
        "access_type": "Non-interactive",
        "access_type_details": "files, published once",
    }


def _implementation(predicate: Mapping[str, Any], sender: Sender) -> dict[str, Any]:
    public = predicate["public_data"]
    declared = (f"{key} {public[key]}" for key in ("source", "licence", "date") if public[key] is not None)
    digest = [] if public["digest"] is None else [f"SHA-256 {public['digest']}"]
    versions = ", ".join(f"{name} {number}" for name, number in predicate["versions"].items())
    return {
        "preprocessing_and_hyperparameter_tuning": predicate["tuning"],
        "mechanisms": _list(
            [
                predicate["mechanism"]["sampler"],
                predicate["floating_point"],
                f"timing: {predicate['timing']}",
                f"versions: {versions}",
            ]
        ),
        "composition": "a tree of events with exact costs; the ledger adds up the releases of the data set",
        "post_processing": predicate["post_processing"],
        "justification": sender.justification or TO_FILL_IN,
        "additional_information": f"public data: {', '.join([public['chosen'], *declared, *digest])}",
    }


def _list(lines: Sequence[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)
