"""Text that fits its page: legends as wide as the page allows; titles and labels in several lines if they need them."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick
from matplotlib.container import Container
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend import Legend
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike

from semipriv.drawing.style import LEAST_SIZE

Colour = tuple[float, float, float]
"""Red, green and blue, in [0, 1]."""

LEAST_PANEL = 0.7
"""Least width of a panel that can be read, in inches."""
_LINE = 1.05
"""Distance between lines of text, as a factor."""
_TOUCH = 0.5
"""Least overlap, in points, at which two boxes of text touch: boxes are a little larger than their letters."""


_END = "end of a curve"
_AWAY = 6.0
"""Distance between a curve and the words at its end, in points."""


def typeset(text: str) -> str:
    r"""Return text as the papers print it: names of algorithms and sets are formulas, minus signs are long.

    What stands between dollar signs is left as it is.

    >>> typeset("A_SSPP: slope -1.02, $x-1$")
    '$A_{\\mathrm{SSPP}}$: slope −1.02, $x-1$'
    """
    letter = "\\mathcal{A}" if mpl.rcParams["font.family"] == ["serif"] else "A"
    parts = re.split(r"(\$[^$]*\$)", text)
    for i in range(0, len(parts), 2):
        plain = re.sub(r"\bA_([A-Z]\w+)", lambda name: f"${letter}_{{\\mathrm{{{name[1]}}}}}$", parts[i])
        plain = re.sub(r"\b([A-Z]{2,})_(\w)\^(\w)", r"$\\mathrm{\1}_\2^\3$", plain)
        parts[i] = re.sub(r"(?<![\w-])-(?=[\d.])", "\N{MINUS SIGN}", plain)
    return "".join(parts)


NOUGHT = "0 in all trials"
"""What a legend calls the mark of a mean that is exactly 0."""
_NOUGHT = "nought"
_LOWEST, _STEP = 0.03, 0.07
"""Where marks of noughts stand, one above the other, as shares of a panel's height."""


def mark_noughts(axes: Axes, label: str = "exactly 0") -> None:
    """On a logarithmic axis, which has no 0, draw a digit 0 at its foot for each point of a curve that is exactly 0.

    The curve is interrupted there, instead of falling like a cliff.  Digits have the colour of their curve, and those
    at one place stand one above the other.
    """
    if axes.get_yscale() != "log":
        return
    marks = [line for line in axes.get_lines() if line.get_gid() == _NOUGHT]
    labels = {str(line.get_label()) for line in marks}
    below = Counter(float(x) for line in marks for x in np.asarray(line.get_xdata(), float))
    for line in axes.get_lines():
        if line.get_transform() is not axes.transData:
            continue
        xs, ys = (np.atleast_1d(np.asarray(values, float)) for values in (line.get_xdata(), line.get_ydata()))
        zero = ys == 0
        if not zero.any():
            continue
        line.set_ydata(np.where(zero, np.nan, ys))
        heights = [_LOWEST + _STEP * below[x] for x in xs[zero]]
        below.update(xs[zero].tolist())
        axes.plot(
            xs[zero],
            heights,
            transform=axes.get_xaxis_transform(),
            linestyle="none",
            marker="$0$",
            markersize=4.5,
            color=line.get_color(),
            label="_nolegend_" if label in labels else label,
            gid=_NOUGHT,
            zorder=5,
        )
        labels.add(label)


def shared_legend(figure: Figure | SubFigure, columns: int = 3, panels: Iterable[Axes] | None = None) -> None:
    """Draw one legend below all panels, with each entry of panels (None: all) once, in fewer columns on a narrow page.

    Entries stand in the order in which they were drawn.  Before a list becomes a single column its letters become
    smaller.  Fewer columns need more rows, and each additional row makes the figure higher.
    """
    entries: dict[str, Artist] = {}
    panels = list(figure.axes if panels is None else panels)
    for axes in panels:
        mark_noughts(axes)
        for label, handle in _entries(axes):
            entries.setdefault(typeset(label), handle)
    rows = [math.ceil(len(entries) / number) for number in range(1, columns + 1)]
    usual = float(mpl.rcParams["legend.fontsize"])
    tries = [(number, usual) for number in range(columns, 1, -1)] + [(2, LEAST_SIZE)] * (columns > 1) + [(1, usual)]
    for number, size in tries:
        legend = figure.legend(
            list(entries.values()), list(entries), loc="outside lower center", ncols=number, fontsize=size
        )
        if number == 1 or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()
    _grow(figure, rows[number - 1] - rows[-1])


def _entries(axes: Axes) -> list[tuple[str, Artist]]:
    """Return the labels of a panel with what they name, in the order in which it was drawn."""
    children = axes.get_children()

    def place(entry: tuple[str, Artist | Container]) -> int:
        artist = entry[1]
        parts = [artist] if isinstance(artist, Artist) else artist.get_children()
        return min((children.index(part) for part in parts if part in children), default=len(children))

    handles, labels = axes.get_legend_handles_labels()
    return sorted(zip(labels, handles, strict=True), key=place)


def label_end(axes: Axes, x: float, y: float, words: str, colour: Colour) -> None:
    """Write words right of the end (x, y) of a curve, in its colour.

    ``fit`` moves words apart that would touch; a thin line joins them to their curve.
    """
    axes.annotate(
        words,
        (x, y),
        (_AWAY, 0),
        textcoords="offset points",
        va="center",
        color=colour,
        fontsize="x-small",
        gid=_END,
        annotation_clip=False,
        arrowprops={
            "arrowstyle": "-",
            "color": colour,
            "linewidth": 0.6,
            "shrinkA": 1,
            "shrinkB": 2,
            "relpos": (0, 0.5),
        },
    )


def ticks_at(axes: Axes, places: ArrayLike) -> None:
    """Put ticks of the x axis at the distinct places, with their numbers, and nowhere else."""
    distinct = np.unique(places)
    axes.set_xticks(distinct, [f"{x:g}" for x in distinct])
    axes.minorticks_off()


def head(figure: Figure, headline: str) -> None:
    """Say above a figure what is seen on it; its own title, the setting, stands below that."""
    setting = figure.get_suptitle()
    figure.suptitle("\n".join(filter(None, [headline, setting])), fontsize="medium", fontweight="bold")
    _grow(figure, 1)


def fit(figure: Figure, highest: float) -> None:
    """Make the text of a figure readable on its page, and typeset it.

    No text is smaller than LEAST_SIZE.  If a title or a label of an axis sticks out of the page or touches another
    text, it is broken into lines.  If labels of ticks at given places touch, every second one is left out.  The figure
    becomes higher by the additional lines, but not higher than ``highest``, in inches.  Points that are 0 on a
    logarithmic axis are marked.
    """
    for axes in figure.axes:
        mark_noughts(axes)
    for text in _every(figure):
        text.set_fontsize(max(text.get_fontsize(), LEAST_SIZE))
        text.set_linespacing(_LINE)
        text.set_text(typeset(text.get_text()))
    figure.draw_without_rendering()
    changed = _thin_ticks(figure) + _break_lines(figure)
    if figure.get_figheight() > highest:
        figure.set_figheight(highest)
        changed += 1
    if changed:
        figure.draw_without_rendering()
    with mpl.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)  # of a figure without one, files are drawn once and not twice
    for axes in figure.axes:
        _spread_ends(axes)


def _every(artist: Artist) -> Iterator[Text]:
    """Yield all texts below an artist, without labels of minor ticks that have none: walking to these makes them."""
    if isinstance(artist, Text):
        yield artist
    children = artist.get_children()
    if isinstance(artist, Axes):
        axes = (artist.xaxis, artist.yaxis)
        children = [child for child in children if child not in axes]
        for axis in axes:
            children += [axis.label, axis.offsetText, *_ticks(axis)]
    for child in children:
        yield from _every(child)


def _ticks(axis: Axis) -> list[Tick]:
    """Return the ticks of an axis that may have a label."""
    minor = [] if isinstance(axis.get_minor_formatter(), NullFormatter) else axis.get_minor_ticks()
    return [*axis.get_major_ticks(), *minor]


def faults(figure: Figure) -> tuple[str, ...]:
    """Return what cannot be read in a drawn figure.

    These are texts that stick out, texts that touch, curves below a legend, and narrow panels.
    """
    faults = [f"{_told(text)} sticks out of the page" for text, box in _texts(figure) if _outside(figure, box)]
    for (text, here), (other_text, there) in combinations(_texts(figure), 2):
        if _touch(figure, here, there):
            faults.append(f"{_told(text)} and {_told(other_text)} overlap")
    faults += [f"a legend covers curves of {_told(axes.title)}" for axes in figure.axes if _covers(axes)]
    width = min((axes.bbox.width / figure.dpi for axes in figure.axes if _is_panel(axes)), default=math.inf)
    if width < LEAST_PANEL:
        faults.append(f"a panel is only {width:.2f} in wide")
    return tuple(faults)


def _covers(axes: Axes) -> bool:
    """Return whether the legend of a panel lies on one of its curves."""
    legend = axes.get_legend()
    if legend is None:
        return False
    box = legend.get_window_extent()
    paths = [
        line.get_transform().transform_path(line.get_path()) for line in axes.get_lines() if np.size(line.get_xdata())
    ]
    return any(path.intersects_bbox(box, filled=False) for path in paths)


def _is_panel(axes: Axes) -> bool:
    """Return whether axes hold data instead of a bar of colours."""
    return axes.axison and axes.get_label() != "<colorbar>"


def _texts(figure: Figure) -> list[tuple[Text, Bbox]]:
    """Return the visible texts of a figure with their boxes in pixels, without labels of ticks beyond the axis."""
    return [
        (text, _box(text))
        for text in _visible(figure)
        if text.get_text().strip() and text.get_visible() and text.get_alpha() != 0
    ]


def _box(text: Text) -> Bbox:
    """Return the box of a text in pixels, without the line that joins it to what it names."""
    return Text.get_window_extent(text)


def _visible(artist: Artist) -> Iterator[Text]:
    """Yield the texts that are drawn with an artist."""
    for child in artist.get_children():
        if not child.get_visible():
            continue
        if isinstance(child, Axes) and not child.axison:
            yield from (child.title, *child.texts)
        elif isinstance(child, Axes):
            yield from (text for text in (child.title, child.xaxis.label, child.yaxis.label, *child.texts))
            for axis in (child.xaxis, child.yaxis):
                low, high = sorted(axis.get_view_interval())
                ticks = _ticks(axis)
                yield from (t.label1 for t in ticks if low <= t.get_loc() <= high and t.label1.get_visible())
        elif isinstance(child, Text):
            yield child
        elif isinstance(child, (SubFigure, Legend)):
            yield from child.findobj(Text) if isinstance(child, Legend) else _visible(child)


def _outside(figure: Figure, box: Bbox) -> bool:
    slack = _TOUCH * figure.dpi / 72
    page = figure.bbox
    return bool(
        box.x0 < page.x0 - slack or box.y0 < page.y0 - slack or box.x1 > page.x1 + slack or box.y1 > page.y1 + slack
    )


def _touch(figure: Figure, first: Bbox, second: Bbox) -> bool:
    common = Bbox.intersection(first, second)
    return common is not None and min(common.width, common.height) > _TOUCH * figure.dpi / 72


def _told(text: Text) -> str:
    words = " ".join(text.get_text().split())
    return repr(words if len(words) <= 40 else words[:37] + "...")


def _thin_ticks(figure: Figure) -> int:
    """Leave out every second label of an axis with given ticks until no two of its labels touch.

    Return how often that was done.
    """
    done = 0
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if not isinstance(axis.get_major_locator(), FixedLocator):
                continue
            before = done
            every = axis.get_ticklabels()
            labels = [label for label in every if label.get_text()]
            boxes = [label.get_window_extent() for label in labels]
            while any(_touch(figure, first, second) for first, second in pairwise(boxes)):
                labels, boxes = labels[::2], boxes[::2]
                done += 1
            if done > before:
                shown = [label.get_text() if label in labels else "" for label in every]
                axis.set_major_formatter(FixedFormatter(shown))
    return done


def _spread_ends(axes: Axes) -> None:
    """Move words at the ends of curves up or down, as little as is needed for none to touch another."""
    words = [text for text in axes.texts if isinstance(text, Annotation) and text.get_gid() == _END]
    words.sort(key=lambda text: float(axes.transData.transform(text.xy)[1]))
    groups: list[tuple[float, float, int]] = []  # middle, height and number of labels that stand together
    for text in words:
        middle = float(axes.transData.transform(text.xy)[1])
        height, number = _box(text).height, 1
        while groups and groups[-1][0] + groups[-1][1] / 2 > middle - height / 2:
            other, below, count = groups.pop()
            middle, height, number = (
                (other * count + middle * number) / (count + number),
                height + below,
                number + count,
            )
        groups.append((middle, height, number))
    places = [middle - height / 2 + height * (i + 0.5) / n for middle, height, n in groups for i in range(n)]
    for text, place in zip(words, places, strict=True):
        here = float(axes.transData.transform(text.xy)[1])
        text.set_position((_AWAY, (place - here) * 72 / mpl.rcParams["figure.dpi"]))


def _break_lines(figure: Figure) -> int:
    """Break titles and labels of axes into lines as long as the axis, if they stick out or touch another text.

    Break the texts of the whole figure to its width.  Return the number of added lines.
    """
    placed = _texts(figure)
    lines = 0
    for axes in figure.axes:
        for text, room in (
            (axes.title, axes.bbox.width),
            (axes.xaxis.label, axes.bbox.width),
            (axes.yaxis.label, axes.bbox.height),
        ):
            box = text.get_window_extent()
            others = [there for other, there in placed if other is not text]
            if text.get_text() and (_outside(figure, box) or any(_touch(figure, box, there) for there in others)):
                lines = max(lines, _break(text, room))
    lines += sum(_break(text, figure.bbox.width) for text in figure.texts)
    _grow(figure, lines)
    return lines


def _break(text: Text, room: float) -> int:
    """Break a text between words into lines of at most ``room`` pixels; return the number of added lines."""
    before = text.get_text()
    lines: list[str] = []
    for line in before.split("\n"):
        lines.append("")
        for word in _words(line):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and _length(text, longer) > room:
                lines.append(word)
            else:
                lines[-1] = longer
    text.set_text("\n".join(lines))
    return len(lines) - before.count("\n") - 1


def _words(line: str) -> list[str]:
    """Return the words of a line; a formula between dollar signs is not broken.

    >>> _words("error of A, $d = 1$: mean")
    ['error', 'of', 'A,', '$d = 1$:', 'mean']
    """
    return re.findall(r"(?:\$[^$]*\$|[^\s$])+", line)


def _length(text: Text, words: str) -> float:
    """Write words into this text, and return their length in pixels."""
    text.set_text(words)
    box = text.get_window_extent()
    return float(box.height if text.get_rotation() == 90 else box.width)


def _grow(part: Figure | SubFigure, lines: int) -> None:
    """Make a figure higher by a number of lines in the size of its legend."""
    figure = part.get_figure(root=True)
    assert figure is not None
    size = 1.25 * float(Text(fontsize="medium").get_fontsize())
    figure.set_figheight(figure.get_figheight() + lines * size / 72)
