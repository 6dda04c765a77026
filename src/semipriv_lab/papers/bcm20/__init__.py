"""Studies, figures, negative controls and claims of BCM20."""
