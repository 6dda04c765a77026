"""A_LearnHalf: halfspaces from mixtures of private and public populations (BMN20 algorithms 1 and 2)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semipriv import checks, registry
from semipriv.classes.base import Cover, HypothesisClass, Predictors
from semipriv.classes.halfspaces import Halfspaces
from semipriv.geometry.grid import Grid
from semipriv.learners.base import FiniteOutput, Law, Learner
from semipriv.mechanisms.selection.base import SelectionMechanism
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release
from semipriv.randomness import Randomness, Simulation
from semipriv.regions.cover import RegionCover, region_cover
from semipriv.regions.family import MODES
from semipriv.regions.predictors import RegionComplements
from semipriv.samples import Sample, StatusModel, as_labels

__all__ = ["LearnHalf"]


@dataclass(frozen=True)
class LearnHalf(Learner, FiniteOutput):
    """Regions spanned by public points, then private selection by the mistakes on public and private examples.

    One sample of a mixed population: private examples, by default those with label 1, and public ones.  ``prepare`` is
    A_ConstrHalf: from the public points alone, halfspaces with public points on their boundaries, and G, the regions
    that at most J of them cut out of the affine hull of the public points, with the empty one.  ``release`` is the
    exponential mechanism with score -mistakes over the hypotheses 1[x not in R], R in G: probability proportional to
    exp(-epsilon mistakes / 2), drawn exactly without a list of G.  If private examples are those with label 1, some
    hypothesis of G makes no more mistakes than the best halfspace.

    Privacy (lemma 4.1): sizes, statuses and public examples fixed, G is fixed and replacing one private example changes
    each number of mistakes by at most 1, some up and others down.  Pure epsilon-DP for every public sample.  A status
    is not protected, nor is a label that it gives away: under 'label_determined' and 'private_ones' the guarantee is
    for replacing features.

    epsilon: finite and > 0.  grid: the a-priori grid on which features are rounded, one record at a time (a ``Grid`` or
    {"low": [...], "high": [...]}; None: integers); it must not be chosen by looking at private data.  mode: 'facet'
    (boundaries are spanned inside the affine hull; default) or 'full' (the paper's construction).  mechanism:
    'exponential' (the paper's) or 'permute_and_flip'.  subset: construct from that many public examples, chosen at
    random with the public seed subset_seed (ours: |G| no longer grows; mistakes are counted on all).  privacy: which
    statuses are possible, 'label_determined' (private iff label 1), 'private_ones' (private examples have label 1),
    'any'.
    """

    epsilon: float
    grid: Any = None
    mode: str = "facet"
    mechanism: str = "exponential"
    subset: int | None = None
    subset_seed: int = 0
    privacy: str = "label_determined"
    needs_public_labels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.positive("epsilon", self.epsilon))
        object.__setattr__(self, "grid", None if self.grid is None else Grid.from_config(self.grid))
        registry.check_name("mode", self.mode, MODES)
        registry.check_name("mechanism", self.mechanism, registry.names("mechanisms/selection"))
        if self.subset is not None:
            object.__setattr__(self, "subset", checks.size("subset", self.subset))
        object.__setattr__(self, "subset_seed", checks.size("subset_seed", self.subset_seed, 0))
        registry.check_name("privacy", self.privacy, [model.value for model in StatusModel])

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing features of a private example, or all of it where its status tells no label."""
        whole = StatusModel(self.privacy) is StatusModel.ANY
        neighbours = Neighbours.REPLACE_PRIVATE_EXAMPLE if whole else Neighbours.REPLACE_PRIVATE_FEATURES
        return Guarantee(self.epsilon, 0.0, neighbours)

    @property
    def preparation(self) -> tuple[str, ...]:
        """What the family depends on, and which examples may be public."""
        return ("regions", str(self.grid), self.mode, str(self.subset), str(self.subset_seed), self.privacy)

    @property
    def modules(self) -> tuple[str, ...]:
        """The mechanism is found by name."""
        return (registry.module("mechanisms/selection", self.mechanism),)

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Raise ValueError unless the class is halfspaces, of the grid's dimension."""
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"learn_half learns halfspaces, the class is {hypothesis_class!r}")
        if self.grid is not None and self.grid.dimension != hypothesis_class.dimension:
            raise ValueError(f"grid: has {self.grid.dimension} feature(s), the class has {hypothesis_class.dimension}")

    def predictors(self, hypothesis_class: HypothesisClass) -> Predictors:
        """Complements of regions: the learner is improper."""
        return RegionComplements(self._grid(hypothesis_class))

    def _grid(self, hypothesis_class: HypothesisClass) -> Grid:
        return Grid.unit(hypothesis_class.dimension) if self.grid is None else self.grid

    def prepare(
        self, public_points: ArrayLike, hypothesis_class: HypothesisClass, public_labels: ArrayLike | None = None
    ) -> RegionCover:
        """A_ConstrHalf.  Raises ValueError for public examples that the privacy model rules out, or a G too large."""
        self.check(hypothesis_class)
        if public_labels is None:
            raise ValueError("public_labels: this learner needs labelled public points")
        points = hypothesis_class.validated(public_points, "public points")
        examples = Sample(points, as_labels(public_labels, len(points), "public_labels"))
        self._possible(examples.labels, private=False, name="public_labels")
        return region_cover(
            hypothesis_class, self._grid(hypothesis_class), examples, self._spanning(len(points)), self.mode
        )

    def _spanning(self, n: int) -> NDArray[np.intp]:
        """Rows of the public examples from which the family is made: all, or some at random, in a fixed order."""
        if self.subset is None or self.subset >= n:
            return np.arange(n)
        order = Simulation(self.subset_seed).spawn("public subset", n).generator.permutation(n)
        return np.sort(order[: self.subset])

    def _possible(self, labels: NDArray[np.int8], *, private: bool, name: str) -> None:
        StatusModel(self.privacy).check(labels, np.full(len(labels), private), name)

    def release(self, prepared: Cover, points: ArrayLike, labels: ArrayLike, randomness: Randomness) -> Release:
        """A_LearnHalf.  Raises ValueError for private examples that the privacy model rules out."""
        self._possible(as_labels(labels), private=True, name="labels")
        chosen = self._selection.select(prepared.tally(points, labels), randomness)
        return Release(chosen, self.guarantee, {"cover_size": prepared.size})

    def law(self, prepared: Cover, points: ArrayLike, labels: ArrayLike) -> Law:
        """Probability of each member of G, listed: by the mistakes of its region on public and private examples."""
        assert isinstance(prepared, RegionCover)
        listed, public = prepared.listed(), prepared.examples
        mistakes = listed.mistakes(public.points, public.labels)
        if np.size(labels):
            mistakes = mistakes + listed.mistakes(points, labels)
        return Law(listed.parameters, self._selection.log_probabilities(-mistakes))

    @property
    def _selection(self) -> SelectionMechanism:
        mechanism: SelectionMechanism = registry.load("mechanisms/selection", self.mechanism)(
            self.epsilon, sensitivity=1.0
        )
        return mechanism
