"""A finite population of public points, on which the planner simulates: its atoms, targets and exact excess errors."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import ArrayLike

from semipriv.classes.base import Cover, Hypothesis, HypothesisClass, ListedCover
from semipriv.classes.classifiers.base import Classifiers
from semipriv.classes.discrete_thresholds import DiscreteThresholds
from semipriv.classes.finite_class import FiniteClass
from semipriv.classes.halfspace_intersections import HalfspaceIntersections
from semipriv.classes.halfspaces import Halfspaces
from semipriv.classes.regressors.base import Regressors
from semipriv.core.fields import value
from semipriv.core.persons import Persons
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Labels, Points, distinct
from semipriv.core.tables import TableError
from semipriv.core.types import Floats, Integers
from semipriv.learners._selecting import Selecting
from semipriv.learners.base import AnyLearner
from semipriv.learners.stages.base import PublicStage
from semipriv.mechanisms.sampling.choice import below
from semipriv.practice.asking.persons import PersonColumns
from semipriv.practice.columns.cells import ColumnTypeError, numbers
from semipriv.practice.columns.schema import Chunk
from semipriv.practice.sources.files import Files
from semipriv.practice.sources.forms import PARQUET
from semipriv.practice.sources.objects import Objects, is_address
from semipriv.practice.sources.source import Part, Source

LARGEST_COVER = 250_000
"""Hypotheses of the largest cover that the simulation lists, hundreds of times."""
TARGET_ROWS, TARGETS = 16, 20_000
"""A target is drawn from the cover of at most TARGET_ROWS rows, with at most TARGETS hypotheses."""
MOST_LISTED = 5
"""Features up to which halfspaces are listed: of more there are too many on a few rows already."""
FEWEST_ATOMS, MOST_ATOMS = 2_000, 20_000
MOST_NUMBERS = 10**8
"""Coordinates of all points: 800 MB."""
MOST_VISITS = 10**7
"""Rows of all persons of one sample."""

Read = Callable[[Sequence[str]], Iterator[Chunk]]
"""Yields all rows of a table, in one order, with these columns among others."""


def _atoms(given: Any, population: Any) -> Points:
    """Return the atoms of a population whose class and source are there already."""
    points: Points = population.hypothesis_class.validated(given, population.source)
    if not len(points):
        raise ValueError(f"{population.source}: has no rows")
    if not _wide(population.hypothesis_class):
        return points
    spread = points.std(axis=0)
    scaled = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    h = population.hypothesis_class
    return h.clipped(scaled) if isinstance(h, Regressors) else scaled


def _wide(hypothesis_class: Any) -> bool:
    if not isinstance(hypothesis_class, HypothesisClass):
        return True
    return isinstance(hypothesis_class, Halfspaces) and hypothesis_class.dimension > MOST_LISTED


@value(eq=False)
class Population:
    """Points drawn uniformly, with replacement, from the rows of ``atoms`` (N, d); source: what they are, in words.

    The atoms are handled as public data.  For halfspaces of many features, for several labels and for numbers
    (``wide``), columns are centred and scaled to standard deviation 1: so no hypothesis is lost, and models with a
    penalty do not depend on units.  Raises ValueError for points outside the class's domain, or none.

    persons: whose rows the atoms are, or None.  With persons, a row is drawn uniformly from those of a uniformly drawn
    person.
    """

    hypothesis_class: Any
    source: str
    atoms: Points = attrs.field(converter=attrs.Converter(_atoms, takes_self=True))
    persons: Persons | None = None

    @property
    def weights(self) -> Floats | None:
        """The distribution of a row, (N,); None if it is uniform."""
        return None if self.persons is None else 1 / (self.persons.count * self.persons.rows[self.persons.place])

    def rows(self, n: int, randomness: Simulation) -> Integers:
        """Draw n rows with replacement from that distribution, (n,)."""
        if self.persons is None:
            return randomness.generator.integers(len(self.atoms), size=n)
        drawn, first, grouped = self._drawn(n, randomness)
        return grouped[first + randomness.generator.integers(self.persons.rows[drawn])]

    def visits(self, n: int, randomness: Simulation) -> tuple[Integers, Persons]:
        """Draw n persons with replacement, and return all their rows, with whose they are: each draw is one person.

        Raise ValueError for more than MOST_VISITS rows.
        """
        assert self.persons is not None, "the population has persons"
        drawn, first, grouped = self._drawn(n, randomness)
        rows = self.persons.rows[drawn]
        if rows.sum() > MOST_VISITS:
            raise ValueError(f"{n:,} persons have more than {MOST_VISITS:,} rows, too many to simulate")
        place = np.repeat(np.arange(n), rows)
        rank = np.arange(len(place)) - np.repeat(np.cumsum(rows) - rows, rows)
        return grouped[first[place] + rank], Persons(place, list(map(str, range(n))))

    def _drawn(self, n: int, randomness: Simulation) -> tuple[Integers, Integers, Integers]:
        """Return n random persons, where the rows of each begin among all rows by person, and all rows by person."""
        assert self.persons is not None, "the population has persons"
        number = self.persons.rows
        drawn = randomness.generator.integers(self.persons.count, size=n)
        return drawn, (np.cumsum(number) - number)[drawn], np.argsort(self.persons.place, kind="stable")

    def target(self, randomness: Simulation) -> Hypothesis:
        """Draw a uniform member of the cover of a random subset of the rows.

        The subset has TARGET_ROWS rows, or fewer if the class has more than TARGETS dichotomies of them.  If they
        cannot be listed: a halfspace in a random direction through a random row.
        """
        h = self.hypothesis_class
        if self.wide:
            return self._halfspace(randomness)
        size = TARGET_ROWS
        while size > 1 and h.growth(size) > TARGETS and self._lists:
            size -= 1
        cover = h.cover(self.atoms[self.rows(size, randomness.spawn("rows"))])
        return cover.tally(self.atoms[:0], np.zeros(0, np.int8)).member(0, randomness.spawn("member"))

    @property
    def wide(self) -> bool:
        """Whether no hypotheses are listed: halfspaces of many features, several labels, numbers."""
        return _wide(self.hypothesis_class)

    def check_learner(self, learner: AnyLearner) -> None:
        """Raise ValueError for a learner that lists hypotheses of a class of which there are too many."""
        if not learner.many_features and isinstance(self.hypothesis_class, HypothesisClass):
            self._check_listed(learner.short_title)

    def _check_listed(self, who: str) -> None:
        if self.wide:
            raise ValueError(
                f"{who}: lists halfspaces, of more than {MOST_LISTED} features there are too many to simulate: ask for "
                "the proven part only, or for a learner of many features"
            )

    def _halfspace(self, randomness: Simulation) -> Hypothesis:
        weights = randomness.spawn("direction").generator.standard_normal(self.atoms.shape[1])
        (row,) = self.rows(1, randomness.spawn("rows"))
        return Hypothesis(self.hypothesis_class, np.append(weights, -weights @ self.atoms[row]))

    def check_cover(self, n_public: int) -> None:
        """Raise ValueError if covers of n_public points are listed and too large for hundreds of trials."""
        largest = self.hypothesis_class.growth(min(n_public, len(distinct(self.atoms))))
        if self._lists and largest > LARGEST_COVER:
            raise ValueError(
                f"n_public = {n_public}: covers of up to {largest:.3g} hypotheses, more than the {LARGEST_COVER} that "
                "the simulation lists: ask for the proven part only, or for a larger alpha, or for fewer features"
            )
        self._check_listed("a cover")

    @property
    def _lists(self) -> bool:
        return isinstance(self.hypothesis_class.cover(self.atoms[:2]), ListedCover)


@dataclass(frozen=True, eq=False)
class Trial:
    """A target's labels of all atoms (N,), and the cover of one public sample."""

    population: Population
    labels: Labels
    cover: Cover

    @classmethod
    def draw(cls, population: Population, n_public: int, stage: PublicStage[Cover], randomness: Simulation) -> "Trial":
        """Draw a target and n_public atoms, and carry out the public stage on them.

        Raise ValueError for a population of persons: all atoms count the same here.
        """
        if population.persons is not None:
            raise ValueError("persons: are simulated by `semipriv compare`, or for a plan of a named learner")
        target = population.target(randomness.spawn("target"))
        labels = target.predict(population.atoms).astype(np.int8)
        public = population.atoms[population.rows(n_public, randomness.spawn("public"))]
        return cls(population, labels, stage.prepare(public, population.hypothesis_class))

    def least_excess(self, noise: float) -> float:
        """Return the exact excess error of the best hypothesis of the cover: no n_private gives less."""
        mistakes, _ = self.cover.tally(self.population.atoms, self.labels).histogram()
        return (1 - 2 * noise) * float(mistakes[0]) / len(self.labels)

    def excess(self, n_private: int, learner: Selecting[Cover], noise: float, randomness: Simulation) -> float:
        """Return the exact excess error of a choice from the cover by n_private random atoms.

        Their labels are flipped with probability noise.

        A hypothesis that differs from the target on a share p of the population has error noise + (1 - 2 noise) p,
        and the target is best: the excess error is (1 - 2 noise) p.
        """
        rows = self.population.rows(n_private, randomness.spawn("private"))
        flips = randomness.spawn("noise").generator.random(n_private) < noise
        labels = self.labels[rows] ^ flips
        release = learner.release(self.cover, self.population.atoms[rows], labels, randomness.spawn("draw"))
        wrong = release.output.predict(self.population.atoms) != self.labels
        return (1 - 2 * noise) * float(np.mean(wrong))


def default_population(hypothesis_class: Any, atoms: int, randomness: Simulation) -> Population:
    """Return ``atoms`` points (FEWEST_ATOMS to MOST_ATOMS), drawn once from a marginal that suits the class.

    The marginal is standard normal for halfspaces and their intersections, for several labels and for numbers; uniform
    on the domain of a discrete class; uniform on [0, 1]^d for the others.
    """
    n = min(max(atoms, FEWEST_ATOMS), MOST_ATOMS)
    if n * hypothesis_class.dimension > MOST_NUMBERS:
        raise ValueError(
            f"dimension = {hypothesis_class.dimension}: is too large for a simulation of {n} points, "
            f"must be <= {MOST_NUMBERS // n}; ask for the proven part only"
        )
    h, generator = hypothesis_class, randomness.generator
    bits = getattr(h, "bits", None)
    points: ArrayLike
    if isinstance(h, Regressors):
        drawn = generator.standard_normal((n, h.dimension))
        drawn_from, points = "the standard normal distribution, moved into the domain", h.clipped(drawn)
    elif isinstance(h, (Halfspaces, HalfspaceIntersections, Classifiers)):
        drawn_from, points = "the standard normal distribution", generator.standard_normal((n, h.dimension))
    elif isinstance(h, FiniteClass):
        drawn_from, points = "the uniform distribution on its domain", generator.integers(len(h.table[0]), size=(n, 1))
    elif isinstance(h, DiscreteThresholds):
        drawn_from, points = (
            f"the uniform distribution on {{0, ..., 2^{h.bits} - 1}}",
            h.encode([below(2**h.bits, randomness) for _ in range(n)]),
        )
    elif bits is not None:
        drawn_from, points = (
            f"the uniform distribution on {{0, ..., 2^{bits} - 1}}^{h.dimension}",
            generator.integers(2**bits, size=(n, h.dimension)),
        )
    else:
        drawn_from, points = f"the uniform distribution on [0, 1]^{h.dimension}", generator.random((n, h.dimension))
    return Population(h, f"{n} points drawn once from {drawn_from}", np.asarray(points, np.float64))


def read_population(
    hypothesis_class: Any,
    given: str | Path | Source,
    features: Sequence[str] | None = None,
    person: Sequence[str] | None = None,
) -> Population:
    """Return the rows of a PUBLIC table; features: columns, all by default.

    given: a path or an address of a file, as ``Files`` and ``Objects`` read it, or a source, as a table in a database.
    Rows without an order come sorted by all of these columns.  person: columns that name a person together; they are no
    features.

    Nothing here protects the rows: never give private ones.  If a column is missing or a value is not a finite number,
    raises TableError naming the table, the column and the row, counted from 0.
    """
    with _told():
        source = given if isinstance(given, Source) else _file(given)
        columns = source.names(source.parts[0])
    named = list(person or ())
    chosen = [column for column in columns if column not in named] if features is None else list(features)
    for column in (*chosen, *named):
        if column not in columns:
            raise TableError(f"{source.name}: column {column!r} is missing; it has {', '.join(columns)}")
    if len(chosen) != hypothesis_class.dimension:
        raise TableError(
            f"{source.name}: {len(chosen)} columns ({', '.join(chosen)}), the class needs "
            f"{hypothesis_class.dimension}: name them as features"
        )
    with _told():
        read = _reader(source, [*chosen, *named])
        points = np.concatenate([np.empty((0, len(chosen))), *_points(read, chosen)])
        persons = _persons(source, read, named) if named else None
    return Population(hypothesis_class, source.name, points, persons)


def _file(given: str | Path) -> Source:
    return Objects(str(given)) if is_address(str(given)) else Files(Path(given))


@contextmanager
def _told() -> Iterator[None]:
    """Raise what is wrong with a table as TableError."""
    wrong = ""
    try:
        yield
    except TableError:
        raise
    except ValueError as error:
        wrong = str(error)
    if wrong:
        raise TableError(wrong)


def _reader(source: Source, columns: Sequence[str]) -> Read:
    """Return what yields the rows of a public table, with some of these columns at least.

    Of a table without an order all rows are read once, and sorted, so that whatever is read of them has one order.
    """
    if source.ordered:
        return lambda some: (chunk for part in source.parts for chunk in _chunks(source, part, some))
    tables = [chunk.table for part in source.parts for chunk in source.chunks(part, columns)]
    if not tables:
        return lambda some: iter(())
    whole = pa.concat_tables(tables)
    order = pc.sort_indices(whole, [(name, "ascending") for name in dict.fromkeys(columns)])
    rows = Chunk(source.name, whole.take(order), np.arange(1, whole.num_rows + 1))
    return lambda some: iter([rows])


def _persons(source: Source, read: Read, columns: list[str]) -> Persons:
    """Return whose rows those of a public table are; raise ValueError for columns that name no persons."""
    asked = PersonColumns(columns)
    chunks = list(read(columns))
    wrong = ""
    try:
        for column in asked.declared:
            for chunk in chunks:
                column.check_type(chunk.table.column(column.column).type)
        return asked.of(chunks)
    except ColumnTypeError as error:
        wrong = f"{source.name}: person: a column {error}"
    raise TableError(wrong)


def _points(read: Read, columns: Sequence[str]) -> Iterator[Points]:
    """Yield the rows of a public table; raise TableError with the cell for one that is no finite number."""
    for chunk in read(columns):
        yield np.column_stack([_numbers(chunk, column) for column in columns])


def _chunks(source: Source, part: Part, columns: Sequence[str]) -> Iterator[Chunk]:
    """Yield the rows of a part; a file of Parquet is read from memory, since pyarrow starts a thread for the disk."""
    if not isinstance(source, Files) or Path(part).suffix not in PARQUET or source.path.is_dir():
        yield from source.chunks(part, columns)
        return
    try:
        file = pq.ParquetFile(pa.BufferReader(Path(part).read_bytes()))
        table = file.read(list(dict.fromkeys(columns)), use_threads=False)
    except (OSError, pa.ArrowException):
        table = None
    if table is None:
        raise TableError(f"{source.name}: is damaged, or not a readable Parquet file")
    yield Chunk(part, table, np.arange(1, table.num_rows + 1))


def _numbers(chunk: Chunk, column: str) -> Floats:
    cells = chunk.table.column(column)
    try:
        values, known = numbers(cells)
    except ColumnTypeError as error:
        raise TableError(f"{chunk.file}: column {column!r} {error}") from None
    if not known.all():
        place = int(np.argmin(known))
        cell = cells[place].as_py()
        shown = cell.decode(errors="replace") if isinstance(cell, bytes) else cell
        row = int(chunk.numbers[place]) - 1
        raise TableError(f"{chunk.file}: column {column!r}, row {row} = {shown!r}: must be a finite number")
    return values
