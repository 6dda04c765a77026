"""Lines of progress: when they come, and what they say."""

from itertools import accumulate
from pathlib import Path

import pytest

from semipriv.core.files import atomic
from semipriv.core.progress import Reporter, duration, reporting, track


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def run(seconds: list[float], interval: float = 5.0) -> tuple[list[str], list[str]]:
    """Lines in the log and on the terminal of a loop whose items take the given seconds."""
    log: list[str] = []
    terminal: list[str] = []
    clock = Clock()
    with reporting(Reporter("rule block_0", log.append, terminal.append, interval, clock)):
        for second in track(seconds, "trials"):
            clock.now += second
    return log, terminal


def test_a_line_every_interval_with_rate_and_time_left() -> None:
    log, terminal = run([2.0] * 10)
    assert log == terminal
    assert log == [
        "rule block_0: 3/10 trials, 30.0/min, 14 s left",
        "rule block_0: 6/10 trials, 30.0/min, 8 s left",
        "rule block_0: 9/10 trials, 30.0/min, 2.0 s left",
        "rule block_0: 10/10 trials, 30.0/min, 20 s in all",
    ]


def test_short_loops_stay_off_the_terminal() -> None:
    log, terminal = run([0.25] * 8)
    assert log == ["rule block_0: 8/8 trials, 4.0/s, 2.0 s in all"]
    assert terminal == []
    assert run([])[0] == ["rule block_0: 0/0 trials, 0.0 s in all"]


def test_loops_inside_say_how_much_of_the_present_item_is_done() -> None:
    log: list[str] = []
    clock = Clock()
    with reporting(Reporter("study", log.append, None, 5.0, clock)):
        for _ in track(range(2), "cells"):
            for _ in track(["A", "B"], "algorithms"):
                for _ in track(range(5), "trials"):
                    clock.now += 1
        for _ in track(range(4), "cells"):
            clock.now += 2.5
    assert log == [
        "study: 0/2 cells (0/2 algorithms, 5/5 trials), 6.0/min, 15 s left",
        "study: 0/2 cells (1/2 algorithms, 5/5 trials), 6.0/min, 10 s left",
        "study: 1/2 cells (0/2 algorithms, 5/5 trials), 6.0/min, 5 s left",
        "study: 1/2 cells (1/2 algorithms, 5/5 trials), 6.0/min, 0.0 s left",
        "study: 2/2 cells, 6.0/min, 20 s in all",
        "study: 2/4 cells, 24.0/min, 5 s left",
        "study: 4/4 cells, 24.0/min, 10 s in all",
    ]


def test_the_time_left_goes_by_the_work_of_the_items() -> None:
    log: list[str] = []
    clock = Clock()
    sizes = [1, 2, 3, 4]
    with reporting(Reporter("study", log.append, None, 1.0, clock)):
        for size in track(sizes, "sizes", work=sizes):
            for _ in track(range(10), "trials"):
                clock.now += size
    passed = accumulate(size for size in sizes for _ in range(10))
    assert [text.rpartition(", ")[2] for text in log[:-1]] == [f"{duration(100 - t)} left" for t in passed]


def test_nothing_is_said_of_the_rest_at_the_very_beginning() -> None:
    log, _ = run([5.0] * 201)
    assert log[:3] == [
        "rule block_0: 1/201 trials, 12.0/min",
        "rule block_0: 2/201 trials, 12.0/min",
        "rule block_0: 3/201 trials, 12.0/min, 16 min 30 s left",
    ]


def test_of_nested_loops_the_outermost_is_reported_and_the_next_one_again() -> None:
    log: list[str] = []
    with reporting(Reporter("study", log.append)):
        pairs = [(a, b) for a in track("xy", "letters") for b in track(range(3), "numbers")]
        for _ in track(range(2), "cells"):
            break
        with pytest.raises(ValueError, match="row 3"):
            fail(*track(range(2), "cells"))
        assert list(track(iter([1, 2]), "rows", total=2)) == [1, 2]
        with pytest.raises(ValueError, match="number of rows"):
            track(iter([1, 2]), "rows")
    assert len(pairs) == 6
    assert [text.split(",")[0] for text in log] == ["study: 2/2 letters", "study: 2/2 cells", "study: 2/2 rows"]


def test_without_a_reporter_items_pass_through() -> None:
    items = [1, 2, 3]
    assert track(items, "numbers") is items


def fail(*_: object) -> None:
    raise ValueError("row 3 is wrong")


def test_durations() -> None:
    assert [duration(s) for s in (0, 4.96, 5, 59.4, 59.6, 61, 3661)] == [
        "0.0 s", "5.0 s", "5 s", "59 s", "1 min 00 s", "1 min 01 s", "1 h 01 min",
    ]  # fmt: skip


def test_files_are_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "folder/page.html"
    with atomic(path) as target:
        target.write_text("whole")
        assert (target.suffix, target.parent, path.exists()) == (".html", path.parent, False)
    with pytest.raises(ValueError, match="row 3"), atomic(path) as target:
        fail(target.write_text("half"))
    assert path.read_text() == "whole"
    assert [p.name for p in path.parent.iterdir()] == ["page.html"]
    with pytest.raises(OSError, match=r"page\.html'"), atomic(path / "below") as target:
        target.write_text("never")
    with pytest.raises(FileNotFoundError, match="elsewhere"), atomic(path):
        (tmp_path / "elsewhere").read_text()
    with pytest.raises(OSError, match=rf"No space left on device: '{path}'"), atomic(path):
        raise OSError(28, "No space left on device")
