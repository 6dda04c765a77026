"""Figures of made-up tables, where those of the smoke run are too small to tell wrong from right; pictures of plans."""

import json
from collections.abc import Iterable
from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import PanelText, check_figure, check_looks, check_marks, check_words, curve, level, like, other_numbers
from figure_cases.excess import shown
from matplotlib.ticker import FixedLocator

from semipriv.classes.base import Hypothesis
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.rectangles import Rectangles
from semipriv.core.randomness import Source
from semipriv.core.registry import name_of, parameters
from semipriv.distributions.designs._inference import size_keys
from semipriv.drawing.style import page
from semipriv.learners._planned import ProvenExcess
from semipriv.learners.base import Learner
from semipriv.learners.empirical_risk_minimiser import EmpiricalRiskMinimiser
from semipriv.learners.fixed_grid import FixedGrid
from semipriv.learners.public_labelled import PublicLabelled
from semipriv.papers.abm19.bounds.sizes import bad_probability_bound
from semipriv.papers.abm19.learners.sspp import SSPP
from semipriv.practice.planner import _figure as _plan
from semipriv.practice.planner.plan import ExcessPlan, SizePlan, plan_excess, plan_sizes
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv_lab.experiments.config import Cell, label
from semipriv_lab.figures.plots import excess, table_errors
from semipriv_lab.workflow.storage import release_row


def test_heat_maps_of_two_learners() -> None:
    """Sixty trials of each, of which the levels cut off some; the second learner is worse by half."""
    generator = np.random.default_rng(1)
    rows, trials = [], []
    for i, learner in enumerate((SSPP(0.5), SSPP(0.5, "permute_and_flip"))):
        about = {"case": "all", "learner": str(i), "title": learner.title, "role": learner.role.value, "epsilon": 0.5}
        about |= {"name": name_of(learner), "parameters": str(parameters(learner)).replace("'", '"')}
        for m in (10, 30, 90, 300):
            for n in (100, 1000, 10_000):
                values = (1 + i / 2) * (1 / m + 10 / n) * generator.uniform(0.5, 1.5, 60)
                sizes = {"n_public": m, "n_private": n}
                rows.append(about | sizes | {"trials": 60, "beta": 0.1, "quantile": np.quantile(values, 0.9)})
                trials += [about | sizes | {"excess": value} for value in values]
    tables = {"summary": pd.DataFrame(rows), "trials": pd.DataFrame(trials)}
    options: dict[str, Any] = {"hypothesis_class": {"name": "thresholds"}, "levels": [0.05, 0.15], "title": "two"}
    check_figure("figures/plots", "heat_map", tables, options)


def test_panels_tell_their_own_sizes() -> None:
    """Two cases with other private sizes: what holds in one panel does not hold in the table."""
    learner = SSPP(0.5)
    about = {"learner": "a", "title": learner.title, "role": "paper", "epsilon": 0.5, "parameters": "{}"}
    about |= dict.fromkeys((*size_keys(), "bits"))
    about |= {"vacuous": False, "bound": None, "beta": 0.1, "measure": "population_error", "axis": "excess error"}
    rows = [
        about | {"case": case, "n_public": m, "n_private": n, "mean": n / m / 100, "low": n / m / 200}
        for case, n in (("one", 50), ("two", 6000))
        for m in (100, 1000, 10_000)
    ]
    summary = pd.DataFrame(rows).assign(high=lambda own: 2 * own["mean"], quantile=lambda own: 1.5 * own["mean"])
    slopes = pd.DataFrame(columns=["case", "role", "epsilon", "measure"])
    check_figure("figures/plots", "excess", {"summary": summary, "slopes": slopes}, {"x": "n_public"})


def curves(learners: Iterable[Learner], x: str, places: Iterable[float], **about: Any) -> list[dict[str, Any]]:
    """A row of a summary for each learner and place; numbers are filled in by ``other_numbers``."""
    return [
        {
            **dict.fromkeys((*size_keys(), "bits")),
            **{"case": "all", "n": None, "n_public": 40, "n_private": 900, "sigma": 1.0, "private_zeros": None},
            **{"measure": "population_error", "axis": "excess error", "trials": 9, "beta": 0.2, "vacuous": False},
            **{"title": learner.title, "role": learner.role.value, "name": name_of(learner)},
            **{"learner": label(learner), "parameters": json.dumps(parameters(learner))},
            **{"epsilon": getattr(learner, "epsilon", None), "quantity": "excess"},
            **dict.fromkeys(("mean", "low", "high", "quantile", "bound"), 1.0),
            **about,
            x: place,
        }
        for learner in learners
        for place in places
    ]


def filled(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return other_numbers(pd.DataFrame(rows).sample(frac=1, random_state=1).reset_index(drop=True))


def fitted(**about: Any) -> dict[str, Any]:
    return {"case": "all", "role": "paper", "epsilon": 1.0, "measure": "population_error", "x": "n_public", **about}


def test_growth_of_three_classes() -> None:
    """Dimensions and strips that differ; slopes of other learners and cases; a learner that the figure leaves out."""
    known = [SSPP(1.0), SSPP(1.0, "permute_and_flip"), EmpiricalRiskMinimiser()]
    dimensions = {"one": 1, "two": 2, "four": 4}
    rows = [
        row
        for case, d in dimensions.items()
        for row in curves(known, "n_public", (30, 100, 10), case=case, vc_dimension=d)
    ]
    slopes = [fitted(case=case, slope=-1 - d / 10, low=-2.0, high=-0.5) for case, d in dimensions.items()]
    slopes += [slope | {"role": "minimiser", "slope": -3.0} for slope in slopes[:2]]
    tables = {"summary": filled(rows).sort_values("vc_dimension"), "slopes": pd.DataFrame(slopes[::-1])}
    for options in ({"strips": {"one": 1.0, "four": 0.6}}, {}):
        check_figure("figures/plots", "growth", tables, options)


@pytest.mark.parametrize(("extra", "height"), [(1, 3.0), (5, 3.6)])
def test_errors_of_a_table_against_epsilon(extra: int, height: float) -> None:
    """Learners with and without epsilon, few and many of them, which get a higher page for their legend."""
    private = [SSPP(e, mechanism) for e in (3.0, 0.1, 1.0) for mechanism in ("exponential", "permute_and_flip")]
    plain = [EmpiricalRiskMinimiser(), EmpiricalRiskMinimiser("cover"), PublicLabelled()]
    grids = [FixedGrid(e, size=size) for size in range(2, 1 + extra) for e in (0.1, 3.0)]
    rows = filled(curves([*private, *plain, *grids], "sigma", [1.0], quantity="error"))
    check_figure("figures/plots", "table_errors", {"summary": rows}, {"title": "a table"})
    figure = table_errors.draw({"summary": rows})  # type: ignore[arg-type]
    assert figure.get_size_inches() == pytest.approx(page(height))
    plt.close(figure)


@pytest.mark.parametrize(
    ("places", "given"),
    [
        ((10, 30, 100), True),
        ((10, 2990), True),
        ((10, 3000), False),
        (tuple(range(10, 18)), True),
        (tuple(range(10, 19)), False),
    ],
)
def test_places_on_a_short_axis_are_labelled_themselves(places: tuple[int, ...], given: bool) -> None:
    """A short one hardly has a power of ten: less than a factor 300, and at most eight places."""
    tables = {"summary": filled(curves([SSPP(1.0)], "n_private", places)), "slopes": pd.DataFrame([fitted()])[:0]}
    figure = excess.draw(tables, "n_private")  # type: ignore[arg-type]
    axis = figure.axes[0].xaxis
    ticks = (
        [label.get_text() for label in axis.get_majorticklabels()]
        if isinstance(axis.get_major_locator(), FixedLocator)
        else []
    )
    assert ticks == ([f"{place:,}" for place in places] if given else [])
    plt.close(figure)


@pytest.mark.parametrize(
    ("x", "epsilons"), [("n_private", [2.0]), ("sigma", [0.5, 2.0]), ("private_zeros", [2.0, 0.5])]
)
def test_excess_by_case_and_epsilon(x: str, epsilons: list[float]) -> None:
    """Bounds for all, some, one and no places of a panel; guides, titles and slopes of some; another measure."""
    places = {"n_private": (10, 1000, 100_000), "sigma": (0.25, 1.0, 0.5), "private_zeros": (0.0, 0.5, 1.0)}[x]
    known = [SSPP(e, mechanism) for e in epsilons for mechanism in ("exponential", "permute_and_flip")]
    known += [EmpiricalRiskMinimiser(), SSPP(2.0, representative="lower")]
    rows = [row for case in ("one", "two", "three") for row in curves(known, x, places, case=case)]
    for row in rows:
        last = row[x] == max(places)
        row["vacuous"] = row["role"] == "paper" and (row["case"] == "two" or (row["case"] == "three" and not last))
        row["bound"] = None if row["vacuous"] or row["role"] != "paper" else 1.0
        row["quantile"] = 0.0 if row["case"] == "one" and last else 1.0
    other = [row | {"measure": "another", "axis": "another error"} for row in rows]
    fits = [
        fitted(
            case=case, epsilon=epsilon, measure=measure, slope=-i - epsilon, low=-9.0, high=i, low_x=10.0, high_x=1e3
        )
        for i, (case, epsilon, measure) in enumerate(
            (("one", 0.5, "population_error"), ("three", 2.0, "population_error"), ("three", 2.0, "another"))
        )
    ]
    tables = {"summary": filled(rows).sort_values("case", kind="stable"), "slopes": pd.DataFrame(fits)}
    guide = {"label": "a guide", "constant": 0.01, "power": -0.5}
    options: dict[str, Any] = {"x": x, "titles": {"two": "the second"}, "height": 2.5}
    if len(epsilons) == 1:
        options["guides"] = {"three": guide}
    own = fits[:2] if x != "private_zeros" else []
    tables["slopes"] = pd.DataFrame(own, columns=list(fits[0]))
    check_figure("figures/plots", "excess", tables, options)
    both = {"summary": filled([*rows, *other]), "slopes": pd.DataFrame(fits)}
    figure = excess.draw(both, x, measure="another")  # type: ignore[arg-type]
    try:
        check_marks("excess", figure, shown(both, x, measure="another"))
        assert {axes.get_ylabel() for axes in figure.axes} <= {"", "another error"}
        assert sum("slope" in axes.get_title() for axes in figure.axes) == 1
    finally:
        plt.close(figure)


def test_only_some_learners_and_means_below_the_axis() -> None:
    """The curve is interrupted where a mean is 0 or too small to be seen, and its mark is called so."""
    known = [SSPP(1.0), FixedGrid(1.0, size=5), EmpiricalRiskMinimiser()]
    tables = {"summary": filled(curves(known, "n_public", (10, 100, 1000))), "slopes": pd.DataFrame([fitted()])[:0]}
    options = {"x": "n_public", "only": ["sspp", "empirical_risk_minimiser"]}
    check_figure("figures/plots", "excess", tables, options)
    own = (tables["summary"]["name"] == "sspp") & (tables["summary"]["n_public"] == 10)
    tables["summary"].loc[own, "mean"] = 1e-9
    figure = excess.draw(tables, **options)  # type: ignore[arg-type]
    marks = [line for line in figure.axes[0].get_lines() if line.get_gid() == "nought"]
    assert [(line.get_label(), *line.get_xdata()) for line in marks] == [("0 or below $10^{-6}$", 10)]
    assert {line.get_label() for line in figure.axes[0].get_lines()}.isdisjoint({known[1].title})
    plt.close(figure)


def test_bad_events_of_two_classes() -> None:
    """Frequencies that fall through 0.05, so that the title compares the need with the bound."""
    rows = []
    for name, d, alpha in (("thresholds", 1, 0.2), ("halfspaces, d = 3", 4, 0.3)):
        for distribution in ("uniform", "atoms, unequal"):
            for m in (2, 5, 20, 80, 300):
                about = {
                    "claim": "ABM19-E1",
                    "class": name,
                    "d": d,
                    "alpha": alpha,
                    "distribution": distribution,
                    "n_public": m,
                }
                bad = min(0.9, (2 + d) * bad_probability_bound(4 * m, alpha, d)) if m < 300 else 0.0
                rows.append(about | {"quantity": "P[Bad]", "measured": bad, "low": 0.7 * bad, "high": bad + 0.01})
                for quantity, quantile, size in (
                    ("covering radius", 0.5, 1.0),
                    ("covering radius", 0.95, 1.4),
                    ("Bad diameter", 0.95, 1.9),
                ):
                    about |= {"quantile": quantile, "measured": size / m}
                    rows.append(about | {"quantity": quantity, "low": 0.9 * size / m, "high": 1.1 * size / m})
    check_figure("papers/abm19/figures", "bad_event", {"measurements": pd.DataFrame(rows)}, {})


def test_regions_of_splits_of_other_units() -> None:
    """Each split has its own centre and scale; whichever comes first in the table, none is drawn in another's units."""
    generator, learner = np.random.default_rng(2), SSPP(1.0)
    splits = [
        {"trial": trial, "centre": np.array([5.0 * trial, -trial]), "scale": np.array([1.0 + trial, 3.0 / (1 + trial)])}
        for trial in range(3)
    ]
    held = {
        "points": generator.normal(size=40),
        "labels": np.arange(20) % 2,
        "centre": np.zeros(2),
        "scale": np.ones(2),
    }
    rows, drawn = [], enumerate(((0.5, "paper"), (2.0, "paper"), (None, "minimiser")))
    for split, (i, (epsilon, role)) in product(splits, drawn):
        guarantee = None if epsilon is None else Guarantee(epsilon)
        theta = np.append(generator.normal(size=2) / split["scale"], generator.normal())
        release = Release(Hypothesis(Halfspaces(2), theta), guarantee, Source.SIMULATION, {})
        row = release_row(Cell(0, "all", {}), split["trial"], str(i), release)
        row |= {"case": "all", "role": role, "name": "sspp", "parameters": "{}", "epsilon": epsilon}
        rows.append(row | {"title": learner.title if epsilon else "not private"})
    tables = {"trials": pd.DataFrame(rows), "public": pd.DataFrame(splits[::-1]), "held": pd.DataFrame([held])}
    check_figure("figures/plots", "table_regions", tables, {"axes_names": ["x", "y"], "classes": ["no", "yes"]})


THEOREM, OURS, SIMULATED = "ABM19 theorem 3.1", "best split of the same proof (ours)", "simulated, not a proof"
CLASS = Rectangles(2)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Curves of few points, whose sizes are searched for once, not for the picture and again for its check."""
    monkeypatch.setattr(_plan, "POINTS", 9)
    monkeypatch.setattr(SSPP, "proven_sizes", sizes_at)


sizes_at = cache(SSPP.proven_sizes)


def marks(plan: SizePlan | ExcessPlan, points: list[tuple[int, float, int, str | None]]) -> None:
    """Check the picture of a plan: the proven sizes as curves, these points, and its words."""
    figure = _plan.draw(plan)
    try:
        alphas = figure.axes[0].get_lines()[0].get_xdata()
        answers = [alpha for _, alpha, _, _ in points]
        assert min(alphas) < min(answers) <= max(answers) < max(alphas)
        at_alphas = [sizes_at(SSPP(plan.epsilon), CLASS, alpha, plan.beta, plan.realizable) for alpha in alphas]
        expected = [curve(0, alphas, [sizes.n_public for sizes in at_alphas], THEOREM)]
        expected.append(curve(1, alphas, [sizes.n_private for sizes in at_alphas], THEOREM))
        expected.append(curve(1, alphas, [sizes.n_private_optimised for sizes in at_alphas], OURS))
        expected += [curve(panel, [alpha], [size], label) for panel, alpha, size, label in points]
        if isinstance(plan, ExcessPlan):
            sizes = (plan.n_public, plan.n_private)
            expected += [level(panel, size, "given size") for panel, size in enumerate(sizes)]
        check_marks("plan", figure, expected)
        check_looks("plan", figure)
        words = f"Rectangles, VC dimension 4{', realizable' if plan.realizable else ''}"
        labels = ("public points $n_{\\mathrm{public}}$", "private examples $n_{\\mathrm{private}}$")
        texts = [PanelText("", "excess error $\\alpha$", y, "log log") for y in labels]
        check_words("plan", figure, texts, f"{words}; $\\beta={plan.beta:g}$, $\\varepsilon={plan.epsilon:g}$")
    finally:
        plt.close(figure)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("realizable", [False, True])
def test_the_picture_of_sizes(realizable: bool) -> None:
    plan = plan_sizes(CLASS, 0.1, 0.07, 0.5, realizable=realizable, scenario=None)
    proven = plan.proven
    points = [
        (0, 0.1, proven.n_public, like(THEOREM)),
        (1, 0.1, proven.n_private, like(THEOREM)),
        (1, 0.1, proven.n_private_optimised, like(OURS)),
    ]
    sizes: Any = SimpleNamespace(n_public=77, n_private=555)
    plan = SizePlan(CLASS, 0.07, 0.5, realizable, None, 0.1, proven, sizes)
    marks(plan, [*points, (0, 0.1, 77, SIMULATED), (1, 0.1, 555, SIMULATED)])


@pytest.mark.usefixtures("quick")
def test_the_picture_of_an_excess_error() -> None:
    excess: Any = SimpleNamespace(upper_limit=0.03)
    plan = ExcessPlan(CLASS, 0.07, 0.5, False, None, 4000, 90_000, ProvenExcess(0.3, 0.2), excess)
    points = [(i, alpha, n, like(by)) for i, n in enumerate((4000, 90_000)) for alpha, by in ((0.3, THEOREM),)]
    points += [(1, 0.2, 90_000, like(OURS)), (0, 0.2, 4000, None)]
    marks(plan, [*points, (0, 0.03, 4000, SIMULATED), (1, 0.03, 90_000, SIMULATED)])
    plan = plan_excess(CLASS, 40_000, 900_000, 0.07, 0.5, scenario=None)
    bounds = [bound for bound in (plan.proven.theorem, plan.proven.optimised) if bound is not None]
    marks(plan, [(i, bound, n, None) for i, n in enumerate((40_000, 900_000)) for bound in bounds])
