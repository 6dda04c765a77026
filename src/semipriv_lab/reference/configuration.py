"""The reference of configurations, made from the code: tables of ``config/README.md`` and JSON schemas for editors.

``python -m semipriv_lab.reference.configuration`` in a checkout writes both anew; a test checks that they are in step.
"""

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from semipriv.core import docstrings, registry, rooms
from semipriv.core.files import atomic
from semipriv.core.markdown import table
from semipriv.practice.asking import keys as release
from semipriv.practice.asking import table_keys
from semipriv.settings.checking import Keys
from semipriv_lab.experiments.keys import DistributionKeys, ExperimentKeys, RunKeys, SlopesKeys, TableKeys
from semipriv_lab.experiments.loading import PLOTS

README = Path("config/README.md")
MODELS: dict[str, type[Keys]] = {
    "run": RunKeys,
    "experiment": ExperimentKeys,
    "distribution": DistributionKeys,
    "table": TableKeys,
    "slopes": SlopesKeys,
    "release": release.ReleaseKeys,
    "release: private": table_keys.PrivateKeys,
    "release: unlabelled": table_keys.UnlabelledKeys,
    "release: public": table_keys.PublicKeys,
    "release: features": release.FeatureKeys,
    "release: label": release.LabelKeys,
    "release: response": release.ResponseKeys,
    "release: candidates": release.CandidateKeys,
    "release: person": release.PersonKeys,
    "release: held_out": release.HeldOutKeys,
    "release: groups": release.GroupKeys,
    "release: limits": release.LimitKeys,
}
"""Models by the name of their table in the README."""
SCHEMAS: dict[str, type[Keys]] = {
    "workflow/schemas/config.schema.yaml": RunKeys,
    "workflow/schemas/experiment.schema.yaml": ExperimentKeys,
    "workflow/schemas/release.schema.yaml": release.ReleaseKeys,
}
_PART = r"(<!-- made: {} -->\n).*?(<!-- end -->)"


def readme(text: str) -> str:
    """Return the README with its tables made anew; each stands between ``<!-- made: NAME -->`` and ``<!-- end -->``.

    Raises ValueError if the place of a table is missing.
    """
    tables = {name: keys_table(model) for name, model in MODELS.items()}
    tables |= {"plug-ins": plugins_table(), "figures": figures_table()}
    for name, rows in tables.items():
        place = re.search(_PART.format(re.escape(name)), text, flags=re.DOTALL)
        if place is None:
            raise ValueError(f"{README}: has no place for the table of {name!r}")
        text = text[: place.end(1)] + rows + text[place.start(2) :]
    return text


def keys_table(model: type[Keys]) -> str:
    """Return a table of the keys of a model: allowed values, default and meaning."""
    schema = json_schema(model)
    rows = []
    for key, value in schema["properties"].items():
        default = "required" if key in schema.get("required", ()) else _default(value)
        rows.append((f"`{key}`", _allowed(value), default, value["description"]))
    return table(("key", "value", "default", "meaning"), rows)


def plugins_table() -> str:
    """Return a table of the plug-ins: the key that names them, names, parameters with defaults, and what they are."""
    rows = []
    for room in filter(lambda room: room.key, rooms.every()):
        for name in registry.names(room.name):
            plugin = registry.load(room.name, name)
            parameters = inspect.signature(plugin).parameters
            shown = ", ".join(_parameter(p.name, p.default) for p in parameters.values())
            documented = _said(inspect.getdoc(plugin) or "", docstrings.parameters_of(plugin))
            rows.append((f"`{room.key}`", f"`{name}`", shown, documented))
    return table(("key", "name", "parameters", "what it is"), rows)


def figures_table() -> str:
    """Return a table of the figures of experiments: names, options, and what they show."""
    rows = []
    for name in registry.names(PLOTS):
        options = registry.options(PLOTS, name)
        shown = ", ".join(f"`{key}`" + ("" if required else " (optional)") for key, required in options.items())
        documentation = registry.documentation(PLOTS, name)
        meanings = {key: meaning for key, meaning in docstrings.parameters(documentation).items() if key in options}
        rows.append((f"`{name}`", shown, _said(documentation, meanings)))
    return table(("name", "options", "what it shows"), rows)


def json_schema(model: type[Keys]) -> dict[str, Any]:
    """Return the JSON schema of a model, without titles and without null as a default."""
    schema: dict[str, Any] = _plain(model.model_json_schema(by_alias=True))
    return schema


def schema_file(model: type[Keys]) -> str:
    """Return the JSON schema of a model as a YAML file."""
    schema = json_schema(model)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    comment = "# Made by `python -m semipriv_lab.reference.configuration`, for editors; see config/README.md.\n"
    return comment + yaml.safe_dump(head | schema, sort_keys=False, width=120, allow_unicode=True)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {key: _plain(item) for key, item in value.items()}
    if isinstance(named.get("title"), str):
        del named["title"]
    if "default" in named and named["default"] is None:
        del named["default"]
    return named


def _allowed(value: dict[str, Any]) -> str:
    """Return in words what a JSON schema allows."""
    if "anyOf" in value:  # null stands for a key that is not given
        return " or ".join(_allowed(alternative) for alternative in value["anyOf"] if alternative.get("type") != "null")
    if "const" in value:
        return f"`{str(value['const']).lower()}`"
    if "enum" in value:
        return ", ".join(f"`{option}`" for option in value["enum"])
    kind = {"array": "list", "object": "mapping", "string": "text"}.get(
        value.get("type", "object"), value.get("type", "")
    )
    if "maximum" in value:
        return f"{kind} in ({value['exclusiveMinimum']}, {value['maximum']}]"
    if "exclusiveMaximum" in value:
        return f"{kind} in ({value['exclusiveMinimum']}, {value['exclusiveMaximum']})"
    for limit, sign in (("minimum", ">="), ("exclusiveMinimum", ">")):
        if limit in value:
            return f"{kind} {sign} {value[limit]}"
    return kind


def _default(value: dict[str, Any]) -> str:
    default = value.get("default")
    return "" if default in (None, "", [], {}) else f"`{default}`"


def _parameter(name: str, default: Any) -> str:
    return f"`{name}`" if default is inspect.Parameter.empty else f"`{name}` ({'none' if default is None else default})"


def _said(documentation: str, meanings: Mapping[str, str]) -> str:
    """Return what a docstring says first, then the meaning of each parameter."""
    return " ".join(
        [docstrings.read(documentation).summary, *(f"`{name}`: {meaning}" for name, meaning in meanings.items())]
    )


def main(root: Path = Path()) -> None:
    """Write the tables of the README and the schemas of a checkout anew."""
    files = {README: readme((root / README).read_text(encoding="utf-8"))}
    files |= {Path(name): schema_file(model) for name, model in SCHEMAS.items()}
    for name, text in files.items():
        with atomic(root / name) as target:
            target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
