"""Broken twins of BCM20."""
