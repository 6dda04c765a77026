"""Conditional distributions of labels given points, eta(x) = P[y = 1 | x]: one file each."""
