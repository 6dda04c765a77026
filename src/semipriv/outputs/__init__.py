"""Kinds of outputs: one file a kind, named as its ``kind``, with the function that restores it from disk."""
