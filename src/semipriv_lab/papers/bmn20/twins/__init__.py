"""Broken twins of BMN20."""
