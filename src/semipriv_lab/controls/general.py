"""Negative controls of noise, of selection and of subsampling."""

import itertools
import math
from collections.abc import Hashable

import numpy as np

from semipriv.audit.exact import DataSet, DistributionOf, as_sample, examples
from semipriv.classes.base import ListedCover
from semipriv.classes.thresholds import Thresholds
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.privacy.amplification import without_replacement
from semipriv.privacy.guarantee import Guarantee
from semipriv.privacy.output_distribution import LogProbabilities
from semipriv_lab.controls.base import Control, registered

LINE = np.arange(1.0, 4.0)[:, None]
BITS = (0, 1)


def _distribution(keys: list[Hashable], log_probabilities: np.ndarray) -> LogProbabilities:
    return dict(zip(keys, map(float, log_probabilities), strict=True))


def _noisy_count(count: int, n: int, epsilon: float) -> LogProbabilities:
    """Return the distribution of a count plus discrete Laplace noise of scale 1/epsilon, clamped to [-n, 2 n].

    P[k] = (1-q)/(1+q) q^|k|, q = e^-epsilon.  Clamping is post-processing.  The ends hold the tails: P[noise >= t] =
    q^t / (1 + q) for t >= 1.
    """
    q = math.exp(-epsilon)
    inner: dict[Hashable, float] = {
        v: math.log((1 - q) / (1 + q)) - epsilon * abs(v - count) for v in range(-n + 1, 2 * n)
    }
    tail = -math.log1p(q)
    return {-n: tail - epsilon * (count + n), **inner, 2 * n: tail - epsilon * (2 * n - count)}


def _cover(points: np.ndarray) -> ListedCover:
    return Thresholds().cover(points).listed()


def _selected(cover: ListedCover, data: DataSet, epsilon: float) -> np.ndarray:
    """Return the log-probabilities of the exponential mechanism on the mistakes."""
    sample = as_sample(data)
    return ExponentialMechanism(epsilon).log_probabilities(-cover.mistakes(sample.points, sample.labels))


@registered
def noise_halved() -> Control:
    """A count with discrete Laplace noise of half the scale."""
    return Control(
        "noise of scale 1 / (2 epsilon) instead of 1 / epsilon",
        0.7,
        [list(BITS)] * 3,
        lambda data: _noisy_count(sum(data), 3, 0.7),
        lambda data: _noisy_count(sum(data), 3, 1.4),
    )


@registered
def whole_exponent() -> Control:
    """A_SSPP with weights exp(-epsilon mistakes)."""
    cover = _cover(LINE)
    return Control(
        "exponent epsilon instead of epsilon / 2: replacing an example moves mistakes both ways",
        1.0,
        [examples(LINE)] * 4,
        lambda data: _distribution(cover.parameters[:, 0].tolist(), _selected(cover, data, 1.0)),
        lambda data: _distribution(cover.parameters[:, 0].tolist(), _selected(cover, data, 2.0)),
    )


@registered
def sensitivity_forgotten() -> Control:
    """Mistakes on examples with label 1 weigh 3, so that replacing an example moves a score by up to 3."""
    cover = _cover(LINE)

    def distribution(sensitivity: float) -> DistributionOf:
        def of(data: DataSet) -> LogProbabilities:
            weighted = np.repeat(np.arange(len(data)), [3 if label else 1 for _, label in data])
            sample = as_sample(tuple(data[i] for i in weighted))
            scores = -cover.mistakes(sample.points, sample.labels)
            chosen = ExponentialMechanism(1.0, sensitivity).log_probabilities(scores)
            return _distribution(cover.parameters[:, 0].tolist(), chosen)

        return of

    return Control(
        "scores of sensitivity 3 treated as of sensitivity 1",
        1.0,
        [examples(LINE)] * 3,
        distribution(3.0),
        distribution(1.0),
    )


@registered
def best_iterate() -> Control:
    """Two draws of budget epsilon / 2 each; the one with fewer private mistakes is published, not the last."""
    cover, epsilon = _cover(LINE[:2]), 0.5
    keys = cover.parameters[:, 0].tolist()

    def honest(data: DataSet) -> LogProbabilities:
        return _distribution(keys, _selected(cover, data, epsilon / 2))

    def broken(data: DataSet) -> LogProbabilities:
        sample = as_sample(data)
        mistakes = cover.mistakes(sample.points, sample.labels)
        p = np.exp(_selected(cover, data, epsilon / 2))
        mass = np.zeros(len(p))
        for i, j in itertools.product(range(len(p)), repeat=2):
            mass[j if mistakes[j] <= mistakes[i] else i] += p[i] * p[j]
        return _distribution(keys, np.log(mass))

    return Control("the best iterate is chosen by its true error", epsilon, [examples(LINE[:2])] * 2, honest, broken)


@registered
def subsample_reused() -> Control:
    """Two randomized responses of one random record each: the second must come from a fresh subsample."""
    n, inner = 3, 1.0
    right = 1 / (1 + math.exp(-inner))
    claim = 2 * without_replacement(Guarantee(inner), 1 / n).epsilon

    def response(bit: int, answer: int) -> float:
        return right if bit == answer else 1 - right

    def fresh(data: DataSet) -> LogProbabilities:
        once = [sum(response(bit, a) for bit in data) / n for a in BITS]
        return {(a, b): math.log(once[a] * once[b]) for a in BITS for b in BITS}

    def reused(data: DataSet) -> LogProbabilities:
        both = itertools.product(BITS, repeat=2)
        return {(a, b): math.log(sum(response(bit, a) * response(bit, b) for bit in data) / n) for a, b in both}

    return Control("one subsample serves two amplified mechanisms", claim, [list(BITS)] * n, fresh, reused)


@registered
def oracle_retried() -> Control:
    """An oracle that fails on odd instances: its failure is an outcome, and must not be hidden by new noise."""
    n, epsilon = 2, 1.0

    def honest(data: DataSet) -> LogProbabilities:
        distribution = _noisy_count(sum(data), n, epsilon)
        failure = math.log(sum(math.exp(p) for v, p in distribution.items() if isinstance(v, int) and v % 2))
        return {**{v: p for v, p in distribution.items() if isinstance(v, int) and v % 2 == 0}, "failure": failure}

    def broken(data: DataSet) -> LogProbabilities:
        distribution = honest(data)
        success = math.log1p(-math.exp(distribution["failure"]))
        return {v: p - success for v, p in distribution.items() if v != "failure"}

    return Control(
        "after a failure the oracle is asked again with fresh noise", epsilon, [list(BITS)] * n, honest, broken
    )


@registered
def window_at_the_mode() -> Control:
    """Thresholds sampled by layers; only the heaviest layer and those beside it are kept."""
    cover = _cover(np.arange(1.0, 9.0)[:, None])
    keys = cover.parameters[:, 0].tolist()
    layer = np.arange(len(keys)) // 3

    def broken(data: DataSet) -> LogProbabilities:
        weights = np.exp(_selected(cover, data, 1.0))
        heaviest = int(np.argmax(np.bincount(layer, weights)))
        kept = np.where(np.abs(layer - heaviest) <= 1, weights, 0.0)
        mass = kept / kept.sum()
        return {key: math.log(p) for key, p in zip(keys, mass.tolist(), strict=True) if p > 0}

    return Control(
        "the window of the layers that are sampled is chosen by the mode",
        1.0,
        [examples(np.array([[1.0], [8.0]]))] * 3,
        lambda data: _distribution(keys, _selected(cover, data, 1.0)),
        broken,
    )
