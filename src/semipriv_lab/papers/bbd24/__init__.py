"""Studies, figures, negative controls and claims of BBD24."""
