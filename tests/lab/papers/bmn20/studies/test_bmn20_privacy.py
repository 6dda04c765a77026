"""Claim BMN20-L4.1: the enumeration against the general audit, and controls that it catches."""

import itertools

import numpy as np
import pytest

from semipriv.audit.exact import exact_privacy_loss, outcomes
from semipriv.core.randomness import Simulation
from semipriv.core.samples import Sample
from semipriv.core.statistics import Verdict
from semipriv.papers.bmn20.learners.learn_half import LearnHalf
from semipriv.privacy.guarantee import Neighbours
from semipriv_lab.ledger.claim import Run
from semipriv_lab.papers.bmn20.studies import privacy as claims

LINE, SQUARE = claims.DOMAINS.values()


@pytest.mark.parametrize("labels", claims.LABELS)
@pytest.mark.parametrize(
    ("domain", "chosen", "mode"),
    [
        (LINE, [0, 2, 2], "facet"),
        (LINE, [], "facet"),
        (LINE, [1, 3], "full"),
        (SQUARE[:5], [0, 1, 3], "facet"),
        (SQUARE[:5], [0, 1, 2], "full"),
        (SQUARE[:5], [4, 4], "facet"),
    ],
)
def test_enumeration_is_the_general_audit(domain: np.ndarray, chosen: list[int], mode: str, labels: str) -> None:
    """All sequences of private examples and the learner's own distribution, by descriptor and as released."""
    prepared = claims.prepare(domain[chosen], mode)
    table = claims.Enumeration.of(prepared, domain, claims.LABELS[labels])
    learner = LearnHalf(1.0, mode=mode, privacy="any")
    slot = [(tuple(x), y) for y in claims.LABELS[labels] for x in domain.tolist()]

    def distribution(data: tuple) -> dict:
        sample = Sample(np.array([x for x, _ in data]), np.array([y for _, y in data]))
        return dict(
            enumerate(learner.output_distribution(prepared, sample.points, sample.labels).log_probabilities.tolist())
        )

    def released(data: tuple) -> dict:
        sample = Sample(np.array([x for x, _ in data]), np.array([y for _, y in data]))
        return dict(outcomes(learner.output_distribution(prepared, sample.points, sample.labels)))

    for n in (1, 2):
        actual_largest_loss = claims.largest_loss(table, n, 0.5)
        assert exact_privacy_loss(distribution, [slot] * n, exchangeable=True).loss == pytest.approx(
            actual_largest_loss, abs=1e-12
        )
        assert exact_privacy_loss(released, [slot] * n, exchangeable=True).loss <= actual_largest_loss + 1e-12


def test_losses_of_the_specification() -> None:
    """Its largest losses over all public multisets, where it counted the same descriptors."""

    def largest(domain: np.ndarray, m: int, n: int, rate: float) -> float:
        publics = itertools.combinations_with_replacement(range(len(domain)), m)
        tables = (claims.Enumeration.of(claims.prepare(domain[list(p)], "facet"), domain, (1,)) for p in publics)
        return max(claims.largest_loss(table, n, rate) for table in tables)

    assert largest(LINE, 3, 3, 0.5) == pytest.approx(0.816, abs=5e-4)
    assert largest(LINE, 3, 3, 1.5) == pytest.approx(2.93, abs=5e-3)
    assert largest(SQUARE, 3, 2, 0.5) == pytest.approx(0.800, abs=5e-4)
    assert largest(SQUARE, 3, 2, 1.5) == pytest.approx(2.82, abs=5e-3)
    assert 1.62 <= largest(LINE, 3, 3, 1.0) <= 1.87
    assert 0.124 <= largest(SQUARE, 3, 2, 0.1) <= 0.148


def test_the_distribution_is_normalised_and_the_table_counts_mistakes() -> None:
    prepared = claims.prepare(SQUARE[[0, 1, 3]], "facet")
    table = claims.Enumeration.of(prepared, SQUARE, (0, 1))
    mistakes = table.neighbourhoods(3)
    assert mistakes.shape == (18 * 19 // 2, 18, prepared.size)
    np.testing.assert_allclose(np.exp(claims.log_distribution(mistakes, 0.7)).sum(axis=2), 1, atol=1e-13)
    x = SQUARE[[0, 0, 4]]
    values, counts = prepared.tally(x, np.array([0, 0, 1])).histogram()
    first = np.sort(mistakes[0, 9 + 4])
    assert first.tolist() == np.repeat(values, counts).tolist()


@pytest.fixture(scope="module")
def finding():
    return claims.private(Run(Simulation(0), 0.05))


def test_claim(finding) -> None:
    assert finding.verdict is Verdict.HOLDS
    assert finding.deciding.quantity == claims.LOSS
    assert 0.9 < finding.deciding.measured.value <= 1 + claims.ROUNDING
    cells = {tuple(m.settings.get(k) for k in ("domain", "mode", "labels", "n_public", "n_private", "epsilon"))
             for m in finding.measurements if m.quantity == claims.LOSS}  # fmt: skip
    assert len(cells) == 2 * 2 * 2 * 4 * 3 * 3
    controls = [m for m in finding.measurements if m.quantity == claims.CONTROL]
    assert len(controls) == 4
    assert all(m.measured.value > 1.05 for m in controls)
    whole = [m for m in finding.measurements if m.quantity == claims.WHOLE and m.settings["n_public"] == 3]
    assert all(m.measured.value > 1.05 for m in whole if m.settings["n_private"] == 3)
    assert all(m.verdict is Verdict.HOLDS for m in controls)
    nothing = [m for m in finding.measurements if m.quantity == claims.LOSS and m.settings["n_public"] == 0]
    assert all(m.measured.value == 0 for m in nothing)


def only_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "DOMAINS", {"{0..4}": LINE})
    monkeypatch.setattr(claims, "PUBLIC", (3,))


def test_a_distribution_without_the_half_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    only_small(monkeypatch)
    honest = claims.log_distribution
    monkeypatch.setattr(claims, "log_distribution", lambda mistakes, rate: honest(mistakes, 2 * rate))
    assert claims.private(Run(Simulation(0), 1.0)).verdict is Verdict.VIOLATED


def test_a_learner_with_another_distribution_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    only_small(monkeypatch)
    honest = LearnHalf.output_distribution
    twice = lambda self, *data: honest(LearnHalf(2 * self.epsilon, privacy="any"), *data)  # noqa: E731
    monkeypatch.setattr(LearnHalf, "output_distribution", twice)
    actual_finding = claims.private(Run(Simulation(0), 1.0))
    assert actual_finding.verdict is Verdict.VIOLATED
    assert any(m.quantity == claims.DISTRIBUTION and m.verdict is Verdict.VIOLATED for m in actual_finding.measurements)


def test_a_control_that_passes_leaves_the_claim_open(monkeypatch: pytest.MonkeyPatch) -> None:
    only_small(monkeypatch)
    control = claims.CONTROLS["learn_half_whole_exponent"]()
    monkeypatch.setattr(claims, "CONTROLS", {"learn_half_tame": lambda: type(control)(
        control.breaks, control.epsilon, control.slots[:1], control.honest, control.honest)})  # fmt: skip
    actual_finding = claims.private(Run(Simulation(0), 1.0))
    assert actual_finding.verdict is Verdict.INCONCLUSIVE
    assert control.breaks in actual_finding.reason


@pytest.mark.parametrize(("privacy", "neighbours"), [
    ("label_determined", Neighbours.REPLACE_PRIVATE_FEATURES),
    ("private_ones", Neighbours.REPLACE_PRIVATE_FEATURES),
    ("any", Neighbours.REPLACE_PRIVATE_EXAMPLE),
])  # fmt: skip
def test_which_neighbours(privacy: str, neighbours: Neighbours) -> None:
    assert LearnHalf(1.0, privacy=privacy).guarantee.neighbours is neighbours
