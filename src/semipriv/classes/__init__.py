"""Hypothesis classes: one file each; the property tests pick a new file up by themselves."""
