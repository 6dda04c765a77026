"""semipriv: differentially private learning and query release assisted by public data.

Every class, mechanism and learner is reachable from here (``semipriv.Thresholds``, ``semipriv.SSPP``, ...); its
module is imported on first use, so that ``import semipriv`` costs next to nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

_FACE = {
    "Simulation": "core.randomness",
    "Secure": "core.randomness",
    "Source": "core.randomness",
    "Sample": "core.samples",
    "MixedSample": "core.samples",
    "RegressionSample": "core.samples",
    "StatusModel": "core.samples",
    "Grid": "geometry.grid",
    "Guarantee": "privacy.guarantee",
    "Neighbours": "privacy.guarantee",
    "Release": "privacy.guarantee",
    "ZeroConcentrated": "privacy.zcdp",
    "SparseVector": "mechanisms.sparse_vector",
    "Cover": "classes.base",
    "Tally": "classes.base",
    "Hypothesis": "classes.base",
    "Regressor": "classes.regressors.base",
    "Classifier": "classes.classifiers.base",
    "Distribution": "distributions.problem",
    "RegressionLaw": "distributions.regression",
    "Schema": "queries.schema",
    "PublicRowsRelease": "learners.tables.public_rows_release",
    "TableRelease": "learners.tables.table_release",
    "SemiPrivateClassifier": "practice.estimators.classifier",
    "SemiPrivateRegressor": "practice.estimators.regressor",
    "PrivateTable": "practice.estimators.private_table",
    "plan_sizes": "practice.planner.plan",
    "plan_excess": "practice.planner.plan",
}
_PLUGINS = ("mechanisms/selection", "mechanisms/noise", "classes", "regressors", "classifiers", "learners")


def __getattr__(name: str) -> object:
    """Find ``name`` in the package's face, then among the plug-ins (one public type a file)."""
    if name in _FACE:
        return getattr(import_module(f"{__name__}.{_FACE[name]}"), name)
    if name[:1].isupper():  # types only: submodules are found by the import system
        registry = import_module(f"{__name__}.core.registry")
        for room in _PLUGINS:
            for plugin in registry.names(room):
                found = registry.load(room, plugin)
                if found.__name__ == name:
                    return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    registry = import_module(f"{__name__}.core.registry")
    plugins = [registry.load(room, plugin).__name__ for room in _PLUGINS for plugin in registry.names(room)]
    return sorted(["__version__", *_FACE, *plugins])
