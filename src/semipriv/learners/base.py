"""What every learner offers: two stages, a guarantee, and a description of itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import Any, ClassVar, Generic, final

from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass, as_class
from semipriv.core import registry
from semipriv.core.fields import value
from semipriv.core.functions import Parameters
from semipriv.core.randomness import Randomness, as_randomness
from semipriv.core.roles import Role
from semipriv.core.samples import StatusModel
from semipriv.core.types import Floats
from semipriv.core.work import Cost, WorkError
from semipriv.learners._planned import ProvenExcess, ProvenSizes
from semipriv.learners.stages.base import P, PublicStage
from semipriv.privacy.events import Event, event_of
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release

_PROTECTED = {
    Neighbours.REPLACE_PRIVATE_EXAMPLE: "features and label of a private example",
    Neighbours.REPLACE_PRIVATE_FEATURES: "features of a private example, not its status and label",
    Neighbours.REPLACE_ENTRY: "a private entry, labelled or not",
    Neighbours.REPLACE_PERSON: "all rows of a person",
    Neighbours.REPLACE_LABEL: "label of a private example, not its features",
}


class Protection(StrEnum):
    """What a learner does with the private sample."""

    PRIVATE = "private"
    """Reads it through a mechanism with a proven guarantee, or not at all."""
    NONE = "none"
    """Reads it without privacy: a baseline of simulations, never part of a release."""


@dataclass(frozen=True, eq=False)
class ListedDistribution:
    """Exact output distribution: parameters of the possible hypotheses (k, p) and their log-probabilities (k,)."""

    parameters: Parameters
    log_probabilities: Floats


@value(eq=False)
class Setting:
    """What a bound on the excess error may depend on, besides the learner's own parameters.  Data are not part of it.

    sizes: by name, such as n_public; None for a size that is not fixed.  beta: failure probability.  sigma: smoothness
    of the private distribution with respect to the public one, 1 without shift.  best_error: infimum of the population
    error over the class.  statuses: the pairs of label and status that can occur in the data.
    """

    hypothesis_class: HypothesisClass
    sizes: Mapping[str, int | None]
    beta: float
    sigma: float
    best_error: float
    statuses: StatusModel


@dataclass(frozen=True, eq=False)
class Needed:
    """Sizes with which a learner's excess error is at most alpha with probability 1 - beta, by a theorem.

    sizes: by name.  learner: the learner that gets them; parameters that follow from sizes are set.  theorem: where the
    bound is from.  holds: for which distributions.  notes: what else is to be said, a line each.
    """

    sizes: Mapping[str, int]
    learner: "AnyLearner"
    theorem: str
    holds: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """What the property tests need to know of one and cannot find out.

    distribution_is_listed: whether its output distribution on a tiny domain can be listed; if not, tests of its own
    compare its draws with it.  most_listed: most distinct public points for which ``output_distribution`` lists it;
    None: any number.
    least_loss: share of epsilon that an audit on a tiny domain finds lost, at least; finding less, it shows nothing.
    without_public: whether its paper learns without public points, so that every role may be without a public stage.
    others: values of parameters that make a difference to its first example, where those of the properties do not fit.
    along: by parameter, what must change along with it.
    unseen: parameters whose difference a few small releases do not show, as its own tests do.
    bound_sizes: sizes on which ``excess_bound`` depends, each a large one; none if there is no bound.
    unbounded: values of parameters with which there is no bound.
    """

    distribution_is_listed: bool = True
    most_listed: int | None = None
    least_loss: float = 0.45
    without_public: bool = False
    others: Mapping[str, Any] = field(default_factory=dict)
    along: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    bound_sizes: Mapping[str, int] = field(default_factory=dict)
    unbounded: Mapping[str, Any] = field(default_factory=dict)


class Learner(ABC, Generic[P]):
    """A learning algorithm in two stages: the public stage sees public data only, ``release`` alone sees private data.

    A learner is a frozen value of its parameters.  It describes itself: configurations, figures and tests need nothing
    else.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Let ``release`` and ``output_distribution`` check their arguments, and ``check`` the kind of its class."""
        super().__init_subclass__(**options)
        for names, guard in (({"release", "output_distribution"}, _guarded), ({"check"}, _of_its_kind)):
            for name in names & vars(cls).keys():
                setattr(cls, name, guard(vars(cls)[name]))

    output_kind: ClassVar[str] = "hypothesis"
    """The kind of its output: name of a module of the room ``outputs``; measures say what kinds they measure."""
    reads_unlabelled: ClassVar[bool] = False
    """Whether ``release`` takes unlabelled private entries, too, as its argument ``unlabelled``."""
    theorem: ClassVar[str] = "its bound"
    """Where ``excess_bound`` is from."""
    many_features: ClassVar[bool] = False
    """Whether it learns halfspaces of so many features that they cannot be listed."""
    set_by_plan: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Parameters that ``needed`` sets, each with a value that may stand in until then."""
    hue: ClassVar[str] = ""
    """The name of its colour in figures (``figures.looks``); by default one that its own name decides."""
    facts: ClassVar[Facts] = Facts()
    """What the properties need to know of it; nothing of most learners."""

    # ------------------------------------------------------------------ what it says about itself
    @property
    @abstractmethod
    def guarantee(self) -> Guarantee | None:
        """The privacy guarantee of a release; None for a baseline without privacy."""

    @property
    def event(self) -> Event | None:
        """What a release does to the private sample, as accountants read it; None for a baseline without privacy.

        By default nothing is known but the guarantee.  A learner whose mechanism has a better account says so, and
        proves it.
        """
        return None if self.guarantee is None else event_of(self.guarantee)

    @property
    @abstractmethod
    def public_stage(self) -> PublicStage[P]:
        """The first stage."""

    @property
    @abstractmethod
    def role(self) -> Role:
        """The role of the learner in a comparison."""

    @property
    @abstractmethod
    def short_title(self) -> str:
        """The learner's name in figures, without its remark."""

    @property
    def remark(self) -> str:
        """The remark that figures add to the title: that it is not private, or uses no public data; else empty."""
        if self.guarantee is None:
            return "not private"
        return "no public data" if self.role is Role.NO_PUBLIC else ""

    @property
    def title(self) -> str:
        """The learner's name in figures, with its remark."""
        return f"{self.short_title}, {self.remark}" if self.remark else self.short_title

    @property
    def protects(self) -> str | None:
        """What neighbouring data differ in, in words; None for a baseline without privacy.

        Epsilons of learners that protect different things do not compare.
        """
        if self.guarantee is None:
            return None
        if self.guarantee.epsilon == self.guarantee.delta == 0:
            return "everything: reads no private data"
        return _PROTECTED[self.guarantee.neighbours]

    @classmethod
    @abstractmethod
    def examples(cls) -> "tuple[Learner[P], ...]":
        """Return at least one example of the learner; property tests check it on the examples.

        Returns:
            At least one instance, made from constants alone.
        """

    @property
    def protection(self) -> Protection:
        """What the learner does with the private sample: without a guarantee, it reads the sample without privacy."""
        return Protection.NONE if self.guarantee is None else Protection.PRIVATE

    @property
    def releasable(self) -> bool:
        """Whether ``release`` takes ``Secure``; not if its noise is real-valued, which is for simulation only.

        By default that of the learners inside, if there are any.
        """
        inside = (getattr(self, name) for name in registry.fields_of(self))
        return all(plugin.releasable for plugin in inside if isinstance(plugin, Learner))

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that this learner can learn a class.

        Args:
            hypothesis_class: the class to learn; one of regressors for a learner of real-valued functions.

        Raises:
            ValueError: if this learner cannot learn the class.
        """
        self.public_stage.check(as_class(hypothesis_class, self.public_stage.learns))

    def check_private(self, n_private: int) -> None:
        """Check that this learner can run with a number of labelled private examples.

        Args:
            n_private: number of labelled private examples.

        Raises:
            ValueError: if this learner cannot run with so many; nearly all can.
        """

    def guarantee_of(self, n_private: int) -> Guarantee | None:
        """Return the guarantee of a release on a number of labelled private examples.

        Args:
            n_private: number of labelled private examples.

        Returns:
            ``guarantee``, or a stronger one that so many examples give.
        """
        return self.guarantee

    def check_release(self, prepared: P, n_private: int) -> None:
        """Check that a release on so many private examples can be drawn, whatever they are.

        Public numbers alone decide: what this lets pass, ``release`` refuses for no other reason than examples outside
        of what is learned, and unlabelled entries that are too few.  A learner whose mechanism refuses by public
        numbers asks it here, as ``release`` does.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of labelled private examples.

        Raises:
            ValueError: if no release can be drawn from so many; nearly all learners can.
        """
        self.check_private(n_private)

    def draw_cost(self, prepared: P, n_private: int) -> Cost | None:
        """Return what a release on so many private examples takes, about, besides reading them.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of labelled private examples.

        Returns:
            Seconds on one core, and memory; None if public numbers do not tell.
        """
        return None

    def note(self, prepared: P, n_private: int) -> str | None:
        """Return what whoever asks for a release should know, if so many rows are too few for what is special of it.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of labelled private examples.

        Returns:
            A sentence, which public numbers alone decide; None if there is nothing to say.
        """
        return None

    def release_event(self, prepared: P, n_private: int) -> Event | None:
        """Return what a release on so many private examples does to them, as accountants read it.

        Args:
            prepared: what ``prepare`` returned.
            n_private: number of labelled private examples.

        Returns:
            ``event``, or the same cost in more detail, if public numbers decide how it is spent; None without privacy.
        """
        return self.event

    def excess_bound(self, setting: Setting) -> float | None:
        """Return a bound on the excess error that holds with probability 1 - beta.  It may exceed 1.

        Args:
            setting: what the bound may depend on: class, sizes, beta, and what is known of the distribution.

        Returns:
            The bound, >= 0; None if the theory has none for this learner in this setting.
        """
        return None

    def distributions(self, setting: Setting) -> str:
        """Return for which distributions ``excess_bound`` holds, in words.

        Args:
            setting: as for ``excess_bound``.

        Returns:
            Words that follow "for".
        """
        return "every realizable distribution" if setting.best_error == 0 else "every distribution"

    def needed(self, alpha: float, setting: Setting) -> Needed | None:
        """Return sizes with an excess error of at most alpha with probability 1 - beta, by a rule of the theory.

        It is for learners whose parameters follow from alpha, or without ``excess_bound``.  Sizes that the setting
        gives are held, the others answer.  The smaller alpha, the more.

        Args:
            alpha: the excess error that is wanted, in the scale of the learner's losses.
            setting: class, beta, the sizes that are held, and what is known of the distribution.

        Returns:
            The sizes by name, with the learner that gets them and the theorem; None if there is no such rule.

        Raises:
            ValueError: if the sizes that are held allow no such alpha.
        """
        return None

    def proven_sizes(
        self, hypothesis_class: HypothesisClass, alpha: float, beta: float, realizable: bool = False
    ) -> ProvenSizes | None:
        """Return the sizes of a theorem for every distribution, as stated and by its proof with the best split.

        A plan that names no learner shows both.

        Args:
            hypothesis_class: the class to learn.
            alpha: the excess error that is wanted, in (0, 1).
            beta: failure probability, in (0, 1).
            realizable: whether some hypothesis of the class is always right.

        Returns:
            n_public, and n_private in both ways; None if the theory has no such theorem for this learner.

        Raises:
            ValueError: for numbers out of range, and for a class for which the theorem says nothing.
        """
        return None

    def proven_excess(
        self, hypothesis_class: HypothesisClass, n_public: int, n_private: int, beta: float, realizable: bool = False
    ) -> ProvenExcess | None:
        """Return the excess errors that the theorem of ``proven_sizes`` allows at given sizes, in both ways.

        Args:
            hypothesis_class: the class to learn.
            n_public: number of public points.
            n_private: number of private examples.
            beta: failure probability, in (0, 1).
            realizable: whether some hypothesis of the class is always right.

        Returns:
            Both bounds; None if the theory has no such theorem for this learner.

        Raises:
            ValueError: for numbers out of range, and for a class for which the theorem says nothing.
        """
        return None

    # ------------------------------------------------------------------ the two stages
    @final
    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> P:
        """Carry out the public stage: all that is read off public data.

        Args:
            public_points: (m, d).
            hypothesis_class: the class to learn.
            public_labels: (m,), labels or responses, for a public stage that needs them.

        Returns:
            The input of the private stage.

        Raises:
            ValueError: if public labels are missing, or given and not needed, and for what ``check`` refuses.
            WorkError: if it would take longer, or more memory, than is allowed, with the learners that scale.
        """
        self.public_stage.check_labels(public_labels)
        self.check(as_class(hypothesis_class, self.public_stage.learns))
        try:
            return self.public_stage.prepare(public_points, hypothesis_class, public_labels)
        except WorkError as error:
            names = _without_list(self, hypothesis_class)
            hint = f"; learners that list no hypotheses: {', '.join(names)}" if names else ""
            raise WorkError(f"{error}{hint}", memory=error.memory) from None

    @abstractmethod
    def release(self, prepared: P, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release[Any]:
        """Carry out the private stage on labelled examples.

        The release says which randomness drew it.  Drawn by a ``Simulation`` it protects nobody who knows the seed: its
        guarantee is that of the mechanism.

        What does not go through a mechanism must not depend on the private sample: neither errors, log lines and costs,
        nor what is read or drawn next.  Sizes are public.

        Args:
            prepared: what ``prepare`` returned.
            points: (n, d) private points.
            labels: (n,) their labels in {0, 1}; responses for a learner of real-valued functions.
            randomness: Secure() for a release, Simulation(seed) for a simulation.

        Returns:
            The output with its guarantee, the source of its randomness, and its cost.
        """


def _guarded(stage: Callable[..., Any]) -> Callable[..., Any]:
    """Return a private stage that checks its arguments ``prepared`` and ``randomness``."""
    names = list(signature(stage).parameters)

    @wraps(stage)
    def checked(*values: Any, **others: Any) -> Any:
        arguments = dict(zip(names, values, strict=False)) | others
        if "prepared" in arguments and not callable(getattr(arguments["prepared"], "arrays", None)):
            raise ValueError(
                f"prepared: is {type(arguments['prepared']).__name__}, must be what `prepare` returns: "
                "learner.prepare(public_points, hypothesis_class)"
            )
        if "randomness" in arguments:
            as_randomness(arguments["randomness"])
        return stage(*values, **others)

    return checked


def _without_list(learner: "AnyLearner", hypothesis_class: HypothesisClass) -> list[str]:
    """Return the names of private learners that learn a class, with the same kind of output, and list no hypotheses."""
    names = []
    for name in registry.names("learners"):
        kind = registry.load("learners", name)
        if kind.many_features and kind.output_kind == learner.output_kind:
            example = kind.examples()[0]
            with suppress(ValueError):
                example.check(hypothesis_class)
                if example.guarantee is not None and example.guarantee.epsilon > 0:
                    names.append(name)
    return names


def _of_its_kind(check: Callable[..., None]) -> Callable[..., None]:
    """Return a check that refuses functions of another kind than the learner learns, before it looks at them."""

    @wraps(check)
    def checked(self: "AnyLearner", hypothesis_class: HypothesisClass) -> None:
        check(self, as_class(hypothesis_class, self.public_stage.learns))

    return checked


AnyLearner = Learner[Any]


class IgnoresPrivate(Learner[P]):
    """A baseline whose output does not depend on the private sample."""

    guarantee = Guarantee(0.0)


class NotPrivate(Learner[P]):
    """A baseline without privacy: for simulations, never part of a release."""

    guarantee = None


class FiniteOutput(ABC):
    """A learner that computes its exact output distribution, for the exact audit."""

    @abstractmethod
    def output_distribution(self, prepared: Any, points: ArrayLike, labels: ArrayLike) -> ListedDistribution:
        """Return the exact output distribution on a private sample.

        Args:
            prepared: what ``prepare`` returned.
            points: (n, d) private points.
            labels: (n,) their labels in {0, 1}.

        Returns:
            Parameters (k, p) of the possible hypotheses, and their log-probabilities (k,).
        """


def status_model(learner: AnyLearner) -> StatusModel:
    """Return which pairs of label and status a learner accepts: its parameter ``privacy``, or all pairs without one."""
    return StatusModel(getattr(learner, "privacy", StatusModel.ANY))
