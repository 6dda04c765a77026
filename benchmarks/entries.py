"""Curves of what people call: fit, release, verify, plan, compare, budget show, and how tables are read."""

import argparse
import atexit
import contextlib
import io
import json
import shutil
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from benchmark import Call, generator
from curve import Curve, constant, linear, log_linear, power

import semipriv as sp
from semipriv.classes._halfplane_cover import HalfplaneCover
from semipriv.classes.halfspaces import Halfspaces
from semipriv.cli import budget
from semipriv.core.randomness import Secure, Simulation
from semipriv.practice.asking.request import load
from semipriv.practice.columns.features import Categories, feature
from semipriv.practice.columns.labels import Label
from semipriv.practice.columns.schema import Records
from semipriv.practice.engine.whole import release
from semipriv.practice.planner.compare import compare
from semipriv.practice.planner.empirical import Scenario
from semipriv.practice.planner.plan import plan_excess
from semipriv.practice.planner.population import default_population
from semipriv.practice.published.verify import verify
from semipriv.practice.sources.files import Files
from semipriv.privacy.budget.ledger import Budget, Ledger
from semipriv.privacy.events import Pure
from semipriv.privacy.guarantee import Neighbours

ROWS = (10_000, 32_000, 100_000, 320_000, 1_000_000)
HUNDREDS = (100, 320, 1_000, 3_200, 10_000)
THOUSANDS = (1_000, 3_200, 10_000, 32_000, 100_000)


def folder() -> Path:
    """Return a folder that is removed at the end."""
    root = Path(mkdtemp(prefix="semipriv-growth-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


def people(n: int, columns: int = 2, skipped: int = 0) -> pa.Table:
    """Return columns of numbers in [0, 1], and a label that two of them make; skipped: numbers before the first."""
    x = generator().random(skipped + n * columns)[skipped:].reshape(n, columns)
    named = {f"x{j}": x[:, j] for j in range(columns)}
    return pa.table({**named, "y": np.where(x[:, 0] > x[:, -1], "yes", "no")})


# ---------------------------------------------------------------------------------------------------- covers
def counted(m: int, n: int) -> Call:
    """Halfplanes of m public points, tallied and drawn without a list."""
    rng, h = generator(), Halfspaces(2)
    public, x = np.unique(rng.normal(size=(m, 2)), axis=0), rng.normal(size=(n, 2))
    y = rng.integers(0, 2, n)
    return lambda: sp.SSPP(1.0).release(HalfplaneCover(h, public, "midpoint"), x, y, Secure())


# ---------------------------------------------------------------------------------------------------- reading
def read(kind: str, n: int, columns: int) -> Call:
    """Read and encode all rows of a file."""
    path, table = folder() / f"rows.{kind}", people(n, columns)
    if kind == "csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pq.write_table(table, path)
    records = Records([feature(f"x{j}", {"range": [0, 1]}) for j in range(columns)], Label("y", ["yes"], ["no"]))

    def work() -> None:
        source = Files(path)
        for part in source.parts:
            for chunk in source.chunks(part, records.columns):
                records.encode(chunk)

    return work


def texts(distinct: int, n: int) -> Call:
    """Read off the texts of a public column, as ``categories: public`` does, and encode a private one."""
    shown = np.array([f"text {i}" for i in range(distinct)])
    public = pa.chunked_array([pa.array(shown)])
    private = pa.chunked_array([pa.array(shown[generator().integers(0, distinct, n)])])
    asked = Categories("ward", "public", "other")
    return lambda: asked.closed(public).encode(private)


# ---------------------------------------------------------------------------------------------------- fit
def fit(n: int, m: int, d: int) -> Call:
    rng = generator()
    public, x = rng.random((m, d)), rng.random((n, d))
    y = (x[:, 0] > x[:, -1]).astype(int)
    model = sp.SemiPrivateClassifier(
        "public_metric_discriminant", 1.0, public=public, ranges=(0.0, 1.0), randomness=Simulation(1)
    )
    return lambda: model.fit(x, y)


# ---------------------------------------------------------------------------------------------------- release
def project(n: int, m: int) -> Path:
    """Write tables of n private and m public rows; return their folder."""
    root = folder()
    for skipped, (name, rows) in enumerate((("private", n), ("public", m))):
        pq.write_table(people(rows, skipped=skipped), root / f"{name}.parquet")
    return root


def asked(root: Path, name: str, learner: dict[str, Any]) -> Path:
    """Open a budget and write a request of that name."""
    Ledger.create(root / f"{name}.jsonl", Budget(1, "1e-5"))
    about = {"source": "made up", "licence": "CC0", "date": "2026-01-01"}
    settings = {
        "release": name,
        "results": str(root / "results"),
        "ledger": str(root / f"{name}.jsonl"),
        "private": {"path": str(root / "private.parquet")},
        "public": {"path": str(root / "public.parquet"), **about},
        "one_row_a_person": True,
        "size": "public",
        **learner,
    }
    path = root / f"{name}.yaml"
    path.write_text(json.dumps(settings))
    return path


STUMPS = {
    "features": {"x0": {"range": [0, 1]}, "x1": {"range": [0, 1]}},
    "label": {"column": "y", "one": ["yes"], "zero": ["no"], "unknown": 0},
    "class": {"name": "decision_stumps", "dimension": 2},
    "learner": {"name": "sspp", "epsilon": 0.5},
}
TABLE = {
    "features": {"x0": {"bins": 8}, "x1": {"bins": 8}, "y": {"categories": ["no", "yes"]}},
    "learner": {"name": "table_release", "epsilon": 0.5, "delta": 0},
}


def released(n: int, m: int) -> Call:
    """Load a request, charge, draw and publish; each call another release, with a budget of its own."""
    root, numbers = project(n, m), count()
    return lambda: release(load(asked(root, f"release_{next(numbers)}", STUMPS)))


def verified(n: int) -> Call:
    """Verify a published table of about n rows against its ledger."""
    root = project(n, 100)
    path = asked(root, "table", TABLE)
    release(load(path))
    return lambda: verify(root / "results/releases/table", root / "table.jsonl")


def synthetic(columns: int, size: int) -> Call:
    """Make synthetic rows of a released table of ten categories a column; each call another number of rows."""
    rng, names, sizes = generator(), [f"c{i}" for i in range(columns)], count(size)
    rows = {name: rng.integers(0, 10, 1_000) for name in names}
    learner = sp.TableRelease(1.0, 1e-6)
    output = learner.release(learner.prepare(rows, sp.Schema(dict.fromkeys(names, 10))), rows, Simulation(1)).output
    return lambda: output.synthetic(next(sizes), Simulation(1))


# ---------------------------------------------------------------------------------------------------- planning
def planned(n_public: int, n_private: int) -> Call:
    """Plan the excess error that sizes allow, by the theorem."""
    return lambda: plan_excess(Halfspaces(2), n_public, n_private, 0.05, 1.0)


def compared(n_public: int, most: int) -> Call:
    """Compare learners of thresholds by simulations of few trials."""
    h = sp.Thresholds()
    scenario = Scenario(default_population(h, 2_000, Simulation(1)), trials=30, seed=1)
    return lambda: compare(scenario, [sp.SSPP(1.0)], 0.2, 0.2, n_public=n_public, most=most)


# ---------------------------------------------------------------------------------------------------- budgets
def shown(charges: int) -> Call:
    """Show a ledger with so many charges."""
    path = folder() / "ledger.jsonl"
    ledger = Ledger.create(path, Budget(charges, "1e-5"))
    for i in range(charges):
        ledger.reserve({"release": str(i)}, Pure(0.5), Neighbours.REPLACE_PRIVATE_EXAMPLE).draw(lambda: b"drawn")
    parser = argparse.ArgumentParser()
    budget.add(parser.add_subparsers())
    options = parser.parse_args(["budget", "show", str(path)])

    def work() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            options.run(options)

    return work


N, M, COLUMNS, ASKED = "rows of a table", "public rows", "columns of a table", "sizes asked for"
CURVES = (
    Curve(
        "halfplanes: tally and draw, not listed",
        "public points",
        (32, 100, 320, 1_000, 3_200),
        "m^2 log m",
        lambda m: m * log_linear(m),
        lambda m: counted(m, 1_000),
        "1,000 rows",
    ),
    Curve(
        "halfplanes: tally and draw, not listed",
        "private rows",
        ROWS,
        "n log n",
        log_linear,
        lambda n: counted(16, n),
        "16 public points",
    ),
    Curve("Parquet: read and encode", N, ROWS, "n", linear, lambda n: read("parquet", n, 4), "4 columns"),
    Curve("CSV: read and encode", N, ROWS, "n", linear, lambda n: read("csv", n, 4), "4 columns"),
    Curve("fit: public-metric discriminant", N, ROWS, "n", linear, lambda n: fit(n, 1_000, 5), "5 features"),
    Curve("release: A_SSPP, stumps", N, ROWS, "n", linear, lambda n: released(n, 100), "100 public rows"),
    Curve("verify: synthetic table", N, THOUSANDS, "n", linear, verified, "3 columns"),
    Curve("synthetic rows", "rows asked for", ROWS, "n", linear, lambda n: synthetic(10, n), "10 columns"),
    Curve("fit: public-metric discriminant", M, THOUSANDS, "m", linear, lambda m: fit(1_000, m, 5), "5 features"),
    Curve("release: A_SSPP, stumps", M, HUNDREDS, "m log m", log_linear, lambda m: released(1_000, m), "1,000 rows"),
    Curve(
        "compare: A_SSPP, thresholds",
        M,
        (100, 1_000, 10_000),
        "m log m",
        log_linear,
        lambda m: compared(m, 500),
        turns=1,
    ),
    Curve(
        "Parquet: read and encode",
        COLUMNS,
        (4, 12, 40, 120, 400),
        "c",
        linear,
        lambda c: read("parquet", 3_000, c),
        "3,000 rows",
    ),
    Curve(
        "CSV: read and encode",
        COLUMNS,
        (4, 12, 40, 120, 400),
        "c",
        linear,
        lambda c: read("csv", 3_000, c),
        "3,000 rows",
    ),
    Curve(
        "synthetic rows",
        "columns",
        (2, 4, 8, 16, 32, 66),
        "c^2",
        power(2),
        lambda c: synthetic(c, 10_000),
        "10,000 rows",
    ),
    Curve(
        "fit: public-metric discriminant",
        COLUMNS,
        (5, 16, 50, 160, 500),
        "n c^2 + c^3",
        lambda c: 2_000 * c**2 + c**3,
        lambda c: fit(1_000, 1_000, c),
        "1,000 rows of each kind",
    ),
    Curve(
        "categories: public, and 100,000 cells of them",
        "distinct texts",
        THOUSANDS,
        "k log k",
        log_linear,
        lambda k: texts(k, 100_000),
    ),
    Curve("plan: A_SSPP, halfplanes", ASKED, THOUSANDS, "1", constant, lambda n: planned(n, n)),
    Curve(
        "compare: A_SSPP, thresholds",
        ASKED,
        (1_000, 10_000, 100_000),
        "n",
        linear,
        lambda n: compared(100, n),
        "100 public rows",
        turns=1,
    ),
    Curve("budget show", "charges", (4, 12, 40, 120, 400), "q", linear, shown),
)
