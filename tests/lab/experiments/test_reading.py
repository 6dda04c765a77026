"""YAML without its traps, the reference made from the code, and what jobs need not import."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from places import ROOT, matching
from runs import FIXTURES

from semipriv.core import registry, rooms
from semipriv.settings.checking import checked
from semipriv.settings.reading import ConfigError, check_files, numbers, read_settings
from semipriv_lab.experiments.keys import CellKeys, ExperimentKeys
from semipriv_lab.experiments.loading import PLOTS, load_run
from semipriv_lab.reference import configuration as reference

RUN = {"seed": 1, "results": "results", "experiments": [], "claims": []}


def read(folder: Path, text: str) -> dict[str, Any]:
    (folder / "a.yaml").write_text(text)
    return read_settings(folder / "a.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", r"a\.yaml: key 'a' is given twice, in lines 1 and 3$"),
        ("a:\n  b: 1\n  c: {d: 1,\n    d: 1}\n", r"a\.yaml: key 'd' is given twice, in lines 3 and 4$"),
        ("a: {b: 1, b: 1}\n", r"key 'b' is given twice, in lines 1 and 1$"),
        ("- {x: 1}\n- x: 1\n  'x': 2\n", r"key 'x' is given twice, in lines 2 and 3$"),
        ("3: a\n3: b\n", r"a\.yaml: line 1: the key 3 is read as a number: write it in quotes, as \"3\"$"),
        ("'3': a\n'3': b\n", r"key '3' is given twice"),
        ("", r"a\.yaml: is empty, must be a mapping of keys to values$"),
        ("# nothing\n", r"a\.yaml: is empty"),
        ("a: [\n", r"a\.yaml: is not valid YAML \(.*line 2"),
        ("a\n", r"a\.yaml: must be a mapping of keys to values$"),
        ("- a\n- b\n", r"a\.yaml: must be a mapping of keys to values$"),
        ("? [a]\n: 1\n? {b: 1}\n: 2\n", r"a\.yaml: is not valid YAML"),
        pytest.param("a: " + "[" * 10**5, r"a\.yaml: is nested too deeply to be read$", id="deep"),
        ("a: &x {b: 1}\nc: {<<: *x, d: 1, d: 2}\n", r"key 'd' is given twice, in lines 2 and 2$"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, text)
    assert "\n" not in str(error.value), "one line"
    with pytest.raises(ConfigError, match=message):
        check_files([tmp_path / "a.yaml"])


@pytest.mark.parametrize("spelt", ["02134", "0x10", "0b11", "1_0", "+5", "-0", "00", "-012", "!!int '07'"])
@pytest.mark.parametrize("place", ["a: {}", "a: [1, {}]", "a: {{b: {}}}", "a: {{{}: b}}", "a: [[x, {}]]"])
def test_an_integer_that_is_not_written_plainly_is_refused(tmp_path: Path, spelt: str, place: str) -> None:
    """The fault that was met: a postcode 02134 was read as 1116, and all rows with it as others."""
    with pytest.raises(ConfigError, match=r"a\.yaml: line 2: .* in quotes, as "):
        read(tmp_path, "x: y\n" + place.format(spelt))
    word = spelt.removeprefix("!!int ").strip("'")
    assert word in str(read(tmp_path, "x: y\n" + place.format(f'"{word}"')))


def test_words_that_yaml_reads_as_they_stand_there_are_read(tmp_path: Path) -> None:
    text = "a: [-5, 0, 10, 1.5, 1e3, 1:30, 08, 0o17, 1_0.5, .inf, no, 2020-01-01]"
    assert list(map(str, read(tmp_path, text)["a"])) == [
        "-5", "0", "10", "1.5", "1e3", "1:30", "08", "0o17", "10.5", "inf", "False", "2020-01-01",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "key", ["no", "Yes", "on", "OFF", "true", "null", "~", "2020", "1.5", "2020-01-01", "-3", ".nan"]
)
@pytest.mark.parametrize("place", ["{}: 1", "{{a: {{{}: 1}}}}", "a: [{{b: 1, {}: 2}}]"])
def test_a_key_that_is_read_as_something_else_says_what_to_quote(tmp_path: Path, key: str, place: str) -> None:
    """Names of columns are keys: no is Norway, and 2020 a year."""
    message = rf"a\.yaml: line 1: the key {re.escape(key)} is read as .*: write it in quotes, as \"{re.escape(key)}\"$"
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, place.format(key))
    assert key in str(read(tmp_path, place.format(f'"{key}"')))


def test_a_file_that_unfolds_without_end_is_refused(tmp_path: Path) -> None:
    doubled = "\n".join(["a0: &a0 [x, x]", *(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60))])
    with pytest.raises(ConfigError, match=r"line 22: has more than 5,000,000 values, with aliases"):
        read(tmp_path, doubled)
    merged = "\n".join(["a0: &a0 {x: 1}", *(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}" for i in range(1, 60))])
    with pytest.raises(ConfigError, match=r"has more than 5,000,000 values, with aliases"):
        read(tmp_path, merged)
    deep = "\n".join(["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 2000))])
    with pytest.raises(ConfigError, match="is nested too deeply"):
        read(tmp_path, deep)
    for inside in ("a: &a [*a]", "a: &a {b: [*a]}"):
        with pytest.raises(ConfigError, match="line 1: an alias is inside of what it stands for"):
            read(tmp_path, inside)
    assert read(tmp_path, "a: &a [1]\nb: [*a, *a]")["b"] == [[1], [1]]
    with pytest.raises(ConfigError, match="zero: has more than 32 MiB"):
        read_settings(Path("/dev/zero"))


def test_files_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"b\.yaml: cannot be read \(No such file or directory\)"):
        read_settings(tmp_path / "b.yaml")
    check_files([tmp_path / "b.yaml"])  # Snakemake says it
    (tmp_path / "c.yaml").write_bytes(b"\xff\xfea")
    with pytest.raises(ConfigError, match=r"c\.yaml: is not text in UTF-8"):
        read_settings(tmp_path / "c.yaml")


def test_equal_keys_of_different_mappings_are_no_repetition(tmp_path: Path) -> None:
    text = "a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  x: 3\nc: [{x: 1}, {x: 2}]\n"
    content = read(tmp_path, text)
    assert content["b"] == {"x": 3, "y": 2}, "what is merged in may be replaced"
    content = read(tmp_path, "z: &z {k: 0}\na:\n  inner: &x {<<: *z, k: 1}\nb: {<<: *x, k: 2}\n")
    assert (content["a"]["inner"]["k"], content["b"]["k"]) == (1, 2)


def test_numbers() -> None:
    assert numbers({"a": "1e5", "b": ["1e-6", {"c": "+.5E+2", "d": "1e"}]}) == {
        "a": 100000,
        "b": [1e-6, {"c": 50, "d": "1e"}],
    }


DISTRIBUTION = {"marginal": {"name": "uniform"}, "labeling": {"name": "realizable", "target": 0}}
EXPERIMENT = {"class": {"name": "intervals"}, "learners": [{"name": "public_labelled"}], "trials": 2}


def test_a_key_of_the_distribution_may_be_null_which_takes_it_away() -> None:
    checked(ExperimentKeys, {**EXPERIMENT, "distribution": {**DISTRIBUTION, "shift": None, "privacy": None}})


def test_keys_of_a_cell() -> None:
    assert checked(CellKeys, {"class": {"name": "intervals"}, "n": 3})


# ------------------------------------------------------------------------------------------------ the reference
def test_the_reference_is_in_step() -> None:
    advice = "run `python -m semipriv_lab.reference.configuration`"
    text = (ROOT / reference.README).read_text()
    assert reference.readme(text) == text, advice
    for name, model in reference.SCHEMAS.items():
        assert (ROOT / name).read_text() == reference.schema_file(model), advice


def test_the_reference_names_every_plugin_and_key() -> None:
    text = (ROOT / reference.README).read_text()
    for room in (*(room.name for room in rooms.every() if room.key), PLOTS):
        for name in registry.names(room):
            assert f"| `{name}` |" in text
    for model in reference.MODELS.values():
        assert all(f"| `{key}` |" in text for key in reference.json_schema(model)["properties"])


def schema(name: str) -> dict:
    return yaml.safe_load((ROOT / "workflow/schemas" / name).read_text())


@pytest.mark.parametrize("path", sorted((ROOT / "config/experiments").glob("*.yaml")), ids=lambda path: path.stem)
def test_schemas_accept_what_is_accepted(path: Path) -> None:
    jsonschema.validate(numbers(read_settings(path)), schema("experiment.schema.yaml"))


def test_schemas_refuse_what_is_refused() -> None:
    validator = jsonschema.Draft202012Validator(schema("config.schema.yaml"))
    whole = read_settings(ROOT / "config/config.yaml")
    assert validator.is_valid(whole)
    for changes in (
        {"sed": 1},
        {"seed": -1},
        {"beta": 1},
        {"effort": 0},
        {"trials": None},
        {"claims": ["a", "a"]},
        {"results": ""},
    ):
        assert not validator.is_valid(whole | changes), changes
    validator = jsonschema.Draft202012Validator(schema("experiment.schema.yaml"))
    assert validator.is_valid(EXPERIMENT)
    for changes in ({"paper": "ABM18"}, {"learners": []}, {"n": 0}, {"class": {}}, {"sweep": {"n": []}}, {"kind": "x"}):
        assert not validator.is_valid(EXPERIMENT | changes), changes


@pytest.mark.parametrize("name", ["config.yaml", "first.yaml", "smoke.yaml", "tiny.yaml", "full.yaml"])
def test_configurations_of_the_checkout_can_be_run(name: str) -> None:
    settings = read_settings(ROOT / "config/config.yaml") | read_settings(ROOT / "config" / name)
    assert load_run(settings, ROOT / "config/experiments", check=False).experiments


def test_fixtures_can_be_read() -> None:
    check_files(matching(FIXTURES, "*.yaml"))


def test_jobs_do_not_import_pydantic() -> None:
    modules = "semipriv_lab.experiments.config, semipriv_lab.workflow.storage"
    code = f"import sys, {modules}; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
