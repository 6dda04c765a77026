"""Studies of the claims of BCM20."""
