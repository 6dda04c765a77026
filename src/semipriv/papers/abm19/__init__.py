"""Limits of Private Learning with Access to Public Data.

A learner of labelled private examples and unlabelled public points: the exponential mechanism over a finite cover that
the public points make (A_SSPP).  About d / alpha public points suffice for a class of VC dimension d; a reduction shows
that no learner needs fewer than about 1 / alpha, if the class has no private learner without public points.
"""

ORDER = 1
