"""Learners of BCM20."""
