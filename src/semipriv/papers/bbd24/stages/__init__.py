"""Public stages of BBD24."""
