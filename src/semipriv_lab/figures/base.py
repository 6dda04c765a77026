"""What all figures share: inputs, names and colours of learners, and files with reproducible bytes."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from semipriv.core import registry, tables
from semipriv.core.roles import Role
from semipriv.core.statistics import Verdict
from semipriv.drawing.files import save
from semipriv.drawing.fitting import NOUGHT, faults, fit, head, mark_noughts
from semipriv.drawing.style import SCREEN, STYLES, Style, in_force
from semipriv_lab.experiments.schemas import SAMPLES, SLOPES, SUMMARY, TRIALS
from semipriv_lab.figures.looks import hue, look, shade
from semipriv_lab.ledger.table import MEASUREMENTS

OWN = (Role.PAPER, Role.VARIANT)
"""Roles of the papers' learners: drawn on top, with the theory beside them."""

SYMBOLS = {
    "n": "n",
    "private_zeros": "P[\\mathrm{private}\\;|\\;y=0]",
    "n_public": "n_{\\mathrm{public}}",
    "n_private": "n_{\\mathrm{private}}",
    "n_labelled": "n_{\\mathrm{labelled}}",
    "n_unlabelled": "n_{\\mathrm{unlabelled}}",
    "bits": "b",
    "sigma": "\\sigma",
    "epsilon": "\\varepsilon",
}
"""Symbols of quantities, as formulas without dollar signs."""

AXES = {
    "n": f"size ${SYMBOLS['n']}$ of the mixed sample",
    "private_zeros": f"${SYMBOLS['private_zeros']}$",
    "n_public": f"public points ${SYMBOLS['n_public']}$",
    "n_private": f"private examples ${SYMBOLS['n_private']}$",
    "n_labelled": f"labelled examples ${SYMBOLS['n_labelled']}$",
    "n_unlabelled": f"unlabelled entries ${SYMBOLS['n_unlabelled']}$",
    "bits": f"bits ${SYMBOLS['bits']}$ of a point",
    "sigma": f"smoothness ${SYMBOLS['sigma']}$ of the private distribution",
    "epsilon": f"privacy parameter ${SYMBOLS['epsilon']}$",
    "excess": "excess error",
    "error": "error on the held-out part",
}


SCHEMAS = {
    "summary": SUMMARY,
    "slopes": SLOPES,
    "trials": TRIALS,
    "public": SAMPLES,
    "held": SAMPLES,
    "measurements": MEASUREMENTS,
}


@dataclass(frozen=True, eq=False)
class Results:
    """The tables of results that a figure gets, by name; a list of files is one table."""

    paths: Mapping[str, str | Path | Sequence[str | Path]]

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Read a table as a data frame; each setting of measurements becomes a column."""
        paths = self.paths[name]
        files = [paths] if isinstance(paths, (str, Path)) else paths
        frame = pd.concat([tables.read_frame(path, SCHEMAS[name]) for path in files], ignore_index=True)
        if "settings" not in frame:
            return frame
        settings = pd.DataFrame([json.loads(text) for text in frame["settings"]], index=frame.index)
        return frame.drop(columns="settings").join(settings)


@dataclass(frozen=True)
class Sheet:
    """The page of a figure.

    width, height: in inches.  faults: what cannot be read on it.  narrower: what cannot be read on the narrower
    page, if there is one.
    """

    width: float
    height: float
    faults: tuple[str, ...]
    narrower: tuple[str, ...] = ()


def draw_figure(
    specification: str,
    inputs: Mapping[str, str | Path | Sequence[str | Path]],
    *paths: str | Path,
    style: Style = STYLES[SCREEN],
) -> Sheet:
    """Draw the figure of a specification (JSON: its room, name and options), and save it as .pdf or .png.

    Its headline, which says what is seen, is left out if a measurement of the figure does not hold what it was judged
    by: the sentence was written for a run in which all do.

    The page is the narrowest one of the style on which all text can be read; if there is none, the widest one.
    """
    arguments = json.loads(specification)
    draw = registry.load(arguments.pop("room"), arguments.pop("name"))
    headline, results = arguments.pop("headline", ""), Results(inputs)
    narrower: tuple[str, ...] = ()
    for width in style.widths:
        with in_force(style, width):
            figure = draw(results, **arguments)
            if headline and not _contradicted(results):
                head(figure, headline)
            fit(figure, style.height)
            sheet = Sheet(figure.get_figwidth(), figure.get_figheight(), faults(figure), narrower)
            if not sheet.faults or width == style.text:
                save(figure, *paths)
            plt.close(figure)
        narrower = sheet.faults
        if not sheet.faults:
            break
    return sheet


def _contradicted(results: Results) -> bool:
    """Return whether a measurement was judged and did not turn out as it should."""
    if "measurements" not in results.paths:
        return False
    verdicts = results["measurements"]["verdict"].dropna()
    return bool(verdicts.isin([Verdict.VIOLATED.value, Verdict.INCONCLUSIVE.value]).any())


def of_measure(frame: pd.DataFrame, measure: str | None = None) -> pd.DataFrame:
    """Return the rows of one measure; by default of the only one, or of the first in the table."""
    if not len(frame):
        return frame
    return frame[frame["measure"] == (frame["measure"].iloc[0] if measure is None else measure)]


def learner_names(frame: pd.DataFrame) -> pd.Series:
    """Return the names that figures give to the learners of a table: their titles.

    If learners of one case share a title, the parameters in which they differ are added.  Learners that differ in
    epsilon alone share their name.
    """
    settings = {text: flat(json.loads(text)) for text in frame["parameters"].unique()}
    longest: dict[tuple[str, str], str] = {}
    for (_, title), texts in frame["parameters"].groupby([frame["case"], frame["title"]]):
        variants = [settings[text] for text in texts.unique()]
        keys = {
            key for variant in variants for key in variant if any(other.get(key) != variant[key] for other in variants)
        }
        for text in texts.unique():
            words = ", ".join(f"{key}={value}" for key, value in settings[text].items() if key in keys)
            longest[title, text] = max(longest.get((title, text), ""), words, key=len)
    extra = [longest[title, text] for title, text in zip(frame["title"], frame["parameters"], strict=True)]
    return frame["title"] + pd.Series([f" ({words})" if words else "" for words in extra], frame.index, dtype=object)


def flat(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters except epsilon; the parameters of an inner learner stand beside the others.

    >>> flat({"epsilon": 1.0, "size": 3, "learner": {"name": "fixed_grid", "epsilon": 0.5, "low": 0.0}})
    {'size': 3, 'name': 'fixed_grid', 'low': 0.0}
    """
    values: dict[str, Any] = {}
    for key, value in parameters.items():
        if key != "epsilon":
            values |= flat(value) if isinstance(value, dict) else {key: value}
    return values


@dataclass(frozen=True, eq=False)
class Learners:
    """The learners of a table, by the names that figures give them.

    order: the names; learners of the papers come last, so that they are drawn on top.  colours, looks: a colour, and a
    line with a marker, for each name.  Learners that differ in parameters alone have shades of one colour.
    """

    order: list[str]
    colours: dict[str, tuple[float, float, float]]
    looks: dict[str, dict[str, Any]]


def learners(frame: pd.DataFrame) -> Learners:
    """Return the learners of a table.

    frame: has the columns shown (``learner_names``), learner, title, role and parameters.
    """
    first = frame.drop_duplicates("shown").set_index("shown")
    roles = {name: Role(role) for name, role in first["role"].items()}
    names = {name: text.partition("(")[0] for name, text in first["learner"].items()}
    depth = {name: _depth(json.loads(text)) for name, text in first["parameters"].items()}
    plain = [name for name in first.index if name == first["title"][name]]
    plain.sort(key=lambda name: (depth[name], list(Role).index(roles[name])))
    rest = sorted(set(first.index) - set(plain), key=lambda name: [p.zfill(9) for p in re.split(r"(\d+)", name)])
    order = sorted([*plain, *rest], key=lambda name: roles[name] in OWN)
    place: dict[str, int] = {}
    seen: Counter[str] = Counter()
    for name in (*plain, *rest):
        place[name] = seen[names[name]]
        seen[names[name]] += 1
    colours = {name: shade(hue(names[name]), place[name]) for name in order}
    return Learners(order, colours, {name: dict(look(roles[name], place[name])) for name in order})


def _depth(parameters: Mapping[str, Any]) -> int:
    """Return the number of learners inside one another in the parameters of a learner."""
    return max(
        (1 + _depth(inner) for inner in parameters.values() if isinstance(inner, dict) and "name" in inner), default=0
    )


def band(
    axes: Axes,
    frame: pd.DataFrame,
    x: str,
    label: str,
    colour: object,
    look: Mapping[str, Any],
    nought: str = NOUGHT,
) -> None:
    """Draw the mean with its 95 % limits against x.

    On a logarithmic axis a mean of 0 is a mark at its foot, called ``nought``, means below 0 are left out, and a lower
    limit below mean / 50 is drawn at mean / 50.
    """
    rows = frame.sort_values(x)
    low = rows["low"]
    if axes.get_yscale() == "log":
        rows = rows[rows["mean"] >= 0]
        low = np.maximum(rows["low"], rows["mean"] / 50)
    axes.plot(rows[x], rows["mean"], color=colour, label=label, **look)
    mark_noughts(axes, nought)
    above = None if axes.get_yscale() == "linear" else (rows["mean"] > 0).to_numpy()
    axes.fill_between(rows[x], low, rows["high"], where=above, color=colour, alpha=0.2, linewidth=0)
