"""Where the tests stand: beside the pages of ``docs``, and in a checkout beside all else."""

from pathlib import Path

ROOT = Path(__file__).parents[1]


def matching(folder: Path, *patterns: str) -> list[Path]:
    """Return what matches the patterns below a folder, sorted.

    Raise AssertionError for a pattern that nothing matches: a test that looked at nothing would pass.
    """
    paths: set[Path] = set()
    for pattern in patterns:
        these = set(folder.glob(pattern))
        assert these, f"{folder}: nothing matches {pattern}"
        paths |= these
    return sorted(paths)
