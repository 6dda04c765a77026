"""Learners: one file per algorithm, named as its paper names it, and the baselines that figures need."""
