"""A release that protects labels alone: the features of the private rows are public, and make the cover."""

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from semipriv.classes.base import HypothesisClass
from semipriv.core.randomness import Randomness
from semipriv.privacy.guarantee import Release, by_label

__all__ = ["release_by_label"]


def release_by_label(
    learner: Any, hypothesis_class: HypothesisClass, points: ArrayLike, labels: ArrayLike, randomness: Randomness
) -> Release[Any]:
    """Carry out both stages of a learner on one table whose features are public and whose labels are private.

    The points are the public sample as well.  They are the same in all neighbours, and so is what the public stage
    makes of them.  For each fixed public sample the guarantee holds for replacing an example, and so for replacing its
    label.  No public rows are needed.

    Args:
        learner: one whose guarantee is for replacing a private example, and that takes no public labels.
        hypothesis_class: the class to learn.
        points: (n, d), public.
        labels: (n,), private.
        randomness: Secure() for a release, Simulation(seed) for a simulation.

    Returns:
        The release, with a guarantee for ``Neighbours.REPLACE_LABEL``.

    Raises:
        ValueError: for a learner without a guarantee, or with one for other neighbours, for one that needs public
            labels, and for what ``prepare`` and ``release`` refuse.

    Source:
        This package; label privacy is of Chaudhuri and Hsu 2011.
    """
    if learner.guarantee is None:
        raise ValueError("learner: has no guarantee")
    guarantee = by_label(learner.guarantee)
    released: Release[Any] = learner.release(learner.prepare(points, hypothesis_class), points, labels, randomness)
    return replace(released, guarantee=guarantee)
