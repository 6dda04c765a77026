"""Learning Privately with Labeled and Unlabeled Examples.

Semi-supervised learning in which all examples are private and labels are scarce: LabelBoost relabels a large unlabelled
sample from few labels, a sanitizer makes an unlabelled sample public for the generic learner, and active learning asks
for labels.
"""

ORDER = 4
