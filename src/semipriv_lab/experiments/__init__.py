"""Experiments: a configuration becomes cells, a cell and a trial become a seed, and each rule has one module here."""
