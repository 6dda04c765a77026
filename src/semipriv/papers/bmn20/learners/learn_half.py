"""A_LearnHalf: halfspaces from mixtures of private and public populations (BMN20 algorithms 1 and 2)."""

import math
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from semipriv.classes.base import Hypothesis, HypothesisClass
from semipriv.classes.halfspaces import Halfspaces
from semipriv.core import checks, registry
from semipriv.core.fields import checked, named, positive, size, value
from semipriv.core.randomness import Randomness
from semipriv.core.roles import Role
from semipriv.core.samples import StatusModel, as_labels
from semipriv.geometry.grid import Grid
from semipriv.learners._selecting import Selecting
from semipriv.learners.base import Facts, Setting
from semipriv.mechanisms.selection.base import SelectionMechanism, SelectionName, selection
from semipriv.papers.bmn20.bounds.sizes import agnostic_bound, hypotheses, realizable_bound
from semipriv.papers.bmn20.regions.cover import RegionCover
from semipriv.papers.bmn20.regions.family import MODES
from semipriv.papers.bmn20.stages.regions import Regions
from semipriv.privacy.guarantee import Guarantee, Neighbours, Release

__all__ = ["LearnHalf"]


_STATUSES = [model.value for model in StatusModel]


@value
class LearnHalf(Selecting[RegionCover]):
    """Regions spanned by public points, then private selection by the mistakes on public and private examples.

    The sample comes from a mixed population: some examples are private, by default those with label 1, the others
    public.  ``prepare`` is A_ConstrHalf.  From the public points alone it constructs a family of halfspaces with public
    points on their boundaries.  G is the set of their regions: the empty one, and the intersections of at most J
    halfspaces of the family within the affine hull of the public points.  ``release`` is the exponential mechanism with
    score -mistakes over the hypotheses 1[x not in R], R in G.  The probability of each is proportional to
    exp(-epsilon mistakes / 2); the draw is exact and needs no list of G.  If exactly the examples with label 1 are
    private, some hypothesis of G makes no more mistakes than the best halfspace.

    Privacy (BMN20 lemma 4.1): fix sizes, statuses and public examples.  Then G is fixed, and replacing one private
    example changes each number of mistakes by at most 1, up or down.  So the release is pure epsilon-DP for every
    public sample.  Statuses are not protected, nor are labels that follow from them: under 'label_determined' and
    'private_ones' neighbours differ in the features of one private example.

    Args:
        epsilon: privacy parameter, finite and > 0.
        grid: the a-priori grid to which features are rounded, one record at a time (a ``Grid`` or {"low": [...],
            "high": [...]}; None: features are integers, and ``prepare`` refuses public points that are none).  The grid
            must not depend on private data.
        mode: 'facet' (default: boundaries are spanned inside the affine hull) or 'full' (the paper's construction).
        mechanism: 'exponential' (the paper's) or 'permute_and_flip'.
        subset: number of public examples that span the family, chosen at random with a public seed; mistakes are
            counted on all examples.  This is ours: |G| no longer grows with the sample.
        subset_seed: the public seed of ``subset``, an integer >= 0.
        privacy: which statuses are possible, 'label_determined' (private iff label 1), 'private_ones' (private examples
            have label 1), 'any'.

    Source:
        BMN20 algorithms 1 and 2, lemma 4.1, theorem 4.6.
    """

    hue: ClassVar[str] = "vermilion"
    theorem: ClassVar[str] = "BMN20 theorem 4.6, explicit"
    facts: ClassVar[Facts] = Facts(bound_sizes={"n": 10**6}, unbounded={"mode": "full", "subset": 9})

    epsilon: float = positive()
    grid: Grid | None = checked(lambda _, given: None if given is None else Grid.from_config(given), default=None)
    mode: str = checked(lambda name, given: registry.check_name(name, given, MODES), default="facet")
    mechanism: SelectionName | str = named("mechanisms/selection", default="exponential")
    subset: int | None = checked(lambda name, given: None if given is None else checks.size(name, given), default=None)
    subset_seed: int = size(0, default=0)
    privacy: str = checked(lambda name, given: registry.check_name(name, given, _STATUSES), default=_STATUSES[0])

    @classmethod
    def examples(cls) -> tuple["LearnHalf", ...]:
        """Return learners with each status model, both mechanisms, both modes, and regions of a subset."""
        return (
            cls(1.0),
            cls(0.5, privacy="private_ones", mechanism="permute_and_flip"),
            cls(1.0, privacy="any"),
            cls(1.0, mode="full", subset=4, subset_seed=3),
        )

    @property
    def role(self) -> Role:
        """The role of the paper's algorithm; with another mechanism, of a variant."""
        return Role.PAPER if self.mechanism == "exponential" else Role.VARIANT

    @property
    def short_title(self) -> str:
        """The paper's name, with the mechanism if it is another one."""
        name = "A_LearnHalf"
        return name if self.mechanism == "exponential" else f"{name} with {self.mechanism.replace('_', '-')}"

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, 0) for replacing the features of a private example; under 'any', for replacing all of it."""
        whole = StatusModel(self.privacy) is StatusModel.ANY
        neighbours = Neighbours.REPLACE_PRIVATE_EXAMPLE if whole else Neighbours.REPLACE_PRIVATE_FEATURES
        return Guarantee(self.epsilon, 0.0, neighbours)

    @property
    def public_stage(self) -> Regions:
        """A_ConstrHalf with the parameters of the family and the status model."""
        return Regions(self.grid, self.mode, self.subset, self.subset_seed, StatusModel(self.privacy))

    def check(self, hypothesis_class: HypothesisClass) -> None:
        """Check that this learner can learn a class.

        Raises:
            ValueError: unless the class is halfspaces of the grid's dimension.
        """
        if not isinstance(hypothesis_class, Halfspaces):
            raise ValueError(f"learn_half learns halfspaces, the class is {hypothesis_class!r}")
        self.public_stage.check(hypothesis_class)

    def release(
        self, prepared: RegionCover, points: ArrayLike, labels: ArrayLike, randomness: Randomness
    ) -> Release[Hypothesis]:
        """Carry out A_LearnHalf.

        Raises:
            ValueError: for private examples that the status model does not allow.
        """
        known = as_labels(labels)
        StatusModel(self.privacy).check(known, np.ones(len(known), bool), "labels")
        return super().release(prepared, points, labels, randomness)

    def excess_bound(self, setting: Setting) -> float | None:
        """Return the bound of BMN20 theorem 4.6, with |G| as if all n examples were public.

        It holds for distributions on the grid (``distributions``): of others it says nothing, as both populations may
        be rounded to one point.  None in full mode, if private examples may have label 0, and if a subset of the public
        points spans G.

        Source:
            BMN20 theorem 4.6.
        """
        n, d = setting.sizes.get("n"), setting.hypothesis_class.dimension
        covered = StatusModel.PRIVATE_ONES.includes(setting.statuses)
        if n is None or not covered or self.mode != "facet" or self.subset is not None:
            return None
        arguments = (n, d, self.epsilon, setting.beta, math.log(hypotheses(n, d)))
        bound = agnostic_bound(*arguments)
        return min(bound, realizable_bound(*arguments)) if setting.best_error == 0 else bound

    def distributions(self, setting: Setting) -> str:
        """Return the distributions of the grid, which is named, that the status model allows.

        Only public points are held against the grid of integers; private ones are rounded to it, or moved to its ends.
        """
        grid = self.public_stage.grid_of(setting.hypothesis_class)
        ends = zip(grid.low, grid.high, strict=True)
        values = "integers" if self.grid is None else f"the grid of {grid.steps + 1:,} values a feature"
        ranges = " x ".join(dict.fromkeys([f"{low:,g} to {high:,g}" for low, high in ends]))
        return f"{super().distributions(setting)} on {values} from {ranges}, where {setting.statuses.rule}"

    @cached_property
    def selection(self) -> SelectionMechanism:
        """The mechanism with that name."""
        return selection(self.mechanism, self.epsilon)
