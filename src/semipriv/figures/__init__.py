"""Figures: one function per figure, drawn from the tables of results alone."""
