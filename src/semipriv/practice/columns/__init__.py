"""Columns as requests declare them: kinds, codes, labels and schemas."""
