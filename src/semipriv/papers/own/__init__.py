"""Learners of this project.

No paper: linear discriminants, linear regressions and a table release that this project designed after the idea of the
five papers, that public rows shrink what privacy must search.  Their claims are judged like those of the papers: what
they protect, what they converge to as epsilon, private rows or the bias of public rows change, and how they compare
with what is tried first.
"""

ORDER = 6
