"""Negative controls of BMN20."""
