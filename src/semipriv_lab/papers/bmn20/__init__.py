"""Studies, figures, negative controls and claims of BMN20."""
