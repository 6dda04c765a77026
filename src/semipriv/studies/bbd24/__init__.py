"""Studies of BBD24."""
