"""BCM20: sizes and bounds."""
