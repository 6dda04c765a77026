"""Sizes and bounds of BMN20."""
