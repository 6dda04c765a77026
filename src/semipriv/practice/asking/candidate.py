"""A learner with what it learns: what a release must know of it before anything is read or drawn."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from semipriv.classes.base import HypothesisClass
from semipriv.core import estimates, registry
from semipriv.core.roles import Role
from semipriv.core.samples import Labels, Points, Responses, StatusModel
from semipriv.core.work import Cost
from semipriv.learners._totals import Totalling
from semipriv.learners.base import Learner, status_model
from semipriv.learners.stages.nothing import Nothing
from semipriv.practice.asking.choosing import RULE, Choice
from semipriv.practice.asking.releasable import LABELLING, PREDICTORS, check_fit, reads_labels
from semipriv.practice.columns.schema import Records
from semipriv.privacy.events import Event

SYNTHETIC, REPORT = "synthetic", "report"
"""Names, without their suffixes, of a synthetic table, and of a table of statistics by group."""


@attrs.frozen(eq=False)
class Public:
    """Public rows: points (m, d), labels or responses (m,) if a learner reads them; records with known ends; a digest.

    digest: SHA-256 of the bytes of their files, or of points and labels where rows are not in files; None without
    public rows.
    """

    records: Records
    points: Points
    labels: Labels | Responses | None
    digest: str | None


@attrs.frozen(eq=False)
class Candidate:
    """A learner of a class.  Learners without a class are in ``classless``.

    The exact epsilon and delta of the request are paid.  The learner runs with the largest floats that do not exceed
    them.
    """

    hypothesis_class: HypothesisClass | None
    learner: Any
    epsilon: Fraction
    delta: Fraction
    choice: Choice | None = None
    """Why it is this learner, if a public rule chose it."""

    @property
    def uses_public(self) -> bool:
        """Whether the public stage reads public rows, if there are some."""
        stage = self.learner.public_stage
        return stage.needs_labels or not (self.learner.role is Role.NO_PUBLIC or isinstance(stage, Nothing))

    @property
    def needs_public(self) -> bool:
        """Whether a release needs public rows."""
        return self.uses_public

    @property
    def reads_public_labels(self) -> bool:
        """Whether the public stage reads labels of public rows."""
        return bool(self.learner.public_stage.needs_labels)

    @property
    def reads_labels(self) -> bool:
        """Whether the labels of private rows are read."""
        return reads_labels(self.learner)

    @property
    def reads_again(self) -> bool:
        """Whether the private rows are read again when their tallies are there: once for each sum that it asks for."""
        return isinstance(self.learner, Totalling)

    @property
    def name(self) -> str:
        """Name of the learner."""
        return registry.name_of(self.learner)

    @property
    def predicts(self) -> bool:
        """Whether the release predicts labels, so that its mistakes can be counted."""
        return self.learner.output_kind in LABELLING

    @property
    def table(self) -> str | None:
        """Name, without its suffix, of the table that follows from what is released; None if it predicts."""
        return None if self.learner.output_kind in PREDICTORS else SYNTHETIC

    def rows_cost(self, prepared: Any, size: int, columns: int) -> Cost:
        """Return what it takes to make so many rows of a synthetic table, and to publish it."""
        return estimates.rows_made(size, columns) + estimates.rows_published(size, columns)

    @property
    def marginals(self) -> bool:
        """Whether limits of marginals follow from what is released."""
        return False

    def pictured(self, records: Records) -> bool:
        """Return whether a figure is made: of at most two features of one coordinate each; a number has none."""
        return (self.predicts or self.table is not None) and records.plain and records.width <= 2

    @property
    def ones_only(self) -> bool:
        """Whether private rows must have the label 1, by the learner's model of statuses."""
        return status_model(self.learner) is not StatusModel.ANY

    def event(self, prepared: Callable[[], Any], n_private: int) -> Event | None:
        """Return what the learner does to so many private rows.

        prepared: returns the result of the public stage, which may take long.  Only learners whose spending depends on
        it call this.
        """
        learner = self.learner
        if isinstance(learner, Learner) and type(learner).release_event is not Learner.release_event:
            return learner.release_event(prepared(), n_private)
        event: Event | None = learner.event
        return event

    def specification(self) -> dict[str, Any]:
        """Return class and learner as values of JSON."""
        h = self.hypothesis_class
        return {
            "class": None if h is None else {"name": registry.name_of(h), **registry.parameters(h)},
            "learner": {"name": self.name, **registry.parameters(self.learner)},
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            **({} if self.choice is None else {"chosen": {"by": RULE, "case": self.choice.case.described()}}),
        }

    def check_fit(self, records: Records) -> None:
        """Raise ValueError if encoded records do not fit what is learned: looks at their declarations only.

        What depends on values of public rows is not looked at until these are known.
        """
        assert self.hypothesis_class is not None, "a learner learns a class"
        check_fit(records, self.learner, self.hypothesis_class)

    def check_release(self, prepared: Any, n: int, units: int = 1) -> None:
        """Raise ValueError unless so many private rows, or persons who have so many units each, can be released.

        units: 1 where rows are counted, and for learners whose limits do not depend on them.
        """
        self.learner.check_release(prepared, n)

    def prepare(self, public: Public) -> Any:
        """Carry out the public stage."""
        labels = public.labels if self.reads_public_labels else None
        return self.learner.prepare(public.points, self.hypothesis_class, labels)
