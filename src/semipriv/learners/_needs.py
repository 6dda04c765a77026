"""What a learner needs for an excess error, and what given sizes allow: by its own rule, or by solving its bound."""

from collections.abc import Mapping

from semipriv.core.fields import changed
from semipriv.core.least import least_number, least_size
from semipriv.learners.base import AnyLearner, Needed, Setting
from semipriv.learners.stages.nothing import Nothing

MOST = 2**53
"""Largest size that is answered."""
_BEYOND = 2**200
"""Private examples with which a bound is what public points alone leave."""
PUBLIC_SHARE = 0.5
"""Share of alpha that is left to the public points."""


def size_keys(learner: AnyLearner) -> tuple[str, ...]:
    """Return the sizes that a learner's data have, in their order: keys of ``Setting.sizes``."""
    if learner.reads_unlabelled:
        return "n_labelled", "n_unlabelled"
    if hasattr(learner, "privacy"):
        return ("n",)
    return ("n_private",) if isinstance(learner.public_stage, Nothing) else ("n_public", "n_private")


def with_sizes(setting: Setting, sizes: Mapping[str, int | None]) -> Setting:
    """Return the setting with these sizes."""
    return changed(setting, sizes=dict(sizes))


def bound(learner: AnyLearner, setting: Setting) -> float | None:
    """Return the bound on the excess error for the setting's sizes, with probability 1 - beta.

    It is ``excess_bound``, or else the least alpha for which ``needed`` asks for no more.  None if there is no bound.
    1 or more says nothing.
    """
    excess = learner.excess_bound(setting)
    if excess is not None:
        return excess
    sizes = {key: size for key, size in setting.sizes.items() if size is not None}
    held = with_sizes(setting, {"n_public": sizes.get("n_public")})
    if learner.needed(0.5, with_sizes(setting, {})) is None:
        return None

    def enough(alpha: float) -> bool:
        try:
            rule = learner.needed(alpha, held)
        except ValueError:
            return False
        return rule is not None and all(size <= sizes.get(key, 0) for key, size in rule.sizes.items())

    least = least_number(enough)
    return 1.0 if least is None else least


def needed(learner: AnyLearner, alpha: float, setting: Setting) -> Needed | None:
    """Return what a learner needs for alpha: by its own rule, or the least sizes at which its bound is at most alpha.

    Of two sizes the public one comes first: the least with which public points alone leave ``PUBLIC_SHARE`` alpha; then
    the least private one.  Sizes that the setting gives are held.  None if there is neither.  Raise ValueError if no
    size up to 2^53 is enough.
    """
    by_rule = learner.needed(alpha, setting)
    if by_rule is not None:
        return by_rule
    keys = size_keys(learner)
    if learner.excess_bound(with_sizes(setting, dict.fromkeys(keys, MOST))) is None:
        return None
    sizes = {key: size for key in keys if (size := setting.sizes.get(key)) is not None}

    def least(key: str, target: float, others: Mapping[str, int]) -> int:
        def fails(size: int) -> float:
            if size > 2 * MOST:
                held = " with " * bool(sizes) + ", ".join(f"{name} = {n}" for name, n in sizes.items())
                raise ValueError(f"alpha = {alpha!r}: no {key} up to 2^53 is proven to be enough{held}")
            excess = learner.excess_bound(with_sizes(setting, {**others, key: size}))
            return float(excess is None or not excess <= target)

        return least_size(fails, 0.5)

    for key in keys[:-1]:
        if key not in sizes:
            sizes[key] = least(key, PUBLIC_SHARE * alpha, {keys[-1]: _BEYOND})
    sizes[keys[-1]] = least(keys[-1], alpha, sizes)
    return Needed({key: sizes[key] for key in keys}, learner, learner.theorem, learner.distributions(setting))
