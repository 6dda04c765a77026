"""Notes on a request, of a dry run and of a release: on public rows, on learners, and on what nothing protects."""

from collections.abc import Iterator

from semipriv.learners.base import Learner
from semipriv.practice.asking.request import Request
from semipriv.practice.columns.between import CLIPPED
from semipriv.practice.columns.features import Integers, Range
from semipriv.practice.columns.hints import hint
from semipriv.practice.columns.hints import shown as shown_text
from semipriv.practice.engine.cell_counts import texts_of
from semipriv.practice.engine.inspection import of_public_rows
from semipriv.practice.engine.stages import Stage


def public_notes(staged: Stage) -> Iterator[str]:
    """Yield notes on the cells of public rows, and on the ends that they give."""
    features = staged.public.records.features
    ends = [
        feature for feature in features if isinstance(feature, Range | Integers) and feature.public_values is not None
    ]
    if len(ends) == 1:
        yield f"NOTE        public rows: {ends[0].from_public}"
    elif ends:
        intervals = ", ".join(f"{feature.column} {feature.interval}" for feature in ends)
        yield f"NOTE        public rows: their values give the ends of {len(ends)} columns: {intervals}; {CLIPPED}"
    public = of_public_rows(staged.request, staged.public.records)
    for declared in staged.public.records.declared:
        cells = public.get(declared.column)
        if cells is not None and cells.unknown:
            ((text, _),) = cells.spelt.most_common(1)
            like = hint(text, texts_of(declared))
            yield (
                f"NOTE        public rows: column {declared.column!r}: {cells.unknown:,} of {cells.rows:,} cells are "
                f"not as declared, such as {shown_text(text)}" + f" ({like})" * bool(like)
            )


def learner_notes(staged: Stage) -> Iterator[str]:
    """Yield the notes of the learners for this number of rows."""
    for candidate, prepared in zip(staged.request.candidates, staged.prepared, strict=True):
        note = (
            candidate.learner.note(prepared, staged.sizes["n_private"])
            if isinstance(candidate.learner, Learner)
            else None
        )
        if note is not None:
            yield f"NOTE        {candidate.name}: {note}"


def outside(request: Request) -> Iterator[str]:
    """Yield a warning if learners or classes come from outside the package."""
    if request.plugins:
        yield f"WARNING     the guarantee is the word of the author of plug-ins: {', '.join(request.plugins)}"
