"""The part of pytest that keeps the cases of plug-ins and tells what they say."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from semipriv.audit.properties._cases import Plugin, Property


class Watcher:
    """A plug-in of pytest: ``properties`` fills as cases end; ``done`` is called with each one that is checked."""

    def __init__(self, plugins: Sequence[Plugin], done: Callable[[Property], object], only: Sequence[str]) -> None:
        self.plugins, self.done, self.only = plugins, done, only
        self.properties: dict[tuple[str, str], Property] = {}
        self.of: dict[str, list[Property]] = defaultdict(list)
        self.broken = ""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Let this object tell, and nobody else."""
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        config.pluginmanager.unregister(reporter)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a property could not be collected."""
        if report.failed:
            self.broken = str(report.longrepr)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the cases that are about a plug-in, those of one plug-in together."""
        kept = []
        for plugin in self.plugins:
            for item in items:
                parameters = item.callspec.params if hasattr(item, "callspec") else {}
                concerned = plugin.concerns(item.path.stem, parameters)
                if concerned and (not self.only or any(words in _words(item) for words in self.only)):
                    kept += [] if item.nodeid in self.of else [item]
                    held = self._property(plugin, item)
                    held.left += 1
                    self.of[item.nodeid].append(held)
        items[:] = kept

    def _property(self, plugin: Plugin, item: Any) -> Property:
        key = (str(plugin.path), item.nodeid.partition("[")[0])
        if key not in self.properties:
            self.properties[key] = Property(
                plugin, _words(item), " ".join((inspect.getdoc(item.function) or "").split())
            )
        return self.properties[key]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a case, and keep its counterexample if it failed."""
        for held in self.of[report.nodeid]:
            held.seconds += report.duration
            if report.failed:
                held.failed += 1
                case = report.nodeid.partition("[")[2].removesuffix("]")
                held.failures.setdefault(case, _counterexample(report))
            if report.when == "teardown":
                held.left, held.cases = held.left - 1, held.cases + 1
                if not held.left:
                    self.done(held)


def _words(item: Any) -> str:
    """Return the name of a property in words."""
    return str(item.originalname).removeprefix("test_").replace("_", " ")


def _counterexample(report: Any) -> str:
    """Return the values with which an assertion did not hold, or the error."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash is not None else report.longrepr)
