"""Regions cut out by halfspaces that public points span, and all their intersections counted without a list (BMN20)."""
