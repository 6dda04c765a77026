"""Releases of BCM20: labelled samples, stumps, prefixes, and attacks that trace them."""
