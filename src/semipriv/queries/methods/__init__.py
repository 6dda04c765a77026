"""Mechanisms that answer all queries of a workload, one a file."""
