"""Random requests for releases over small public and private tables, all of what may be released and most of how."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from semipriv.privacy.budget.ledger import Budget, Ledger

Settings = dict[str, Any]
METHODS: list[Any] = [
    "mwem",
    {"name": "mwem", "rounds": 2, "iterate": "last"},
    "gaussian",
    {"name": "gaussian", "isotonic": True},
    {"name": "pmw", "accuracy": 0.3},
    {"name": "pmw", "accuracy": 0.1, "scales": "book"},
    "noisy_cells",
    "tree",
    {"name": "two_level_tree", "isotonic": True},
    "consistent_tree",
    {"name": "public_prior_tree", "levels": 2},
    "prior",
]
EPSILONS = [0.5, 1, 3, 40, 400, 1e4, 1e6, 1e-3, 1e-6, 1e-12, 1e-17, 1e-60, 1e-300]
DELTAS = [0.0, 1e-6, 1e-6, 0.01, 0.5, 1e-30, 1e-300]


class Asker:
    """Draws requests from a seed."""

    def __init__(self, seed: int) -> None:
        self.coins = np.random.default_rng(seed)

    def pick(self, values: Any) -> Any:
        """One of the values."""
        return values[int(self.coins.integers(len(values)))]

    def epsilon(self) -> float:
        """Mostly usual, often extreme."""
        return float(self.pick(EPSILONS) if self.coins.random() < 0.6 else 10 ** self.coins.uniform(-4, 3))

    def budget(self) -> Settings:
        return {"epsilon": self.epsilon(), "delta": self.pick(DELTAS)}

    # ------------------------------------------------------------------ what is learned
    def real(self, d: int) -> Settings:
        names = ["halfspaces", "rectangles", "decision_stumps", "point_functions", "halfspace_intersections"]
        declared: Settings = {"name": self.pick([*names, "thresholds", "intervals"] if d == 1 else names)}
        return declared if declared["name"] in ("thresholds", "intervals") else {**declared, "dimension": d}

    def whole(self, d: int) -> tuple[Settings, int]:
        """A class over integers, and the largest of them."""
        bits = int(self.coins.integers(1, 6))
        if d == 1 and self.coins.random() < 0.3:
            rows = {tuple(row) for row in self.coins.integers(0, 2, (4, 5)).tolist()}
            return {"name": "finite_class", "table": sorted(map(list, rows))}, 4
        if d == 1 and self.coins.random() < 0.5:
            return {"name": "discrete_thresholds", "bits": bits, "orientation": self.pick(["lt", "ge"])}, 2**bits - 1
        name = self.pick(["discrete_rectangles", "point_functions"])
        return {"name": name, "dimension": d, "bits": bits}, 2**bits - 1

    def learner(self, name: str, d: int) -> Settings:
        """Parameters of a learner of d features."""
        grid = {"low": 0.0, "high": 1.0, "size": int(self.coins.integers(1, 12))}
        selection = {"mechanism": self.pick(["exponential", "permute_and_flip"])}
        weights = {"weights": "discrete_laplace", "scale": self.pick(["paper", "teaching"])}
        weights |= {"patterns": self.pick(["all", "all", "nonempty"])}
        method = {"method": self.pick(METHODS), "delta": self.pick(DELTAS)}
        square = {"low": [0.0, 0.0], "high": [1.0, 1.0]}
        entries = {"n_unlabelled": self.pick([0, 1, 30, 150, 500]), "size": self.pick([None, 1, 2, 5])}
        constants = {"r": 8, "r0": 6, "eps0": 0.25, "a0": 0.01, "b0": 0.1}
        inner = {"name": self.pick(["sspp", "rrspm"]), "epsilon": self.epsilon()}
        integer = weights if inner["name"] == "rrspm" and self.coins.random() < 0.7 else {}
        parts = {"parts": self.pick([1, 5, 100]), "delta": self.pick([delta for delta in DELTAS if delta])}
        parameters: dict[str, Settings] = {
            "sspp": selection,
            "sspp_with_grid": selection | {"size": self.pick([1, 3])},
            "rrspm": weights,
            "rspm": weights,
            "query_release": method,
            "query_release_learner": method,
            "grid_query_release": method | grid,
            "fixed_grid": grid,
            "log_grid": {"low": 0.01},
            "every_threshold": {"bits": self.pick([1, 5, 20, 50])},
            "pattern_vote": parts | {"oracle": "exact"},
            "learn_half": {**selection, "privacy": "any", "mode": self.pick(["facet", "full"]), "grid": square},
            "table_release": {"delta": method["delta"], "ways": self.pick([1, 2]), "rounds": self.pick([0, 1])},
            "generic_learner": entries | {"sanitizer": {"name": self.pick(["net", "quasi_concave", "tree", "strips"])}},
            "active_subsampling": {"n_labelled": self.pick([1, 5]), "n": self.pick([5, 20])}
            | {"learner": {"name": "all_concepts", "epsilon": self.pick([0.1, 1, 20])}},
            "label_boost": {"n": self.pick([1, 10]), "alpha": 0.9, "beta": 0.9, "accounting": "exact"}
            | {"constants": constants, "learner": {"name": "all_concepts", "epsilon": self.pick([1, 0.5])}},
            "public_data_reduction": {"n_public": 1, "n_private": self.pick([10, 40, 600]), "learner": inner | integer}
            | {"marginal": {"name": "uniform", "dimension": d}},
        }
        own = {} if name in ("label_boost", "public_data_reduction") else {"epsilon": self.epsilon()}
        return {"name": name, **own, **parameters.get(name, {})}

    def what(self) -> tuple[Settings, int, int | None]:
        """Class and learner, with dimension and the largest integer if features are integers."""
        name = str(self.pick(LEARNERS))
        d = int(self.coins.integers(1, 3))
        learner = self.learner(name, d)
        whole = name in WHOLE or (name not in REAL and self.coins.random() < 0.35)
        if name == "generic_learner":
            d = 2 if learner["sanitizer"]["name"] == "strips" else 1
            box: Settings = {"name": "discrete_rectangles", "dimension": d, "bits": 3}
            return {"class": box, "learner": learner}, d, 7
        if name == "table_release":
            return {"learner": learner}, d, 3
        if name == "learn_half":
            return {"class": {"name": "halfspaces", "dimension": 2}, "learner": learner}, 2, None
        if name == "every_threshold":
            return {"class": {"name": "halfspaces", "dimension": 1}, "learner": learner}, 1, None
        if not whole:
            return {"class": self.real(d), "learner": learner}, d, None
        declared, largest = self.whole(d)
        return {"class": declared, "learner": learner}, d, largest


LEARNERS = [
    *(3 * ["sspp", "rrspm", "query_release"]),
    "sspp_with_grid",
    "table_release",
    "table_release",
    "rspm",
    "grid_query_release",
    "query_release_learner",
    "fixed_grid",
    "log_grid",
    "every_threshold",
    "pattern_vote",
    "learn_half",
    "generic_learner",
    "generic_learner",
    "all_concepts",
    "active_subsampling",
    "label_boost",
    "public_data_reduction",
]
WHOLE = ("rspm", "generic_learner", "all_concepts", "active_subsampling", "label_boost")
REAL = ("log_grid", "fixed_grid", "sspp_with_grid", "grid_query_release", "public_data_reduction")
ENTRIES = ("generic_learner", "label_boost")
"""Learners whose private data are entries with and without labels."""
NOT_PUBLIC = (*WHOLE, "grid_query_release", "fixed_grid", "log_grid", "every_threshold", "public_data_reduction")


def asked(folder: Path, seed: int, most: int = 40) -> tuple[Path, Settings]:
    """Write random tables, a ledger that affords anything, and a request; return its path and its settings."""
    asker = Asker(seed)
    folder.mkdir(parents=True, exist_ok=True)
    what, d, largest = asker.what()
    columns = ["a", "b"][:d]
    m, n = int(asker.pick([1, 2, 3, 9, 20, most])), int(asker.pick([1, 2, 4, 9, 60, 200]))
    for name, rows in (("public", m), ("private", n), ("more", 200)):
        table = asker.coins.integers(0, 101 if largest is None else largest + 1, (rows, d))
        labels = asker.coins.integers(0, 2, rows)
        lines = [
            ",".join([*map(str, row), "yes" if y else "no"]) for row, y in zip(table.tolist(), labels, strict=True)
        ]
        (folder / f"{name}.csv").write_text("\n".join([",".join([*columns, "y"]), *lines]) + "\n")
    kind = {"range": [0, 100]} if largest is None else {"integers": [0, largest]}
    if what["learner"]["name"] == "table_release" and asker.coins.random() < 0.5:
        kind = {"categories": [0, 1, 2, 3]}
    learner = what["learner"]["name"]
    ledger = folder / "ledger.jsonl"
    if not ledger.exists():
        neighbours = "replace_entry" if learner in ENTRIES else "replace_private_example"
        Ledger.create(ledger, Budget(10**9, "0.9", neighbours, "0.7"))
    settings: Settings = {
        "release": "tried",
        "ledger": str(ledger),
        "private": {"path": str(folder / "private.csv")},
        "one_row_a_person": True,
        "size": "public",
        "features": dict.fromkeys(columns, kind),
        "results": str(folder / "results"),
        **what,
    }
    if learner not in NOT_PUBLIC:
        settings["public"] = {"path": str(folder / "public.csv")}
    if learner in ENTRIES:
        settings["unlabelled"] = {"path": str(folder / "more.csv")}
    if learner != "table_release":
        settings["label"] = {"column": "y", "one": ["yes"], "zero": ["no"], "unknown": 0}
    held_out = {"share": asker.pick([0.5, 0.2, 0.1, 0.05]), "epsilon": str(asker.epsilon())}
    if learner not in ("query_release", "grid_query_release", "table_release") and asker.coins.random() < 0.4:
        settings["held_out"] = held_out
        if asker.coins.random() < 0.5 and "unlabelled" not in settings:
            other = {"class": what["class"], "learner": {"name": "sspp", "epsilon": asker.epsilon()}}
            settings["candidates"] = [{key: settings.pop(key) for key in ("class", "learner")}, other]
            settings["held_out"]["choice"] = str(asker.epsilon())
            settings["public"] = {"path": str(folder / "public.csv")}
    path = folder / "release.yaml"
    path.write_text(yaml.safe_dump(settings))
    return path, settings
