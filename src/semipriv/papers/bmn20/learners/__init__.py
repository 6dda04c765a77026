"""Learners of BMN20."""
