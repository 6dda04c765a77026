"""One column: the tree with a public prior is level with the better of the two that it is made of, whatever is public.

``CASES`` of public rows by shapes of columns by n epsilon.  "Its noise" is the mean error of the tree without public
rows, for the same epsilon: what is left of the answer's error above the smaller parent's must be a small part of it.
"""

import functools

import numpy as np
import pytest

from semipriv.core.randomness import Simulation
from semipriv.privacy.guarantee import Guarantee
from semipriv.queries.consistency import monotone, shallow
from semipriv.queries.least_squares import node_counts, run_variances, unbiased
from semipriv.queries.methods.consistent_tree import ConsistentTree
from semipriv.queries.methods.public_prior_tree import PublicPriorTree, posterior
from semipriv.queries.workloads import Runs

CELLS, DRAWS, PUBLIC = 256, 4, 200
PREFIXES = Runs(CELLS, np.zeros(CELLS - 1, np.int64), np.arange(1, CELLS))
BUDGETS = [(1_000, 0.001), (1_000, 0.01), (1_000, 0.1), (10_000, 0.1), (100_000, 0.1), (100_000, 10.0)]
SHAPES = ("smooth", "two peaks", "spiky", "heaped", "rough", "constant")
CASES = ("good", "biased", "half missing", "other", "permuted", "few", "none")


def shape(name: str, rng: np.random.Generator) -> np.ndarray:
    """Shares of the cells."""
    x = np.arange(CELLS)
    centre, other = rng.uniform(50, 200, 2)
    spikes = np.zeros(CELLS)
    spikes[rng.choice(CELLS, 12, replace=False)] = rng.dirichlet(np.full(12, 0.7))
    masses_by_shape = {
        "smooth": np.exp(-0.5 * ((x - centre) / 22) ** 2),
        "two peaks": np.exp(-0.5 * ((x - centre) / 8) ** 2) + np.exp(-0.5 * ((x - other) / 18) ** 2) / 2,
        "spiky": spikes,
        "heaped": np.exp(-x / 75) * (1 + 9 * (x % 10 == 0)),
        "rough": rng.gamma(0.5, 1, CELLS),
        "constant": np.eye(CELLS)[int(centre)],
    }[name]
    return np.asarray(masses_by_shape / masses_by_shape.sum())


def public_rows(case: str, distribution: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Public rows by cell."""
    missing = np.where(np.cumsum(distribution) < 0.5, 0.0, distribution)
    distributions = {
        "biased": 0.7 * distribution + 0.3 * other,
        "half missing": missing / missing.sum(),
        "other": other,
        "permuted": rng.permutation(distribution),
    }
    number = {"few": 20, "none": 0}.get(case, PUBLIC)
    return np.asarray(rng.multinomial(number, distributions.get(case, distribution)))


def errors(n: int, epsilon: float) -> dict[str, np.ndarray]:
    """Mean errors of prefixes by case: of the tree, of the prior's answer and of the method, (draws x shapes, 3)."""
    errors_by_case: dict[str, list[list[float]]] = {case: [] for case in CASES}
    for draw in range(DRAWS):
        rng = np.random.default_rng([draw, n])
        distributions = [shape(name, rng) for name in SHAPES]
        for k, distribution in enumerate(distributions):
            counts = rng.multinomial(n, distribution)
            truth = PREFIXES.sums(counts) / n
            budget, method = Guarantee(epsilon), PublicPriorTree()
            coins = functools.partial(Simulation(7).spawn, draw, k, n, str(epsilon))  # the same noise for all three
            tree, noise, stream = method.tree(CELLS), method.noise(CELLS, budget), coins()
            measured = [noise.add(level, stream).astype(float) for level in node_counts(tree, counts)]
            plain = ConsistentTree().fit(PREFIXES, counts, budget, coins()).answers
            for case in CASES:
                public = public_rows(case, distribution, distributions[k - 1], np.random.default_rng([draw, k]))
                of_prior = monotone(posterior(tree, measured, noise.variance, n, public).counts, n)[1:-1] / n
                answer = method.beside(public).fit(PREFIXES, counts, budget, coins()).answers
                errors_by_case[case].append(
                    [float(np.abs(answers_of - truth).mean()) for answers_of in (plain, of_prior, answer)]
                )
    return {case: np.array(rows) for case, rows in errors_by_case.items()}


@pytest.mark.parametrize(("n", "epsilon"), BUDGETS)
def test_the_answer_is_level_with_the_better_parent(n: int, epsilon: float) -> None:
    """Over shapes and draws: at most a sixth of the noise above the smaller error, and three standard errors."""
    for case, value in errors(n, epsilon).items():
        plain, of_prior, answer = value.mean(axis=0)
        better = int(of_prior < plain)
        apart = value[:, 2] - value[:, better]
        assert apart.mean() <= plain / 6 + 3 * apart.std() / len(apart) ** 0.5, (case, plain, of_prior, answer)


@pytest.mark.parametrize("cells", [2, 5, 9])
def test_the_posterior_variance_is_what_steins_estimate_needs(cells: int) -> None:
    """s^2 sum_v dT_j / dy_v dP_j / dy_v = var P_j for each prefix j, by differences: with P a mixture of all priors.

    So E (T_j - x_j)(P_j - x_j) = E var P_j under normal noise, whatever the counts x are (Stein 1981), and
    t^2 D - 2 t V is an unbiased estimate of how the mean squared error changes with t.
    """
    rng = np.random.default_rng(cells)
    counts, public, variance, step = rng.integers(0, 30, cells), rng.integers(0, 4, cells), 400.0, 1e-3
    tree, n = shallow(cells, 2), int(counts.sum())
    every = Runs(cells, np.zeros(cells - 1, np.int64), np.arange(1, cells))
    nodes = node_counts(tree, counts)
    seen = np.concatenate(nodes) + rng.normal(0, variance**0.5, sum(map(len, nodes)))

    def both(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        measured = np.split(y, np.cumsum([len(level) for level in nodes])[:-1])
        of_prior = posterior(tree, measured, variance, n, public)
        return every.sums(unbiased(tree, measured, variance, n, cells)), every.sums(of_prior.counts)

    moved = [(both(seen + step * unit_vector), both(seen - step * unit_vector)) for unit_vector in np.eye(len(seen))]
    slopes = np.array([[(up - down) / (2 * step) for up, down in zip(*pair, strict=True)] for pair in moved])
    stein = variance * np.einsum("vj,vj->j", slopes[:, 0], slopes[:, 1])
    measured = np.split(seen, np.cumsum([len(level) for level in nodes])[:-1])
    posterior_means = posterior(tree, measured, variance, n, public)
    assert posterior_means.chances.max() < 0.99, "a mixture"
    assert stein == pytest.approx(posterior_means.variances(every), rel=1e-4)
    noise = variance * np.sum(slopes[:, 0] ** 2, axis=0)
    assert noise == pytest.approx(run_variances(tree, variance, np.full(cells, np.inf), every.start, every.stop))
