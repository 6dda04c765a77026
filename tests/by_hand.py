"""Verdicts of the ledger that a study makes by hand, stated again: from the limits alone, never from the value."""

from collections.abc import Callable

from semipriv.ledger.findings import Measurement
from semipriv.statistics import Verdict

HOLDS, VIOLATED, REFUTED, OPEN = Verdict.HOLDS, Verdict.VIOLATED, Verdict.REFUTED, Verdict.INCONCLUSIVE
Judge = Callable[[Measurement], Verdict]


def agreement(row: Measurement) -> Verdict:
    """The limits hold the exact probability, and end below the paper's .01, or .015 where it is .01 in the limit."""
    if not row.measured.low <= float(row.settings["exact"]) <= row.measured.high:
        return VIOLATED
    return HOLDS if row.measured.high <= (row.bound or 0.015) else OPEN


def transferred(row: Measurement) -> Verdict:
    """The limits are not beyond the proven shift, and end below what claim 4.6 leaves for it."""
    if row.measured.low > float(row.settings["shift"]):
        return VIOLATED
    return HOLDS if row.measured.high <= 1 / 16 - 1 / 21 else OPEN


def alike(row: Measurement) -> Verdict:
    """Two samples have one law, as far as limits of at most 0.1 tell; the bound is twice their radius."""
    radius = (row.bound or 0) / 2
    return VIOLATED if row.measured.value > radius else HOLDS if radius <= 0.1 else OPEN


def exact(row: Measurement) -> Verdict:
    """A value without sampling error above its bound is a counterexample."""
    return HOLDS if row.measured.value <= (row.bound or 0) else REFUTED


def ratio(row: Measurement) -> Verdict:
    """A radius is at most the diameter, up to rounding, in every trial."""
    return HOLDS if row.measured.value <= 1 + 1e-9 else VIOLATED


def control(row: Measurement) -> Verdict:
    """Some data sets must fail."""
    return HOLDS if row.measured.value >= 1 else OPEN


def many(row: Measurement) -> Verdict:
    """More than beta must fail."""
    return HOLDS if row.measured.low > float(row.settings["beta"]) else OPEN


def exceeding(row: Measurement) -> Verdict:
    """A control must be above its bound."""
    return HOLDS if row.measured.low > (row.bound or 0) * (1 + 1e-9) else OPEN


def fewer(row: Measurement) -> Verdict:
    """A number that suffices and is below a lower bound refutes it."""
    return REFUTED if row.measured.value < (row.bound or 0) else OPEN


def seen_above(row: Measurement) -> Verdict:
    """A lower bound of the least delta that is above delta refutes it; one below says nothing."""
    return REFUTED if row.measured.value > (row.bound or 0) else OPEN


def small(row: Measurement) -> Verdict:
    """A set that is small enough shows that there is one; a larger one shows nothing."""
    return HOLDS if row.measured.value <= (row.bound or 0) else OPEN


def bracketed(row: Measurement) -> Verdict:
    """The limits meet what two closed forms leave, and are half as wide as its lower end at most."""
    if row.measured.high < float(row.settings["least"]) or row.measured.low > float(row.settings["most"]):
        return VIOLATED
    return HOLDS if row.measured.high - row.measured.low <= float(row.settings["least"]) / 2 else OPEN


BY_HAND: dict[str, Judge] = {
    "largest covering radius / Bad diameter": ratio,
    "P[excess error > alpha]": many,
    "sum of failure probabilities": exact,
    "P[loop left early], rational": exact,
    "least mistakes of G": exact,
    "P[exhausted], runs of PrivSamp": agreement,
    "P[public example substituted], coupled": agreement,
    "Kolmogorov-Smirnov distance of A and B": transferred,
    "P[err(A) <= .4] - P[err(B) <= .4]": transferred,
    "Kolmogorov-Smirnov distance of the learner and its counts": alike,
    "data sets on which the best of G is worse than the best halfspace": control,
    "data sets on which the best single halfspace of the family is worse than the best halfspace": control,
    "P[largest error of a recorded answer > alpha]": exceeding,
    "largest error of uniform cells / alpha": exceeding,
    "epsilon spent / epsilon, by rho + 2 sqrt(rho ln(1/delta))": exceeding,
    "largest privacy loss of an epoch / (1 / scale of the threshold's noise)": exceeding,
    "largest privacy loss / epsilon": exceeding,
    "largest privacy loss / epsilon, broken twin": exceeding,
    "largest Renyi divergence / (rho times its order)": exceeding,
    "epsilon that runs rule out, broken twin": exceeding,
    "P[error over all thresholds > alpha]": many,
    "P[error of public means > alpha]": many,
    "mean error over the cover, in shares, over the target": exceeding,
    "P[a sample of a smaller size misleads], control": exceeding,
    "labels that suffice": fewer,
    "labels of a search in a random pool": fewer,
    "data sets whose transcript differs from that of a neighbour, control": exceeding,
    "the same / e^(2 epsilon)": exceeding,
    "largest privacy loss of SubSampling, control with t = n": exceeding,
    "dichotomies, control with 1 in place of e": exceeding,
    "(e rho)^2 / 2^rho, control": exceeding,
    "the same, control with |H| / 4": exceeding,
    "largest privacy loss of a subsample, against half the rate": exceeding,
    "largest privacy loss of a subsample in the order of the data": exceeding,
    "largest privacy loss of a resample, twice the weight on a record": exceeding,
    "largest ratio of weights of neighbours, control": exceeding,
    "probability of labelings that a neighbour cannot give, if the labeling is released": exceeding,
    "P[error of the drawn labeling on S > alpha], control with 5 times as many unlabelled points": exceeding,
    "P[error of the drawn labeling on S > alpha], as printed": exact,
    "error with projections moved one gap / (2 largest gap), least of all runs": exceeding,
    "unlabelled examples read / V, one of the largest sums": exact,
    "starts after which the rounds do not end": exact,
    "P[some prefix is off by alpha or more], n / 8": exceeding,
    "local exponent in b, broken twin with epsilon / b": exceeding,
    "P[error > alpha] from m / 20 labels, exactly, released points at the quantiles": exceeding,
    "least labels, control with k = b": exceeding,
    "P[sup |L_D - L| > bound], control": exceeding,
    "P[largest disagreement > bound], control": exceeding,
    "P[largest disagreement > bound], a sixth of the bound, control": exceeding,
    "largest sigma nu(f != g) / mu(f != g), at 1.01 sigma, control": exceeding,
    "P[excess > alpha] at n / 100, control": exceeding,
    "upper limit of the exponent of needs made steeper, control": exceeding,
    "P'(A) - e^epsilon P(A), a lower bound of the least delta": seen_above,
    "P'(A), runs": bracketed,
    "least delta of one Hamming code, an upper bound, control": exceeding,
    "largest |log ratio| of neighbours / epsilon, control": exceeding,
    "P[cut of the oracle's own function that a neighbour cannot have]": exceeding,
    "share of labelings that one point fewer leaves ambiguous": exceeding,
    "pairs of projected functions that do not differ": exceeding,
    "share of draws in which the winner changes under the shifted noise, control": exceeding,
    "largest |log density ratio| of the shifted noise / epsilon, control": exceeding,
    "share of draws with a tie, control": exceeding,
    "P[excess mistakes > bound], control": exceeding,
    "points of the largest teaching set": small,
    "least delta of thresholds, all data sets, teaching scale, control": exceeding,
    "the same, control without the factor m": exceeding,
    "the same, control with .999 of the noise, least over rho and epsilon": exceeding,
    "delta of the output at the displayed epsilon, control with small m": exceeding,
    "the same, control with .999 of the noise": exceeding,
    "P[minimisers of the two signs differ], control with the corrected form / 2.1": exceeding,
    "P[minimisers of the two signs differ], control with the form of r^-4 / 1.03": exceeding,
    "P[the other sign is within tau of the minimum], control with the bound / 1.01": exceeding,
    "least P[s = (1 - r^2) t* is within tau of the minimum], norms that vary": exceeding,
    "expected distance of the minimisers, two signs, control with the bound / 18": exceeding,
    "distance of the minimisers, control with a class that is not convex": exceeding,
    "the same, control with .99 of the bound, slopes": exceeding,
    "1 - delta quantile of the averages' distance, two signs, control with the bound / 20": exceeding,
    "distance of the expected minimisers x eta, two signs, control with .99 of the bound": exceeding,
    "delta of algorithm 2's released values, two signs, control with a share of the noise": exceeding,
    "the same, control with weight 1/2 on x*": exceeding,
    "largest density of the private law after mixing x* in, times sigma, control against 2.99": exceeding,
    "least w^2 over the functions / least over mixtures, control, most of all draws": exceeding,
    "the same on the two signs alone, control": exceeding,
    "delta of the output at the displayed epsilon": exact,
    "P[E], norms that vary": exact,
    "P[excess > bound / 9], control": exceeding,
    "P[excess > alpha] at n / 100, eta / 10, control": exceeding,
    "P[excess > alpha] at 16 times the noise, control": exceeding,
    "P[excess > alpha] at 32 times the Laplace noise, control": exceeding,
    "P[excess > alpha] at n / 3000, same eta, control": exceeding,
    "P[excess > alpha] at n / 300, control": exceeding,
    "exponent of needs made steeper, control": exceeding,
    "largest P[||f||_mu > sqrt(2) ||f||_m + r for some f of N independent ones], control with r / 2": exceeding,
    "P[||f||_mu > 2 ||f||_m for some linear f], control with 2 points for each dimension": exceeding,
    "largest P[||f - f'||_mu > sqrt(2) ||f - f'||_m + r], one pair, control with r / 2": exceeding,
    "P[||out - fit||_m > 2 gamma (1 + sqrt(2 ln(1/beta) / m)) / 2.4], at least, control": exceeding,
    "P[||out - fit||_m > 2 gamma ln(m/beta) / 2.4], Laplace noise, at least, control": exceeding,
    "least of the same, control with a fit outside of the class": exceeding,
    "P[||out - fit||_m > 2 gamma sqrt(ln(1/beta))], at least": exact,
    "largest n (L_D(f) - least L_D) / (eta (sup R - inf R)), control with the range / 2.1": exceeding,
    "P[sup |L_D - L| > 6 E sup w_n / sqrt(n)], control with the bound / 7": exceeding,
    "P[sup |L_D - L| > bound with explicit constants], control with the bound / 3": exceeding,
    "P[excess loss of the fit > bound], control with eta / (3 n)": exceeding,
    "excess loss of algorithm 3, all responses -1": exact,
}
"""By quantity."""
