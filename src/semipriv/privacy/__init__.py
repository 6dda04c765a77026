"""What a release guarantees, for which neighbours."""
