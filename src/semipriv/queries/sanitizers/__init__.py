"""Sanitizers: they release points whose shares of sets are near those of private points; one a file."""
