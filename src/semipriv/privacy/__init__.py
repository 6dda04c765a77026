"""What a release guarantees, for which neighbours, and how guarantees add up."""
