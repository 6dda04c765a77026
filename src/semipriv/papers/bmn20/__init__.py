"""Learning from Mixtures of Private and Public Populations.

Whether an example is private depends on the example: halfspaces are learned from a mixture, in which all private
examples may have one label.  Public examples tell a region that holds a good halfspace, and the exponential mechanism
chooses in it.
"""

ORDER = 2
