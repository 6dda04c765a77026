"""Experiments: a configuration becomes cells, and a cell and a trial become a seed."""
