"""Oracle-Efficient Differentially Private Learning with Public Data.

Learners that call a non-private solver on public points with random weights, instead of listing a cover: private
examples enter a perturbed objective, whose minimiser on the public points is stable (RSPM, RRSPM), or an average of
regressors.
"""

ORDER = 5
