"""``table_regions``: the held-out points in each panel; outlines of the first releases in units of the table."""

import json

import numpy as np
from drawn import PanelText, Shown, curve, like, outline

from semipriv.core.arrays import from_column
from semipriv.learners.outputs.base import restored
from semipriv_lab.figures.plots.table_regions import clipped


def shown(tables, axes_names, classes, lines=15, title="", learner=None) -> list[Shown]:
    held = tables["held"].iloc[0]
    points = np.reshape(held["points"], (-1, 2)) * held["scale"] + held["centre"]
    trials = tables["trials"]
    trials = trials[trials["trial"].isin(np.unique(tables["public"]["trial"])[:lines])]
    own = trials[[_is(row, learner or {}) for _, row in trials.iterrows()]]
    epsilons = np.unique(own["epsilon"])
    panels = [own[own["epsilon"] == epsilon] for epsilon in epsilons] + [trials[trials["neighbours"].isna()]]
    span = points.max(axis=0) - points.min(axis=0)
    low, high = points.min(axis=0) - 0.1 * span, points.max(axis=0) + 0.1 * span
    marks = []
    for panel, part in enumerate(panels):
        for label, name in enumerate(classes):
            marks.append(curve(panel, *points[held["labels"] == label].T, like(name)))
        for _, row in part.iterrows():
            rows, label = _region(row, tables["public"])
            corners = clipped(low, high, rows)
            if len(corners):
                marks += [outline(panel, corners)] * (2 if label == 0 else 1)
    return marks


def _region(row, public) -> tuple[np.ndarray, int]:
    """The halfspaces w.x + b >= 0 of a release, for features in the units of the table, and its label inside."""
    (scaling,) = public[public["trial"] == row["trial"]][["centre", "scale"]].to_numpy()
    centre, scale = map(np.asarray, scaling)
    output = restored(row["output"], from_column(row["arrays"]))
    region = output.functions.outline(output.parameters)
    weights = region.halfspaces[:, :2] / scale
    return np.column_stack([weights, region.halfspaces[:, 2] - weights @ centre]), region.label


def _is(row, learner) -> bool:
    given = json.loads(row["parameters"]) | {"name": row["name"]}
    return row["role"] == "paper" and all(given[key] == value for key, value in learner.items())


def texts(tables, axes_names, classes, lines=15, title="", learner=None) -> list[PanelText]:
    trials, splits = tables["trials"], np.unique(tables["public"]["trial"])[:lines]
    trials = trials[trials["trial"].isin(splits)]
    own = trials[[_is(row, learner or {}) for _, row in trials.iterrows()]]
    (name,) = own["title"].unique()
    names = [f"{name}, $\\varepsilon={epsilon:g}$" for epsilon in np.unique(own["epsilon"])] + ["not private"]
    labels = {_region(row, tables["public"])[1] for _, row in trials.iterrows()}
    legend = (f"{name}, {len(splits)} splits", *([f"labelled {classes[0]}"] if 0 in labels else []))
    legend += (*trials[trials["neighbours"].isna()]["title"].unique(), *classes)
    return [
        PanelText(
            words,
            axes_names[0] if i >= 3 * ((len(names) - 1) // 3) else "",
            "" if i % 3 else axes_names[1],
            legend=legend,
        )
        for i, words in enumerate(names)
    ]
