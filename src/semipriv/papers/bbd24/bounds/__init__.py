"""BBD24: sizes and bounds."""
