"""Numbers that the reason of a finding tells, stated again: words, and the rows from which their number comes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from semipriv.ledger.findings import Finding, Measurement
from semipriv.statistics import Verdict


@dataclass(frozen=True)
class Told:
    """A number in a reason.

    words: what stands around it, with {} in its place.  quantity, where: of the rows.  digits: its format.  of: 'span'
    or 'between', the least and the largest value; 'most'; 'least'; 'all', in the order of the rows; 'limits', all, with
    limits where they have some; 'rows', how many are above their bound.
    """

    words: str
    quantity: str
    where: dict[str, Any] = field(default_factory=dict)
    digits: str = ".2f"
    of: str = "span"

    def text(self, rows: Sequence[Measurement]) -> str:
        """Return the words with their number."""
        own = [row for row in rows if row.quantity == self.quantity and self.where.items() <= row.settings.items()]
        assert own, f"no row is of {self.quantity}, {self.where}"
        values = [row.measured.value for row in own]
        least, most = (f"{pick(values):{self.digits}}" for pick in (min, max))
        every = ", ".join(f"{value:{self.digits}}" for value in values)
        above = sum(row.measured.value > (row.bound or 0.0) for row in own)
        span = {"span": f"{least} to {most}", "between": f"between {least} and {most}"}
        limits = ", ".join(
            value if row.measured.low == row.measured.high else f"{value} [{low}, {high}]"
            for row in own
            for value, low, high in [
                [f"{getattr(row.measured, end):{self.digits}}" for end in ("value", "low", "high")]
            ]
        )
        found = span | {"limits": limits, "most": most, "least": least, "all": every, "rows": f"{above} of {len(own)}"}
        return self.words.format(found[self.of])


def missing(claim: str, finding: Finding) -> list[str]:
    """Return the words that a reason should have, and does not; and those on controls, if it should not have them."""
    texts = [told.text(finding.measurements) for told in TOLD.get(claim, [])]
    if claim in CONTROLS:
        open_ = [row for row in finding.measurements if row.verdict is Verdict.INCONCLUSIVE]
        missed = [row for row in open_ if row.settings["arm"] not in HONEST]
        if finding.verdict is Verdict.HOLDS or not missed:
            unasked = [CONTROLS[claim]] * (CONTROLS[claim] in finding.reason)
            return [*unasked, *(text for text in texts if text not in finding.reason)]
        texts += [CONTROLS[claim], *(f"{row.settings['arm']}, " for row in missed)]
    return [text for text in texts if text not in finding.reason]


HONEST = ("PMW", "printed", "repaired")
"""Arms that are no controls."""
CONTROLS = {
    "BCM20-L7": "; controls that do not miss the target: ",
    "BCM20-T10": "; controls that do not miss the target: ",
    "BCM20-T10-repaired": "; controls that do not miss the target: ",
    "BCM20-T10-private": "; controls that do not exceed the target: ",
}
"""What a reason says of controls that show nothing, unless the claim holds."""
_ROOM = "error over the cover"
_SHARES = "mean error over the cover, in shares"
_TARGET = f"{_SHARES}, over the target"
_FAILS, _FEWER = "P[no alpha/4-cover]", "control: P[no alpha/4-cover], fewer points"
_MEAN, _OWN = "excess error / alpha, mean", {"label_noise": 0.1, "fewer": 1.0}
_RATE = "true-positive rate at 1 % false positives"
_PUBLIC_RATE = f"{_RATE}, public records, public means"
_TRACED, _WRONG = "private records traced", "largest error of an answer, worst trial"
_EXCEEDED = "largest error of a recorded answer / alpha, worst run"
_LEAST_DELTA = "P'(A) - e^epsilon P(A), a lower bound of the least delta"

_SPENT = "largest delta of the released values / delta, over rho and epsilon"

TOLD = {
    "ABM19-L3.3-rate": [
        Told(
            "at d = 1, 2, 4, 8: {}, at least -1",
            "exponent in alpha of points / (d ln(1/alpha) + ln(1/beta))",
            {},
            ".3f",
            "limits",
        ),
        Told("in d: {}, at most 1", "exponent in d", {}, ".3f", "limits"),
    ],
    "BBD24-L3": [
        Told("is at most {} of delta", _SPENT, {"m": 8}, ".2g", "most"),
        Told("{} at m = 16", _SPENT, {"m": 16}, ".2g", "most"),
    ],
    "BBD24-L3-sharp": [
        Told("at most {} of the paper's", "analytic noise / the paper's, largest over rho and epsilon", of="most")
    ],
    "BBD24-T5-literal": [Told("P[E] is at least {};", "P[E], norms that vary", {}, ".3f", "most")],
    "BBD24-L2-sharp": [
        Told(
            "Squared loss reaches {} of it",
            "largest distance / min(1/sqrt(eta), lambda K/eta), linear ball, squared loss",
            {},
            ".4f",
            "most",
        )
    ],
    "BBD24-L10": [Told("At most {} is spent", "delta of algorithm 2's released values, two signs", {}, ".1g", "most")],
    "BCM20-L11": [
        Told("at twice the size of thresholds {} fail", _FAILS, {"class": "intervals"}, ".2g"),
        Told("at that of thresholds {}. The rate", _FEWER, {"class": "intervals"}),
        Told("VC dimension 1, is {} times the least", "size for any class of VC dimension 1 / least size", {}, ".1f"),
    ],
    "BCM20-T15": [
        Told("is {} at m = 2 / alpha, 0", "P[gap > alpha]", {"points_times_alpha": 2}, ".2g"),
        Told("{} at m = 8 / alpha, 7", "P[gap > alpha]", {"points_times_alpha": 8}, ".2g"),
        Told("{} at m = 16 / alpha. A_PAP", "P[gap > alpha]", {"points_times_alpha": 16}, ".2g"),
        Told("{} at m = 8 / alpha, 0.043", "P[2 gap > alpha]", {"points_times_alpha": 8}, ".2g"),
        Told("{} at m = 16 / alpha; an answer", "P[2 gap > alpha]", {"points_times_alpha": 16}, ".2g"),
    ],
    "BCM20-T10-public": [Told("E[gap] is {} times ln(m) / m", "expected largest gap / (ln(m) / m)", {}, ".3f")],
    "BCM20-T10-private": [
        Told("the mean error is {} of the target", _TARGET, {"arm": "PMW"}),
        Told("n / 3 gives {}, noise", _TARGET, {"arm": "n / 3"}),
        Told("noise times 10 {}; exponents", _TARGET, {"arm": "noise times 10"}),
        Told("exponents in the target {}; MWEM", "exponent of the mean error in the target"),
        *(Told(f"{{}} at n = {n:,}, ", _SHARES, {"n_private": n}, ".3f") for n in (1000, 10_000, 100_000, 1_000_000)),
    ],
    "BCM20-T10-halfplanes": [
        Told("its projection differ by {}, while", "largest difference of a halfplane and its projection"),
        Told("error over the cover is {} with 1e4", _ROOM, {"n_private": 10_000}),
        Told("and {} with 1e5", _ROOM, {"n_private": 100_000}),
        Told("(uniform cells: {})", f"{_ROOM}, uniform cells"),
        Told("over all halfplanes is {}, that", "error over halfplanes, lower estimate"),
        Told("public means alone {};", "error of public means over halfplanes, lower estimate"),
        Told("on average {}:", "error over halfplanes / that of public means, lower estimates"),
    ],
    "BCM20-STUMPS": [
        Told("asks for {} times sqrt(p ln p)", "records by the noise alone / (sqrt(p ln p) / alpha)", {}, ".1f")
    ],
    "BCM20-R9-exists": [
        Told("with probability {}. A single", "P[a sample of that size is within alpha], thresholds", {}, ".3f")
    ],
    "BCM20-R9": [
        Told(
            "at least {}/n' without atoms",
            "control: the same distance x n' with n'/4 points, least of all runs",
            {},
            ".1f",
            "least",
        ),
        Told(
            "(at most {} of it)",
            "linear program: largest distance to the answers / their error, all runs",
            of="most",
        ),
        Told("in at most {} of the samples", "sampled: the same with n'/4 points", of="most"),
    ],
    "BCM20-L7": [
        Told("worst run {} alpha, at n / 1.5", _EXCEEDED, {"arm": "PMW"}, of="most"),
        Told("at n / 1.5 {} alpha in", _EXCEEDED, {"arm": "n / 1.5"}, of="between"),
    ],
    "BCM20-T13": [Told("n alpha / sqrt(p) is {}, m", "private records times alpha / sqrt(p)", {}, ".0f")],
    "BCM20-T14-event": [
        Told("(error {}), with", _WRONG, {"n": 400, "noise": 0.17}, of="most"),
        Told("largest error {}; of n = 400", _WRONG, {"n": 200}, of="most"),
        Told("of n = 200 records {} to ", f"{_TRACED}, fewest", {"n": 200}, ".0f", "most"),
        Told("with the same noise {} to ", f"{_TRACED}, fewest", {"n": 400, "noise": 0.17}, ".0f", "most"),
        Told(" to {} (error ", f"{_TRACED}, most", {"n": 400, "noise": 0.17}, ".0f", "most"),
        Told(" to {} (error ", f"{_TRACED}, most", {"n": 400, "noise": 0.255}, ".0f", "most"),
    ],
    "BCM20-T14": [
        Told("the largest error of an answer, {}, exceeds", "largest error of an answer"),
        Told("exceeds alpha in {} cells", "largest error of an answer", of="rows"),
        Told("it traces {} in place of ", f"{_RATE}, references", {"factor": 0.25}, of="all"),
        Told(" in place of {} (f = 1/4", _RATE, {"factor": 0.25}, of="all"),
        Told("{} at f = 1/4", "largest less smallest true-positive rate over p and alpha", {"factor": 0.25}, of="most"),
    ],
    "BCM20-T14-count": [
        Told("{} over all cells", "(true-positive rate less false-positive rate) n alpha^2"),
        *(Told(f"{{}} (m = {m})", _PUBLIC_RATE, {"n_public": m}, of="most") for m in (25, 400)),
    ],
    "BCM20-L17": [
        Told("Mean excess {} of alpha", _MEAN, _OWN | {"arm": "query release"}, ".3f"),
        Told("the same data {}, from", _MEAN, _OWN | {"arm": "exponential mechanism"}, ".3f"),
        Told("labels alone {}; with", _MEAN, _OWN | {"arm": "public labels"}, ".3f"),
        Told("it is at most {} of alpha", _MEAN, {"fewer": 6.0, "arm": "query release"}, of="most"),
        Told("the excess is {}, and", "control: excess error without updates"),
    ],
    "BBD24-T4-gaussian": [
        Told("not private: {} against delta = 1e-5", _LEAST_DELTA, {"C": 1.0, "m": 15}, ".4f", "all"),
        Told("refutes C up to {}.", "largest C that m points refute", {"m": 15}, ".3f", "all"),
    ],
}
