"""Entries of the registry of deployments: valid against a dated copy of its schema, whatever was released."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from releases import release_of

from semipriv.cli import main
from semipriv.practice.published.deployment import TO_FILL_IN

FOLDER = Path("results/releases/visits")
SENDER = {
    "--curator": "A clinic",
    "--curator-type": "Nonprofit",
    "--use": "planning of beds",
    "--region": "Bavaria",
    "--sector": "Healthcare",
    "--date": "2026-11-30",
    "--author": "N. N.",
    "--justification": "epsilon was agreed with the board",
}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    release_of(folder)
    return folder / FOLDER


def errors(entry: Any) -> list[str]:
    jsonschema = pytest.importorskip("jsonschema")
    schema = yaml.safe_load(Path(__file__).with_name("deployments_schema.yaml").read_text())
    checker = jsonschema.Draft7Validator(schema, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)
    return ["/".join(map(str, error.absolute_path)) for error in checker.iter_errors(entry)]


def entry_of(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[Any, str]:
    assert main(["registry", str(folder), *options]) == 0
    printed = capsys.readouterr()
    return yaml.safe_load(printed.out), printed.err


def test_an_entry_is_valid_once_the_sender_says_what_a_release_cannot_know(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry, printed = entry_of(released, capsys, *(part for option in SENDER.items() for part in option))
    assert errors(entry) == []
    assert printed == ""
    assert TO_FILL_IN not in yaml.safe_dump(entry)
    assert entry["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 0.5}
    assert entry["deployment"]["dp_variant"]["variant_name"] == "Pure DP"
    assert "CC0" in entry["deployment"]["implementation"]["additional_information"]
    assert main(["registry", "--json", str(released), *(part for option in SENDER.items() for part in option)]) == 0
    assert json.loads(capsys.readouterr().out) == entry


def test_what_is_not_said_is_named_and_refused_by_the_schema(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry, printed = entry_of(released, capsys)
    assert errors(entry) == [
        "deployment/basic/data_curators/0/data_curator_type",
        "deployment/basic/publication_date",
    ]
    assert all(option in printed for option in SENDER if option != "--sector")


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--curator-type", "Hospital", "unknown kind of curator 'Hospital'"),
        ("--sector", "health", "unknown sector 'health'"),
        ("--date", "30.11.2026", "--date '30.11.2026': must be a date such as 2026-11-30"),
    ],
)
def test_values_that_the_registry_does_not_know_are_refused(
    released: Path, capsys: pytest.CaptureFixture[str], option: str, given: str, message: str
) -> None:
    assert main(["registry", str(released), option, given]) == 2
    assert message in capsys.readouterr().err
