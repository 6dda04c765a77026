"""What pages, tables for LaTeX and the summary of a run say, read back entry by entry and held against the tables."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from semipriv.core import tables
from semipriv.core.statistics import Verdict
from semipriv_lab.experiments.papers import titles
from semipriv_lab.experiments.schemas import SLOPES, SUMMARY, TRIALS
from semipriv_lab.ledger.claims import KINDS
from semipriv_lab.ledger.latex import escaped, number, write_latex
from semipriv_lab.ledger.page import COLOURS, write_ledger_page
from semipriv_lab.ledger.table import CLAIMS, MEASUREMENTS
from semipriv_lab.workflow.runtimes import write_runtimes
from semipriv_lab.workflow.summary import summarise


class Page(HTMLParser):
    """The tables of a page, each as rows of entries, and the attributes of the entries."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.looks: dict[str, str] = {}
        self.ids: list[str] = []
        self._inside, self._look = False, ""
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
            self.ids += [given["id"]] if "id" in given else []
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._inside, self._look = True, given.get("style", "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._inside = False
            self.looks[self.tables[-1][-1][-1]] = self._look

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.tables[-1][-1][-1] += data


def claim(name: str, verdict: str, **changes: Any) -> dict[str, Any]:
    """A row of the ledger; no two of its numbers are equal."""
    row = {
        "claim": name,
        "paper": name[:5],
        "kind": "rate",
        "statement": f"what {name} says",
        "domain": "m >= 1",
        "proof": "",
        "experiment": f"by {name}",
    }
    row |= {"bound": 0.625, "measured": 0.5, "low": 0.375, "high": 0.75, "trials": 4321, "gates": 3}
    return (
        row
        | {"constants": "scaled", "verdict": verdict, "reason": f"since {name}", "note": f"besides {name}"}
        | changes
    )


NOTHING = dict.fromkeys(("experiment", "bound", "measured", "low", "high", "trials", "constants"))
LEDGER = [
    claim("ABM19-A", "holds"),
    claim("ABM19-B", "violated", trials=0, gates=0, low=0.5, high=0.5, kind="exact"),
    claim("ABM19-C", "refuted", bound=None, trials=1, gates=1, low=0.5, high=0.5),
    claim("ABM19-D", "inconclusive", **NOTHING, gates=0, reason="not part of this run", kind="theorem"),
    claim("BMN20-A", "illustration", measured=-0.5, low=-0.75, high=0.25, gates=0),
    claim("BMN20-B", "inconclusive", reason=None),
    claim("BMN20-C", "cited", **NOTHING, gates=0),
    claim("BMN20-D", "refuted", kind="ours", trials=0, gates=0, low=0.5, high=0.5),
    claim("BCM20-A", "inconclusive", **NOTHING, gates=0, reason="not implemented"),
]
COUNTS = {  # in the order of VERDICTS
    "ABM19": [1, 1, 1, 0, 0, 0, 0, 0, 1],
    "BMN20": [0, 0, 0, 1, 1, 1, 1, 0, 0],
    "BCM20": [0, 0, 0, 0, 0, 0, 0, 1, 0],
}
VERDICTS = ["holds", "violated", "refuted", "refuted, ours", "inconclusive", "illustration", "cited", "not implemented"]
VERDICTS.append("not part of this run")
SHOWN = [row["verdict"] for row in LEDGER[:3]] + ["not part of this run"]
SHOWN += ["illustration", "inconclusive", "cited", "refuted", "not implemented"]
MEASURED = ["0.5 [0.375, 0.75]", "0.5", "0.5", "", "-0.5 [-0.75, 0.25]", "0.5 [0.375, 0.75]", "", "0.5", ""]
TRIALS_SHOWN = ["4,321", "exact", "1", "", "4,321", "4,321", "", "exact", ""]
BOUNDS = ["0.625", "0.625", "", "", "0.625", "0.625", "", "0.625", ""]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    tables.write(tmp_path / "claims.parquet", CLAIMS, LEDGER)
    return tmp_path / "claims.parquet"


def test_the_page_of_the_ledger(ledger: Path) -> None:
    cell = {"claim": "ABM19-A", "quantity": "q", "settings": "{}", "trials": 5, "bound": None, "verdict": None}
    measured = [cell | {"measured": 0.5, "low": 0.25, "high": float("inf")}]
    tables.write(ledger.with_name("measurements.parquet"), MEASUREMENTS, measured)
    write_ledger_page(ledger, ledger.with_name("measurements.parquet"), ledger.with_suffix(".html"))
    page = Page(ledger.with_suffix(".html"))
    counts, meanings, kinds, *papers = page.tables
    assert counts[0] == ["paper", *VERDICTS]
    assert {row[0]: [int(text) for text in row[1:]] for row in counts[1:]} == COUNTS
    assert {row[0] for row in kinds[1:]} == set(KINDS)
    own = [verdict for verdict in VERDICTS[:7] if verdict != "refuted, ours"]
    assert [row[0] for row in meanings[1:]] == own == [verdict.value for verdict in Verdict]
    assert len(papers) == 3
    assert [table[0] for table in papers] == [["claim", "statement", "verdict", "measured"]] * 3
    read = [row for table in papers for row in table[1:]]
    for row, (name, decided, verdict, measured), shown, limits, bound, trials in zip(
        LEDGER, read, SHOWN, MEASURED, BOUNDS, TRIALS_SHOWN, strict=True
    ):
        assert name == row["claim"] + row["kind"]
        assert decided.startswith(row["statement"])
        assert all((row[key] or "") in decided for key in ("constants", "experiment", "reason", "note"))
        assert verdict == shown
        behind = "" if not trials else "exact" if trials == "exact" else f"{trials} trials"
        assert measured == limits + (f"bound {bound}" if bound else "") + behind
    assert page.ids == [row["claim"] for row in LEDGER]
    assert all(page.looks[verdict] == f"background: {COLOURS[verdict]}" for verdict in VERDICTS[:3])
    assert len(set(COLOURS.values())) == 6
    text = ledger.with_suffix(".html").read_text()
    assert "<p>9 claims. " in text
    assert "The verdicts of 3 rest on simulations" in text
    assert "at most about 0.03 %" in text
    headings = re.findall(r"<h2 id=.*?>(.*?)</h2>", text)
    assert headings == [f"{paper}: {titles()[paper]}" for paper in COUNTS]


def test_the_ledger_for_latex(ledger: Path) -> None:
    write_latex(ledger, ledger.with_suffix(".tex"))
    text = ledger.with_suffix(".tex").read_text()
    lines = [line.partition(r" \\")[0].split(" & ") for line in text.splitlines() if " & " in line]
    heads = [i for i, line in enumerate(lines) if "claim" in line[0]]
    counts, claims = lines[: heads[0]], [line for i, line in enumerate(lines[heads[0] :]) if "claim" not in line[0]]
    assert counts[0] == ["paper", *VERDICTS]
    assert {row[0]: [int(text) for text in row[1:]] for row in counts[1:]} == COUNTS
    assert len(heads) == 6, "the head of each paper's table, and that of its further pages"
    assert claims == [
        [
            escaped(row["claim"]),
            escaped(f"{row['statement']} (for m >= 1)"),
            shown,
            re.sub(r"-?\d+\.?\d*", lambda match: number(float(match[0])), measured),
            bound and number(float(bound)),
            trials,
        ]
        for row, shown, measured, bound, trials in zip(LEDGER, SHOWN, MEASURED, BOUNDS, TRIALS_SHOWN, strict=True)
    ]
    assert (
        "Verdicts on 9 claims; refuted ones of our own, which no paper claims, are counted apart. Those of 3 rest"
        in text
    )
    assert "at most about $0.03$" in text


def test_the_summary_of_a_run(ledger: Path) -> None:
    """Three cells with two learners, 5 trials of each: no two counts are equal."""
    folder = ledger.parent
    about = {"learner": "a", "name": "sspp", "title": "A_SSPP", "role": "paper", "parameters": "{}", "epsilon": 0.5}
    learners = [about, about | {"learner": "b", "title": "ERM", "role": "minimiser", "epsilon": None}]
    rows = [
        dict.fromkeys(SUMMARY.names) | learner | {"experiment": "curves", "cell": cell, "case": "all", "trials": 5}
        for cell in range(3)
        for learner in learners
    ]
    tables.write(folder / "summary", SUMMARY, rows)
    trials = [
        dict.fromkeys(TRIALS.names)
        | {name: row[name] for name in TRIALS.names if name in row}
        | {"trial": i, "arrays": []}
        for row in rows
        for i in range(row["trials"])
    ]
    tables.write(folder / "trials", TRIALS, trials)
    fit = {"experiment": "curves", "case": "all", "x": "n_public", "low_x": 10.0, "high_x": 90.0, "points": 3}
    fit |= {"measure": "population_error", "protects": None, "left_out": 0, "slope": -0.875, "low": -1.25, "high": -0.5}
    other = fit | learners[1] | {"slope": -3.0}
    half = fit | about | {"learner": "c", "title": "A_LearnHalf", "epsilon": 2.0, "x": "n", "slope": -1.5}
    tables.write(folder / "slopes", SLOPES, [fit | about, other, half, half | {"learner": "d", "case": "plane"}])
    cell = dict.fromkeys(MEASUREMENTS.names) | {"settings": json.dumps({})}
    tables.write(folder / "measurements", MEASUREMENTS, [cell] * 1234)
    paths = [[folder / name] for name in ("trials", "summary", "slopes")]
    summarise(ledger, folder / "measurements", *paths, ["a.pdf", "a.png"], folder / "summary.txt")
    lines = [" ".join(line.split()) for line in (folder / "summary.txt").read_text().splitlines()]
    parts = "\n".join(lines).split("\n\n")
    assert parts[1:-1] == [
        "Experiments\ncurves 3 cells, 2 learners, 30 runs",
        "Slopes of the mean excess error of A_SSPP (log-log, 95 % limits)\n"
        "curves all epsilon 0.5 in n_public -0.875 [-1.250, -0.500]",
        "Slopes of the mean excess error of A_LearnHalf (log-log, 95 % limits)\n"
        "curves all epsilon 2 in n -1.500 [-1.250, -0.500]\n"
        "curves plane epsilon 2 in n -1.500 [-1.250, -0.500]",
        "\n".join(
            [
                "Claims ledger",
                f"paper {' '.join(VERDICTS)}",
                *(f"{paper} {' '.join(map(str, numbers))}" for paper, numbers in COUNTS.items()),
                "What does not hold as stated, or did not show; docs/findings.md describes the gaps:",
                *(
                    f"{row['claim']} {'refuted, ours' if row['kind'] == 'ours' else row['verdict']} {row['statement']}"
                    for row, shown in zip(LEDGER, SHOWN, strict=True)
                    if shown in ("violated", "refuted", "inconclusive")
                ),
                "3 verdicts rest on simulations; the chance that any is wrong by accident is at most about 0.03 %,"
                " assuming: 7 simulated gates, those of a claim at the two-sided level 0.0001 together, one look at"
                " each with sizes and trials set before; what was changed after a look says so in its reason or"
                " note, and counts as one look only where it was drawn anew; limits of frequencies keep their level"
                " exactly, Student's limits of means only about",
            ]
        ),
    ]
    assert parts[0].splitlines() == [
        "9 claims: 2 refuted, 1 holds, 1 violated, 1 not part of this run, 1 illustration, 1 inconclusive, 1 cited, "
        "1 not implemented",
        f"{folder}/claims.html: the ledger, to filter and to open",
        f"{folder}/figures/: 2 figure files, PDF and PNG",
        f"{folder}/<experiment>/: the tables behind them",
        f"{folder}/summary.txt: verdicts by paper, slopes, what does not hold",
    ]
    assert f"{ledger}, {folder}/claims.tex" in parts[-1]
    assert f"{folder}/measurements: all 1,234 measurements" in parts[-1]


def test_the_page_of_runtimes(tmp_path: Path) -> None:
    """By rule, the longest first; jobs, the slowest first."""
    jobs = {  # seconds, of them work, memory
        ("gather", "a"): (4.0, 3.0, 50),
        ("summary", "e"): (1.0, 1.02, 50),  # Snakemake's clock is rounded: work is never longer than its job
        ("evaluate", "b"): (30.0, 24.0, 400),
        ("evaluate", "c"): (10.0, 8.0, 200),
        ("evaluate", "d"): (20.0, 16.0, 100),
    }
    for (rule, job), (seconds, work, memory) in jobs.items():
        for folder, end, text in (
            ("timings", "tsv", f"s\n{seconds}\n"),
            ("logs", "log", f"done in {work:.2f} s, {40 / seconds:.2f} s of CPU, {memory} MiB\n"),
        ):
            path = tmp_path / folder / rule / f"{job}.{end}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    files = [tmp_path / name for name in ("jobs.parquet", "jobs.html", "minutes.txt")]
    write_runtimes(tmp_path / "timings", tmp_path / "logs", dict.fromkeys("abcde", "ABM19"), *files)
    page = Page(tmp_path / "jobs.html")
    assert page.tables == [
        [
            ["rule", "jobs", "time in all", "start-up", "mean", "longest", "memory"],
            ["evaluate", "3", "1 min 00 s", "20 %", "20 s", "30 s", "400 MiB"],
            ["gather", "1", "4.0 s", "25 %", "4.0 s", "4.0 s", "50 MiB"],
            ["summary", "1", "1.0 s", "0 %", "1.0 s", "1.0 s", "50 MiB"],
        ],
        [
            ["rule", "job", "time"],
            ["evaluate", "b", "30 s"],
            ["evaluate", "d", "20 s"],
            ["evaluate", "c", "10 s"],
            ["gather", "a", "4.0 s"],
            ["summary", "e", "1.0 s"],
        ],
    ]
    assert "#9ecae1 92.3%" in page.looks["1 min 00 s"], "60 of 65 seconds"
    assert "#9ecae1 66.7%" in page.looks["20 s"], "20 of the 30 seconds of the slowest job"
