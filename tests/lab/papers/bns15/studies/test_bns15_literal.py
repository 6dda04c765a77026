"""Literal readings of BNS15 that are refuted, each recomputed in another way, and their repairs."""

import math
import re
from decimal import Decimal, localcontext
from itertools import pairwise, product

import numpy as np
import pytest

from semipriv.classes.finite_class import FiniteClass
from semipriv.core.randomness import Simulation
from semipriv.core.statistics import Verdict
from semipriv.mechanisms.selection.exponential import ExponentialMechanism
from semipriv.papers.bns15.bounds import generalisation as sizes
from semipriv.papers.bns15.bounds.learners import generic_labelled, label_boost_labelled
from semipriv.papers.bns15.label_boost.growth import growth
from semipriv.papers.bns15.label_boost.schedule import PAPER, schedule
from semipriv_lab.ledger.checked import JUDGED
from semipriv_lab.ledger.claim import Run
from semipriv_lab.ledger.claims import Claim, claims
from semipriv_lab.ledger.stated import domain_of
from semipriv_lab.papers.bns15.studies import (
    boosting,
    every_epsilon,
    generalisation,
    labelled_need,
    relabelling,
    rounds,
    starts,
)

RUN = Run(Simulation(1), 1.0)


def counted(start: int, n: int, alpha: float) -> int | None:
    """Return the rounds of algorithm 3, the paper's constants, beta = .2, VC = 1, in decimals; None without end."""
    size, number_of_rounds, block = start, 0, 30_000 * n
    beta = Decimal.from_float(0.2)
    with localcontext(prec=400):
        while size < 300 * n:
            number_of_rounds += 1
            rate = Decimal(alpha) / (10 * 2**number_of_rounds) / 200
            exponent = rate * size
            allowed = beta / (4 * 2**number_of_rounds) * min(exponent, Decimal(2000)).exp()
            read = min(block, math.floor(allowed) - size)
            after = size // 100 + max(read, 0) // 100
            if read < 1 or after <= min(size, 300 * n - 1):
                return None
            size = after
    return number_of_rounds


@pytest.mark.parametrize("long", rounds.LONG[:2], ids=lambda long: f"{long[0]:g}")
def test_starts_with_many_rounds_in_decimals(long: tuple[float, int, int, int]) -> None:
    alpha, power, start, constant = long
    computed_counted = counted(start, 10**power, alpha)
    assert computed_counted is not None
    assert computed_counted > 4 * constant
    assert counted(start - 1, 10**power, alpha) is None
    assert len(schedule(PAPER, start, 10**power, alpha, 0.2, 1).rounds) == computed_counted


def test_remarks_on_rounds() -> None:
    assert rounds.any_start(RUN).verdict is Verdict.REFUTED
    assert rounds.at_most_log_star(RUN).verdict is Verdict.HOLDS


def test_rounds_gain_an_exponential_each_from_the_start_of_claim_4_9() -> None:
    """z = a |S| / 2 - 1, a = alpha_i / (200 VC): each is at least e to the one before, as the proof has it."""
    for alpha, beta, vc in product((1e-6, 0.2, 0.999), (1e-6, 0.999), (1, 10**6)):
        growing_rounds = growth(PAPER, label_boost_labelled(alpha, beta, vc), None, alpha, beta, vc, 4)
        halves = [
            item.labelled.times(PAPER.alpha(alpha, i) / (400 * vc)) for i, item in enumerate(growing_rounds, start=1)
        ]
        assert halves[0].top >= 92
        for first, other in pairwise(halves):
            assert other.ln() >= first.times(1 - 1 / 92)


def test_too_few_points_by_the_procedure() -> None:
    """One labelled and four unlabelled points of all functions on five points."""
    drawn_labels = relabelling.drawn(relabelling.all_functions(5), ((0, 1),), (1, 2, 3, 4), 1.0)
    wrong = ~drawn_labels.labelings[:, drawn_labels.points.index(0)]
    literal = boosting.few_points(RUN)
    assert literal.verdict is Verdict.REFUTED
    assert literal.deciding.measured.value == pytest.approx(drawn_labels.chances[wrong].sum())


def test_a_round_that_reads_nothing_by_the_procedure() -> None:
    """All sets of at most two of four distinct points, all labels 0 and no unlabelled point."""
    sparse_class = FiniteClass([combination for combination in product((0, 1), repeat=4) if sum(combination) <= 2])
    drawn_labels = relabelling.drawn(sparse_class, tuple((x, 0) for x in range(4)), (), 1.0)
    for most in (0, 1, 2):
        wrong = drawn_labels.labelings.sum(axis=1) > most
        assert boosting.without_new_points(2, 4, most) == pytest.approx(drawn_labels.chances[wrong].sum(), abs=1e-12)
    refuting = [row for row in boosting.few_points(RUN).measurements if row.verdict is Verdict.REFUTED]
    assert [row.settings["kept_labelled"] >= row.settings["vc"] for row in refuting] == [False, True]
    assert all(boosting.reads_less_than_none(a, b) < 0 for a, b in product((1e-9, 0.999999), repeat=2))


def test_one_label_of_two_points_is_guessed_by_every_learner() -> None:
    """All deterministic learners from one labelled example to one of four functions; coins only mix them."""
    functions = list(product((0, 1), repeat=2))
    least = 1.0
    for learner in product(functions, repeat=4):
        wrong = [
            sum(learner[2 * x + target[x]][z] != target[z] for z in (0, 1)) / 2 > 0.2
            for target in functions
            for x in (0, 1)
        ]
        least = min(least, np.mean(wrong))
    finding = every_epsilon.one_example(RUN)
    assert finding.verdict is Verdict.REFUTED
    assert finding.deciding.measured.value == least


def test_generic_learner_cannot_tell_shattered_points_apart() -> None:
    """Six points, three labels 0 at the heavy one: the mechanism over all hypotheses."""
    mistakes = np.array([0] + [3] * 2**6)
    logs = ExponentialMechanism(0.5).log_probabilities(-mistakes)
    assert every_epsilon.shattered(6, 0.9, 3, 0.5) == pytest.approx(np.exp(logs[1:]).sum())
    assert every_epsilon.shattered(6, 0.9, 1e6, 0.5) == 0.0


def test_theorem_b6_asks_for_fewer_examples_than_the_dimension() -> None:
    """Only where ln(1 / (alpha beta)) <= alpha^2 / 50, which the repaired form leaves out."""
    alpha, beta, vc = generalisation.LARGE
    refuting = [row for row in generalisation.no_dimension(RUN).measurements if row.verdict is Verdict.REFUTED]
    assert [row.settings["vc"] for row in refuting] == [0, vc]
    assert refuting[1].settings["m"] == math.ceil(50 * vc * -math.log(alpha * beta) / alpha**2) <= vc
    with pytest.raises(ValueError, match="alpha beta"):
        sizes.agnostic_size(alpha, beta, vc)


RUNS = [claim for claim in claims().values() if claim.paper == "BNS15" and claim.kind in JUDGED and not claim.proof]


@pytest.mark.parametrize(
    "claim_of_runs",
    [run for run in RUNS if not run.id.endswith("-literal")],
    ids=lambda claim_of_runs: claim_of_runs.id,
)
def test_a_row_of_runs_names_all_that_its_study_fixes(claim_of_runs: Claim) -> None:
    """Accuracy, privacy, keep ratios and released points; none is typed by hand."""
    names, text = domain_of(claim_of_runs).names, " ".join((claim_of_runs.statement, claim_of_runs.domain))
    fixed = (
        {"epsilon"} if claim_of_runs.id == "BNS15-T5.8" else {"epsilon", "beta"} | ({"alpha", "share error"} & names)
    )
    assert claim_of_runs.id == "BNS15-T5.8" or names & {"alpha", "share error"}
    fixed |= {"r", "r0"} if "LabelBoost" in text or "scaled" in text or "rounds end" in text else set()
    fixed |= {"released"} if "sanitizer" in text or "released" in text else set()
    assert names >= fixed


@pytest.mark.parametrize(
    "stated", [claim for claim in claims().values() if claim.paper == "BNS15"], ids=lambda stated: stated.id
)
def test_no_number_that_a_study_fixes_is_typed_by_hand(stated: Claim) -> None:
    for listed in re.findall(r"[^;:]+:([^;]+)", stated.domain):
        assert not re.search(r"\d", re.sub(r"\{\w+\}", "", listed)), f"{listed!r}: name the constant of the study"


def test_cells_of_case_three_bound_its_function() -> None:
    """At random points, of which the largest is near 2.762."""
    generator = np.random.default_rng(1)
    rho, t = generator.uniform(0.7, 2, 200_000), np.exp(generator.uniform(math.log(0.99), 5, 200_000))
    y, z = np.minimum(1, 1 / rho), np.minimum(rho, 1)
    values_of_both = y * (1.5 - 0.5 / t) + z * (1 + (2 * rho) ** (-(1 - rho / 2) * t))
    assert 2.755 < values_of_both.max() <= starts.third_case() < 2.8


def test_a_case_four_that_reads_too_much_is_not_there() -> None:
    """y (2 - (l + .69) / X) + z (1 + e^(-c X)) <= 3 for X >= 1.38, at random points."""
    generator = np.random.default_rng(2)
    rho, x = generator.uniform(0, 2, 200_000), np.exp(generator.uniform(math.log(1.38), 12, 200_000))
    y, z = np.minimum(1, 1 / rho), np.minimum(rho, 1)
    log = np.maximum(np.log(2 * rho), 0)
    assert (y * (2 - (log + 0.69) / x) + z * (1 + np.exp(-(1 - rho / 2) * x))).max() <= 3


def test_leaving_the_class_costs_less_than_half_of_beta() -> None:
    """Lemma 4.12 for improper base learners: the union over both hypotheses and McDiarmid's term, at all corners."""
    for alpha, beta, vc in product((1e-8, 0.1, 1.0), (1e-30, 0.5, 1.0), (1, 10**8)):
        n = starts.held(alpha, beta, vc)
        assert (1 - 1 / n) ** n >= 0.3677
        both = math.log(4) + vc * (math.log(math.e * n / vc) + math.log(2 * math.e * n / vc)) - alpha * n / 3
        drawn = -2 * 0.0677**2 * n
        assert max(both, drawn) <= math.log(beta / 4)


def test_a_class_without_dimension() -> None:
    assert generalisation.no_dimension(RUN).verdict is Verdict.REFUTED
    with pytest.raises(ValueError, match="vc"):
        sizes.agnostic_size(0.4, 0.1, 0)


@pytest.mark.parametrize(("alpha", "beta"), [(0.9, 0.9), (0.3, 0.3)])
def test_sizes_are_refused_where_nothing_is_proved(alpha: float, beta: float) -> None:
    with pytest.raises(ValueError, match="alpha beta"):
        sizes.agnostic_size(alpha, beta, 1)
    with pytest.raises(ValueError, match="points"):
        sizes.sauer_power(1, 2)


def test_no_label_is_left_only_beyond_epsilon_one() -> None:
    for claim in (every_epsilon.generic, every_epsilon.thinned, every_epsilon.pooled):
        finding = claim(RUN)
        assert finding.verdict is Verdict.REFUTED
        assert all(row.settings["epsilon"] > 1 for row in finding.measurements if row.verdict is not None)


def test_a_tenth_of_the_labels_of_theorem_3_3_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_epsilon, "generic_labelled", lambda *given: generic_labelled(*given) // 10)
    assert every_epsilon.sizes(RUN).verdict is Verdict.VIOLATED


@pytest.mark.parametrize("constant", [250, 1000])
def test_a_quotient_that_sees_no_alpha_is_noticed(constant: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """250 is 50 / alpha at alpha = .2 alone."""
    monkeypatch.setattr(labelled_need, "pieces", lambda alpha: constant)
    assert labelled_need.unlabelled(RUN).verdict is Verdict.VIOLATED
