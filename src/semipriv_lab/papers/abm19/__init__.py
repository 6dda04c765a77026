"""Studies, figures, twins and claims of ABM19."""
