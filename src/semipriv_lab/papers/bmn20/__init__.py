"""Studies, figures, twins and claims of BMN20."""
