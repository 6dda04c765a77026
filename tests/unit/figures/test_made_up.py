"""Figures of made-up tables, where those of the smoke run are too small to tell wrong from right; pictures of plans."""

from itertools import product
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import Said, check_figure, check_looks, check_marks, check_words, curve, level, like

from semipriv.bounds.abm19.sizes import bad_probability_bound
from semipriv.classes.base import Hypothesis
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.rectangles import Rectangles
from semipriv.designs._inference import size_keys
from semipriv.experiments.config import Cell
from semipriv.figures import _plan
from semipriv.learners.sspp import SSPP
from semipriv.planner.plan import ExcessPlan, SizePlan, plan_excess, plan_sizes
from semipriv.planner.proven import ProvenExcess, proven_sizes
from semipriv.privacy.guarantee import Guarantee, Release
from semipriv.randomness import Source
from semipriv.registry import name_of, parameters
from semipriv.rules.storage import release_row


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


def test_bad_events_of_two_classes() -> None:
    """Frequencies that fall through 0.05, so that the title compares the need with the bound."""
    rows = []
    for name, d, alpha in (("thresholds", 1, 0.2), ("halfspaces, d = 3", 4, 0.3)):
        for law in ("uniform", "atoms, unequal"):
            for m in (2, 5, 20, 80, 300):
                about = {"claim": "ABM19-E1", "class": name, "d": d, "alpha": alpha, "law": law, "n_public": m}
                bad = min(0.9, (2 + d) * bad_probability_bound(4 * m, alpha, d)) if m < 300 else 0.0
                rows.append(about | {"quantity": "P[Bad]", "measured": bad, "low": 0.7 * bad, "high": bad + 0.01})
                for quantity, quantile, size in (
                    ("covering radius", 0.5, 1.0),
                    ("covering radius", 0.95, 1.4),
                    ("Bad diameter", 0.95, 1.9),
                ):
                    about |= {"quantile": quantile, "measured": size / m}
                    rows.append(about | {"quantity": quantity, "low": 0.9 * size / m, "high": 1.1 * size / m})
    check_figure("figures/plots/abm19", "bad_event", {"measurements": pd.DataFrame(rows)}, {})


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


def marks(plan: SizePlan | ExcessPlan, points: list[tuple[int, float, int, str | None]]) -> None:
    """Check the picture of a plan: the proven sizes as curves, these points, and its words."""
    figure = _plan.draw(plan)
    try:
        alphas = figure.axes[0].get_lines()[0].get_xdata()
        answers = [alpha for _, alpha, _, _ in points]
        assert min(alphas) < min(answers) <= max(answers) < max(alphas)
        found = [proven_sizes(CLASS, alpha, plan.beta, plan.epsilon, plan.realizable) for alpha in alphas]
        expected = [curve(0, alphas, [sizes.n_public for sizes in found], THEOREM)]
        expected.append(curve(1, alphas, [sizes.n_private for sizes in found], THEOREM))
        expected.append(curve(1, alphas, [sizes.n_private_optimised for sizes in found], OURS))
        expected += [curve(panel, [alpha], [size], label) for panel, alpha, size, label in points]
        if isinstance(plan, ExcessPlan):
            sizes = (plan.n_public, plan.n_private)
            expected += [level(panel, size, "given size") for panel, size in enumerate(sizes)]
        check_marks("plan", figure, expected)
        check_looks("plan", figure)
        words = f"Rectangles, VC dimension 4{', realizable' if plan.realizable else ''}"
        labels = ("public points $n_{\\mathrm{public}}$", "private examples $n_{\\mathrm{private}}$")
        said = [Said("", "excess error $\\alpha$", y, "log log") for y in labels]
        check_words("plan", figure, said, f"{words}; $\\beta={plan.beta:g}$, $\\varepsilon={plan.epsilon:g}$")
    finally:
        plt.close(figure)


@pytest.mark.parametrize("realizable", [False, True])
def test_the_picture_of_sizes(realizable: bool) -> None:
    plan = plan_sizes(CLASS, 0.1, 0.07, 0.5, realizable=realizable, scenario=None)
    proven = plan.proven
    points = [
        (0, 0.1, proven.n_public, like(THEOREM)),
        (1, 0.1, proven.n_private, like(THEOREM)),
        (1, 0.1, proven.n_private_optimised, like(OURS)),
    ]
    found: Any = SimpleNamespace(n_public=77, n_private=555)
    plan = SizePlan(CLASS, 0.07, 0.5, realizable, None, 0.1, proven, found)
    marks(plan, [*points, (0, 0.1, 77, SIMULATED), (1, 0.1, 555, SIMULATED)])


def test_the_picture_of_an_excess_error() -> None:
    found: Any = SimpleNamespace(upper_limit=0.03)
    plan = ExcessPlan(CLASS, 0.07, 0.5, False, None, 4000, 90_000, ProvenExcess(0.3, 0.2), found)
    points = [(i, alpha, n, like(by)) for i, n in enumerate((4000, 90_000)) for alpha, by in ((0.3, THEOREM),)]
    points += [(1, 0.2, 90_000, like(OURS)), (0, 0.2, 4000, None)]
    marks(plan, [*points, (0, 0.03, 4000, SIMULATED), (1, 0.03, 90_000, SIMULATED)])
    plan = plan_excess(CLASS, 40_000, 900_000, 0.07, 0.5, scenario=None)
    bounds = [bound for bound in (plan.proven.theorem, plan.proven.optimised) if bound is not None]
    marks(plan, [(i, bound, n, None) for i, n in enumerate((40_000, 900_000)) for bound in bounds])
