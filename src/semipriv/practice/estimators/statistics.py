"""Statistics by group as an object: it takes a private table, and gives a tidy report."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import attrs
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from semipriv.core import checks, registry
from semipriv.core.extras import extra
from semipriv.core.persons import units_of
from semipriv.learners.outputs.report import Report
from semipriv.learners.statistics.prepared import Prepared
from semipriv.learners.statistics.statistics_release import StatisticsRelease
from semipriv.practice.columns.schema import Records
from semipriv.practice.columns.strict import canonical
from semipriv.practice.estimators import stored
from semipriv.practice.estimators.covers import FitGuarantee, Who, guarantee_of
from semipriv.practice.estimators.declared import check_columns, declared_columns, described_columns
from semipriv.practice.estimators.draws import Draw, all_or_nothing
from semipriv.practice.estimators.groups import check_counting, check_names, check_there, listed, named
from semipriv.practice.estimators.twice import check_other
from semipriv.practice.published.model import Model
from semipriv.practice.sums.by_person import summed_by_person
from semipriv.practice.sums.statistic import ONE
from semipriv.privacy.budget.amounts import parameter, positive_amount
from semipriv.privacy.guarantee import Release, by_person

__all__ = ["Statistics"]

TABLE = "private table"
"""What the private rows are called in messages."""
EXPECTED = ["statistic", "column", "by", "group", "noise_sd"]
"""Columns of the report that are known before a private row is read."""


def _check_persons(person: Any, one_row: Any) -> None:
    """Raise ValueError unless it is said whose rows are whose, in one of two ways."""
    if not isinstance(one_row, bool | None):
        raise ValueError(f"one_row_a_person: is {type(one_row).__name__}, must be True, or None")
    if (person is None) != bool(one_row):
        raise ValueError(
            "person: must be the columns that tell whose rows are whose, or one_row_a_person=True if no person has two "
            "rows; and not both"
        )


class _Asked(NamedTuple):
    """A checked request: the learner, what columns hold, and its public stage."""

    learner: StatisticsRelease
    records: Records
    prepared: Prepared

    def expected(self, n: int) -> pd.DataFrame:
        """Return what is known of each number of n rows, and the standard error that is wished for, NaN for none."""
        outlook = self.learner.outlook(self.prepared, n)
        wishes = np.array(
            [np.nan if statistic.wish is None else statistic.wish for statistic in self.learner.statistics]
        )
        return pd.DataFrame(list(outlook.report.rows()))[EXPECTED].assign(
            most_noise_sd=outlook.most,
            rank_sd=outlook.ranks,
            told=outlook.told,
            wish=wishes[outlook.report.place],
            judged=outlook.judged,
        )


class Statistics(BaseEstimator):  # type: ignore[misc]
    """Counts, sums, means, variances and quantiles by group, of a private table (``StatisticsRelease``).

    ``expected`` tells how exact each number will be, before a private row is read.  ``fit`` measures the table once;
    ``report_`` is what was released, a row for each number.

    Args:
        statistics: what is asked for: a list of mappings with the keys statistic ('count', 'sum', 'mean', 'variance' or
            'quantiles'), column (of numbers; none for a count), by (a column or a list of columns), at (levels of
            quantiles, in (0, 1)), importance (> 0; a share of the budget goes by it) and wish (the standard error that
            is asked for, in the unit of the statistic).
        features: a mapping of columns to what they may hold, as ``features`` of a request has it: groups are by
            categories, integers or bins, numbers are of a range.  A cell of a range that is missing, or no number,
            counts in no sum, if nothing else is declared.
        public: public rows, a DataFrame of these columns; None, or one without rows: there are none.
        epsilon: of the budget, for replacing one private row, or one person, finite and > 0.
        delta: of the budget, in [0, 1); None or 0: pure epsilon.
        interval: chance with which low and high hold, in (0, 1).
        ends: to which numbers are clipped before they are summed: 'declared', 'public' or 'auto', see
            ``StatisticsRelease``.
        person: a column of the private table, or a list of such, that names a person, as in ``PrivateTable``.  Then
            ``guarantee_`` is for replacing a person with all rows, every person counts once, and the number of persons
            is public, that of rows is not.
        one_row_a_person: True, if no person has two rows of the private table; else ``person`` must be given.  Nothing
            checks it: a person with several rows is protected less than ``epsilon`` says.
        rows: how the rows of a person count: 'average' (also None), they share what a person counts; 'one', one of
            them, drawn at random, counts.
        randomness: Secure() for a release, Simulation(seed) for a simulation; there is no default.
        ledger: path of a budget ledger, which every fit with Secure() charges in full.
        request: a name in the ledger, as in ``SemiPrivateClassifier``.
        period: of which day, week, month, quarter or year the private rows are, for a ledger with periods.

    Examples:
        >>> from semipriv.core.randomness import Simulation
        >>> stays = pd.DataFrame({"ward": ["A", "B"] * 2000, "days": [3.0, 9.0] * 2000})
        >>> asked = [{"statistic": "count", "by": "ward"}, {"statistic": "mean", "column": "days", "by": "ward"}]
        >>> features = {"ward": {"categories": ["A", "B"], "unknown": "other"}, "days": {"range": [0, 60]}}
        >>> face = Statistics(asked, features, epsilon=1.0, one_row_a_person=True, randomness=Simulation(1))
        >>> report = face.fit(stays).report_
        >>> report.loc[report["statistic"] == "mean", ["group", "value"]].round()[:2].to_numpy().tolist()
        [['A', 3.0], ['B', 9.0]]
    """

    release_: Release[Report]
    rows_: int
    records_: Records
    who_: Who | None

    def __init__(
        self,
        statistics: Any = None,
        features: Any = None,
        public: Any = None,
        *,
        epsilon: Any = None,
        delta: Any = None,
        interval: float = 0.95,
        ends: str = "auto",
        person: Any = None,
        one_row_a_person: Any = None,
        rows: Literal["average", "one"] | None = None,
        randomness: Any = None,
        ledger: Any = None,
        request: str | None = None,
        period: str | Sequence[str] | None = None,
    ) -> None:
        self.statistics = statistics
        self.features = features
        self.public = public
        self.epsilon = epsilon
        self.delta = delta
        self.interval = interval
        self.ends = ends
        self.person = person
        self.one_row_a_person = one_row_a_person
        self.rows = rows
        self.randomness = randomness
        self.ledger = ledger
        self.request = request
        self.period = period

    # ------------------------------------------------------------------ before anything is paid
    def expected(self, n: int) -> pd.DataFrame:
        """Return the standard deviation of the noise of every number of a report: public, nothing is read or paid.

        That of a count is exact.  That of a sum, a mean or a variance depends on the ends to which numbers are
        clipped, on how many rows a group has and how its numbers lie: public rows predict it, or equal groups and the
        declared range if there are none.  That of a quantile is not known, but that of its rank is.

        Args:
            n: number of private rows, or of persons.

        Returns:
            A DataFrame with a row for each number: statistic, column, by, group, noise_sd; most_noise_sd, the same by
            the declared range, if the ends to which numbers are clipped are chosen after a part of the budget is spent
            on them; rank_sd, of quantiles the deviation of the rank, as a share of the rows that are expected in the
            group; told, whether it is expected that noise leaves a quantile; wish; and judged, whether a wish is judged
            by the group: those of public rows, or all without any.

        Raises:
            ValueError: for a request that cannot be released from so many rows.
        """
        size, asked = checks.size("n", n), self._asked(self.epsilon)
        units = 1 if self.person is None or self.rows == ONE else units_of(size)
        asked.learner.check_release(asked.prepared, size, units)
        return asked.expected(size)

    def smallest_epsilon(self, n: int) -> float:
        """Return the smallest epsilon, rounded up to two digits, that is found to meet every wish.

        Args:
            n: number of private rows, or of persons.

        Returns:
            The epsilon; the parameter ``epsilon`` is not used.

        Raises:
            ValueError: if there is no wish, or if no such epsilon meets them all.
        """
        size, asked = checks.size("n", n), self._asked(1.0)
        if all(statistic.wish is None for statistic in asked.learner.statistics):
            raise ValueError("statistics: none has the key 'wish', the standard error that is asked for")
        epsilon = asked.learner.smallest_epsilon(asked.prepared, size)
        if epsilon is None:
            raise ValueError(
                "statistics: no epsilon was found that meets every wish; wish for less, or take fewer groups"
            )
        return epsilon

    # ------------------------------------------------------------------ the private table
    def fit(self, X: pd.DataFrame, y: None = None) -> Self:
        """Measure a private table.

        The number of rows is public, or that of persons.

        Args:
            X: a DataFrame of the declared columns, and of those that name persons; or a pyarrow Table.
            y: not used.

        Returns:
            The object itself, fitted.

        Raises:
            ValueError: before the ledger is charged, for a request that is wrong, with the key and what is allowed;
                for columns that are missing or of a type that cannot be read; for cells where ``unknown: refuse`` asks
                for it, with column and row, from 1, never with what is there; and for the public table in the place of
                the private one.
        """
        with all_or_nothing(self):
            return self._fitted(X)

    def _fitted(self, X: Any) -> Self:
        """Check, charge, draw, and keep the release."""
        _check_persons(self.person, self.one_row_a_person)
        learner, records, prepared = self._asked(self.epsilon)
        guarantee = learner.guarantee if self.person is None else by_person(learner.guarantee)
        draw = Draw.of(
            self.randomness,
            self.ledger,
            self.request,
            guarantee,
            learner.releasable,
            "a release of statistics",
            period=self.period,
        )
        check_there(X, self.person, TABLE)
        check_columns(records, X, TABLE)
        check_other(self.public, X, [feature.column for feature in records.features])
        points = records.points(X, TABLE)
        persons = None if self.person is None else named(X, self.person, len(points), TABLE)
        who = None if persons is None else Who(persons.count, listed(self.person))
        size = len(points) if who is None else who.count  # the public number
        learner.check_release(prepared, size)
        self.records_, self.rows_, self.who_ = records, size, who
        request = {
            "estimator": type(self).__name__,
            **registry.parameters(learner),
            "columns": records.description(),
            "public": stored.digest(prepared.points, None),
            "sizes": [size],
            **({} if who is None else {"person": who.described(self.rows)}),
        }
        private: list[Any]
        if persons is None:
            private, make = [points], partial(learner.release, prepared, points, draw.randomness)
        else:
            labels = np.zeros(len(points), np.int8)
            summed = summed_by_person(learner, prepared, points, labels, persons, draw.randomness, self.rows)
            learner.check_release(prepared, size, summed.units)
            private, make = [points, persons.place], partial(summed.release, draw.randomness)
        self.release_ = draw.release(make, request, lambda: learner.release_event(prepared, size), private)
        return self

    @property
    def _shown(self) -> Any:
        """The public table; None without rows."""
        return None if getattr(self.public, "shape", (1,))[:1] == (0,) else self.public

    def _asked(self, epsilon: Any) -> _Asked:
        """Check the request, and carry out the public stage; raise ValueError with the key and what is allowed."""
        from semipriv.practice.asking.classless import Reports, grouped, report_schema  # noqa: PLC0415  (slow imports)

        for name, given in (("epsilon", epsilon), ("statistics", self.statistics), ("features", self.features)):
            if given is None:
                raise ValueError(f"{name}: must be given")
        check_counting(self.rows, self.person is not None)
        exact = positive_amount("epsilon", epsilon)
        learner = StatisticsRelease(
            parameter(exact),
            0.0 if self.delta is None else self.delta,
            statistics=self.statistics,
            interval=self.interval,
            ends=self.ends,
        )
        records, points = declared_columns(
            self.features, self._shown, one_hot=False, apart=True, groups=grouped(learner), what="features"
        )
        check_names(self.person, records.columns)
        wrong = ""
        try:
            Reports(None, learner, exact, exact).check_fit(records)
        except ValueError as error:
            wrong = str(error).removeprefix("learner.")
        if wrong:
            raise ValueError(wrong)
        return _Asked(learner, records, learner.prepare(points, report_schema(records)))

    # ------------------------------------------------------------------ after it
    @property
    def guarantee_(self) -> FitGuarantee | None:
        """The guarantee of this one fit; drawn by a ``Simulation`` it is one that protects nobody."""
        check_is_fitted(self, "release_")
        return guarantee_of(self.release_, self.who_)

    @property
    def report_(self) -> pd.DataFrame:
        """All numbers, a row for each: statistic, column, by, group, value, low, high, noise_sd and kind.

        kind is 'noise', or 'leans on public rows' or 'leans on other groups' where a number was shrunk towards these;
        that row stands beside the one that was not.
        """
        check_is_fitted(self, "release_")
        return self.release_.output.frame()

    @property
    def ends_(self) -> dict[str, tuple[float, float]]:
        """The ends to which each column of numbers was clipped before it was summed: sums and means are about these."""
        check_is_fitted(self, "release_")
        return dict(self.release_.output.ends)

    def picture(self, *paths: Any) -> None:
        """Draw the report into files: bars by group with their limits, and what public rows say behind them.

        Args:
            paths: of files whose suffixes name their formats, as report.png and report.pdf.

        Raises:
            PublicError: without the packages of semipriv[figures].
        """
        check_is_fitted(self, "release_")
        with extra("figures", "pictures"):
            import matplotlib as mpl  # noqa: PLC0415  (an extra)

            backend = mpl.get_backend(auto_select=False)
            from semipriv.drawing.files import save  # noqa: PLC0415  (an extra)
            from semipriv.practice.published.report_figure import draw_report  # noqa: PLC0415  (an extra)
        records = self.records_
        public = np.empty((0, records.width)) if self._shown is None else records.points(self._shown, "public")
        with mpl.rc_context():
            figure = draw_report(Model("private table", records, self.release_.output, {}), public)
            save(figure, *paths)
            mpl.pyplot.close(figure)
        if backend is not None:
            mpl.use(backend)  # that of a notebook, which drawing into files has put off

    # ------------------------------------------------------------------ JSON
    def to_json(self) -> str:
        """Return what was released, and what was asked for, as JSON.

        Returns:
            The JSON, which holds nothing private but what was released.
        """
        check_is_fitted(self, "release_")
        return canonical(
            {
                "estimator": type(self).__name__,
                "rows": self.rows_,
                "columns": self.records_.description(),
                "persons": None if self.who_ is None else attrs.asdict(self.who_),
                "release": stored.described(self.release_),
            }
        ).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the fitted object of ``to_json``.

        Args:
            text: what ``to_json`` returned.

        Returns:
            A fitted object with the same report.

        Raises:
            ValueError: for any other text.
        """
        try:
            values: Mapping[str, Any] = json.loads(text)
            if values["estimator"] != cls.__name__:
                raise ValueError(f"is a {values['estimator']}, must be a {cls.__name__}")
            fitted = cls()
            fitted.release_ = stored.restored(values["release"])
            fitted.rows_, fitted.records_ = values["rows"], Records.restored(values["columns"])
            fitted.who_ = Who.restored(values["persons"])
            fitted.statistics = [statistic.described() for statistic in fitted.release_.output.asked]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"text: is not a fitted {cls.__name__} as JSON: {error}") from None
        fitted.features = described_columns(fitted.records_)
        return fitted
