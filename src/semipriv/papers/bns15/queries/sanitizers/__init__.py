"""Sanitizers: private summaries of a sample, from which the queries of a class are answered."""
