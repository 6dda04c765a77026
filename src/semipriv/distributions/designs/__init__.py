"""Designs: which sizes a sample has, how its public and private parts are drawn, and how a real table is split."""
