"""Learners inside of others: which ones fit, and what they refuse before anything is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from semipriv.core.work import WorkError
from semipriv.learners.base import AnyLearner

__all__ = ["check_labels_alone", "check_release_inside", "told_of"]


@contextmanager
def told_of(learner: AnyLearner) -> Iterator[None]:
    """Let a ValueError say that it is of the learner inside; a WorkError stays one."""
    try:
        yield
    except WorkError as error:
        raise WorkError(f"learner = {learner!r}: {error}", memory=error.memory) from None
    except ValueError as error:
        raise ValueError(f"learner = {learner!r}: {error}") from None


def check_labels_alone(learner: AnyLearner) -> None:
    """Raise ValueError unless a learner learns a hypothesis from labelled examples, without unlabelled entries.

    A learner around it hands on nothing else, and makes nothing else of what it learns.
    """
    with told_of(learner):
        if learner.reads_unlabelled:
            raise ValueError("reads unlabelled private entries, must learn from labelled examples alone, as sspp does")
        if learner.output_kind != "hypothesis":
            raise ValueError(f"its output is a {learner.output_kind}, must be a hypothesis, as that of sspp is")


def check_release_inside(learner: AnyLearner, prepared: Any, n_private: int) -> None:
    """Raise ValueError for what a learner inside refuses of so many examples."""
    with told_of(learner):
        learner.check_release(prepared, n_private)
