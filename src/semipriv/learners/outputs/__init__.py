"""Kinds of outputs.  Each kind has a file of its name, with the function that restores it from disk."""
