"""What all figures share: their inputs, names and colours, and files with reproducible bytes."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semipriv import registry, tables
from semipriv.figures._fitting import faults, fit
from semipriv.figures._style import RESOLUTION, SCREEN, STYLES, Style, in_force
from semipriv.files import atomic
from semipriv.ledger.table import MEASUREMENTS
from semipriv.rules.schemas import SAMPLES, SLOPES, SUMMARY, TRIALS

NAMES = {
    "sspp": "A_SSPP",
    "sspp, permute_and_flip": "A_SSPP with permute-and-flip",
    "empirical_risk_minimiser, class": "ERM, not private",
    "empirical_risk_minimiser, cover": "ERM over the cover, not private",
    "public_labelled": "ERM on labelled public points",
    "fixed_grid": "fixed grid, no public data",
    "discard_private": "discard the private sample",
    "logistic_regression": "logistic regression, not private",
}
"""How learners are called in figures, in the order of legends and colours."""

MIXED_NAMES = {
    "learn_half": "A_LearnHalf",
    "learn_half, permute_and_flip": "A_LearnHalf with permute-and-flip",
    "pooled, empirical_risk_minimiser": "ERM on everything, not private",
    "pooled, fixed_grid": "fixed grid, everything private",
    "pooled, logistic_regression": "logistic regression on everything, not private",
}
"""Learners of mixed samples."""

_LIKE = {
    "learn_half": "sspp",
    "learn_half, permute_and_flip": "sspp, permute_and_flip",
    "pooled, empirical_risk_minimiser": "empirical_risk_minimiser, class",
    "pooled, fixed_grid": "fixed_grid",
    "pooled, logistic_regression": "logistic_regression",
}
"""Learners of mixed samples have the colours of those that do the same where public and private are drawn apart."""

MARKERS = "osD^vP"
"""Markers of curves that differ in one number, beside colours."""

OWN = (NAMES["sspp"], MIXED_NAMES["learn_half"])
"""The learners of the papers: drawn on top, with the theory beside them."""

_LOOK: dict[str, Any] = {"linewidth": 1.2, "marker": "o", "markersize": 3}
_DASHES: dict[str, Any] = {"linewidth": 1.2, "linestyle": (0, (2, 3)), "marker": "^", "markersize": 2}
_MARKERS = {
    "empirical_risk_minimiser, class": "s",
    "public_labelled": "v",
    "fixed_grid": "D",
    "discard_private": "P",
    "logistic_regression": "X",
    "pooled, empirical_risk_minimiser": "s",
    "pooled, fixed_grid": "D",
    "pooled, logistic_regression": "X",
}
_OTHERS = "ov^<>ph*"
_LOOKS: dict[str, dict[str, Any]] = {
    **{(NAMES | MIXED_NAMES)[key]: _LOOK | {"marker": marker} for key, marker in _MARKERS.items()},
    NAMES["empirical_risk_minimiser, cover"]: {"linewidth": 4, "alpha": 0.5},
    NAMES["sspp, permute_and_flip"]: _DASHES,
    MIXED_NAMES["learn_half, permute_and_flip"]: _DASHES,
}
"""A marker of its own for each, to be told apart without colours; a wide pale line below A_SSPP, and dashes above it:
the three often lie on one another, which is the point."""

AXES = {
    "n": "size $n$ of the mixed sample",
    "private_zeros": "P[private | y = 0]",
    "n_public": "public points $n_{\\mathrm{public}}$",
    "n_private": "private examples $n_{\\mathrm{private}}$",
    "sigma": "smoothness $\\sigma$ of the private law",
    "epsilon": "privacy parameter $\\varepsilon$",
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
    """Tables of results by name, as far as the figure's rule hands them over; a list of files is one table."""

    paths: Mapping[str, str | Path | Sequence[str | Path]]

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Read a table as a data frame; the settings of measurements become a column each."""
        found = self.paths[name]
        files = [found] if isinstance(found, (str, Path)) else found
        frame = pd.concat([tables.read(path, SCHEMAS[name]).to_pandas() for path in files], ignore_index=True)
        if "settings" not in frame:
            return frame
        settings = pd.DataFrame([json.loads(text) for text in frame["settings"]], index=frame.index)
        return frame.drop(columns="settings").join(settings)


@dataclass(frozen=True)
class Sheet:
    """The page of a figure: its size in inches, what cannot be read on it, and what could not on a narrower one."""

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
    """Draw the figure that a specification names (JSON: its room, name and options) and save it, as .pdf or .png.

    On the narrowest page of the style on which all of it can be read, the widest if there is none.
    """
    given = json.loads(specification)
    draw = registry.load(given.pop("room"), given.pop("name"))
    narrower: tuple[str, ...] = ()
    for width in style.widths:
        with in_force(style, width):
            figure = draw(Results(inputs), **given)
            fit(figure, style.height)
            sheet = Sheet(figure.get_figwidth(), figure.get_figheight(), faults(figure), narrower)
            if not sheet.faults or width == style.text:
                save(figure, *paths)
            plt.close(figure)
        narrower = sheet.faults
        if not sheet.faults:
            break
    return sheet


def learner_names(frame: pd.DataFrame) -> pd.Series:
    """How the learners of a summary or trials table are called in figures: one name for each learner but for epsilon.

    Variants of one learner in one case carry the parameters in which they differ; an unknown learner goes by its own
    name.
    """

    def name(row: pd.Series) -> str:
        key = str(row["name"])
        if key == "pooled":
            key += ", " + parameters(row["variant"])["learner"].partition("(")[0]
        if "permute_and_flip" in row["variant"]:
            key += ", permute_and_flip"
        if key == "empirical_risk_minimiser":
            key += ", cover" if "over=cover" in row["variant"] else ", class"
        return (NAMES | MIXED_NAMES).get(key, key)

    shown = frame.apply(name, axis=1)
    found: dict[str, str] = {}
    for (_, what), variants in frame["variant"].groupby([frame["case"], shown]):
        for one in set(variants):
            differing = {key for other in set(variants) for key in _differing(one, other)}
            words = ", ".join(f"{key}={value}" for key, value in parameters(one).items() if key in differing)
            longest = max(found.get(f"{what} {one}", ""), words, key=len)
            found[f"{what} {one}"] = longest
    extra = [found[f"{what} {one}"] for what, one in zip(shown, frame["variant"], strict=True)]
    return shown + pd.Series([f" ({words})" if words else "" for words in extra], index=frame.index, dtype=object)


def parameters(variant: str) -> dict[str, str]:
    """The parameters of a variant and their values, which may have commas inside parentheses.

    >>> parameters("subset=3, grid=Grid(low=(0.0, 0.0), high=(1.0, 2.0))")
    {'subset': '3', 'grid': 'Grid(low=(0.0, 0.0), high=(1.0, 2.0))'}
    """
    parts, depth = [""], 0
    for letter in variant:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    pairs = (part.strip().partition("=") for part in parts if part.strip())
    return {key: value for key, _, value in pairs}


def _differing(one: str, other: str) -> set[str]:
    """Parameters in which two variants differ."""
    mine, theirs = parameters(one), parameters(other)
    return {key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key)}


def order(shown: pd.Series) -> list[str]:
    """The names in a table: those that all figures know first, the papers' own last, so that they are on top."""
    known = [name for name in (NAMES | MIXED_NAMES).values() if name in set(shown)]
    names = known + sorted(
        set(shown) - set(known), key=lambda name: [part.zfill(9) for part in re.split(r"(\d+)", name)]
    )
    return sorted(names, key=lambda name: name.startswith(OWN))


def colours(shown: pd.Series) -> dict[str, tuple[float, float, float]]:
    """A colour for each name: the same in every figure for those that all figures know."""
    known = dict(zip(NAMES.values(), sns.color_palette("colorblind", len(NAMES)), strict=True))
    known |= {MIXED_NAMES[key]: known[NAMES[like]] for key, like in _LIKE.items()}
    others = [name for name in order(shown) if name not in known]
    return known | dict(zip(others, sns.husl_palette(len(others), s=0.6), strict=True))


def looks(shown: pd.Series) -> dict[str, dict[str, Any]]:
    """Line and marker for each name, so that curves can be told apart without colours."""
    others = [name for name in order(shown) if name not in _LOOKS and name not in OWN]
    return (
        dict.fromkeys(OWN, _LOOK)
        | _LOOKS
        | {name: _LOOK | {"marker": marker} for name, marker in zip(others, cycle(_OTHERS), strict=False)}
    )


def band(axes: Axes, frame: pd.DataFrame, x: str, label: str, colour: object, look: Mapping[str, Any]) -> None:
    """Mean with its 95 % limits against x, on a logarithmic axis.

    Means that are not positive are left out; a lower limit below mean / 50 is drawn there.
    """
    rows = frame[frame["mean"] > 0].sort_values(x)
    axes.plot(rows[x], rows["mean"], color=colour, label=label, **look)
    low = np.maximum(rows["low"], rows["mean"] / 50)
    axes.fill_between(rows[x], low, rows["high"], color=colour, alpha=0.2, linewidth=0)


def save(figure: Figure, *paths: str | Path) -> None:
    """Write a figure to files whose suffixes name the formats."""
    for path in paths:
        with atomic(path) as target:
            save_as(figure, target)


def save_as(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the suffix names, without a date, so that equal figures have equal bytes."""
    if path.suffix == ".pdf":
        figure.savefig(path, metadata={"CreationDate": None, "ModDate": None})
    else:
        figure.savefig(path, dpi=RESOLUTION, metadata={"Software": None})
