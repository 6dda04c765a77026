"""Hypothesis classes: one file each; the law suite of the tests picks a new file up by itself."""
