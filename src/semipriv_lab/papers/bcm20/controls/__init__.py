"""Negative controls of BCM20."""
