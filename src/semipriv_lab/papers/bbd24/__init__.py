"""Studies, figures, twins and claims of BBD24."""
