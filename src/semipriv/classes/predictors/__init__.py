"""Sets of functions to {0, 1} that improper learners output and that nobody learns as a class."""
