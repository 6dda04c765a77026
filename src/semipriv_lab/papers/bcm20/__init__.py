"""Studies, figures, twins and claims of BCM20."""
