"""Studies, figures, negative controls and claims of ABM19."""
