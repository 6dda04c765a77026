"""What type checkers see of the package's face: ``PYTHONPATH=src:tests python tests/face.py`` writes the stub."""

from importlib import import_module
from pathlib import Path

import semipriv
from semipriv.core import registry

STUB = Path(semipriv.__file__).with_suffix(".pyi")


def stub() -> str:
    """Return the text of ``semipriv/__init__.pyi``: an import for each public name, from the module that defines it."""
    found = dict(semipriv._FACE)
    for room in semipriv._PLUGINS:
        for plugin in registry.names(room):
            found[registry.load(room, plugin).__name__] = registry.module(room, plugin).partition(".")[2]
    modules: dict[str, list[str]] = {}
    for name, module in found.items():
        assert hasattr(import_module(f"semipriv.{module}"), name)
        modules.setdefault(module, []).append(name)
    lines = ['"""What type checkers see of the face; made by tests/face.py."""\n']
    for module in sorted(modules):
        for name in sorted(modules[module]):
            lines.append(f"from semipriv.{module} import {name} as {name}")
    return "\n".join([*lines, "", "__version__: str", ""])


if __name__ == "__main__":
    STUB.write_text(stub())
